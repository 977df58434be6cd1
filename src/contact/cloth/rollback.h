/* Rollback: features that came to cross in this substep return to where it began. */
#ifndef TL_CONTACT_CLOTH_ROLLBACK_H
#define TL_CONTACT_CLOTH_ROLLBACK_H

#include "contact/cloth/contact_world.h"

/* One round over all cloths. True when something was rolled back. */
bool tl_contacts_roll_back(tl_contact_world *set);

#endif
