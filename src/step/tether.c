/* Geodesic distances: on a grid the straight line in the flat sheet, which a rectangle always contains; on other meshes
   Dijkstra's algorithm over edges and over the lines across each pair of faces, a few per cent too long at worst. */
#include "step/tether.h"

#include <string.h>

#define UNREACHED ((tl_real)1e18) /* m; larger than any real distance */

/* Labels pinned particles with their connected region; returns the number of regions. */
static int find_regions(const tl_mesh *mesh, const tl_particles *p, int *region, int *queue)
{
    int regions = 0;
    for (int i = 0; i < p->count; ++i)
        region[i] = -1;
    for (int seed = 0; seed < p->count; ++seed) {
        if (p->w[seed] > 0 || region[seed] >= 0)
            continue;
        int head = 0, tail = 0;
        queue[tail++] = seed;
        region[seed] = regions;
        while (head < tail) {
            int i = queue[head++];
            for (int k = mesh->particle_face_start[i]; k < mesh->particle_face_start[i + 1]; ++k) {
                int h = mesh->particle_face[k];
                const int near[2] = {mesh->face[tl_half_next(h)], mesh->face[tl_half_prev(h)]};
                for (int n = 0; n < 2; ++n)
                    if (!(p->w[near[n]] > 0) && region[near[n]] < 0) {
                        region[near[n]] = regions;
                        queue[tail++] = near[n];
                    }
            }
        }
        ++regions;
    }
    return regions;
}

/* Keeps the nearest TL_TETHER_SLOTS regions of a particle, sorted by distance. */
static void offer(tl_tether *tether, int i, int anchor, tl_real distance)
{
    for (int s = 0; s < TL_TETHER_SLOTS; ++s)
        if (distance < tether->distance[s][i]) {
            for (int k = TL_TETHER_SLOTS - 1; k > s; --k) {
                tether->distance[k][i] = tether->distance[k - 1][i];
                tether->anchor[k][i] = tether->anchor[k - 1][i];
            }
            tether->distance[s][i] = distance;
            tether->anchor[s][i] = anchor;
            tether->slots = s + 1 > tether->slots ? s + 1 : tether->slots;
            return;
        }
}

static tl_real flat_distance(const tl_mesh *mesh, int a, int b)
{
    return tl_length(tl_sub(mesh->position[a], mesh->position[b]));
}

/* Straight lines in the sheet, region by region. */
static void measure_grid(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const int *region, int regions,
                         int *members)
{
    for (int n = 0; n < regions; ++n) {
        int count = 0;
        for (int i = 0; i < p->count; ++i)
            if (region[i] == n)
                members[count++] = i;
        for (int i = 0; i < p->count; ++i) {
            if (!(p->w[i] > 0))
                continue;
            int nearest = members[0];
            tl_real shortest = UNREACHED;
            for (int k = 0; k < count; ++k) {
                tl_real distance = flat_distance(mesh, i, members[k]);
                if (distance < shortest) {
                    shortest = distance;
                    nearest = members[k];
                }
            }
            offer(tether, i, nearest, shortest);
        }
    }
}

/* A binary heap of particles by distance. */
typedef struct heap {
    int count;
    int *item;
    tl_real *key;
} heap;

static void heap_push(heap *h, int item, tl_real key)
{
    int k = h->count++;
    while (k > 0 && h->key[(k - 1) / 2] > key) {
        h->item[k] = h->item[(k - 1) / 2];
        h->key[k] = h->key[(k - 1) / 2];
        k = (k - 1) / 2;
    }
    h->item[k] = item;
    h->key[k] = key;
}

static int heap_pop(heap *h, tl_real *key)
{
    int top = h->item[0];
    *key = h->key[0];
    int item = h->item[--h->count];
    tl_real last = h->key[h->count];
    int k = 0;
    for (;;) {
        int child = 2 * k + 1;
        if (child >= h->count)
            break;
        if (child + 1 < h->count && h->key[child + 1] < h->key[child])
            ++child;
        if (!(h->key[child] < last))
            break;
        h->item[k] = h->item[child];
        h->key[k] = h->key[child];
        k = child;
    }
    h->item[k] = item;
    h->key[k] = last;
    return top;
}

static void relax(int from, int to, tl_real length, tl_real *distance, int *source, heap *h)
{
    tl_real total = distance[from] + length;
    if (total < distance[to]) {
        distance[to] = total;
        source[to] = source[from];
        heap_push(h, to, total);
    }
}

/* Rest length of a half-edge. */
static tl_real half_length(const tl_mesh *mesh, int h)
{
    int n = tl_half_next(h);
    tl_real du = mesh->rest_u[h] - mesh->rest_u[n], dv = mesh->rest_v[h] - mesh->rest_v[n];
    return sqrt(du * du + dv * dv);
}

/* From the particle opposite half-edge h straight across it to the one opposite its twin, when the line stays within
   the two faces. */
static bool across(const tl_mesh *mesh, int h, int *to, tl_real *length)
{
    int t = mesh->twin[h];
    if (t < 0)
        return false;
    tl_real base = half_length(mesh, h);
    tl_real a = half_length(mesh, tl_half_prev(h)), b = half_length(mesh, tl_half_next(h));
    tl_real c = half_length(mesh, tl_half_next(t)), d = half_length(mesh, tl_half_prev(t));
    /* both opposite corners in the frame of the edge: a, c leave its start, b, d its end */
    tl_real x1 = (base * base + a * a - b * b) / (2 * base), x2 = (base * base + c * c - d * d) / (2 * base);
    tl_real y1 = sqrt(tl_max(a * a - x1 * x1, 0)), y2 = sqrt(tl_max(c * c - x2 * x2, 0));
    tl_real cut = y1 + y2 > 0 ? x1 + (x2 - x1) * y1 / (y1 + y2) : x1;
    *to = mesh->face[tl_half_prev(t)];
    *length = sqrt((x1 - x2) * (x1 - x2) + (y1 + y2) * (y1 + y2));
    return cut >= 0 && cut <= base;
}

static void measure_mesh(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const int *region, int regions,
                         tl_real *distance, int *source, heap *h)
{
    for (int n = 0; n < regions; ++n) {
        for (int i = 0; i < p->count; ++i)
            distance[i] = UNREACHED;
        h->count = 0;
        for (int i = 0; i < p->count; ++i)
            if (region[i] == n) {
                distance[i] = 0;
                source[i] = i;
                heap_push(h, i, 0);
            }
        while (h->count > 0) {
            tl_real key;
            int i = heap_pop(h, &key);
            if (key > distance[i])
                continue;
            for (int k = mesh->particle_face_start[i]; k < mesh->particle_face_start[i + 1]; ++k) {
                int out = mesh->particle_face[k], to;
                tl_real length;
                relax(i, mesh->face[tl_half_next(out)], half_length(mesh, out), distance, source, h);
                relax(i, mesh->face[tl_half_prev(out)], half_length(mesh, tl_half_prev(out)), distance, source, h);
                if (across(mesh, tl_half_next(out), &to, &length))
                    relax(i, to, length, distance, source, h);
            }
        }
        for (int i = 0; i < p->count; ++i)
            if (p->w[i] > 0 && distance[i] < UNREACHED)
                offer(tether, i, source[i], distance[i]);
    }
}

/* 1 over the number of pinned particles of the region with a free neighbour; per particle until number_anchors. */
static void count_carriers(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const int *region,
                           int regions, int *carriers)
{
    for (int n = 0; n < regions; ++n)
        carriers[n] = 0;
    for (int i = 0; i < p->count; ++i) {
        bool carries = false;
        for (int k = mesh->particle_face_start[i]; region[i] >= 0 && k < mesh->particle_face_start[i + 1]; ++k) {
            int h = mesh->particle_face[k];
            carries = carries || p->w[mesh->face[tl_half_next(h)]] > 0 || p->w[mesh->face[tl_half_prev(h)]] > 0;
        }
        if (carries)
            ++carriers[region[i]];
    }
    for (int i = 0; i < p->count; ++i)
        tether->carried[i] = region[i] >= 0 && carriers[region[i]] > 0 ? 1 / (tl_real)carriers[region[i]] : 1;
}

static bool measure(tl_tether *tether, const tl_allocator *allocator, const tl_mesh *mesh, const tl_particles *p)
{
    size_t count = (size_t)p->count;
    /* every half-edge may push once for each end and once across */
    size_t pushes = count + 9 * (size_t)mesh->face_count;
    int *region = tl_allocate(allocator, count, sizeof *region);
    int *work = tl_allocate(allocator, count, sizeof *work);
    tl_real *distance = tl_allocate(allocator, count, sizeof *distance);
    heap h = {0, NULL, NULL};
    if (!mesh->lattice) {
        h.item = tl_allocate(allocator, pushes, sizeof *h.item);
        h.key = tl_allocate(allocator, pushes, sizeof *h.key);
    }
    bool made = region && work && distance && (mesh->lattice || (h.item && h.key));
    if (made) {
        int regions = find_regions(mesh, p, region, work);
        count_carriers(tether, mesh, p, region, regions, work);
        if (mesh->lattice)
            measure_grid(tether, mesh, p, region, regions, work);
        else
            measure_mesh(tether, mesh, p, region, regions, distance, work, &h);
    }
    tl_release(allocator, region);
    tl_release(allocator, work);
    tl_release(allocator, distance);
    tl_release(allocator, h.item);
    tl_release(allocator, h.key);
    return made;
}

/* Numbers the pinned particles and makes the anchors refer to those numbers. */
static bool number_anchors(tl_tether *tether, const tl_allocator *allocator, const tl_particles *p)
{
    int *number = tl_allocate(allocator, (size_t)p->count, sizeof *number);
    if (!number)
        return false;
    tether->pinned_count = 0;
    for (int i = 0; i < p->count; ++i)
        if (!(p->w[i] > 0)) {
            tether->pinned[tether->pinned_count] = i;
            tether->carried[tether->pinned_count] = tether->carried[i]; /* in place: pinned_count <= i */
            number[i] = tether->pinned_count++;
        }
    for (int s = 0; s < tether->slots; ++s)
        for (int i = 0; i < p->count; ++i)
            if (tether->distance[s][i] < UNREACHED)
                tether->anchor[s][i] = number[tether->anchor[s][i]];
    tl_release(allocator, number);
    return true;
}

/* Blocks of particles with a common anchor need no gather. A particle without one matches any. */
static void find_common(tl_tether *tether, int padded)
{
    for (int s = 0; s < tether->slots; ++s)
        for (int block = 0; block < padded / TL_LANES; ++block) {
            const int *anchor = tether->anchor[s] + block * TL_LANES;
            const tl_real *distance = tether->distance[s] + block * TL_LANES;
            int common = -1;
            bool mixed = false;
            for (int k = 0; k < TL_LANES; ++k) {
                if (!(distance[k] < UNREACHED))
                    continue;
                mixed = mixed || (common >= 0 && anchor[k] != common);
                common = anchor[k];
            }
            tether->common[s][block] = mixed ? -1 : common < 0 ? 0 : common;
        }
}

/* The spheres around the two nearest anchors intersect in a circle about the line through both, and no particle can be
   farther from that line. But the limits are generous: a straight thread between anchors that grows by e sags by √(3 e
   w/8) over their distance w, as a parabola, and everything that hangs from it with it. A sheet sags by 0.3 to 0.5 of
   that (sheets of 10³ to 10⁶ N/m pinned at two corners, implicit Euler); half of it is allowed. Returns the squared
   distance that a particle may have from the line, minus that of the circle: the circle follows moving anchors, the
   difference is stored. */
static tl_real hang_between(const tl_tether *tether, const tl_mesh *mesh, int i)
{
    tl_real a = tether->distance[0][i], b = tether->distance[1][i], max_a = tether->limit[0][i],
            max_b = tether->limit[1][i];
    if (!(b < UNREACHED) || tether->reserve.high > 1)
        return 0;
    tl_real axis = flat_distance(mesh, tether->pinned[tether->anchor[0][i]], tether->pinned[tether->anchor[1][i]]);
    if (!(axis * axis > TL_TETHER_APART))
        return 0;
    tl_real t = tl_max(0, tl_min(axis, (a * a - b * b + axis * axis) / (2 * axis))), fraction = t / axis;
    tl_real sag = (tl_real)0.5 * sqrt((tl_real)0.375 * (max_a - a + max_b - b) * axis) * 4 * fraction * (1 - fraction);
    tl_real beside = sqrt(tl_max(0, a * a - t * t)) + sag;
    tl_real crossing = (max_a * max_a - max_b * max_b + axis * axis) / (2 * axis);
    return beside * beside - (max_a * max_a - crossing * crossing);
}

void tl_tether_limits(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const tl_reserve *reserve)
{
    if (tl_reserve_equal(reserve, &tether->reserve))
        return;
    tether->reserve = *reserve;
    tether->longest = 0;
    for (int s = 0; s < tether->slots; ++s)
        for (int i = 0; i < p->count; ++i)
            if (tether->distance[s][i] < UNREACHED)
                tether->longest = tl_max(tether->longest, tether->distance[s][i]);
    for (int s = 0; s < tether->slots; ++s)
        for (int i = 0; i < p->count; ++i) {
            if (!(tether->distance[s][i] < UNREACHED))
                continue;
            int anchor = tether->anchor[s][i];
            tl_real carried = tether->carried[anchor];
            tl_vec3 offset = tl_sub(mesh->position[i], mesh->position[tether->pinned[anchor]]);
            if (mesh->lattice)
                tether->limit[s][i] =
                    tl_reserve_path(reserve, fabs(offset.x), fabs(offset.y), tether->longest, carried);
            else
                tether->limit[s][i] =
                    tl_reserve_length(reserve, tether->distance[s][i], reserve->along, tether->longest, carried);
        }
    for (int i = 0; i < p->count && tether->slots > 1; ++i)
        tether->between[i] = hang_between(tether, mesh, i);
}

/* Slack that a particle needs to be close enough to the line between its two nearest anchors, m. */
static tl_real excess_between(const tl_tether *tether, const tl_particles *p, int i)
{
    tl_vec3 a = tl_at(p->x, tether->pinned[tether->anchor[0][i]]),
            b = tl_at(p->x, tether->pinned[tether->anchor[1][i]]);
    tl_vec3 axis = tl_sub(b, a), d = tl_sub(tl_at(p->x, i), a);
    tl_real max_a = tether->limit[0][i], max_b = tether->limit[1][i], axis2 = tl_dot(axis, axis);
    tl_real crossing = axis2 > TL_TETHER_APART ? (max_a * max_a - max_b * max_b + axis2) / (2 * axis2) : 0;
    if (!(crossing > 0 && crossing < 1))
        return 0;
    tl_real radius2 = max_a * max_a - crossing * crossing * axis2 + tether->between[i];
    tl_vec3 beside = tl_sub(d, tl_scale(axis, tl_dot(d, axis) / axis2));
    return (tl_dot(beside, beside) - tl_max(radius2, 0)) / (2 * max_a);
}

tl_real tl_tether_excess(const tl_tether *tether, const tl_particles *p)
{
    tl_real excess = 0;
    for (int s = 0; s < tether->slots; ++s)
        for (int i = 0; i < p->count; ++i)
            if (tether->distance[s][i] < UNREACHED)
                excess = tl_max(excess,
                                tl_length(tl_sub(tl_at(p->x, i), tl_at(p->x, tether->pinned[tether->anchor[s][i]]))) -
                                    tether->limit[s][i]);
    for (int i = 0; i < p->count && tether->slots > 1; ++i)
        if (tether->distance[1][i] < UNREACHED)
            excess = tl_max(excess, excess_between(tether, p, i));
    return excess;
}

void tl_tether_follow(tl_tether *tether, const tl_particles *p, tl_real ahead)
{
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < tether->pinned_count; ++k)
            tether->pinned_x[c][k] = p->x[c][tether->pinned[k]] + p->v[c][tether->pinned[k]] * ahead;
}

static bool allocate_anchors(tl_tether *tether, const tl_allocator *allocator, size_t count)
{
    if (!tether->pinned)
        tether->pinned = tl_allocate(allocator, count, sizeof(int));
    if (!tether->carried)
        tether->carried = tl_allocate(allocator, count, sizeof(tl_real));
    if (!tether->between)
        tether->between = tl_allocate(allocator, count, sizeof(tl_real));
    bool made = tether->pinned && tether->carried && tether->between;
    for (int c = 0; c < 3; ++c) {
        if (!tether->pinned_x[c])
            tether->pinned_x[c] = tl_allocate(allocator, count, sizeof(tl_real));
        made = made && tether->pinned_x[c];
    }
    return made;
}

bool tl_tether_build(tl_tether *tether, const tl_allocator *allocator, const tl_mesh *mesh, const tl_particles *p)
{
    size_t padded = (size_t)tl_padded(p->count);
    if (!allocate_anchors(tether, allocator, padded))
        return false;
    for (int s = 0; s < TL_TETHER_SLOTS; ++s) {
        if (!tether->anchor[s])
            tether->anchor[s] = tl_allocate(allocator, padded, sizeof(int));
        if (!tether->distance[s])
            tether->distance[s] = tl_allocate(allocator, padded, sizeof(tl_real));
        if (!tether->common[s])
            tether->common[s] = tl_allocate(allocator, padded / TL_LANES, sizeof(int));
        if (!tether->limit[s])
            tether->limit[s] = tl_allocate(allocator, padded, sizeof(tl_real));
        if (!tether->anchor[s] || !tether->distance[s] || !tether->limit[s] || !tether->common[s])
            return false;
        for (size_t i = 0; i < padded; ++i) {
            tether->anchor[s][i] = 0;
            tether->distance[s][i] = tether->limit[s][i] = UNREACHED;
        }
    }
    tether->slots = 0;
    if (!measure(tether, allocator, mesh, p) || !number_anchors(tether, allocator, p))
        return false;
    find_common(tether, (int)padded);
    tether->reserve = (tl_reserve){0};
    tether->made = true;
    return true;
}

void tl_tether_destroy(tl_tether *tether, const tl_allocator *allocator)
{
    for (int s = 0; s < TL_TETHER_SLOTS; ++s) {
        tl_release(allocator, tether->anchor[s]);
        tl_release(allocator, tether->distance[s]);
        tl_release(allocator, tether->limit[s]);
        tl_release(allocator, tether->common[s]);
    }
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, tether->pinned_x[c]);
    tl_release(allocator, tether->pinned);
    tl_release(allocator, tether->carried);
    tl_release(allocator, tether->between);
    memset(tether, 0, sizeof *tether);
}
