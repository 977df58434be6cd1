/* What the two ways of listing close pairs have in common (contact/pairs.c, contact/body_pairs.c). */
#ifndef TL_CONTACT_PAIRS_H
#define TL_CONTACT_PAIRS_H

#include "contact/surface.h"

typedef struct tl_closeness {
    tl_real distance; /* m, between the two features */
    tl_real beside; /* m, that a vertex must move to come over the face: until then a neighbour stands for the place */
} tl_closeness;

/* Are the two features of a pair, at the start of the substep or where they were `listed`, such that they can come
   within the gap when their distance becomes less by `soon`, and no other pair stands for them? Gives the pair its
   side. `own`: what the face stands for. */
bool tl_pair_measure(const tl_surfaces *set, tl_pair *pair, bool listed, tl_real gap, tl_real soon, unsigned own,
                     tl_closeness *out);
/* False when memory is short. */
bool tl_pair_add(tl_surfaces *set, tl_surface_group *group, const tl_pair *pair);
/* Sides are not to be trusted where an edge pierces a face: such pairs are left to the untangling. */
void tl_group_drop_tangled(tl_surfaces *set, tl_surface_group *group);
/* Edges of a face that are bent, or on a border, among those it stands for (bits 3–5), at points x; worked out when
   first asked for after `sharp` was cleared. */
unsigned tl_sharp_edges(tl_surface *s, tl_real *const x[3], int face, tl_real gap);

static inline bool tl_has_corner(const int *face, int p) { return face[0] == p || face[1] == p || face[2] == p; }

/* Has any of its points this mark? */
bool tl_pair_is_marked(const tl_surfaces *set, const tl_pair *pair, tl_mark mark);

#endif
