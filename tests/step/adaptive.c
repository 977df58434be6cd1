/* Adaptive substeps: strain and motion of every substep stay within their bounds. */
#include "step_testing.h"

#include "world/world.h"

enum { MOST = 8192 }; /* substeps recorded */

/* Positions at the start of each substep, recorded in place of the air force, which is evaluated there. A rejected
   substep starts again from the same time and overwrites its record. */
typedef struct recorder {
    tl_cloth *cloth;
    tl_vec3 *at;
    int count, capacity; /* substeps */
    double time[MOST];
    tl_real strain[MOST];
} recorder;

static void record(void *user, tl_particles *p, double time)
{
    recorder *r = user;
    if (r->count > 0 && time <= r->time[r->count - 1])
        --r->count;
    assert_true(r->count < r->capacity);
    r->time[r->count] = time;
    r->strain[r->count] = tl_cloth_measure_strain(r->cloth);
    for (int i = 0; i < p->count; ++i)
        r->at[r->count * p->count + i] = tl_at(p->x, i);
    ++r->count;
}

typedef struct outcome {
    int substeps;
    double motion, strain; /* largest of all substeps: edge lengths, change of strain */
    double shortest;       /* s */
} outcome;

/* A sheet thrown against its pins: both bounds are exceeded. */
static outcome fling(const char *stepper, double strain_bound, double motion_bound, int frames)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity.y = -10;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = tl_cloth_def_grid(9, 9, 1, 1);
    def.elements.link_structural = (tl_element_def){true, 200, (tl_real)0.01};
    def.elements.link_shear = (tl_element_def){true, 60, (tl_real)0.01};
    def.elements.link_bend = (tl_element_def){true, 1, (tl_real)0.005};
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.pins = pins;
    def.pin_count = 2;
    def.stepper = stepper;
    def.substeps = 4;
    def.particle_mass = (tl_real)0.02; /* four substeps are stable, but exceed the bounds */
    def.adaptive = true;
    def.adaptive_strain = (tl_real)strain_bound;
    def.adaptive_motion = (tl_real)motion_bound;
    def.air = "off";
    tl_cloth *cloth = tl_cloth_create(world, &def);
    assert_non_null(cloth);
    recorder r = {.cloth = cloth, .capacity = MOST};
    int count = cloth->system.p.count;
    r.at = malloc((size_t)r.capacity * (size_t)count * sizeof *r.at);
    cloth->system.air = record;
    cloth->system.air_user = &r;
    outcome result = {0, 0, 0, 1};
    for (int f = 0; f < frames; ++f) {
        assert_int_equal(tl_world_step(world, 1.0f / 60), TL_OK);
        result.substeps += cloth->stats.substeps; /* reading statistics through the interface evaluates forces */
    }
    assert_int_equal(result.substeps, r.count); /* rejected ones do not count */
    for (int n = 1; n < r.count; ++n) {
        for (int i = 0; i < count; ++i) {
            double moved = (double)tl_length(tl_sub(r.at[n * count + i], r.at[(n - 1) * count + i]));
            result.motion = fmax(result.motion, moved / (double)cloth->mean_edge);
        }
        result.strain = fmax(result.strain, fabs((double)(r.strain[n] - r.strain[n - 1])));
        result.shortest = fmin(result.shortest, r.time[n] - r.time[n - 1]);
    }
    free(r.at);
    tl_world_destroy(world);
    return result;
}

static void motion_and_strain_of_every_substep_stay_within_their_bounds(void **state)
{
    (void)state;
    static const char *const steppers[] = {"semi-implicit-euler", "verlet", "explicit-euler", "kinematic"};
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; ++k)
        for (int tight = 0; tight < 2; ++tight) {
            double motion = tight ? 0.02 : 0.1, strain = tight ? 0.002 : 0.01;
            outcome result = fling(steppers[k], strain, motion, 40);
            if (result.motion > motion * (1 + 1e-3))
                fail_msg("%s: a particle moved %.4f edge lengths in a substep, %.4f are allowed", steppers[k],
                         result.motion, motion);
            if (result.strain > strain * (1 + 1e-3))
                fail_msg("%s: strain changed by %.5f in a substep, %.5f are allowed", steppers[k], result.strain,
                         strain);
        }
}

static void tighter_bounds_take_more_substeps(void **state)
{
    (void)state;
    int loose = fling("verlet", 10, 100, 20).substeps;
    int motion = fling("verlet", 10, 0.02, 20).substeps;
    int strain = fling("verlet", 0.002, 100, 20).substeps;
    assert_int_equal(loose, 20 * 4); /* at rest: the minimum */
    assert_true(motion > 2 * loose);
    assert_true(strain > loose);
}

static void substeps_never_get_shorter_than_a_thousandth_of_the_longest(void **state)
{
    (void)state;
    outcome result = fling("verlet", 1e-5, 1e-4, 1); /* unattainable, but still terminates */
    assert_true(result.substeps <= 4 * 1024 + 8);
    assert_true(result.shortest > 1 / 60.0 / 4 / 1024 / 2);
}

static void a_frame_ends_exactly_at_its_end(void **state)
{
    (void)state;
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity.y = -10;
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth_def def = tl_cloth_def_grid(5, 5, 1, 1);
    def.adaptive = true;
    def.adaptive_motion = (tl_real)0.013; /* substeps that do not divide the frame */
    def.air = "off";
    def.stepper = "verlet"; /* exact in free fall, whatever the substeps */
    def.elements = (tl_elements_def){0};
    def.material = "custom";
    tl_cloth *cloth = tl_cloth_create(world, &def);
    assert_non_null(cloth);
    for (int f = 0; f < 30; ++f)
        assert_int_equal(tl_world_step(world, 1.0f / 60), TL_OK);
    assert_near(1 - 5 * 0.25, (double)tl_cloth_positions(cloth)[7].y, 2e-5);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(motion_and_strain_of_every_substep_stay_within_their_bounds),
        cmocka_unit_test(tighter_bounds_take_more_substeps),
        cmocka_unit_test(substeps_never_get_shorter_than_a_thousandth_of_the_longest),
        cmocka_unit_test(a_frame_ends_exactly_at_its_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
