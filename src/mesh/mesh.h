/* A mesh inside the engine: particles, faces, half-edges and edges in flat arrays. Particles are the welded vertices,
   reordered for the solver (mesh/order.h); everything below is indexed by particle, not by the file's vertices, unless
   stated. Half-edge h = 3·face + corner runs from corner to corner + 1 of its face. */
#ifndef TL_MESH_MESH_H
#define TL_MESH_MESH_H

#include "core/memory.h"
#include "core/vec.h"
#include "telar/mesh.h"

struct tl_mesh {
    tl_allocator allocator;

    /* as in the file */
    int vertex_count;
    tl_vec3 *vertex;         /* m */
    tl_real *vertex_uv;      /* two per vertex, for textures; NULL when there are none */
    int triangle_count;      /* = face_count: dropped faces are dropped here too */
    int *triangle;           /* three vertices each */
    int *particle_of_vertex; /* -1 for an isolated vertex that was dropped */

    /* particles */
    int particle_count;
    tl_vec3 *position;        /* m, initial pose */
    int *vertex_of_particle;  /* first of the vertices welded into it, whose position it takes */
    int *particle_face_start; /* particle_count + 1; faces around particle p: particle_face[start[p] … start[p+1]-1] */
    int *particle_face;       /* half-edges whose origin is the particle, ascending */

    /* faces */
    int face_count;
    int *face;                /* three particles each */
    tl_real *rest_u, *rest_v; /* rest coordinates of each corner, m, 3 per face; flat per face, warp along u */
    tl_real *rest_area;       /* m², above 0 */

    tl_mesh_part *part; /* materials; NULL: all faces have the cloth's */
    int part_count;
    int *part_of_face; /* NULL like `part` */

    /* elastic bands between particles; NULL: none */
    int elastic_count;
    int *elastic_a, *elastic_b; /* a pair may occur twice */
    tl_real *elastic_length;    /* m, at rest */

    /* half-edges */
    int *twin; /* 3 per face; -1 on the border */

    /* edges between particles, sorted by a, then b: a < b, c opposite in the first face, d in the second (-1 on the
       border). The first face of an inner edge runs from a to b along it, the second from b to a; a border edge has its
       only face as first, in either direction. */
    int edge_count;
    int *edge_a, *edge_b, *edge_c, *edge_d;
    int *edge_half;       /* the half-edge of the first face */
    tl_real *edge_length; /* rest length, m, mean over the two faces */

    /* lattice: columns × rows when the mesh is a grid, else 0 */
    int columns, rows;
    int *lattice; /* particle of r·columns + c; NULL when the mesh is not a grid */
};

static inline int tl_half_next(int h) { return h % 3 == 2 ? h - 2 : h + 1; }
static inline int tl_half_prev(int h) { return h % 3 == 0 ? h + 2 : h - 1; }
static inline int tl_half_origin(const tl_mesh *mesh, int h) { return mesh->face[h]; }
static inline int tl_half_face(int h) { return h / 3; }

/* The material of a face; NULL: the cloth's. */
static inline const tl_mesh_part *tl_mesh_part_at(const tl_mesh *mesh, int face)
{
    return mesh->part ? &mesh->part[mesh->part_of_face[face]] : NULL;
}

extern const char *const tl_surface_name_list[]; /* tl_surface_names() */

/* Bytes the mesh holds. */
size_t tl_mesh_bytes(const tl_mesh *mesh);

#endif
