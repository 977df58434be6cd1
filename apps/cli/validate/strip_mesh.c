/* Cutting a strip: vertices near the outline are moved onto it, then triangles that still cross it are clipped. */
#include "cli/validate/strip_mesh.h"

#include "cli/validate/law.h"

#include <math.h>
#include <stdlib.h>

const char *const strip_kind_names[STRIP_KINDS] = {"equilateral", "one diagonal", "alternating", "jittered"};

#define SNAP 0.35   /* cells within which a vertex is moved onto the outline */
#define JITTER 0.25 /* cells, maximum displacement of a jittered vertex per axis */

typedef struct point {
    double x, z;
} point;

typedef struct sheet {
    double low[2], high[2]; /* of x and z */
    point *vertex;
    int *face; /* three each */
    int vertices, faces;
} sheet;

/* Signed distance inside one of the four sides. */
static double inside(const sheet *s, point p, int side)
{
    double at = side < 2 ? p.x : p.z;
    return side % 2 == 0 ? at - s->low[side / 2] : s->high[side / 2] - at;
}

static point lattice_point(strip_kind kind, double degrees, double cell, int r, int c)
{
    double x = c, z = r, a = degrees * LAW_PI / 180;
    if (kind == STRIP_EQUILATERAL) {
        x += 0.5 * (r & 1);
        z *= sqrt(0.75);
    }
    if (kind == STRIP_JITTERED) {
        unsigned key = (unsigned)(r + 4096) * 8192u + (unsigned)(c + 4096);
        x += JITTER * law_random(21, 2 * key);
        z += JITTER * law_random(21, 2 * key + 1);
    }
    return (point){cell * (0.5 + x * cos(a) - z * sin(a)), cell * (x * sin(a) + z * cos(a))};
}

/* The cell's two triangles; which diagonal depends on the kind. */
static void add_cell(sheet *s, strip_kind kind, int r, int c, int side)
{
    int a = r * side + c, b = a + 1, d = a + side, e = d + 1;
    bool other = kind == STRIP_EQUILATERAL ? (r & 1) != 0 : kind == STRIP_ALTERNATING && ((r + c) & 1) != 0;
    int one[6] = {a, d, b, b, d, e}, two[6] = {a, e, b, a, d, e};
    for (int k = 0; k < 6; ++k)
        s->face[3 * s->faces + k] = (other ? two : one)[k];
    s->faces += 2;
}

static void snap(sheet *s, double cell)
{
    for (int i = 0; i < s->vertices; ++i)
        for (int side = 0; side < 4; ++side) {
            double gap = inside(s, s->vertex[i], side);
            if (fabs(gap) > SNAP * cell)
                continue;
            double *at = side < 2 ? &s->vertex[i].x : &s->vertex[i].z;
            *at = side % 2 == 0 ? s->low[side / 2] : s->high[side / 2];
        }
}

/* The vertex where the edge a-b crosses a side; created once for both triangles of the edge. */
static int crossing(sheet *s, int a, int b, int side, int (*made)[3], int *made_count)
{
    int low = a < b ? a : b, high = a < b ? b : a;
    for (int k = 0; k < *made_count; ++k)
        if (made[k][0] == low && made[k][1] == high)
            return made[k][2];
    double ga = inside(s, s->vertex[low], side), gb = inside(s, s->vertex[high], side), t = ga / (ga - gb);
    s->vertex[s->vertices] = (point){s->vertex[low].x + t * (s->vertex[high].x - s->vertex[low].x),
                                     s->vertex[low].z + t * (s->vertex[high].z - s->vertex[low].z)};
    double *at = side < 2 ? &s->vertex[s->vertices].x : &s->vertex[s->vertices].z;
    *at = side % 2 == 0 ? s->low[side / 2] : s->high[side / 2];
    made[*made_count][0] = low;
    made[*made_count][1] = high;
    made[(*made_count)++][2] = s->vertices;
    return s->vertices++;
}

/* Clips every triangle at one side. */
static void clip(sheet *s, int side, int *kept)
{
    int(*made)[3] = law_memory((size_t)(3 * s->faces + 1), sizeof *made), made_count = 0, count = 0;
    for (int f = 0; f < s->faces; ++f) {
        int polygon[4], corners = 0;
        for (int c = 0; c < 3; ++c) {
            int a = s->face[3 * f + c], b = s->face[3 * f + (c + 1) % 3];
            double ga = inside(s, s->vertex[a], side), gb = inside(s, s->vertex[b], side);
            if (ga >= 0)
                polygon[corners++] = a;
            if ((ga > 0 && gb < 0) || (ga < 0 && gb > 0))
                polygon[corners++] = crossing(s, a, b, side, made, &made_count);
        }
        for (int k = 2; k < corners; ++k) {
            kept[3 * count] = polygon[0];
            kept[3 * count + 1] = polygon[k - 1];
            kept[3 * count++ + 2] = polygon[k];
        }
    }
    free(made);
    for (int k = 0; k < 3 * count; ++k)
        s->face[k] = kept[k];
    s->faces = count;
}

static double area(const sheet *s, const int *f)
{
    point a = s->vertex[f[0]], b = s->vertex[f[1]], c = s->vertex[f[2]];
    return ((b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x)) / 2;
}

/* Drops triangles flattened by snapping and unused vertices. */
static tl_mesh *finish(sheet *s, double cell)
{
    int faces = 0, vertices = 0, *number = law_memory((size_t)s->vertices, sizeof *number);
    for (int f = 0; f < s->faces; ++f)
        if (fabs(area(s, s->face + 3 * f)) > 1e-9 * cell * cell) {
            for (int c = 0; c < 3; ++c)
                s->face[3 * faces + c] = s->face[3 * f + c];
            ++faces;
        }
    tl_vec3 *x = law_memory((size_t)s->vertices, sizeof *x);
    tl_real *uv = law_memory(2 * (size_t)s->vertices, sizeof *uv);
    for (int k = 0; k < 3 * faces; ++k) {
        int i = s->face[k];
        if (number[i] == 0) {
            number[i] = ++vertices;
            x[vertices - 1] = law_v3(s->vertex[i].x, 0, s->vertex[i].z);
            uv[2 * vertices - 2] = (tl_real)s->vertex[i].x;
            uv[2 * vertices - 1] = (tl_real)-s->vertex[i].z;
        }
        s->face[k] = number[i] - 1;
    }
    tl_mesh_def def = {.positions = x,
                       .uv = uv,
                       .vertex_count = vertices,
                       .triangles = s->face,
                       .triangle_count = faces,
                       .rest = TL_REST_UV};
    tl_mesh *mesh = tl_mesh_create(&def, NULL, NULL);
    free(number);
    free(x);
    free(uv);
    return mesh;
}

tl_mesh *strip_mesh(strip_kind kind, double degrees, double cell, double low_x, double high_x, double width)
{
    /* a square of the lattice that contains the strip at any angle */
    double reach = hypot(fmax(fabs(low_x), fabs(high_x)), width / 2) / (cell * sqrt(0.75));
    int half = (int)ceil(reach) + 3, side = 2 * half + 1;
    sheet s = {.low = {low_x, -width / 2}, .high = {high_x, width / 2}};
    size_t room = 2 * (size_t)(side - 1) * (size_t)(side - 1);
    s.vertex = law_memory((size_t)(side * side) + 12 * room, sizeof *s.vertex);
    s.face = law_memory(3 * 4 * room, sizeof(int));
    int *kept = law_memory(3 * 4 * room, sizeof *kept);
    for (int r = 0; r < side; ++r)
        for (int c = 0; c < side; ++c)
            s.vertex[s.vertices++] = lattice_point(kind, degrees, cell, r - half, c - half);
    for (int r = 0; r + 1 < side; ++r)
        for (int c = 0; c + 1 < side; ++c)
            add_cell(&s, kind, r, c, side);
    snap(&s, cell);
    for (int k = 0; k < 4; ++k)
        clip(&s, k, kept);
    tl_mesh *mesh = finish(&s, cell);
    free(s.vertex);
    free(s.face);
    free(kept);
    return mesh;
}
