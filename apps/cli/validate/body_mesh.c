#include "cli/validate/body_mesh.h"

#include "cli/validate/law.h"

#include <math.h>
#include <stdlib.h>

tl_mesh *law_mesh_rectangle(double half_x, double half_z)
{
    static const int corners[6] = {0, 1, 2, 0, 2, 3};
    tl_vec3 p[4] = {law_v3(-half_x, 0, -half_z), law_v3(-half_x, 0, half_z), law_v3(half_x, 0, half_z),
                    law_v3(half_x, 0, -half_z)};
    return tl_mesh_create(&(tl_mesh_def){.positions = p, .vertex_count = 4, .triangles = corners, .triangle_count = 2},
                          NULL, NULL);
}

tl_mesh *law_mesh_turned(const double *rise, const double *radius, int rings, int around, double top, double bottom)
{
    int vertices = rings * around + 2, count = 0;
    tl_vec3 *p = law_memory((size_t)vertices, sizeof *p);
    int *c = law_memory(6 * (size_t)rings * (size_t)around, sizeof *c);
    p[vertices - 2] = law_v3(0, top, 0);
    p[vertices - 1] = law_v3(0, bottom, 0);
    for (int r = 0; r < rings; ++r)
        for (int k = 0; k < around; ++k) {
            int here = r * around + k, next = r * around + (k + 1) % around;
            double angle = 2 * LAW_PI * k / around;
            p[here] = law_v3(radius[r] * cos(angle), rise[r], radius[r] * sin(angle));
            if (r == 0)
                c[count++] = vertices - 2, c[count++] = next, c[count++] = here;
            if (r + 1 == rings)
                c[count++] = vertices - 1, c[count++] = here, c[count++] = next;
            else {
                c[count++] = here, c[count++] = next, c[count++] = next + around;
                c[count++] = here, c[count++] = next + around, c[count++] = here + around;
            }
        }
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = vertices, .triangles = c, .triangle_count = count / 3}, NULL,
        NULL);
    free(p);
    free(c);
    return mesh;
}

tl_mesh *law_mesh_ball(double radius, int rings, int around)
{
    double *rise = law_memory((size_t)rings, sizeof *rise), *wide = law_memory((size_t)rings, sizeof *wide);
    for (int r = 0; r < rings; ++r) {
        double polar = LAW_PI * (r + 1) / (rings + 1);
        rise[r] = radius * cos(polar);
        wide[r] = radius * sin(polar);
    }
    tl_mesh *mesh = law_mesh_turned(rise, wide, rings, around, radius, -radius);
    free(rise);
    free(wide);
    return mesh;
}

tl_mesh *law_mesh_cylinder(double radius, double length, int around)
{
    const double rise[2] = {length / 2, -length / 2}, wide[2] = {radius, radius};
    return law_mesh_turned(rise, wide, 2, around, length / 2, -length / 2);
}
