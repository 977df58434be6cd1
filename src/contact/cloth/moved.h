/* What the solve moved, and its projection out of convex bodies. */
#ifndef TL_CONTACT_CLOTH_MOVED_H
#define TL_CONTACT_CLOTH_MOVED_H

#include "contact/cloth/contact_world.h"

/* Starts a frame. */
void tl_moves_clear(tl_contact_world *set);

/* Clears the flags of what moved since the last projection out of bodies. */
void tl_clear_touched(tl_contact_world *set);
/* Projects particles of `touched` blocks out of the convex bodies of this substep: a layer that lies on a body must
   not be pushed into it. */
void tl_project_out_of_bodies(tl_contact_world *set);
/* The same within a sweep: what it moves counts as moved by the sweep; then clears `touched`. */
void tl_project_sweep_out_of_bodies(tl_contact_world *set);

#endif
