/* Candidate pairs of cloths against brute force, after a full query and after a few particles left their prediction. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "collide/mesh/nearest.h"
#include "contact/broad_phase/candidate.h"
#include "contact/cloth/intersection_count.h"
#include "contact/cloth/truncation.h"
#include "core/random.h"
#include "failing_allocator.h"

enum { SIDE = 24, POINTS = SIDE * SIDE, SUBSTEPS = 4 };
#define GAP ((tl_real)0.01)
#define H ((tl_real)0.01)       /* s, a substep */
#define BETWEEN ((tl_real)0.03) /* m, distance of the two sheets */
#define NEAR (BETWEEN - GAP / 2)
#define THROUGH (BETWEEN + GAP)
#define FAR_BEYOND (10 * BETWEEN)

typedef struct sheets {
    tl_mesh *mesh;
    tl_contact_world set;
    tl_real x[2][3][POINTS], x_old[2][3][POINTS], v[2][3][POINTS], w[POINTS], pressure[2][POINTS];
} sheets;

static tl_real wobble(int k, uint32_t seed) { return (tl_real)(2 * tl_random_unit(seed, (uint32_t)k) - 1); }

static void find_candidates(sheets *s)
{
    tl_predict_all(&s->set, SUBSTEPS);
    for (int k = 0; k < s->set.pair_count; ++k)
        tl_broad_phase_find(&s->set, &s->set.pair[k]);
    s->set.pairs_valid = true;
}

/* Two sheets, one above the other by `between`, more or less along x by `tilt`; all particles move a little, by the
   same displacement up to a tenth of it. */
static sheets *create_with(tl_allocator allocator, tl_real between, tl_real tilt)
{
    sheets *s = calloc(1, sizeof *s);
    tl_grid_def grid = {.columns = SIDE, .rows = SIDE, .width = (tl_real)0.45, .height = (tl_real)0.45};
    s->mesh = tl_mesh_create_grid(&grid, NULL, NULL);
    s->set.allocator = allocator;
    for (int k = 0; k < 2; ++k) {
        tl_contact_mesh *mesh = tl_contact_world_add(&s->set, s->mesh);
        for (int i = 0; i < POINTS; ++i) {
            tl_vec3 at = s->mesh->position[i];
            tl_vec3 from = tl_add(at, tl_v3(0, 0, (tl_real)k * (between + tilt * at.x) + GAP / 8 * wobble(i, 7)));
            tl_vec3 displacement = tl_v3((tl_real)0.002, (tl_real)0.0002 * wobble(i, 8), 0);
            tl_put((tl_real *[3]){s->x_old[k][0], s->x_old[k][1], s->x_old[k][2]}, i, from);
            tl_put((tl_real *[3]){s->x[k][0], s->x[k][1], s->x[k][2]}, i, tl_add(from, displacement));
            tl_put((tl_real *[3]){s->v[k][0], s->v[k][1], s->v[k][2]}, i, tl_scale(displacement, 1 / H));
            s->w[i] = 1;
        }
        for (int c = 0; c < 3; ++c) {
            mesh->x[c] = s->x[k][c];
            mesh->x_old[c] = s->x_old[k][c];
            mesh->v[c] = s->v[k][c];
        }
        mesh->w = s->w;
        mesh->pressure = s->pressure[k];
        mesh->gap = mesh->thickness = GAP;
        mesh->is_cloth = mesh->self_collides = true;
    }
    assert_true(tl_contact_world_pair_up(&s->set));
    tl_contacts_begin_frame(&s->set, SUBSTEPS, H);
    return s;
}

static sheets *create(void)
{
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    find_candidates(s);
    return s;
}

static void destroy(sheets *s)
{
    tl_contact_world_destroy(&s->set);
    tl_mesh_destroy(s->mesh);
    free(s);
}

static tl_real distance_to(const tl_contact_mesh *b, tl_vec3 x, const int face[3])
{
    tl_real w[3];
    tl_vec3 c[3] = {tl_at(b->x, face[0]), tl_at(b->x, face[1]), tl_at(b->x, face[2])};
    tl_nearest_on_triangle(x, c[0], c[1], c[2], w);
    return tl_length(tl_sub(x, tl_blend3(c[0], c[1], c[2], w)));
}

/* Vertices of one sheet within the gap of the other, at x; returns how many of these have no candidate as near. */
static int count_missing(const sheets *s, int *near)
{
    int missing = 0;
    *near = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            const tl_contact_mesh *a = s->set.mesh[k], *b = s->set.mesh[1 - k];
            tl_real least = INFINITY, candidate = INFINITY;
            for (int f = 0; f < s->mesh->face_count; ++f)
                least = tl_min(least, distance_to(b, tl_at(a->x, i), s->mesh->face + 3 * (size_t)f));
            for (int g = 0; g < s->set.pair_count; ++g)
                for (int n = 0; n < s->set.pair[g].count; ++n) {
                    const tl_contact *pair = &s->set.pair[g].contact[n];
                    if (pair->kind == TL_VERTEX_FACE && pair->a == k && pair->b == 1 - k && pair->p[0] == i)
                        candidate = tl_min(candidate, distance_to(b, tl_at(a->x, i), pair->p + 1));
                }
            *near += least < GAP;
            missing += least < GAP && candidate > least + (tl_real)1e-6;
        }
    return missing;
}

static bool one_in_23(int i) { return i % 23 == 22; }

static bool one_in_17(int i) { return i % 17 == 16; }

static bool one_in_two(int i) { return i % 2 == 1; }

static bool none(int i) { return i < 0; }

/* The next substep: all continue their motion, some particles of the lower sheet jump at the upper one, or through
   it. */
static int jump(sheets *s, bool (*jumps)(int), tl_real height)
{
    int count = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            tl_contact_mesh *mesh = s->set.mesh[k];
            tl_vec3 from = tl_at(mesh->x, i), displacement = tl_v3((tl_real)0.002, 0, 0);
            if (k == 0 && jumps(i)) {
                displacement.z = height;
                ++count;
            }
            tl_put(mesh->x_old, i, from);
            tl_put(mesh->x, i, tl_add(from, displacement));
        }
    ++s->set.age;
    return count;
}

static void candidates_hold_while_predictions_do(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    jump(s, none, NEAR);
    jump(s, none, NEAR);
    assert_true(tl_broad_phase_holds(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    destroy(s);
}

/* Each sheet starts a frame in which it moves by this displacement in every substep. */
static void start_frame(sheets *s, const tl_vec3 displacement[2])
{
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            const tl_contact_mesh *mesh = s->set.mesh[k];
            tl_put(mesh->v, i, tl_scale(displacement[k], 1 / H));
            tl_put(mesh->x, i, tl_at(mesh->x_old, i));
        }
    tl_contacts_begin_frame(&s->set, SUBSTEPS, H);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i)
            tl_accumulate(s->set.mesh[k]->x, i, displacement[k]);
}

static void sheets_that_close_in_are_candidates_before_they_meet(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), 2 * GAP, 0);
    const tl_vec3 displacement[2] = {{0, 0, 0}, {0, 0, (tl_real)-0.6 * GAP}};
    int near;
    start_frame(s, displacement);
    find_candidates(s);
    for (int i = 0; i < POINTS; ++i)
        tl_accumulate(s->set.mesh[1]->x, i, displacement[1]);
    ++s->set.age;
    assert_true(tl_broad_phase_holds(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    assert_true(near > POINTS);
    destroy(s);
}

/* A quarter of the lower sheet is pushed at the upper one in every substep, and contact pushes it back. */
static void cloth_that_contact_pushes_back_is_predicted_to_stay(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    start_frame(s, (const tl_vec3[2]){{0, 0, 0}, {0, 0, 0}});
    for (int i = 0; i < POINTS; ++i)
        s->x[0][2][i] += i % SIDE < SIDE / 2 && i / SIDE < SIDE / 2 ? GAP / 3 : 0;
    find_candidates(s);
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        for (int k = 0; k < 2; ++k)
            tl_predict_begin_substep(s->set.mesh[k]);
        ++s->set.age;
        assert_true(tl_broad_phase_holds(&s->set));
    }
    destroy(s);
}

static void stale_particles_are_requeried_as_brute_force_finds_them(void **state)
{
    (void)state;
    sheets *s = create();
    int near, jumped = jump(s, one_in_23, NEAR);
    assert_false(tl_broad_phase_holds(&s->set));
    assert_true(count_missing(s, &near) > 0);
    assert_true(tl_broad_phase_requery(&s->set));
    assert_true(tl_broad_phase_holds(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    assert_true(near > jumped);
    destroy(s);
}

/* Predicted position of a particle of the upper sheet now, less the drift. */
static tl_vec3 predicted_now(const sheets *s, int particle)
{
    const tl_contact_mesh *upper = s->set.mesh[1];
    return tl_lerp(tl_at(upper->query.start, particle), tl_at(upper->query.predicted_end, particle),
                   tl_predicted_part(&s->set, s->set.age));
}

static void all_others_keep_their_prediction(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    start_frame(s, (const tl_vec3[2]){{0, 0, 0}, {(tl_real)0.3 * GAP, 0, 0}});
    find_candidates(s);
    tl_vec3 before[POINTS];
    s->set.age = SUBSTEPS - 1;
    for (int i = 0; i < POINTS; ++i) {
        before[i] = predicted_now(s, i);
        s->set.mesh[0]->query.deviation[i] = one_in_23(i) ? FAR_BEYOND : 0;
    }
    assert_true(tl_broad_phase_requery(&s->set));
    for (int i = 0; i < POINTS; ++i)
        assert_true(tl_length(tl_sub(predicted_now(s, i), before[i])) < (tl_real)1e-6);
    destroy(s);
}

/* Two sheets under penetration-free contact, in the given substep of the life of their candidates. */
static sheets *create_penetration_free(int substep)
{
    sheets *s = create();
    s->set.penetration_free = true;
    s->set.h = H;
    tl_contacts_truncate(&s->set);
    for (int k = 2; k < substep; ++k) {
        jump(s, none, THROUGH);
        tl_contacts_truncate(&s->set);
    }
    assert_int_equal(s->set.truncated, 0);
    return s;
}

static void stale_particles_are_stopped_before_they_cross(void **state)
{
    (void)state;
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        sheets *s = create_penetration_free(substep);
        jump(s, one_in_23, THROUGH);
        assert_true(tl_count_intersections(&s->set, -1, NULL) > 0);
        tl_contacts_truncate(&s->set);
        assert_int_equal(tl_count_intersections(&s->set, -1, NULL), 0);
        assert_true(s->set.pairs_valid && s->set.ccd_valid); /* no full query was needed */
        destroy(s);
    }
}

/* CCD pairs of a particle of the lower sheet with faces of the upper one. */
static int count_ccd(const sheets *s, int particle)
{
    int count = 0;
    for (int g = 0; g < s->set.pair_count; ++g)
        for (int n = 0; n < s->set.pair[g].ccd_count; ++n) {
            const tl_ccd_pair *w = &s->set.pair[g].ccd[n];
            count += w->kind == TL_VERTEX_FACE && w->a == 0 && w->b == 1 && w->p[0] == particle;
        }
    return count;
}

static void faces_passed_on_a_stale_path_are_ccd_pairs(void **state)
{
    (void)state;
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        sheets *s = create_penetration_free(substep);
        jump(s, one_in_23, FAR_BEYOND);
        assert_false(tl_broad_phase_holds(&s->set));
        assert_true(tl_broad_phase_requery(&s->set));
        for (int i = 0; i < POINTS; ++i)
            assert_true(!one_in_23(i) || count_ccd(s, i) > 0);
        destroy(s);
    }
}

static void too_many_stale_particles_ask_for_a_full_query(void **state)
{
    (void)state;
    sheets *s = create();
    jump(s, one_in_two, NEAR);
    assert_false(tl_broad_phase_holds(&s->set));
    assert_false(tl_broad_phase_requery(&s->set));
    for (int i = 0; i < POINTS; ++i)
        assert_int_equal(s->set.mesh[0]->mark[i], 0);
    destroy(s);
}

static void particles_can_be_clamped_to_what_candidates_bound(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    jump(s, one_in_23, NEAR);
    tl_broad_phase_clamp(&s->set);
    assert_true(tl_broad_phase_holds(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    destroy(s);
}

/* A full query, and a re-query where particles went stale; also of CCD pairs. */
static void query_twice(sheets *s, bool penetration_free)
{
    s->set.penetration_free = penetration_free;
    s->set.h = H;
    find_candidates(s);
    if (penetration_free)
        tl_contacts_truncate(&s->set);
    jump(s, one_in_17, NEAR);
    tl_broad_phase_holds(&s->set);
    tl_broad_phase_requery(&s->set);
}

static void assert_same_candidates(const sheets *a, const sheets *b)
{
    for (int k = 0; k < a->set.pair_count; ++k) {
        const tl_mesh_pair *g = &a->set.pair[k], *h = &b->set.pair[k];
        assert_int_equal(g->count, h->count);
        assert_int_equal(g->crossing_count, h->crossing_count);
        assert_int_equal(g->ccd_count, h->ccd_count);
        for (int n = 0; n < g->count; ++n)
            assert_memory_equal(&g->contact[n], &h->contact[n], offsetof(tl_contact, pushed));
        for (int n = 0; n < g->crossing_count; ++n)
            assert_memory_equal(&g->crossing[n], &h->crossing[n], offsetof(tl_crossing, beside));
        for (int n = 0; n < g->ccd_count; ++n) {
            assert_memory_equal(g->ccd[n].p, h->ccd[n].p, sizeof g->ccd[n].p);
            assert_true(g->ccd[n].clearance == h->ccd[n].clearance);
        }
    }
}

/* Sheets that lie on each other, or cross each other along a line. */
static void check_threads(tl_tasks *tasks, bool penetration_free)
{
    tl_real between = penetration_free ? (tl_real)0.6 * GAP : 0, tilt = penetration_free ? 0 : (tl_real)0.05;
    sheets *one = create_with(tl_allocator_or_default(NULL), between, tilt);
    query_twice(one, penetration_free);
    const tl_mesh_pair *both = &one->set.pair[1];
    assert_true(both->count > POINTS);
    assert_true((penetration_free ? both->ccd_count : both->crossing_count) > SIDE);
    int failures = 0;
    for (int n = 0, through = 0; !through; ++n) {
        failing f = {.fails_at = 0};
        sheets *many = create_with(failing_allocator(&f), between, tilt);
        many->set.tasks = tasks;
        f.fails_at = n == 0 ? 0 : f.made + n;
        query_twice(many, penetration_free);
        assert_true(many->set.result_capacity > 0 || n > 0); /* several threads took part */
        if (!many->set.failed)
            assert_same_candidates(one, many);
        failures += many->set.failed;
        through = n > 0 && f.made < f.fails_at;
        destroy(many);
        assert_int_equal(f.alive, 0);
    }
    assert_true(failures > 3);
    destroy(one);
}

static void threads_find_what_one_does_and_say_when_memory_is_short(void **state)
{
    (void)state;
    tl_allocator allocator = tl_allocator_or_default(NULL);
    tl_tasks *tasks = tl_tasks_create(&allocator, 3);
    assert_non_null(tasks);
    check_threads(tasks, false);
    check_threads(tasks, true);
    tl_tasks_destroy(tasks);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_hold_while_predictions_do),
        cmocka_unit_test(sheets_that_close_in_are_candidates_before_they_meet),
        cmocka_unit_test(cloth_that_contact_pushes_back_is_predicted_to_stay),
        cmocka_unit_test(stale_particles_are_requeried_as_brute_force_finds_them),
        cmocka_unit_test(all_others_keep_their_prediction),
        cmocka_unit_test(stale_particles_are_stopped_before_they_cross),
        cmocka_unit_test(faces_passed_on_a_stale_path_are_ccd_pairs),
        cmocka_unit_test(too_many_stale_particles_ask_for_a_full_query),
        cmocka_unit_test(particles_can_be_clamped_to_what_candidates_bound),
        cmocka_unit_test(threads_find_what_one_does_and_say_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
