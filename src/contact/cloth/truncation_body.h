/* Pairs of features of a cloth and a body made of triangles that could cross in a substep. */
#ifndef TL_CONTACT_CLOTH_TRUNCATION_BODY_H
#define TL_CONTACT_CLOTH_TRUNCATION_BODY_H

#include "contact/cloth/contact_world.h"

typedef void tl_take_features(tl_contact_world *set, tl_real gap, int a, int b, const int p[4], unsigned char kind);

/* Hands over every pair of features that can come nearer than CCD lets them between x_old and x: a vertex and a face,
   or two edges, each once. */
void tl_truncation_find_body(tl_contact_world *set, const tl_mesh_pair *pair, tl_take_features *take);
/* Marks the particles of faces that cross a body at x_old as TL_INSIDE: they may move through it. */
void tl_truncation_find_tangled(tl_contact_world *set);

#endif
