/* Meshed panels: counts across seams, places, particles of the sewn garment, orientation. */
#include "pattern_testing.h"

#include <math.h>

static const double edges[] = {0.005, 0.01, 0.02, 0.04};

static void seams_have_as_many_vertices_on_both_sides(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    static const double longer[4][2] = {{0.25, 0}, {-0.25, 0}, {-0.25, 0.7}, {0.25, 0.7}};
    t.panel[1].vertex = longer; /* eased in by 10 cm */
    tl_pattern *pattern = create(&t.def);
    for (size_t k = 0; k < sizeof edges / sizeof *edges; ++k) {
        tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)edges[k], NULL);
        const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
        assert_int_equal(m->seam_count, 2);
        for (int s = 0; s < 2; ++s) {
            assert_int_equal(m->seam[s].count, (int)floor(0.7 / edges[k] + 0.5) + 1);
            for (int p = 0; p < m->seam[s].count; ++p) {
                const int *pair = m->seam_pair + 2 * (m->seam[s].first + p);
                assert_int_equal(m->panel_of_vertex[pair[0]], 0);
                assert_int_equal(m->panel_of_vertex[pair[1]], 1);
                /* heights in proportion: bottom meets bottom */
                assert_true(fabs((double)m->flat[2 * pair[0] + 1] / 0.6 - (double)m->flat[2 * pair[1] + 1] / 0.7) <
                            1e-5);
                assert_true((double)m->flat[2 * pair[0]] * (double)m->flat[2 * pair[1]] > 0);
            }
        }
        tl_panel_mesh_destroy(mesh);
    }
    tl_pattern_destroy(pattern);
}

static void a_sewn_tube_has_two_rims_and_its_right_side_outside(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    tl_pattern *pattern = create(&t.def);
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.02, NULL);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    tl_error error = {TL_OK, ""};
    tl_mesh *cloth = tl_panel_mesh_cloth(mesh, NULL, true, NULL, &error);
    if (!cloth)
        fail_msg("%s", error.message);
    assert_int_equal(tl_mesh_particle_count(cloth), m->particle_count);
    assert_int_equal(m->particle_count, m->vertex_count - 2 * 31);
    /* a cylinder: vertices − edges + faces = 0 */
    assert_int_equal(tl_mesh_particle_count(cloth) - tl_mesh_edge_count(cloth) + tl_mesh_triangle_count(cloth), 0);
    assert_true(fabs((double)tl_mesh_area(cloth) - 0.6) < 1e-5);
    for (int v = 0; v < m->vertex_count; ++v)
        assert_int_equal(tl_mesh_particle_of_vertex(cloth)[v], m->particle_of_vertex[v]);
    for (int f = 0; f < m->triangle_count; ++f) {
        const tl_vec3 a = m->position[m->triangle[3 * f]], b = m->position[m->triangle[3 * f + 1]],
                      c = m->position[m->triangle[3 * f + 2]];
        double normal = ((double)b.x - (double)a.x) * ((double)c.y - (double)a.y) -
                        ((double)b.y - (double)a.y) * ((double)c.x - (double)a.x);
        assert_true(normal * (double)a.z > 0);
    }
    tl_mesh_destroy(cloth);
    cloth = tl_panel_mesh_cloth(mesh, NULL, false, NULL, NULL);
    assert_int_equal(tl_mesh_particle_count(cloth), m->vertex_count);
    tl_mesh_destroy(cloth);
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static void panels_are_placed_by_rotation_then_translation(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    t.panel[0].rotation[0] = 90; /* R = Rz Ry Rx: y becomes z, then x becomes y, and z stays */
    t.panel[0].rotation[2] = 90;
    tl_pattern *pattern = create(&t.def);
    double placed[3];
    tl_pattern_place(pattern, 0, (const double[2]){0.25, 0.6}, placed);
    assert_true(fabs(placed[0] - 0) < 1e-12 && fabs(placed[1] - 1.05) < 1e-12 && fabs(placed[2] - 0.8) < 1e-12);
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.05, NULL);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    for (int v = 0; v < m->vertex_count; ++v) {
        tl_pattern_place(pattern, m->panel_of_vertex[v],
                         (const double[2]){(double)m->flat[2 * v], (double)m->flat[2 * v + 1]}, placed);
        assert_true(fabs(placed[0] - (double)m->position[v].x) < 1e-6);
        assert_true(fabs(placed[1] - (double)m->position[v].y) < 1e-6);
        assert_true(fabs(placed[2] - (double)m->position[v].z) < 1e-6);
    }
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static void vertices_of_edges_run_from_start_to_end(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    tl_pattern *pattern = create(&t.def);
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.02, NULL);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    assert_int_equal(m->edge_span_count, 8);
    for (int e = 0; e < 8; ++e) {
        const tl_panel_edge_span *span = &m->edge_span[e];
        assert_int_equal(span->panel, e / 4);
        assert_int_equal(span->edge, e % 4);
        for (int k = 0; k < span->count; ++k) {
            double want[2];
            int v = m->edge_vertex[span->first + k];
            tl_pattern_edge_point(pattern, span->panel, span->edge, (double)k / (span->count - 1), want);
            assert_true(fabs(want[0] - (double)m->flat[2 * v]) < 1e-6);
            assert_true(fabs(want[1] - (double)m->flat[2 * v + 1]) < 1e-6);
        }
    }
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
}

static void closures_join_the_vertices_nearest_to_their_points(void **state)
{
    (void)state;
    tube t;
    make_tube(&t);
    const tl_pattern_closure_def closure = {.panel = {0, 1}, .point = {{0.101, 0.601}, {-0.099, 0.6}}};
    tl_pattern_def def = t.def;
    def.closure = &closure;
    def.closure_count = 1;
    tl_pattern *pattern = create(&def), *open = create(&t.def);
    tl_panel_mesh *mesh = mesh_of(pattern, (tl_real)0.02, NULL), *without = mesh_of(open, (tl_real)0.02, NULL);
    const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
    const tl_panel_seam *seam = &m->seam[def.stitch_count];
    assert_int_equal(m->seam_count, def.stitch_count + 1);
    assert_true(seam->stitch == -1 && seam->count == 1);
    for (int side = 0; side < 2; ++side) {
        int v = m->seam_pair[2 * seam->first + side];
        assert_int_equal(m->panel_of_vertex[v], side);
        assert_true(fabs((double)m->flat[2 * v] - closure.point[side][0]) < 0.011 &&
                    fabs((double)m->flat[2 * v + 1] - closure.point[side][1]) < 0.011);
    }
    assert_int_equal(m->particle_of_vertex[m->seam_pair[2 * seam->first]],
                     m->particle_of_vertex[m->seam_pair[2 * seam->first + 1]]);
    assert_int_equal(m->particle_count, tl_panel_mesh_get(without)->particle_count - 1);
    tl_panel_mesh_destroy(mesh);
    tl_panel_mesh_destroy(without);
    tl_pattern_destroy(pattern);
    tl_pattern_destroy(open);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(seams_have_as_many_vertices_on_both_sides),
        cmocka_unit_test(a_sewn_tube_has_two_rims_and_its_right_side_outside),
        cmocka_unit_test(panels_are_placed_by_rotation_then_translation),
        cmocka_unit_test(closures_join_the_vertices_nearest_to_their_points),
        cmocka_unit_test(vertices_of_edges_run_from_start_to_end),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
