/* Bounding volume hierarchy over the triangles of a mesh. Its topology is built once; the boxes are refitted as
   often as the triangles move (van den Bergen 1997). */
#ifndef TL_COLLIDE_MESH_BVH_H
#define TL_COLLIDE_MESH_BVH_H

#include "core/memory.h"
#include "core/vec.h"

#include <stdatomic.h>

#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
#include <xmmintrin.h>
#endif

typedef struct tl_box {
    tl_real low[4], high[4]; /* m; the fourth is 0, padding for vector loads */
} tl_box;

/* Bound on unit normals: all of them lie within the radius of the centre. */
typedef struct tl_normals {
    tl_vec3 center;
    tl_real radius;
} tl_normals;

/* Four boxes, component by component. */
typedef struct tl_box4 {
    tl_real low[3][4], high[3][4]; /* m */
} tl_box4;

enum { TL_BVH_DEPTH = 64 }; /* maximum traversal stack: the tree is balanced */
enum { TL_BVH_LEAF = 4 };   /* maximum faces per leaf: a few quads share a box nearly as tight as their own */

/* The features that a face represents in queries by feature. */
typedef enum tl_part {
    TL_PART_POINTS, /* vertices it represents */
    TL_PART_EDGES,  /* edges it represents and that are active */
    TL_PART_TIGHT,  /* the face itself, without margin */
    TL_PARTS
} tl_part;

/* What of a face has left its bounds: any corner; a vertex, an edge that it represents. */
typedef enum tl_stale_part { TL_STALE_FACE = 1, TL_STALE_POINTS = 2, TL_STALE_EDGES = 4 } tl_stale_part;

/* Stale faces of a leaf: bits 0–3, by tl_stale_part. */
typedef struct tl_leaf_mark {
    unsigned char face, points, edges;
} tl_leaf_mark;

/* All that a query reads of a node, in one place. */
typedef struct tl_bvh_node {
    tl_box box;
    tl_normals normals; /* of its faces, after tl_bvh_bound_normals */
    int first, count;   /* faces of the whole subtree: order[first … first+count-1] */
    int right;          /* second child, the first follows its parent; 0 for a leaf */
    bool whole;         /* one piece without slits or holes, after tl_bvh_find_whole; false before */
    bool flat;          /* whole, and its normals all lie on one side of a plane */
} tl_bvh_node;

typedef struct tl_bvh {
    int face_count, node_count;
    const int *face; /* three points each; borrowed */
    int *order;      /* faces by leaf */
    int *slot;       /* of each face, in that order */
    tl_bvh_node *node;
    tl_box *slot_box;         /* of each face, by slot */
    tl_box4 *leaf_box;        /* the same per leaf, at its first slot / TL_BVH_LEAF; empty boxes for missing faces */
    tl_box4 *part[TL_PARTS];  /* of the same faces; NULL before tl_bvh_add_parts */
    atomic_uchar *part_known; /* per leaf: 0 unknown, 1 a thread is computing them, 2 known */
    void (*fit_parts)(void *user, int f);
    void *fit_user;
    tl_box *rest_box;         /* of each node, when the tree was built */
    tl_vec3 *rest_center;     /* m, by slot, when the tree was built */
    tl_real neighbour;        /* m; faces whose centres were closer than this are neighbours */
    tl_vec3 *slot_normal;     /* of each face, by slot, unit, after tl_bvh_fit_normals */
    tl_vec3 *slot_center;     /* m, by slot, the same */
    tl_leaf_mark *leaf_mark;  /* marked faces */
    unsigned char *node_mark; /* nodes with a marked face */
    bool shares;              /* topology, normals and centres belong to another tree */
    size_t bytes;
} tl_bvh;

/* Returns false when out of memory. x: current positions. */
bool tl_bvh_build(tl_bvh *tree, const tl_allocator *allocator, const int *face, int face_count, tl_real *const x[3]);
/* A tree of the same topology with its own boxes and bounds; normals and centres of faces are those of `shape`,
   which must outlive it. Returns false when out of memory. */
bool tl_bvh_share(tl_bvh *tree, const tl_bvh *shape, const tl_allocator *allocator);
void tl_bvh_destroy(tl_bvh *tree, const tl_allocator *allocator);

/* Refits all boxes to the points x, grown by margin on all sides. */
void tl_bvh_fit(tl_bvh *tree, tl_real *const x[3], tl_real margin);
/* Refits them to a box around each point. */
void tl_bvh_fit_points(tl_bvh *tree, const tl_box *point);

/* Allocates boxes of parts. Queries compute them on demand: fit(user, f) sets those of face f with tl_bvh_set_part.
   Returns false when out of memory. */
bool tl_bvh_add_parts(tl_bvh *tree, void (*fit)(void *user, int f), void *user, const tl_allocator *allocator);
/* Box of a part of a face; NULL: empty. */
void tl_bvh_set_part(tl_bvh *tree, tl_part part, int f, const tl_box *box);
/* Parts have moved: they are computed again on demand. */
void tl_bvh_forget_parts(tl_bvh *tree);

/* Marks a stale face (`stale`: bits of tl_stale_part): its box and those of its ancestors grow to hold the given
   one, and the bounds of normals grow to hold its normal at x, or any normal when it may fold. */
void tl_bvh_mark(tl_bvh *tree, int f, unsigned stale, const tl_box *box, tl_real *const x[3], bool may_fold);
void tl_bvh_clear_marks(tl_bvh *tree);

static inline tl_vec3 tl_bvh_face_normal(const tl_bvh *tree, int f) { return tree->slot_normal[tree->slot[f]]; }
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

/* The same for box k of four. */
static inline unsigned tl_box_lane_overlaps4(const tl_box4 *a, int k, const tl_box4 *b)
{
    tl_box box;
    for (int c = 0; c < 3; ++c) {
        box.low[c] = a->low[c][k];
        box.high[c] = a->high[c][k];
    }
    return tl_box_overlaps4(&box, b);
}

/* Which features of two faces f and g are near each other. */
typedef enum tl_nearness {
    TL_POINTS_OF_F = 1, /* and all of g */
    TL_POINTS_OF_G = 2, /* and all of f */
    TL_EDGES_OF_BOTH = 4,
    TL_MAY_CROSS = 8, /* the faces themselves */
    TL_NEAR_ALL = 15
} tl_nearness;

typedef struct tl_face_pair {
    int f, g;
    unsigned near; /* tl_nearness */
} tl_face_pair;

/* Pairs of faces whose boxes overlap, in a fixed order; grows as needed. */
typedef struct tl_face_pairs {
    tl_face_pair *pair;
    int count, capacity;
} tl_face_pairs;

/* Computes normals and centres of all faces at x. */
void tl_bvh_fit_normals(tl_bvh *tree, tl_real *const x[3]);
/* Computes the bounds of normals of all nodes, for `flat` below. Faces that `may_fold` (or NULL) can turn anywhere:
   no part that holds one is flat. */
void tl_bvh_bound_normals(tl_bvh *tree, const unsigned char *may_fold);

/* What is assumed not to touch itself: whole parts of the mesh whose normals all lie on one side of a plane (Volino
   and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface animations using
   geometrical shape regularity"; in place of their contour test, which follows the motion, whole_parts.h looks at the
   border once); with TL_FLAT_NEIGHBOURS also single neighbouring faces of a whole part that bend by less than about a
   right angle and are about as far apart as at rest, which can be wrong where cloth is folded twice between them. */
typedef enum tl_flat { TL_FLAT_NOTHING, TL_FLAT_PARTS, TL_FLAT_NEIGHBOURS } tl_flat;

/* Bits that select pairs: all whole faces; only pairs with a marked face; pairs of which parts are near, and, of
   marked faces, only stale parts or parts near a stale face. */
typedef enum tl_search { TL_SEARCH_ALL = 0, TL_SEARCH_MARKED = 1, TL_SEARCH_PARTS = 2 } tl_search;

/* A query: pairs of two trees, or of one with itself (each once, no face with itself), without those that count as
   flat. */
typedef struct tl_bvh_search {
    const tl_bvh *a, *b;
    tl_flat flat;   /* of a tree with itself */
    unsigned which; /* tl_search */
} tl_bvh_search;

/* Appends all of them. Returns false when out of memory. */
bool tl_bvh_find(const tl_bvh_search *search, tl_face_pairs *pairs, const tl_allocator *allocator);

/* Part of a query: two subtrees; of a tree with itself m = n means a subtree with itself. */
typedef struct tl_bvh_job {
    int m, n;
    bool whole; /* is the smallest subtree with both */
} tl_bvh_job;

typedef struct tl_bvh_jobs {
    tl_bvh_job *job;
    int count, capacity;
} tl_bvh_jobs;

/* Splits a query into jobs of at most so many faces, or two leaves, and appends them: run in order they append what
   the whole query does, in the same order. Jobs of one query may run on several threads. Returns false when out of
   memory. */
bool tl_bvh_cut(const tl_bvh_search *search, int faces, tl_bvh_jobs *jobs, const tl_allocator *allocator);
bool tl_bvh_do(const tl_bvh_search *search, tl_bvh_job job, tl_face_pairs *pairs, const tl_allocator *allocator);

/* The first node after the subtree of node n, in memory order. */
int tl_bvh_after(const tl_bvh *tree, int n);

bool tl_face_pairs_add(tl_face_pairs *pairs, tl_face_pair pair, const tl_allocator *allocator);

#endif
