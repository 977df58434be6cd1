/* Drafts to measure: for adults, a child and someone large, every garment has sound seams and meshes with good angles
   at every edge length. */
#include "pattern_testing.h"

#include <math.h>

static const tl_measures bodies[] = {
    {0},
    {.height = (tl_real)1.72,
     .head_l = (tl_real)0.263,
     .neck_w = (tl_real)0.189,
     .shoulder_w = (tl_real)0.365,
     .shoulder_incl = (tl_real)21.7,
     .arm_length = (tl_real)0.54,
     .arm_pose_angle = (tl_real)45.5,
     .armscye_depth = (tl_real)0.129,
     .wrist = (tl_real)0.166,
     .bust = (tl_real)0.998,
     .vert_bust_line = (tl_real)0.211,
     .waist = (tl_real)0.843,
     .waist_line = (tl_real)0.369,
     .hips = (tl_real)1.035,
     .hips_line = (tl_real)0.235,
     .crotch_hip_diff = (tl_real)0.088,
     .leg_circ = (tl_real)0.602},
    {.height = (tl_real)1.16, .bust = (tl_real)0.6, .waist = (tl_real)0.55, .hips = (tl_real)0.63},
    {.height = (tl_real)1.85, .bust = (tl_real)1.3, .waist = (tl_real)1.25, .hips = (tl_real)1.3},
};
enum { BODIES = sizeof bodies / sizeof *bodies };

static tl_pattern *draft_of(const char *name, int body)
{
    tl_error error = {TL_OK, ""};
    tl_pattern *pattern = tl_pattern_draft(name, &bodies[body], &error);
    if (!pattern)
        fail_msg("%s for body %d: %s", name, body, error.message);
    return pattern;
}

static void seams_of_drafts_are_sound_and_of_equal_lengths(void **state)
{
    (void)state;
    for (const char *const *name = tl_pattern_drafts(); *name; ++name)
        for (int body = 0; body < BODIES; ++body) {
            tl_pattern *pattern = draft_of(*name, body);
            const tl_pattern_def *def = tl_pattern_get_def(pattern);
            tl_seam_check *checks = malloc((size_t)def->stitch_count * sizeof *checks);
            assert_int_equal(tl_pattern_check_seams(pattern, checks), 0);
            for (int s = 0; s < def->stitch_count; ++s) {
                assert_string_equal(checks[s].message, "");
                double most = def->stitch[s].kind == TL_STITCH_ELASTIC ? 0.35 : 0.012;
                if (checks[s].mismatch > most)
                    fail_msg("%s for body %d, seam %d: %g", *name, body, s, checks[s].mismatch);
            }
            free(checks);
            tl_pattern_destroy(pattern);
        }
}

static double smallest_angle(const tl_panel_mesh_arrays *m, double *area)
{
    double least = 180;
    *area = 0;
    for (int t = 0; t < m->triangle_count; ++t) {
        double x[3][2];
        for (int k = 0; k < 3; ++k)
            for (int c = 0; c < 2; ++c)
                x[k][c] = (double)m->uv[2 * m->triangle[3 * t + k] + c];
        double twice = (x[1][0] - x[0][0]) * (x[2][1] - x[0][1]) - (x[1][1] - x[0][1]) * (x[2][0] - x[0][0]);
        assert_true(twice > 0);
        *area += twice / 2;
        for (int k = 0; k < 3; ++k) {
            const double *o = x[k], *a = x[(k + 1) % 3], *b = x[(k + 2) % 3];
            double cosine = ((a[0] - o[0]) * (b[0] - o[0]) + (a[1] - o[1]) * (b[1] - o[1])) /
                            (hypot(a[0] - o[0], a[1] - o[1]) * hypot(b[0] - o[0], b[1] - o[1]));
            least = fmin(least, acos(fmin(cosine, 1)) * 57.29577951308232);
        }
    }
    return least;
}

static void drafts_mesh_with_good_angles_and_their_area(void **state)
{
    (void)state;
    static const double edges[] = {0.008, 0.015, 0.025, 0.04};
    for (const char *const *name = tl_pattern_drafts(); *name; ++name)
        for (int body = 0; body < BODIES; ++body) {
            tl_pattern *pattern = draft_of(*name, body);
            double own = 0;
            for (int p = 0; p < tl_pattern_get_def(pattern)->panel_count; ++p)
                own += tl_pattern_panel_area(pattern, p);
            for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k) {
                tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)edges[k], NULL);
                double area, angle = smallest_angle(tl_panel_mesh_get(mesh), &area);
                if (angle < 20 || fabs(area / own - 1) > 0.005)
                    fail_msg("%s for body %d at %g m: %g degrees, area %+.3f %%", *name, body, edges[k], angle,
                             100 * (area / own - 1));
                tl_error error = {TL_OK, ""};
                tl_mesh *cloth = tl_panel_mesh_cloth(mesh, NULL, true, NULL, &error);
                if (!cloth)
                    fail_msg("%s for body %d at %g m: %s", *name, body, edges[k], error.message);
                tl_mesh_destroy(cloth);
                tl_panel_mesh_destroy(mesh);
            }
            tl_pattern_destroy(pattern);
        }
}

static void panels_face_outwards_on_both_sides_of_the_figure(void **state)
{
    (void)state;
    for (const char *const *name = tl_pattern_drafts(); *name; ++name) {
        tl_pattern *pattern = draft_of(*name, 0);
        tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.03, NULL);
        const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
        double reach[2][3] = {{0, 0, 0}, {0, 0, 0}};
        for (int t = 0; t < m->triangle_count; ++t) {
            const tl_vec3 a = m->position[m->triangle[3 * t]], b = m->position[m->triangle[3 * t + 1]],
                          c = m->position[m->triangle[3 * t + 2]];
            double normal = ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
                            ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
            assert_true(normal * (double)a.z > 0);
            reach[0][0] = fmin(reach[0][0], (double)a.x), reach[1][0] = fmax(reach[1][0], (double)a.x);
            reach[0][2] = fmin(reach[0][2], (double)a.z), reach[1][2] = fmax(reach[1][2], (double)a.z);
            assert_true((double)a.y > 0.02 && (double)a.y < 1.6);
        }
        assert_true(fabs(reach[0][0] + reach[1][0]) < 0.03);    /* left as right */
        assert_true(reach[0][2] < -0.15 && reach[1][2] > 0.15); /* before and behind */
        tl_panel_mesh_destroy(mesh);
        tl_pattern_destroy(pattern);
    }
}

static void impossible_measures_and_unknown_drafts_are_refused(void **state)
{
    (void)state;
    tl_error error;
    assert_null(tl_pattern_draft("trouser", NULL, &error));
    assert_non_null(strstr(error.message, "'trousers'"));
    tl_measures m = {.shoulder_w = (tl_real)0.1, .neck_w = (tl_real)0.15};
    assert_null(tl_pattern_draft("t-shirt", &m, &error));
    assert_non_null(strstr(error.message, "shoulders"));
    m = (tl_measures){.waist_line = (tl_real)0.9, .hips_line = (tl_real)0.5};
    assert_null(tl_pattern_draft("trousers", &m, &error));
    assert_non_null(strstr(error.message, "legs"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_of_drafts_are_sound_and_of_equal_lengths),
        cmocka_unit_test(drafts_mesh_with_good_angles_and_their_area),
        cmocka_unit_test(panels_face_outwards_on_both_sides_of_the_figure),
        cmocka_unit_test(impossible_measures_and_unknown_drafts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
