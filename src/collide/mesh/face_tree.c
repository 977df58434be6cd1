#include "collide/mesh/face_tree.h"

#include "collide/mesh/face_order.h"

#include <string.h>

/* Splits faces at medians into runs of whole nodes, down to groups of eight: a node's faces stand next to each
   other. */
static void split(const tl_vec3 *center, int *order, int count)
{
    long unit = TL_TREE_WIDTH;
    if (count <= unit)
        return;
    while (unit * TL_TREE_WIDTH < count)
        unit *= TL_TREE_WIDTH;
    int half = (int)((count + unit - 1) / unit / 2 * unit);
    tl_face_order_split(center, order, count, half);
    split(center, order, half);
    split(center, order + half, count - half);
}

/* Faces whose centres are within this many mean edge lengths are neighbours: the adjacent ones and the next two
   rings. */
#define NEIGHBOUR_EDGES ((tl_real)3)

/* The centre of a face is within two thirds of its longest edge of each corner. */
static tl_real most_adjacent(const int *face, int face_count, const tl_vec3 *x)
{
    tl_real square = 0;
    for (int k = 0; k < 3 * face_count; ++k) {
        tl_vec3 edge = tl_sub(x[face[k]], x[face[k % 3 == 2 ? k - 2 : k + 1]]);
        square = tl_max(square, tl_dot(edge, edge));
    }
    return (tl_real)(1.001 * 4 / 3) * sqrt(square); /* beyond rounding */
}

static bool allocate(tl_face_tree *tree, const tl_allocator *allocator)
{
    size_t faces = (size_t)tree->face_count, nodes = faces;
    tree->order = tl_allocate(allocator, faces, sizeof *tree->order);
    tree->slot = tl_allocate(allocator, faces, sizeof *tree->slot);
    bool made = tree->order && tree->slot;
    tree->bytes = 2 * faces * sizeof *tree->order;
    for (int level = 0; level < TL_TREE_LEVELS; ++level) {
        nodes = (nodes + TL_TREE_WIDTH - 1) / TL_TREE_WIDTH;
        tree->groups[level] = (int)nodes;
        tree->group[level] = tl_allocate(allocator, nodes, sizeof *tree->group[level]);
        tree->bytes += nodes * (1 + sizeof *tree->group[level]);
        tree->marked[level] = tl_allocate(allocator, nodes, 1);
        made = made && tree->group[level] && tree->marked[level];
    }
    tree->faces = tl_allocate(allocator, (size_t)tree->groups[0], sizeof *tree->faces);
    tree->bytes += (size_t)tree->groups[0] * sizeof *tree->faces;
    return made && tree->faces;
}

/* Empty lanes hold nothing and are near nothing. */
static void clear_lane(tl_tree_group *group, int lane)
{
    for (int c = 0; c < 3; ++c) {
        group->low[c][lane] = group->rest_low[c][lane] = INFINITY;
        group->high[c][lane] = group->rest_high[c][lane] = -INFINITY;
    }
    group->radius[lane] = -INFINITY;
}

static void clear_lanes(tl_face_tree *tree)
{
    int nodes = tree->face_count;
    for (int level = 0; level < TL_TREE_LEVELS; nodes = tree->groups[level++])
        for (int n = 0; n < tree->groups[level]; ++n) {
            tl_tree_group *group = &tree->group[level][n];
            int left = nodes - n * TL_TREE_WIDTH;
            group->count = left < TL_TREE_WIDTH ? left : TL_TREE_WIDTH;
            for (int k = 0; k < TL_TREE_WIDTH; ++k)
                clear_lane(group, k);
        }
}

static void place_faces(tl_face_tree *tree, const tl_vec3 *center)
{
    for (int k = 0; k < tree->groups[0] * TL_TREE_WIDTH; ++k) {
        int f = tree->order[k < tree->face_count ? k : tree->face_count - 1], lane = k % TL_TREE_WIDTH;
        for (int c = 0; c < 3; ++c)
            tree->faces[k / TL_TREE_WIDTH].corner[c][lane] = tree->face[3 * (size_t)f + (size_t)c];
        if (k >= tree->face_count)
            continue;
        tree->slot[f] = k;
        tl_tree_group *group = &tree->group[0][k / TL_TREE_WIDTH];
        group->rest_low[0][lane] = center[f].x;
        group->rest_low[1][lane] = center[f].y;
        group->rest_low[2][lane] = center[f].z;
    }
}

/* The boxes at rest of the nodes above the faces. */
static void fit_rest(tl_face_tree *tree, const tl_vec3 *x)
{
    for (int k = 0; k < tree->face_count; ++k) {
        long n = k;
        for (int level = 1; level < TL_TREE_LEVELS; ++level) {
            n /= TL_TREE_WIDTH;
            tl_tree_group *group = &tree->group[level][n / TL_TREE_WIDTH];
            int lane = (int)(n % TL_TREE_WIDTH);
            for (int i = 0; i < 3; ++i) {
                tl_vec3 p = x[tree->face[3 * (size_t)tree->order[k] + (size_t)i]];
                const tl_real at[3] = {p.x, p.y, p.z};
                for (int c = 0; c < 3; ++c) {
                    group->rest_low[c][lane] = tl_min(group->rest_low[c][lane], at[c]);
                    group->rest_high[c][lane] = tl_max(group->rest_high[c][lane], at[c]);
                }
            }
        }
    }
}

bool tl_face_tree_build(tl_face_tree *tree, const tl_allocator *allocator, const int *face, int face_count,
                        const tl_vec3 *x)
{
    *tree = (tl_face_tree){.face_count = face_count, .face = face};
    tree->neighbour = NEIGHBOUR_EDGES * tl_face_order_edge(face, face_count, x);
    tree->adjacent = most_adjacent(face, face_count, x);
    tl_vec3 *center = tl_allocate(allocator, (size_t)face_count, sizeof *center);
    if (!center || !allocate(tree, allocator)) {
        tl_release(allocator, center);
        tl_face_tree_destroy(tree, allocator);
        return false;
    }
    for (int f = 0; f < face_count; ++f) {
        const int *p = face + 3 * (size_t)f;
        center[f] = tl_scale(tl_add(tl_add(x[p[0]], x[p[1]]), x[p[2]]), (tl_real)(1.0 / 3));
        tree->order[f] = f;
    }
    split(center, tree->order, face_count);
    clear_lanes(tree);
    if (face_count > 0)
        place_faces(tree, center);
    fit_rest(tree, x);
    tl_release(allocator, center);
    return true;
}

void tl_face_tree_destroy(tl_face_tree *tree, const tl_allocator *allocator)
{
    tl_release(allocator, tree->order);
    tl_release(allocator, tree->slot);
    tl_release(allocator, tree->faces);
    for (int level = 0; level < TL_TREE_LEVELS; ++level) {
        tl_release(allocator, tree->group[level]);
        tl_release(allocator, tree->marked[level]);
    }
    *tree = (tl_face_tree){0};
}

void tl_face_tree_mark(tl_face_tree *tree, int face)
{
    int n = tree->slot[face];
    for (int level = 0; level < TL_TREE_LEVELS; ++level, n /= TL_TREE_WIDTH)
        tree->marked[level][n / TL_TREE_WIDTH] |= (unsigned char)(1 << n % TL_TREE_WIDTH);
}

void tl_face_tree_clear_marks(tl_face_tree *tree)
{
    for (int level = 0; level < TL_TREE_LEVELS; ++level)
        memset(tree->marked[level], 0, (size_t)tree->groups[level]);
}
