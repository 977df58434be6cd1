/* Eight-wide tree over the faces of a moving mesh: which faces of two meshes, or of one, can come within reach of each
   other while all points move on straight lines from one place to another.

   The faces stand in a fixed order, eight next to each other make a group, eight groups next to each other a group of
   the level above, and so on: children of node n of a level are the eight lanes of group n of the level below. Boxes
   are relative: that of a node holds its points in the frame that moves with the node's own mean displacement, so that
   cloth which moves as a whole has small boxes however fast it is. Two nodes are tested by sweeping one box along the
   difference of the two displacements. Whole parts of the mesh whose normals all lie on one side of a plane are not
   tested against themselves (Volino and Magnenat-Thalmann 1994, "Efficient self-collision detection on smoothly
   discretized surface animations using geometrical shape regularity"; in place of their contour test, which follows the
   motion, whole_parts.h looks at the border once). */
#ifndef TL_COLLIDE_MESH_FACE_TREE_H
#define TL_COLLIDE_MESH_FACE_TREE_H

#include "core/memory.h"
#include "core/vec.h"

enum {
    TL_TREE_WIDTH = 8,
    TL_TREE_LEVELS = 9 /* of all trees, so that any two can be descended together: 8^9 faces */
};

/* Eight nodes next to each other: faces, or groups of the level below. Empty lanes have empty boxes. */
typedef struct tl_tree_group {
    tl_real low[3][TL_TREE_WIDTH], high[3][TL_TREE_WIDTH]; /* m, relative to `displacement` */
    tl_real displacement[3][TL_TREE_WIDTH];                /* m, mean of the points */
    /* bound on unit normals: all of them lie within the radius of the centre; a face's own normal at the start */
    tl_real normal[3][TL_TREE_WIDTH], radius[TL_TREE_WIDTH];
    /* m, box at rest; of a face, its centre in `rest_low` */
    tl_real rest_low[3][TL_TREE_WIDTH], rest_high[3][TL_TREE_WIDTH];
    int count;           /* lanes in use */
    unsigned char whole; /* bits of lanes: one piece without slits or holes */
    unsigned char flat;  /* whole, and the normals all lie on one side of a plane */
} tl_tree_group;

/* Eight faces next to each other; empty lanes repeat the last one. */
typedef struct tl_tree_faces {
    tl_real from[3][3][TL_TREE_WIDTH], to[3][3][TL_TREE_WIDTH]; /* m, by corner and axis, at the start and at the end */
    int corner[3][TL_TREE_WIDTH];                               /* particles */
} tl_tree_faces;

typedef struct tl_face_tree {
    int face_count;
    const int *face;                      /* three points each; borrowed */
    int *order;                           /* faces in the order of the tree */
    int *slot;                            /* place of each face in it */
    tl_tree_group *group[TL_TREE_LEVELS]; /* by level; level 0 holds the faces, the last level is one group */
    int groups[TL_TREE_LEVELS];
    unsigned char *marked[TL_TREE_LEVELS]; /* by group: bits of lanes with a marked face */
    tl_tree_faces *faces;                  /* by group of level 0 */
    tl_real neighbour;                     /* m; faces whose centres were closer than this at rest are neighbours */
    tl_real adjacent;                      /* m; centres of faces with a common corner are no farther apart at rest */
    size_t bytes;
} tl_face_tree;

/* Builds the tree over triangles at rest: `face` has three points each, x their places. Returns false when out of
   memory. */
bool tl_face_tree_build(tl_face_tree *tree, const tl_allocator *allocator, const int *face, int face_count,
                        const tl_vec3 *x);
void tl_face_tree_destroy(tl_face_tree *tree, const tl_allocator *allocator);

void tl_face_tree_mark(tl_face_tree *tree, int face);
void tl_face_tree_clear_marks(tl_face_tree *tree);

/* A face of tree a against faces of a group of tree b. A corner is above or below when it stays beyond reach on that
   side of the plane of the other face. */
typedef struct tl_tree_row {
    int slot, group;
    unsigned char lanes;  /* bits of the faces that can come within reach */
    unsigned char pierce; /* of these, faces that can cross at the start */
    unsigned char bends;  /* of these, with `neighbours`: all that have a common corner and bend back */
    unsigned char above[2][3], below[2][3]; /* bits of lanes, by corner of the face, and of those of the group */
} tl_tree_row;

/* Rows in a fixed order, which does not depend on what is found; grows as needed. */
typedef struct tl_tree_rows {
    tl_tree_row *row;
    int count, capacity;
} tl_tree_rows;

/* Part of a search: two groups of a level, or one with itself. */
typedef struct tl_tree_job {
    int level, m, n;
    bool whole;
} tl_tree_job;

typedef struct tl_tree_jobs {
    tl_tree_job *job;
    int count, capacity;
} tl_tree_jobs;

typedef struct tl_tree_search {
    const tl_face_tree *a, *b;
    tl_real reach;   /* m */
    bool marked;     /* only pairs with a marked face */
    bool neighbours; /* of one mesh: leaves out neighbours that bend by less than about a right angle and are about as
                        far apart as at rest; they do not touch unless cloth is folded twice between them */
} tl_tree_search;

/* Receives rows, or jobs of the given level instead of opening them. */
typedef struct tl_tree_sink {
    const tl_allocator *allocator;
    tl_tree_rows *rows;
    tl_tree_jobs *jobs;
    int level;
    bool failed; /* out of memory */
} tl_tree_sink;

/* Kernels, compiled once per vector width; all give the same bits. */

/* Fits faces of groups first … last−1 of level 0 to motion from x_old to x. Faces that may fold over when their points
   move by `fold` metres besides can have any normal; negative: this is not asked. `marked`: only groups with a mark. */
typedef void tl_face_tree_fit_kernel(tl_face_tree *tree, tl_real *const x_old[3], tl_real *const x[3], int first,
                                     int last, tl_real fold, bool marked);
/* Fits all levels above. */
typedef void tl_face_tree_fit_nodes_kernel(tl_face_tree *tree, bool marked);
/* Appends the rows of faces that can come within reach of each other. */
typedef void tl_face_tree_find_kernel(const tl_tree_search *search, tl_tree_job job, tl_tree_sink *sink);

tl_face_tree_fit_kernel tl_face_tree_fit_w8, tl_face_tree_fit_w4, tl_face_tree_fit_w1;
tl_face_tree_fit_nodes_kernel tl_face_tree_fit_nodes_w8, tl_face_tree_fit_nodes_w4, tl_face_tree_fit_nodes_w1;
tl_face_tree_find_kernel tl_face_tree_find_w8, tl_face_tree_find_w4, tl_face_tree_find_w1;

/* The whole search as one job. */
static inline tl_tree_job tl_face_tree_all(void) { return (tl_tree_job){.level = TL_TREE_LEVELS - 1}; }

#endif
