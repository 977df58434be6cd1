/* Tree of boxes over the triangles of a surface. Its shape is made once; boxes are fitted to where the triangles are as
   often as they move (van den Bergen 1997). */
#ifndef TL_CONTACT_BVH_H
#define TL_CONTACT_BVH_H

#include "core/memory.h"
#include "core/vec.h"

#include <stdatomic.h>

#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
#include <xmmintrin.h>
#endif

typedef struct tl_box {
    tl_real low[4], high[4]; /* m; the fourth is 0 and makes vectors of them */
} tl_box;

/* Holds unit normals: all of them are within the radius of the centre. */
typedef struct tl_normals {
    tl_vec3 center;
    tl_real radius;
} tl_normals;

/* Four boxes side by side. */
typedef struct tl_box4 {
    tl_real low[3][4], high[3][4]; /* m */
} tl_box4;

enum { TL_BVH_DEPTH = 64 }; /* most nodes that wait in a traversal: the tree is balanced */
enum { TL_BVH_LEAF = 4 };   /* most faces of a leaf: a few quads share a box nearly as tight as their own */

/* What a face stands for in searches that do not ask for whole faces. */
typedef enum tl_part {
    TL_PART_POINTS, /* points that are its own */
    TL_PART_EDGES,  /* edges that are its own, and count */
    TL_PART_TIGHT,  /* the face as it is, without any margin */
    TL_PARTS
} tl_part;

/* What of a face is elsewhere now: some corner; a point, an edge that is its own. */
typedef enum tl_astray { TL_ASTRAY_FACE = 1, TL_ASTRAY_POINTS = 2, TL_ASTRAY_EDGES = 4 } tl_astray;

/* Faces of a leaf of which these are elsewhere: bits 0–3, by tl_astray. */
typedef struct tl_leaf_mark {
    unsigned char face, points, edges;
} tl_leaf_mark;

/* All that a search reads of a node is side by side. */
typedef struct tl_bvh_node {
    tl_box box;
    tl_normals normals; /* of its faces, when tl_bvh_bound_normals was called */
    int first, count;   /* faces of the whole subtree: order[first … first+count-1] */
    int right;          /* second child, the first follows its parent; 0 for a leaf */
    bool flat;          /* these are all on one side of a plane */
} tl_bvh_node;

typedef struct tl_bvh {
    int face_count, node_count;
    const int *face; /* three points each; borrowed */
    int *order;      /* faces by leaf */
    int *slot;       /* of each face in that order */
    tl_bvh_node *node;
    tl_box *slot_box;         /* of each face, by slot */
    tl_box4 *leaf_box;        /* the same of each leaf, at its first slot / TL_BVH_LEAF; of what it lacks, nowhere */
    tl_box4 *part[TL_PARTS];  /* of the same faces; NULL until tl_bvh_add_parts */
    atomic_uchar *part_known; /* per leaf: 0 not, 1 a thread is at it, 2 known */
    void (*tell_parts)(void *user, int f);
    void *tell_user;
    tl_box *rest_box;         /* of each node, where the points were when the tree was made */
    tl_vec3 *rest_center;     /* m, by slot, when the tree was made */
    tl_real neighbour;        /* m; faces whose centres were nearer than this are neighbours */
    tl_vec3 *slot_normal;     /* of each face, by slot, unit, when tl_bvh_fit_normals was called */
    tl_vec3 *slot_center;     /* m, by slot, the same */
    tl_leaf_mark *leaf_mark;  /* faces that were marked */
    unsigned char *node_mark; /* nodes with such a face */
    bool shares;              /* shape, normals and centres are another's */
    size_t bytes;
} tl_bvh;

/* False when memory is short. x is where the points are now. */
bool tl_bvh_build(tl_bvh *tree, const tl_allocator *allocator, const int *face, int face_count, tl_real *const x[3]);
/* A tree of the same shape, with boxes and bounds of its own; normals and centres of faces are those of `shape`, which
   must live longer. False when memory is short. */
bool tl_bvh_share(tl_bvh *tree, const tl_bvh *shape, const tl_allocator *allocator);
void tl_bvh_destroy(tl_bvh *tree, const tl_allocator *allocator);

/* Fits all boxes to the points x, grown by margin on all sides. */
void tl_bvh_fit(tl_bvh *tree, tl_real *const x[3], tl_real margin);
/* Fits them to a box around each point. */
void tl_bvh_fit_points(tl_bvh *tree, const tl_box *point);

/* Makes room for parts of faces. Searches ask for them where they come by: tell(user, f) says where those of face f
   are, with tl_bvh_set_part. False when memory is short. */
bool tl_bvh_add_parts(tl_bvh *tree, void (*tell)(void *user, int f), void *user, const tl_allocator *allocator);
/* Where a part of a face is; NULL: nowhere. */
void tl_bvh_set_part(tl_bvh *tree, tl_part part, int f, const tl_box *box);
/* Parts are elsewhere now: they will be asked for again. */
void tl_bvh_forget_parts(tl_bvh *tree);

/* Marks a face of which something is elsewhere now (`stale`, bits of tl_astray): its box, and all boxes around it, are
   made so large that they hold the given one, and the bounds of normals so large that they hold what they are at x, or
   anything when it is lively. */
void tl_bvh_mark(tl_bvh *tree, int f, unsigned stale, const tl_box *box, tl_real *const x[3], bool lively);
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

/* Least square of the distance from p to anything in the box, m². */
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

static inline bool tl_boxes_meet(const tl_box *a, const tl_box *b)
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

/* Which of the four boxes does a box meet? Bits 0–3. */
static inline unsigned tl_boxes_met(const tl_box *a, const tl_box4 *b)
{
#if defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    __m128 apart = _mm_setzero_ps();
    for (int c = 0; c < 3; ++c) {
        apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_set1_ps(a->low[c]), _mm_loadu_ps(b->high[c])));
        apart = _mm_or_ps(apart, _mm_cmpgt_ps(_mm_loadu_ps(b->low[c]), _mm_set1_ps(a->high[c])));
    }
    return (unsigned)_mm_movemask_ps(apart) ^ 15u;
#else
    unsigned met = 0;
    for (unsigned k = 0; k < 4; ++k) {
        unsigned apart = 0;
        for (int c = 0; c < 3; ++c)
            apart |= (a->low[c] > b->high[c][k]) | (b->low[c][k] > a->high[c]);
        met |= (apart ^ 1u) << k;
    }
    return met;
#endif
}

/* The same for box k of four. */
static inline unsigned tl_boxes_met_by(const tl_box4 *a, int k, const tl_box4 *b)
{
    tl_box box;
    for (int c = 0; c < 3; ++c) {
        box.low[c] = a->low[c][k];
        box.high[c] = a->high[c][k];
    }
    return tl_boxes_met(&box, b);
}

/* What of two faces f and g is near each other. */
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

/* Pairs of faces whose boxes meet, in a fixed order; grows as needed. */
typedef struct tl_face_pairs {
    tl_face_pair *pair;
    int count, capacity;
} tl_face_pairs;

/* Normals and centres of all faces at x. */
void tl_bvh_fit_normals(tl_bvh *tree, tl_real *const x[3]);
/* Bounds of these for all nodes, for the parameter `flat` below. Faces that are `lively`, where that is not NULL, may
   turn anywhere: nothing with them is flat. */
void tl_bvh_bound_normals(tl_bvh *tree, const unsigned char *lively);

/* What is taken not to touch itself: parts of the surface that hang together and have all normals on one side of a
   plane (Volino and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly discretized surface
   animations using geometrical shape regularity"; their test of the outline is left out: parts are as compact as boxes
   make them); and also single faces beside each other that bend by less than about a right angle and are about as far
   from each other as they were, which can be wrong where cloth is folded twice between them. */
typedef enum tl_flat { TL_FLAT_NOTHING, TL_FLAT_PARTS, TL_FLAT_NEIGHBOURS } tl_flat;

/* Bits that say which pairs are asked for: all of whole faces; only those with a marked face; those of which parts are
   near, and, of marked faces, parts that are elsewhere now or near such a face. */
typedef enum tl_search { TL_SEARCH_ALL = 0, TL_SEARCH_MARKED = 1, TL_SEARCH_PARTS = 2 } tl_search;

/* What is looked for: pairs of two trees, or of one with itself (each once, no face with itself), but for what is flat
   there. */
typedef struct tl_bvh_search {
    const tl_bvh *a, *b;
    tl_flat flat;   /* of one with itself */
    unsigned which; /* tl_search */
} tl_bvh_search;

/* Appends all of them. False when memory is short. */
bool tl_bvh_find(const tl_bvh_search *search, tl_face_pairs *pairs, const tl_allocator *allocator);

/* Part of a search: two subtrees; of one tree with itself also the same twice, for one with itself. */
typedef struct tl_bvh_job {
    int m, n;
} tl_bvh_job;

typedef struct tl_bvh_jobs {
    tl_bvh_job *job;
    int count, capacity;
} tl_bvh_jobs;

/* Cuts a search into jobs of so many faces at the most, or two leaves, and appends these: done in their order they
   append what the whole search does, in its order. Several threads may do jobs of one search. False when memory is
   short. */
bool tl_bvh_cut(const tl_bvh_search *search, int faces, tl_bvh_jobs *jobs, const tl_allocator *allocator);
bool tl_bvh_do(const tl_bvh_search *search, tl_bvh_job job, tl_face_pairs *pairs, const tl_allocator *allocator);

/* The first node behind the subtree of node n, in the order in which they are kept. */
int tl_bvh_after(const tl_bvh *tree, int n);

bool tl_face_pairs_add(tl_face_pairs *pairs, tl_face_pair pair, const tl_allocator *allocator);

#endif
