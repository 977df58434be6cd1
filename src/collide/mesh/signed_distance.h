/* Signed distance from a triangle mesh. */
#ifndef TL_COLLIDE_MESH_SIGNED_DISTANCE_H
#define TL_COLLIDE_MESH_SIGNED_DISTANCE_H

#include "collide/mesh/bvh.h"
#include "mesh/mesh.h"

/* Distance of p from the mesh with its particles at x, and the unit normal from the mesh to p. Inside a solid mesh
   the distance is negative and the normal points outwards; an open mesh counts as solid behind its nearest face.
   `tree` is fitted to x. */
tl_real tl_mesh_distance(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, bool solid, tl_vec3 p,
                         tl_vec3 *normal);

/* The point of a mesh nearest to a given point. */
typedef struct tl_mesh_nearest {
    tl_real square;    /* m² */
    tl_vec3 offset;    /* m, from the mesh to the point */
    tl_real weight[3]; /* of the face's corners */
    int face;          /* -1: none within reach */
} tl_mesh_nearest;

tl_mesh_nearest tl_mesh_find_nearest(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, tl_vec3 p,
                                     tl_real reach);
/* The same, to the bit, and sooner when `hint` is a face near p. */
tl_mesh_nearest tl_mesh_find_nearest_from(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, tl_vec3 p,
                                          tl_real reach, int hint);

/* Distance of the point from its nearest point, negative inside a solid; the unit normal away from the mesh. */
tl_real tl_mesh_side(const tl_mesh *mesh, tl_real *const x[3], const tl_mesh_nearest *nearest, bool solid,
                     tl_vec3 *normal);

#endif
