/* What a body made of triangles has beside its pose: its shape now and where its points are during a substep. */
#ifndef TL_WORLD_BODY_MESH_H
#define TL_WORLD_BODY_MESH_H

#include "world/world.h"

struct tl_body_mesh {
    tl_contact_mesh *contact_mesh; /* the world's; NULL until first needed */
    tl_vec3 *start, *end,
        *told;     /* m, particles in the body's frame: of the present frame, and where the user moved them */
    bool is_told;  /* the next step goes to `told` */
    bool deformed; /* it ever was moved: the octree no longer holds */
    bool deforms;  /* start and end differ */
    tl_real *x[3], *x_old[3], *v[3], *w; /* particles in the world, for the surface */
    tl_pose posed;                       /* where x is, while it stands still */
    bool still;
    tl_vec3 *clip;     /* m, def.shape_count times all particles in the body's frame; NULL: none */
    tl_octree *octree; /* NULL without one */
    tl_barrier barrier;
};

tl_result tl_body_mesh_create(tl_body *body, tl_error *error);
void tl_body_mesh_free(tl_body *body);
void tl_body_mesh_begin(tl_body *body, double time, tl_real dt); /* shape at the end of the frame */
void tl_body_mesh_finish(tl_body *body);                         /* the end is the next start */
/* The shape was set from outside: everything that follows from it is made anew. */
void tl_body_mesh_shaped(tl_body *body);
void tl_body_mesh_arrays(tl_body *body, tl_contact_mesh *s);
/* Where all points are at the start and the end of a substep of h seconds, from … to in 0…1 of the frame. */
void tl_body_mesh_pose(tl_body *body, tl_real h, tl_real from, tl_real to);
/* Signed distance from the shape at the start of the frame, in the body's frame. */
tl_real tl_body_mesh_distance(const tl_body *body, tl_vec3 local, tl_vec3 *normal);

#endif
