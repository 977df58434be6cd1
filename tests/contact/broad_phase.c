/* Candidate pairs of cloths against brute force: in fast and in calm cloth, and after contact moved a few particles. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

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
    tl_broad_phase_begin_substep(&s->set);
    assert_true(tl_broad_phase_update(&s->set));
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
    tl_contacts_begin_frame(&s->set, SUBSTEPS);
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
    return count;
}

/* The next substep, and its candidates. */
static void step(sheets *s, bool (*jumps)(int), tl_real height)
{
    jump(s, jumps, height);
    find_candidates(s);
}

static void candidates_hold_all_that_is_near_as_brute_force_finds_it(void **state)
{
    (void)state;
    static const tl_real between[] = {(tl_real)0.3 * GAP, BETWEEN};
    for (int k = 0; k < 2; ++k) {
        sheets *s = create_with(tl_allocator_or_default(NULL), between[k], 0);
        int near;
        find_candidates(s);
        assert_true(s->set.slack > 0); /* they are listed for the next substeps */
        assert_int_equal(count_missing(s, &near), 0);
        for (int substep = 1; substep < SUBSTEPS; ++substep) {
            step(s, k == 0 ? none : one_in_23, k == 0 ? 0 : NEAR);
            assert_true(s->set.slack > 0);
            assert_int_equal(count_missing(s, &near), 0);
            assert_true(near >= POINTS / 23);
        }
        destroy(s);
    }
}

static void lists_are_kept_while_cloth_is_calm_and_made_anew_while_it_is_fast(void **state)
{
    (void)state;
    sheets *s = create();
    for (int substep = 1; substep < SUBSTEPS; ++substep)
        step(s, none, 0);
    assert_int_equal(s->set.rebuilds, 1);
    tl_contacts_begin_frame(&s->set, SUBSTEPS);
    for (int substep = 0; substep < SUBSTEPS; ++substep) {
        step(s, one_in_two, substep % 2 ? -NEAR : NEAR);
        assert_true(s->set.slack == 0);
    }
    assert_int_equal(s->set.rebuilds, SUBSTEPS);
    destroy(s);
}

/* What is a candidate, and its side, does not depend on the list that it was found in. */
static void candidates_depend_on_positions_alone(void **state)
{
    (void)state;
    sheets *listed = create_with(tl_allocator_or_default(NULL), (tl_real)0.5 * GAP, 0),
           *fresh = create_with(tl_allocator_or_default(NULL), (tl_real)0.5 * GAP, 0);
    find_candidates(listed);
    step(listed, none, 0);
    step(listed, one_in_23, GAP / 8);
    jump(fresh, none, 0);
    jump(fresh, one_in_23, GAP / 8);
    find_candidates(fresh);
    assert_int_equal(listed->set.rebuilds, 1);
    const tl_mesh_pair *g = &listed->set.pair[1], *h = &fresh->set.pair[1];
    assert_true(g->count > POINTS);
    assert_int_equal(g->count, h->count);
    for (int n = 0; n < g->count; ++n)
        assert_memory_equal(&g->contact[n], &h->contact[n], sizeof *g->contact);
    destroy(listed);
    destroy(fresh);
}

/* Contact has moved some particles since the candidates were found. */
static int push(sheets *s, bool (*pushed)(int), tl_real height)
{
    int count = 0;
    for (int i = 0; i < POINTS; ++i)
        if (pushed(i)) {
            s->x[0][2][i] += height;
            ++count;
        }
    return count;
}

static void pushed_particles_are_searched_again_as_brute_force_finds_them(void **state)
{
    (void)state;
    for (int fast = 0; fast < 2; ++fast) {
        sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
        if (fast)
            jump(s, one_in_two, -BETWEEN / 2);
        find_candidates(s);
        assert_true(fast == !(s->set.slack > 0));
        int near, pushed = push(s, one_in_23, NEAR);
        assert_true(count_missing(s, &near) > 0);
        assert_true(tl_broad_phase_update(&s->set));
        assert_int_equal(count_missing(s, &near), 0);
        assert_true(near > pushed);
        assert_false(tl_broad_phase_update(&s->set));
        assert_int_equal(s->set.rebuilds, 1);
        for (int i = 0; i < POINTS; ++i)
            assert_int_equal(s->set.mesh[0]->mark[i] & (TL_STALE | TL_BEYOND_SLACK), 0);
        destroy(s);
    }
}

static void when_many_were_pushed_all_are_searched_again(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    push(s, one_in_two, NEAR);
    assert_true(tl_broad_phase_update(&s->set));
    assert_int_equal(s->set.rebuilds, 2);
    assert_int_equal(count_missing(s, &near), 0);
    destroy(s);
}

static void particles_can_be_clamped_to_where_candidates_were_found(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    push(s, one_in_23, NEAR);
    tl_broad_phase_clamp(&s->set);
    assert_int_equal(count_missing(s, &near), 0);
    assert_false(tl_broad_phase_update(&s->set));
    destroy(s);
}

/* ---- CCD ------------------------------------------------------------------------------------------------------ */

static void set_penetration_free(sheets *s)
{
    s->set.penetration_free = true;
    s->set.h = H;
}

static void jumping_particles_are_stopped_before_they_cross(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    set_penetration_free(s);
    for (int substep = 0; substep < SUBSTEPS; ++substep) {
        jump(s, substep < 2 ? none : one_in_23, THROUGH);
        find_candidates(s);
        int crossing = tl_count_intersections(&s->set, -1, NULL);
        assert_true(substep < 2 ? crossing == 0 : substep > 2 || crossing > 0);
        tl_contacts_truncate(&s->set);
        assert_int_equal(tl_count_intersections(&s->set, -1, NULL), 0);
        assert_true(substep > 1 || s->set.truncated == 0);
    }
    destroy(s);
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

static void faces_passed_on_the_way_are_ccd_pairs(void **state)
{
    (void)state;
    for (int pushed = 0; pushed < 2; ++pushed) {
        sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
        set_penetration_free(s);
        jump(s, pushed ? none : one_in_23, THROUGH);
        find_candidates(s);
        tl_broad_phase_update_ccd(&s->set);
        push(s, one_in_23, pushed ? THROUGH : 0);
        tl_broad_phase_update_ccd(&s->set);
        for (int i = 0; i < POINTS; ++i)
            assert_true(!one_in_23(i) || count_ccd(s, i) > 0);
        destroy(s);
    }
}

static tl_vec3 points_apart(const tl_contact_mesh *m, const int p[4], int split)
{
    tl_vec3 x[4];
    for (int k = 0; k < 4; ++k)
        x[k] = tl_at(m->x, p[k]);
    return tl_nearest_features(x, split);
}

/* Nothing is left out, neither neighbours nor what crosses already: vertices and faces, edges and edges of a crumpled
   sheet. */
static void ccd_pairs_of_crumpled_cloth_hold_all_that_is_near(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), 10 * BETWEEN, 0);
    set_penetration_free(s);
    tl_contact_mesh *m = s->set.mesh[0];
    for (int i = 0; i < POINTS; ++i) {
        tl_vec3 by = tl_v3(wobble(i, 21), wobble(i, 22), wobble(i, 23));
        tl_vec3 at = tl_madd(tl_scale(tl_at(m->x_old, i), (tl_real)0.3), by, (tl_real)0.02);
        tl_put(m->x_old, i, at);
        tl_put(m->x, i, tl_madd(at, tl_v3(wobble(i, 24), wobble(i, 25), wobble(i, 26)), (tl_real)0.004));
    }
    find_candidates(s);
    tl_broad_phase_update_ccd(&s->set);
    const tl_mesh_pair *g = &s->set.pair[0];
    int near = 0, seen = 0;
    for (int n = 0; n < g->ccd_count; ++n)
        seen += tl_length(points_apart(m, g->ccd[n].p, g->ccd[n].kind == TL_VERTEX_FACE ? 1 : 2)) <= tl_ccd_gap(g);
    for (int i = 0; i < POINTS; ++i)
        for (int f = 0; f < s->mesh->face_count; ++f) {
            const int *q = s->mesh->face + 3 * (size_t)f;
            near +=
                !tl_has_corner(q, i) && tl_length(points_apart(m, (int[4]){i, q[0], q[1], q[2]}, 1)) <= tl_ccd_gap(g);
        }
    for (int e = 0; e < s->mesh->edge_count; ++e)
        for (int d = 0; d < e; ++d) {
            const int p[4] = {s->mesh->edge_a[e], s->mesh->edge_b[e], s->mesh->edge_a[d], s->mesh->edge_b[d]};
            near += p[0] != p[2] && p[0] != p[3] && p[1] != p[2] && p[1] != p[3] &&
                    tl_length(points_apart(m, p, 2)) <= tl_ccd_gap(g);
        }
    assert_true(near > POINTS);
    assert_int_equal(seen, near);
    destroy(s);
}

/* ---- threads -------------------------------------------------------------------------------------------------- */

/* A full search, and one where particles were pushed; also of CCD pairs. */
static void query_twice(sheets *s, bool penetration_free)
{
    s->set.penetration_free = penetration_free;
    s->set.h = H;
    find_candidates(s);
    if (penetration_free)
        tl_contacts_truncate(&s->set);
    jump(s, one_in_17, NEAR);
    find_candidates(s);
    push(s, one_in_23, -NEAR);
    tl_broad_phase_update(&s->set);
    if (penetration_free)
        tl_broad_phase_update_ccd(&s->set);
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
        for (int n = 0; n < g->ccd_count; ++n)
            assert_memory_equal(g->ccd[n].p, h->ccd[n].p, sizeof g->ccd[n].p);
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

/* Corners of single faces are moved anywhere near: neighbours are folded flat onto each other, or pass through each
   other beside a common edge or corner. */
static void any_crossing_of_neighbours_is_seen_as_the_exact_count_sees_it(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), FAR_BEYOND, 0);
    tl_contact_mesh *mesh = s->set.mesh[0];
    int crossed = 0, clear = 0;
    memset(s->x[0][2], 0, sizeof s->x[0][2]); /* exactly flat */
    assert_false(tl_any_intersection(&s->set));
    for (int n = 0; n < 400; ++n) {
        int f = n * 2 % s->mesh->face_count, p = s->mesh->face[3 * f + n % 3];
        tl_vec3 before = tl_at(mesh->x, p), side = tl_v3(wobble(n, 21), wobble(n, 22), n % 4 ? wobble(n, 23) / 4 : 0);
        tl_put(mesh->x, p, tl_madd(before, side, (tl_real)0.04));
        bool crosses = tl_count_intersections(&s->set, -1, NULL) > 0;
        assert_true(tl_any_intersection(&s->set) == crosses);
        crossed += crosses;
        clear += !crosses;
        tl_put(mesh->x, p, before);
    }
    assert_true(crossed > 50 && clear > 50);
    destroy(s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_hold_all_that_is_near_as_brute_force_finds_it),
        cmocka_unit_test(lists_are_kept_while_cloth_is_calm_and_made_anew_while_it_is_fast),
        cmocka_unit_test(candidates_depend_on_positions_alone),
        cmocka_unit_test(pushed_particles_are_searched_again_as_brute_force_finds_them),
        cmocka_unit_test(when_many_were_pushed_all_are_searched_again),
        cmocka_unit_test(particles_can_be_clamped_to_where_candidates_were_found),
        cmocka_unit_test(jumping_particles_are_stopped_before_they_cross),
        cmocka_unit_test(faces_passed_on_the_way_are_ccd_pairs),
        cmocka_unit_test(ccd_pairs_of_crumpled_cloth_hold_all_that_is_near),
        cmocka_unit_test(any_crossing_of_neighbours_is_seen_as_the_exact_count_sees_it),
        cmocka_unit_test(threads_find_what_one_does_and_say_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
