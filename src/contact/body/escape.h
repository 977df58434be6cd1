/* The last resort of convex contact. */
#ifndef TL_CONTACT_BODY_ESCAPE_H
#define TL_CONTACT_BODY_ESCAPE_H

#include "contact/body/convex_contact.h"

/* A position outside all bodies at their end poses, for a particle that moved from x_old to x and ended inside one. */
tl_vec3 tl_escape_bodies(const tl_contact_body *bodies, int body_count, tl_real thickness, tl_vec3 x_old, tl_vec3 x);

#endif
