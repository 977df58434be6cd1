/* Orders faces in space, for trees over them. */
#ifndef TL_COLLIDE_MESH_FACE_ORDER_H
#define TL_COLLIDE_MESH_FACE_ORDER_H

#include "core/vec.h"

/* Puts the first `middle` of `count` faces along the longest axis of their centres before the others. Ties are broken
   by the face's index: the same order on every platform. */
void tl_face_order_split(const tl_vec3 *center, int *order, int count, int middle);

/* Mean length of the first edges of faces, m. */
tl_real tl_face_order_edge(const int *face, int face_count, const tl_vec3 *x);

#endif
