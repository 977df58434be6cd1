/* How far particles have moved in the frame, which lets contacts sleep, and the projection of what contact moved out of
   convex bodies. */
#ifndef TL_CONTACT_CLOTH_PATH_LENGTH_H
#define TL_CONTACT_CLOTH_PATH_LENGTH_H

#include "contact/cloth/contact_world.h"

/* A frame starts. */
void tl_path_lengths_clear(tl_contact_world *set);
/* Notes the positions of all cloth that self-collides. */
void tl_path_lengths_note(tl_contact_world *set);
/* Adds the displacement since they were noted, less the one that all have in common. */
void tl_path_lengths_add(tl_contact_world *set, tl_vec3 common);

/* Nothing was moved since the last projection out of bodies. */
void tl_clear_touched(tl_contact_world *set);
/* Projects particles of `touched` blocks out of the convex bodies of this substep: a layer that lies on such a body
   must not give way. */
void tl_project_out_of_bodies(tl_contact_world *set);
/* The same within a sweep: what it moves counts as moved by the sweep, then nothing is touched. */
void tl_project_sweep_out_of_bodies(tl_contact_world *set);

#endif
