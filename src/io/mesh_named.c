/* Meshes by name instead of by file. "bunny" is the Stanford bunny where a package brought it, and else a lobed body of
   like size and number of faces: meshes of others are not part of Telar. "lobed" is always the latter. */
#include "io/mesh_named.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/trig.h"
#include "core/vec.h"

/* Where Debian's glmark2-data and npm's bunny (converted to OBJ) are found. */
static const char *const bunny_files[] = {"/usr/share/glmark2/models/bunny.obj",
                                          "/usr/local/share/glmark2/models/bunny.obj"};

const char *tl_mesh_bunny(void)
{
    for (size_t k = 0; k < sizeof bunny_files / sizeof *bunny_files; ++k) {
        FILE *file = fopen(bunny_files[k], "rb");
        if (file) {
            fclose(file);
            return bunny_files[k];
        }
    }
    return NULL;
}

/* Sphere of rings and segments whose radius swells and shrinks, about 1.5 units tall like the bunny of bunny_files. */
enum { RINGS = 90, SEGMENTS = 180 }; /* 32 040 faces */

static tl_vec3 lobed_point(int ring, int segment)
{
    double polar = TL_PI * ring / RINGS, around = 2 * TL_PI * segment / SEGMENTS;
    double radius = 0.6 + 0.12 * tl_sin(3 * around) * tl_sin(polar) + 0.1 * tl_cos(4 * polar);
    return tl_v3((tl_real)(radius * tl_sin(polar) * tl_cos(around)), (tl_real)(radius * tl_cos(polar)),
                 (tl_real)(radius * tl_sin(polar) * tl_sin(around)));
}

tl_result tl_mesh_lobed(tl_triangles *out, tl_error *error)
{
    int vertices = 2 + (RINGS - 1) * SEGMENTS, triangles = 2 * SEGMENTS * (RINGS - 1);
    out->positions = malloc((size_t)vertices * sizeof *out->positions);
    out->uv = calloc(2 * (size_t)vertices, sizeof *out->uv);
    out->corners = malloc(3 * (size_t)triangles * sizeof *out->corners);
    if (!out->positions || !out->uv || !out->corners)
        return tl_fail(error, TL_ERROR_MEMORY, "lobed: not enough memory");
    out->positions[0] = lobed_point(0, 0);
    out->positions[1] = lobed_point(RINGS, 0);
    for (int r = 1; r < RINGS; ++r)
        for (int s = 0; s < SEGMENTS; ++s)
            out->positions[2 + (r - 1) * SEGMENTS + s] = lobed_point(r, s);
    int *c = out->corners;
    for (int s = 0; s < SEGMENTS; ++s) {
        int next = (s + 1) % SEGMENTS, last = 2 + (RINGS - 2) * SEGMENTS;
        *c++ = 0, *c++ = 2 + next, *c++ = 2 + s;
        *c++ = 1, *c++ = last + s, *c++ = last + next;
        for (int r = 0; r < RINGS - 2; ++r) {
            int a = 2 + r * SEGMENTS + s, b = 2 + r * SEGMENTS + next;
            *c++ = a, *c++ = b, *c++ = b + SEGMENTS;
            *c++ = a, *c++ = b + SEGMENTS, *c++ = a + SEGMENTS;
        }
    }
    out->vertex_count = vertices;
    out->triangle_count = triangles;
    return TL_OK;
}
