/* Directions of seams: every seam of every draft that is turned is found and named. */
#include "pattern_testing.h"

static const char *const garments[] = {"t-shirt", "jacket", "trousers", "tank-top", "skirt", "dress"};

/* The same pattern with one seam (or two) the wrong way. */
static tl_pattern *with_turned(const tl_pattern *pattern, int first, int second)
{
    tl_pattern_def def = *tl_pattern_get_def(pattern);
    tl_stitch_def *stitch = malloc((size_t)def.stitch_count * sizeof *stitch);
    memcpy(stitch, def.stitch, (size_t)def.stitch_count * sizeof *stitch);
    stitch[first].reverse = true;
    if (second >= 0)
        stitch[second].right_wrong = true;
    def.stitch = stitch;
    tl_pattern *turned = create(&def);
    free(stitch);
    return turned;
}

static void every_turned_seam_is_named(void **state)
{
    (void)state;
    for (size_t g = 0; g < sizeof garments / sizeof *garments; ++g) {
        tl_pattern *pattern = tl_pattern_draft(garments[g], NULL, NULL);
        int stitches = tl_pattern_get_def(pattern)->stitch_count;
        tl_seam_check *checks = malloc((size_t)stitches * sizeof *checks);
        for (int s = 0; s < stitches; ++s) {
            tl_pattern *turned = with_turned(pattern, s, -1);
            char name[32];
            snprintf(name, sizeof name, "stitch %d (", s);
            assert_true(tl_pattern_check_seams(turned, checks) >= 0);
            for (int k = 0; k < stitches; ++k)
                if ((checks[k].fault != TL_SEAM_GOOD) != (k == s))
                    fail_msg("%s with seam %d turned: seam %d: '%s'", garments[g], s, k, checks[k].message);
            assert_non_null(strstr(checks[s].message, name));
            tl_pattern_destroy(turned);
        }
        free(checks);
        tl_pattern_destroy(pattern);
    }
}

static void two_turned_seams_are_both_named(void **state)
{
    (void)state;
    tl_pattern *pattern = tl_pattern_draft("t-shirt", NULL, NULL);
    int stitches = tl_pattern_get_def(pattern)->stitch_count;
    tl_seam_check *checks = malloc((size_t)stitches * sizeof *checks);
    for (int s = 0; s < stitches; ++s)
        for (int k = s + 1; k < stitches; ++k) {
            tl_pattern *turned = with_turned(pattern, s, k);
            tl_pattern_check_seams(turned, checks);
            for (int i = 0; i < stitches; ++i)
                assert_int_equal(checks[i].fault != TL_SEAM_GOOD, i == s || i == k);
            tl_pattern_destroy(turned);
        }
    free(checks);
    tl_pattern_destroy(pattern);
}

static void a_turned_dart_is_refused_for_collapsing(void **state)
{
    (void)state;
    tl_pattern *pattern = tl_pattern_draft("skirt", NULL, NULL), *turned = with_turned(pattern, 0, -1);
    tl_seam_check checks[32];
    tl_error error;
    assert_int_equal(tl_pattern_check_seams(turned, checks), 1);
    assert_int_equal(checks[0].fault, TL_SEAM_COLLAPSES);
    assert_null(tl_pattern_mesh(turned, &(tl_panel_mesh_def){(tl_real)0.02, NULL}, &error));
    assert_non_null(strstr(error.message, "stitch 0 (panel 'front' edge 4, panel 'front' edge 5)"));
    tl_pattern_destroy(turned);
    tl_pattern_destroy(pattern);
}

static void a_tube_of_one_panel_is_sound(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    t.stitch[0] = (tl_stitch_def){.side = {{0, 1, {0, 0}}, {0, 3, {0, 0}}}};
    t.def.panel_count = 1;
    t.def.stitch_count = 1;
    tl_pattern *pattern = create(&t.def);
    tl_seam_check check;
    assert_int_equal(tl_pattern_check_seams(pattern, &check), 0);
    assert_int_equal(check.fault, TL_SEAM_GOOD);
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.02, NULL);
    tl_mesh *cloth = tl_panel_mesh_cloth(mesh, NULL, true, NULL, NULL);
    assert_non_null(cloth);
    assert_int_equal(tl_mesh_particle_count(cloth) - tl_mesh_edge_count(cloth) + tl_mesh_triangle_count(cloth), 0);
    tl_mesh_destroy(cloth);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
    t.stitch[0].reverse = true; /* a Möbius strip */
    pattern = create(&t.def);
    assert_int_equal(tl_pattern_check_seams(pattern, &check), 1);
    assert_int_equal(check.fault, TL_SEAM_TWISTED);
    tl_pattern_destroy(pattern);
}

static void mismatch_is_of_the_lengths_that_are_sewn(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    t.stitch[0].side[0].range[1] = 0.5; /* half of one side to all of the other */
    tl_pattern *pattern = create(&t.def);
    tl_seam_check checks[2];
    assert_int_equal(tl_pattern_check_seams(pattern, checks), 0);
    assert_true(checks[0].mismatch > 0.999999 && checks[0].mismatch < 1.000001);
    assert_true(checks[1].mismatch < 1e-9);
    tl_pattern_destroy(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_turned_seam_is_named),
        cmocka_unit_test(two_turned_seams_are_both_named),
        cmocka_unit_test(a_turned_dart_is_refused_for_collapsing),
        cmocka_unit_test(a_tube_of_one_panel_is_sound),
        cmocka_unit_test(mismatch_is_of_the_lengths_that_are_sewn),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
