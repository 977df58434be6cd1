/* Elements against numbers worked out by hand. */
#include "fixture.h"

/* Two triangles on the edge (0,0,0)–(1,0,0), both a metre high: one at y = −1, the other turned up by `angle`. */
static tl_mesh *make_hinge(double angle)
{
    const tl_vec3 position[4] = {{0, 0, 0}, {1, 0, 0}, {0, (tl_real)cos(angle), (tl_real)sin(angle)}, {1, -1, 0}};
    const int triangle[6] = {0, 1, 2, 1, 0, 3};
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = position, .vertex_count = 4, .triangles = triangle, .triangle_count = 2}, NULL,
        &error);
    assert_non_null(mesh);
    return mesh;
}

/* Places the four particles as make_hinge would. */
static void turn_hinge(const tl_mesh *mesh, tl_particles *p, double angle)
{
    tl_put(p->x, mesh->particle_of_vertex[2], tl_v3(0, (tl_real)cos(angle), (tl_real)sin(angle)));
}

static void bend_starts_unstrained_and_takes_the_shorter_way_round(void **state)
{
    (void)state;
    const struct {
        double rest, angle, bent;
    } cases[] = {{2, 2, 0}, {2, 1.5, -0.5}, {2, -2, 2 * TL_PI - 4}, {-2, 2, 4 - 2 * TL_PI}, {0, 3, 3}};
    for (size_t n = 0; n < sizeof cases / sizeof *cases; ++n) {
        tl_mesh *mesh = make_hinge(cases[n].rest);
        tl_element_batch batch = make_batch(TL_ELEMENT_continuum_bend, mesh);
        tl_particles p = make_particles(mesh);
        turn_hinge(mesh, &p, cases[n].angle);
        tl_element_constraint bend;
        batch.kind->constraint(&batch, &p, 0, 1, &bend);
        assert_true(fabs((double)bend.value[0] - cases[n].bent) < 1e-5);
        /* arm of one metre: the torque k C is the force on the free particle */
        clear_forces(&p);
        batch.kind->force(&batch, &p);
        double force = (double)tl_length(tl_at(p.f, mesh->particle_of_vertex[2]));
        assert_true(fabs(force - (double)batch.stiffness * fabs(cases[n].bent)) < 1e-3);
        free_particles(&p);
        batch.kind->destroy(&batch);
        tl_mesh_destroy(mesh);
    }
}

static void bend_of_collapsed_triangles_is_no_force(void **state)
{
    (void)state;
    tl_mesh *mesh = make_hinge(1);
    tl_element_batch batch = make_batch(TL_ELEMENT_continuum_bend, mesh);
    tl_particles p = make_particles(mesh);
    deform(&p, 0, 1, 8);
    /* onto the edge, and within rounding of it */
    for (int n = 0; n < 2; ++n) {
        tl_put(p.x, mesh->particle_of_vertex[2], tl_v3((tl_real)0.3, n == 0 ? 0 : (tl_real)1e-7, 0));
        clear_forces(&p);
        batch.kind->force(&batch, &p);
        assert_true(!(largest_force(&p) > 0));
        assert_true(!(batch.kind->energy(&batch, &p) > 0));
    }
    free_particles(&p);
    batch.kind->destroy(&batch);
    tl_mesh_destroy(mesh);
}

/* A sheet of 1 × 1.3 m in two triangles, stretched along u, then sheared. */
static void continuum_energies_grow_as_area_to_three_halves(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(2, 2);
    tl_particles p = make_particles(mesh);
    const double area = 0.65, scale = 2 * 0.5 * 30 * pow(area, 1.5); /* two triangles, stiffness 30 */
    tl_element_batch stretch = make_batch(TL_ELEMENT_continuum_stretch, mesh);
    tl_element_batch shear = make_batch(TL_ELEMENT_continuum_shear, mesh);
    for (int k = 0; k < p.count; ++k)
        p.x[0][k] *= (tl_real)1.2;
    assert_true(fabs(stretch.kind->energy(&stretch, &p) - scale * 0.2 * 0.2) < 1e-5);
    assert_true(fabs(shear.kind->energy(&shear, &p)) < 1e-8);
    for (int k = 0; k < p.count; ++k)
        p.x[0][k] = mesh->position[k].x + (tl_real)0.3 * mesh->position[k].y;
    assert_true(fabs(shear.kind->energy(&shear, &p) - scale * 0.3 * 0.3) < 1e-5);
    stretch.kind->destroy(&stretch);
    shear.kind->destroy(&shear);
    free_particles(&p);
    tl_mesh_destroy(mesh);
}

/* Around an inner particle of a regular triangle mesh, bend links go straight through: |ab| + |bc|. */
static void bend_links_of_a_straight_mesh_are_two_edges_long(void **state)
{
    (void)state;
    enum { N = 7 };
    tl_vec3 position[N * N];
    int triangle[6 * (N - 1) * (N - 1)], *out = triangle;
    for (int k = 0; k < N * N; ++k)
        position[k] = tl_v3((tl_real)(k % N + 0.5 * (k / N)), (tl_real)(sqrt(0.75) * (k / N)), 0);
    for (int k = 0; k < N * N; ++k)
        if (k % N + 1 < N && k / N + 1 < N) {
            const int cell[6] = {k, k + 1, k + N, k + 1, k + N + 1, k + N};
            for (int c = 0; c < 6; ++c)
                *out++ = cell[c];
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = position,
                                                  .vertex_count = N * N,
                                                  .triangles = triangle,
                                                  .triangle_count = 2 * (N - 1) * (N - 1)},
                                   NULL, &error);
    assert_non_null(mesh);
    tl_element_batch batch = make_batch(TL_ELEMENT_link_bend, mesh);
    int straight = 0;
    for (int k = 0; k < batch.count; ++k) {
        int i, j;
        tl_real rest;
        assert_int_equal(tl_link_pair(&batch, k, &i, &j, &rest), 1);
        straight += fabs((double)rest - 2) < 1e-5;
    }
    /* along rows N(N−2), along the two slanted directions N(N−2) and the anti-diagonals' (N−2)² */
    assert_int_equal(straight, N * (N - 2) + N * (N - 2) + (N - 2) * (N - 2));
    batch.kind->destroy(&batch);
    tl_mesh_destroy(mesh);
}

/* Twice the bending energy of each patch over B, in the order of the batch, for a cylinder with this direction. */
static void bend_cylinder(const tl_mesh *mesh, const tl_element_batch *batch, double angle, double *out)
{
    tl_particles p = make_particles(mesh);
    for (int i = 0; i < p.count; ++i) {
        tl_vec3 x = mesh->position[i];
        double s = cos(angle) * (double)x.x + sin(angle) * (double)x.y;
        tl_put(p.x, i, tl_v3(x.x, x.y, (tl_real)(s * s / 2)));
    }
    for (int k = 0; k < batch->count; ++k) {
        tl_element_constraint bend;
        batch->kind->constraint(batch, &p, k, 1, &bend);
        out[k] = 0;
        for (int m = 0; m < 3; ++m)
            out[k] += (double)bend.value[m] * (double)bend.value[m];
    }
    free_particles(&p);
}

/* Away from the border all directions are equal, whatever the diagonals. */
static void bending_does_not_know_the_diagonals(void **state)
{
    (void)state;
    enum { SIDE = 16 };
    const tl_grid_def grid = {.columns = SIDE, .rows = SIDE, .width = 1, .height = 1, .alternating = true};
    for (int n = 0; n < 3; ++n) {
        tl_mesh *mesh = n == 0   ? tl_mesh_create_grid(&grid, NULL, NULL)
                        : n == 1 ? make_grid(SIDE, SIDE)
                                 : make_irregular(SIDE, false);
        assert_non_null(mesh);
        tl_element_batch batch = make_batch(TL_ELEMENT_bend_quadratic, mesh);
        double first[SIDE * SIDE], other[SIDE * SIDE];
        bool border[SIDE * SIDE] = {false};
        for (int h = 0; h < 3 * mesh->face_count; ++h)
            if (mesh->twin[h] < 0)
                border[mesh->face[h]] = border[mesh->face[tl_half_next(h)]] = true;
        bend_cylinder(mesh, &batch, 0, first);
        for (int turn = 1; turn < 4; ++turn) {
            bend_cylinder(mesh, &batch, turn * TL_PI / 4, other);
            for (int k = 0; k < batch.count; ++k) {
                int particle[TL_ELEMENT_MAX_PARTICLES];
                batch.kind->members(&batch, k, particle);
                if (!border[particle[0]])
                    assert_true(fabs(other[k] - first[k]) < 2e-3 * first[k]);
            }
        }
        batch.kind->destroy(&batch);
        tl_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(bend_starts_unstrained_and_takes_the_shorter_way_round),
        cmocka_unit_test(bend_of_collapsed_triangles_is_no_force),
        cmocka_unit_test(continuum_energies_grow_as_area_to_three_halves),
        cmocka_unit_test(bend_links_of_a_straight_mesh_are_two_edges_long),
        cmocka_unit_test(bending_does_not_know_the_diagonals),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
