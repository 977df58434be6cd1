/* Untangling: features that cross already are pulled apart. */
#ifndef TL_CONTACT_CLOTH_UNTANGLE_H
#define TL_CONTACT_CLOTH_UNTANGLE_H

#include "contact/cloth/contact_world.h"

/* Adds the crossings of the edges of either face with the other to the pair.
   False when out of memory. */
bool tl_crossing_find(const tl_contact_world *set, tl_mesh_pair *pair, int f, int g);
void tl_crossings_drop_stale(const tl_contact_world *set, tl_mesh_pair *pair);
/* Pulls all crossings apart by a step. Returns how many there are. */
int tl_contacts_untangle(tl_contact_world *set);

#endif
