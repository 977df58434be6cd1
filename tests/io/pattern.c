/* Files of sewing patterns: what is read and written, parts, and every kind of broken file refused with place and
   reason. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "telar/io.h"

#define FOLDER TL_TEST_DATA "/patterns/"

static tl_pattern *load(const char *name)
{
    tl_error error = {TL_OK, ""};
    tl_pattern *pattern = tl_pattern_load(name, &error);
    if (!pattern)
        fail_msg("%s", error.message);
    return pattern;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-12; }

static void all_kinds_of_edges_and_additions_are_read(void **state)
{
    (void)state;
    tl_pattern *pattern = load(FOLDER "kinds.json");
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    assert_int_equal(def->panel_count, 3);
    assert_string_equal(def->panel[0].name, "back"); /* panel_order */
    const tl_panel_def *front = &def->panel[1];
    assert_string_equal(front->name, "front");
    assert_string_equal(front->label, "body");
    assert_string_equal(front->fabric, "denim");
    assert_string_equal(front->wrap, "torso");
    assert_string_equal(front->edge[0].label, "hem");
    assert_int_equal(front->layer, 1);
    assert_true(near(front->grain, 45) && near(front->translation[1], 0.9) && near(front->vertex[3][1], 0.58));
    assert_int_equal(front->edge_count, 12); /* 8, and the hole's 4 */
    assert_int_equal(front->edge[2].curve, TL_CURVE_QUADRATIC);
    assert_int_equal(front->edge[4].curve, TL_CURVE_CIRCLE);
    assert_int_equal(def->panel[0].edge[7].curve, TL_CURVE_CUBIC);
    assert_true(near(tl_pattern_edge_length(pattern, 1, 4), 2 * 0.11 * asin(10.0 / 11)));
    double lowest[2];
    tl_pattern_edge_point(pattern, 1, 4, 0.5, lowest); /* to the left of an edge from right to left: down */
    assert_true(near(lowest[0], 0) && near(lowest[1], 0.6 - 0.11 + sqrt(0.11 * 0.11 - 0.01)));
    tl_pattern_edge_point(pattern, 1, 2, 0.5, lowest); /* control point to the left of the edge: inside */
    assert_true(lowest[0] < 0.215);
    assert_int_equal(front->line_count, 1);
    assert_true(front->line[0].fold && near(front->line[0].angle, 30) && near(front->line[0].point[1][0], -0.08));
    assert_int_equal(def->stitch_count, 6);
    const tl_stitch_def *tab = &def->stitch[5];
    assert_int_equal(tab->kind, TL_STITCH_ELASTIC);
    assert_true(near(tab->ratio, 0.9) && near(tab->side[0].range[0], 0.4) && near(tab->side[1].range[1], 1));
    assert_true(near(def->stitch[3].strength, 6) && near(def->stitch[0].strength, 4));
    assert_string_equal(def->anchor[0].part, "shoulder");
    assert_true(near(def->closure[0].point[1][1], 0.05) && def->closure[0].panel[0] == 2);
    /* the hole counts */
    assert_true(tl_pattern_panel_area(pattern, 1) < 0.5 * 0.58 - 0.0036);
    tl_panel_mesh *mesh = tl_pattern_mesh(pattern, &(tl_panel_mesh_def){(tl_real)0.012, NULL}, NULL);
    assert_non_null(mesh);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    assert_int_equal(m->line_count, 1);
    assert_int_equal(m->line[0].count, 11); /* 12 cm */
    /* the dart's tip is one vertex: sewn to itself */
    const int *tip = m->seam_pair + 2 * (m->seam[4].first + m->seam[4].count - 1);
    assert_int_equal(tip[0], tip[1]);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static char *read_text(const char *name)
{
    FILE *file = fopen(name, "rb");
    assert_non_null(file);
    char *text = calloc(1, 1 << 20);
    assert_true(fread(text, 1, (1 << 20) - 1, file) > 0);
    fclose(file);
    return text;
}

static void what_is_written_reads_back_the_same(void **state)
{
    (void)state;
    static const char *const files[] = {"kinds.json", "parts.json"};
    char first[] = "/tmp/telar-pattern-XXXXXX", second[] = "/tmp/telar-pattern-XXXXXX";
    close(mkstemp(first));
    close(mkstemp(second));
    for (int f = 0; f < 2; ++f) {
        char name[512];
        snprintf(name, sizeof name, "%s%s", FOLDER, files[f]);
        tl_pattern *a = load(name);
        assert_int_equal(tl_pattern_save(a, first, NULL), TL_OK);
        tl_pattern *b = load(first);
        const tl_pattern_def *x = tl_pattern_get_def(a), *y = tl_pattern_get_def(b);
        assert_int_equal(x->panel_count, y->panel_count);
        for (int p = 0; p < x->panel_count; ++p) {
            const tl_panel_def *s = &x->panel[p], *t = &y->panel[p];
            assert_string_equal(s->name, t->name);
            assert_int_equal(s->edge_count, t->edge_count);
            assert_int_equal(s->vertex_count, t->vertex_count);
            assert_memory_equal(s->vertex, t->vertex, (size_t)s->vertex_count * sizeof *s->vertex);
            for (int k = 0; k < 3; ++k)
                assert_true(near(s->translation[k], t->translation[k])); /* a part's is a sum */
            for (int e = 0; e < s->edge_count; ++e) {
                assert_int_equal(s->edge[e].end, t->edge[e].end);
                assert_memory_equal(s->edge[e].control, t->edge[e].control, sizeof s->edge[e].control);
            }
        }
        assert_int_equal(tl_pattern_save(b, second, NULL), TL_OK);
        char *text = read_text(first), *again = read_text(second);
        assert_string_equal(text, again);
        if (f == 0) { /* members that Telar does not use */
            assert_non_null(strstr(text, "\"influence\""));
            assert_non_null(strstr(text, "\"normalized_edge_loops\": true"));
            assert_non_null(strstr(text, "\"parameter_order\""));
        }
        free(text);
        free(again);
        tl_pattern_destroy(a);
        tl_pattern_destroy(b);
    }
    remove(first);
    remove(second);
}

static void a_mirrored_part_is_the_mirror_image(void **state)
{
    (void)state;
    tl_pattern *pattern = load(FOLDER "parts.json");
    int left = tl_pattern_find_panel(pattern, "left/tube"), right = tl_pattern_find_panel(pattern, "right/tube");
    assert_true(left >= 0 && right >= 0 && tl_pattern_find_panel(pattern, "right/cuff") >= 0);
    assert_string_equal(tl_pattern_get_def(pattern)->panel[right].wrap, "arm.right");
    for (int e = 0; e < 7; ++e) {
        /* outline and hole run the other way round */
        int other = e < 4 ? 3 - e : 10 - e;
        for (int k = 0; k <= 4; ++k) {
            double p[2], a[3], b[3];
            tl_pattern_edge_point(pattern, left, e, 0.25 * k, p);
            tl_pattern_place(pattern, left, p, a);
            tl_pattern_edge_point(pattern, right, other, 1 - 0.25 * k, p);
            tl_pattern_place(pattern, right, p, b);
            assert_true(fabs(a[0] + b[0] + 0.01) < 1e-9 && fabs(a[1] - b[1]) < 1e-9 && fabs(a[2] - b[2]) < 1e-9);
        }
    }
    /* stitches name edges as the part's file does */
    const tl_stitch_def *stitch = tl_pattern_get_def(pattern)->stitch;
    assert_int_equal(stitch[0].side[0].edge, 1);
    assert_int_equal(stitch[1].side[0].edge, 2);
    assert_int_equal(stitch[3].side[0].panel, right);
    assert_int_equal(stitch[3].side[0].edge, 0);
    tl_pattern_destroy(pattern);
}

/* ---- broken files ------------------------------------------------------------------------------------------------ */

/* A change of kinds.json, where a text occurs first, and pieces of the message. */
static const struct {
    const char *find, *replace, *message[2];
} broken[] = {
    /* not a pattern */
    {"{\n \"pattern\"", "[\n \"pattern\"", {":2:"}},
    {"\"pattern\":", "\"patern\":", {"not a sewing pattern"}},
    {"\"panels\":", "\"panel\":", {"pattern.panels", "expected an object"}},
    {"\"panel_order\": [", "\"panel_order\": [\"sleeve\", ", {"panel_order", "'sleeve'"}},
    {"\"panel_order\": [", "\"panel_order\": [\"tab\", ", {"panel_order", "'tab' is there twice"}},
    {"\"tab\": {", "\"front\": {", {"front", ":"}},
    {"\"tab\": {", "\"\": {", {"no panel 'tab'"}},
    {"\"units_in_meter\": 100", "\"units_in_meter\": 0", {"units_in_meter"}},
    {"\"units_in_meter\": 100", "\"units_in_meter\": \"cm\"", {"units_in_meter", "number"}},
    {"\"units_in_meter\": 100", "\"units_in_meter\": 0.01", {"is the unit right?"}},
    {"\"curvature_coords\": \"relative\"", "\"curvature_coords\": \"polar\"", {"curvature_coords", "polar"}},
    {"\"normalize_panel_translation\": false", "\"normalize_panel_translation\": 3", {"true or false"}},
    /* vertices and edges */
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", "[ 1e999, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", {":7:", "overflow"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", "[ NaN, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", {":7:"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", "[ 1e30, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10", {"'front', vertex 2"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     "[ \"a\", 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     {"front.vertices[2]", "number"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     "[ 25 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     {"front.vertices[2]", "2 numbers"}},
    {"\"vertices\": [ [ -25, 0 ]", "\"vertices\": 7, \"v\": [ [ -25, 0 ]", {"list of points"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ 1, 99 ]", {"front.edges[1]", "vertex 99 of 8"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ -1, 2 ]", {"vertex -1"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ 1.5, 2 ]", {"whole number"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ 1 ]", {"'endpoints' with two vertices"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ 1, 1 ]", {"'front', edge 1", "starts and ends"}},
    {"\"endpoints\": [ 1, 2 ]", "\"endpoints\": [ 1, 3 ]", {"'front', edge 1", "open"}},
    {"\"endpoints\": [ 7, 0 ]", "\"endpoints\": [ 7, 3 ]", {"'front', edge 7", "open"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     "[ 25, 0 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     {"'front', edge 1", "no length"}},
    {"[ 25, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     "[ -30, 40 ], [ 18, 58 ], [ 10, 60 ], [ -10",
     {"'front', edge", "crosses"}},
    {"[ 25, 0 ], [ 25, 40 ], [ 18, 58 ]", "[ 25, 0 ], [ 25, 40 ], [ 25, 20 ]", {"'front', edge", "crosses"}},
    {"\"curvature\": [ 0.5, 0.15 ]", "\"curvature\": [ 0.5 ]", {"front.edges[2]", "2 numbers"}},
    {"\"curvature\": [ 0.5, 0.15 ]", "\"curvature\": \"round\"", {"front.edges[2]", "expected a point"}},
    {"\"curvature\": [ 0.5, 0.15 ]", "\"curvature\": [ 0.5, 5000 ]", {"'front', edge 2", "control point"}},
    {"\"curvature\": [ 0.5, 0.15 ]", "\"curvature\": [ 0.5, 9 ]", {"'front', edge 2", "crosses"}},
    {"\"circle\", \"params\": [ 11,", "\"circle\", \"params\": [ 9,", {"'front', edge 4", "radius 0.09"}},
    {"\"circle\", \"params\": [ 11,", "\"circle\", \"params\": [ -11,", {"'front', edge 4", "radius"}},
    {"\"circle\", \"params\": [ 11,", "\"ellipse\", \"params\": [ 11,", {"front.edges[4]", "'ellipse'"}},
    {"\"cubic\", \"params\": [ [ 0.3, -0.1 ],", "\"cubic\", \"params\": [", {"back.edges[7]", "2 control points"}},
    /* placing and additions */
    {"\"translation\": [ 0, 90, 25 ]", "\"translation\": [ 0, 90 ]", {"panels.front", "3 numbers"}},
    {"\"translation\": [ 0, 90, 25 ]", "\"translation\": [ 0, 9e9, 25 ]", {"'front'", "translation y"}},
    {"\"rotation\": [ 0, 0, 0 ]", "\"rotation\": [ 0, 0, 1e12 ]", {"'front'", "rotation z"}},
    {"\"wrap\": \"torso\"", "\"wrap\": \"arm\"", {"'front'", "'arm'"}},
    {"\"fabric\":", "\"fabrik\":", {"front.telar", "'fabrik'"}},
    {"\"layer\": 1", "\"layer\": \"top\"", {"front.telar", "whole number"}},
    {"[ 0, 20 ], [ 0, 26 ], [ 6, 26 ], [ 6, 20 ]",
     "[ 6, 20 ], [ 6, 26 ], [ 0, 26 ], [ 0, 20 ]",
     {"'front', edge 8", "same way round"}},
    {"[ 0, 20 ], [ 0, 26 ], [ 6, 26 ], [ 6, 20 ]",
     "[ 60, 20 ], [ 60, 26 ], [ 66, 26 ], [ 66, 20 ]",
     {"'front', edge 8", "not inside"}},
    {"[ 0, 20 ], [ 0, 26 ], [ 6, 26 ], [ 6, 20 ]",
     "[ 22, 20 ], [ 22, 26 ], [ 28, 26 ], [ 28, 20 ]",
     {"'front', edge 1", "edge 9"}},
    {"[ [ -20, 20 ], [ -8, 20 ] ]", "[ [ -20, 20 ] ]", {"'front', line 0", "1 points"}},
    {"\"angle\": 30", "\"angle\": 500", {"'front', line 0", "500"}},
    /* stitches */
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"bak\", \"edge\": 10 }", {"stitches[0]", "'bak'"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"back\", \"edge\": 11 }", {"stitches[0]", "no edge 11"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"back\" }", {"stitches[0]", "'panel' and 'edge'"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"back\", \"edge\": \"side\" }", {"whole number"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"front\", \"edge\": 1 }", {"stitch 0", "sewn to itself"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "{ \"panel\": \"back\", \"edge\": 4 }", {"stitch 1", "stitch 0 already"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }",
     "{ \"panel\": \"back\", \"edge\": 10 }, \"wrong_wrong\"",
     {"stitches[0]", "third entry"}},
    {"{ \"panel\": \"back\", \"edge\": 10 }", "5", {"stitches[0]", "each side"}},
    {"\"range\": [ 0.4, 0.6 ]", "\"range\": [ 0.6, 0.4 ]", {"stitch 5", "range [0.6, 0.4]"}},
    {"\"range\": [ 0.4, 0.6 ]", "\"range\": [ 0.4, 1.6 ]", {"stitch 5", "range"}},
    {"\"kind\": \"elastic\"", "\"kind\": \"glue\"", {"stitches[5]", "'glue'"}},
    {"\"ratio\": 0.9", "\"ratio\": -1", {"stitch 5", "ratio"}},
    {"\"strength\": 6", "\"strenght\": 6", {"stitches[3]", "'strength'"}},
    {"\"stitches\": [", "\"stitches\": 4, \"s\": [", {"pattern.stitches", "list"}},
    /* the rest */
    {"\"label\": \"shoulder\", \"part\"", "\"label\": \"sleeve\", \"part\"", {"anchor 0", "'sleeve'"}},
    {"\"part\": \"shoulder\"", "\"part\": \"\"", {"anchor 0", "no part"}},
    {"\"panels\": [ \"tab\",", "\"panels\": [ \"flap\",", {"closures", "'flap'"}},
    {"\"closures\":", "\"parts\": [ {\"file\": \"none.json\", \"name\": \"x\"} ], \"closures\":", {"none.json"}},
    {"\"closures\":", "\"parts\": [ {\"file\": \"cycle.json\", \"name\": \"x\"} ], \"closures\":", {"made of itself"}},
    {"\"closures\":", "\"parts\": [ {\"file\": \"sleeve.json\"} ], \"closures\":", {"'file' and a 'name'"}},
    {"\"closures\":", "\"buttons\":", {"pattern.telar", "'buttons'"}},
};

static char *replaced(const char *text, const char *find, const char *replace)
{
    const char *at = strstr(text, find);
    if (!at)
        fail_msg("kinds.json has no %s", find);
    size_t front = (size_t)(at - text), size = strlen(text) + strlen(replace) + 1;
    char *out = malloc(size);
    memcpy(out, text, front);
    snprintf(out + front, size - front, "%s%s", replace, at + strlen(find));
    return out;
}

static void broken_files_are_refused_with_place_and_reason(void **state)
{
    (void)state;
    char *text = read_text(FOLDER "kinds.json");
    assert_true(sizeof broken / sizeof *broken >= 40);
    for (size_t k = 0; k < sizeof broken / sizeof *broken; ++k) {
        tl_error error = {TL_OK, ""};
        char *now = replaced(text, broken[k].find, broken[k].replace);
        tl_pattern *pattern = tl_pattern_parse(now, strlen(now), FOLDER "kinds.json", &error);
        if (pattern)
            fail_msg("read in spite of %s", broken[k].replace);
        assert_int_not_equal(error.code, TL_OK);
        for (int m = 0; m < 2 && broken[k].message[m]; ++m)
            if (!strstr(error.message, broken[k].message[m]))
                fail_msg("%s: '%s' lacks '%s'", broken[k].replace, error.message, broken[k].message[m]);
        assert_non_null(strstr(error.message, ".json"));
        free(now);
    }
    free(text);
}

static void cut_files_and_folders_are_refused(void **state)
{
    (void)state;
    tl_error error;
    char *text = read_text(FOLDER "kinds.json");
    for (size_t length = 0; length < strlen(text) - 2; length += 37)
        assert_null(tl_pattern_parse(text, length, "cut.json", &error));
    free(text);
    assert_null(tl_pattern_load(FOLDER, &error));
    assert_null(tl_pattern_load(FOLDER "cycle.json", &error));
    assert_non_null(strstr(error.message, "made of itself"));
}

static void older_files_with_absolute_curves_and_other_units_are_the_same(void **state)
{
    (void)state;
    static const char old[] =
        "{\"pattern\": {\"panels\": {\"a\": {\"translation\": [30, 60, 5], \"vertices\": [[0, 0], [300, 0], [300, "
        "300], "
        "[0, 300]], \"edges\": [{\"endpoints\": [0, 1], \"curvature\": [150, -60]}, {\"endpoints\": [1, 2]}, "
        "{\"endpoints\": [2, 3]}, {\"endpoints\": [3, 0]}]}}, \"stitches\": []}, \"properties\": "
        "{\"curvature_coords\": "
        "\"absolute\", \"units_in_meter\": 300, \"normalize_panel_translation\": true}}";
    tl_error error = {TL_OK, ""};
    tl_pattern *pattern = tl_pattern_parse(old, sizeof old - 1, "old.json", &error);
    if (!pattern)
        fail_msg("%s", error.message);
    const tl_panel_def *panel = &tl_pattern_get_def(pattern)->panel[0];
    assert_true(near(panel->vertex[0][0], -0.5) && near(panel->vertex[2][1], 0.5));
    assert_true(near(panel->translation[0], 0.6) && near(panel->translation[1], 0.7));
    assert_true(near(panel->edge[0].control[0][0], 0.5) && near(panel->edge[0].control[0][1], -0.2));
    tl_pattern_destroy(pattern);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_kinds_of_edges_and_additions_are_read),
        cmocka_unit_test(what_is_written_reads_back_the_same),
        cmocka_unit_test(a_mirrored_part_is_the_mirror_image),
        cmocka_unit_test(broken_files_are_refused_with_place_and_reason),
        cmocka_unit_test(cut_files_and_folders_are_refused),
        cmocka_unit_test(older_files_with_absolute_curves_and_other_units_are_the_same),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
