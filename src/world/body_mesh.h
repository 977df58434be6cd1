/* State of a mesh body beyond its pose: its shape, and its particles during a substep. */
#ifndef TL_WORLD_BODY_MESH_H
#define TL_WORLD_BODY_MESH_H

#include "world/world.h"

struct tl_body_mesh {
    tl_contact_mesh *contact_mesh; /* owned by the world; NULL until first needed */
    double fineness;               /* 1/m², tl_mesh_fineness */
    tl_vec3 *start, *end,
        *target;     /* m, in body space: shape at the start and end of the frame, and the shape set by the user */
    bool has_target; /* the next step moves to `target` */
    bool deformed;   /* has ever deformed: the octree is no longer valid */
    bool deforms;    /* start and end differ in this frame */
    tl_real *x[3], *x_old[3], *v[3], *w; /* particles in world space, for the contact mesh */
    tl_pose posed;                       /* pose that x was computed for, valid while `still` */
    bool still;
    tl_vec3 *clip;     /* m, def.shape_count shapes in body space; NULL: none */
    tl_octree *octree; /* NULL without one */
    tl_barrier barrier;
};

tl_result tl_body_mesh_create(tl_body *body, tl_error *error);
void tl_body_mesh_free(tl_body *body);
void tl_body_mesh_begin(tl_body *body, double time, tl_real dt); /* sets the shape at the end of the frame */
void tl_body_mesh_finish(tl_body *body);                         /* end of the frame becomes the next start */
/* Rebuilds everything derived from the shape at the start of the frame, after that was set. */
void tl_body_mesh_shaped(tl_body *body);
void tl_body_mesh_arrays(tl_body *body, tl_contact_mesh *s);
/* Particles at the start and end of a substep of h seconds, from … to in 0…1 of the frame. */
void tl_body_mesh_pose(tl_body *body, tl_real h, tl_real from, tl_real to);
/* Signed distance from the shape at the start of the frame, in body space. */
tl_real tl_body_mesh_distance(const tl_body *body, tl_vec3 local, tl_vec3 *normal);

#endif
