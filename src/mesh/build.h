/* Private to src/mesh: the stages that turn a definition into a tl_mesh, in the order they run. Each fills its part of
   the mesh through the mesh's own allocator and reports through `error`; tl_mesh_destroy and tl_mesh_build_release
   clean up after a failed stage. */
#ifndef TL_MESH_BUILD_H
#define TL_MESH_BUILD_H

#include "mesh/mesh.h"

enum {
    /* A larger mesh is a mistake in the input, not real-time cloth; the bound also keeps 3 indices per face, and every
       product below, inside an int. */
    TL_MESH_MAX_PARTICLES = 16000000,
    TL_MESH_MAX_VERTICES = 4 * TL_MESH_MAX_PARTICLES, /* texture seams split a particle into a few vertices at most */
    TL_MESH_MAX_FACES = 4 * TL_MESH_MAX_PARTICLES     /* a closed surface has about two faces per particle */
};

/* Half-edges paired by edge. Edges are sorted by lower, then higher particle. */
typedef struct tl_pairing {
    int *mate;  /* per half-edge: the other one on its edge, -1 on the border */
    int *first; /* per edge: its half-edge of the lower face */
    int edge_count;
} tl_pairing;

/* Temporaries shared by the stages of tl_mesh_create. */
typedef struct tl_mesh_build {
    const tl_mesh_def *def;
    tl_mesh *mesh;
    int *representative; /* vertex whose position each particle takes, while particles are in the order of the
                          vertices */
    int *file_face;      /* file's index of each face that was kept, for messages */
    tl_error *error;
} tl_mesh_build;

void tl_mesh_build_release(tl_mesh_build *build);

/* ---- shared by all stages ------------------------------------------------------------------------------------- */

tl_mesh *tl_mesh_new(const tl_allocator *allocator, tl_error *error);
/* `count` zeroed ints from the mesh's allocator, or NULL. */
int *tl_mesh_ints(const tl_mesh *mesh, size_t count);
tl_result tl_mesh_no_memory(tl_error *error); /* fills in TL_ERROR_MEMORY */

/* ---- check.c: counts, finite coordinates, indices in range; reads the definition only ------------------------- */

tl_result tl_check_grid_def(const tl_grid_def *def, tl_error *error);
tl_result tl_check_mesh_def(const tl_mesh_def *def, tl_error *error);

/* ---- weld.c: particle_of_vertex, particle_count and representative, particles in order of their first vertex --- */

tl_result tl_weld_vertices(tl_mesh_build *build);

/* ---- faces.c: triangle, face, file_face; unusable faces and particles are reported or dropped --------------- */

tl_result tl_collect_faces(tl_mesh_build *build);

/* ---- orient.c: consistent winding; `pairing` refers to half-edges before any flip --------------------------- */

tl_result tl_orient_faces(tl_mesh_build *build, const tl_pairing *pairing);

/* ---- rest.c: rest_u, rest_v, rest_area ------------------------------------------------------------------------ */

/* Twice the area over the square of the longest side, below which a triangle counts as having no area: single-precision
   coordinates carry 6e-8, so a height of a millionth of the side is rounding noise. */
#define TL_FLAT_FACE 1e-6

typedef enum tl_area_check { TL_AREA_GOOD, TL_AREA_NONE, TL_AREA_TOO_LARGE } tl_area_check;

/* Whether area and side lengths of a triangle are positive and representable as tl_real. */
tl_area_check tl_check_area(const double a[3], const double b[3], const double c[3]);
/* A vertex's texture coordinates as rest coordinates in metres, third coordinate 0. */
void tl_rest_of_uv(const tl_mesh_def *def, int vertex, double out[3]);

/* Needs face, triangle and position, and faces that passed tl_check_area. `def` NULL: the mesh is flat in x–y and x, y
   are its rest coordinates. */
tl_result tl_rest_shapes(tl_mesh *mesh, const tl_mesh_def *def, tl_error *error);

/* ---- elastic.c: elastic_a, elastic_b, elastic_length ---------------------------------------------------------- */

/* Needs particle_of_vertex. */
tl_result tl_build_elastics(tl_mesh *mesh, const tl_mesh_def *def, tl_error *error);

/* ---- topology.c ----------------------------------------------------------------------------------------------- */

/* Pairs the half-edges of mesh->face; more than two on one edge is an error. `file_face` NULL: faces are the file's. */
tl_result tl_pair_half_edges(const tl_mesh *mesh, const int *file_face, tl_pairing *pairing, tl_error *error);
void tl_pairing_release(const tl_mesh *mesh, tl_pairing *pairing);

/* twin, edges and particle_face, from finished faces and rest shapes. */
tl_result tl_build_topology(tl_mesh *mesh, tl_error *error);

#endif
