/* Triangle meshes, for cloths and for bodies of shape "mesh". A mesh is immutable and may be shared by any number of
   cloths and bodies, in any world and thread; the caller owns it and destroys it after the last of them. */
#ifndef TELAR_MESH_H
#define TELAR_MESH_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_mesh tl_mesh;

/* A rectangular sheet of columns × rows particles in the local x–y plane, centred on the origin. Vertex r·columns + c
   is column c (along +x) of row r (row 0 at +y, the top of a vertical sheet). */
typedef struct tl_grid_def {
    int columns, rows;     /* particles, at least 2 each */
    tl_real width, height; /* m */
    bool alternating;      /* diagonals alternate in direction; otherwise all are parallel */
} tl_grid_def;

/* A closed surface, to be filled with gas (tl_gas_def), centred on the origin. */
typedef struct tl_surface_def {
    const char *kind;  /* tl_surface_names(): "ball", "ring", "cushion", "balloon" */
    int columns, rows; /* particles; ball: columns around; balloon: columns across; ring: around it and around its tube;
                          cushion: along each side */
    tl_real width,
        height;    /* m; ball and balloon: width is the diameter; ring: outer diameter and the tube's; cushion: sides */
    tl_real bulge; /* m; cushion and balloon: initial distance of the middle of each side from the plane of the seam */
} tl_surface_def;

/* "sheet", the open grid of tl_grid_def, then the closed surfaces; NULL-terminated. */
const char *const *tl_surface_names(void);

typedef enum tl_rest_source {
    TL_REST_SHAPE, /* the positions are unstrained: every face's rest shape is its shape in 3D */
    TL_REST_UV     /* texture coordinates × uv_scale are the flat unstrained pattern, in metres */
} tl_rest_source;

/* A material of some triangles of a mesh, as factors on the numbers of the cloth that it belongs to: the density, and
   the stiffness and damping of triangles (continuum, membrane) and of patches (bend.quadratic, bend.curvature). Links
   and hinges have one stiffness everywhere. */
typedef struct tl_mesh_part {
    tl_real density, warp, weft, shear, bend; /* 1, above 0 */
    char fabric[32];                          /* drawn as this fabric; "": as the cloth */
} tl_mesh_part;

/* An elastic band between two vertices, along an edge: at rest it is `ratio` times as long as the cloth is there at
   rest. The element link.elastic pulls with it. */
typedef struct tl_mesh_elastic {
    int a, b; /* vertices */
    tl_real ratio;
} tl_mesh_elastic;

/* Arbitrary triangles. All arrays are copied. */
typedef struct tl_mesh_def {
    const tl_vec3 *positions; /* m */
    const tl_real *uv;        /* two per vertex; NULL when there are none */
    int vertex_count;
    const int *triangles; /* three vertex indices per face, counter-clockwise from the front */
    int triangle_count;
    tl_rest_source rest;
    tl_real uv_scale;      /* metres per unit of texture coordinate; 0 means 1 */
    tl_real weld_distance; /* m; vertices closer than this become one particle; 0: only identical positions */
    bool repair; /* drop zero-area and duplicate faces and isolated vertices and make the winding of each connected part
                    consistent, instead of failing on them */
    /* The particle of each vertex, from 0 and without gaps: vertices with the same number become one particle, wherever
       they are, at the place of the first of them, and particles keep these numbers unless `repair` drops some. NULL:
       vertices are welded by their positions. */
    const int *particle_of_vertex;
    /* Materials of the triangles; NULL and 0: all have the cloth's. */
    const tl_mesh_part *parts;
    int part_count;
    const int *part_of_triangle;     /* one per triangle */
    const tl_mesh_elastic *elastics; /* NULL and 0: none. A pair that occurs twice counts once */
    int elastic_count;
} tl_mesh_def;

/* NULL on error; the message names the face, edge or vertex. `allocator` (copied) and `error` may be NULL. Cost:
   linear. */
tl_mesh *tl_mesh_create_grid(const tl_grid_def *def, const tl_allocator *allocator, tl_error *error);
tl_mesh *tl_mesh_create_surface(const tl_surface_def *def, const tl_allocator *allocator, tl_error *error);
tl_mesh *tl_mesh_create(const tl_mesh_def *def, const tl_allocator *allocator, tl_error *error);
void tl_mesh_destroy(tl_mesh *mesh); /* NULL is allowed */

/* Vertices and triangles as given, in the given order, without dropped faces. Arrays belong to the mesh. */
int tl_mesh_vertex_count(const tl_mesh *mesh);
int tl_mesh_triangle_count(const tl_mesh *mesh);
const int *tl_mesh_triangles(const tl_mesh *mesh);    /* three vertex indices each */
const tl_vec3 *tl_mesh_vertices(const tl_mesh *mesh); /* m */
const tl_real *tl_mesh_uv(const tl_mesh *mesh);       /* two per vertex, 0…1 over a grid; NULL when there are none */

/* Particles after welding, and edges between them. */
int tl_mesh_particle_count(const tl_mesh *mesh);
int tl_mesh_edge_count(const tl_mesh *mesh);
const int *tl_mesh_particle_of_vertex(const tl_mesh *mesh);         /* -1 for isolated vertices that were dropped */
const tl_mesh_part *tl_mesh_parts(const tl_mesh *mesh, int *count); /* NULL and 0 when there are none */
const int *tl_mesh_part_of_triangle(const tl_mesh *mesh);           /* NULL when there are none */
tl_real tl_mesh_area(const tl_mesh *mesh);                          /* rest area, m² */

#ifdef __cplusplus
}
#endif

#endif
