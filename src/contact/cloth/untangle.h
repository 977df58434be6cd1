/* Untangling: what crosses already is pulled apart. */
#ifndef TL_CONTACT_CLOTH_UNTANGLE_H
#define TL_CONTACT_CLOTH_UNTANGLE_H

#include "contact/cloth/contact_world.h"

/* Adds where edges of one of two faces pierce the other to the pair; all, or those with a stale particle. False when
   memory is short. */
bool tl_crossing_find(const tl_contact_world *set, tl_mesh_pair *pair, int f, int g, bool stale);
void tl_crossings_drop_stale(const tl_contact_world *set, tl_mesh_pair *pair);
void tl_crossings_pull_apart(tl_contact_world *set, const tl_mesh_pair *pair);

#endif
