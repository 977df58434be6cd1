/* The shapes of bodies as meshes to draw, for the renderer which knows nothing of the engine. */
#ifndef RENDER_SHAPES_H
#define RENDER_SHAPES_H

#include "render.h"

#include <telar/shapes.h>

/* The mesh of a shape (<telar/shapes.h>), centre at the origin; place it with a transform. Of a shape without end a
   square around the origin is drawn. radius, m, out, may be NULL: of its tightest curve, for render_contact_offset.
   NULL on error: unknown shape, a size it cannot have, out of memory. */
render_mesh *render_shape(render *r, const char *shape, tl_vec3 size, int detail, float *radius, render_error *error);

#endif
