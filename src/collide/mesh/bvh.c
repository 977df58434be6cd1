#include "collide/mesh/bvh.h"

#include "core/tasks.h"

#include <string.h>

/* ---- shape ---------------------------------------------------------------------------------------------------- */

typedef struct builder {
    tl_bvh *tree;
    const tl_vec3 *center;
} builder;

static tl_real coordinate(tl_vec3 a, int axis) { return axis == 0 ? a.x : axis == 1 ? a.y : a.z; }

/* Order of faces along an axis, ties broken by the face's index: the same tree on every platform. */
static bool before(const builder *b, int axis, int f, int g)
{
    tl_real x = coordinate(b->center[f], axis), y = coordinate(b->center[g], axis);
    return x < y || (x == y && f < g);
}

/* Quickselect: puts the `middle`-th face in its place, smaller ones before it (Hoare 1961). */
static void select_middle(const builder *b, int axis, int *order, int count, int middle)
{
    int low = 0, high = count - 1;
    while (low < high) {
        int pivot = order[low + (high - low) / 2], i = low, j = high;
        while (i <= j) {
            while (before(b, axis, order[i], pivot))
                ++i;
            while (before(b, axis, pivot, order[j]))
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

static int longest_axis(const builder *b, const int *order, int count)
{
    tl_vec3 low = b->center[order[0]], high = low;
    for (int k = 1; k < count; ++k) {
        tl_vec3 c = b->center[order[k]];
        low = tl_v3(tl_min(low.x, c.x), tl_min(low.y, c.y), tl_min(low.z, c.z));
        high = tl_v3(tl_max(high.x, c.x), tl_max(high.y, c.y), tl_max(high.z, c.z));
    }
    tl_vec3 size = tl_sub(high, low);
    return size.x >= size.y && size.x >= size.z ? 0 : size.y >= size.z ? 1 : 2;
}

/* Splits at the median: the depth is logarithmic for any input. */
static void split(builder *b, int first, int count)
{
    tl_bvh *tree = b->tree;
    int node = tree->node_count++;
    tree->node[node] = (tl_bvh_node){.first = first, .count = count};
    if (count <= TL_BVH_LEAF)
        return;
    int half = (count / 2 + TL_BVH_LEAF - 1) / TL_BVH_LEAF * TL_BVH_LEAF; /* full leaves on the left */
    select_middle(b, longest_axis(b, tree->order + first, count), tree->order + first, count, half);
    split(b, first, half);
    tree->node[node].right = tree->node_count;
    split(b, first + half, count - half);
}

/* Faces whose centres are within this many mean edge lengths are neighbours: the adjacent ones and the next two
   rings. */
#define NEIGHBOUR_EDGES ((tl_real)3)

static tl_real mean_edge(const int *face, int face_count, tl_real *const x[3], bool made)
{
    double sum = 0;
    for (int f = 0; made && f < face_count; ++f) {
        int p = face[3 * (size_t)f], q = face[3 * (size_t)f + 1];
        sum += (double)tl_length(tl_v3(x[0][p] - x[0][q], x[1][p] - x[1][q], x[2][p] - x[2][q]));
    }
    return face_count > 0 ? (tl_real)(sum / face_count) : 0;
}

/* Capacities for so many faces. */
static size_t leaves_for(size_t faces) { return faces / TL_BVH_LEAF + 1; }
static size_t nodes_for(size_t faces) { return 2 * leaves_for(faces); }

/* Everything that is refitted. */
static bool allocate_boxes(tl_bvh *tree, const tl_allocator *allocator)
{
    size_t faces = (size_t)tree->face_count, leaves = leaves_for(faces), nodes = nodes_for(faces);
    tree->node = tl_allocate(allocator, nodes, sizeof *tree->node);
    tree->slot_box = tl_allocate(allocator, faces, sizeof *tree->slot_box);
    tree->leaf_box = tl_allocate(allocator, leaves, sizeof *tree->leaf_box);
    tree->leaf_mark = tl_allocate(allocator, leaves, sizeof *tree->leaf_mark);
    tree->node_mark = tl_allocate(allocator, nodes, 1);
    tree->bytes +=
        nodes * (1 + sizeof *tree->node) + leaves * (sizeof(tl_box4) + sizeof(tl_leaf_mark)) + faces * sizeof(tl_box);
    return tree->node && tree->slot_box && tree->leaf_box && tree->leaf_mark && tree->node_mark;
}

bool tl_bvh_build(tl_bvh *tree, const tl_allocator *allocator, const int *face, int face_count, tl_real *const x[3])
{
    size_t faces = (size_t)face_count, nodes = nodes_for(faces);
    *tree = (tl_bvh){.face_count = face_count, .face = face};
    tl_vec3 *center = tl_allocate(allocator, faces, sizeof *center);
    tree->rest_center = tl_allocate(allocator, faces, sizeof *center);
    tree->order = tl_allocate(allocator, faces, sizeof *tree->order);
    tree->slot = tl_allocate(allocator, faces, sizeof *tree->slot);
    tree->rest_box = tl_allocate(allocator, nodes, sizeof *tree->rest_box);
    tree->slot_normal = tl_allocate(allocator, faces, sizeof *tree->slot_normal);
    tree->slot_center = tl_allocate(allocator, faces, sizeof *tree->slot_center);
    bool made = center && tree->order && tree->slot && tree->rest_box && tree->slot_normal && tree->slot_center &&
                tree->rest_center && allocate_boxes(tree, allocator);
    for (int f = 0; made && f < face_count; ++f) {
        const int *p = face + 3 * (size_t)f;
        tree->order[f] = f;
        for (int k = 0; k < 3; ++k)
            center[f] = tl_add(center[f], tl_v3(x[0][p[k]], x[1][p[k]], x[2][p[k]]));
        center[f] = tl_scale(center[f], (tl_real)(1.0 / 3));
    }
    tree->neighbour = NEIGHBOUR_EDGES * mean_edge(face, face_count, x, made);
    if (made && face_count > 0)
        split(&(builder){tree, center}, 0, face_count);
    for (int k = 0; made && k < face_count; ++k) {
        tree->slot[tree->order[k]] = k;
        tree->rest_center[k] = center[tree->order[k]];
    }
    tl_release(allocator, center);
    if (made) {
        tl_bvh_fit(tree, x, 0);
        for (int n = 0; n < tree->node_count; ++n)
            tree->rest_box[n] = tree->node[n].box;
    }
    tree->bytes += nodes * sizeof *tree->rest_box + faces * (2 * sizeof(int) + 3 * sizeof(tl_vec3));
    if (!made)
        tl_bvh_destroy(tree, allocator);
    return made;
}

bool tl_bvh_share(tl_bvh *tree, const tl_bvh *shape, const tl_allocator *allocator)
{
    *tree = *shape;
    tree->shares = true;
    tree->bytes = 0;
    memset(tree->part, 0, sizeof tree->part);
    tree->part_known = NULL;
    bool made = allocate_boxes(tree, allocator);
    if (made)
        memcpy(tree->node, shape->node, (size_t)shape->node_count * sizeof *tree->node);
    else
        tl_bvh_destroy(tree, allocator);
    return made;
}

void tl_bvh_destroy(tl_bvh *tree, const tl_allocator *allocator)
{
    if (!tree->shares) {
        tl_release(allocator, tree->order);
        tl_release(allocator, tree->slot);
        tl_release(allocator, tree->rest_box);
        tl_release(allocator, tree->rest_center);
        tl_release(allocator, tree->slot_normal);
        tl_release(allocator, tree->slot_center);
    }
    tl_release(allocator, tree->node);
    tl_release(allocator, tree->slot_box);
    tl_release(allocator, tree->leaf_box);
    for (int k = 0; k < TL_PARTS; ++k)
        tl_release(allocator, tree->part[k]);
    tl_release(allocator, tree->part_known);
    tl_release(allocator, tree->leaf_mark);
    tl_release(allocator, tree->node_mark);
    *tree = (tl_bvh){0};
}

/* ---- boxes ---------------------------------------------------------------------------------------------------- */

static void fit_faces(tl_bvh *tree, tl_real *const x[3], tl_real margin)
{
    for (int k = 0; k < tree->face_count; ++k) {
        const int *p = tree->face + 3 * (size_t)tree->order[k];
        tl_box *box = &tree->slot_box[k];
        for (int c = 0; c < 3; ++c) {
            tl_real a = x[c][p[0]], b = x[c][p[1]], d = x[c][p[2]];
            box->low[c] = tl_min(tl_min(a, b), d) - margin;
            box->high[c] = tl_max(tl_max(a, b), d) + margin;
        }
    }
}

static void fit_leaf(tl_bvh *tree, const tl_bvh_node *leaf)
{
    tl_box4 *four = &tree->leaf_box[leaf->first / TL_BVH_LEAF];
    for (int k = 0; k < TL_BVH_LEAF; ++k)
        for (int c = 0; c < 3; ++c) {
            const tl_box *box = &tree->slot_box[leaf->first + k];
            four->low[c][k] = k < leaf->count ? box->low[c] : INFINITY;
            four->high[c][k] = k < leaf->count ? box->high[c] : -INFINITY;
        }
}

static void fit_nodes(tl_bvh *tree)
{
    for (int n = tree->node_count - 1; n >= 0; --n) { /* children come after their parent */
        const tl_bvh_node *node = &tree->node[n];
        tl_box box;
        if (node->right) {
            box = tree->node[n + 1].box;
            tl_box_join(&box, &tree->node[node->right].box);
        } else {
            box = tree->slot_box[node->first];
            for (int k = 1; k < node->count; ++k)
                tl_box_join(&box, &tree->slot_box[node->first + k]);
            fit_leaf(tree, node);
        }
        tree->node[n].box = box;
    }
}

void tl_bvh_fit(tl_bvh *tree, tl_real *const x[3], tl_real margin)
{
    fit_faces(tree, x, margin);
    fit_nodes(tree);
}

void tl_bvh_fit_points(tl_bvh *tree, const tl_box *point)
{
    for (int k = 0; k < tree->face_count; ++k) {
        const int *p = tree->face + 3 * (size_t)tree->order[k];
        tl_box box = point[p[0]];
        tl_box_join(&box, &point[p[1]]);
        tl_box_join(&box, &point[p[2]]);
        tree->slot_box[k] = box;
    }
    fit_nodes(tree);
}

/* ---- parts ---------------------------------------------------------------------------------------------------- */

/* One of four boxes; NULL: empty. */
static void set_lane(tl_box4 *four, int k, const tl_box *box)
{
    for (int c = 0; c < 3; ++c) {
        four->low[c][k] = box ? box->low[c] : INFINITY;
        four->high[c][k] = box ? box->high[c] : -INFINITY;
    }
}

bool tl_bvh_add_parts(tl_bvh *tree, void (*fit)(void *user, int f), void *user, const tl_allocator *allocator)
{
    size_t leaves = leaves_for((size_t)tree->face_count);
    tree->part_known = tree->part_known ? tree->part_known : tl_allocate(allocator, leaves, sizeof *tree->part_known);
    bool made = tree->part_known;
    for (int part = 0; part < TL_PARTS; ++part) {
        tl_box4 *room = tree->part[part];
        tree->part[part] = room ? room : tl_allocate(allocator, leaves, sizeof *room);
        made = made && tree->part[part];
        for (size_t n = 0; made && n < TL_BVH_LEAF * leaves; ++n)
            set_lane(&tree->part[part][n / TL_BVH_LEAF], (int)(n % TL_BVH_LEAF), NULL);
    }
    tree->fit_parts = fit;
    tree->fit_user = user;
    if (made)
        tree->bytes += leaves * (sizeof *tree->part_known + TL_PARTS * sizeof(tl_box4));
    return made;
}

enum { PARTS_UNKNOWN, PARTS_BUSY, PARTS_KNOWN };

static void forget_parts(tl_bvh *tree, size_t leaf)
{
    atomic_store_explicit(&tree->part_known[leaf], PARTS_UNKNOWN, memory_order_relaxed);
}

void tl_bvh_forget_parts(tl_bvh *tree)
{
    for (size_t n = 0; n < leaves_for((size_t)tree->face_count); ++n)
        forget_parts(tree, n);
}

/* Computes the parts of a leaf unless another thread did or does. */
static void require_parts(const tl_bvh *tree, const tl_bvh_node *leaf)
{
    atomic_uchar *known = &tree->part_known[leaf->first / TL_BVH_LEAF];
    if (atomic_load_explicit(known, memory_order_acquire) == PARTS_KNOWN)
        return;
    unsigned char unknown = PARTS_UNKNOWN;
    if (!atomic_compare_exchange_strong(known, &unknown, PARTS_BUSY)) {
        while (atomic_load_explicit(known, memory_order_acquire) != PARTS_KNOWN)
            tl_tasks_yield(); /* four faces take no time */
        return;
    }
    for (int k = 0; k < leaf->count; ++k)
        tree->fit_parts(tree->fit_user, tree->order[leaf->first + k]);
    atomic_store_explicit(known, PARTS_KNOWN, memory_order_release);
}

void tl_bvh_set_part(tl_bvh *tree, tl_part part, int f, const tl_box *box)
{
    set_lane(&tree->part[part][tree->slot[f] / TL_BVH_LEAF], tree->slot[f] % TL_BVH_LEAF, box);
}

/* ---- normals -------------------------------------------------------------------------------------------------- */

static void fit_normal(tl_bvh *tree, tl_real *const x[3], int slot)
{
    const int *p = tree->face + 3 * (size_t)tree->order[slot];
    tl_vec3 a = tl_v3(x[0][p[0]], x[1][p[0]], x[2][p[0]]), b = tl_v3(x[0][p[1]], x[1][p[1]], x[2][p[1]]);
    tl_vec3 c = tl_v3(x[0][p[2]], x[1][p[2]], x[2][p[2]]);
    tree->slot_normal[slot] = tl_triangle_normal((const tl_vec3[3]){a, b, c});
    tree->slot_center[slot] = tl_scale(tl_add(tl_add(a, b), c), (tl_real)(1.0 / 3));
}

/* Smallest ball around two others. */
static tl_normals join_normals(const tl_normals *a, const tl_normals *b)
{
    tl_vec3 offset = tl_sub(b->center, a->center);
    tl_real distance = tl_length(offset);
    if (distance + b->radius <= a->radius)
        return *a;
    if (distance + a->radius <= b->radius)
        return *b;
    tl_real radius = (distance + a->radius + b->radius) / 2;
    return (tl_normals){tl_madd(a->center, offset, (radius - a->radius) / distance), radius};
}

/* Bound for a face that can turn anywhere. */
static const tl_normals all_normals = {{0, 0, 0}, 2};

/* Bound of a leaf, around the mean of its normals. */
static tl_normals leaf_normals(const tl_bvh *tree, const tl_bvh_node *leaf, const unsigned char *may_fold)
{
    const tl_vec3 *normal = tree->slot_normal + leaf->first;
    tl_vec3 mean = {0, 0, 0};
    tl_real square = 0;
    for (int k = 0; k < leaf->count; ++k) {
        if (may_fold && may_fold[tree->order[leaf->first + k]])
            return all_normals;
        mean = tl_madd(mean, normal[k], 1 / (tl_real)leaf->count);
    }
    for (int k = 0; k < leaf->count; ++k) {
        tl_vec3 off = tl_sub(normal[k], mean);
        square = tl_max(square, tl_dot(off, off));
    }
    return (tl_normals){mean, sqrt(square)};
}

void tl_bvh_fit_normals(tl_bvh *tree, tl_real *const x[3])
{
    for (int k = 0; k < tree->face_count; ++k)
        fit_normal(tree, x, k);
}

/* Minimum cosine between the normals of a flat part and its axis: 60°, so that faces which turn by up to 30° before
   the next query still face one side. */
#define PART_COSINE ((tl_real)0.5)

/* The dot product of c with a unit vector within r of it is at least (1 + c² − r²) / 2. */
static bool is_flat(const tl_normals *normals)
{
    tl_real square = tl_dot(normals->center, normals->center), least = 1 + square - normals->radius * normals->radius;
    return least > 0 && least * least > 4 * PART_COSINE * PART_COSINE * square;
}

static void bound_node(tl_bvh_node *node, tl_normals normals)
{
    node->normals = normals;
    node->flat = node->whole && is_flat(&normals);
}

void tl_bvh_bound_normals(tl_bvh *tree, const unsigned char *may_fold)
{
    for (int n = tree->node_count - 1; n >= 0; --n) {
        tl_bvh_node *node = &tree->node[n];
        bound_node(node, node->right ? join_normals(&node[1].normals, &tree->node[node->right].normals)
                                     : leaf_normals(tree, node, may_fold));
    }
}

void tl_bvh_mark(tl_bvh *tree, int f, unsigned stale, const tl_box *box, tl_real *const x[3], bool may_fold)
{
    int slot = tree->slot[f], n = 0;
    tl_leaf_mark *mark = &tree->leaf_mark[slot / TL_BVH_LEAF];
    unsigned char bit = (unsigned char)(1 << slot % TL_BVH_LEAF);
    fit_normal(tree, x, slot);
    tl_normals normal = may_fold ? all_normals : (tl_normals){tree->slot_normal[slot], 0};
    tl_box_join(&tree->slot_box[slot], box);
    if (tree->part_known)
        forget_parts(tree, (size_t)slot / TL_BVH_LEAF);
    mark->face |= bit;
    mark->points |= stale & TL_STALE_POINTS ? bit : 0;
    mark->edges |= stale & TL_STALE_EDGES ? bit : 0;
    for (bool leaf = false; !leaf;) {
        tl_box_join(&tree->node[n].box, box);
        bound_node(&tree->node[n], join_normals(&tree->node[n].normals, &normal));
        tree->node_mark[n] = 1;
        leaf = !tree->node[n].right;
        if (leaf)
            fit_leaf(tree, &tree->node[n]);
        else
            n = slot < tree->node[tree->node[n].right].first ? n + 1 : tree->node[n].right;
    }
}

void tl_bvh_clear_marks(tl_bvh *tree)
{
    memset(tree->leaf_mark, 0, leaves_for((size_t)tree->face_count) * sizeof *tree->leaf_mark);
    memset(tree->node_mark, 0, (size_t)tree->node_count);
}

/* ---- queries -------------------------------------------------------------------------------------------------- */

bool tl_face_pairs_add(tl_face_pairs *pairs, tl_face_pair pair, const tl_allocator *allocator)
{
    if (!tl_grow(allocator, &pairs->pair, pairs->count, &pairs->capacity, sizeof *pairs->pair))
        return false;
    pairs->pair[pairs->count++] = pair;
    return true;
}

typedef struct query {
    const tl_bvh *a, *b;
    tl_face_pairs *pairs;
    const tl_allocator *allocator;
    tl_flat flat;
    bool marked, parts; /* only pairs with a marked face; by parts of faces */
    bool whole;         /* is the smallest subtree with both faces? */
    tl_bvh_jobs *jobs;  /* receives subtree pairs that are small enough instead of opening them */
    int small;          /* faces; 0: opens everything */
    bool failed;
} query;

/* Squared ratio of the distance of neighbours to that at rest above which they are not folded twice. */
#define UNFOLDED ((tl_real)0.4)

/* Minimum cosine between the normals of flat neighbours. */
#define NEIGHBOUR_COSINE ((tl_real)0.4)

/* Neighbours that bend by less than that do not touch, unless cloth is folded twice between them, which brings them
   close. */
static bool flat_neighbours(const tl_bvh *tree, int i, int j)
{
    if (!(tl_dot(tree->slot_normal[i], tree->slot_normal[j]) > NEIGHBOUR_COSINE))
        return false;
    tl_vec3 rest = tl_sub(tree->rest_center[i], tree->rest_center[j]),
            apart = tl_sub(tree->slot_center[i], tree->slot_center[j]);
    tl_real square = tl_dot(rest, rest);
    return square < tree->neighbour * tree->neighbour && tl_dot(apart, apart) > UNFOLDED * square;
}

static unsigned mark_of(const tl_bvh *tree, int slot)
{
    return tree->leaf_mark[slot / TL_BVH_LEAF].face >> slot % TL_BVH_LEAF & 1;
}

/* Which faces of a leaf to test against a face: all when it is marked, else the marked ones. */
static unsigned selected(unsigned marked, unsigned char others) { return marked ? 15 : others; }

static void add(query *q, int i, int j, unsigned near)
{
    q->failed |= !tl_face_pairs_add(q->pairs, (tl_face_pair){q->a->order[i], q->b->order[j], near}, q->allocator);
}

/* Parts of the face in slot i of a, in leaf m, against those of the faces `overlap` in leaf n of b. */
static void add_parts(query *q, int i, unsigned overlap, const tl_bvh_node *m, const tl_bvh_node *n)
{
    const int at = i / TL_BVH_LEAF, k = i % TL_BVH_LEAF, to = n->first / TL_BVH_LEAF;
    tl_box4 *const *a = q->a->part, *const *b = q->b->part;
    require_parts(q->a, m);
    require_parts(q->b, n);
    unsigned points = tl_box_lane_overlaps4(&a[TL_PART_POINTS][at], k, &q->b->leaf_box[to]),
             of_b = tl_box_overlaps4(&q->a->slot_box[i], &b[TL_PART_POINTS][to]),
             edges = tl_box_lane_overlaps4(&a[TL_PART_EDGES][at], k, &b[TL_PART_EDGES][to]),
             tight = tl_box_lane_overlaps4(&a[TL_PART_TIGHT][at], k, &b[TL_PART_TIGHT][to]);
    if (q->marked) {
        const tl_leaf_mark *mark = &q->a->leaf_mark[at], *other = &q->b->leaf_mark[to];
        points &= selected(mark->points >> k & 1, other->face);
        of_b &= selected(mark->face >> k & 1, other->points);
        edges &= selected(mark->edges >> k & 1, other->edges);
    }
    overlap &= points | of_b | edges | tight;
    for (int j = 0; overlap >> j; ++j)
        if (overlap >> j & 1)
            add(q, i, n->first + j,
                (points >> j & 1) * TL_POINTS_OF_F | (of_b >> j & 1) * TL_POINTS_OF_G |
                    (edges >> j & 1) * TL_EDGES_OF_BOTH | (tight >> j & 1) * TL_MAY_CROSS);
}

static void leaf_pair(query *q, const tl_bvh_node *m, const tl_bvh_node *n)
{
    const tl_box4 *four = &q->b->leaf_box[n->first / TL_BVH_LEAF];
    bool neighbours = q->whole && q->flat == TL_FLAT_NEIGHBOURS;
    for (int i = m->first; i < m->first + m->count; ++i) {
        unsigned wanted = q->marked ? selected(mark_of(q->a, i), q->b->leaf_mark[n->first / TL_BVH_LEAF].face) : 15;
        unsigned overlap = wanted ? wanted & tl_box_overlaps4(&q->a->slot_box[i], four) : 0;
        for (int j = 0; neighbours && overlap >> j; ++j)
            if (overlap >> j & 1 && flat_neighbours(q->a, i, n->first + j))
                overlap &= ~(1u << j);
        if (q->parts && overlap)
            add_parts(q, i, overlap, m, n);
        for (int j = 0; !q->parts && overlap >> j; ++j)
            if (overlap >> j & 1)
                add(q, i, n->first + j, TL_NEAR_ALL);
    }
}

static void leaf_self(query *q, const tl_bvh_node *n)
{
    bool neighbours = n->whole && q->flat == TL_FLAT_NEIGHBOURS;
    for (int i = n->first; i < n->first + n->count; ++i)
        for (int j = i + 1; j < n->first + n->count; ++j)
            if (!(q->marked && !mark_of(q->a, i) && !mark_of(q->a, j)) &&
                tl_boxes_overlap(&q->a->slot_box[i], &q->a->slot_box[j]) &&
                !(neighbours && flat_neighbours(q->a, i, j))) {
                if (q->parts)
                    require_parts(q->a, n);
                add(q, i, j, TL_NEAR_ALL);
            }
}

/* Are the two subtrees together one flat part? */
static bool flat_together(const query *q, int m, int n)
{
    if (q->flat == TL_FLAT_NOTHING || !q->whole)
        return false;
    const tl_bvh_node *a = &q->a->node[m], *b = &q->a->node[n];
    if (!a->flat || !b->flat || !tl_boxes_overlap(&q->a->rest_box[m], &q->a->rest_box[n]))
        return false;
    tl_normals both = join_normals(&a->normals, &b->normals);
    return is_flat(&both);
}

/* Records a small subtree, or two, as a job. True when it did. */
static bool defer(query *q, int m, int n, int faces)
{
    if (faces > q->small)
        return false;
    if (tl_grow(q->allocator, &q->jobs->job, q->jobs->count, &q->jobs->capacity, sizeof *q->jobs->job))
        q->jobs->job[q->jobs->count++] = (tl_bvh_job){m, n, q->whole};
    else
        q->failed = true;
    return true;
}

/* Two subtrees whose boxes overlap: the larger is opened. */
static void descend(query *q, int m, int n)
{
    const tl_bvh_node *a = &q->a->node[m], *b = &q->b->node[n];
    if ((q->marked && !q->a->node_mark[m] && !q->b->node_mark[n]) || flat_together(q, m, n) ||
        defer(q, m, n, a->count + b->count))
        return;
    if (!a->right && !b->right) {
        leaf_pair(q, a, b);
        return;
    }
    if (a->right && (!b->right || a->count >= b->count)) {
        if (tl_boxes_overlap(&q->a->node[m + 1].box, &q->b->node[n].box))
            descend(q, m + 1, n);
        if (tl_boxes_overlap(&q->a->node[a->right].box, &q->b->node[n].box))
            descend(q, a->right, n);
    } else {
        if (tl_boxes_overlap(&q->a->node[m].box, &q->b->node[n + 1].box))
            descend(q, m, n + 1);
        if (tl_boxes_overlap(&q->a->node[m].box, &q->b->node[b->right].box))
            descend(q, m, b->right);
    }
}

static void descend_self(query *q, int n)
{
    const tl_bvh_node *node = &q->a->node[n];
    if ((q->marked && !q->a->node_mark[n]) || (q->flat != TL_FLAT_NOTHING && q->a->node[n].flat) ||
        defer(q, n, n, node->count))
        return;
    if (!node->right) {
        leaf_self(q, node);
        return;
    }
    descend_self(q, n + 1);
    descend_self(q, node->right);
    q->whole = node->whole;
    if (tl_boxes_overlap(&q->a->node[n + 1].box, &q->a->node[node->right].box))
        descend(q, n + 1, node->right);
}

static void run(query *q, int m, int n)
{
    if (q->a == q->b && m == n)
        descend_self(q, m);
    else
        descend(q, m, n);
}

static query query_for(const tl_bvh_search *search, tl_face_pairs *pairs, const tl_allocator *allocator)
{
    return (query){.a = search->a,
                   .b = search->b,
                   .pairs = pairs,
                   .allocator = allocator,
                   .flat = search->a == search->b ? search->flat : TL_FLAT_NOTHING,
                   .marked = search->which & TL_SEARCH_MARKED,
                   .parts = search->which & TL_SEARCH_PARTS};
}

/* Do the root boxes overlap? */
static bool roots_overlap(const tl_bvh_search *search)
{
    const tl_bvh *a = search->a, *b = search->b;
    return a->face_count > 0 && b->face_count > 0 && tl_boxes_overlap(&a->node[0].box, &b->node[0].box);
}

bool tl_bvh_find(const tl_bvh_search *search, tl_face_pairs *pairs, const tl_allocator *allocator)
{
    return !roots_overlap(search) || tl_bvh_do(search, (tl_bvh_job){0}, pairs, allocator);
}

bool tl_bvh_do(const tl_bvh_search *search, tl_bvh_job job, tl_face_pairs *pairs, const tl_allocator *allocator)
{
    query q = query_for(search, pairs, allocator);
    q.whole = job.whole;
    run(&q, job.m, job.n);
    return !q.failed;
}

bool tl_bvh_cut(const tl_bvh_search *search, int faces, tl_bvh_jobs *jobs, const tl_allocator *allocator)
{
    tl_face_pairs none = {0};
    query q = query_for(search, &none, allocator);
    q.jobs = jobs;
    q.small = faces > 2 * TL_BVH_LEAF ? faces : 2 * TL_BVH_LEAF; /* nothing is opened below a pair of leaves */
    if (roots_overlap(search))
        run(&q, 0, 0);
    return !q.failed;
}

int tl_bvh_after(const tl_bvh *tree, int n)
{
    while (tree->node[n].right)
        n = tree->node[n].right;
    return n + 1;
}
