/* Procedural meshes, named instead of read from a file. "reef-left" and "reef-right" are the two ribbons of a loose
   reef knot, with the suffix "-fine" at half the spacing. "bunny" is the Stanford bunny where a package provides it,
   otherwise a lobed body of similar size and number of faces: third-party meshes are not part of Telar. "lobed" is
   always the latter. */
#include "io/mesh_named.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/trig.h"
#include "core/vec.h"

/* Sphere of rings and segments whose radius swells and shrinks, about 1.5 units tall like the bunny. */
enum { RINGS = 90, SEGMENTS = 180 }; /* 32 040 faces */

static tl_vec3 lobed_point(int ring, int segment)
{
    double polar = TL_PI * ring / RINGS, around = 2 * TL_PI * segment / SEGMENTS;
    double radius = 0.6 + 0.12 * tl_sin(3 * around) * tl_sin(polar) + 0.1 * tl_cos(4 * polar);
    return tl_v3((tl_real)(radius * tl_sin(polar) * tl_cos(around)), (tl_real)(radius * tl_cos(polar)),
                 (tl_real)(radius * tl_sin(polar) * tl_sin(around)));
}

static tl_result make_lobed(tl_triangles *out, tl_error *error)
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

/* ---- reef knot -------------------------------------------------------------------------------------------------- */

/* Each ribbon is a bight: two legs from x = −END to the turn beyond x = TURN. The legs are NARROW apart where the other
   ribbon's turn goes round them and WIDE at their own turn; between, they go under, over and under the other ribbon.
   m */
#define END 0.8
#define TURN 0.16
#define NARROW 0.055
#define WIDE 0.15
#define RISE 0.02
#define RIBBON 0.05 /* width */

static double smooth(double t) { return t <= 0 ? 0 : t >= 1 ? 1 : t * t * (3 - 2 * t); }

/* Height of the left ribbon at x: 0 far out, −RISE at −TURN, RISE at 0, −RISE from TURN on. */
static double reef_height(double x)
{
    if (x < -TURN - WIDE)
        return -RISE * smooth((x + END) / (END - TURN - WIDE));
    if (x < -TURN || x > TURN)
        return -RISE;
    return RISE * tl_cos(TL_PI * x / TURN);
}

static double reef_half(double x)
{
    double t = smooth((x + TURN) / (2 * TURN));
    return NARROW + (WIDE - NARROW) * t;
}

/* Middle of the left ribbon at fraction t of its length, 0…1. */
static void reef_middle(double t, double out[3])
{
    double leg = END + TURN, arc = TL_PI * WIDE, at = t * (2 * leg + arc);
    double x = at < leg ? at - END : 2 * leg + arc - at - END, side = at < leg ? 1 : -1;
    if (at > leg && at < leg + arc) {
        double angle = TL_PI / 2 - (at - leg) / WIDE;
        out[0] = TURN + WIDE * tl_cos(angle);
        out[1] = -RISE;
        out[2] = WIDE * tl_sin(angle);
        return;
    }
    out[0] = x;
    out[1] = reef_height(x);
    out[2] = side * reef_half(x);
}

static void place_reef(bool right, int across, int along, tl_triangles *out)
{
    for (int i = 0; i < along; ++i) {
        double t = (double)i / (along - 1), before[3], after[3], middle[3];
        reef_middle(t, middle);
        reef_middle(t > 1e-3 ? t - 1e-3 : 0, before);
        reef_middle(t < 1 - 1e-3 ? t + 1e-3 : 1, after);
        tl_vec3 beside = tl_normalized(tl_v3((tl_real)(after[2] - before[2]), 0, (tl_real)(before[0] - after[0])));
        for (int j = 0; j < across; ++j) {
            tl_real off = (tl_real)(RIBBON * ((double)j / (across - 1) - 0.5));
            tl_vec3 p = tl_madd(tl_v3((tl_real)middle[0], (tl_real)middle[1], (tl_real)middle[2]), beside, off);
            /* the right ribbon is the left one rotated by 180° about z */
            out->positions[i * across + j] = right ? tl_v3(-p.x, -p.y, p.z) : p;
            out->uv[2 * (i * across + j)] = (tl_real)t;
            out->uv[2 * (i * across + j) + 1] = (tl_real)j / (tl_real)(across - 1);
        }
    }
}

static tl_result make_reef(bool right, bool fine, tl_triangles *out, tl_error *error)
{
    int across = fine ? 17 : 9, along = fine ? 601 : 281, vertices = across * along,
        triangles = 2 * (across - 1) * (along - 1);
    out->positions = malloc((size_t)vertices * sizeof *out->positions);
    out->uv = malloc(2 * (size_t)vertices * sizeof *out->uv);
    out->corners = malloc(3 * (size_t)triangles * sizeof *out->corners);
    if (!out->positions || !out->uv || !out->corners)
        return tl_fail(error, TL_ERROR_MEMORY, "reef: not enough memory");
    place_reef(right, across, along, out);
    int *c = out->corners;
    for (int i = 0; i + 1 < along; ++i)
        for (int j = 0; j + 1 < across; ++j) {
            int a = i * across + j, b = a + 1, d = a + across, e = d + 1;
            bool flip = (i + j) % 2 != 0; /* alternating diagonals */
            *c++ = a, *c++ = b, *c++ = flip ? d : e;
            *c++ = flip ? b : a, *c++ = e, *c++ = d;
        }
    out->vertex_count = vertices;
    out->triangle_count = triangles;
    out->has_uv = true;
    return TL_OK;
}

bool tl_mesh_named(const char *name, tl_triangles *out, tl_result *result, tl_error *error)
{
    if (strcmp(name, "lobed") == 0 || (strcmp(name, "bunny") == 0 && !tl_mesh_bunny()))
        *result = make_lobed(out, error);
    else if (strncmp(name, "reef-left", 9) == 0 || strncmp(name, "reef-right", 10) == 0)
        *result = make_reef(strncmp(name, "reef-right", 10) == 0, strstr(name, "-fine") != NULL, out, error);
    else
        return false;
    return true;
}
