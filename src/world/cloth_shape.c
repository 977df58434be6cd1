#include "world/cloth_shape.h"

#include "core/random.h"
#include "core/trig.h"

#include <string.h>

/* Waves of the start ripple across a grid; the ratios share no period with each other or with the grid. */
#define RIPPLE_WAVES_X 5.3
#define RIPPLE_WAVES_Y 3.7
/* Period of the sinusoidal mass spread, in vertex indices of the file (the thesis S3 shows a visible period). */
#define SPREAD_PERIOD 16.0

tl_quat tl_cloth_start_turn(const tl_cloth *cloth)
{
    tl_quat turn = tl_quat_euler(cloth->def.rotation);
    if (cloth->mesh->lattice &&
        strcmp(cloth->def.plane, "horizontal") == 0) /* front up, top edge away from the viewer */
        turn = tl_quat_mul(turn, tl_quat_euler(tl_v3(-90, 0, 0)));
    return turn;
}

tl_result tl_cloth_place(tl_cloth *cloth, tl_error *error)
{
    (void)error;
    const tl_mesh *mesh = cloth->mesh;
    tl_world *world = cloth->world;
    tl_real *const *x = cloth->system.p.x;
    tl_quat turn = tl_cloth_start_turn(cloth);
    for (int i = 0; i < mesh->particle_count; ++i) {
        tl_vec3 local = mesh->position[i];
        if (cloth->def.ripple > 0) {
            double u = (double)(local.x / cloth->def.width), v = (double)(local.y / cloth->def.height);
            double wave = tl_sin(2 * TL_PI * RIPPLE_WAVES_X * u) * tl_cos(2 * TL_PI * RIPPLE_WAVES_Y * v);
            local.z += cloth->def.ripple * (tl_real)wave;
        }
        tl_put(x, i, tl_rotate(turn, local));
    }
    cloth->origin = tl_world_origin_for(world, tl_home(world, tl_add(cloth->def.center, tl_cloth_middle(cloth))));
    tl_vec3 center = tl_local_of_public(world, cloth->origin, cloth->def.center);
    for (int i = 0; i < mesh->particle_count; ++i)
        tl_put(x, i, tl_add(center, tl_at(x, i)));
    return TL_OK;
}

void tl_cloth_box(const tl_cloth *cloth, tl_vec3 *low, tl_vec3 *high)
{
    tl_real *const *x = cloth->system.p.x;
    tl_vec3 a = tl_at(x, 0), b = a;
    for (int i = 1; i < cloth->mesh->particle_count; ++i) {
        tl_vec3 p = tl_at(x, i);
        a = tl_v3(tl_min(a.x, p.x), tl_min(a.y, p.y), tl_min(a.z, p.z));
        b = tl_v3(tl_max(b.x, p.x), tl_max(b.y, p.y), tl_max(b.z, p.z));
    }
    *low = tl_public(cloth->world, cloth->origin, a);
    *high = tl_public(cloth->world, cloth->origin, b);
}

/* m; sizes beyond which a mesh is more likely in another unit than a cloth so large or small, and the one above which
   millimetres are more likely than centimetres. */
static const tl_real LARGEST_CLOTH = 20, SMALLEST_CLOTH = (tl_real)0.005, MILLIMETRES = 200;

void tl_cloth_check_size(const tl_cloth *cloth)
{
    const tl_world *world = cloth->world;
    if (!world->def.log)
        return;
    tl_vec3 low, high;
    tl_cloth_box(cloth, &low, &high);
    tl_real size = tl_max(high.x - low.x, tl_max(high.y - low.y, high.z - low.z));
    if (size >= SMALLEST_CLOTH && size <= LARGEST_CLOTH)
        return;
    const char *label = cloth->def.label[0] ? cloth->def.label : "cloth";
    bool large = size > LARGEST_CLOTH;
    double shown = large ? (double)size : 1000 * (double)size;
    tl_error line;
    if (!cloth->def.mesh)
        tl_fail(&line, TL_ERROR_INPUT, "%s is %.4g %s wide: cloth[%d].width and .height are in metres", label, shown,
                large ? "m" : "mm", cloth->index);
    else if (large)
        tl_fail(&line, TL_ERROR_INPUT, "%s is %.4g m wide: is its mesh in %s? set cloth[%d].mesh.scale to %s", label,
                shown, size > MILLIMETRES ? "millimetres" : "centimetres", cloth->index,
                size > MILLIMETRES ? "0.001" : "0.01");
    else
        tl_fail(&line, TL_ERROR_INPUT,
                "%s is %.4g mm wide: what is the unit of its mesh? set cloth[%d].mesh.scale to its length in metres",
                label, shown, cloth->index);
    (world->def.log)(world->def.log_user, line.message); /* parentheses: not the log macro of tgmath.h */
}

/* Mass of a vertex relative to the heaviest, in 1/ratio … 1. */
static double spread(const tl_cloth_def *def, int vertex)
{
    double lightest = 1 / (double)def->mass_ratio;
    if (strcmp(def->mass_spread, "random") == 0)
        return lightest + (1 - lightest) * tl_random_unit((uint32_t)def->seed, (uint32_t)vertex);
    if (strcmp(def->mass_spread, "sinusoidal") == 0)
        return lightest + (1 - lightest) * (0.5 + 0.5 * tl_sin(2 * TL_PI * vertex / SPREAD_PERIOD));
    return 1;
}

void tl_cloth_even_weight(tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    tl_real *weight = cloth->system.weight;
    double mass = 0, even = 0;
    for (int i = 0; i < p->count; ++i) {
        weight[i] = p->m[i] / (tl_real)spread(&cloth->def, cloth->mesh->vertex_of_particle[i]);
        mass += (double)p->m[i];
        even += (double)weight[i];
    }
    tl_real share = (tl_real)(mass / even); /* 1 for equal masses, to the bit */
    for (int i = 0; i < p->count; ++i)
        weight[i] *= share;
}

tl_result tl_cloth_weigh(tl_cloth *cloth, tl_error *error)
{
    const tl_mesh *mesh = cloth->mesh;
    const tl_cloth_def *def = &cloth->def;
    tl_particles *p = &cloth->system.p;
    memset(p->m, 0, (size_t)p->count * sizeof *p->m);
    /* a third of each face's mass to each corner */
    for (int h = 0; h < 3 * mesh->face_count; ++h) {
        const tl_mesh_part *part = tl_mesh_part_at(mesh, h / 3);
        p->m[mesh->face[h]] += def->density * (part ? part->density : 1) * mesh->rest_area[h / 3] / 3;
    }
    double mass = 0, area = 0;
    for (int f = 0; f < mesh->face_count; ++f)
        area += (double)mesh->rest_area[f];
    for (int i = 0; i < p->count; ++i) {
        if (def->particle_mass > 0)
            p->m[i] = def->particle_mass;
        p->m[i] *= (tl_real)spread(def, mesh->vertex_of_particle[i]);
        if (!(p->m[i] > 0))
            return tl_fail(error, TL_ERROR_INPUT, "%s: vertex %d has no mass", def->label, mesh->vertex_of_particle[i]);
        p->w[i] = 1 / p->m[i];
        mass += (double)p->m[i];
    }
    for (int k = 0; k < cloth->pin_count; ++k)
        p->w[cloth->pins[k].particle] = 0;
    cloth->system.area_density = (tl_real)(mass / area);
    return TL_OK;
}
