/* Destroying bodies while cloth rests on them and pins follow them. */
#include "world_testing.h"

#include "core/vec.h"

typedef enum kind { SPHERE, BOX, MESH, DYNAMIC, KINDS } kind;

static tl_body *add(tl_world *world, kind what, const tl_mesh *mesh, tl_vec3 at)
{
    static const char *const shapes[KINDS] = {"sphere", "box", "mesh", "sphere"};
    tl_body_def def = tl_body_def_default();
    def.shape = shapes[what];
    def.size = what == BOX ? v3(0.4, 0.1, 0.4) : v3(0.1, 0.1, 0.1);
    def.mesh = what == MESH ? mesh : NULL;
    def.mass = what == DYNAMIC ? (tl_real)0.5 : 0;
    def.position = at;
    tl_body *body = tl_body_create(world, &def);
    if (!body)
        fail_msg("%s", tl_last_error(world));
    return body;
}

/* A sheet that rests on the body in its middle, with one corner pinned to that body. */
static tl_cloth *add_sheet(tl_world *world, const char *contact, tl_vec3 center, int body)
{
    tl_cloth_def def = tl_cloth_def_grid(9, 9, (tl_real)0.4, (tl_real)0.4);
    tl_pin_def pin = tl_pin_def_default();
    pin.body = body;
    def.pins = &pin;
    def.pin_count = 1;
    def.center = center;
    def.contact = contact;
    def.stepper = "xpbd";
    def.substeps = 8;
    return make_cloth(world, &def);
}

static const char *const contacts[] = {"bodies-only", "self-collision", "penetration-free"};

static void only_bodies_of_the_world_are_destroyed(void **state)
{
    (void)state;
    tl_world *world = make_world(), *other = make_world();
    tl_body *own = add(world, SPHERE, NULL, v3(0, 0, 0)), *elsewhere = add(other, SPHERE, NULL, v3(0, 0, 0));
    tl_body_destroy(world, NULL);
    tl_body_destroy(world, elsewhere);
    assert_int_equal(tl_world_body_count(world), 1);
    assert_int_equal(tl_world_body_count(other), 1);
    tl_body_destroy(world, own);
    assert_int_equal(tl_world_body_count(world), 0);
    assert_null(tl_world_body(world, 0));
    tl_body_destroy(world, NULL);
    run_frames(world, 2);
    run_frames(other, 2);
    tl_world_destroy(world);
    tl_world_destroy(other);
}

/* Hash after some frames of sheets on bodies of all kinds; `extra` was created as number `place` and destroyed before
   the first step, -1: never existed. */
static uint64_t hash_with(const char *contact, int extra, int place, const tl_mesh *mesh)
{
    tl_world *world = make_world();
    tl_body *gone = NULL;
    for (int k = 0; k <= KINDS; ++k) {
        if (extra >= 0 && k == place)
            gone = add(world, (kind)extra, mesh, v3(0, 0.3, 0));
        if (k < KINDS)
            add(world, (kind)k, mesh, v3(k, 0.1, 0));
    }
    for (int k = 0; k < KINDS; ++k)
        add_sheet(world, contact, v3(k, 0.25, 0), extra >= 0 && k >= place ? k + 1 : k);
    tl_body_destroy(world, gone);
    assert_int_equal(tl_world_body_count(world), KINDS);
    run_frames(world, 20);
    uint64_t hash = tl_world_hash(world);
    tl_world_destroy(world);
    return hash;
}

static void body_destroyed_before_the_first_step_leaves_no_trace(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(0.3);
    for (int c = 0; c < 3; ++c) {
        uint64_t hash = hash_with(contacts[c], -1, 0, mesh);
        for (int extra = 0; extra < KINDS; ++extra)
            for (int place = 0; place <= KINDS; place += 2)
                if (hash_with(contacts[c], extra, place, mesh) != hash)
                    fail_msg("%s: body %d in place %d left something", contacts[c], extra, place);
    }
    tl_mesh_destroy(mesh);
}

static tl_vec3 corner(tl_cloth *cloth) { return tl_cloth_positions(cloth)[0]; }

static double between(tl_vec3 a, tl_vec3 b) { return (double)tl_length(tl_sub(a, b)); }

/* Destroys one of the bodies under resting sheets: its sheet falls, hung up by a pin that stays; all others rest, and
   their pins follow their bodies. */
static void destroy_under_cloth(const char *contact, int which, const tl_mesh *mesh)
{
    tl_world *world = make_world();
    for (int k = 0; k < KINDS; ++k)
        add(world, (kind)k, mesh, v3(k, 0.1, 0));
    tl_cloth *sheet[KINDS];
    for (int k = 0; k < KINDS; ++k)
        sheet[k] = add_sheet(world, contact, v3(k, 0.22, 0), k);
    run_frames(world, 10);
    tl_vec3 at = corner(sheet[which]);
    tl_body_destroy(world, tl_world_body(world, which));
    assert_int_equal(tl_world_body_count(world), KINDS - 1);
    run_frames(world, 2);
    tl_real before = tl_cloth_positions(sheet[which])[40].y;
    for (int frame = 0; frame < 10; ++frame) {
        tl_vec3 was[KINDS], from[KINDS];
        for (int k = 0, b = 0; k < KINDS; ++k)
            if (k != which) {
                tl_body *body = tl_world_body(world, b++);
                tl_body_pose(body, &from[k], NULL);
                was[k] = corner(sheet[k]);
                if (k != DYNAMIC)
                    assert_int_equal(tl_body_move(body, tl_add(from[k], v3(0.01, 0, 0)), tl_quat_identity()), TL_OK);
            }
        run_frames(world, 1);
        for (int k = 0, b = 0; k < KINDS; ++k)
            if (k != which && k != DYNAMIC) {
                tl_vec3 to;
                tl_body_pose(tl_world_body(world, b++), &to, NULL);
                assert_near(0, between(tl_add(was[k], tl_sub(to, from[k])), corner(sheet[k])), 1e-5);
            } else if (k != which) {
                ++b;
            }
        assert_near(0, between(at, corner(sheet[which])), 0);
    }
    if (which != DYNAMIC) /* which fell with its sheet before */
        assert_true(tl_cloth_positions(sheet[which])[40].y < before - (tl_real)0.01);
    assert_true(all_finite(world));
    for (int k = 0; k < KINDS; ++k)
        assert_int_equal(tl_cloth_count_penetrating(sheet[k], NULL), 0);
    while (tl_world_body_count(world) > 0)
        tl_body_destroy(world, tl_world_body(world, 0));
    run_frames(world, 2);
    tl_world_destroy(world);
}

static void cloth_goes_on_without_the_body_under_it(void **state)
{
    (void)state;
    tl_mesh *mesh = square_mesh(0.3);
    for (int c = 0; c < 3; ++c)
        for (int which = 0; which < KINDS; ++which)
            destroy_under_cloth(contacts[c], which, mesh);
    tl_mesh_destroy(mesh);
}

static void snapshot_with_a_destroyed_body_is_refused(void **state)
{
    (void)state;
    tl_world *world = make_world();
    add(world, SPHERE, NULL, v3(0, 0.1, 0));
    tl_body *gone = add(world, BOX, NULL, v3(1, 0.1, 0));
    tl_cloth *sheet = add_sheet(world, "bodies-only", v3(0, 0.25, 0), 1);
    size_t size = tl_world_snapshot_size(world);
    void *before = malloc(size), *after = malloc(size);
    assert_int_equal(tl_world_save(world, before, size), TL_OK);
    tl_body_destroy(world, gone);
    assert_int_equal(tl_world_restore(world, before, size), TL_ERROR_INPUT);
    size_t smaller = tl_world_snapshot_size(world);
    assert_true(smaller < size);
    run_frames(world, 3);
    assert_int_equal(tl_world_save(world, after, smaller), TL_OK);
    run_frames(world, 5);
    uint64_t hash = tl_world_hash(world);
    assert_int_equal(tl_world_restore(world, after, smaller), TL_OK);
    run_frames(world, 5);
    assert_true(tl_world_hash(world) == hash);
    assert_true(tl_cloth_pinned(sheet, 0));
    free(before);
    free(after);
    tl_world_destroy(world);
}

/* A rejected frame leaves the pin behind the body it follows: it stays there, and does not catch up. */
static void pin_of_a_destroyed_body_stays_where_it_is(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body *body = add(world, SPHERE, NULL, v3(0, 0.1, 0));
    tl_cloth *sheet = add_sheet(world, "bodies-only", v3(0, 0.25, 0), 0);
    assert_int_equal(set_name(sheet, "stepper", "verlet"), TL_OK);
    assert_int_equal(set_real(sheet, "substep_rate", 10000), TL_OK);
    run_frames(world, 2);
    tl_vec3 at = corner(sheet);
    assert_int_equal(tl_body_move(body, v3(0.05, 0.1, 0), tl_quat_identity()), TL_OK);
    assert_int_equal(tl_cloth_add_force(sheet, 40, v3(1e30, 0, 0)), TL_OK);
    assert_int_equal(tl_world_step(world, FRAME), TL_ERROR_UNSTABLE);
    tl_body_destroy(world, body);
    run_frames(world, 2);
    assert_near(0, between(at, corner(sheet)), 0);
    tl_world_destroy(world);
}

/* The only cloth that needed mesh contact goes: the other must not look at contact meshes that are gone. */
static void cloth_goes_on_without_the_only_one_that_collided_with_itself(void **state)
{
    (void)state;
    tl_world *world = make_world();
    add(world, SPHERE, NULL, v3(0, 0.1, 0));
    tl_cloth *folds = add_sheet(world, "self-collision", v3(2, 0.25, 0), -1);
    tl_cloth *rests = add_sheet(world, "bodies-only", v3(0, 0.25, 0), -1);
    run_frames(world, 3);
    tl_cloth_destroy(world, folds);
    run_frames(world, 3);
    assert_int_equal(tl_cloth_count_penetrating(rests, NULL), 0);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(only_bodies_of_the_world_are_destroyed),
        cmocka_unit_test(body_destroyed_before_the_first_step_leaves_no_trace),
        cmocka_unit_test(cloth_goes_on_without_the_body_under_it),
        cmocka_unit_test(snapshot_with_a_destroyed_body_is_refused),
        cmocka_unit_test(pin_of_a_destroyed_body_stays_where_it_is),
        cmocka_unit_test(cloth_goes_on_without_the_only_one_that_collided_with_itself),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
