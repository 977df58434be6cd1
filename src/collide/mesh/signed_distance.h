/* Signed distance from a surface of triangles. */
#ifndef TL_CONTACT_MESH_DISTANCE_H
#define TL_CONTACT_MESH_DISTANCE_H

#include "collide/mesh/bvh.h"
#include "mesh/mesh.h"

/* Distance of p from the mesh with its particles at x, and the unit normal from the surface to p. A solid mesh has an
   inside, where the distance is below 0 and the normal points outwards; what a mesh that is not closed calls inside is
   what lies behind its nearest face. `tree` is fitted to x. */
tl_real tl_mesh_distance(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, bool solid, tl_vec3 p,
                         tl_vec3 *normal);

/* The place of a surface nearest to a point. */
typedef struct tl_mesh_nearest {
    tl_real square;    /* m² */
    tl_vec3 way;       /* m, from the surface to the point */
    tl_real weight[3]; /* of the face's corners */
    int face;          /* -1: none within reach */
} tl_mesh_nearest;

tl_mesh_nearest tl_mesh_find_nearest(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, tl_vec3 p,
                                     tl_real reach);

/* How far the point is from its nearest place, negative inside a solid; the unit normal away from the surface. */
tl_real tl_mesh_side(const tl_mesh *mesh, tl_real *const x[3], const tl_mesh_nearest *place, bool solid,
                     tl_vec3 *normal);

#endif
