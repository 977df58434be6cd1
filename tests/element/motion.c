/* What elements must not do: resist rigid motion, create momentum, add energy by damping, or fail on collapsed
   shapes. */
#include "fixture.h"

static const double ROUNDING = DOUBLE_BUILD ? 1e-11 : 2e-3; /* N at stiffness 30 on a cloth of a metre */

enum { MESHES = 3 };
static tl_mesh *make_mesh(int which) { return which == 0 ? make_grid(9, 6) : make_irregular(7, which == 2); }

typedef void check(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh);
static void for_every_class(check *run)
{
    for (int which = 0; which < MESHES; ++which) {
        tl_mesh *mesh = make_mesh(which);
        for (int kind = 0; kind < TL_ELEMENT_COUNT; ++kind) {
            /* shear and bend links pull towards flat by design, so a curved mesh is not their rest shape */
            if (which == 2 && (kind == TL_ELEMENT_link_shear || kind == TL_ELEMENT_link_bend))
                continue;
            tl_element_batch batch = make_batch(kind, mesh);
            tl_particles p = make_particles(mesh);
            run(&batch, &p, mesh);
            free_particles(&p);
            batch.kind->destroy(&batch);
        }
        tl_mesh_destroy(mesh);
    }
}

static double power(const tl_particles *p)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < p->count; ++k)
            sum += (double)p->f[c][k] * (double)p->v[c][k];
    return sum;
}

static void check_rigid(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh)
{
    (void)mesh;
    move_rigidly(p);
    clear_forces(p);
    batch->kind->force(batch, p);
    /* bending divides by edge lengths, patches by their squares */
    static const double room[] = {[2] = 10, [3] = 10, [4] = 100, [9] = 1000};
    assert_true(largest_force(p) <= room[batch->kind->particles] * ROUNDING);
    assert_true(fabs(batch->kind->energy(batch, p)) <= ROUNDING);
}
static void rest_shape_moved_rigidly_feels_no_force(void **state)
{
    (void)state;
    for_every_class(check_rigid);
}

/* Rigid motion of a deformed cloth is not damped. */
static void check_rigid_damping(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh)
{
    (void)mesh;
    deform(p, 0.03, 0, 3);
    move_rigidly(p);
    batch->stiffness = 0;
    clear_forces(p);
    batch->kind->force(batch, p);
    assert_true(fabs(power(p)) <= 100 * ROUNDING);
    assert_true(largest_force(p) <= 100 * ROUNDING);
}
static void damping_leaves_rigid_motion_alone(void **state)
{
    (void)state;
    for_every_class(check_rigid_damping);
}

static void check_damping_power(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh)
{
    (void)mesh;
    batch->stiffness = 0;
    for (int full = 0; full < 2 && batch->count > 0; ++full) {
        batch->settings.full_damping = full;
        deform(p, 0.02, 1, (uint32_t)(40 + full));
        clear_forces(p);
        batch->kind->force(batch, p);
        /* clearly below zero: damping acts */
        assert_true(power(p) < -1e-3);
    }
}
static void damping_takes_energy(void **state)
{
    (void)state;
    for_every_class(check_damping_power);
}

static void check_momentum(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh)
{
    (void)mesh;
    deform(p, 0.03, 1, 9);
    for (int full = 0; full < 2; ++full) {
        batch->settings.full_damping = full;
        clear_forces(p);
        batch->kind->force(batch, p);
        double force[3] = {0}, torque[3] = {0}, largest = largest_force(p);
        for (int k = 0; k < p->count; ++k) {
            const double f[3] = {(double)p->f[0][k], (double)p->f[1][k], (double)p->f[2][k]};
            const double x[3] = {(double)p->x[0][k], (double)p->x[1][k], (double)p->x[2][k]};
            for (int c = 0; c < 3; ++c) {
                force[c] += f[c];
                torque[c] += x[(c + 1) % 3] * f[(c + 2) % 3] - x[(c + 2) % 3] * f[(c + 1) % 3];
            }
        }
        for (int c = 0; c < 3; ++c) {
            assert_true(fabs(force[c]) <= (DOUBLE_BUILD ? 1e-12 : 1e-4) * largest);
            /* full damping of links acts across them too, which is a torque: a known fault of this form */
            if (!full || batch->kind->particles > 2)
                assert_true(fabs(torque[c]) <= (DOUBLE_BUILD ? 1e-12 : 1e-4) * largest);
        }
    }
}
static void forces_and_torques_sum_to_zero(void **state)
{
    (void)state;
    for_every_class(check_momentum);
}

/* degenerate shapes */

static bool all_finite(const tl_element_batch *batch, tl_particles *p)
{
    clear_forces(p);
    batch->kind->force(batch, p);
    bool finite = isfinite(batch->kind->energy(batch, p)) && isfinite(largest_force(p));
    for (int c = 0; c < 3; ++c)
        for (int k = 0; k < p->count; ++k)
            finite = finite && isfinite(p->f[c][k]);
    for (int e = 0; e < batch->count; ++e) {
        tl_element_hessian h;
        tl_element_constraint g;
        batch->kind->hessian(batch, p, e, 1, &h);
        batch->kind->constraint(batch, p, e, 1, &g);
        for (int i = 0; i < batch->kind->particles; ++i) {
            for (int j = 0; j < batch->kind->particles; ++j)
                for (int c = 0; c < 9; ++c)
                    finite =
                        finite && isfinite(h.stiffness[i][j][c / 3][c % 3]) && isfinite(h.damping[i][j][c / 3][c % 3]);
            for (int n = 0; n < batch->kind->conditions; ++n)
                finite = finite && isfinite(tl_length(g.gradient[n][i])) && isfinite(g.value[n]);
        }
    }
    return finite;
}

typedef tl_vec3 collapse(tl_vec3 x);
static tl_vec3 to_point(tl_vec3 x) { return tl_scale(x, 0); }
static tl_vec3 to_line_x(tl_vec3 x) { return tl_v3(x.x, 0, 0); }
static tl_vec3 to_line_y(tl_vec3 x) { return tl_v3(0, x.y, 0); }
static tl_vec3 to_diagonal(tl_vec3 x) { return tl_v3(x.x + x.y, x.x + x.y, 0); }
static tl_vec3 folded(tl_vec3 x) { return tl_v3(x.x < 0 ? -x.x : x.x, x.y, 0); }
static tl_vec3 nearly_point(tl_vec3 x) { return tl_scale(x, (tl_real)1e-18); }

static void check_collapsed(tl_element_batch *batch, tl_particles *p, const tl_mesh *mesh)
{
    static collapse *const shapes[] = {to_point, to_line_x, to_line_y, to_diagonal, folded, nearly_point};
    for (size_t s = 0; s < sizeof shapes / sizeof *shapes; ++s) {
        for (int k = 0; k < p->count; ++k) {
            tl_put(p->x, k, shapes[s](mesh->position[k]));
            tl_put(p->v, k, tl_v3((tl_real)uniform(1, k), (tl_real)uniform(2, k), (tl_real)uniform(3, k)));
        }
        assert_true(all_finite(batch, p));
    }
}
static void collapsed_and_folded_shapes_stay_finite(void **state)
{
    (void)state;
    for_every_class(check_collapsed);
}

/* The angle itself, on one hinge: two triangles folded up by a known angle. */
static void hinge_measures_its_angle(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(2, 2);
    tl_element_batch batch = make_batch(TL_ELEMENT_continuum_bend, mesh);
    tl_particles p = make_particles(mesh);
    assert_int_equal(batch.count, 1);
    tl_element_constraint flat, bent;
    batch.kind->constraint(&batch, &p, 0, 1, &flat);
    assert_true(fabs((double)flat.value[0]) < 1e-6);
    for (int step = -31; step <= 31; ++step) {
        double angle = 0.1 * step;
        tl_vec3 a = mesh->position[flat.particle[0]], b = mesh->position[flat.particle[1]];
        tl_vec3 axis = tl_normalized(tl_sub(b, a)), arm = tl_sub(mesh->position[flat.particle[2]], a);
        tl_vec3 along = tl_scale(axis, tl_dot(arm, axis)), out = tl_sub(arm, along);
        tl_vec3 up = tl_scale(tl_v3(0, 0, 1), tl_length(out)); /* normals of a grid point to +z */
        tl_vec3 x = tl_add(tl_add(a, along), tl_madd(tl_scale(out, (tl_real)cos(angle)), up, (tl_real)sin(angle)));
        tl_put(p.x, flat.particle[2], x);
        batch.kind->constraint(&batch, &p, 0, 1, &bent);
        assert_true(fabs((double)bent.value[0] - angle) < 2e-6);
        /* the kernel has an arc tangent of its own */
        clear_forces(&p);
        batch.kind->force(&batch, &p);
        tl_vec3 wanted = tl_scale(bent.gradient[0][2], -batch.stiffness * bent.value[0]);
        tl_vec3 error = tl_sub(wanted, tl_at(p.f, flat.particle[2]));
        assert_true((double)tl_length(error) <= (DOUBLE_BUILD ? 1e-13 : 1e-6) * (1 + (double)tl_length(wanted)));
    }
    free_particles(&p);
    batch.kind->destroy(&batch);
    tl_mesh_destroy(mesh);
}

/* Kinetic energy after a step with the damping force alone, relative to that before. */
static double energy_left(const tl_element_batch *batch, tl_particles *p, double h)
{
    double before = 0, after = 0;
    clear_forces(p);
    batch->kind->force(batch, p);
    for (int k = 0; k < p->count; ++k)
        for (int c = 0; c < 3; ++c) {
            double v = (double)p->v[c][k], w = (double)p->w[k];
            before += v * v / w;
            after += (v + h * w * (double)p->f[c][k]) * (v + h * w * (double)p->f[c][k]) / w;
        }
    return after / before;
}

/* A sheet compressed to a fiftieth, whose angles change fast. */
static void damping_of_squashed_hinges_feeds_nothing(void **state)
{
    (void)state;
    const double h = 2e-5;
    tl_mesh *meshes[] = {make_grid(9, 7), make_irregular(8, false)};
    for (int m = 0; m < 2; ++m) {
        tl_particles p = make_particles(meshes[m]);
        tl_element_batch batch = make_batch(TL_ELEMENT_continuum_bend, meshes[m]);
        batch.stiffness = 0;
        deform(&p, 0, 1, 21);
        for (int k = 0; k < p.count; ++k)
            p.w[k] = (tl_real)(1 + 0.5 * uniform(22, k));
        double at_rest = energy_left(&batch, &p, h);
        batch.settings.step = (tl_real)h;
        assert_true(fabs(energy_left(&batch, &p, h) - at_rest) <= 0); /* nothing is limited there */
        for (int k = 0; k < p.count; ++k)
            tl_put(p.x, k, tl_v3(p.x[0][k] / 50, p.x[1][k], p.x[2][k]));
        assert_true(energy_left(&batch, &p, h) < 0.99); /* it still damps */
        batch.settings.step = 0;
        assert_true(energy_left(&batch, &p, h) > 2); /* or this would show nothing */
        free_particles(&p);
        batch.kind->destroy(&batch);
        tl_mesh_destroy(meshes[m]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(rest_shape_moved_rigidly_feels_no_force),
        cmocka_unit_test(damping_leaves_rigid_motion_alone),
        cmocka_unit_test(damping_takes_energy),
        cmocka_unit_test(forces_and_torques_sum_to_zero),
        cmocka_unit_test(collapsed_and_folded_shapes_stay_finite),
        cmocka_unit_test(hinge_measures_its_angle),
        cmocka_unit_test(damping_of_squashed_hinges_feeds_nothing),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
