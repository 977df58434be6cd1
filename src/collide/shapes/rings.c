/* Triangles of round shapes: rings from the south to the north pole of a sphere, whose radii may differ (ellipsoid)
   and whose two halves may be moved apart along y (capsule). */
#include "collide/shapes/rings.h"

#include "core/trig.h"

#define PI 3.14159265358979323846

/* The vertex in the direction n of the unit sphere. */
static void put(tl_shape_mesh *mesh, int vertex, const double n[3], tl_vec3 radii, double lift)
{
    mesh->positions[vertex] = tl_v3((tl_real)(n[0] * (double)radii.x), (tl_real)(n[1] * (double)radii.y + lift),
                                    (tl_real)(n[2] * (double)radii.z));
    /* gradient of x²/a² + y²/b² + z²/c² */
    double g[3] = {n[0] / (double)radii.x, n[1] / (double)radii.y, n[2] / (double)radii.z};
    double scale = 1 / sqrt(g[0] * g[0] + g[1] * g[1] + g[2] * g[2]);
    mesh->normals[vertex] = tl_v3((tl_real)(g[0] * scale), (tl_real)(g[1] * scale), (tl_real)(g[2] * scale));
}

/* Ring `row` from the south; the first and the last are the poles. */
static int ring_vertex(int around, int rings, int row, int i)
{
    return row == 0 ? 0 : row > rings ? 1 + rings * around : 1 + (row - 1) * around + i % around;
}

static void join(tl_shape_mesh *mesh, int around, int rings)
{
    int *out = mesh->triangles;
    for (int row = 0; row <= rings; ++row)
        for (int i = 0; i < around; ++i) {
            int a = ring_vertex(around, rings, row, i), b = ring_vertex(around, rings, row, i + 1),
                c = ring_vertex(around, rings, row + 1, i + 1), d = ring_vertex(around, rings, row + 1, i);
            if (a != b) { /* not at the south pole */
                *out++ = a;
                *out++ = b;
                *out++ = c;
            }
            if (c != d) {
                *out++ = a;
                *out++ = c;
                *out++ = d;
            }
        }
}

void tl_shape_rings(tl_vec3 radii, tl_real length, int detail, tl_shape_mesh *mesh)
{
    int steps = 2 * (detail / 4); /* of latitude, even: one ring is the equator, doubled when the halves are apart */
    int apart = length > 0, rings = steps - 1 + apart;
    tl_real least = tl_min(radii.x, tl_min(radii.y, radii.z)), most = tl_max(radii.x, tl_max(radii.y, radii.z));
    mesh->vertex_count = rings * detail + 2;
    mesh->triangle_count = 2 * rings * detail;
    mesh->radius = least * (least / most); /* at the poles of an ellipsoid's longest axis */
    if (!mesh->positions)
        return;
    for (int row = 0; row <= rings + 1; ++row) {
        bool north = row > steps / 2;
        int step = north ? row - apart : row;
        double latitude = PI * ((double)step / steps - 0.5), lift = (north ? 0.5 : -0.5) * (double)length;
        bool pole = step == 0 || step == steps;
        for (int i = 0; i < (pole ? 1 : detail); ++i) {
            double longitude = 2 * PI * i / detail, out = pole ? 0 : tl_cos(latitude);
            const double n[3] = {out * tl_sin(longitude), tl_sin(latitude), out * tl_cos(longitude)};
            put(mesh, ring_vertex(detail, rings, row, i), n, radii, lift);
        }
    }
    join(mesh, detail, rings);
}
