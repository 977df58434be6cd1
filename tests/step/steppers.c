/* Each stepper against single steps computed by hand, and switching between steppers. */
#include "step_testing.h"

/* Two particles on one structural link of rest length 1 m. A third and fourth complete the 2 × 2 grid on links of their
   own; tests look at particles 0 and 1. */
typedef struct pair {
    tl_mesh *mesh;
    tl_system system;
    int a, b; /* two neighbours of one row */
} pair;

static pair make_pair(double stiffness, double damping)
{
    pair t;
    t.mesh = grid(2, 2, 1, 1);
    t.system = make_system(t.mesh, 1);
    if (stiffness > 0 || damping > 0)
        switch_on(&t.system, TL_ELEMENT_link_structural, stiffness, damping);
    t.a = t.mesh->lattice[0];
    t.system.implicit_settings = (tl_implicit_settings){10, 100, (tl_real)1e-7, TL_CONDITION_SWEEP};
    t.b = t.mesh->lattice[1];
    return t;
}

static void end_pair(pair *t)
{
    tl_system_destroy(&t->system);
    tl_mesh_destroy(t->mesh);
}

/* Constant force: gravity alone. */
static void one_step_of_free_fall(const char *stepper, double dy, double dv)
{
    pair t = make_pair(0, 0);
    t.system.gravity = tl_v3(0, -10, 0);
    double y = (double)t.system.p.x[1][t.a];
    for (int i = 0; i < t.system.p.count; ++i)
        t.system.p.v[1][i] = 2;
    substep(&t.system, stepper, 0.5);
    assert_near(y + dy, (double)t.system.p.x[1][t.a], 1e-6);
    assert_near(2 + dv, (double)t.system.p.v[1][t.a], 1e-6);
    assert_near(0, (double)t.system.p.v[0][t.a], 0);
    end_pair(&t);
}

static void free_fall_takes_the_step_of_each_scheme(void **state)
{
    (void)state;
    /* h = ½ s, g = −10 m/s², v = 2 m/s: v h = 1, a h = −5, a h² = −2.5 */
    one_step_of_free_fall("explicit-euler", 1, -5);
    one_step_of_free_fall("semi-implicit-euler", 1 - 2.5, -5);
    one_step_of_free_fall("kinematic", 1 - 1.25, -5);
    one_step_of_free_fall("verlet", 1 - 1.25, -2.5); /* its velocity lags by half a step */
    one_step_of_free_fall("rk4", 1 - 1.25, -5);
    one_step_of_free_fall("xpbd", 1 - 2.5, -5);
    one_step_of_free_fall("projection", 1 - 2.5, -5);
    one_step_of_free_fall("range", 1 - 2.5, -5);
    one_step_of_free_fall("implicit-euler", 1 - 2.5, -5);
    one_step_of_free_fall("bdf2", 1 - 1.25, -5); /* without history */
}

static void a_stretched_link_pulls_by_hookes_law(void **state)
{
    (void)state;
    /* b is 0.25 m too far right: force 8 N/m · 0.25 m = 2 N on masses of 1 kg; h = 0.1 s */
    const struct {
        const char *stepper;
        double dx, v;
    } expected[] = {{"explicit-euler", 0, 0.2},
                    {"semi-implicit-euler", 0.02, 0.2},
                    {"kinematic", 0.01, 0.2},
                    {"verlet", 0.01, 0.1}};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k) {
        pair t = make_pair(8, 0);
        t.system.p.x[0][t.b] += (tl_real)0.25;
        double a = (double)t.system.p.x[0][t.a], b = (double)t.system.p.x[0][t.b];
        substep(&t.system, expected[k].stepper, 0.1);
        assert_near(a + expected[k].dx, (double)t.system.p.x[0][t.a], 1e-6);
        assert_near(b - expected[k].dx, (double)t.system.p.x[0][t.b], 1e-2); /* its other link is inclined */
        assert_near(expected[k].v, (double)t.system.p.v[0][t.a], 1e-6);
        end_pair(&t);
    }
}

static void xpbd_solves_one_link_as_its_equation_says(void **state)
{
    (void)state;
    /* rows move together, so every link along x has the same error: Δλ = −C / (Σw + a), a = 1/(k h²) */
    double h = 0.1, k = 50, stretch = 0.2;
    pair t = make_pair(k, 0);
    int c = t.mesh->lattice[2], d = t.mesh->lattice[3];
    t.system.p.x[0][t.b] += (tl_real)stretch;
    t.system.p.x[0][d] += (tl_real)stretch;
    double a = (double)t.system.p.x[0][t.a], b = (double)t.system.p.x[0][t.b];
    t.system.p.v[0][c] = 0;
    substep(&t.system, "xpbd", h);
    double move = stretch / (2 + 1 / (k * h * h));
    assert_near(a + move, (double)t.system.p.x[0][t.a], 2e-6);
    assert_near(b - move, (double)t.system.p.x[0][t.b], 2e-6);
    assert_near(move / h, (double)t.system.p.v[0][t.a], 2e-5);
    end_pair(&t);
}

static void projection_restores_the_rest_length_but_for_its_loss(void **state)
{
    (void)state;
    for (int lossy = 0; lossy < 2; ++lossy) {
        pair t = make_pair(1, 0); /* whatever the stiffness */
        int d = t.mesh->lattice[3];
        t.system.position_settings.loss = lossy ? (tl_real)0.25 : 0;
        t.system.p.x[0][t.b] += (tl_real)0.2;
        t.system.p.x[0][d] += (tl_real)0.2;
        substep(&t.system, "projection", 0.1);
        double left = (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]) - 1;
        assert_near(lossy ? 0.25 * 0.2 : 0, left, 2e-6);
        end_pair(&t);
    }
}

/* Masses 1 : 4: both ends move alike by halves, else the light one four times as far. */
static void projection_shares_corrections_by_mass_or_by_halves(void **state)
{
    (void)state;
    for (int halves = 0; halves < 2; ++halves) {
        pair t = make_pair(1, 0);
        int c = t.mesh->lattice[2], d = t.mesh->lattice[3];
        t.system.position_settings.halves = halves != 0;
        t.system.p.w[t.a] = t.system.p.w[c] = (tl_real)0.25;
        t.system.p.x[0][t.b] += (tl_real)0.2;
        t.system.p.x[0][d] += (tl_real)0.2;
        double a = (double)t.system.p.x[0][t.a];
        substep(&t.system, "projection", 0.1);
        assert_near(halves ? 0.1 : 0.04, (double)t.system.p.x[0][t.a] - a, 2e-6);
        assert_near(1, (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]), 2e-6);
        end_pair(&t);
    }
}

static void the_range_stepper_leaves_lengths_inside_the_range_alone(void **state)
{
    (void)state;
    const struct {
        double stretch, left;
    } cases[] = {{0.05, 0.05}, {-0.08, -0.08}, {0.3, 0.1}, {-0.4, -0.1}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        pair t = make_pair(1, 0);
        int d = t.mesh->lattice[3];
        t.system.position_settings.range_low = (tl_real)0.9;
        t.system.position_settings.range_high = (tl_real)1.1;
        t.system.p.x[0][t.b] += (tl_real)cases[k].stretch;
        t.system.p.x[0][d] += (tl_real)cases[k].stretch;
        substep(&t.system, "range", 0.1);
        assert_near(cases[k].left, (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]) - 1, 2e-6);
        end_pair(&t);
    }
}

static void pinned_particles_keep_their_velocity_under_every_stepper(void **state)
{
    (void)state;
    for (int k = 0; tl_stepper_classes[k]; ++k) {
        pair t = make_pair(100, 1);
        t.system.gravity = tl_v3(3, -10, 1);
        t.system.damping = 5;
        t.system.p.w[t.a] = 0;
        tl_put(t.system.p.v, t.a, tl_v3(1, 2, -1));
        tl_vec3 from = tl_at(t.system.p.x, t.a);
        for (int n = 0; n < 4; ++n)
            substep(&t.system, tl_stepper_classes[k]->name, 0.01);
        tl_vec3 to = tl_at(t.system.p.x, t.a);
        assert_near((double)from.x + 0.04, (double)to.x, 1e-6);
        assert_near((double)from.y + 0.08, (double)to.y, 1e-6);
        assert_near((double)from.z - 0.04, (double)to.z, 1e-6);
        assert_near(2, (double)t.system.p.v[1][t.a], 2e-4);
        end_pair(&t);
    }
}

static void damping_leaves_the_same_fraction_of_motion_for_any_step(void **state)
{
    (void)state;
    for (int k = 0; tl_stepper_classes[k]; ++k)
        for (int steps = 8; steps <= 64; steps *= 8) {
            pair t = make_pair(0, 0);
            t.system.damping = 2;
            t.system.p.v[0][t.a] = 1;
            for (int n = 0; n < steps; ++n)
                substep(&t.system, tl_stepper_classes[k]->name, 0.5 / steps);
            assert_near(exp(-1), (double)t.system.p.v[0][t.a], 2e-5); /* rk4: 2e-6 at 8 steps */
            end_pair(&t);
        }
}

/* ---- order of convergence ------------------------------------------------------------------------------------- */

/* Error of the distance of two rows after one second on a spring, against cos ωt, and of its rate where that does not
   lag. */
static double oscillator_error(const char *stepper, int steps)
{
    pair t = make_pair(20, 0);
    int d = t.mesh->lattice[3];
    t.system.p.x[0][t.b] += (tl_real)0.1;
    t.system.p.x[0][d] += (tl_real)0.1;
    for (int n = 0; n < steps; ++n)
        substep(&t.system, stepper, 1.0 / steps);
    double stretch = (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]) - 1;
    double rate = (double)(t.system.p.v[0][t.b] - t.system.p.v[0][t.a]);
    double omega = sqrt(2 * 20.0); /* two masses of 1 kg: ω² = 2k/m */
    double position = stretch - 0.1 * cos(omega), velocity = rate / omega + 0.1 * sin(omega);
    if (t.system.lag > 0)
        velocity = 0;
    end_pair(&t);
    return sqrt(position * position + velocity * velocity);
}

static void errors_fall_with_the_order_of_the_scheme(void **state)
{
    (void)state;
    const struct {
        const char *stepper;
        int order, steps;
    } schemes[] = {{"explicit-euler", 1, 2000}, {"kinematic", 1, 2000}, {"verlet", 2, 40},
                   {"implicit-euler", 1, 2000}, {"bdf2", 2, 100},       {"rk4", 4, DOUBLE_BUILD ? 40 : 10}};
    for (size_t k = 0; k < sizeof schemes / sizeof *schemes; ++k) {
        double coarse = oscillator_error(schemes[k].stepper, schemes[k].steps);
        double fine = oscillator_error(schemes[k].stepper, 2 * schemes[k].steps);
        double order = log2(coarse / fine);
        if (!(fabs(order - schemes[k].order) < 0.35))
            fail_msg("%s is of order %.2f, not %d (errors %g, %g)", schemes[k].stepper, order, schemes[k].order, coarse,
                     fine);
    }
}

/* Rows that move together on a spring: implicit Euler gives s' = (s + h s˙)/(1 + ω²h²) for a linear oscillator. */
static void implicit_euler_takes_the_force_at_the_end(void **state)
{
    (void)state;
    for (int sweep = 0; sweep < 2; ++sweep) {
        pair t = make_pair(20, 0);
        int d = t.mesh->lattice[3];
        t.system.implicit_settings.preconditioner = sweep ? TL_CONDITION_SWEEP : TL_CONDITION_BLOCKS;
        t.system.p.x[0][t.b] += (tl_real)0.1;
        t.system.p.x[0][d] += (tl_real)0.1;
        substep(&t.system, "implicit-euler", 0.5);
        double stretch = (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]) - 1;
        assert_near(0.1 / (1 + 40 * 0.25), stretch, 2e-6);
        end_pair(&t);
    }
}

static void rk4_takes_the_taylor_series_to_its_fourth_term(void **state)
{
    (void)state;
    /* x'' = −ω² x in one step: x = 1 − z²/2 + z⁴/24 exactly, z = ωh (Hairer, Nørsett, Wanner, II.1) */
    pair t = make_pair(20, 0);
    int d = t.mesh->lattice[3];
    t.system.p.x[0][t.b] += (tl_real)0.1;
    t.system.p.x[0][d] += (tl_real)0.1;
    substep(&t.system, "rk4", 0.1);
    double z2 = 2 * 20 * 0.01;
    assert_near(0.1 * (1 - z2 / 2 + z2 * z2 / 24), (double)(t.system.p.x[0][t.b] - t.system.p.x[0][t.a]) - 1, 5e-7);
    end_pair(&t);
}

/* ---- exchange -------------------------------------------------------------------------------------------------- */

static void a_stepper_may_take_over_at_any_time_without_a_jump(void **state)
{
    (void)state;
    /* free fall is exact under Verlet and rk4: the next stepper must start from the true velocity, not the lagging
       one */
    static const char *const successors[] = {"rk4", "kinematic", "verlet"};
    for (size_t k = 0; k < sizeof successors / sizeof *successors; ++k) {
        pair t = make_pair(0, 0);
        t.system.gravity = tl_v3(0, -10, 0);
        double y = (double)t.system.p.x[1][t.a], h = 0.01;
        for (int n = 0; n < 20; ++n)
            substep(&t.system, "verlet", h);
        assert_near(h / 2, (double)t.system.lag, 1e-9);
        for (int n = 0; n < 20; ++n)
            substep(&t.system, successors[k], h);
        for (int n = 0; n < 20; ++n)
            substep(&t.system, "verlet", 2 * h); /* and another step length */
        double time = 0.8;
        assert_near(y - 5 * time * time, (double)t.system.p.x[1][t.a], 1e-5);
        assert_near(-10 * (time - h), (double)t.system.p.v[1][t.a], 2e-5); /* lags by half of the last step */
        end_pair(&t);
    }
}

static void every_stepper_can_follow_every_other(void **state)
{
    (void)state;
    for (int from = 0; tl_stepper_classes[from]; ++from)
        for (int to = 0; tl_stepper_classes[to]; ++to) {
            pair t = make_pair(200, 0.1);
            t.system.gravity = tl_v3(0, -10, 0);
            t.system.p.w[t.a] = 0;
            tl_vec3 before = tl_v3(0, 0, 0);
            double h = 0.001, jump = 0, ordinary = 0;
            for (int n = 0; n < 200; ++n) {
                substep(&t.system, tl_stepper_classes[n < 100 ? from : to]->name, h);
                tl_vec3 v = tl_at(t.system.p.v, t.b);
                double change = (double)tl_length(tl_sub(v, before));
                assert_true(isfinite(change));
                if (n == 100)
                    jump = change;
                else if (n > 50 && n < 150)
                    ordinary = change > ordinary ? change : ordinary;
                before = v;
            }
            /* projection makes links rigid at once: only there may the velocity change by more than one step's force */
            bool rigid = strcmp(tl_stepper_classes[to]->name, "projection") == 0 ||
                         strcmp(tl_stepper_classes[to]->name, "range") == 0;
            if (jump > (rigid ? 1.5 : 2.5 * ordinary + 0.02))
                fail_msg("%s to %s: velocity jumps by %g m/s, otherwise at most %g", tl_stepper_classes[from]->name,
                         tl_stepper_classes[to]->name, jump, ordinary);
            end_pair(&t);
        }
}

/* With b parting from a at the speed u: Δλ = −(C + d/(k h) h u) / ((1 + d/(k h)) Σw + a), for every step. */
static void xpbd_damps_one_link_by_its_damping_whatever_the_step(void **state)
{
    (void)state;
    double k = 50, damping = 4, u = 1;
    for (double h = 0.05; h < 0.5; h *= 2) {
        pair t = make_pair(k, damping);
        int d = t.mesh->lattice[3];
        t.system.p.v[0][t.b] = t.system.p.v[0][d] = (tl_real)u;
        double a = (double)t.system.p.x[0][t.a], gamma = damping / (k * h);
        substep(&t.system, "xpbd", h);
        double move = (1 + gamma) * h * u / ((1 + gamma) * 2 + 1 / (k * h * h));
        assert_near(a + move, (double)t.system.p.x[0][t.a], 5e-6);
        end_pair(&t);
    }
}

/* Folding a sheet over brings the ends of bend links together, which the range must not part. */
static void the_range_stepper_lets_cloth_fold(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(3, 2, 2, 1);
    tl_system system = make_system(mesh, 1);
    switch_on(&system, TL_ELEMENT_link_bend, 1, 0);
    system.position_settings.range_low = (tl_real)0.9;
    system.position_settings.range_high = (tl_real)1.1;
    for (int row = 0; row < 2; ++row) { /* the right column at a right angle to the left one, about the middle */
        tl_vec3 middle = mesh->position[mesh->lattice[3 * row + 1]];
        tl_put(system.p.x, mesh->lattice[3 * row + 2], tl_add(middle, tl_v3(0, 0, 1)));
    }
    substep(&system, "range", 0.1);
    for (int row = 0; row < 2; ++row) {
        tl_vec3 apart =
            tl_sub(tl_at(system.p.x, mesh->lattice[3 * row + 2]), tl_at(system.p.x, mesh->lattice[3 * row]));
        assert_near(sqrt(2.0), (double)tl_length(apart), 1e-6);
    }
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

/* Free fall is exact under bdf2, also when the length of the step changes: the step before is then no past to build on.
 */
static void bdf2_falls_alike_whatever_the_steps(void **state)
{
    (void)state;
    static const double steps[] = {0.1, 0.1, 0.05, 0.05, 0.2, 0.02, 0.1};
    pair t = make_pair(0, 0);
    t.system.gravity = tl_v3(0, -10, 0);
    double y = (double)t.system.p.x[1][t.a], time = 0;
    for (size_t k = 0; k < sizeof steps / sizeof *steps; ++k) {
        substep(&t.system, "bdf2", steps[k]);
        time += steps[k];
        assert_near(-10 * time, (double)t.system.p.v[1][t.a], 1e-5);
        assert_near(y - 5 * time * time, (double)t.system.p.x[1][t.a], 1e-5);
    }
    end_pair(&t);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(free_fall_takes_the_step_of_each_scheme),
        cmocka_unit_test(a_stretched_link_pulls_by_hookes_law),
        cmocka_unit_test(xpbd_solves_one_link_as_its_equation_says),
        cmocka_unit_test(projection_restores_the_rest_length_but_for_its_loss),
        cmocka_unit_test(projection_shares_corrections_by_mass_or_by_halves),
        cmocka_unit_test(the_range_stepper_leaves_lengths_inside_the_range_alone),
        cmocka_unit_test(pinned_particles_keep_their_velocity_under_every_stepper),
        cmocka_unit_test(damping_leaves_the_same_fraction_of_motion_for_any_step),
        cmocka_unit_test(implicit_euler_takes_the_force_at_the_end),
        cmocka_unit_test(errors_fall_with_the_order_of_the_scheme),
        cmocka_unit_test(rk4_takes_the_taylor_series_to_its_fourth_term),
        cmocka_unit_test(a_stepper_may_take_over_at_any_time_without_a_jump),
        cmocka_unit_test(every_stepper_can_follow_every_other),
        cmocka_unit_test(xpbd_damps_one_link_by_its_damping_whatever_the_step),
        cmocka_unit_test(the_range_stepper_lets_cloth_fold),
        cmocka_unit_test(bdf2_falls_alike_whatever_the_steps),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
