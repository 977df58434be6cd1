/* Reading a running cloth: values are correct, and reading never changes the run. */
#include "world_testing.h"

/* Everything the interface can read. */
static void read_everything(tl_world *world)
{
    for (int k = -1; k <= tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        if (!cloth)
            continue;
        int pairs[4][2];
        tl_cloth_strains(cloth);
        tl_cloth_forces(cloth);
        tl_cloth_positions(cloth);
        tl_cloth_velocities(cloth);
        tl_cloth_normals(cloth);
        tl_cloth_contact_forces(cloth);
        tl_cloth_masses(cloth);
        tl_cloth_forces(cloth);
        tl_cloth_strains(cloth);
        tl_cloth_links(cloth, pairs, 4);
        tl_cloth_energies(cloth);
        tl_cloth_momentum(cloth);
        tl_cloth_angular_momentum(cloth);
        tl_cloth_get_stats(cloth);
        tl_cloth_get_def(cloth);
        tl_cloth_mesh(cloth);
        tl_cloth_pinned(cloth, 0);
    }
    for (int b = -1; b <= tl_world_body_count(world); ++b) {
        tl_body *body = tl_world_body(world, b);
        if (!body)
            continue;
        tl_vec3 a, c;
        tl_quat q;
        tl_body_pose(body, &a, &q);
        tl_body_pose(body, NULL, NULL);
        tl_body_impulse(body, &a, &c);
        tl_body_impulse(body, NULL, NULL);
        tl_body_distance(body, v3(1, 2, 3), &a);
        tl_body_distance(body, v3(1, 2, 3), NULL);
        tl_body_get_def(body);
    }
    tl_world_wind_at(world, v3(1, 2, 3));
    tl_world_time(world);
    tl_world_get_def(world);
    size_t size = tl_world_snapshot_size(world);
    void *bytes = malloc(size);
    assert_int_equal(tl_world_save(world, bytes, size), TL_OK);
    free(bytes);
    tl_last_error(world);
    tl_world_hash(world);
}

static void reading_never_changes_the_run(void **state)
{
    (void)state;
    for (int m = 0; m < 3; ++m)
        for (int s = 0; tl_stepper_names()[s]; ++s) {
            stage here = {.stepper = tl_stepper_names()[s], .material = tl_material_names()[m]};
            tl_world *read = stage_world(&here), *left = stage_world(&here);
            if (m == 2) { /* the previous substep's forces are still needed */
                tl_value text = {TL_PARAM_TEXT, {0}, "s0-4.2"};
                assert_int_equal(tl_cloth_set(tl_world_cloth(read, 0), "schedule", &text), TL_OK);
                assert_int_equal(tl_cloth_set(tl_world_cloth(left, 0), "schedule", &text), TL_OK);
            }
            for (int f = 0; f < 15; ++f) {
                read_everything(read);
                tl_world_step(read, FRAME);
                tl_world_step(left, FRAME);
                if (tl_world_hash(read) != tl_world_hash(left))
                    fail_msg("%s, %s: reading changed frame %d", here.stepper, here.material, f);
            }
            tl_world_destroy(read);
            tl_world_destroy(left);
        }
}

static void forces_are_those_of_the_present_moment(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(4, 4, 1, 1);
    def.particle_mass = 2;
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    assert_near(-2 * 9.81, (double)tl_cloth_forces(cloth)[5].y, 1e-5); /* before the first step too */
    assert_int_equal(tl_world_set(world, "gravity", &(tl_value){TL_PARAM_VEC3, {0, 0, 3}, NULL}), TL_OK);
    assert_near(6, (double)tl_cloth_forces(cloth)[5].z, 1e-5);
    tl_vec3 x[16];
    memcpy(x, tl_cloth_positions(cloth), sizeof x);
    for (int v = 0; v < 16; ++v)
        if (v % 4 == 3)
            x[v].x += (tl_real)0.1; /* the last column too far right */
    assert_int_equal(tl_cloth_set_state(cloth, x, NULL), TL_OK);
    double before = (double)tl_cloth_forces(cloth)[5].x;
    assert_int_equal(set_real(cloth, "link.shear.stiffness", 0), TL_OK);
    assert_int_equal(set_real(cloth, "link.bend.stiffness", 0), TL_OK);
    assert_int_equal(set_real(cloth, "link.structural.stiffness", 100), TL_OK);
    assert_true((double)tl_cloth_forces(cloth)[6].x != before);
    assert_near(100 * 0.1, (double)tl_cloth_forces(cloth)[6].x, 1e-3);
    assert_near(0, (double)tl_cloth_forces(cloth)[5].x, 1e-4);
    tl_world_destroy(world);
}

static void energies_and_momenta_add_up(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(3, 3, 2, 2);
    def.particle_mass = (tl_real)0.5;
    def.center = v3(0, 3, 0);
    def.elements = (tl_elements_def){0};
    def.elements.link_structural = (tl_element_def){true, 8, 0};
    def.material = "custom";
    tl_cloth *cloth = make_cloth(world, &def);
    tl_vec3 x[9], v[9];
    memcpy(x, tl_cloth_positions(cloth), sizeof x);
    for (int k = 0; k < 9; ++k) {
        x[k].x *= (tl_real)1.5; /* six links along x are 0.5 m too long */
        v[k] = v3(1, 2, -2);
    }
    assert_int_equal(tl_cloth_set_state(cloth, x, v), TL_OK);
    tl_energies e = tl_cloth_energies(cloth);
    assert_near(9 * 0.5 * 0.5 * 9, e.kinetic, 1e-4);
    assert_near(9 * 0.5 * 9.81 * 3, e.gravity, 1e-3);
    assert_near(6 * 0.5 * 8 * 0.25, e.elastic, 1e-5);
    tl_vec3 p = tl_cloth_momentum(cloth), l = tl_cloth_angular_momentum(cloth);
    assert_near(4.5, (double)p.x, 1e-5);
    assert_near(9, (double)p.y, 1e-5);
    assert_near(-9, (double)p.z, 1e-5);
    assert_near(3 * -9, (double)l.x, 1e-4); /* centre at (0, 3, 0): L = M c × v */
    assert_near(0, (double)l.y, 1e-4);
    assert_near(-3 * 4.5, (double)l.z, 1e-4);
    assert_near(0.5, (double)tl_cloth_strains(cloth)[4], 1e-5);
    assert_near(0.5, (double)tl_cloth_masses(cloth)[4], 1e-7);
    tl_vec3 n = tl_cloth_normals(cloth)[4];
    assert_near(1, (double)n.y, 1e-5); /* a horizontal sheet looks up */
    tl_world_destroy(world);
}

static void statistics_tell_sizes_and_what_happened(void **state)
{
    (void)state;
    tl_world *world = stage_world(&(stage){.stepper = "xpbd"});
    tl_cloth *cloth = tl_world_cloth(world, 0);
    tl_cloth_stats s = tl_cloth_get_stats(cloth);
    assert_int_equal(s.particles, 13 * 11);
    assert_int_equal(s.faces, 2 * 12 * 10);
    assert_int_equal(s.edges, 12 * 11 + 13 * 10 + 12 * 10);
    assert_int_equal(s.links, 12 * 11 + 13 * 10 + 2 * 12 * 10 + 11 * 11 + 13 * 9);
    assert_true(s.bytes > 13 * 11 * 20 * sizeof(tl_real));
    assert_int_equal(s.substeps, 0);
    run_frames(world, 30);
    s = tl_cloth_get_stats(cloth);
    assert_int_equal(s.substeps, 20);
    assert_true(s.contacts > 0 && s.contacts <= s.particles);
    assert_true(s.largest_speed > 0 && s.largest_strain > 0);
    /* every stage takes time, that of the constraint solver included */
    assert_true(s.seconds_forces > 0 && s.seconds_step > 0 && s.seconds_contact > 0 && s.seconds_finish > 0);
    assert_true(s.seconds_step > 0.2 * s.seconds_forces);
    int pairs[3][2] = {{-1, -1}, {-1, -1}, {-1, -1}};
    assert_int_equal(tl_cloth_links(cloth, pairs, 2), s.links);
    assert_true(pairs[0][0] >= 0 && pairs[1][1] >= 0);
    assert_int_equal(pairs[2][0], -1); /* no more than the capacity */
    tl_world_destroy(world);
}

static void the_time_of_a_constraint_sweep_is_counted(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(60, 60, 1, 1);
    def.stepper = "xpbd";
    def.air = "off";
    tl_cloth *cloth = make_cloth(world, &def);
    bool longer = false;
    for (int try = 0; try < 10 && !longer; ++try) { /* other work on the machine may interrupt a frame anywhere */
        run_frames(world, 3);
        tl_cloth_stats s = tl_cloth_get_stats(cloth);
        longer = s.seconds_step > 2 * s.seconds_forces; /* forces are gravity alone */
    }
    assert_true(longer);
    tl_world_destroy(world);
}

static void vertices_keep_the_order_of_their_mesh(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_cloth_def def = soft_sheet(6, 5, 5, 4);
    def.center = v3(10, 20, 30);
    def.plane = "vertical";
    tl_cloth *cloth = make_cloth(world, &def);
    for (int v = 0; v < 30; ++v) {
        tl_vec3 x = tl_cloth_positions(cloth)[v];
        assert_near(10 - 2.5 + v % 6, (double)x.x, 1e-5);
        assert_near(20 + 2 - v / 6, (double)x.y, 1e-5);
        assert_near(30, (double)x.z, 1e-5);
    }
    tl_world_destroy(world);
}

static void every_name_has_a_sentence(void **state)
{
    (void)state;
    const char *const *const lists[] = {tl_stepper_names(), tl_contact_names(), tl_shape_names(), tl_element_names(),
                                        tl_material_names()};
    for (size_t k = 0; k < sizeof lists / sizeof *lists; ++k)
        for (int n = 0; lists[k][n]; ++n) {
            const char *sentence = tl_describe(lists[k][n]);
            assert_non_null(sentence);
            assert_true(strlen(sentence) > 10 && sentence[strlen(sentence) - 1] == '.');
        }
    assert_null(tl_describe("nothing of that name"));
    assert_string_equal(tl_version(), TL_VERSION);
}

static void the_help_of_a_body_s_size_has_every_shape(void **state)
{
    (void)state;
    const char *help = tl_param_find(&tl_body_params, "size")->help;
    for (const char *const *shape = tl_shape_names(); *shape; ++shape) {
        char part[200];
        snprintf(part, sizeof part, "%s (%s)", *shape, tl_shape_size_help(*shape));
        assert_non_null(strstr(help, part));
    }
}

/* What lies beside the middle of a body turns it: moment = arm × weight. */
static void a_body_feels_the_moment_of_what_lies_on_it(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_body_def box = tl_body_def_default();
    box.shape = "box";
    box.size = v3(2, 0.2, 2);
    box.friction = 1;
    tl_body *body = tl_body_create(world, &box);
    assert_non_null(body);
    tl_cloth_def def = soft_sheet(8, 8, 0.2f, 0.2f);
    def.center = v3(0.6, 0.102, -0.3);
    def.stepper = "semi-implicit-euler";
    def.substeps = 20;
    def.air = "off";
    make_cloth(world, &def);
    run_frames(world, 30);
    tl_vec3 impulse, moment;
    tl_body_impulse(body, &impulse, &moment);
    assert_true((double)impulse.y < 0);
    assert_near(0.6 * (double)impulse.y, (double)moment.z, 0.01 * fabs((double)impulse.y));
    assert_near(0.3 * (double)impulse.y, (double)moment.x, 0.02 * fabs((double)impulse.y));
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(reading_never_changes_the_run),
        cmocka_unit_test(forces_are_those_of_the_present_moment),
        cmocka_unit_test(energies_and_momenta_add_up),
        cmocka_unit_test(statistics_tell_sizes_and_what_happened),
        cmocka_unit_test(the_time_of_a_constraint_sweep_is_counted),
        cmocka_unit_test(vertices_keep_the_order_of_their_mesh),
        cmocka_unit_test(every_name_has_a_sentence),
        cmocka_unit_test(the_help_of_a_body_s_size_has_every_shape),
        cmocka_unit_test(a_body_feels_the_moment_of_what_lies_on_it),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
