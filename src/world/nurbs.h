/* Cloth as a NURBS sheet (future work of the thesis S3): a net of control points is simulated in place of the
   particles, and the particles are x = W c, v = W ċ with a fixed matrix W (mesh/spline.h).

   The net is a cloth of its own that the world does not list: the same elements, stepper and settings on a coarser
   grid. Its masses are M = Wᵀ m, forces of the user Wᵀ f: mass and momentum of the net are those of the particles,
   because the rows of W sum to 1. A body is met at the particles, as points of the surface. What they have to move
   there is distributed to the net by W (Provot-like impulses: Bridson, Fedkiw, Anderson 2002 do so over the corners of
   a face).

   With `hybrid` that happens only while no body is near: particles take over before the first contact, from where W has
   put them, so that nothing jumps. The net takes over again when all is clear and it can be laid through the particles,
   by least squares, to within MAX_JUMP; their momentum is kept. */
#ifndef TL_WORLD_NURBS_H
#define TL_WORLD_NURBS_H

#include "mesh/spline.h"
#include "world/world.h"

enum { TL_NURBS_MOST = 64 /* control points along a side */ };

struct tl_nurbs {
    tl_spline u, v;     /* along rows and columns of the grid */
    tl_cloth *control;  /* the net */
    tl_real *rows;      /* control rows × columns, working memory */
    double *sums;       /* control rows × (columns + control columns), the same */
    tl_real *line;      /* columns, the same */
    tl_real *kept[3];   /* x and v of pinned particles, the same */
    tl_real *mapped[3]; /* W of something, per particle */
    bool active;        /* the net is simulated: the particles are W c */
    tl_real calm;       /* s, for how long no body has been near */
    bool said;          /* the log says why particles are simulated */
};

/* The net of the definition's surface, when there is to be one, with its present settings. */
tl_result tl_nurbs_configure(tl_cloth *cloth, tl_error *error);
void tl_nurbs_destroy(tl_cloth *cloth);

/* Points that the last frame simulated. */
int tl_nurbs_simulated(const tl_cloth *cloth);

/* Takes the frame with the net; false when particles are to be simulated. `step` takes a whole frame of a cloth. */
bool tl_nurbs_step(tl_cloth *cloth, tl_real dt, void (*step)(tl_cloth *cloth, tl_real dt));

/* Contact of the surface with bodies at the end of a substep of the net; returns the number of particles in contact. */
int tl_nurbs_contact(tl_cloth *control, tl_real h);

/* out = W c, per particle, and out = Wᵀ a, per control point (a per particle). */
void tl_nurbs_map(const tl_nurbs *nurbs, const tl_mesh *mesh, tl_real *const c[3], tl_real *const out[3]);
void tl_nurbs_gather(const tl_nurbs *nurbs, const tl_mesh *mesh, const tl_real *a, tl_real *out);
/* The control points whose surface is nearest to the particles' x, by least squares. */
void tl_nurbs_fit(const tl_nurbs *nurbs, const tl_mesh *mesh, tl_real *const x[3], tl_real *const out[3]);

#endif
