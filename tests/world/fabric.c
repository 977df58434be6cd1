/* Fabrics: naming one fills in a cloth's properties, wherever it is named; later settings override it. */
#include "world_testing.h"

static tl_value name(const char *text) { return (tl_value){TL_PARAM_NAME, {0}, text}; }

static void set_def(tl_cloth_def *def, const char *path, tl_value value)
{
    tl_error error;
    assert_int_equal(
        tl_param_set(&tl_cloth_params, tl_param_find(&tl_cloth_params, path), def, &value, "cloth", &error), TL_OK);
}

static bool same(tl_real a, tl_real b) { return !(a < b) && !(a > b); }

static void every_fabric_is_complete(void **state)
{
    (void)state;
    assert_string_equal(tl_fabric_names()[0], "custom");
    assert_null(tl_fabric_named("custom"));
    assert_null(tl_fabric_named("tin"));
    for (int k = 1; tl_fabric_names()[k]; ++k) {
        const tl_fabric *fabric = tl_fabric_named(tl_fabric_names()[k]);
        assert_non_null(fabric);
        assert_true(strlen(fabric->use) > 3 && strlen(fabric->source) > 3);
        assert_true(fabric->density > (tl_real)0.03 && fabric->density < 1);
        assert_true(fabric->warp > 0 && fabric->weft > 0 && fabric->shear > 0);
        assert_true(tl_fabric_bend(fabric) > (tl_real)1e-6 && tl_fabric_bend(fabric) < (tl_real)1e-4);
        assert_string_equal(tl_describe(fabric->name), fabric->use);
    }
}

static void naming_a_fabric_fills_in_its_numbers(void **state)
{
    (void)state;
    const tl_fabric *denim = tl_fabric_named("denim");
    tl_cloth_def by_parameter = tl_cloth_def_default(), by_field = tl_cloth_def_default();
    set_def(&by_parameter, "fabric", name("denim"));
    by_field.fabric = "denim";
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, NULL);
    const tl_cloth_def *made[2] = {tl_cloth_get_def(tl_cloth_create(world, &by_parameter)),
                                   tl_cloth_get_def(tl_cloth_create(world, &by_field))};
    for (int k = 0; k < 2; ++k) {
        assert_string_equal(made[k]->material, "fabric");
        assert_true(same(made[k]->density, denim->density));
        assert_true(same(made[k]->elements.membrane_weft.stiffness, denim->weft));
        assert_true(same(made[k]->elements.bend_quadratic.stiffness, tl_fabric_bend(denim)));
        assert_true(made[k]->elements.membrane_shear.on && !made[k]->elements.link_structural.on);
    }
    tl_world_destroy(world);
}

static void numbers_given_after_the_fabric_stand(void **state)
{
    (void)state;
    tl_cloth_def def = tl_cloth_def_default();
    set_def(&def, "fabric", name("silk"));
    set_def(&def, "density", (tl_value){TL_PARAM_REAL, {0.5, 0, 0}, NULL});
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, NULL);
    const tl_cloth_def *made = tl_cloth_get_def(tl_cloth_create(world, &def));
    assert_true(same(made->density, (tl_real)0.5));
    assert_true(same(made->elements.membrane_warp.stiffness, tl_fabric_named("silk")->warp));
    tl_world_destroy(world);
}

/* In C as in scene files: the fabric applies, and numbers that were changed stay on top of it. */
static void numbers_beside_a_fabric_stay_on_top_of_it(void **state)
{
    (void)state;
    const tl_fabric *denim = tl_fabric_named("denim");
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    def.fabric = "denim";
    def.density = (tl_real)0.4;
    def.elements.membrane_warp.stiffness = 300;
    def.elements.bend_quadratic.damping = (tl_real)1e-6;
    const tl_cloth_def *made = tl_cloth_get_def(make_cloth(world, &def));
    assert_string_equal(made->material, "fabric");
    assert_true(same(made->density, (tl_real)0.4));
    assert_true(same(made->elements.membrane_warp.stiffness, 300));
    assert_true(same(made->elements.bend_quadratic.damping, (tl_real)1e-6));
    assert_true(same(made->elements.membrane_weft.stiffness, denim->weft));
    assert_true(same(made->elements.membrane_warp.damping, denim->warp * (tl_real)0.002));
    assert_true(same(made->elements.bend_quadratic.stiffness, tl_fabric_bend(denim)));
    assert_true(made->elements.membrane_warp.on && !made->elements.link_bend.on);
    tl_world_destroy(world);
}

static void a_material_chosen_beside_a_fabric_stays(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    def.fabric = "denim";
    def.material = "continuum";
    const tl_cloth_def *made = tl_cloth_get_def(make_cloth(world, &def));
    assert_string_equal(made->material, "continuum");
    assert_true(made->elements.continuum_stretch.on && !made->elements.membrane_warp.on);
    assert_true(same(made->density, tl_fabric_named("denim")->density));
    def = tl_cloth_def_grid(5, 5, 1, 1);
    def.fabric = "denim";
    def.elements.link_bend.on = false;
    made = tl_cloth_get_def(make_cloth(world, &def));
    assert_string_equal(made->material, "custom");
    assert_true(made->elements.link_structural.on && !made->elements.link_bend.on && !made->elements.membrane_warp.on);
    tl_world_destroy(world);
}

/* Also where a number is the default's, but not the fabric's, and after the parameter was set. */
static void a_definition_read_back_makes_the_same_cloth(void **state)
{
    (void)state;
    for (int k = 0; k < 4; ++k) {
        tl_world *world = make_world(), *again = make_world();
        tl_cloth_def def = tl_cloth_def_grid(7, 7, 1, 1);
        if (k > 0)
            set_def(&def, "fabric", name("denim"));
        else
            def.fabric = "denim";
        if (k == 1)
            set_def(&def, "density", tl_param_default(tl_param_find(&tl_cloth_params, "density")));
        if (k == 2)
            set_def(&def, "bend.quadratic.on", (tl_value){TL_PARAM_BOOL, {0}, NULL});
        if (k == 3)
            set_def(&def, "material", name("springs"));
        tl_cloth *first = make_cloth(world, &def);
        tl_cloth *second = make_cloth(again, tl_cloth_get_def(first));
        const tl_cloth_def *a = tl_cloth_get_def(first), *b = tl_cloth_get_def(second);
        if (k == 1)
            assert_true(same(a->density, tl_cloth_def_default().density));
        if (k == 3)
            assert_string_equal(a->material, "springs");
        assert_memory_equal(&a->elements, &b->elements, sizeof a->elements);
        assert_string_equal(a->material, b->material);
        assert_true(same(a->density, b->density));
        run_frames(world, 5);
        run_frames(again, 5);
        assert_true(tl_world_hash(world) == tl_world_hash(again));
        tl_world_destroy(world);
        tl_world_destroy(again);
    }
}

/* A definition read back holds a fabric's numbers: another fabric replaces them, the user's own stay. */
static void another_fabric_replaces_the_first_ones_numbers(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    def.fabric = "denim";
    def.density = (tl_real)0.4;
    def = *tl_cloth_get_def(make_cloth(world, &def));
    def.fabric = "silk";
    const tl_cloth_def *made = tl_cloth_get_def(make_cloth(world, &def));
    assert_true(same(made->elements.membrane_warp.stiffness, tl_fabric_named("silk")->warp));
    assert_true(same(made->density, (tl_real)0.4));
    tl_world_destroy(world);
}

static void a_running_cloth_takes_the_fabrics_weight(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    tl_pin_def pin = tl_pin_def_default();
    def.pins = &pin;
    def.pin_count = 1;
    tl_cloth *cloth = tl_cloth_create(world, &def);
    tl_value wool = name("wool");
    assert_int_equal(tl_cloth_set(cloth, "fabric", &wool), TL_OK);
    double mass = 0;
    for (int k = 0; k < 25; ++k)
        mass += (double)tl_cloth_masses(cloth)[k];
    assert_true(fabs(mass - (double)tl_fabric_named("wool")->density) < 1e-6);
    assert_true(tl_cloth_pinned(cloth, 0));
    tl_vec3 before = tl_cloth_positions(cloth)[0];
    assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    assert_true(same(before.y, tl_cloth_positions(cloth)[0].y));
    tl_world_destroy(world);
}

/* A fabric brings the stepper that its stiffness needs, unless one is named. */
static void a_fabric_is_stepped_implicitly_unless_a_stepper_is_named(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    tl_cloth *cloth = make_cloth(world, &def);
    assert_string_equal(tl_cloth_stepper(cloth), "xpbd");
    tl_value denim = name("denim"), xpbd = name("xpbd");
    assert_int_equal(tl_cloth_set(cloth, "fabric", &denim), TL_OK);
    assert_string_equal(tl_cloth_stepper(cloth), "implicit-euler");
    assert_string_equal(tl_cloth_get_def(cloth)->stepper, "automatic");
    assert_int_equal(tl_cloth_set(cloth, "stepper", &xpbd), TL_OK);
    assert_string_equal(tl_cloth_stepper(cloth), "xpbd");
    def.fabric = "silk";
    assert_string_equal(tl_cloth_stepper(make_cloth(world, &def)), "implicit-euler");
    def.stepper = "verlet";
    assert_string_equal(tl_cloth_stepper(make_cloth(world, &def)), "verlet");
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_fabric_is_complete),
        cmocka_unit_test(naming_a_fabric_fills_in_its_numbers),
        cmocka_unit_test(numbers_given_after_the_fabric_stand),
        cmocka_unit_test(numbers_beside_a_fabric_stay_on_top_of_it),
        cmocka_unit_test(a_material_chosen_beside_a_fabric_stays),
        cmocka_unit_test(a_definition_read_back_makes_the_same_cloth),
        cmocka_unit_test(another_fabric_replaces_the_first_ones_numbers),
        cmocka_unit_test(a_running_cloth_takes_the_fabrics_weight),
        cmocka_unit_test(a_fabric_is_stepped_implicitly_unless_a_stepper_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
