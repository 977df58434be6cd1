/* Figures: closed, to measure, with parts and bones; and meshes as bodies. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "mesh/mesh.h"
#include "telar/telar.h"

static const tl_real COARSE = (tl_real)0.04;

static tl_character *figure(const char *name, const tl_measures *measures, tl_real edge)
{
    tl_error error;
    tl_character *character =
        tl_character_create(&(tl_character_def){.figure = name, .measures = measures, .edge = edge}, NULL, &error);
    if (!character)
        fail_msg("%s", error.message);
    return character;
}

static void every_figure_is_closed_and_in_one_piece(void **state)
{
    (void)state;
    for (int k = 0; tl_figure_names()[k]; ++k) {
        tl_character *character = figure(tl_figure_names()[k], NULL, COARSE);
        const tl_mesh *mesh = tl_character_mesh(character);
        for (int h = 0; h < 3 * mesh->face_count; ++h)
            assert_true(mesh->twin[h] >= 0);
        assert_int_equal(mesh->particle_count - mesh->edge_count + mesh->face_count, 2);
        double volume = 0, lowest = 1;
        for (int f = 0; f < mesh->face_count; ++f) {
            const tl_vec3 *x = mesh->position;
            const int *t = mesh->face + 3 * (size_t)f;
            volume += (double)tl_dot(x[t[0]], tl_cross(x[t[1]], x[t[2]])) / 6;
        }
        for (int v = 0; v < mesh->particle_count; ++v)
            lowest = fmin(lowest, (double)mesh->position[v].y);
        assert_true(volume > 0.005 && volume < 0.2); /* m³, outwards */
        assert_true(fabs(lowest) < 0.003);
        tl_character_destroy(character);
    }
}

static void girths_are_those_asked_for(void **state)
{
    (void)state;
    const tl_measures bodies[] = {{0},
                                  {.height = (tl_real)1.6, .bust = (tl_real)0.82, .waist = (tl_real)0.64},
                                  {.height = (tl_real)1.85, .bust = (tl_real)1.12, .waist = 1, .hips = (tl_real)1.12}};
    for (int k = 0; k < 3; ++k) {
        tl_character *character = figure("human", &bodies[k], COARSE);
        const tl_measures *m = tl_character_measures(character), *got = tl_character_achieved(character);
        const double pairs[][2] = {{m->bust, got->bust},         {m->underbust, got->underbust}, {m->waist, got->waist},
                                   {m->hips, got->hips},         {m->neck, got->neck},           {m->wrist, got->wrist},
                                   {m->leg_circ, got->leg_circ}, {m->height, got->height}};
        for (size_t n = 0; n < sizeof pairs / sizeof *pairs; ++n)
            assert_true(fabs(pairs[n][1] / pairs[n][0] - 1) < 0.01);
        assert_true(fabs((double)(got->crotch_hip_diff - m->crotch_hip_diff)) < 0.005);
        tl_character_destroy(character);
    }
}

/* Perimeter of the convex hull of points, by wrapping. */
static double hull(double (*point)[2], int count)
{
    int first = 0;
    for (int k = 1; k < count; ++k)
        first = point[k][0] < point[first][0] ? k : first;
    double sum = 0;
    int at = first;
    do {
        int next = at == 0 ? 1 : 0;
        for (int k = 0; k < count; ++k) {
            double turn = (point[next][0] - point[at][0]) * (point[k][1] - point[at][1]) -
                          (point[next][1] - point[at][1]) * (point[k][0] - point[at][0]);
            next = turn < 0 ? k : next;
        }
        sum += hypot(point[next][0] - point[at][0], point[next][1] - point[at][1]);
        at = next;
    } while (at != first);
    return sum;
}

static void a_tape_around_the_mesh_reads_the_waist(void **state)
{
    (void)state;
    tl_character *character = figure("human", NULL, (tl_real)0.02);
    const tl_mesh *mesh = tl_character_mesh(character);
    const tl_measures *m = tl_character_measures(character);
    double level = (double)(m->height - m->head_l - m->waist_line);
    double(*point)[2] = calloc((size_t)mesh->edge_count + 1, sizeof *point);
    int count = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        tl_vec3 a = mesh->position[mesh->edge_a[e]], b = mesh->position[mesh->edge_b[e]];
        double s = (level - (double)a.y) / (double)(b.y - a.y);
        double x = (double)a.x + s * (double)(b.x - a.x), z = (double)a.z + s * (double)(b.z - a.z);
        if (s >= 0 && s < 1 && fabs(x) < 0.22) { /* without the hands */
            point[count][0] = x;
            point[count++][1] = z;
        }
    }
    assert_true(fabs(hull(point, count) / (double)m->waist - 1) < 0.01);
    free(point);
    tl_character_destroy(character);
}

static void a_person_faces_the_front_with_the_left_hand_at_plus_x(void **state)
{
    (void)state;
    tl_character *character = figure("human", NULL, COARSE);
    const tl_mesh *mesh = tl_character_mesh(character);
    const unsigned char *part = tl_character_parts(character);
    const tl_joint *toes = tl_character_joint(character, tl_character_find_joint(character, "left toes"));
    assert_true(toes->tip.z > toes->position.z && toes->position.x > 0);
    int seen[TL_BODY_PART_COUNT] = {0};
    for (int v = 0; v < tl_mesh_vertex_count(mesh); ++v) {
        ++seen[part[v]];
        if (part[v] == TL_BODY_PART_LEFT_ARM || part[v] == TL_BODY_PART_LEFT_LEG)
            assert_true(tl_mesh_vertices(mesh)[v].x > -(tl_real)0.02);
    }
    for (int k = 0; k < TL_BODY_PART_COUNT; ++k)
        assert_true(seen[k] > 20);
    assert_int_equal(tl_character_find_joint(character, "wing"), -1);
    tl_character_destroy(character);
}

static void thinned_flesh_is_inside_the_body_and_bones_keep_their_length(void **state)
{
    (void)state;
    tl_character *character = figure("human", NULL, COARSE);
    const tl_mesh *mesh = tl_character_mesh(character);
    int count = tl_mesh_vertex_count(mesh);
    tl_vec3 *thin = malloc((size_t)count * sizeof *thin);
    tl_character_thin(character, 1, thin);
    assert_memory_equal(thin, tl_mesh_vertices(mesh), (size_t)count * sizeof *thin);
    tl_character_thin(character, (tl_real)0.5, thin);
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = mesh;
    tl_body *body = tl_body_create(world, &def);
    int outside = 0;
    double highest = 0;
    for (int v = 0; v < count; ++v) {
        outside += tl_body_distance(body, thin[v], NULL) > (tl_real)0.004;
        highest = fmax(highest, (double)thin[v].y);
    }
    assert_int_equal(outside, 0);
    assert_true(highest > 0.92 * (double)tl_character_measures(character)->height);
    free(thin);
    tl_world_destroy(world);
    tl_character_destroy(character);
}

static void the_same_measures_give_the_same_bits(void **state)
{
    (void)state;
    tl_character *one = figure("child", NULL, COARSE), *two = figure("child", NULL, COARSE);
    const tl_mesh *a = tl_character_mesh(one), *b = tl_character_mesh(two);
    assert_int_equal(tl_mesh_vertex_count(a), tl_mesh_vertex_count(b));
    assert_memory_equal(tl_mesh_vertices(a), tl_mesh_vertices(b), (size_t)tl_mesh_vertex_count(a) * sizeof(tl_vec3));
    tl_character_destroy(one);
    tl_character_destroy(two);
}

static void impossible_bodies_are_refused_with_the_measure(void **state)
{
    (void)state;
    tl_error error;
    tl_measures thick = {.hips = 1, .leg_circ = (tl_real)0.95}, legless = {.height = 1, .waist_line = (tl_real)0.8};
    assert_null(tl_character_create(&(tl_character_def){.figure = "human", .measures = &thick}, NULL, &error));
    assert_non_null(strstr(error.message, "thigh"));
    assert_null(tl_character_create(&(tl_character_def){.figure = "human", .measures = &legless}, NULL, &error));
    assert_non_null(strstr(error.message, "legs"));
    assert_null(tl_character_create(&(tl_character_def){.figure = "humen"}, NULL, &error));
    assert_non_null(strstr(error.message, "did you mean 'human'"));
    assert_null(tl_character_create(&(tl_character_def){.edge = 1}, NULL, &error));
}

static void any_closed_mesh_is_a_body_and_an_open_one_is_refused(void **state)
{
    (void)state;
    tl_error error;
    tl_mesh *ball = tl_mesh_create_surface(
        &(tl_surface_def){.kind = "ball", .columns = 16, .rows = 12, .width = 1, .height = 1, .bulge = (tl_real)0.1},
        NULL, &error);
    tl_mesh *sheet = tl_mesh_create_grid(&(tl_grid_def){3, 3, 1, 1, false}, NULL, &error);
    tl_character *character = tl_character_create_mesh(ball, NULL, &error);
    assert_non_null(character);
    assert_null(tl_character_parts(character));
    assert_int_equal(tl_character_joint_count(character), 0);
    assert_null(tl_character_create_mesh(sheet, NULL, &error));
    assert_non_null(strstr(error.message, "not closed"));
    tl_character_destroy(character);
    tl_mesh_destroy(ball);
    tl_mesh_destroy(sheet);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_figure_is_closed_and_in_one_piece),
        cmocka_unit_test(girths_are_those_asked_for),
        cmocka_unit_test(a_tape_around_the_mesh_reads_the_waist),
        cmocka_unit_test(a_person_faces_the_front_with_the_left_hand_at_plus_x),
        cmocka_unit_test(thinned_flesh_is_inside_the_body_and_bones_keep_their_length),
        cmocka_unit_test(the_same_measures_give_the_same_bits),
        cmocka_unit_test(impossible_bodies_are_refused_with_the_measure),
        cmocka_unit_test(any_closed_mesh_is_a_body_and_an_open_one_is_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
