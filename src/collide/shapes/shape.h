/* A convex shape: distance, cast, extent, inertia and mesh in its own frame. */
#ifndef TL_COLLIDE_SHAPES_SHAPE_H
#define TL_COLLIDE_SHAPES_SHAPE_H

#include "core/vec.h"
#include "telar/shapes.h"

/* One kind of shape, in its own frame; size as in tl_body_def. One file per shape family, one line in
   shape_list.inl. All shapes are convex; `margin` inflates them (the cloth's thickness). */
typedef struct tl_shape_class {
    const char *name;
    const char *help;
    bool bottomless; /* a half-space: `extent` bounds it upwards in local y only */
    /* NULL when the size is valid, else what is wrong with it ("radius must be above 0"). */
    const char *(*check)(tl_vec3 size);
    /* Signed distance of p from the surface (exact near the surface; a lower bound is not enough), and the outward
       unit normal at the nearest surface point. */
    tl_real (*distance)(tl_vec3 size, tl_vec3 p, tl_vec3 *normal);
    /* True only when p is farther from the surface than reach ≥ 0, beyond the rounding of a few sums with `distance`;
       much cheaper than that. NULL where `distance` is cheap itself. */
    bool (*beyond)(tl_vec3 size, tl_vec3 p, tl_real reach);
    /* First entry of the segment p0 → p1 into the shape inflated by margin, when p0 is outside: true, with t in 0…1
       and the outward normal there. */
    bool (*cast)(tl_vec3 size, tl_real margin, tl_vec3 p0, tl_vec3 p1, tl_real *t, tl_vec3 *normal);
    /* Half extents of an axis-aligned bounding box in the shape's frame; a plane has (∞, 0, ∞), see bottomless. */
    tl_vec3 (*extent)(tl_vec3 size);
    /* Moments of inertia about the shape's own axes for a mass of 1 kg, m²; NULL for shapes that cannot be dynamic. */
    tl_vec3 (*inertia)(tl_vec3 size);
    /* Sets counts and radius, and fills the arrays when they are not NULL: see <telar/shapes.h>. */
    void (*mesh)(tl_vec3 size, int detail, tl_shape_mesh *mesh);
} tl_shape_class;

extern const tl_shape_class *const tl_shape_classes[];
extern const int tl_shape_class_count;
/* The name for bodies made of triangles, which are not convex and have no class (contact/body/barrier.h). */
#define TL_SHAPE_MESH "mesh"
#define TL_SHAPE_MESH_HELP "Surface of triangles, solid or thin, that may move and deform."
#define TL_SHAPE_MESH_SIZE "not used"
extern const char *const tl_shape_name_list[];         /* NULL-terminated, same order; TL_SHAPE_MESH is the last */
const tl_shape_class *tl_shape_find(const char *name); /* NULL when there is none */

#endif
