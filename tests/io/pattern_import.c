/* Panels from SVG and DXF. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "pattern/pattern_testing.h"
#include "telar/io.h"

#define FOLDER TL_TEST_DATA "/patterns/"

static tl_pattern *import(const char *name)
{
    tl_error error = {TL_OK, ""};
    tl_pattern *pattern = tl_pattern_import(name, &error);
    if (!pattern)
        fail_msg("%s", error.message);
    return pattern;
}

static bool near(double a, double b) { return fabs(a - b) < 1e-9; }

static void shapes_of_svg_become_panels_with_seams(void **state)
{
    (void)state;
    tl_pattern *pattern = import(FOLDER "bag.svg");
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    assert_int_equal(def->panel_count, 3);
    int front = tl_pattern_find_panel(pattern, "front"), back = tl_pattern_find_panel(pattern, "back");
    assert_true(front == 0 && back == 1 && tl_pattern_find_panel(pattern, "unseen") < 0);
    assert_int_equal(def->panel[front].edge_count, 4 + 4);   /* a hole of four quarter circles */
    assert_true(near(def->panel[front].vertex[0][1], -0.1)); /* y up, millimetres by the view box */
    assert_int_equal(def->stitch_count, 3);
    for (int s = 0; s < 3; ++s) {
        double length[2];
        assert_true(tl_pattern_stitch_lengths(pattern, s, length) < 1e-9 && near(length[0], 0.2));
    }
    tl_seam_check checks[3];
    assert_int_equal(tl_pattern_check_seams(pattern, checks), 0);
    /* the hole's circle, and what the curve of the upper edge takes: 4200 mm² */
    double hole = 0.02 * 0.02 * 3.14159265358979;
    assert_true(fabs(tl_pattern_panel_area(pattern, front) - (0.04 - 0.0042 - hole)) < 3e-5);
    assert_true(def->panel[front].translation[2] > 0 && def->panel[back].translation[2] < 0);
    tl_panel_mesh *mesh = tl_pattern_mesh(pattern, &(tl_panel_mesh_def){(tl_real)0.01, NULL}, NULL);
    assert_non_null(mesh);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static void layers_of_dxf_become_panels(void **state)
{
    (void)state;
    tl_pattern *pattern = import(FOLDER "pieces.dxf");
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    assert_int_equal(def->panel_count, 2);
    assert_string_equal(def->panel[0].name, "BACK");
    assert_string_equal(def->panel[1].name, "POCKET");
    /* the sew line, not the cut line; 25 points of an arc became four curves; the hole has four edges */
    assert_int_equal(def->panel[0].edge_count, 3 + 4 + 4);
    assert_true(fabs(tl_pattern_panel_area(pattern, 0) - (0.2 - 3.14159265358979 * 0.2 * 0.06 / 2 - 0.0016)) < 2e-4);
    assert_true(near(def->panel[0].grain, 90));
    assert_int_equal(def->panel[0].line_count, 1);
    assert_true(near(tl_pattern_panel_area(pattern, 1), 0.012));
    assert_true(def->panel[0].rotation[1] == 180); /* its right side faces back */
    tl_panel_mesh *mesh = tl_pattern_mesh(pattern, &(tl_panel_mesh_def){(tl_real)0.02, NULL}, NULL);
    assert_non_null(mesh);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static void broken_drawings_are_refused_with_line_and_reason(void **state)
{
    (void)state;
    static const struct {
        const char *text, *message;
    } svg[] = {
        {"", "no tag 'svg'"},
        {"<svg></svg>", "no paths"},
        {"<svg><path d='M0 0 L10 0 L10 10'", ":1:"},
        {"<svg>\n<path d='M0 0 L10 0 L10'/></svg>", ":2:"},
        {"<svg><path d='10 10'/></svg>", "command is expected"},
        {"<svg><path d='M0 0 X5 5'/></svg>", "wrong arguments"},
        {"<svg><path d='M0 0 L100 0 L0 100 L100 100 Z'/></svg>", "crosses"},
        {"<svg><path d='M0 0 L100 0 L100 100 Z' transform='skewX(3)'/></svg>", "transform"},
        {"<svg><path d='M0 0 L100 0 L100 100 Z' data-seam='a - -'/></svg>", "only one edge has the seam a"},
        {"<svg><path d='M0 0 L100 0 L100 100 Z' data-seam='a a a'/></svg>", "more than two"},
        {"<svg><path d='M0 0 L100 0 L100 100 Z' data-seam='a b c d'/></svg>", "more words"},
        {"<svg><path id='x' d='M0 0 L9 0 L9 9 Z'/><path id='x' d='M0 0 L9 0 L9 9 Z'/></svg>", "two of this name"},
        {"<svg><!-- never ends", "comment"},
    };
    static const struct {
        const char *text, *message;
    } dxf[] = {
        {"", "no closed outline"},
        {"zero\nSECTION\n", "group code"},
        {"0\nSECTION\n0", "ends after"},
        {"0\nBLOCK\n2\nA\n0\nPOLYLINE\n8\n1\n0\nVERTEX\n10\nx\n20\n0\n0\nENDBLK\n0\nEOF\n", ":12:"},
        {"0\nBLOCK\n2\nA\n0\nLWPOLYLINE\n8\n1\n10\n0\n20\n0\n42\n1\n0\nENDBLK\n0\nEOF\n", "arcs"},
        {"0\nBLOCK\n2\nA\n0\nLWPOLYLINE\n8\n1\n10\n0\n20\n0\n10\n0\n20\n0\n10\n0\n20\n0\n0\nENDBLK\n0\nEOF\n",
         "1 points"},
    };
    tl_error error;
    for (size_t k = 0; k < sizeof svg / sizeof *svg; ++k) {
        assert_null(tl_pattern_parse_svg(svg[k].text, strlen(svg[k].text), "a.svg", &error));
        if (!strstr(error.message, svg[k].message) || !strstr(error.message, "a.svg"))
            fail_msg("%s: %s", svg[k].text, error.message);
    }
    for (size_t k = 0; k < sizeof dxf / sizeof *dxf; ++k) {
        assert_null(tl_pattern_parse_dxf(dxf[k].text, strlen(dxf[k].text), "a.dxf", &error));
        if (!strstr(error.message, dxf[k].message) || !strstr(error.message, "a.dxf"))
            fail_msg("%s: %s", dxf[k].text, error.message);
    }
    assert_null(tl_pattern_import("x.pdf", &error));
    assert_non_null(strstr(error.message, ".svg"));
}

/* A sewn garment as OBJ: places of particles, the flat panels as texture. */
static void write_worn(const tl_pattern *pattern, const char *name, double scale)
{
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.02, NULL);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    FILE *file = fopen(name, "w");
    assert_non_null(file);
    for (int p = 0, v = 0; p < m->particle_count; ++p) {
        while (m->particle_of_vertex[v] != p)
            ++v;
        fprintf(file, "v %.9g %.9g %.9g\n", (double)m->position[v].x, (double)m->position[v].y,
                (double)m->position[v].z);
    }
    for (int v = 0; v < m->vertex_count; ++v)
        fprintf(file, "vt %.9g %.9g\n", scale * (double)m->uv[2 * v], scale * (double)m->uv[2 * v + 1]);
    for (int t = 0; t < m->triangle_count; ++t) {
        fprintf(file, "f");
        for (int k = 0; k < 3; ++k)
            fprintf(file, " %d/%d", m->particle_of_vertex[m->triangle[3 * t + k]] + 1, m->triangle[3 * t + k] + 1);
        fprintf(file, "\n");
    }
    fclose(file);
    tl_panel_mesh_destroy(mesh);
}

static void a_worn_tube_is_flattened_to_its_panels(void **state)
{
    (void)state;
    char name[] = "/tmp/telar-flatten-XXXXXX";
    close(mkstemp(name));
    tube t;
    make_tube(&t);
    t.panel[0].translation[2] = 0.001;
    t.panel[1].translation[2] = -0.001;
    tl_pattern *pattern = create(&t.def);
    for (int round = 0; round < 2; ++round) {
        write_worn(pattern, name, round ? 0.3 : 1);
        tl_error error = {TL_OK, ""};
        tl_pattern *flat = tl_pattern_flatten(name, &error);
        if (!flat)
            fail_msg("%s", error.message);
        const tl_pattern_def *def = tl_pattern_get_def(flat);
        assert_int_equal(def->panel_count, 2);
        assert_int_equal(def->stitch_count, 2);
        tl_seam_check checks[2];
        assert_int_equal(tl_pattern_check_seams(flat, checks), 0);
        for (int p = 0; p < 2; ++p) {
            assert_int_equal(def->panel[p].edge_count, 4);
            assert_true(fabs(tl_pattern_panel_area(flat, p) - 0.3) < 2e-3);
            /* where it was, right side out */
            double middle[2] = {0, 0}, placed[3];
            for (int v = 0; v < 4; ++v)
                for (int k = 0; k < 2; ++k)
                    middle[k] += def->panel[p].vertex[v][k] / 4;
            tl_pattern_place(flat, p, middle, placed);
            assert_true(fabs(placed[0]) < 0.01 && fabs(placed[1] - 1.1) < 0.01 && fabs(placed[2]) < 0.01);
        }
        for (int s = 0; s < 2; ++s) {
            assert_true(checks[s].mismatch < 1e-3);
            assert_int_equal(checks[s].fault, TL_SEAM_GOOD);
        }
        tl_pattern_destroy(flat);
    }
    tl_pattern_destroy(pattern);
    remove(name);
}

static void a_worn_shirt_is_flattened_to_its_seams(void **state)
{
    (void)state;
    char name[] = "/tmp/telar-flatten-XXXXXX";
    close(mkstemp(name));
    tl_pattern *pattern = tl_pattern_draft("t-shirt", NULL, NULL);
    write_worn(pattern, name, 1);
    tl_error error = {TL_OK, ""};
    tl_pattern *flat = tl_pattern_flatten(name, &error);
    if (!flat)
        fail_msg("%s", error.message);
    assert_int_equal(tl_pattern_get_def(flat)->panel_count, 6);
    assert_true(tl_pattern_get_def(flat)->stitch_count >= 12); /* armholes are more than one curve, perhaps */
    tl_seam_check *checks = calloc((size_t)tl_pattern_get_def(flat)->stitch_count, sizeof *checks);
    assert_int_equal(tl_pattern_check_seams(flat, checks), 0);
    free(checks);
    tl_panel_mesh_destroy(mesh_of(flat, (tl_real)0.02, NULL));
    tl_pattern_destroy(flat);
    tl_pattern_destroy(pattern);
    FILE *file = fopen(name, "w");
    fputs("v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n", file);
    fclose(file);
    assert_null(tl_pattern_flatten(name, &error));
    assert_non_null(strstr(error.message, "texture coordinates"));
    remove(name);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(shapes_of_svg_become_panels_with_seams),
        cmocka_unit_test(layers_of_dxf_become_panels),
        cmocka_unit_test(broken_drawings_are_refused_with_line_and_reason),
        cmocka_unit_test(a_worn_tube_is_flattened_to_its_panels),
        cmocka_unit_test(a_worn_shirt_is_flattened_to_its_seams),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
