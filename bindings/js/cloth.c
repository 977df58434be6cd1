/* Cloths in JavaScript: by the index in their world. Arrays stay the engine's own. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "answers.h"
#include "core/memory.h"
#include "core/vec.h"
#include "telar/io.h"

static tl_cloth *cloth_at(const tl_scene *scene, int index) { return tl_world_cloth(tl_scene_world(scene), index); }

static bool keep_error(const tl_scene *scene, tl_result result)
{
    if (result != TL_OK)
        tl_fail(&js_error, result, "%s", tl_last_error(tl_scene_world(scene)));
    return result == TL_OK;
}

EXPORT int telar_vertex_count(const tl_scene *scene, int i) { return tl_cloth_vertex_count(cloth_at(scene, i)); }
EXPORT const char *telar_cloth_label(const tl_scene *scene, int i)
{
    return tl_cloth_get_def(cloth_at(scene, i))->label;
}
EXPORT const char *telar_cloth_stepper(const tl_scene *scene, int i) { return tl_cloth_stepper(cloth_at(scene, i)); }

/* ---- arrays ------------------------------------------------------------------------------------------------- */

EXPORT const tl_vec3 *telar_positions(const tl_scene *scene, int i) { return tl_cloth_positions(cloth_at(scene, i)); }
EXPORT const tl_vec3 *telar_velocities(const tl_scene *scene, int i) { return tl_cloth_velocities(cloth_at(scene, i)); }
EXPORT const tl_vec3 *telar_normals(const tl_scene *scene, int i) { return tl_cloth_normals(cloth_at(scene, i)); }
EXPORT const tl_vec3 *telar_forces(const tl_scene *scene, int i) { return tl_cloth_forces(cloth_at(scene, i)); }
EXPORT const tl_real *telar_strains(const tl_scene *scene, int i) { return tl_cloth_strains(cloth_at(scene, i)); }
EXPORT const tl_real *telar_masses(const tl_scene *scene, int i) { return tl_cloth_masses(cloth_at(scene, i)); }

EXPORT const tl_real *telar_contact_forces(const tl_scene *scene, int i)
{
    return tl_cloth_contact_forces(cloth_at(scene, i));
}

EXPORT const tl_vec3 *telar_blended(const tl_scene *scene, int i, double blend)
{
    return tl_cloth_blended_positions(cloth_at(scene, i), (tl_real)blend);
}

/* `speeds` has one number per vertex; false when memory is short. */
EXPORT bool telar_speeds(const tl_scene *scene, int i, tl_real *speeds)
{
    tl_cloth *cloth = cloth_at(scene, i);
    const tl_vec3 *v = tl_cloth_velocities(cloth);
    int count = v ? tl_cloth_vertex_count(cloth) : 0;
    for (int k = 0; k < count; ++k)
        speeds[k] = tl_length(v[k]);
    return v != NULL;
}

EXPORT const tl_real *telar_uv(const tl_scene *scene, int i) { return tl_mesh_uv(tl_cloth_mesh(cloth_at(scene, i))); }

EXPORT const int *telar_triangles(const tl_scene *scene, int i)
{
    return tl_mesh_triangles(tl_cloth_mesh(cloth_at(scene, i)));
}

EXPORT int telar_triangle_count(const tl_scene *scene, int i)
{
    return tl_mesh_triangle_count(tl_cloth_mesh(cloth_at(scene, i)));
}

EXPORT int telar_links(const tl_scene *scene, int i, int (*pairs)[2], int capacity)
{
    return tl_cloth_links(cloth_at(scene, i), pairs, capacity);
}

/* `faces` has one byte per triangle. */
EXPORT int telar_cloth_intersections(const tl_scene *scene, int i, unsigned char *faces)
{
    return tl_cloth_count_intersections(cloth_at(scene, i), faces);
}

EXPORT int telar_penetrating(const tl_scene *scene, int i)
{
    return tl_cloth_count_penetrating(cloth_at(scene, i), NULL);
}

/* ---- figures ------------------------------------------------------------------------------------------------ */

/* clang-format off */
#define FIGURES(X) \
    X(particles) X(simulated) X(links) X(faces) X(edges) X(substeps) X(parts) X(contacts) X(solver_iterations) X(pairs) \
    X(rebuilds) X(truncated) X(rejected_frames) X(recoveries) X(largest_strain) X(largest_speed) X(material_error) \
    X(volume) X(pressure) X(nrt) X(seconds_forces) X(seconds_step) X(seconds_contact) X(seconds_finish) \
    X(seconds_model) X(seconds_gravity) X(seconds_elements) X(seconds_volume) X(seconds_gas) X(bytes)
/* clang-format on */

/* Names of the figures of telar_statistics, with a space after each. */
EXPORT const char *telar_statistics_names(void)
{
#define NAME(field) #field " "
    return FIGURES(NAME);
#undef NAME
}

EXPORT const double *telar_statistics(const tl_scene *scene, int i)
{
    static double figures[40];
    tl_cloth_stats stats = tl_cloth_get_stats(cloth_at(scene, i));
    int count = 0;
#define FIGURE(field) figures[count++] = (double)stats.field;
    FIGURES(FIGURE)
#undef FIGURE
    return figures;
}

EXPORT const char *telar_advice(const tl_scene *scene, int i)
{
    static char text[512];
    tl_cloth *cloth = cloth_at(scene, i);
    return tl_cloth_material_advice(cloth, (double)tl_cloth_get_stats(cloth).material_error, text, sizeof text);
}

/* kinetic, gravity, elastic, gas, then the momentum */
EXPORT const double *telar_energies(const tl_scene *scene, int i)
{
    static double out[7];
    tl_energies e = tl_cloth_energies(cloth_at(scene, i));
    tl_vec3 p = tl_cloth_momentum(cloth_at(scene, i));
    const double all[7] = {e.kinetic, e.gravity, e.elastic, e.gas, (double)p.x, (double)p.y, (double)p.z};
    memcpy(out, all, sizeof out);
    return out;
}

/* ---- pins and forces ---------------------------------------------------------------------------------------- */

EXPORT bool telar_pin(tl_scene *scene, int i, int vertex, bool held)
{
    return keep_error(scene, tl_cloth_pin(cloth_at(scene, i), vertex, held));
}

EXPORT bool telar_pinned(const tl_scene *scene, int i, int vertex)
{
    return tl_cloth_pinned(cloth_at(scene, i), vertex);
}

EXPORT bool telar_pin_move(tl_scene *scene, int i, int vertex, double x, double y, double z)
{
    tl_vec3 position = {(tl_real)x, (tl_real)y, (tl_real)z};
    return keep_error(scene, tl_cloth_move_pin(cloth_at(scene, i), vertex, position));
}

EXPORT bool telar_force(tl_scene *scene, int i, int vertex, double x, double y, double z)
{
    tl_vec3 force = {(tl_real)x, (tl_real)y, (tl_real)z};
    return keep_error(scene, tl_cloth_add_force(cloth_at(scene, i), vertex, force));
}
