/* Closed surfaces: every edge has two faces, all face outwards, the size is as requested, and impossible ones are
   rejected. */
#include "mesh_testing.h"

#include <math.h>

static tl_mesh *make_surface(const char *kind, int columns, int rows, double width, double height, double bulge,
                             tl_error *error)
{
    return tl_mesh_create_surface(
        &(tl_surface_def){kind, columns, rows, (tl_real)width, (tl_real)height, (tl_real)bulge}, NULL, error);
}

static double signed_volume(const tl_mesh *mesh)
{
    double sum = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        tl_vec3 a = mesh->position[mesh->face[3 * f]], b = mesh->position[mesh->face[3 * f + 1]],
                c = mesh->position[mesh->face[3 * f + 2]];
        sum += (double)tl_dot(a, tl_cross(b, c));
    }
    return sum / 6;
}

static void surfaces_are_closed_and_look_outwards(void **state)
{
    (void)state;
    static const struct {
        const char *kind;
        int columns, rows, particles, genus;
    } cases[] = {{"ball", 2, 2, 12, 0},      {"ball", 40, 2, 642, 0},  {"ring", 3, 3, 9, 1},
                 {"ring", 31, 12, 372, 1},   {"cushion", 3, 3, 10, 0}, {"cushion", 10, 7, 110, 0},
                 {"cushion", 11, 8, 142, 0}, {"balloon", 3, 2, 26, 0}, {"balloon", 21, 2, 602, 0}};
    for (size_t k = 0; k < sizeof cases / sizeof *cases; ++k) {
        tl_error error = {0};
        tl_mesh *mesh = make_surface(cases[k].kind, cases[k].columns, cases[k].rows, 1, 0.3, 0.1, &error);
        if (!mesh)
            fail_msg("%s: %s", cases[k].kind, error.message);
        assert_int_equal(mesh->particle_count, cases[k].particles);
        for (int e = 0; e < mesh->edge_count; ++e)
            assert_true(mesh->edge_d[e] >= 0);
        assert_int_equal(mesh->particle_count - mesh->edge_count + mesh->face_count, 2 - 2 * cases[k].genus);
        assert_true(signed_volume(mesh) > 0);
        tl_mesh_destroy(mesh);
    }
}

static void sewn_pieces_rest_flat(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_mesh *cushion = make_surface("cushion", 21, 11, 2, 1, 0.2, &error),
            *balloon = make_surface("balloon", 61, 2, 2, 1, 0.2, &error);
    assert_true(cushion && balloon);
    assert_true(fabs((double)tl_mesh_area(cushion) - 4) < 1e-5);              /* two rectangles, for any bulge */
    assert_true(fabs((double)tl_mesh_area(balloon) - 2 * 3.14159265) < 0.02); /* two discs */
    tl_mesh_destroy(cushion);
    tl_mesh_destroy(balloon);
}

static void a_ball_has_all_particles_at_its_radius(void **state)
{
    (void)state;
    tl_error error = {0};
    tl_mesh *mesh = make_surface("ball", 50, 2, 3, 1, 0.1, &error);
    assert_non_null(mesh);
    tl_real shortest = 10, longest = 0;
    for (int i = 0; i < mesh->particle_count; ++i)
        assert_true(fabs((double)tl_length(mesh->position[i]) - 1.5) < 1e-6);
    for (int e = 0; e < mesh->edge_count; ++e) {
        shortest = tl_min(shortest, mesh->edge_length[e]);
        longest = tl_max(longest, mesh->edge_length[e]);
    }
    assert_true(longest < (tl_real)1.5 * shortest);
    tl_mesh_destroy(mesh);
}

static void refused(const char *words, const char *kind, int columns, int rows, double width, double height,
                    double bulge)
{
    tl_error error = {0};
    assert_null(make_surface(kind, columns, rows, width, height, bulge, &error));
    if (!strstr(error.message, words))
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static void impossible_surfaces_are_refused(void **state)
{
    (void)state;
    refused("there is no \"cube\"", "cube", 10, 10, 1, 1, 0.1);
    refused("width", "ball", 10, 10, 0, 1, 0.1);
    refused("columns", "ring", 1, 10, 1, 0.2, 0.1);
    refused("do not close a ring", "ring", 2, 10, 1, 0.2, 0.1);
    refused("leaves no hole", "ring", 20, 10, 1, 0.5, 0.1);
    refused("between the seams", "cushion", 2, 5, 1, 1, 0.1);
    refused("bulge", "cushion", 5, 5, 1, 1, 0);
    refused("bulge", "balloon", 5, 5, 1, 1, -1);
    refused("particles, more than", "ball", 100000, 2, 1, 1, 0.1);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(surfaces_are_closed_and_look_outwards),
        cmocka_unit_test(sewn_pieces_rest_flat),
        cmocka_unit_test(a_ball_has_all_particles_at_its_radius),
        cmocka_unit_test(impossible_surfaces_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
