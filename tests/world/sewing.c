/* Sewing: pairs of vertices are drawn together, evenly, under every stepper, and nothing is pushed. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "telar/telar.h"

enum { SIDE = 6, PAIRS = SIDE };

/* Two square sheets of 5 cm beside each other, 4 cm apart, as one mesh. */
typedef struct sheets {
    tl_mesh *mesh;
    tl_world *world;
    tl_cloth *cloth;
    int pairs[PAIRS][2];
} sheets;

static sheets two_sheets(const char *stepper)
{
    enum { COUNT = SIDE * SIDE };
    tl_vec3 x[2 * COUNT];
    int triangles[2 * 2 * (SIDE - 1) * (SIDE - 1)][3], faces = 0;
    sheets s = {0};
    for (int n = 0; n < 2; ++n)
        for (int row = 0; row < SIDE; ++row)
            for (int column = 0; column < SIDE; ++column) {
                int v = n * COUNT + row * SIDE + column;
                x[v] = (tl_vec3){(tl_real)0.01 * (tl_real)column + (tl_real)0.09 * (tl_real)n, 0,
                                 (tl_real)0.01 * (tl_real)row};
                if (row + 1 == SIDE || column + 1 == SIDE)
                    continue;
                memcpy(triangles[faces++], (int[3]){v, v + SIDE, v + 1}, sizeof *triangles);
                memcpy(triangles[faces++], (int[3]){v + 1, v + SIDE, v + SIDE + 1}, sizeof *triangles);
            }
    for (int row = 0; row < SIDE; ++row) {
        s.pairs[row][0] = row * SIDE + SIDE - 1;
        s.pairs[row][1] = COUNT + row * SIDE;
    }
    tl_error error;
    s.mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = x, .vertex_count = 2 * COUNT, .triangles = &triangles[0][0], .triangle_count = faces},
        NULL, &error);
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = (tl_vec3){0, 0, 0};
    s.world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = s.mesh;
    def.stepper = stepper;
    def.damping = 5;
    def.air = "off";
    s.cloth = tl_cloth_create(s.world, &def);
    if (!s.cloth)
        fail_msg("%s", tl_last_error(s.world));
    return s;
}

static void end(sheets *s)
{
    tl_world_destroy(s->world);
    tl_mesh_destroy(s->mesh);
}

static void a_seam_closes_evenly_under_every_stepper(void **state)
{
    (void)state;
    const char *const steppers[] = {"projection", "range", "xpbd", "implicit-euler", "verlet"};
    for (size_t k = 0; k < sizeof steppers / sizeof *steppers; ++k) {
        sheets s = two_sheets(steppers[k]);
        assert_int_equal(tl_cloth_sew(s.cloth, (const int(*)[2])s.pairs, PAIRS, (tl_real)0.5), TL_OK);
        assert_true(fabs((double)tl_cloth_sew_gap(s.cloth, NULL) - 0.04) < 1e-6);
        for (int frame = 0; frame < 15; ++frame)
            assert_int_equal(tl_world_step(s.world, (tl_real)(1.0 / 60)), TL_OK);
        tl_real mean, gap = tl_cloth_sew_gap(s.cloth, &mean);
        assert_true(mean <= gap && gap < (tl_real)0.023 && gap > (tl_real)0.01);
        for (int frame = 0; frame < 30; ++frame)
            assert_int_equal(tl_world_step(s.world, (tl_real)(1.0 / 60)), TL_OK);
        assert_true(tl_cloth_sew_gap(s.cloth, NULL) < (tl_real)1e-3);
        tl_vec3 momentum = tl_cloth_momentum(s.cloth);
        assert_true(fabs((double)momentum.x) < 1e-4);
        end(&s);
    }
}

static void threads_do_not_push(void **state)
{
    (void)state;
    sheets s = two_sheets("xpbd");
    const tl_vec3 *before = tl_cloth_positions(s.cloth);
    int count = tl_cloth_vertex_count(s.cloth);
    tl_vec3 start[2 * SIDE * SIDE];
    memcpy(start, before, (size_t)count * sizeof *start);
    tl_cloth_sew(s.cloth, (const int(*)[2])s.pairs, PAIRS, 10);
    tl_vec3 nearer[2 * SIDE * SIDE];
    memcpy(nearer, start, sizeof nearer);
    for (int v = SIDE * SIDE; v < count; ++v)
        nearer[v].x -= (tl_real)0.02;
    tl_cloth_set_state(s.cloth, nearer, NULL);
    for (int frame = 0; frame < 6; ++frame)
        tl_world_step(s.world, (tl_real)(1.0 / 60));
    const tl_vec3 *after = tl_cloth_positions(s.cloth);
    for (int v = 0; v < count; ++v)
        assert_true(fabs((double)(after[v].x - nearer[v].x)) < 1e-6);
    end(&s);
}

static void seams_end_when_told_and_wrong_pairs_are_refused(void **state)
{
    (void)state;
    sheets s = two_sheets("xpbd");
    s.pairs[0][0] = 1000;
    assert_int_equal(tl_cloth_sew(s.cloth, (const int(*)[2])s.pairs, PAIRS, 1), TL_ERROR_INPUT);
    assert_non_null(strstr(tl_last_error(s.world), "vertex 1000"));
    s.pairs[0][0] = 0;
    assert_int_equal(tl_cloth_sew(s.cloth, (const int(*)[2])s.pairs, PAIRS, -1), TL_ERROR_INPUT);
    assert_int_equal(tl_cloth_sew(s.cloth, (const int(*)[2])s.pairs, PAIRS, 1), TL_OK);
    assert_int_equal(tl_cloth_sew(s.cloth, NULL, 0, 0), TL_OK);
    assert_true(tl_cloth_sew_gap(s.cloth, NULL) == 0);
    end(&s);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_seam_closes_evenly_under_every_stepper),
        cmocka_unit_test(threads_do_not_push),
        cmocka_unit_test(seams_end_when_told_and_wrong_pairs_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
