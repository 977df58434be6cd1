/* What the two ways of listing close pairs have in common (contact/pairs.c, contact/body_pairs.c). */
#ifndef TL_CONTACT_PAIRS_H
#define TL_CONTACT_PAIRS_H

#include "contact/surface.h"

/* Adds a pair to the list when its two features can come within the gap during the life of the list. `own`: what the
   face of a vertex–face pair stands for. */
void tl_pair_consider(tl_surfaces *set, tl_surface_group *group, tl_pair *pair, unsigned own);
/* Edges of a face that are bent, or on a border, among those it stands for (bits 3–5), at points x; worked out when
   first asked for after `sharp` was cleared. */
unsigned tl_sharp_edges(tl_surface *s, tl_real *const x[3], int face, tl_real gap);

/* Pairs of a cloth and a body, and what crosses already. */
void tl_body_collect(tl_surfaces *set, tl_surface_group *group);

#endif
