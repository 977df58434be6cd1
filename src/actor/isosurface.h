/* A field's surface as triangles: closed and manifold, since it is cut out of tetrahedra that fill the space. */
#ifndef TL_ACTOR_ISOSURFACE_H
#define TL_ACTOR_ISOSURFACE_H

#include "actor/field.h"
#include "core/memory.h"

typedef struct tl_skin {
    tl_allocator allocator;
    tl_point3 *x; /* m */
    int count, capacity;
    int (*face)[3]; /* counter-clockwise from outside */
    int face_count, face_capacity;
} tl_skin;

/* Marching tetrahedra on a grid of the given spacing. False when memory is short; destroy the skin in any case. */
bool tl_isosurface(tl_skin *skin, const tl_field *field, double spacing, const tl_allocator *allocator);
void tl_skin_destroy(tl_skin *skin);

/* Evens out the triangles: edges of about `edge` metres (times the detail of the nearest primitive), angles far from 0.
   Every operation keeps the surface closed and manifold. False when memory is short. */
bool tl_remesh(tl_skin *skin, const tl_field *field, double edge);

#endif
