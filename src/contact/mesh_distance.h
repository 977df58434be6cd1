/* Signed distance from a surface of triangles. */
#ifndef TL_CONTACT_MESH_DISTANCE_H
#define TL_CONTACT_MESH_DISTANCE_H

#include "contact/bvh.h"
#include "mesh/mesh.h"

/* Distance of p from the mesh with its particles at x, and the unit normal from the surface to p. A solid mesh has an
   inside, where the distance is below 0 and the normal points outwards; what a mesh that is not closed calls inside is
   what lies behind its nearest face. `tree` is fitted to x. */
tl_real tl_mesh_distance(const tl_mesh *mesh, tl_real *const x[3], const tl_bvh *tree, bool solid, tl_vec3 p,
                         tl_vec3 *normal);

#endif
