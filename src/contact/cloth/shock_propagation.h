/* Shock propagation: layers that rest on others know how far they are from the ground, and the lower ones give way less
   (Guendelman, Bridson and Fedkiw 2003). */
#ifndef TL_CONTACT_CLOTH_SHOCK_PROPAGATION_H
#define TL_CONTACT_CLOTH_SHOCK_PROPAGATION_H

#include "contact/cloth/contact_world.h"

/* Nothing is known to rest on anything, at the start of a frame. */
void tl_stack_levels_clear(tl_contact_world *set);
/* What bodies have pushed since the last substep ended rests on them; `all`: with everything that rests on that. */
void tl_stack_levels_update(tl_contact_world *set, bool all);
/* One of two features rests on the other: passes the level on. Sets the factors of the four inverse masses.
   n: unit, from b to a. */
void tl_stack_level_factors(const tl_contact_world *set, const tl_contact *contact, tl_vec3 n, tl_real factor[4]);
/* The substep ends. */
void tl_stack_levels_end(tl_contact_world *set);

#endif
