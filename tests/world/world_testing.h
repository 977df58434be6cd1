/* Shared by the world tests: a sheet between wind, ball and floor, built in code, and setters of any parameter. */
#ifndef TEST_WORLD_TESTING_H
#define TEST_WORLD_TESTING_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "telar/telar.h"

#ifdef TL_REAL_DOUBLE
enum { DOUBLE_BUILD = 1 };
#else
enum { DOUBLE_BUILD = 0 };
#endif

static const tl_real FRAME = (tl_real)(1.0 / 60); /* s */

static inline tl_vec3 v3(double x, double y, double z) { return (tl_vec3){(tl_real)x, (tl_real)y, (tl_real)z}; }

static inline void assert_near(double expected, double measured, double tolerance)
{
    if (!(fabs(expected - measured) <= tolerance))
        fail_msg("expected %.12g, measured %.12g, tolerance %g", expected, measured, tolerance);
}

static inline void assert_message(const tl_world *world, const char *part)
{
    if (!strstr(tl_last_error(world), part))
        fail_msg("no '%s' in: %s", part, tl_last_error(world));
}

static inline tl_world *make_world(void)
{
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    tl_world *world = tl_world_create(&def, &error);
    if (!world)
        fail_msg("%s", error.message);
    return world;
}

static inline tl_cloth *make_cloth(tl_world *world, const tl_cloth_def *def)
{
    tl_cloth *cloth = tl_cloth_create(world, def);
    if (!cloth)
        fail_msg("%s", tl_last_error(world));
    return cloth;
}

/* A floor, a wall, and a box that shoves a sheet of SHOVE_SIZE there, until SHOVE_ROOM is left of its length. */
static const double SHOVE_SIZE = 0.8, SHOVE_ROOM = 0.25; /* m */

static inline tl_body *shove_box(tl_world *world, tl_vec3 position, tl_vec3 size, tl_key_def *keys, int key_count)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "box";
    def.position = position;
    def.size = size;
    def.keys = keys;
    def.key_count = key_count;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

static inline void add_shove(tl_world *world, double speed)
{
    tl_key_def keys[3] = {tl_key_def_default(), tl_key_def_default(), tl_key_def_default()};
    keys[1].time = (tl_real)0.05;
    keys[2].time = (tl_real)(0.05 + (SHOVE_SIZE - SHOVE_ROOM) / speed);
    keys[2].position = v3(SHOVE_SIZE - SHOVE_ROOM, 0, 0);
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    shove_box(world, v3(SHOVE_SIZE / 2 + 0.1, 0.5, 0), v3(0.1, 1, 2), NULL, 0);
    shove_box(world, v3(-SHOVE_SIZE / 2 - 0.15, 0.2, 0), v3(0.2, 0.4, 1.2), keys, 3);
}

/* A sheet of soft links under semi-implicit Euler, stable in twenty substeps a frame unless it is very fine: for tests
   of steppers that follow every wave, and exactly the substeps they ask for. */
static inline tl_cloth_def soft_sheet(int columns, int rows, tl_real width, tl_real height)
{
    tl_cloth_def def = tl_cloth_def_grid(columns, rows, width, height);
    def.elements.link_structural = (tl_element_def){true, 200, (tl_real)0.01};
    def.elements.link_shear = (tl_element_def){true, 60, (tl_real)0.01};
    def.elements.link_bend = (tl_element_def){true, 1, (tl_real)0.005};
    def.stepper = "semi-implicit-euler";
    def.stable = false;
    return def;
}

/* Pins along the whole border of a grid. */
static inline void pin_all_edges(tl_pin_def pins[4])
{
    static const char *const edges[4] = {"top", "bottom", "left", "right"};
    for (int k = 0; k < 4; ++k) {
        pins[k] = tl_pin_def_default();
        pins[k].where = "edge";
        pins[k].name = edges[k];
    }
}

/* A level square of two triangles. */
static inline tl_mesh *square_mesh(double half)
{
    tl_vec3 p[4] = {v3(-half, 0, -half), v3(-half, 0, half), v3(half, 0, half), v3(half, 0, -half)};
    static const int f[6] = {0, 1, 2, 0, 2, 3};
    return tl_mesh_create(&(tl_mesh_def){.positions = p, .vertex_count = 4, .triangles = f, .triangle_count = 2}, NULL,
                          NULL);
}

static inline tl_result set_name(tl_cloth *cloth, const char *path, const char *name)
{
    return tl_cloth_set(cloth, path, &(tl_value){TL_PARAM_NAME, {0}, name});
}
static inline tl_result set_real(tl_cloth *cloth, const char *path, double number)
{
    return tl_cloth_set(cloth, path, &(tl_value){TL_PARAM_REAL, {number}, NULL});
}

/* A sheet pinned at two corners that swings against a ball above a floor, in gusty wind. Sizes are odd on purpose:
   nothing fills whole vectors. Every material is soft enough for 20 substeps of any stepper. */
typedef struct stage {
    const char *material, *stepper, *lanes;
    int substeps; /* 0: 20 */
    bool adaptive;
    bool turbulent;                /* eddies dominate the cost of so small a sheet */
    const tl_allocator *allocator; /* NULL: the heap */
} stage;

static inline tl_world *make_stage(const stage *s)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    if (s->lanes)
        world_def.simd = s->lanes;
    if (s->allocator)
        world_def.allocator = *s->allocator;
    world_def.wind.kind = s->turbulent ? "turbulent" : "gusts";
    world_def.wind.velocity = v3(1, 0.3, 3);
    tl_world *world = tl_world_create(&world_def, &error);
    if (!world)
        return NULL;
    if (!tl_world_add_sphere(world, v3(0.1, 0.75, 0.25), (tl_real)0.25, (tl_real)0.4) ||
        !tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.6)) {
        tl_world_destroy(world);
        return NULL;
    }
    tl_key_def keys[2] = {tl_key_def_default(), tl_key_def_default()};
    keys[1].time = 1;
    keys[1].position = v3(0, 0, -0.6);
    keys[1].rotation = v3(0, 180, 0);
    tl_body_def box = tl_body_def_default();
    box.shape = "box";
    box.size = v3(0.3, 0.2, 0.3);
    box.position = v3(-0.2, 0.7, 0.5);
    box.keys = keys;
    box.key_count = 2;
    tl_cloth_def def = soft_sheet(13, 11, 1, (tl_real)0.9);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.plane = "vertical";
    def.center = v3(0, 0.8, 0);
    def.ripple = (tl_real)0.01;
    def.particle_mass = (tl_real)0.02;
    def.material = s->material ? s->material : "springs";
    tl_param_group const *group = &tl_cloth_params;
    group->changed(&def, tl_param_find(group, "material")); /* choosing a material by name switches its elements */
    if (s->stepper)
        def.stepper = s->stepper;
    def.substeps = s->substeps ? s->substeps : 20;
    def.damping = (tl_real)0.5;
    def.lift = (tl_real)0.3;
    def.adaptive = s->adaptive;
    if (!tl_body_create(world, &box) || !tl_cloth_create(world, &def)) {
        tl_world_destroy(world);
        return NULL;
    }
    return world;
}

/* As above, asserting that nothing fails. */
static inline tl_world *stage_world(const stage *s)
{
    tl_world *world = make_stage(s);
    assert_non_null(world);
    return world;
}

static inline void run_frames(tl_world *world, int frames)
{
    for (int f = 0; f < frames; ++f)
        if (tl_world_step(world, FRAME) != TL_OK)
            fail_msg("frame %d: %s", f, tl_last_error(world));
}

static inline bool all_finite(tl_world *world)
{
    for (int k = 0; k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        const tl_vec3 *x = tl_cloth_positions(cloth), *v = tl_cloth_velocities(cloth), *n = tl_cloth_normals(cloth);
        const tl_real *strain = tl_cloth_strains(cloth), *contact = tl_cloth_contact_forces(cloth);
        for (int i = 0; i < tl_cloth_vertex_count(cloth); ++i)
            if (!isfinite(x[i].x + x[i].y + x[i].z + v[i].x + v[i].y + v[i].z + n[i].x + n[i].y + n[i].z + strain[i] +
                          contact[i]))
                return false;
    }
    for (int b = 0; b < tl_world_body_count(world); ++b) {
        tl_vec3 position, impulse, moment;
        tl_quat rotation;
        tl_body_pose(tl_world_body(world, b), &position, &rotation);
        tl_body_impulse(tl_world_body(world, b), &impulse, &moment);
        if (!isfinite(position.x + position.y + position.z + rotation.w + impulse.x + impulse.y + impulse.z + moment.x +
                      moment.y + moment.z))
            return false;
    }
    return isfinite(tl_world_time(world));
}

#endif
