/* Dressing: a tube of two panels is sewn around a ball, merged and settled; failures say phase and panels. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include <cmocka.h>

#include "telar/telar.h"

/* Two panels in front of and behind the origin, 0.4 m high, sewn at both sides: they go four times `half` around. */
static tl_pattern *tube_in(double half, double front, double back, const char *back_fabric)
{
    const double corners[4][2] = {{-half, 0}, {half, 0}, {half, 0.4}, {-half, 0.4}};
    const double mirrored[4][2] = {{-half, 0}, {-half, 0.4}, {half, 0.4}, {half, 0}};
    static const tl_pattern_edge_def edges[4] = {
        {.start = 0, .end = 1}, {.start = 1, .end = 2}, {.start = 2, .end = 3}, {.start = 3, .end = 0}};
    const tl_panel_def panels[2] = {{.name = "front",
                                     .vertex = corners,
                                     .vertex_count = 4,
                                     .edge = edges,
                                     .edge_count = 4,
                                     .translation = {0, 1.05, front}},
                                    {.name = "back",
                                     .fabric = back_fabric,
                                     .vertex = mirrored,
                                     .vertex_count = 4,
                                     .edge = edges,
                                     .edge_count = 4,
                                     .translation = {0, 1.05, back}}};
    const tl_stitch_def stitches[2] = {{.side = {{.panel = 0, .edge = 1}, {.panel = 1, .edge = 2}}},
                                       {.side = {{.panel = 0, .edge = 3}, {.panel = 1, .edge = 0}}}};
    tl_error error;
    tl_pattern *pattern = tl_pattern_create(
        &(tl_pattern_def){.name = "tube", .panel = panels, .panel_count = 2, .stitch = stitches, .stitch_count = 2},
        NULL, &error);
    if (!pattern)
        fail_msg("%s", error.message);
    return pattern;
}

static tl_pattern *tube_of(double half, double front, double back) { return tube_in(half, front, back, NULL); }

/* 1.6 m around, on a ball of 1.9 m. */
static tl_pattern *tube(double front, double back) { return tube_of(0.4, front, back); }

/* A ball of 0.6 m with its middle at a height of 1 m. */
static tl_character *ball(void)
{
    tl_error error;
    tl_mesh *made = tl_mesh_create_surface(&(tl_surface_def){.kind = "ball",
                                                             .columns = 40,
                                                             .rows = 20,
                                                             .width = (tl_real)0.6,
                                                             .height = (tl_real)0.6,
                                                             .bulge = (tl_real)0.1},
                                           NULL, &error);
    if (!made)
        fail_msg("%s", error.message);
    tl_vec3 x[4096];
    int count = tl_mesh_vertex_count(made);
    for (int v = 0; v < count; ++v) {
        x[v] = tl_mesh_vertices(made)[v];
        x[v].y += 1;
    }
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = x,
                                                  .vertex_count = count,
                                                  .triangles = tl_mesh_triangles(made),
                                                  .triangle_count = tl_mesh_triangle_count(made)},
                                   NULL, &error);
    tl_character *character = tl_character_create_mesh(mesh, NULL, &error);
    if (!character)
        fail_msg("%s", error.message);
    tl_mesh_destroy(mesh);
    tl_mesh_destroy(made);
    return character;
}

static tl_garment *garment_of(const tl_character *character, double front, double back)
{
    tl_error error;
    tl_pattern *pattern = tube(front, back);
    tl_garment *garment =
        tl_garment_create(pattern, character, NULL, &(tl_garment_def){.edge = (tl_real)0.07}, NULL, &error);
    if (!garment)
        fail_msg("%s", error.message);
    tl_pattern_destroy(pattern);
    return garment;
}

static void a_tube_is_sewn_merged_and_settled_the_same_way_twice(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_garment *garment[2];
    for (int k = 0; k < 2; ++k) {
        garment[k] = garment_of(character, 0.4, -0.4);
        tl_dress_report report;
        tl_garment_dress(garment[k], NULL,
                         &report); /* it slides on the ball for long: the bars of rest are not asked */
        assert_true(report.done && report.merged);
        assert_int_equal(report.crossings, 0);
        assert_int_equal(report.inside, 0);
        assert_int_equal(report.body_crossings, 0);
        assert_true(report.stretch_p99 <= (tl_real)0.12);
        assert_true(report.rms_speed < (tl_real)0.1);
        assert_true(report.frames_of[TL_DRESS_SEW] >= 30 && report.frames_of[TL_DRESS_SETTLE] >= 45);
        assert_null(tl_garment_world(garment[k]));
    }
    const tl_panel_mesh_arrays *mesh = tl_panel_mesh_get(tl_garment_panels(garment[0]));
    assert_memory_equal(tl_garment_positions(garment[0]), tl_garment_positions(garment[1]),
                        (size_t)mesh->vertex_count * sizeof(tl_vec3));
    /* sewn: the vertices of a seam are one */
    for (int k = 0; k < mesh->seam[0].count; ++k) {
        const int *pair = mesh->seam_pair + 2 * (size_t)(mesh->seam[0].first + k);
        tl_vec3 a = tl_garment_positions(garment[0])[pair[0]], b = tl_garment_positions(garment[0])[pair[1]];
        assert_true(a.x == b.x && a.y == b.y && a.z == b.z);
    }
    /* it hangs on the ball */
    tl_real low = 2;
    for (int v = 0; v < mesh->vertex_count; ++v)
        low = tl_garment_positions(garment[0])[v].y < low ? tl_garment_positions(garment[0])[v].y : low;
    assert_true(low > (tl_real)0.6 && low < (tl_real)1.35);
    tl_error error;
    tl_mesh *worn = tl_garment_mesh(garment[0], NULL, &error);
    assert_int_equal(tl_mesh_particle_count(worn), mesh->particle_count);
    tl_mesh_destroy(worn);
    tl_garment_destroy(garment[0]);
    tl_garment_destroy(garment[1]);
    tl_character_destroy(character);
}

static void panels_in_the_body_are_moved_outwards_and_the_report_says_so(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_garment *garment = garment_of(character, 0.2, -0.4);
    tl_error error;
    assert_int_equal(tl_garment_dress_begin(garment, NULL, &error), TL_OK);
    assert_non_null(tl_garment_world(garment));
    assert_non_null(strstr(tl_garment_report(garment)->note, "front"));
    assert_null(strstr(tl_garment_report(garment)->note, "back"));
    const tl_vec3 *x = tl_garment_positions(garment);
    assert_true(x[0].z > (tl_real)0.25);
    tl_dress_report report;
    tl_garment_dress_step(garment, &report);
    assert_int_equal(report.phase, TL_DRESS_SEW);
    assert_int_equal(report.frames, 1);
    tl_garment_destroy(garment); /* while it is being dressed */
    tl_character_destroy(character);
}

static void what_still_moves_is_not_worn_and_the_message_says_which_panel(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_garment *garment = garment_of(character, 0.4, -0.4);
    tl_dress_report report;
    /* it falls, since settling ends after 12 frames; and it is not tried again, since nothing crosses */
    assert_int_equal(tl_garment_dress(garment, &(tl_dress_def){.most_frames = 12}, &report), TL_ERROR_UNSTABLE);
    assert_true(report.done && report.merged);
    assert_int_equal(report.crossings + report.inside + report.body_crossings, 0);
    assert_true(report.rms_speed >= (tl_real)0.008);
    assert_int_equal(report.attempts, 0);
    assert_int_equal(report.frames_of[TL_DRESS_SETTLE], 12);
    bool tight = report.stretch_p99 > (tl_real)0.05 || report.stretch_max > (tl_real)0.12;
    assert_non_null(strstr(report.message, tight ? "too tight" : "still moves"));
    assert_true(strstr(report.message, "front") || strstr(report.message, "back"));
    tl_error error;
    tl_pattern *pattern = tube(0.4, -0.4);
    assert_null(tl_garment_create(pattern, character, garment, &(tl_garment_def){.edge = 0}, NULL, &error));
    tl_pattern_destroy(pattern);
    tl_garment_destroy(garment);
    tl_character_destroy(character);
}

static void dressing_ends_where_one_wants_to_look_at_it(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_garment *garment = garment_of(character, 0.4, -0.4);
    const tl_panel_mesh_arrays *mesh = tl_panel_mesh_get(tl_garment_panels(garment));
    for (int k = 0; k < 2; ++k) {
        tl_dress_phase until = k == 0 ? TL_DRESS_SEW : TL_DRESS_MERGE;
        tl_dress_report report;
        tl_error error;
        assert_int_equal(tl_garment_dress(garment, &(tl_dress_def){.until = until}, &report), TL_OK);
        assert_true(report.done && report.phase == until && report.merged == (k == 1));
        assert_non_null(strstr(report.message, tl_dress_phase_name(until)));
        assert_int_equal(report.crossings + report.inside + report.body_crossings, 0);
        assert_null(tl_garment_world(garment));
        tl_mesh *reached = tl_garment_mesh(garment, NULL, &error); /* open, then sewn */
        assert_int_equal(tl_mesh_particle_count(reached), k == 0 ? mesh->vertex_count : mesh->particle_count);
        tl_mesh_destroy(reached);
    }
    tl_garment_destroy(garment);
    tl_character_destroy(character);
}

static void seams_are_not_merged_through_the_body(void **state)
{
    (void)state;
    tl_error error;
    tl_character *character =
        tl_character_create(&(tl_character_def){.figure = "human", .edge = (tl_real)0.05}, NULL, &error);
    tl_pattern *pattern = tube_of(0.05, 0.3, -0.3); /* 0.2 m around, from the waist to the neck */
    tl_garment *garment =
        tl_garment_create(pattern, character, NULL, &(tl_garment_def){.edge = (tl_real)0.04}, NULL, &error);
    tl_dress_report report;
    assert_int_equal(tl_garment_dress(garment, NULL, &report), TL_ERROR_UNSTABLE);
    assert_true(report.done && !report.merged && report.seam_gap > (tl_real)0.05);
    assert_int_equal(report.phase, TL_DRESS_MERGE);
    assert_true(report.body_crossings > 0);
    assert_non_null(strstr(report.message, "and the body in"));
    tl_pattern_destroy(pattern);
    tl_garment_destroy(garment);
    tl_character_destroy(character);
}

static void what_hangs_from_shoulders_and_arms_is_raised_and_closes_above_them(void **state)
{
    (void)state;
    tl_error error;
    tl_character *child =
        tl_character_create(&(tl_character_def){.figure = "child", .edge = (tl_real)0.03}, NULL, &error);
    const tl_measures *measures = tl_character_measures(child);
    static const char *const names[] = {"poncho", "tank-top"};
    for (int k = 0; k < 2; ++k) {
        tl_pattern *pattern = tl_pattern_draft(names[k], measures, &error);
        tl_garment *garment =
            tl_garment_create(pattern, child, NULL, &(tl_garment_def){.edge = (tl_real)0.04}, NULL, &error);
        tl_dress_report report;
        tl_dress_phase until = k == 0 ? TL_DRESS_SETTLE : TL_DRESS_PLACE; /* the tank top is worn */
        assert_int_equal(tl_garment_dress(garment, &(tl_dress_def){.until = until}, &report), TL_OK);
        assert_true(report.merged && report.attempts <= 1);
        assert_int_equal(report.phase, k == 0 ? TL_DRESS_SETTLE : TL_DRESS_DONE);
        assert_non_null(strstr(report.note, "raised by"));
        assert_int_equal(report.crossings + report.inside + report.body_crossings, 0);
        /* the first seam over a shoulder is on top of it */
        const tl_panel_mesh_arrays *mesh = tl_panel_mesh_get(tl_garment_panels(garment));
        const tl_panel_seam *seam = &mesh->seam[k == 0 ? 0 : 2];
        tl_real neck = measures->height - measures->head_l;
        for (int n = 0; n < seam->count; ++n) {
            tl_vec3 at = tl_garment_positions(garment)[mesh->seam_pair[2 * (seam->first + n)]];
            double out = fabs((double)at.x) - (double)measures->shoulder_w / 2;
            assert_true((double)at.y > (double)neck - 0.09 - fmax(out, 0));
        }
        tl_garment_destroy(garment);
        tl_pattern_destroy(pattern);
    }
    tl_character_destroy(child);
}

static void panels_have_fabrics_of_their_own(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_error error;
    tl_pattern *pattern = tube_in(0.4, 0.4, -0.4, "denim"), *unknown = tube_in(0.4, 0.4, -0.4, "denin");
    tl_garment_def def = {.edge = (tl_real)0.07, .fabric = "jersey"};
    tl_garment *garment = tl_garment_create(pattern, character, NULL, &def, NULL, &error);
    assert_non_null(garment);
    tl_mesh *mesh = tl_garment_mesh(garment, NULL, &error);
    int count = 0;
    const tl_mesh_part *parts = tl_mesh_parts(mesh, &count);
    assert_int_equal(count, 2);
    assert_string_equal(parts[0].fabric, "jersey");
    assert_string_equal(parts[1].fabric, "denim");
    assert_true(parts[0].warp >= 1 && parts[0].warp <= 1);
    const tl_fabric *denim = tl_fabric_named("denim"), *jersey = tl_fabric_named("jersey");
    assert_true(fabs((double)(parts[1].warp * jersey->warp - denim->warp)) < 1e-3 * (double)denim->warp);
    assert_true(fabs((double)(parts[1].density * jersey->density - denim->density)) < 1e-6);
    tl_mesh_destroy(mesh);
    char key[2][TL_GARMENT_KEY];
    assert_int_equal(tl_garment_key(garment, NULL, key[0]), TL_OK);
    tl_garment_destroy(garment);

    /* in denim as a whole there are no parts; and it is another garment for the cache */
    def.fabric = "denim";
    garment = tl_garment_create(pattern, character, NULL, &def, NULL, &error);
    mesh = tl_garment_mesh(garment, NULL, &error);
    assert_null(tl_mesh_parts(mesh, NULL));
    assert_int_equal(tl_garment_key(garment, NULL, key[1]), TL_OK);
    assert_string_not_equal(key[0], key[1]);
    tl_mesh_destroy(mesh);
    tl_garment_destroy(garment);
    assert_null(tl_garment_create(unknown, character, NULL, &def, NULL, &error));
    assert_non_null(strstr(error.message, "panel back: fabric: there is no 'denin'; did you mean 'denim'?"));
    tl_pattern_destroy(pattern);
    tl_pattern_destroy(unknown);
    tl_character_destroy(character);
}

static void elastic_seams_carry_bands(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_error error;
    tl_pattern *plain = tube(0.4, -0.4);
    tl_pattern_def def = *tl_pattern_get_def(plain);
    tl_stitch_def stitches[2] = {def.stitch[0], def.stitch[1]};
    stitches[1].kind = TL_STITCH_ELASTIC;
    stitches[1].ratio = 0.7;
    def.stitch = stitches;
    tl_pattern *elastic = tl_pattern_create(&def, NULL, &error);
    assert_non_null(elastic);
    const tl_pattern *patterns[2] = {plain, elastic};
    char key[2][TL_GARMENT_KEY];
    for (int k = 0; k < 2; ++k) {
        tl_garment *garment =
            tl_garment_create(patterns[k], character, NULL, &(tl_garment_def){.edge = (tl_real)0.07}, NULL, &error);
        assert_non_null(garment);
        tl_mesh *mesh = tl_garment_mesh(garment, NULL, &error);
        tl_world_def world_def = tl_world_def_default();
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth_def cloth_def = tl_garment_cloth_def(garment);
        cloth_def.mesh = mesh;
        cloth_def.contact = "none";
        tl_cloth *cloth = tl_cloth_create(world, &cloth_def);
        assert_non_null(cloth);
        int bands = tl_panel_mesh_get(tl_garment_panels(garment))->seam[1].count - 1;
        assert_int_equal(tl_cloth_links(cloth, NULL, 0), k == 0 ? 0 : bands);
        assert_int_equal(tl_garment_key(garment, NULL, key[k]), TL_OK);
        tl_world_destroy(world);
        tl_mesh_destroy(mesh);
        tl_garment_destroy(garment);
    }
    assert_string_not_equal(key[0], key[1]);
    tl_pattern_destroy(elastic);
    tl_pattern_destroy(plain);
    tl_character_destroy(character);
}

static bool stop_after_five(void *user, const tl_dress_report *report)
{
    (void)user;
    return report->frames < 5;
}

static void dressing_can_be_stopped_and_wrong_words_are_refused(void **state)
{
    (void)state;
    tl_character *character = ball();
    tl_garment *garment = garment_of(character, 0.4, -0.4);
    tl_dress_report report;
    assert_int_equal(tl_garment_dress(garment, &(tl_dress_def){.progress = stop_after_five}, &report),
                     TL_ERROR_UNSUPPORTED);
    assert_int_equal(report.frames, 5);
    assert_non_null(strstr(report.message, "sew"));
    tl_error error;
    tl_pattern *pattern = tube(0.4, -0.4);
    assert_null(tl_garment_create(pattern, character, NULL, &(tl_garment_def){.fabric = "denimm"}, NULL, &error));
    assert_non_null(strstr(error.message, "did you mean 'denim'"));
    assert_null(tl_garment_create(pattern, character, garment, &(tl_garment_def){.edge = 0}, NULL, &error));
    assert_non_null(strstr(error.message, "not dressed"));
    tl_pattern_destroy(pattern);
    tl_garment_destroy(garment);
    tl_character_destroy(character);
}

/* A cloth of what was worn, without the damping of settling: it was at rest. */
static void a_skirt_stays_where_it_came_to_rest(void **state)
{
    (void)state;
    tl_error error;
    tl_character *child = tl_character_create(&(tl_character_def){.figure = "child"}, NULL, &error);
    if (!child)
        fail_msg("%s", error.message);
    tl_measures measures = *tl_character_measures(child);
    tl_pattern *pattern = tl_pattern_draft("skirt", &measures, &error);
    if (!pattern)
        fail_msg("%s", error.message);
    tl_garment *garment =
        tl_garment_create(pattern, child, NULL, &(tl_garment_def){.edge = (tl_real)0.04}, NULL, &error);
    assert_non_null(garment);
    tl_dress_report report;
    if (tl_garment_dress(garment, NULL, &report) != TL_OK)
        fail_msg("%s", report.message);
    assert_true(report.rms_speed < (tl_real)0.006 && report.frames_of[TL_DRESS_SETTLE] < 240);

    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, &error);
    tl_body_def body = tl_body_def_default();
    body.shape = "mesh";
    body.mesh = tl_character_mesh(child);
    body.friction = (tl_real)0.5;
    assert_non_null(tl_body_create(world, &body));
    tl_mesh *mesh = tl_garment_mesh(garment, NULL, &error);
    assert_non_null(mesh);
    tl_cloth_def def = tl_garment_cloth_def(garment);
    def.damping = tl_cloth_def_default().damping;
    def.mesh = mesh;
    tl_cloth *cloth = tl_cloth_create(world, &def);
    if (!cloth)
        fail_msg("%s", tl_last_error(world));
    for (int frame = 0; frame < 60; ++frame)
        assert_int_equal(tl_world_step(world, (tl_real)(1.0 / 60)), TL_OK);
    int count = tl_cloth_vertex_count(cloth);
    double squares = 0, farthest = 0;
    for (int v = 0; v < count; ++v) {
        tl_vec3 a = tl_garment_positions(garment)[v], b = tl_cloth_positions(cloth)[v];
        double way = hypot(hypot((double)(b.x - a.x), (double)(b.y - a.y)), (double)(b.z - a.z));
        squares += way * way / count;
        farthest = way > farthest ? way : farthest;
    }
    assert_true(sqrt(squares) < 0.006 && farthest < 0.015);
    assert_int_equal(tl_cloth_count_intersections(cloth, NULL), 0);
    assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
    assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
    tl_garment_destroy(garment);
    tl_pattern_destroy(pattern);
    tl_character_destroy(child);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_tube_is_sewn_merged_and_settled_the_same_way_twice),
        cmocka_unit_test(panels_in_the_body_are_moved_outwards_and_the_report_says_so),
        cmocka_unit_test(what_still_moves_is_not_worn_and_the_message_says_which_panel),
        cmocka_unit_test(dressing_ends_where_one_wants_to_look_at_it),
        cmocka_unit_test(seams_are_not_merged_through_the_body),
        cmocka_unit_test(what_hangs_from_shoulders_and_arms_is_raised_and_closes_above_them),
        cmocka_unit_test(panels_have_fabrics_of_their_own),
        cmocka_unit_test(elastic_seams_carry_bands),
        cmocka_unit_test(dressing_can_be_stopped_and_wrong_words_are_refused),
        cmocka_unit_test(a_skirt_stays_where_it_came_to_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
