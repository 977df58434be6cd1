#include "collide/mesh/face_order.h"

static tl_real coordinate(tl_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

static bool before(const tl_vec3 *center, int axis, int f, int g)
{
    tl_real x = coordinate(center[f], axis), y = coordinate(center[g], axis);
    return x < y || (x == y && f < g);
}

/* Quickselect: puts the `middle`-th face in its place, smaller ones before it (Hoare 1961). */
static void select_middle(const tl_vec3 *center, int axis, int *order, int count, int middle)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(center, axis, order[i], pivot))
                ++i;
            while (before(center, axis, pivot, order[j]))
                --j;
            if (i <= j) {
                int swap = order[i];
                order[i++] = order[j];
                order[j--] = swap;
            }
        }
        if (middle <= j)
            high = j;
        else if (middle >= i)
            low = i;
        else
            return;
    }
}

static int longest_axis(const tl_vec3 *center, const int *order, int count)
{
    tl_vec3 low = center[order[0]], high = low;
    for (int k = 1; k < count; ++k) {
        tl_vec3 c = center[order[k]];
        low = tl_v3(tl_min(low.x, c.x), tl_min(low.y, c.y), tl_min(low.z, c.z));
        high = tl_v3(tl_max(high.x, c.x), tl_max(high.y, c.y), tl_max(high.z, c.z));
    }
    tl_vec3 size = tl_sub(high, low);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

void tl_face_order_split(const tl_vec3 *center, int *order, int count, int middle)
{
    select_middle(center, longest_axis(center, order, count), order, count, middle);
}

tl_real tl_face_order_edge(const int *face, int face_count, const tl_vec3 *x)
{
    double sum = 0;
    for (int f = 0; f < face_count; ++f)
        sum += (double)tl_length(tl_sub(x[face[3 * (size_t)f]], x[face[3 * (size_t)f + 1]]));
    return face_count > 0 ? (tl_real)(sum / face_count) : 0;
}
