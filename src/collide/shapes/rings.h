/* The triangles of round shapes. */
#ifndef TL_COLLIDE_SHAPES_RINGS_H
#define TL_COLLIDE_SHAPES_RINGS_H

#include "collide/shapes/shape.h"

/* `mesh` of an ellipsoid of these radii, whose halves are `length` apart along y. */
void tl_shape_rings(tl_vec3 radii, tl_real length, int detail, tl_shape_mesh *mesh);

#endif
