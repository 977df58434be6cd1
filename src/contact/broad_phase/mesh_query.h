/* State of the broad phase per mesh: positions at the last query, predicted positions, and bounds around the motion
   between. Only contact/broad_phase writes it. */
#ifndef TL_CONTACT_BROAD_PHASE_MESH_QUERY_H
#define TL_CONTACT_BROAD_PHASE_MESH_QUERY_H

#include "collide/mesh/bvh.h"

struct tl_contact_mesh;

/* A face at the query. */
typedef struct tl_face_bounds {
    tl_vec3 corner[3]; /* m, at the query */
    tl_vec3 normal;    /* unit */
    tl_real height;    /* m, of its plane along the normal */
    tl_vec3 motion;    /* m, mean predicted displacement of its corners until the candidates expire */
    tl_real spread;    /* m, largest deviation of a corner's motion from that within tolerances */
} tl_face_bounds;

/* Boxes around the predicted motion of particles, and the tree around them (swept_bounds.c). */
typedef struct tl_swept_bounds {
    struct tl_contact_mesh *mesh;
    tl_bvh *tree;               /* with its parts */
    tl_box *box;                /* per particle */
    unsigned char *bent;        /* per face: represented edges that are bent or on the border (bits 3–5); or NULL */
    const unsigned char *edges; /* active edges: `bent`, or all that it represents */
    bool crossings;             /* crossings are searched, too */
    tl_real gap, margin;        /* m, of the boxes; negative margin: out of date */
    tl_real marked;             /* m, margin for which the stale faces are marked; negative: not yet */
} tl_swept_bounds;

typedef struct tl_mesh_query {
    unsigned char *sharp; /* per face: represented edges that are bent or on the border (bits 3–5), at present: for
                             cloth against bodies */
    tl_real sharp_gap; /* m, of a body: gap for which they are known, and `shape` of its barrier; negative: unknown */
    int sharp_shape;
    int *stale; /* faces with a stale particle */
    int stale_count;
    tl_real *start[3];         /* m, positions at the query, less the drift */
    tl_real *predicted_end[3]; /* m, predicted positions when they expire, less the drift */
    tl_real *smoothed_step[3]; /* m, smoothed displacement per substep, after contact */
    tl_real *step_start[3];    /* m, positions at the start of the present substep */
    tl_swept_bounds bounds;    /* for contacts, with the mesh's own tree; cloth only */
    tl_real *tolerance;        /* m, deviation from the prediction that uses up no margin */
    tl_real *span;             /* m, largest distance from `start` within the tolerance */
    tl_face_bounds *face;      /* per face, computed on demand */
    tl_real *deviation;        /* m, largest deviation from the prediction so far, beyond the tolerance */
    tl_real max_deviation;     /* m, the largest of these */
    /* for CCD pairs; NULL until first needed */
    tl_bvh ccd_tree;
    tl_swept_bounds ccd_bounds; /* around the same motion */
    unsigned char *may_fold;    /* per face: may fold over before the candidates expire */
} tl_mesh_query;

#endif
