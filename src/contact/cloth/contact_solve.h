/* The solve of mesh contacts: projected Gauss–Seidel. */
#ifndef TL_CONTACT_CLOTH_CONTACT_SOLVE_H
#define TL_CONTACT_CLOTH_CONTACT_SOLVE_H

#include "contact/cloth/contact_world.h"

/* Sweeps over all contacts that can be near, each sweep followed by a projection out of bodies, until none is too
   close. `again`: solves only contacts that are new or too close. True when some are still too close. */
bool tl_contacts_sweep(tl_contact_world *set, bool again);
/* Returns the particles of inverted contacts, which are on the wrong side, to where the substep began. Returns how many
   contacts there were. */
int tl_contacts_revert_inverted(tl_contact_world *set);
/* Relaxes the velocities of cloth that rests on bodies, whose contacts share particles and have each pushed too much,
   and takes velocity from layers that rest on each other. */
void tl_contacts_damp_resting(tl_contact_world *set);
/* Adds the contacts of two cloths that are near and on their proper sides to set->row, behind `count` of them. Returns
   how many there are then. */
int tl_mesh_pair_rows(tl_contact_world *set, const tl_mesh_pair *pair, int count);
/* Returns particles to where the substep began, with their common velocity. */
void tl_revert_particles(tl_contact_mesh *const of[], const int particle[], int count);

#endif
