/* Rollback: what has come to cross in this substep returns to where it was. */
#ifndef TL_CONTACT_CLOTH_ROLLBACK_H
#define TL_CONTACT_CLOTH_ROLLBACK_H

#include "contact/cloth/contact_world.h"

/* True when something was rolled back. */
bool tl_mesh_pair_roll_back(tl_contact_world *set, const tl_mesh_pair *pair);

#endif
