#include "collide/mesh/bvh.h"

#include "collide/mesh/face_order.h"
#include <string.h>

/* ---- shape ---------------------------------------------------------------------------------------------------- */

typedef struct builder {
    tl_bvh *tree;
    const tl_vec3 *center;
} builder;

/* Splits at the median: the depth is logarithmic for any input. */
static void split(builder *b, int first, int count)
{
    tl_bvh *tree = b->tree;
    int node = tree->node_count++;
    tree->node[node] = (tl_bvh_node){.first = first, .count = count};
    if (count <= TL_BVH_LEAF)
        return;
    int half = (count / 2 + TL_BVH_LEAF - 1) / TL_BVH_LEAF * TL_BVH_LEAF; /* full leaves on the left */
    tl_face_order_split(b->center, tree->order + first, count, half);
    split(b, first, half);
    tree->node[node].right = tree->node_count;
    split(b, first + half, count - half);
}

/* Capacities for so many faces. */
static size_t leaves_for(size_t faces) { return faces / TL_BVH_LEAF + 1; }
static size_t nodes_for(size_t faces) { return 2 * leaves_for(faces); }

bool tl_bvh_build(tl_bvh *tree, const tl_allocator *allocator, const int *face, int face_count, tl_real *const x[3])
{
    size_t faces = (size_t)face_count, leaves = leaves_for(faces), nodes = nodes_for(faces);
    *tree = (tl_bvh){.face_count = face_count, .face = face};
    tl_vec3 *center = tl_allocate(allocator, faces, sizeof *center);
    tree->order = tl_allocate(allocator, faces, sizeof *tree->order);
    tree->slot = tl_allocate(allocator, faces, sizeof *tree->slot);
    tree->node = tl_allocate(allocator, nodes, sizeof *tree->node);
    tree->slot_box = tl_allocate(allocator, faces, sizeof *tree->slot_box);
    tree->leaf_box = tl_allocate(allocator, leaves, sizeof *tree->leaf_box);
    tree->bytes = nodes * sizeof *tree->node + leaves * sizeof *tree->leaf_box +
                  faces * (2 * sizeof(int) + sizeof *tree->slot_box);
    bool made = center && tree->order && tree->slot && tree->node && tree->slot_box && tree->leaf_box;
    for (int f = 0; made && f < face_count; ++f) {
        const int *p = face + 3 * (size_t)f;
        tree->order[f] = f;
        for (int k = 0; k < 3; ++k)
            center[f] = tl_add(center[f], tl_v3(x[0][p[k]], x[1][p[k]], x[2][p[k]]));
        center[f] = tl_scale(center[f], (tl_real)(1.0 / 3));
    }
    if (made && face_count > 0)
        split(&(builder){tree, center}, 0, face_count);
    for (int k = 0; made && k < face_count; ++k)
        tree->slot[tree->order[k]] = k;
    tl_release(allocator, center);
    if (made)
        tl_bvh_fit(tree, x, 0);
    else
        tl_bvh_destroy(tree, allocator);
    return made;
}

void tl_bvh_destroy(tl_bvh *tree, const tl_allocator *allocator)
{
    tl_release(allocator, tree->order);
    tl_release(allocator, tree->slot);
    tl_release(allocator, tree->node);
    tl_release(allocator, tree->slot_box);
    tl_release(allocator, tree->leaf_box);
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
    bool failed;
} query;

static void add(query *q, int i, int j)
{
    q->failed |= !tl_face_pairs_add(q->pairs, (tl_face_pair){q->a->order[i], q->b->order[j]}, q->allocator);
}

static void leaf_pair(query *q, const tl_bvh_node *m, const tl_bvh_node *n)
{
    const tl_box4 *four = &q->b->leaf_box[n->first / TL_BVH_LEAF];
    for (int i = m->first; i < m->first + m->count; ++i) {
        unsigned overlap = tl_box_overlaps4(&q->a->slot_box[i], four);
        for (int j = 0; overlap >> j; ++j)
            if (overlap >> j & 1)
                add(q, i, n->first + j);
    }
}

static void leaf_self(query *q, const tl_bvh_node *n)
{
    for (int i = n->first; i < n->first + n->count; ++i)
        for (int j = i + 1; j < n->first + n->count; ++j)
            if (tl_boxes_overlap(&q->a->slot_box[i], &q->a->slot_box[j]))
                add(q, i, j);
}

/* Two subtrees whose boxes overlap: the larger is opened. */
static void descend(query *q, int m, int n)
{
    const tl_bvh_node *a = &q->a->node[m], *b = &q->b->node[n];
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
    if (!node->right) {
        leaf_self(q, node);
        return;
    }
    descend_self(q, n + 1);
    descend_self(q, node->right);
    if (tl_boxes_overlap(&q->a->node[n + 1].box, &q->a->node[node->right].box))
        descend(q, n + 1, node->right);
}

bool tl_bvh_find(const tl_bvh *a, const tl_bvh *b, tl_face_pairs *pairs, const tl_allocator *allocator)
{
    query q = {.a = a, .b = b, .pairs = pairs, .allocator = allocator};
    if (a == b && a->face_count > 0)
        descend_self(&q, 0);
    else if (a->face_count > 0 && b->face_count > 0 && tl_boxes_overlap(&a->node[0].box, &b->node[0].box))
        descend(&q, 0, 0);
    return !q.failed;
}

int tl_bvh_after(const tl_bvh *tree, int n)
{
    while (tree->node[n].right)
        n = tree->node[n].right;
    return n + 1;
}
