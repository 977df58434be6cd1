/* Contact between the meshes of a world (contact/cloth/contact_world.h): the contact meshes of cloths and mesh bodies,
   and the common substeps of coupled cloths. */
#ifndef TL_WORLD_CONTACTS_H
#define TL_WORLD_CONTACTS_H

#include "world/world.h"

/* Brings the contact meshes up to date with cloths, bodies and their settings. */
tl_result tl_world_update_contacts(tl_world *world);
/* Settings of a contact mesh changed; `recreate`: a cloth or body was added or removed. */
void tl_world_contacts_changed(tl_world *world, bool recreate);
/* Frees all contact meshes before a cloth or body that has one is destroyed. */
void tl_world_contacts_release(tl_world *world);

/* world/gap_limit.c: refuses gaps too wide for the meshes between which they are kept. */
double tl_mesh_fineness(const tl_mesh *mesh); /* 1/m², mean of 1/length² over its edges */
tl_result tl_cloth_check_gaps(const tl_cloth *cloth, tl_error *error);
tl_result tl_body_check_gaps(const tl_body *body, tl_error *error);

/* True when the cloth has mesh contact with itself, another cloth or a mesh body. Coupled cloths share their
   substeps. */
bool tl_cloth_is_coupled(const tl_cloth *cloth);
/* True when displacements are truncated to stay penetration-free. Pinned particles may then stop short of their
   targets. */
bool tl_cloth_is_penetration_free(const tl_cloth *cloth);
/* Largest substep count of the coupled cloths; 0 when there are none. */
int tl_world_coupled_substeps(const tl_world *world, tl_real dt);
/* A frame of all coupled cloths: substep n of `substeps` between begin and end. */
void tl_world_coupled_begin(tl_world *world, int substeps);
void tl_world_coupled_substep(tl_world *world, tl_real dt, int n, int substeps);
void tl_world_coupled_end(tl_world *world);
/* True when self-collision left crossings in the frame that were not there before: it is to be taken again from its
   start, with displacements truncated as by penetration-free contact. */
bool tl_world_guard_frame(tl_world *world);
/* world/layer_solve.c: contact phase "layer solve", for cloths with implicit steppers. Returns the number of
   contacts. */
int tl_world_layer_solve(tl_world *world);

#endif
