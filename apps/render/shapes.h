/* Drawable meshes of body shapes, for the renderer, which does not depend on the engine. */
#ifndef RENDER_SHAPES_H
#define RENDER_SHAPES_H

#include "render.h"

#include <telar/shapes.h>

/* The mesh of a shape (<telar/shapes.h>), centre at the origin; place it with a transform. Of an infinite shape a
   square around the origin is drawn. `radius` (may be NULL) receives the smallest radius of curvature, m, for
   render_contact_offset. NULL on error: unknown shape, invalid size, out of memory. */
render_mesh *render_shape(render *r, const char *shape, tl_vec3 size, int detail, float *radius, render_error *error);

#endif
