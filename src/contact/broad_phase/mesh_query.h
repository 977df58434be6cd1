/* State of the broad phase per mesh. Only contact/broad_phase writes it. */
#ifndef TL_CONTACT_BROAD_PHASE_MESH_QUERY_H
#define TL_CONTACT_BROAD_PHASE_MESH_QUERY_H

#include "collide/mesh/face_tree.h"

#include <stdatomic.h>

typedef struct tl_mesh_query {
    /* of a body, and of cloth against it (broad_phase_body.c) */
    unsigned char *sharp; /* per face: represented edges that are bent or on the border (bits 3–5), at present */
    tl_real sharp_gap; /* m, of a body: gap for which they are known, and `shape` of its barrier; negative: unknown */
    int sharp_shape;

    /* of self-colliding cloth (broad_phase.c); NULL before it collides */
    tl_face_tree tree;
    unsigned char *own;        /* by slot of the tree: `owned` of the face there */
    unsigned char (*lanes)[6]; /* by group of the tree: lanes whose faces represent a corner, or an edge (from 3 on) */
    atomic_uchar *bent; /* the same: edges that are bent where features are listed, with TL_BENT_KNOWN; 0: not known */
    tl_real *sought[3]; /* m, ends of the motion for which candidates were last found */
    /* m, motion for which features are listed, less the drift: where those that are listed with slack were */
    tl_real *from[3], *to[3];
} tl_mesh_query;

#endif
