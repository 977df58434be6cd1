/* Fit and search of the eight-wide tree, a vector of lanes at a time. */
#include "core/simd.h"
#include "core/simd_vectors.h"

#include "collide/mesh/face_tree.h"
#include "core/bits.h"

enum { WIDTH = TL_TREE_WIDTH };

TL_INLINE tl_vectors all(tl_vec3 a) { return (tl_vectors){tl_vec_fill(a.x), tl_vec_fill(a.y), tl_vec_fill(a.z)}; }
TL_INLINE tl_vec least3(tl_vec a, tl_vec b, tl_vec c) { return tl_vec_least(tl_vec_least(a, b), c); }
TL_INLINE tl_vec most3(tl_vec a, tl_vec b, tl_vec c) { return tl_vec_most(tl_vec_most(a, b), c); }

/* Lanes k … k + TL_WIDTH − 1 of three arrays. */
TL_INLINE tl_vectors load(const tl_real a[3][WIDTH], int k)
{
    return (tl_vectors){tl_vec_load(a[0] + k), tl_vec_load(a[1] + k), tl_vec_load(a[2] + k)};
}
TL_INLINE void store(tl_real a[3][WIDTH], int k, tl_vectors v)
{
    tl_vec_store(a[0] + k, v.x);
    tl_vec_store(a[1] + k, v.y);
    tl_vec_store(a[2] + k, v.z);
}
TL_INLINE tl_vec3 lane_of(const tl_real a[3][WIDTH], int k) { return tl_v3(a[0][k], a[1][k], a[2][k]); }

/* ---- fit ------------------------------------------------------------------------------------------------------ */

/* Radius of the bound on normals of a face that may fold over. */
#define ANY_NORMAL ((tl_real)2)
/* Fraction of the smallest height of a face by which its corners may move relative to each other while it counts as
   flat. */
#define FOLD_FRACTION ((tl_real)0.5)

/* Faces whose corners move relative to each other, with `fold` besides, by more than a fraction of the height. */
TL_INLINE tl_mask may_fold(const tl_vectors from[3], const tl_vectors displacement[3], tl_vectors normal, tl_real fold)
{
    tl_vectors e[3] = {tl_vs_sub(from[1], from[0]), tl_vs_sub(from[2], from[1]), tl_vs_sub(from[0], from[2])};
    tl_vectors d[3] = {tl_vs_sub(displacement[1], displacement[0]), tl_vs_sub(displacement[2], displacement[1]),
                       tl_vs_sub(displacement[0], displacement[2])};
    tl_vec longest = most3(tl_vs_dot(e[0], e[0]), tl_vs_dot(e[1], e[1]), tl_vs_dot(e[2], e[2]));
    tl_vec motion =
        tl_vec_sqrt(most3(tl_vs_dot(d[0], d[0]), tl_vs_dot(d[1], d[1]), tl_vs_dot(d[2], d[2]))) + tl_vec_fill(fold);
    /* height² = (2 area)² / longest edge² */
    return motion * motion * longest > tl_vec_fill(FOLD_FRACTION * FOLD_FRACTION) * tl_vs_dot(normal, normal);
}

/* Lanes beyond the last keep their empty boxes. */
TL_INLINE void store_node(tl_tree_group *group, int k, tl_vectors low, tl_vectors high, tl_vectors displacement,
                          tl_vectors normal, tl_vec radius)
{
    int count = group->count - k < TL_WIDTH ? group->count - k : TL_WIDTH;
    if (count <= 0)
        return;
    tl_real *const to[5] = {group->low[0], group->high[0], group->displacement[0], group->normal[0], group->radius};
    const tl_vectors value[5] = {low, high, displacement, normal, {radius, radius, radius}};
    for (int i = 0; i < 5; ++i) {
        tl_vec_store_part(to[i] + k, value[i].x, count);
        if (i < 4) {
            tl_vec_store_part(to[i] + WIDTH + k, value[i].y, count);
            tl_vec_store_part(to[i] + 2 * WIDTH + k, value[i].z, count);
        }
    }
}

TL_INLINE void fit_faces(tl_tree_group *group, tl_tree_faces *faces, tl_real *const x_old[3], tl_real *const x[3],
                         int k, tl_real fold)
{
    const tl_vec third = tl_vec_fill((tl_real)(1.0 / 3));
    tl_vectors from[3], displacement[3], mean = all(tl_v3(0, 0, 0));
    for (int i = 0; i < 3; ++i) {
        const int *p = faces->corner[i] + k;
        from[i] = (tl_vectors){tl_vec_gather(x_old[0], p), tl_vec_gather(x_old[1], p), tl_vec_gather(x_old[2], p)};
        tl_vectors to = {tl_vec_gather(x[0], p), tl_vec_gather(x[1], p), tl_vec_gather(x[2], p)};
        store(faces->from[i], k, from[i]);
        store(faces->to[i], k, to);
        displacement[i] = tl_vs_sub(to, from[i]);
        mean = tl_vs_add(mean, tl_vs_scale(displacement[i], third));
    }
    tl_vectors low = from[0], high = from[0];
    for (int i = 0; i < 3; ++i) {
        tl_vectors to = tl_vs_add(from[i], tl_vs_sub(displacement[i], mean));
        low = (tl_vectors){least3(low.x, from[i].x, to.x), least3(low.y, from[i].y, to.y),
                           least3(low.z, from[i].z, to.z)};
        high = (tl_vectors){most3(high.x, from[i].x, to.x), most3(high.y, from[i].y, to.y),
                            most3(high.z, from[i].z, to.z)};
    }
    tl_vectors normal = tl_vs_cross(tl_vs_sub(from[1], from[0]), tl_vs_sub(from[2], from[0]));
    tl_vec length = tl_vec_sqrt(tl_vs_dot(normal, normal)), zero = tl_vec_fill(0), radius = zero;
    if (fold >= 0)
        radius = tl_select(may_fold(from, displacement, normal, fold), tl_vec_fill(ANY_NORMAL), zero);
    tl_vec inverse = tl_select(length > zero, tl_vec_fill(1) / length, zero);
    store_node(group, k, low, high, mean, tl_vs_scale(normal, inverse), radius);
}

void TL_KERNEL(tl_face_tree_fit)(tl_face_tree *tree, tl_real *const x_old[3], tl_real *const x[3], int first, int last,
                                 tl_real fold, bool marked)
{
    for (int n = first; n < last; ++n)
        for (int k = 0; k < WIDTH && (tree->marked[0][n] || !marked); k += TL_WIDTH)
            fit_faces(&tree->group[0][n], &tree->faces[n], x_old, x, k, fold);
}

/* In a fixed order, the same for all widths. */
TL_INLINE tl_real sum_of(const tl_real a[WIDTH])
{
    return ((a[0] + a[4]) + (a[2] + a[6])) + ((a[1] + a[5]) + (a[3] + a[7]));
}
TL_INLINE tl_real least_of(const tl_real a[WIDTH])
{
    return tl_min(tl_min(tl_min(a[0], a[4]), tl_min(a[2], a[6])), tl_min(tl_min(a[1], a[5]), tl_min(a[3], a[7])));
}
TL_INLINE tl_real most_of(const tl_real a[WIDTH])
{
    return tl_max(tl_max(tl_max(a[0], a[4]), tl_max(a[2], a[6])), tl_max(tl_max(a[1], a[5]), tl_max(a[3], a[7])));
}

/* Minimum cosine between the normals of a flat part and its axis: 60°, so that faces which turn by up to 30° within the
   motion still face one side. */
#define PART_COSINE ((tl_real)0.5)

/* The dot product of c with a unit vector within r of it is at least (1 + c² − r²) / 2. */
static bool is_flat(tl_vec3 center, tl_real radius)
{
    tl_real square = tl_dot(center, center), dots = 1 + square - radius * radius;
    return dots > 0 && dots * dots > 4 * PART_COSINE * PART_COSINE * square;
}

/* One lane from the eight of the group below it: their boxes, swept by the difference of their displacements from its
 * own. */
static void fit_node(tl_tree_group *group, int lane, const tl_tree_group *below)
{
    tl_real inverse = 1 / (tl_real)below->count, far[WIDTH], low[3][WIDTH], high[3][WIDTH];
    tl_vec3 displacement = tl_scale(
                tl_v3(sum_of(below->displacement[0]), sum_of(below->displacement[1]), sum_of(below->displacement[2])),
                inverse),
            mean =
                tl_scale(tl_v3(sum_of(below->normal[0]), sum_of(below->normal[1]), sum_of(below->normal[2])), inverse);
    for (int k = 0; k < WIDTH; k += TL_WIDTH) {
        tl_vectors apart = tl_vs_sub(load(below->displacement, k), all(displacement)),
                   off = tl_vs_sub(load(below->normal, k), all(mean));
        const tl_vec zero = tl_vec_fill(0);
        tl_vectors under = {tl_vec_least(apart.x, zero), tl_vec_least(apart.y, zero), tl_vec_least(apart.z, zero)},
                   over = {tl_vec_most(apart.x, zero), tl_vec_most(apart.y, zero), tl_vec_most(apart.z, zero)};
        store(low, k, tl_vs_add(load(below->low, k), under));
        store(high, k, tl_vs_add(load(below->high, k), over));
        tl_vec_store(far + k, tl_vec_sqrt(tl_vs_dot(off, off)) + tl_vec_load(below->radius + k));
    }
    group->displacement[0][lane] = displacement.x, group->displacement[1][lane] = displacement.y,
    group->displacement[2][lane] = displacement.z;
    group->normal[0][lane] = mean.x, group->normal[1][lane] = mean.y, group->normal[2][lane] = mean.z;
    group->radius[lane] = most_of(far);
    for (int c = 0; c < 3; ++c) {
        group->low[c][lane] = least_of(low[c]);
        group->high[c][lane] = most_of(high[c]);
    }
    bool flat = group->whole >> lane & 1 && is_flat(mean, group->radius[lane]);
    group->flat = (unsigned char)((group->flat & ~(1 << lane)) | flat << lane);
}

void TL_KERNEL(tl_face_tree_fit_nodes)(tl_face_tree *tree, bool marked)
{
    for (int level = 1; level < TL_TREE_LEVELS; ++level)
        for (int n = 0; n < tree->groups[level]; ++n) {
            tl_tree_group *group = &tree->group[level][n];
            for (int lane = 0; lane < group->count; ++lane)
                if (tree->marked[level][n] >> lane & 1 || !marked)
                    fit_node(group, lane, &tree->group[level - 1][n * WIDTH + lane]);
        }
}

/* ---- search --------------------------------------------------------------------------------------------------- */

/* Lanes of n whose boxes come within reach of lane i of m. */
TL_INLINE unsigned overlaps(const tl_tree_group *m, int i, const tl_tree_group *n, tl_real reach)
{
    unsigned bits = 0;
    tl_vectors displacement = all(lane_of(m->displacement, i)), low = all(lane_of(m->low, i)),
               high = all(lane_of(m->high, i));
    const tl_vec zero = tl_vec_fill(0), beyond = tl_vec_fill(reach);
    low = (tl_vectors){low.x - beyond, low.y - beyond, low.z - beyond};
    high = (tl_vectors){high.x + beyond, high.y + beyond, high.z + beyond};
    for (int k = 0; k < WIDTH; k += TL_WIDTH) {
        tl_vectors apart = tl_vs_sub(load(n->displacement, k), displacement), from = load(n->low, k),
                   to = load(n->high, k);
        tl_mask near = (from.x + tl_vec_least(apart.x, zero) <= high.x) & (to.x + tl_vec_most(apart.x, zero) >= low.x) &
                       (from.y + tl_vec_least(apart.y, zero) <= high.y) & (to.y + tl_vec_most(apart.y, zero) >= low.y) &
                       (from.z + tl_vec_least(apart.z, zero) <= high.z) & (to.z + tl_vec_most(apart.z, zero) >= low.z);
        bits |= tl_bits(near) << k;
    }
    return bits;
}

/* Lanes of n that are one flat part together with lane i of m: next to each other at rest, and the smallest ball around
   the bounds of their normals is flat. */
TL_INLINE unsigned flat_together(const tl_tree_group *m, int i, const tl_tree_group *n)
{
    unsigned bits = 0;
    tl_vectors low = all(lane_of(m->rest_low, i)), high = all(lane_of(m->rest_high, i)), a = all(lane_of(m->normal, i));
    const tl_vec r = tl_vec_fill(m->radius[i]), zero = tl_vec_fill(0), one = tl_vec_fill(1);
    for (int k = 0; k < WIDTH; k += TL_WIDTH) {
        tl_vectors from = load(n->rest_low, k), to = load(n->rest_high, k);
        tl_mask beside = (from.x <= high.x) & (to.x >= low.x) & (from.y <= high.y) & (to.y >= low.y) &
                         (from.z <= high.z) & (to.z >= low.z);
        tl_vectors b = load(n->normal, k), off = tl_vs_sub(b, a);
        tl_vec s = tl_vec_load(n->radius + k), distance = tl_vec_sqrt(tl_vs_dot(off, off));
        tl_mask in_a = distance + s <= r, in_b = distance + r <= s;
        tl_vec radius = (distance + r + s) * tl_vec_fill((tl_real)0.5);
        tl_vec part = tl_select(distance > zero, (radius - r) / distance, zero);
        part = tl_select(in_a, zero, tl_select(in_b, one, part));
        radius = tl_select(in_a, r, tl_select(in_b, s, radius));
        tl_vectors center = tl_vs_add(a, tl_vs_scale(off, part));
        tl_vec square = tl_vs_dot(center, center), dots = one + square - radius * radius;
        tl_mask flat = (dots > zero) & (dots * dots > tl_vec_fill(4 * PART_COSINE * PART_COSINE) * square);
        bits |= tl_bits(beside & flat) << k;
    }
    return bits;
}

/* Squared ratio of the distance of neighbours to that at rest above which they are not folded twice. */
#define UNFOLDED ((tl_real)0.4)
/* Minimum cosine between the normals of flat neighbours. */
#define NEIGHBOUR_COSINE ((tl_real)0.4)

/* Neighbours that bend by less than that do not touch, unless cloth is folded twice between them, which brings them
   close. */
TL_INLINE tl_mask flat_neighbours(const tl_tree_group *m, const tl_tree_faces *f, int i, const tl_tree_group *n,
                                  const tl_tree_faces *g, int k, tl_real neighbour)
{
    tl_vectors rest = tl_vs_sub(load(n->rest_low, k), all(lane_of(m->rest_low, i))), apart = all(tl_v3(0, 0, 0));
    for (int c = 0; c < 3; ++c)
        apart = tl_vs_add(apart, tl_vs_sub(load(g->from[c], k), all(lane_of(f->from[c], i))));
    tl_vec square = tl_vs_dot(rest, rest), cosine = tl_vs_dot(load(n->normal, k), all(lane_of(m->normal, i)));
    return (cosine > tl_vec_fill(NEIGHBOUR_COSINE)) & (square < tl_vec_fill(neighbour * neighbour)) &
           (tl_vs_dot(apart, apart) > tl_vec_fill(9 * UNFOLDED) * square); /* the centre is a third of the sum */
}

/* Faces that bend by a right angle or more and may have a common corner. */
TL_INLINE tl_mask bends_back(const tl_tree_group *m, int i, const tl_tree_group *n, int k, tl_real adjacent)
{
    tl_vectors rest = tl_vs_sub(load(n->rest_low, k), all(lane_of(m->rest_low, i)));
    return (tl_vs_dot(load(n->normal, k), all(lane_of(m->normal, i))) <= tl_vec_fill(0)) &
           (tl_vs_dot(rest, rest) <= tl_vec_fill(adjacent * adjacent));
}

typedef struct sides {
    unsigned above[3], below[3]; /* of corners, bits of lanes */
    tl_mask astride;             /* has corners on both sides at the start */
} sides;

/* Faces, by corner, at the start and at the end. */
typedef struct triangles {
    tl_vectors from[3], to[3];
} triangles;

/* Corners of faces over the planes of others with unit normals n: which stay beyond reach on one side, at the start and
   at the end? */
TL_INLINE sides corners_over(tl_vectors n, const triangles *plane, const triangles *face, tl_real reach)
{
    sides s;
    tl_vec height = tl_vs_dot(n, plane->from[0]), to[3], r = tl_vec_fill(reach), zero = tl_vec_fill(0), low = zero,
           high = zero;
    for (int c = 0; c < 3; ++c)
        to[c] = tl_vs_dot(n, plane->to[c]);
    tl_vec top = most3(to[0], to[1], to[2]) + r, bottom = least3(to[0], to[1], to[2]) - r;
    for (int c = 0; c < 3; ++c) {
        tl_vec from = tl_vs_dot(n, face->from[c]) - height, end = tl_vs_dot(n, face->to[c]);
        s.above[c] = tl_bits((from > r) & (end > top));
        s.below[c] = tl_bits((from < -r) & (end < bottom));
        low = c == 0 ? from : tl_vec_least(low, from);
        high = c == 0 ? from : tl_vec_most(high, from);
    }
    const tl_vec touch = tl_vec_fill(reach * (tl_real)(1.0 / 64)); /* far more than rounding */
    s.astride = (low <= touch) & (high >= -touch);
    return s;
}

TL_INLINE tl_mask start_boxes_overlap(const tl_vectors a[3], const tl_vectors b[3])
{
#define OVERLAP(c)                                                                                                     \
    ((least3(a[0].c, a[1].c, a[2].c) <= most3(b[0].c, b[1].c, b[2].c)) &                                               \
     (least3(b[0].c, b[1].c, b[2].c) <= most3(a[0].c, a[1].c, a[2].c)))
    return OVERLAP(x) & OVERLAP(y) & OVERLAP(z);
#undef OVERLAP
}

/* Leaves out lanes all of whose corners, or all of those they are tested with, are above a plane or below it. */
TL_INLINE unsigned astride_of(unsigned near, const unsigned char above[3], const unsigned char below[3])
{
    return near & ~(unsigned)(above[0] & above[1] & above[2]) & ~(unsigned)(below[0] & below[1] & below[2]);
}

/* Adds what a plane test found about lanes k and on. */
TL_INLINE void note_sides(unsigned char above[3], unsigned char below[3], const sides *s, int k)
{
    for (int c = 0; c < 3; ++c) {
        above[c] |= (unsigned char)(s->above[c] << k);
        below[c] |= (unsigned char)(s->below[c] << k);
    }
}

TL_INLINE triangles faces_of(const tl_tree_faces *g, int k)
{
    triangles face;
    for (int c = 0; c < 3; ++c) {
        face.from[c] = load(g->from[c], k);
        face.to[c] = load(g->to[c], k);
    }
    return face;
}

/* Tests lane i of group m of a against lanes `near` of group n of b by planes, and adds what is left as a row. */
static void add_row(const tl_tree_search *search, int at, int i, int other, unsigned near, bool whole,
                    tl_tree_sink *sink)
{
    const tl_tree_group *m = &search->a->group[0][at], *n = &search->b->group[0][other];
    const tl_tree_faces *f = &search->a->faces[at], *g = &search->b->faces[other];
    tl_tree_row row = {.slot = at * WIDTH + i, .group = other};
    unsigned astride = 0, pierce = 0, flat = 0, bends = 0;
    for (int k = 0; k < WIDTH && whole && search->neighbours; k += TL_WIDTH)
        flat |= tl_bits(flat_neighbours(m, f, i, n, g, k, search->a->neighbour)) << k;
    near &= ~flat;
    if (!near)
        return;
    triangles own;
    tl_vectors normal = all(lane_of(m->normal, i));
    for (int c = 0; c < 3; ++c) {
        own.from[c] = all(lane_of(f->from[c], i));
        own.to[c] = all(lane_of(f->to[c], i));
    }
    for (int k = 0; k < WIDTH; k += TL_WIDTH) {
        triangles face = faces_of(g, k);
        sides over = corners_over(load(n->normal, k), &face, &own, search->reach);
        note_sides(row.above[0], row.below[0], &over, k);
        astride |= tl_bits(over.astride) << k;
    }
    near = astride_of(near, row.above[0], row.below[0]);
    if (!near)
        return;
    for (int k = 0; k < WIDTH; k += TL_WIDTH) {
        triangles face = faces_of(g, k);
        sides over = corners_over(normal, &own, &face, search->reach);
        note_sides(row.above[1], row.below[1], &over, k);
        pierce |= tl_bits(over.astride & start_boxes_overlap(own.from, face.from)) << k;
    }
    near = astride_of(near, row.above[1], row.below[1]);
    if (!near)
        return;
    for (int k = 0; k < WIDTH && search->neighbours; k += TL_WIDTH)
        bends |= tl_bits(bends_back(m, i, n, k, search->a->adjacent)) << k;
    row.lanes = (unsigned char)near;
    row.pierce = (unsigned char)(near & astride & pierce);
    row.bends = (unsigned char)(near & bends);
    tl_tree_rows *rows = sink->rows;
    if (tl_grow(sink->allocator, &rows->row, rows->count, &rows->capacity, sizeof *rows->row))
        rows->row[rows->count++] = row;
    else
        sink->failed = true;
}

/* Records a part of the search as a job. True when it did. */
static bool defer(tl_tree_sink *sink, tl_tree_job job)
{
    if (!sink->jobs || job.level != sink->level)
        return false;
    if (tl_grow(sink->allocator, &sink->jobs->job, sink->jobs->count, &sink->jobs->capacity, sizeof *sink->jobs->job))
        sink->jobs->job[sink->jobs->count++] = job;
    else
        sink->failed = true;
    return true;
}

/* Lanes of a group that are tested against a lane that is marked or not. */
TL_INLINE unsigned selected(const tl_tree_search *search, unsigned marked, unsigned others)
{
    return search->marked && !marked ? others : 255u;
}

/* All lanes of group m of a against all of group n of b. */
static void find_pair(const tl_tree_search *search, tl_tree_job job, tl_tree_sink *sink)
{
    const tl_tree_group *m = &search->a->group[job.level][job.m], *n = &search->b->group[job.level][job.n];
    if (defer(sink, job))
        return;
    const unsigned marked = search->a->marked[job.level][job.m], others = search->b->marked[job.level][job.n];
    if (search->marked && !marked && !others)
        return;
    /* lanes of m that are near node n as a whole */
    unsigned lanes = job.level == TL_TREE_LEVELS - 1
                         ? 1
                         : overlaps(&search->b->group[job.level + 1][job.n / WIDTH], job.n % WIDTH, m, search->reach);
    for (; lanes; lanes &= lanes - 1) {
        int i = tl_lowest_bit(lanes);
        unsigned near = selected(search, marked >> i & 1, others);
        near = near ? near & overlaps(m, i, n, search->reach) : 0;
        if (near && job.level > 0 && job.whole && m->flat >> i & 1 && n->flat & near)
            near &= ~(n->flat & flat_together(m, i, n));
        if (job.level == 0 && near)
            add_row(search, job.m, i, job.n, near, job.whole, sink);
        for (; job.level > 0 && near; near &= near - 1)
            find_pair(search,
                      (tl_tree_job){job.level - 1, job.m * WIDTH + i, job.n * WIDTH + tl_lowest_bit(near), job.whole},
                      sink);
    }
}

/* All lanes of a group among each other. `whole`: they are one piece. */
static void find_self(const tl_tree_search *search, tl_tree_job job, tl_tree_sink *sink)
{
    const tl_tree_group *m = &search->a->group[job.level][job.m];
    const unsigned marked = search->a->marked[job.level][job.m];
    if (defer(sink, job))
        return;
    for (int i = 0; i < m->count; ++i) {
        bool whole = m->whole >> i & 1;
        if (job.level > 0 && !(m->flat >> i & 1) && (marked >> i & 1 || !search->marked)) {
            int child = job.m * WIDTH + i;
            find_self(search, (tl_tree_job){job.level - 1, child, child, whole}, sink);
        }
        unsigned near = selected(search, marked >> i & 1, marked) & (255u << (i + 1)) & 255u;
        near = near ? near & overlaps(m, i, m, search->reach) : 0;
        if (near && job.level > 0 && job.whole && m->flat >> i & 1 && m->flat & near)
            near &= ~(m->flat & flat_together(m, i, m));
        if (job.level == 0 && near)
            add_row(search, job.m, i, job.m, near, job.whole, sink);
        for (; job.level > 0 && near; near &= near - 1)
            find_pair(search,
                      (tl_tree_job){job.level - 1, job.m * WIDTH + i, job.m * WIDTH + tl_lowest_bit(near), job.whole},
                      sink);
    }
}

void TL_KERNEL(tl_face_tree_find)(const tl_tree_search *search, tl_tree_job job, tl_tree_sink *sink)
{
    if (search->a->face_count == 0 || search->b->face_count == 0)
        return;
    if (search->a == search->b && job.m == job.n)
        find_self(search, job, sink);
    else
        find_pair(search, job, sink);
}
