/* What the two ways of listing close pairs have in common (contact/pairs.c, contact/body_pairs.c). */
#ifndef TL_CONTACT_PAIRS_H
#define TL_CONTACT_PAIRS_H

#include "contact/surface.h"

/* Two features as they are to each other. */
typedef struct tl_closeness {
    tl_vec3 x[4];     /* m, their points */
    tl_vec3 apart;    /* m, from b's nearest point to a's */
    tl_real distance; /* m */
    unsigned feature; /* where on a face that is: 0 inside, bit 3+k on edge k, bit k on corner k */
} tl_closeness;

/* At the start of the substep, or where they were `listed`. */
void tl_pair_look(const tl_surfaces *set, const tl_pair *pair, bool listed, tl_closeness *out);
/* Can they come within the gap when their distance becomes less by `soon`, and no other pair stands for them? Gives the
   pair its side. `own`: what the face stands for. */
bool tl_pair_counts(tl_pair *pair, const tl_closeness *near, tl_real gap, tl_real soon, unsigned own);
/* False when memory is short. */
bool tl_pair_add(const tl_surfaces *set, tl_surface_group *group, const tl_pair *pair);
/* Room in the lists of a group for so many more of each. False when memory is short. */
bool tl_group_make_room(const tl_surfaces *set, tl_surface_group *group, int pairs, int crossings, int watches);
/* Sides are not to be trusted where an edge pierces a face: such pairs are left to the untangling. */
void tl_group_drop_tangled(tl_surfaces *set, tl_surface_group *group);
/* tl_bent_edges, worked out when first asked for after `sharp` was cleared. */
unsigned tl_sharp_edges(tl_surface *s, tl_real *const x[3], int face, tl_real gap);

static inline bool tl_has_corner(const int *face, int p) { return face[0] == p || face[1] == p || face[2] == p; }

/* Has any of its points this mark? */
bool tl_pair_is_marked(const tl_surfaces *set, const tl_pair *pair, tl_mark mark);

#endif
