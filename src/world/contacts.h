/* Which cloths and bodies of a world meet as surfaces of triangles (contact/cloth/contact_world.h), and their common
 * substeps. */
#ifndef TL_WORLD_SURFACES_H
#define TL_WORLD_SURFACES_H

#include "world/world.h"

/* Brings the surfaces up to date with cloths, bodies and their settings. */
tl_result tl_world_update_contacts(tl_world *world);
/* Something they depend on was changed; `made`: a cloth or body came or went. */
void tl_world_contacts_changed(tl_world *world, bool made);

/* Does the cloth meet anything as a surface? Such cloths take their substeps together. */
bool tl_cloth_is_joined(const tl_cloth *cloth);
/* Are the ways of its particles bounded? Held ones then reach their targets only as far as nothing is in their way. */
bool tl_cloth_is_bounded(const tl_cloth *cloth);
/* Most substeps that a joined cloth asks for; 0 when none is joined. */
int tl_world_joined_substeps(const tl_world *world);
/* A frame of all joined cloths: substep n of `substeps`, each of h seconds, between begin and end. */
void tl_world_joined_begin(tl_world *world, int substeps, tl_real h);
void tl_world_joined_substep(tl_world *world, tl_real dt, int n, int substeps);
void tl_world_joined_end(tl_world *world);
/* world/layer_solve.c: the phase "layer solve" of contact, for cloths under implicit steppers. Returns how many
   contacts took part. */
int tl_world_layer_solve(tl_world *world);

#endif
