/* Path lengths of particles in a frame, which let contacts sleep, and the projection of moved particles out of
   convex bodies. */
#ifndef TL_CONTACT_CLOTH_PATH_LENGTH_H
#define TL_CONTACT_CLOTH_PATH_LENGTH_H

#include "contact/cloth/contact_world.h"

/* Starts a frame. */
void tl_path_lengths_clear(tl_contact_world *set);
/* Stores the positions of all self-colliding cloth. */
void tl_path_lengths_note(tl_contact_world *set);
/* Adds the displacement since then, less the common one. */
void tl_path_lengths_add(tl_contact_world *set, tl_vec3 common);

/* Clears the flags of what moved since the last projection out of bodies. */
void tl_clear_touched(tl_contact_world *set);
/* Projects particles of `touched` blocks out of the convex bodies of this substep: a layer that lies on a body must
   not be pushed into it. */
void tl_project_out_of_bodies(tl_contact_world *set);
/* The same within a sweep: what it moves counts as moved by the sweep; then clears `touched`. */
void tl_project_sweep_out_of_bodies(tl_contact_world *set);

#endif
