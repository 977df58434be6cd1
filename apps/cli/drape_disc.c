#include "cli/drape_disc.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

#define RADIUS 0.15  /* m, of the cloth */
#define SUPPORT 0.09 /* m, of the clamping discs */
#define PI 3.14159265358979323846

/* m, ring spacing: two fifths of the rings are free. */
static int free_rings(int rings) { return 2 * rings / 5; }
static double spacing_of(int rings) { return (RADIUS - SUPPORT) / (free_rings(rings) + 0.5); }

static double radius_of(int ring, int rings)
{
    int held = rings - free_rings(rings);
    double spacing = spacing_of(rings), edge = SUPPORT + spacing / 2;
    return ring <= held ? edge * ring / held : edge + spacing * (ring - held);
}

int drape_disc_vertices(int rings) { return 1 + 3 * rings * (rings + 1); }
int drape_disc_triangles(int rings) { return 6 * rings * rings; }

/* Rings of 6, 12, 18 … vertices. */
void drape_disc_fill(int rings, tl_vec3 *vertices, int *triangles)
{
    for (int r = 0; r <= rings; ++r)
        for (int k = 0; k < (r == 0 ? 1 : 6 * r); ++k) {
            double angle = r == 0 ? 0 : 2 * PI * k / (6 * r), radius = radius_of(r, rings);
            *vertices++ = (tl_vec3){(tl_real)(radius * cos(angle)), 0, (tl_real)(-radius * sin(angle))};
        }
    for (int r = 1; r <= rings; ++r) {
        int inner = r == 1 ? 0 : 1 + 3 * (r - 1) * (r - 2), outer = 1 + 3 * r * (r - 1), around = 6 * r,
            inside = r == 1 ? 1 : 6 * (r - 1);
        for (int side = 0; side < 6; ++side)
            for (int k = 0; k < r; ++k) {
                int a = outer + (side * r + k) % around, b = outer + (side * r + k + 1) % around;
                int c = inner + (side * (r - 1) + k) % inside, d = inner + (side * (r - 1) + k + inside - 1) % inside;
                *triangles++ = a, *triangles++ = b, *triangles++ = c;
                if (k > 0)
                    *triangles++ = a, *triangles++ = c, *triangles++ = d;
            }
    }
}

bool drape_disc_mount(tl_cloth *cloth, int rings, int start)
{
    int count = tl_cloth_vertex_count(cloth);
    tl_vec3 *x = malloc((size_t)count * sizeof *x);
    if (!x)
        return false;
    memcpy(x, tl_cloth_positions(cloth), (size_t)count * sizeof *x);
    for (int i = 0; i < count; ++i) {
        double radius = hypot((double)x[i].x, (double)x[i].z), angle = atan2((double)x[i].z, (double)x[i].x);
        angle += 0.7 * start;
        if (radius <= SUPPORT + 0.501 * spacing_of(rings))
            tl_cloth_pin(cloth, i, true);
        else
            x[i].y += (tl_real)(1e-4 * (sin((5 + start % 3) * angle) + cos(7 * angle + 1) + sin(3 * angle + 2)));
    }
    bool done = tl_cloth_set_state(cloth, x, NULL) == TL_OK;
    free(x);
    return done;
}

/* Whether p is inside the triangle seen from above. */
static bool covers(tl_vec3 a, tl_vec3 b, tl_vec3 c, double x, double z)
{
    double u = ((double)b.x - (double)a.x) * (z - (double)a.z) - ((double)b.z - (double)a.z) * (x - (double)a.x);
    double v = ((double)c.x - (double)b.x) * (z - (double)b.z) - ((double)c.z - (double)b.z) * (x - (double)b.x);
    double w = ((double)a.x - (double)c.x) * (z - (double)c.z) - ((double)a.z - (double)c.z) * (x - (double)c.x);
    return (u >= 0 && v >= 0 && w >= 0) || (u <= 0 && v <= 0 && w <= 0);
}

/* Area of the shadow from above, cm², by cells of half a millimetre. */
static double shadow(tl_cloth *cloth)
{
    enum { SIDE = 680 };
    static unsigned char dark[SIDE][SIDE];
    const double cell = 5e-4, low = -cell * SIDE / 2;
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    const int *face = tl_mesh_triangles(mesh);
    memset(dark, 0, sizeof dark);
    for (int f = 0; f < tl_mesh_triangle_count(mesh); ++f) {
        tl_vec3 a = x[face[3 * f]], b = x[face[3 * f + 1]], c = x[face[3 * f + 2]];
        double x0 = fmin((double)a.x, fmin((double)b.x, (double)c.x)),
               x1 = fmax((double)a.x, fmax((double)b.x, (double)c.x));
        double z0 = fmin((double)a.z, fmin((double)b.z, (double)c.z)),
               z1 = fmax((double)a.z, fmax((double)b.z, (double)c.z));
        for (int i = (int)fmax(0, (x0 - low) / cell); i < SIDE && low + cell * i <= x1; ++i)
            for (int k = (int)fmax(0, (z0 - low) / cell); k < SIDE && low + cell * k <= z1; ++k)
                if (covers(a, b, c, low + cell * (i + 0.5), low + cell * (k + 0.5)))
                    dark[i][k] = 1;
    }
    double count = 0;
    for (int i = 0; i < SIDE; ++i)
        for (int k = 0; k < SIDE; ++k)
            count += dark[i][k];
    return count * cell * cell * 1e4;
}

double drape_disc_coefficient(tl_cloth *cloth) { return (shadow(cloth) - 254) / (707 - 254); }
