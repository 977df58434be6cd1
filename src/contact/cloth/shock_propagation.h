/* Shock propagation: particles know how many layers they are above a body, and the lower of two layers moves less
   (Guendelman, Bridson and Fedkiw 2003). */
#ifndef TL_CONTACT_CLOTH_SHOCK_PROPAGATION_H
#define TL_CONTACT_CLOTH_SHOCK_PROPAGATION_H

#include "contact/cloth/contact_world.h"

/* Clears all levels, at the start of a frame. */
void tl_stack_levels_clear(tl_contact_world *set);
/* Particles that bodies pushed since the last substep rest on them; `all`: propagates levels through all contacts. */
void tl_stack_levels_update(tl_contact_world *set, bool all);
/* Factors of the four inverse masses of a contact, and propagates the lower level to the upper feature. n: unit,
   from b to a. */
void tl_stack_level_factors(const tl_contact_world *set, const tl_contact *contact, tl_vec3 n, tl_real factor[4]);
/* Ends the substep. */
void tl_stack_levels_end(tl_contact_world *set);

#endif
