/* Cusick's drape test (cli/drape_disc.h) as a user would run it. A disc may hang in more than one pattern of folds, so
   every figure is the mean of several starts. */
#include "cli/drape_disc.h"
#include "cli/validate/everyday.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>


static tl_mesh *disc_mesh(int rings)
{
    int vertices = drape_disc_vertices(rings), triangles = drape_disc_triangles(rings);
    tl_vec3 *x = law_memory((size_t)vertices, sizeof *x);
    tl_real *uv = law_memory(2 * (size_t)vertices, sizeof *uv);
    int *corner = law_memory(3 * (size_t)triangles, sizeof *corner);
    drape_disc_fill(rings, x, corner);
    for (int i = 0; i < vertices; ++i) {
        uv[2 * i] = x[i].x;
        uv[2 * i + 1] = -x[i].z;
    }
    tl_mesh_def def = {x, uv, vertices, corner, triangles, TL_REST_UV, 1, 0, false};
    tl_mesh *mesh = tl_mesh_create(&def, NULL, NULL);
    free(x);
    free(uv);
    free(corner);
    return mesh;
}

/* Drape coefficient of one start, %. */
static double drape(law_report *report, const char *subject, const char *fabric, int rings, int start, double seconds,
                    bool converged)
{
    tl_mesh *mesh = disc_mesh(rings);
    if (!mesh) {
        law_broken(report, subject, "the mesh could not be made");
        return NAN;
    }
    tl_world_def world = tl_world_def_default();
    tl_cloth_def def = everyday_sheet(fabric, 2, 2, 1, 1);
    def.mesh = mesh;
    if (converged) {
        def.newton = 4;
        def.solver_tolerance = (tl_real)1e-5;
        def.solver_iterations = 2000;
    }
    double coefficient = NAN;
    trial t;
    if (trial_make(&t, report, subject, &world, &def)) {
        if (drape_disc_mount(t.cloth, rings, start) && everyday_settle(&t, EVERYDAY_RATE, 0.15, seconds))
            coefficient = 100 * drape_disc_coefficient(t.cloth);
        trial_end(&t);
    }
    tl_mesh_destroy(mesh);
    return coefficient;
}

void law_everyday_cusick(law_report *report)
{
    const char *text = getenv("CUSICK");
    int rings, starts, converged;
    double seconds;
    char fabric[32];
    if (text && sscanf(text, "%31s %d %d %lf %d", fabric, &rings, &starts, &seconds, &converged) == 5) {
        for (int s = 0; s < starts; ++s)
            law_note(report, fabric, text, NAN, drape(report, fabric, fabric, rings, s, seconds, converged), "");
    }
}
