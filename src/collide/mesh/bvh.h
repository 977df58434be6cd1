/* Bounding volume hierarchy over the triangles of a mesh. Its topology is built once; the boxes are refitted as
   often as the triangles move (van den Bergen 1997). */
#ifndef TL_COLLIDE_MESH_BVH_H
#define TL_COLLIDE_MESH_BVH_H

#include "core/memory.h"
#include "core/vec.h"

#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
#include <xmmintrin.h>
#endif

typedef struct tl_box {
    tl_real low[4], high[4]; /* m; the fourth is 0, padding for vector loads */
} tl_box;

/* Four boxes, component by component. */
typedef struct tl_box4 {
    tl_real low[3][4], high[3][4]; /* m */
} tl_box4;

enum { TL_BVH_DEPTH = 64 }; /* maximum traversal stack: the tree is balanced */
enum { TL_BVH_LEAF = 4 };   /* maximum faces per leaf: a few quads share a box nearly as tight as their own */

/* All that a query reads of a node, in one place. */
typedef struct tl_bvh_node {
    tl_box box;
    int first, count; /* faces of the whole subtree: order[first … first+count-1] */
    int right;        /* second child, the first follows its parent; 0 for a leaf */
} tl_bvh_node;

typedef struct tl_bvh {
    int face_count, node_count;
    const int *face; /* three points each; borrowed */
    int *order;      /* faces by leaf */
    int *slot;       /* of each face, in that order */
    tl_bvh_node *node;
    tl_box *slot_box;  /* of each face, by slot */
    tl_box4 *leaf_box; /* the same per leaf, at its first slot / TL_BVH_LEAF; empty boxes for missing faces */
    size_t bytes;
} tl_bvh;

/* Returns false when out of memory. x: current positions. */
bool tl_bvh_build(tl_bvh *tree, const tl_allocator *allocator, const int *face, int face_count, tl_real *const x[3]);
void tl_bvh_destroy(tl_bvh *tree, const tl_allocator *allocator);

/* Refits all boxes to the points x, grown by margin on all sides. */
void tl_bvh_fit(tl_bvh *tree, tl_real *const x[3], tl_real margin);

static inline const tl_box *tl_bvh_face_box(const tl_bvh *tree, int f) { return &tree->slot_box[tree->slot[f]]; }

static inline void tl_box_join(tl_box *box, const tl_box *other)
{
    for (int c = 0; c < 4; ++c) {
        box->low[c] = tl_min(box->low[c], other->low[c]);
        box->high[c] = tl_max(box->high[c], other->high[c]);
    }
}

/* Squared distance from p to the box, m²; 0 inside. */
static inline tl_real tl_box_square(const tl_box *box, tl_vec3 p)
{
    const tl_real at[3] = {p.x, p.y, p.z};
    tl_real square = 0;
    for (int c = 0; c < 3; ++c) {
        tl_real beyond = tl_max(tl_max(box->low[c] - at[c], at[c] - box->high[c]), 0);
        square += beyond * beyond;
    }
    return square;
}

static inline bool tl_boxes_overlap(const tl_box *a, const tl_box *b)
{
#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    __m128 below = _mm_cmpgt_ps(_mm_loadu_ps(a->low), _mm_loadu_ps(b->high)),
           above = _mm_cmpgt_ps(_mm_loadu_ps(b->low), _mm_loadu_ps(a->high));
    return _mm_movemask_ps(_mm_or_ps(below, above)) == 0;
#else
    int apart = 0;
    for (int c = 0; c < 4; ++c)
        apart |= (a->low[c] > b->high[c]) | (b->low[c] > a->high[c]);
    return !apart;
#endif
}

/* Which of four boxes overlap a box? Bits 0–3. */
static inline unsigned tl_box_overlaps4(const tl_box *a, const tl_box4 *b)
{
#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    __m128 apart = _mm_setzero_ps();
    for (int c = 0; c < 3; ++c) {
        apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_set1_ps(a->low[c]), _mm_loadu_ps(b->high[c])));
        apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_loadu_ps(b->low[c]), _mm_set1_ps(a->high[c])));
    }
    return (unsigned)_mm_movemask_ps(apart) ^ 15u;
#else
    unsigned overlap = 0;
    for (unsigned k = 0; k < 4; ++k) {
        unsigned apart = 0;
        for (int c = 0; c < 3; ++c)
            apart |= (a->low[c] > b->high[c][k]) | (b->low[c][k] > a->high[c]);
        overlap |= (apart ^ 1u) << k;
    }
    return overlap;
#endif
}

typedef struct tl_face_pair {
    int f, g;
} tl_face_pair;

/* Pairs of faces whose boxes overlap, in a fixed order; grows as needed. */
typedef struct tl_face_pairs {
    tl_face_pair *pair;
    int count, capacity;
} tl_face_pairs;

/* Appends all pairs of two trees, or of one with itself (each once, no face with itself). Returns false when out of
   memory. */
bool tl_bvh_find(const tl_bvh *a, const tl_bvh *b, tl_face_pairs *pairs, const tl_allocator *allocator);

/* The first node after the subtree of node n, in memory order. */
int tl_bvh_after(const tl_bvh *tree, int n);

bool tl_face_pairs_add(tl_face_pairs *pairs, tl_face_pair pair, const tl_allocator *allocator);

#endif
