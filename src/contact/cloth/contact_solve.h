/* The solve of mesh contacts, one after the other (Gauss–Seidel). */
#ifndef TL_CONTACT_CLOTH_CONTACT_SOLVE_H
#define TL_CONTACT_CLOTH_CONTACT_SOLVE_H

#include "contact/cloth/contact_world.h"

/* Solves all contacts that can have come near since they were found, or those that were near in the last sweep;
   `again`: only what is new or still too close. True when there are such. */
bool tl_mesh_pair_solve(tl_contact_world *set, tl_mesh_pair *pair, bool all, bool again);
/* Adds the contacts of two cloths that are near and on their right sides to set->row, behind `count` of them. Returns
   how many there are then. */
int tl_mesh_pair_rows(tl_contact_world *set, const tl_mesh_pair *pair, int count);
/* Relaxes the velocities of cloth that rests on a body: contacts that share particles have each pushed too much. */
void tl_mesh_pair_relax(tl_contact_world *set, tl_mesh_pair *pair);
/* Takes speed from layers that rest on each other. */
void tl_mesh_pair_damp_resting(tl_contact_world *set, tl_mesh_pair *pair);
/* The last resort for contacts that are inverted, on the wrong side. Returns how many there were. */
int tl_mesh_pair_revert_inverted(tl_contact_world *set, tl_mesh_pair *pair);
/* Returns particles to where the substep began, with their common velocity. */
void tl_revert_particles(tl_contact_mesh *const of[], const int particle[], int count);

#endif
