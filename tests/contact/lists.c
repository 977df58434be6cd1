/* Lists of close pairs against brute force, when they are made and when a few particles went elsewhere than expected.
 */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>

#include <cmocka.h>

#include "contact/distance.h"
#include "contact/surface.h"
#include "core/random.h"

enum { SIDE = 24, POINTS = SIDE * SIDE, SUBSTEPS = 4 };
#define GAP ((tl_real)0.01)
#define H ((tl_real)0.01)       /* s, a substep */
#define BETWEEN ((tl_real)0.03) /* m, of the two sheets */
#define NEAR (BETWEEN - GAP / 2)
#define THROUGH (BETWEEN + GAP)
#define FAR_BEYOND (10 * BETWEEN)

typedef struct sheets {
    tl_mesh *mesh;
    tl_surfaces set;
    tl_real x[2][3][POINTS], x_old[2][3][POINTS], v[2][3][POINTS], w[POINTS], pressure[2][POINTS];
} sheets;

static tl_real wobble(int k, uint32_t seed) { return (tl_real)(2 * tl_random_unit(seed, (uint32_t)k) - 1); }

static void list(sheets *s)
{
    tl_surfaces_expect(&s->set, SUBSTEPS);
    for (int k = 0; k < s->set.group_count; ++k)
        tl_group_collect(&s->set, &s->set.group[k]);
    s->set.listed = true;
}

/* Two sheets, one over the other by `between`, more or less along x by `tilt`; all particles go a little way, the same
   for all but for a tenth of it. */
static sheets *create_with(tl_allocator allocator, tl_real between, tl_real tilt)
{
    sheets *s = calloc(1, sizeof *s);
    tl_grid_def grid = {.columns = SIDE, .rows = SIDE, .width = (tl_real)0.45, .height = (tl_real)0.45};
    s->mesh = tl_mesh_create_grid(&grid, NULL, NULL);
    s->set.allocator = allocator;
    for (int k = 0; k < 2; ++k) {
        tl_surface *surface = tl_surfaces_add(&s->set, s->mesh);
        for (int i = 0; i < POINTS; ++i) {
            tl_vec3 at = s->mesh->position[i];
            tl_vec3 from = tl_add(at, tl_v3(0, 0, (tl_real)k * (between + tilt * at.x) + GAP / 8 * wobble(i, 7)));
            tl_vec3 way = tl_v3((tl_real)0.002, (tl_real)0.0002 * wobble(i, 8), 0);
            tl_put((tl_real *[3]){s->x_old[k][0], s->x_old[k][1], s->x_old[k][2]}, i, from);
            tl_put((tl_real *[3]){s->x[k][0], s->x[k][1], s->x[k][2]}, i, tl_add(from, way));
            tl_put((tl_real *[3]){s->v[k][0], s->v[k][1], s->v[k][2]}, i, tl_scale(way, 1 / H));
            s->w[i] = 1;
        }
        for (int c = 0; c < 3; ++c) {
            surface->x[c] = s->x[k][c];
            surface->x_old[c] = s->x_old[k][c];
            surface->v[c] = s->v[k][c];
        }
        surface->w = s->w;
        surface->pressure = s->pressure[k];
        surface->gap = surface->thickness = GAP;
        surface->is_cloth = surface->layers = true;
    }
    assert_true(tl_surfaces_arrange(&s->set));
    tl_surfaces_begin(&s->set, SUBSTEPS, H);
    return s;
}

static sheets *create(void)
{
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    list(s);
    return s;
}

static void destroy(sheets *s)
{
    tl_surfaces_destroy(&s->set);
    tl_mesh_destroy(s->mesh);
    free(s);
}

static tl_real distance_to(const tl_surface *b, tl_vec3 x, const int face[3])
{
    tl_real w[3];
    tl_vec3 c[3] = {tl_at(b->x, face[0]), tl_at(b->x, face[1]), tl_at(b->x, face[2])};
    tl_nearest_on_triangle(x, c[0], c[1], c[2], w);
    return tl_length(tl_sub(x, tl_blend3(c[0], c[1], c[2], w)));
}

/* Vertices of one sheet within the gap of the other, at x; how many of these have no pair as near in the lists. */
static int count_missing(const sheets *s, int *near)
{
    int missing = 0;
    *near = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            const tl_surface *a = s->set.surface[k], *b = s->set.surface[1 - k];
            tl_real least = INFINITY, listed = INFINITY;
            for (int f = 0; f < s->mesh->face_count; ++f)
                least = tl_min(least, distance_to(b, tl_at(a->x, i), s->mesh->face + 3 * (size_t)f));
            for (int g = 0; g < s->set.group_count; ++g)
                for (int n = 0; n < s->set.group[g].count; ++n) {
                    const tl_pair *pair = &s->set.group[g].pair[n];
                    if (pair->kind == TL_VERTEX_FACE && pair->a == k && pair->b == 1 - k && pair->p[0] == i)
                        listed = tl_min(listed, distance_to(b, tl_at(a->x, i), pair->p + 1));
                }
            *near += least < GAP;
            missing += least < GAP && listed > least + (tl_real)1e-6;
        }
    return missing;
}

static bool one_in_23(int i) { return i % 23 == 22; }

static bool one_in_17(int i) { return i % 17 == 16; }

static bool one_in_two(int i) { return i % 2 == 1; }

static bool none(int i) { return i < 0; }

/* The next substep: all go on as they did, some particles of the lower sheet jump at the upper one, or through it. */
static int jump(sheets *s, bool (*jumps)(int), tl_real height)
{
    int count = 0;
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            tl_surface *surface = s->set.surface[k];
            tl_vec3 from = tl_at(surface->x, i), way = tl_v3((tl_real)0.002, 0, 0);
            if (k == 0 && jumps(i)) {
                way.z = height;
                ++count;
            }
            tl_put(surface->x_old, i, from);
            tl_put(surface->x, i, tl_add(from, way));
        }
    ++s->set.age;
    return count;
}

static void lists_hold_while_all_goes_as_expected(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    jump(s, none, NEAR);
    jump(s, none, NEAR);
    assert_true(tl_surfaces_expected(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    destroy(s);
}

/* Each sheet starts a frame in which it goes this way in every substep. */
static void set_out(sheets *s, const tl_vec3 way[2])
{
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i) {
            const tl_surface *surface = s->set.surface[k];
            tl_put(surface->v, i, tl_scale(way[k], 1 / H));
            tl_put(surface->x, i, tl_at(surface->x_old, i));
        }
    tl_surfaces_begin(&s->set, SUBSTEPS, H);
    for (int k = 0; k < 2; ++k)
        for (int i = 0; i < POINTS; ++i)
            tl_accumulate(s->set.surface[k]->x, i, way[k]);
}

static void sheets_that_come_together_are_listed_before_they_do(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), 2 * GAP, 0);
    const tl_vec3 way[2] = {{0, 0, 0}, {0, 0, (tl_real)-0.6 * GAP}};
    int near;
    set_out(s, way);
    list(s);
    for (int i = 0; i < POINTS; ++i)
        tl_accumulate(s->set.surface[1]->x, i, way[1]);
    ++s->set.age;
    assert_true(tl_surfaces_expected(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    assert_true(near > POINTS);
    destroy(s);
}

/* A quarter of the lower sheet is pushed at the upper one in every substep, and contact pushes it back. */
static void cloth_that_contact_pushes_back_is_expected_where_it_is(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    set_out(s, (const tl_vec3[2]){{0, 0, 0}, {0, 0, 0}});
    for (int i = 0; i < POINTS; ++i)
        s->x[0][2][i] += i % SIDE < SIDE / 2 && i / SIDE < SIDE / 2 ? GAP / 3 : 0;
    list(s);
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        for (int k = 0; k < 2; ++k)
            tl_surface_keep_pace(s->set.surface[k]);
        ++s->set.age;
        assert_true(tl_surfaces_expected(&s->set));
    }
    destroy(s);
}

static void particles_that_went_astray_are_listed_as_brute_force_finds_them(void **state)
{
    (void)state;
    sheets *s = create();
    int near, jumped = jump(s, one_in_23, NEAR);
    assert_false(tl_surfaces_expected(&s->set));
    assert_true(count_missing(s, &near) > 0);
    assert_true(tl_surfaces_relist(&s->set));
    assert_true(tl_surfaces_expected(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    assert_true(near > jumped);
    destroy(s);
}

/* Where a particle of the upper sheet is expected now, less the drift. */
static tl_vec3 expected_now(const sheets *s, int particle)
{
    const tl_surface *upper = s->set.surface[1];
    return tl_lerp(tl_at(upper->listed, particle), tl_at(upper->ahead, particle),
                   tl_surfaces_part(&s->set, s->set.age));
}

static void all_others_are_expected_where_they_were_before(void **state)
{
    (void)state;
    sheets *s = create_with(tl_allocator_or_default(NULL), BETWEEN, 0);
    set_out(s, (const tl_vec3[2]){{0, 0, 0}, {(tl_real)0.3 * GAP, 0, 0}});
    list(s);
    tl_vec3 before[POINTS];
    s->set.age = SUBSTEPS - 1;
    for (int i = 0; i < POINTS; ++i) {
        before[i] = expected_now(s, i);
        s->set.surface[0]->surprise[i] = one_in_23(i) ? FAR_BEYOND : 0;
    }
    assert_true(tl_surfaces_relist(&s->set));
    for (int i = 0; i < POINTS; ++i)
        assert_true(tl_length(tl_sub(expected_now(s, i), before[i])) < (tl_real)1e-6);
    destroy(s);
}

static void leave_alone(void *user) { (void)user; }

/* Two sheets as `safe` has them, in the given substep of the life of their lists. */
static sheets *create_safe(int substep)
{
    sheets *s = create();
    s->set.safe = true;
    s->set.settle = leave_alone;
    tl_surfaces_bound(&s->set, H);
    for (int k = 2; k < substep; ++k) {
        jump(s, none, THROUGH);
        tl_surfaces_bound(&s->set, H);
    }
    assert_int_equal(s->set.cut, 0);
    return s;
}

static void particles_that_went_astray_are_stopped_before_they_cross(void **state)
{
    (void)state;
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        sheets *s = create_safe(substep);
        jump(s, one_in_23, THROUGH);
        assert_true(tl_surfaces_count(&s->set, -1, NULL) > 0);
        tl_surfaces_bound(&s->set, H);
        assert_int_equal(tl_surfaces_count(&s->set, -1, NULL), 0);
        assert_true(s->set.listed && s->set.watched); /* what is elsewhere needed no new lists */
        destroy(s);
    }
}

/* Faces of the upper sheet that are watched with a particle of the lower one. */
static int count_watched(const sheets *s, int particle)
{
    int count = 0;
    for (int g = 0; g < s->set.group_count; ++g)
        for (int n = 0; n < s->set.group[g].watch_count; ++n) {
            const tl_watch *w = &s->set.group[g].watch[n];
            count += w->kind == TL_VERTEX_FACE && w->a == 0 && w->b == 1 && w->p[0] == particle;
        }
    return count;
}

static void faces_passed_on_the_way_astray_are_watched(void **state)
{
    (void)state;
    for (int substep = 2; substep <= SUBSTEPS; ++substep) {
        sheets *s = create_safe(substep);
        jump(s, one_in_23, FAR_BEYOND);
        assert_false(tl_surfaces_expected(&s->set));
        assert_true(tl_surfaces_relist(&s->set));
        for (int i = 0; i < POINTS; ++i)
            assert_true(!one_in_23(i) || count_watched(s, i) > 0);
        destroy(s);
    }
}

static void when_too_many_went_astray_all_is_to_be_listed_anew(void **state)
{
    (void)state;
    sheets *s = create();
    jump(s, one_in_two, NEAR);
    assert_false(tl_surfaces_expected(&s->set));
    assert_false(tl_surfaces_relist(&s->set));
    for (int i = 0; i < POINTS; ++i)
        assert_int_equal(s->set.surface[0]->mark[i], 0);
    destroy(s);
}

static void particles_can_be_brought_back_to_where_the_lists_hold(void **state)
{
    (void)state;
    sheets *s = create();
    int near;
    jump(s, one_in_23, NEAR);
    tl_surfaces_rein_in(&s->set);
    assert_true(tl_surfaces_expected(&s->set));
    assert_int_equal(count_missing(s, &near), 0);
    destroy(s);
}

/* Fails at one of many allocations, which several threads may ask for. */
typedef struct failing {
    atomic_int made, alive;
    int fails_at; /* 0: never */
} failing;

static void *failing_allocate(void *user, size_t size, size_t alignment)
{
    failing *f = user;
    if (atomic_fetch_add(&f->made, 1) + 1 == f->fails_at)
        return NULL;
    atomic_fetch_add(&f->alive, 1);
    return aligned_alloc(alignment, (size + alignment - 1) / alignment * alignment);
}

static void failing_release(void *user, void *memory)
{
    atomic_fetch_sub(&((failing *)user)->alive, 1);
    free(memory);
}

/* Lists, and lists again where particles went astray; also what the safe method watches. */
static void list_twice(sheets *s, bool safe)
{
    s->set.safe = safe;
    s->set.settle = leave_alone;
    list(s);
    tl_surfaces_bound(&s->set, H);
    jump(s, one_in_17, NEAR);
    tl_surfaces_expected(&s->set);
    tl_surfaces_relist(&s->set);
}

static void assert_same_lists(const sheets *a, const sheets *b)
{
    for (int k = 0; k < a->set.group_count; ++k) {
        const tl_surface_group *g = &a->set.group[k], *h = &b->set.group[k];
        assert_int_equal(g->count, h->count);
        assert_int_equal(g->crossing_count, h->crossing_count);
        assert_int_equal(g->watch_count, h->watch_count);
        for (int n = 0; n < g->count; ++n)
            assert_memory_equal(&g->pair[n], &h->pair[n], offsetof(tl_pair, pushed));
        for (int n = 0; n < g->crossing_count; ++n)
            assert_memory_equal(&g->crossing[n], &h->crossing[n], offsetof(tl_crossing, beside));
        for (int n = 0; n < g->watch_count; ++n) {
            assert_memory_equal(g->watch[n].p, h->watch[n].p, sizeof g->watch[n].p);
            assert_true(g->watch[n].free == h->watch[n].free);
        }
    }
}

/* Sheets that lie on each other, or cross each other along a line. */
static void check_threads(tl_tasks *tasks, bool safe)
{
    tl_real between = safe ? (tl_real)0.6 * GAP : 0, tilt = safe ? 0 : (tl_real)0.05;
    sheets *one = create_with(tl_allocator_or_default(NULL), between, tilt);
    list_twice(one, safe);
    const tl_surface_group *both = &one->set.group[1];
    assert_true(both->count > POINTS);
    assert_true((safe ? both->watch_count : both->crossing_count) > SIDE);
    int failures = 0;
    for (int n = 0, through = 0; !through; ++n) {
        failing f = {.fails_at = 0};
        sheets *many = create_with((tl_allocator){failing_allocate, failing_release, &f}, between, tilt);
        many->set.tasks = tasks;
        f.fails_at = n == 0 ? 0 : f.made + n;
        list_twice(many, safe);
        assert_true(many->set.harvest_capacity > 0 || n > 0); /* several threads were at it */
        if (!many->set.failed)
            assert_same_lists(one, many);
        failures += many->set.failed;
        through = n > 0 && f.made < f.fails_at;
        destroy(many);
        assert_int_equal(f.alive, 0);
    }
    assert_true(failures > 3);
    destroy(one);
}

static void threads_list_what_one_does_and_say_when_memory_is_short(void **state)
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
        cmocka_unit_test(lists_hold_while_all_goes_as_expected),
        cmocka_unit_test(sheets_that_come_together_are_listed_before_they_do),
        cmocka_unit_test(cloth_that_contact_pushes_back_is_expected_where_it_is),
        cmocka_unit_test(particles_that_went_astray_are_listed_as_brute_force_finds_them),
        cmocka_unit_test(all_others_are_expected_where_they_were_before),
        cmocka_unit_test(particles_that_went_astray_are_stopped_before_they_cross),
        cmocka_unit_test(faces_passed_on_the_way_astray_are_watched),
        cmocka_unit_test(when_too_many_went_astray_all_is_to_be_listed_anew),
        cmocka_unit_test(particles_can_be_brought_back_to_where_the_lists_hold),
        cmocka_unit_test(threads_list_what_one_does_and_say_when_memory_is_short),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
