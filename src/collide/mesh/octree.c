/* Octree over triangles (section 4.4 of the thesis): a triangle goes into every leaf whose cube it touches. */
#include "collide/mesh/octree.h"

#include "collide/shapes/shapes.h"

#include "core/memory.h"
#include "core/vec.h"

#include <string.h>

typedef struct node {
    int child[8]; /* 0: none; the root is no child */
    int entry;    /* first entry of a leaf, -1: none */
    int few;      /* first face below it, each once, when there are few; -1: more, or an ancestor has few */
    int few_count;
} node;

typedef struct entry {
    int face, next; /* next: -1 for the last */
} entry;

struct tl_octree {
    tl_allocator allocator;
    int height, face_count;
    tl_vec3 low;  /* m, of the root */
    tl_real edge; /* m, of the root */
    node *nodes;
    entry *entries;
    int node_count, node_capacity, entry_count, entry_capacity;
    int *few; /* faces of nodes with few */
    int few_count, few_capacity;
    int *seen; /* per face: the last query that found it */
    int query;
    tl_octree_counts counts;
};

static int add_node(tl_octree *tree)
{
    if (!tl_grow(&tree->allocator, &tree->nodes, tree->node_count, &tree->node_capacity, sizeof *tree->nodes))
        return -1;
    tree->nodes[tree->node_count] = (node){.entry = -1, .few = -1};
    return tree->node_count++;
}

/* ---- build ---------------------------------------------------------------------------------------------------- */

static tl_real least(tl_real a, tl_real b, tl_real c) { return tl_min(tl_min(a, b), c); }
static tl_real most(tl_real a, tl_real b, tl_real c) { return tl_max(tl_max(a, b), c); }

/* Does the triangle overlap the cube? Bounds and plane only (two of the separating axes of Akenine-Möller 2001;
   without the others a few more leaves hold it). */
static bool triangle_overlaps(const tl_vec3 t[3], tl_vec3 low, tl_real edge)
{
    if (least(t[0].x, t[1].x, t[2].x) > low.x + edge || most(t[0].x, t[1].x, t[2].x) < low.x ||
        least(t[0].y, t[1].y, t[2].y) > low.y + edge || most(t[0].y, t[1].y, t[2].y) < low.y ||
        least(t[0].z, t[1].z, t[2].z) > low.z + edge || most(t[0].z, t[1].z, t[2].z) < low.z)
        return false;
    tl_vec3 n = tl_cross(tl_sub(t[1], t[0]), tl_sub(t[2], t[0])), half = {edge / 2, edge / 2, edge / 2};
    tl_real middle = tl_dot(n, tl_sub(tl_add(low, half), t[0])), reach = (fabs(n.x) + fabs(n.y) + fabs(n.z)) * edge / 2;
    return fabs(middle) <= reach * (1 + (tl_real)1e-4); /* rounding must not lose a leaf */
}

static bool insert(tl_octree *tree, int at, int face, const tl_vec3 t[3], tl_vec3 low, tl_real edge, int height)
{
    if (height == 0) {
        if (!tl_grow(&tree->allocator, &tree->entries, tree->entry_count, &tree->entry_capacity, sizeof *tree->entries))
            return false;
        tree->entries[tree->entry_count] = (entry){face, tree->nodes[at].entry};
        tree->nodes[at].entry = tree->entry_count++;
        return true;
    }
    edge /= 2;
    for (int k = 0; k < 8; ++k) {
        tl_vec3 corner = tl_v3(low.x + (k & 1 ? edge : 0), low.y + (k & 2 ? edge : 0), low.z + (k & 4 ? edge : 0));
        if (!triangle_overlaps(t, corner, edge))
            continue;
        if (!tree->nodes[at].child[k]) {
            int made = add_node(tree);
            if (made < 0)
                return false;
            tree->nodes[at].child[k] = made;
        }
        if (!insert(tree, tree->nodes[at].child[k], face, t, corner, edge, height - 1))
            return false;
    }
    return true;
}

/* Up to this many faces below a node are returned together: queries larger than leaves need not descend to them. */
enum { MAX_FEW = 16 };

/* Appends the faces below a node that were not seen yet. False when there are more than MAX_FEW, or when out of
   memory. */
static bool gather(tl_octree *tree, int at, int height, int first)
{
    const node *n = &tree->nodes[at];
    for (int k = 0; height > 0 && k < 8; ++k)
        if (n->child[k] && !gather(tree, n->child[k], height - 1, first))
            return false;
    for (int e = n->entry; e >= 0; e = tree->entries[e].next) {
        int face = tree->entries[e].face;
        if (tree->seen[face] == tree->query)
            continue;
        tree->seen[face] = tree->query;
        if (tree->few_count - first == MAX_FEW ||
            !tl_grow(&tree->allocator, &tree->few, tree->few_count, &tree->few_capacity, sizeof *tree->few))
            return false;
        tree->few[tree->few_count++] = face;
    }
    return true;
}

/* Records the faces of the topmost nodes that have few. */
static void gather_below(tl_octree *tree, int at, int height)
{
    int first = tree->few_count;
    ++tree->query;
    if (gather(tree, at, height, first)) {
        tree->nodes[at].few = first;
        tree->nodes[at].few_count = tree->few_count - first;
        return;
    }
    tree->few_count = first;
    for (int k = 0; height > 0 && k < 8; ++k)
        if (tree->nodes[at].child[k])
            gather_below(tree, tree->nodes[at].child[k], height - 1);
}

static void bound(tl_octree *tree, const tl_vec3 *points, const int *triangles)
{
    tl_vec3 low = {INFINITY, INFINITY, INFINITY}, high = {-INFINITY, -INFINITY, -INFINITY};
    for (int k = 0; k < 3 * tree->face_count; ++k) {
        tl_vec3 p = points[triangles[k]];
        low = tl_v3(tl_min(low.x, p.x), tl_min(low.y, p.y), tl_min(low.z, p.z));
        high = tl_v3(tl_max(high.x, p.x), tl_max(high.y, p.y), tl_max(high.z, p.z));
    }
    tl_vec3 size = tl_sub(high, low);
    tl_real padding = most(size.x, size.y, size.z) * (tl_real)1e-3; /* nothing lies on the outer boundary */
    tree->low = tl_sub(low, tl_v3(padding, padding, padding));
    tree->edge = most(size.x, size.y, size.z) + 2 * padding;
}

tl_octree *tl_octree_create(const tl_vec3 *points, const int *triangles, int triangle_count, int height,
                            const tl_allocator *allocator, tl_error *error)
{
    tl_allocator own = tl_allocator_or_default(allocator);
    if (triangle_count < 1 || height < 1 || height > 10) {
        tl_fail(error, TL_ERROR_INPUT, "octree: %d triangles and height %d; it needs at least one and 1 to 10",
                triangle_count, height);
        return NULL;
    }
    tl_octree *tree = tl_allocate(&own, 1, sizeof *tree);
    bool made = tree != NULL;
    if (made) {
        *tree = (tl_octree){.allocator = own, .height = height, .face_count = triangle_count};
        tree->seen = tl_allocate(&own, (size_t)triangle_count, sizeof *tree->seen);
        made = tree->seen && add_node(tree) == 0;
        bound(tree, points, triangles);
    }
    for (int f = 0; made && f < triangle_count; ++f) {
        const int *c = triangles + 3 * (size_t)f;
        const tl_vec3 t[3] = {points[c[0]], points[c[1]], points[c[2]]};
        made = insert(tree, 0, f, t, tree->low, tree->edge, height);
    }
    if (made)
        gather_below(tree, 0, height);
    if (!made) {
        tl_octree_destroy(tree);
        tl_fail(error, TL_ERROR_MEMORY, "octree: no memory for %d triangles at height %d", triangle_count, height);
        return NULL;
    }
    return tree;
}

void tl_octree_destroy(tl_octree *tree)
{
    if (!tree)
        return;
    tl_allocator allocator = tree->allocator;
    tl_release(&allocator, tree->nodes);
    tl_release(&allocator, tree->entries);
    tl_release(&allocator, tree->few);
    tl_release(&allocator, tree->seen);
    tl_release(&allocator, tree);
}

/* ---- queries -------------------------------------------------------------------------------------------------- */

typedef struct search {
    tl_octree *tree;
    const tl_slab *slab;
    tl_real below, above; /* 1, extent of a unit cube along the slab's normal from its lowest corner */
    tl_real rounding;     /* m */
    tl_real coarse;       /* m, edge of the largest nodes whose faces are returned together */
    int *out;
    int capacity, count;
} search;

static void take(search *s, int face)
{
    tl_octree *tree = s->tree;
    if (tree->seen[face] == tree->query)
        return;
    tree->seen[face] = tree->query;
    if (s->count < s->capacity)
        s->out[s->count] = face;
    ++s->count;
}

/* Does the cube overlap the slab? */
static bool overlaps(const search *s, tl_vec3 low, tl_real edge)
{
    const tl_slab *slab = s->slab;
    const tl_real *from = slab->box.low, *to = slab->box.high, *up = slab->up, *down = slab->down;
    if (low.x > to[0] || low.x + edge < from[0] || low.y > to[1] || low.y + edge < from[1] || low.z > to[2] ||
        low.z + edge < from[2])
        return false;
    tl_real at = (up[0] + down[0]) * low.x + (up[1] + down[1]) * low.y + (up[2] + down[2]) * low.z;
    return at + s->below * edge <= slab->high + s->rounding && at + s->above * edge >= slab->low - s->rounding;
}

static void descend(search *s, int at, tl_vec3 low, tl_real edge, int height)
{
    const node *n = &s->tree->nodes[at];
    bool few = n->few >= 0 && edge <= s->coarse;
    for (int k = 0; few && k < n->few_count; ++k)
        take(s, s->tree->few[n->few + k]);
    for (int e = few ? -1 : n->entry; e >= 0; e = s->tree->entries[e].next)
        take(s, s->tree->entries[e].face);
    if (few || height == 0)
        return;
    edge /= 2;
    for (int k = 0; k < 8; ++k) {
        if (!n->child[k])
            continue;
        ++s->tree->counts.nodes;
        tl_vec3 corner = tl_v3(low.x + (k & 1 ? edge : 0), low.y + (k & 2 ? edge : 0), low.z + (k & 4 ? edge : 0));
        if (overlaps(s, corner, edge))
            descend(s, n->child[k], corner, edge, height - 1);
    }
}

static int query_slab(tl_octree *tree, const tl_slab *slab, tl_real coarse, int *triangles, int capacity)
{
    search s = {.tree = tree, .slab = slab, .coarse = coarse, .out = triangles, .capacity = capacity};
    tl_vec3 far = tl_v3(fabs(tree->low.x), fabs(tree->low.y), fabs(tree->low.z));
    s.below = slab->down[0] + slab->down[1] + slab->down[2];
    s.above = slab->up[0] + slab->up[1] + slab->up[2];
    s.rounding = 16 * TL_REAL_EPSILON * (far.x + far.y + far.z + tree->edge);
    if (tree->query == INT32_MAX) {
        memset(tree->seen, 0, (size_t)tree->face_count * sizeof *tree->seen);
        tree->query = 0;
    }
    ++tree->query;
    descend(&s, 0, tree->low, tree->edge, tree->height);
    tree->counts.triangles += s.count;
    return s.count;
}

int tl_octree_in_slab(tl_octree *tree, const tl_slab *slab, int *triangles, int capacity)
{
    return query_slab(tree, slab, INFINITY, triangles, capacity);
}

int tl_octree_in_box(tl_octree *tree, tl_vec3 low, tl_vec3 high, int *triangles, int capacity)
{
    tl_slab whole = {.box = {{low.x, low.y, low.z, 0}, {high.x, high.y, high.z, 0}}};
    return query_slab(tree, &whole, 0, triangles, capacity);
}

tl_octree_counts tl_octree_get_counts(const tl_octree *tree) { return tree->counts; }

size_t tl_octree_bytes(const tl_octree *tree)
{
    return sizeof *tree + (size_t)tree->node_capacity * sizeof(node) + (size_t)tree->entry_capacity * sizeof(entry) +
           ((size_t)tree->few_capacity + (size_t)tree->face_count) * sizeof(int);
}
