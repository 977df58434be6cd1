/* Penetration-free contact: displacements are truncated so that nothing can cross. */
#ifndef TL_CONTACT_CLOTH_TRUNCATION_H
#define TL_CONTACT_CLOTH_TRUNCATION_H

#include "contact/cloth/contact_world.h"

/* Returns how many displacements were truncated. */
int tl_contacts_truncate(tl_contact_world *set);

#endif
