/* Air: the wind's velocity field and its force on cloth. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/random.h"
#include "world/wind.h"

#include <stdlib.h>
#include <string.h>

enum { COLUMNS = 61, ROWS = 47 };

static uint32_t counter;
static double uniform(double low, double high) { return low + (high - low) * tl_random_unit(99, counter++); }
static tl_vec3 random_in(double reach)
{
    double x = uniform(-reach, reach), y = uniform(-reach, reach), z = uniform(-reach, reach);
    return tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
}

/* A sheet and its arrays. */
typedef struct sheet {
    tl_mesh *mesh;
    tl_particles p;
    tl_real *memory, *scratch, *eddy[3];
    tl_air_faces *faces;
} sheet;

static sheet sheet_make(bool alternating)
{
    sheet s = {0};
    tl_grid_def def = {
        .columns = COLUMNS, .rows = ROWS, .width = 2, .height = (tl_real)1.5, .alternating = alternating};
    s.mesh = tl_mesh_create_grid(&def, NULL, NULL);
    assert_non_null(s.mesh);
    size_t padded = (size_t)tl_padded(s.mesh->particle_count);
    tl_allocator heap = tl_allocator_or_default(NULL);
    s.memory = tl_allocate(&heap, 11 * padded, sizeof(tl_real));
    s.scratch = tl_allocate(&heap, tl_air_scratch(s.mesh), sizeof(tl_real));
    assert_non_null(s.memory);
    assert_non_null(s.scratch);
    s.faces = tl_air_faces_create(&heap, s.mesh);
    assert_non_null(s.faces);
    for (int k = 0; k < 3; ++k)
        assert_non_null(s.eddy[k] = tl_allocate(&heap, padded, sizeof(tl_real)));
    for (size_t k = 0; k < 3; ++k) {
        s.p.x[k] = s.memory + k * padded;
        s.p.v[k] = s.memory + (3 + k) * padded;
        s.p.f[k] = s.memory + (6 + k) * padded;
    }
    s.p.m = s.memory + 9 * padded;
    s.p.w = s.memory + 10 * padded;
    s.p.count = s.mesh->particle_count;
    for (int i = 0; i < s.p.count; ++i)
        tl_put(s.p.x, i, s.mesh->position[i]);
    return s;
}

static void sheet_free(sheet *s)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_mesh_destroy(s->mesh);
    tl_release(&heap, s->memory);
    tl_release(&heap, s->scratch);
    tl_air_faces_destroy(s->faces, &heap);
    for (int k = 0; k < 3; ++k)
        tl_release(&heap, s->eddy[k]);
}

static void crumple(sheet *s)
{
    for (int i = 0; i < s->p.count; ++i) {
        tl_put(s->p.x, i, tl_add(s->mesh->position[i], random_in(0.02)));
        tl_put(s->p.v, i, random_in(2));
    }
}

static void move_all(sheet *s, tl_vec3 v)
{
    for (int i = 0; i < s->p.count; ++i)
        tl_put(s->p.v, i, v);
}

static tl_wind_def wind_of(const char *kind, tl_vec3 velocity)
{
    return (tl_wind_def){.kind = kind,
                         .velocity = velocity,
                         .air_density = (tl_real)1.2,
                         .gust_strength = (tl_real)0.4,
                         .gust_period = 2,
                         .eddy_strength = (tl_real)0.3,
                         .eddy_size = (tl_real)0.5,
                         .seed = 5};
}

enum { ON_PARTICLES, ON_FACES, MODELS };

/* Total force of one model on a sheet with zeroed forces. */
static tl_vec3 total_force(sheet *s, int model, const tl_air *air)
{
    for (int k = 0; k < 3; ++k)
        memset(s->p.f[k], 0, (size_t)s->p.count * sizeof(tl_real));
    (model == ON_PARTICLES ? tl_air_on_particles : tl_air_on_faces)(air, s->mesh, &s->p);
    double sum[3] = {0};
    for (int i = 0; i < s->p.count; ++i)
        for (int k = 0; k < 3; ++k)
            sum[k] += (double)s->p.f[k][i];
    return tl_v3((tl_real)sum[0], (tl_real)sum[1], (tl_real)sum[2]);
}

/* ---- forces --------------------------------------------------------------------------------------------------- */

/* v = √(2 ρ_A g / (ρ C_d)) along the normal: drag equals weight. */
static void drag_balances_weight_at_terminal_speed(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    double area_density = 0.2, g = 9.81, drag = 1.1, weight = area_density * g * 3;
    double speed = sqrt(2 * area_density * g / (1.2 * drag));
    tl_wind_def still = wind_of("still", tl_v3(9, 9, 9));
    tl_air air = {.wind = &still,
                  .drag = (tl_real)drag,
                  .lift = (tl_real)0.7,
                  .lanes = 8,
                  .scratch = s.scratch,
                  .faces = s.faces};
    for (int model = 0; model < MODELS; ++model) {
        move_all(&s, tl_v3(0, 0, (tl_real)-speed)); /* the sheet lies in the x–y plane */
        tl_vec3 force = total_force(&s, model, &air);
        assert_true(fabs((double)force.z / weight - 1) < 1e-4);
        assert_true(fabs((double)force.x) < 1e-4 * weight && fabs((double)force.y) < 1e-4 * weight);
    }
    sheet_free(&s);
}

static void drag_takes_energy_out_and_never_adds_any(void **state)
{
    (void)state;
    sheet s = sheet_make(true);
    tl_wind_def still = wind_of("still", tl_v3(0, 0, 0));
    tl_air air = {.wind = &still, .drag = 1, .lanes = 4, .scratch = s.scratch, .faces = s.faces};
    crumple(&s);
    for (int round = 0; round < 20; ++round) {
        move_all(&s, random_in(3));
        for (int model = 0; model < MODELS; ++model)
            assert_true(tl_dot(total_force(&s, model, &air), tl_at(s.p.v, 0)) < 0);
    }
    /* per particle it opposes the motion, whatever the cloth's shape */
    crumple(&s);
    total_force(&s, ON_PARTICLES, &air);
    for (int i = 0; i < s.p.count; ++i)
        assert_true(tl_dot(tl_at(s.p.f, i), tl_at(s.p.v, i)) <= 0);
    sheet_free(&s);
}

static void cloth_that_drifts_with_the_wind_feels_nothing(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    crumple(&s);
    tl_wind_def wind = wind_of("uniform", tl_v3(3, -1, 2));
    tl_air air = {.wind = &wind, .drag = 1, .lift = 1, .lanes = 8, .scratch = s.scratch, .faces = s.faces};
    move_all(&s, wind.velocity);
    for (int model = 0; model < MODELS; ++model) {
        total_force(&s, model, &air);
        for (int i = 0; i < s.p.count; ++i)
            assert_true((double)tl_length(tl_at(s.p.f, i)) < 1e-12);
    }
    sheet_free(&s);
}

static void lift_is_perpendicular_to_the_flow_in_its_plane_with_the_normal(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    for (int degrees = 5; degrees < 90; degrees += 5) {
        double angle = degrees * TL_PI / 180, speed = 4;
        tl_wind_def wind = wind_of("uniform", tl_v3((tl_real)(speed * cos(angle)), 0, (tl_real)(speed * sin(angle))));
        tl_air air = {.wind = &wind, .lift = (tl_real)0.8, .lanes = 1, .scratch = s.scratch, .faces = s.faces};
        tl_vec3 force = total_force(&s, ON_FACES, &air);
        double size = (double)tl_length(force),
               expected = 0.5 * 1.2 * 0.8 * 3 * speed * speed * cos(angle) * sin(angle);
        assert_true(fabs(size / expected - 1) < 1e-4);
        assert_true(fabs((double)tl_dot(force, wind.velocity)) < 1e-4 * size * speed);
        assert_true(fabs((double)force.y) < 1e-4 * size);
        assert_true(force.z > 0); /* wind from below lifts */
    }
    sheet_free(&s);
}

static void twice_the_wind_is_four_times_the_force(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    crumple(&s);
    move_all(&s, tl_v3(0, 0, 0));
    for (int model = 0; model < MODELS; ++model) {
        tl_wind_def one = wind_of("uniform", tl_v3(1, 2, 3)), two = wind_of("uniform", tl_v3(2, 4, 6));
        tl_air air = {
            .wind = &one, .drag = 1, .lift = (tl_real)0.3, .lanes = 8, .scratch = s.scratch, .faces = s.faces};
        tl_vec3 a = total_force(&s, model, &air);
        air.wind = &two;
        tl_vec3 b = total_force(&s, model, &air);
        assert_true((double)tl_length(tl_sub(b, tl_scale(a, 4))) < 1e-5 * (double)tl_length(b));
    }
    sheet_free(&s);
}

static void all_widths_and_no_scratch_give_the_same_bits(void **state)
{
    (void)state;
    static const char *kinds[] = {"still", "uniform", "gusts", "turbulent"};
    static const int lanes[] = {1, 4, 8};
    for (int alternating = 0; alternating < 2; ++alternating) {
        sheet s = sheet_make(alternating);
        crumple(&s);
        size_t bytes = (size_t)s.p.count * sizeof(tl_real);
        tl_real *kept = malloc(3 * bytes);
        assert_non_null(kept);
        for (int kind = 0; kind < 4; ++kind)
            for (int model = 0; model < MODELS; ++model)
                for (int width = 0; width < 6; ++width) {
                    tl_wind_def wind = wind_of(kinds[kind], tl_v3(3, 1, -2));
                    tl_air air = {.wind = &wind,
                                  .time = 7.3,
                                  .drag = 1,
                                  .lift = (tl_real)0.5,
                                  .lanes = lanes[width % 3],
                                  .scratch = width < 3 ? s.scratch : NULL,
                                  .faces = s.faces};
                    if (model == ON_FACES) {
                        memcpy(air.eddy, s.eddy, sizeof air.eddy);
                        tl_air_sample(&air, &s.p);
                    }
                    total_force(&s, model, &air);
                    for (int k = 0; k < 3; ++k) {
                        if (width == 0)
                            memcpy((char *)kept + (size_t)k * bytes, s.p.f[k], bytes);
                        else
                            assert_memory_equal((char *)kept + (size_t)k * bytes, s.p.f[k], bytes);
                    }
                }
        free(kept);
        sheet_free(&s);
    }
}

static void faces_without_area_feel_nothing(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    for (int i = 0; i < s.p.count; ++i)
        tl_put(s.p.x, i, tl_v3(1, 2, 3));
    tl_wind_def wind = wind_of("uniform", tl_v3(3, 1, -2));
    tl_air air = {.wind = &wind, .drag = 1, .lift = 1, .lanes = 8, .scratch = s.scratch, .faces = s.faces};
    for (int model = 0; model < MODELS; ++model)
        assert_true(tl_length(total_force(&s, model, &air)) == 0);
    sheet_free(&s);
}

/* ---- the field ------------------------------------------------------------------------------------------------ */

static void still_and_uniform_are_what_they_say(void **state)
{
    (void)state;
    tl_wind_def still = wind_of("still", tl_v3(1, 2, 3)), none = wind_of(NULL, tl_v3(1, 2, 3));
    tl_wind_def same = wind_of("uniform", tl_v3(1, 2, 3));
    assert_true(tl_length(tl_wind_velocity(&still, random_in(5), 1)) == 0);
    assert_true(tl_length(tl_wind_velocity(&none, random_in(5), 1)) == 0);
    assert_true(tl_length(tl_sub(tl_wind_velocity(&same, random_in(5), 1), same.velocity)) == 0);
}

static void veering_wind_comes_and_goes_along_x_and_swings_along_z(void **state)
{
    (void)state;
    tl_wind_def wind = wind_of("veering", tl_v3(3, -2, 6));
    for (int k = 0; k < 200; ++k) {
        double t = 0.37 * k, x = 3 * (1 + sin(t)), y = -2, z = 6 * sin(t), scale = 7 / sqrt(x * x + y * y + z * z);
        tl_vec3 w = tl_wind_velocity(&wind, random_in(5), t);
        tl_vec3 expected = tl_v3((tl_real)(scale * x), (tl_real)(scale * y), (tl_real)(scale * z));
        assert_true((double)tl_length(tl_sub(w, expected)) < 1e-5);
    }
    wind.velocity = tl_v3(0, 0, 0);
    assert_true(tl_length(tl_wind_velocity(&wind, random_in(5), 1)) == 0);
}

static void wandering_wind_takes_its_strength_from_the_speed_and_its_direction_from_time(void **state)
{
    (void)state;
    tl_wind_def wind = wind_of("wandering", tl_v3(0, 4, -3));
    for (int k = 1; k < 200; ++k) {
        double t = 0.41 * k, x = sin(t / 2), y = sin(t / 3), z = sin(t);
        double force = (200 + 20 * cos(t / 7)) / 200, scale = 5 * sqrt(force / (x * x + y * y + z * z));
        tl_vec3 w = tl_wind_velocity(&wind, random_in(5), t);
        tl_vec3 expected = tl_v3((tl_real)(scale * x), (tl_real)(scale * y), (tl_real)(scale * z));
        assert_true((double)tl_length(tl_sub(w, expected)) < 1e-5);
    }
    assert_true(tl_length(tl_wind_velocity(&wind, random_in(5), 0)) == 0); /* no direction, no wind */
}

/* F n (n·d) on each of three corners, whatever the faces' size: S3's own numbers, 100 dyn at 1.979 m/s. */
static void the_load_is_the_same_for_faces_of_any_size_and_speed(void **state)
{
    (void)state;
    sheet s = sheet_make(false);
    tl_wind_def wind = wind_of("uniform", tl_v3(0, (tl_real)(1.9795 * 0.6), (tl_real)(1.9795 * 0.8)));
    wind.air_density = (tl_real)1.225;
    tl_air air = {.wind = &wind, .drag = 1, .load_area = (tl_real)0.00125, .lanes = 8};
    for (int larger = 1; larger <= 2; ++larger) {
        for (int i = 0; i < s.p.count; ++i)
            tl_put(s.p.x, i, tl_scale(s.mesh->position[i], (tl_real)larger));
        move_all(&s, random_in(3));
        for (int k = 0; k < 3; ++k)
            memset(s.p.f[k], 0, (size_t)s.p.count * sizeof(tl_real));
        tl_air_load(&air, s.mesh, &s.p);
        double sum = 0;
        for (int i = 0; i < s.p.count; ++i) {
            sum += (double)s.p.f[2][i];
            assert_true(fabs((double)s.p.f[0][i]) < 1e-9 && fabs((double)s.p.f[1][i]) < 1e-9);
        }
        double each = sum / (3.0 * s.mesh->face_count);
        assert_true(fabs(each / (0.8 * 100e-5) - 1) < 1e-3);
    }
    for (int i = 0; i < s.p.count; ++i)
        tl_put(s.p.x, i, tl_v3(0, 0, 0));
    for (int k = 0; k < 3; ++k)
        memset(s.p.f[k], 0, (size_t)s.p.count * sizeof(tl_real));
    tl_air_load(&air, s.mesh, &s.p);
    for (int i = 0; i < s.p.count; ++i)
        assert_true(tl_length(tl_at(s.p.f, i)) == 0);
    sheet_free(&s);
}

static void gusts_swing_about_the_mean_within_their_strength(void **state)
{
    (void)state;
    tl_wind_def wind = wind_of("gusts", tl_v3(3, 0, 4));
    double sum = 0, least = 1e9, most = 0, before = 5;
    enum { STEPS = 400000 };
    for (int k = 0; k < STEPS; ++k) {
        double speed = (double)tl_length(tl_wind_velocity(&wind, tl_v3(0, 0, 0), k * 0.01));
        sum += speed;
        least = fmin(least, speed);
        most = fmax(most, speed);
        if (k)
            assert_true(fabs(speed - before) < 0.15); /* smooth: 2 s for a swing of at most 4 m/s */
        before = speed;
    }
    assert_true(fabs(sum / STEPS - 5) < 0.02 * 5);
    assert_true(least >= 5 * 0.6 - 1e-4 && most <= 5 * 1.4 + 1e-4);
    assert_true(least < 5 * 0.75 && most > 5 * 1.25);
}

/* Turbulence alone: without gusts, minus the mean. */
static tl_vec3 eddy(const tl_wind_def *wind, tl_vec3 x, double time)
{
    return tl_sub(tl_wind_velocity(wind, x, time), wind->velocity);
}

static void turbulence_has_zero_mean_and_the_promised_strength(void **state)
{
    (void)state;
    static const double speeds[] = {0, 6};
    for (int k = 0; k < 2; ++k) {
        tl_wind_def wind = wind_of("turbulent", tl_v3((tl_real)speeds[k], 0, 0));
        wind.gust_strength = 0;
        enum { PLACES = 60000 };
        double sum[3] = {0}, square = 0, expected = 0.3 * (speeds[k] > 0 ? speeds[k] : 1);
        for (int n = 0; n < PLACES; ++n) {
            tl_vec3 e = eddy(&wind, random_in(40), uniform(0, 60));
            sum[0] += (double)e.x, sum[1] += (double)e.y, sum[2] += (double)e.z;
            square += (double)tl_dot(e, e);
        }
        assert_true(fabs(sqrt(square / PLACES) / expected - 1) < 0.05);
        for (int axis = 0; axis < 3; ++axis)
            assert_true(fabs(sum[axis] / PLACES) < 0.02 * expected);
    }
}

static void turbulence_has_no_divergence(void **state)
{
    (void)state;
    /* the noise itself, in double precision in every build */
    double worst = 0, h = 1e-4;
    for (int n = 0; n < 2000; ++n) {
        double place[3] = {uniform(-9, 9), uniform(-9, 9), uniform(-9, 9)}, angle = uniform(0, 6), divergence = 0,
               norm = 0;
        double c = cos(angle), s = sin(angle);
        for (int axis = 0; axis < 3; ++axis) {
            double up[3] = {place[0], place[1], place[2]}, down[3] = {place[0], place[1], place[2]}, a[3], b[3];
            up[axis] += h;
            down[axis] -= h;
            tl_wind_eddies(3, up, c, s, a);
            tl_wind_eddies(3, down, c, s, b);
            divergence += (a[axis] - b[axis]) / (2 * h);
            for (int k = 0; k < 3; ++k)
                norm += (a[k] - b[k]) * (a[k] - b[k]) / (4 * h * h);
        }
        worst = fmax(worst, fabs(divergence) / sqrt(norm + 1e-3));
    }
    assert_true(worst < 1e-3);
}

static void eddies_drift_with_the_mean_wind(void **state)
{
    (void)state;
    tl_wind_def wind = wind_of("turbulent", tl_v3(5, 0, 0));
    wind.gust_strength = 0;
    double moved = 0, fixed = 0;
    for (int n = 0; n < 500; ++n) {
        tl_vec3 x = random_in(5), now = eddy(&wind, x, 1);
        moved += (double)tl_length(tl_sub(eddy(&wind, tl_add(x, tl_v3((tl_real)0.25, 0, 0)), 1.05), now));
        fixed += (double)tl_length(tl_sub(eddy(&wind, x, 1.05), now));
    }
    assert_true(moved < 0.4 * fixed);
    assert_true(moved > 0.01 * fixed); /* and change as they drift */
}

static void eddy_size_sets_how_far_the_wind_agrees(void **state)
{
    (void)state;
    double likeness[2];
    for (int k = 0; k < 2; ++k) {
        tl_wind_def wind = wind_of("turbulent", tl_v3(1, 0, 0));
        wind.gust_strength = 0;
        wind.eddy_size = k ? 2 : (tl_real)0.25;
        double product = 0, square = 0;
        for (int n = 0; n < 5000; ++n) {
            tl_vec3 x = random_in(20), a = eddy(&wind, x, 0), b = eddy(&wind, tl_add(x, tl_v3(0, (tl_real)0.3, 0)), 0);
            product += (double)tl_dot(a, b);
            square += (double)tl_dot(a, a);
        }
        likeness[k] = product / square;
    }
    assert_true(likeness[0] < 0.2 && likeness[1] > 0.7);
}

static void the_seed_decides_the_field(void **state)
{
    (void)state;
    tl_wind_def a = wind_of("turbulent", tl_v3(2, 0, 1)), b = a, other = a;
    other.seed = 6;
    int differ = 0;
    for (int n = 0; n < 200; ++n) {
        tl_vec3 x = random_in(5);
        double time = uniform(0, 100);
        tl_vec3 first = tl_wind_velocity(&a, x, time), again = tl_wind_velocity(&b, x, time);
        tl_vec3 second = tl_wind_velocity(&other, x, time);
        assert_memory_equal(&first, &again, sizeof first);
        differ += (double)tl_length(tl_sub(first, second)) > 1e-3;
    }
    assert_true(differ > 190);
}

static void positions_that_are_not_numbers_do_no_harm(void **state)
{
    (void)state;
    tl_wind_def wind = wind_of("turbulent", tl_v3(2, 0, 1));
    tl_wind_velocity(&wind, tl_v3((tl_real)NAN, 0, 0), 1);
    tl_wind_velocity(&wind, tl_v3((tl_real)1e30, (tl_real)-1e30, (tl_real)INFINITY), 1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(drag_balances_weight_at_terminal_speed),
        cmocka_unit_test(drag_takes_energy_out_and_never_adds_any),
        cmocka_unit_test(cloth_that_drifts_with_the_wind_feels_nothing),
        cmocka_unit_test(lift_is_perpendicular_to_the_flow_in_its_plane_with_the_normal),
        cmocka_unit_test(twice_the_wind_is_four_times_the_force),
        cmocka_unit_test(all_widths_and_no_scratch_give_the_same_bits),
        cmocka_unit_test(faces_without_area_feel_nothing),
        cmocka_unit_test(still_and_uniform_are_what_they_say),
        cmocka_unit_test(veering_wind_comes_and_goes_along_x_and_swings_along_z),
        cmocka_unit_test(wandering_wind_takes_its_strength_from_the_speed_and_its_direction_from_time),
        cmocka_unit_test(the_load_is_the_same_for_faces_of_any_size_and_speed),
        cmocka_unit_test(gusts_swing_about_the_mean_within_their_strength),
        cmocka_unit_test(turbulence_has_zero_mean_and_the_promised_strength),
        cmocka_unit_test(turbulence_has_no_divergence),
        cmocka_unit_test(eddies_drift_with_the_mean_wind),
        cmocka_unit_test(eddy_size_sets_how_far_the_wind_agrees),
        cmocka_unit_test(the_seed_decides_the_field),
        cmocka_unit_test(positions_that_are_not_numbers_do_no_harm),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
