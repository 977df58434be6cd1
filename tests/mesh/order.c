/* The order of particles in arbitrary meshes: a permutation, local, deterministic. */
#include "mesh_testing.h"

#include "mesh/order.h"

/* A torus of m × n quads with its vertices shuffled, so that the file's order has no locality to inherit. */
typedef struct torus {
    tl_vec3 *positions;
    int *triangles;
    int vertex_count, triangle_count;
} torus;

static torus make_torus(int m, int n)
{
    torus t = {.vertex_count = m * n, .triangle_count = 2 * m * n};
    t.positions = calloc((size_t)t.vertex_count, sizeof *t.positions);
    t.triangles = calloc(3 * (size_t)t.triangle_count, sizeof *t.triangles);
    int *place = calloc((size_t)t.vertex_count, sizeof *place);
    uint32_t seed = 1;
    for (int i = 0; i < m * n; ++i) {
        seed = seed * 1664525u + 1013904223u;
        int j = (int)((seed >> 8) % (uint32_t)(i + 1));
        place[i] = place[j], place[j] = i;
    }
    for (int i = 0, k = 0; i < m; ++i)
        for (int j = 0; j < n; ++j) {
            double a = 2 * TL_PI * i / m, b = 2 * TL_PI * j / n, r = 2 + cos(b);
            int next_i = (i + 1) % m, next_j = (j + 1) % n;
            int p = place[i * n + j], q = place[next_i * n + j], s = place[i * n + next_j],
                u = place[next_i * n + next_j];
            t.positions[p] = (tl_vec3){(tl_real)(r * cos(a)), (tl_real)(r * sin(a)), (tl_real)sin(b)};
            const int cell[6] = {p, q, u, p, u, s};
            for (int c = 0; c < 6; ++c)
                t.triangles[k++] = cell[c];
        }
    free(place);
    return t;
}

static void free_torus(torus *t)
{
    free(t->positions);
    free(t->triangles);
}

static void a_torus_is_closed_and_without_poles(void **state)
{
    (void)state;
    torus t = make_torus(20, 10);
    tl_mesh_def def = mesh_def(t.positions, t.vertex_count, t.triangles, t.triangle_count);
    tl_mesh *mesh = make(&def);
    assert_mesh_holds(mesh);
    assert_unstrained(mesh);
    assert_int_equal(euler_characteristic(mesh), 0);
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        assert_true(mesh->twin[h] >= 0);
    tl_mesh_destroy(mesh);
    free_torus(&t);
}

static void neighbours_of_a_shuffled_mesh_come_close_together(void **state)
{
    (void)state;
    torus t = make_torus(100, 12);
    tl_mesh_def def = mesh_def(t.positions, t.vertex_count, t.triangles, t.triangle_count);
    tl_mesh *mesh = make(&def);
    assert_maps_hold(mesh);
    int widest = 0, widest_in_file = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        int a = mesh->edge_a[e], b = mesh->edge_b[e];
        int in_file = abs(mesh->vertex_of_particle[a] - mesh->vertex_of_particle[b]);
        widest = b - a > widest ? b - a : widest;
        widest_in_file = in_file > widest_in_file ? in_file : widest_in_file;
    }
    /* layers advance on two fronts around the short side: a bandwidth of about four rings of 12, against nearly all
       1200 before */
    assert_true(widest_in_file > 1000);
    assert_true(widest <= 5 * 12);
    tl_mesh_destroy(mesh);
    free_torus(&t);
}

static void the_same_triangles_give_the_same_mesh(void **state)
{
    (void)state;
    torus t = make_torus(30, 8);
    tl_mesh_def def = mesh_def(t.positions, t.vertex_count, t.triangles, t.triangle_count);
    tl_mesh *a = make(&def), *b = make(&def);
    assert_memory_equal(a->particle_of_vertex, b->particle_of_vertex, (size_t)a->vertex_count * sizeof(int));
    assert_memory_equal(a->twin, b->twin, 3 * (size_t)a->face_count * sizeof(int));
    assert_memory_equal(a->edge_half, b->edge_half, (size_t)a->edge_count * sizeof(int));
    assert_memory_equal(a->rest_u, b->rest_u, 3 * (size_t)a->face_count * sizeof(tl_real));
    tl_mesh_destroy(a);
    tl_mesh_destroy(b);
    free_torus(&t);
}

static void assert_permutation(const int *rank, int count)
{
    int *seen = calloc((size_t)count, sizeof *seen);
    for (int p = 0; p < count; ++p) {
        assert_in_range(rank[p], 0, count - 1);
        assert_int_equal(seen[rank[p]]++, 0);
    }
    free(seen);
}

static void a_shuffled_path_is_numbered_from_end_to_end(void **state)
{
    (void)state;
    enum { PATH = 101 };
    int a[PATH - 1], b[PATH - 1], rank[PATH];
    for (int e = 0; e + 1 < PATH; ++e)
        a[e] = (e * 37 + 50) % PATH, b[e] = ((e + 1) * 37 + 50) % PATH; /* particle 0 is well inside */
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_order_by_neighbours(&heap, PATH, PATH - 1, a, b, rank), TL_OK);
    assert_permutation(rank, PATH);
    for (int e = 0; e + 1 < PATH; ++e)
        assert_int_equal(abs(rank[a[e]] - rank[b[e]]), 1);
}

static void parts_and_stars_and_lone_particles_are_all_numbered(void **state)
{
    (void)state;
    /* a star of a thousand, a triangle, and two particles without any edge */
    enum { STAR = 1000, COUNT_ALL = STAR + 1 + 3 + 2, EDGES = STAR + 3 };
    int a[EDGES], b[EDGES], rank[COUNT_ALL];
    for (int e = 0; e < STAR; ++e)
        a[e] = 500, b[e] = e < 500 ? e : e + 1;
    for (int k = 0; k < 3; ++k)
        a[STAR + k] = STAR + 1 + k, b[STAR + k] = STAR + 1 + (k + 1) % 3;
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_order_by_neighbours(&heap, COUNT_ALL, EDGES, a, b, rank), TL_OK);
    assert_permutation(rank, COUNT_ALL);
    /* components stay together */
    for (int k = 0; k < 3; ++k)
        assert_true(abs(rank[STAR + 1] - rank[STAR + 1 + k]) <= 2);
}

/* The rule of Cuthill and McKee, read off the result: particles follow in the order of the neighbour that was numbered
   first, and below one parent in the order of their degree. */
static void particles_follow_their_parents_with_few_neighbours_first(void **state)
{
    (void)state;
    enum { NODES = 60, TRIES = 130 };
    static bool joined[NODES][NODES];
    int a[TRIES + NODES], b[TRIES + NODES], edges = 0, degree[NODES] = {0}, rank[NODES], at[NODES];
    uint32_t seed = 3;
    for (int i = 0; i < TRIES + NODES - 1; ++i) {
        seed = seed * 1664525u + 1013904223u;
        int p = (int)((seed >> 8) % NODES), q = (int)((seed >> 16) % NODES);
        if (i >= TRIES) /* and a spanning tree, so that there is one component */
            p = i - TRIES + 1, q = (int)((seed >> 16) % (uint32_t)p);
        if (p == q || joined[p][q])
            continue;
        joined[p][q] = joined[q][p] = true;
        a[edges] = p, b[edges++] = q;
        ++degree[p], ++degree[q];
    }
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_order_by_neighbours(&heap, NODES, edges, a, b, rank), TL_OK);
    assert_permutation(rank, NODES);
    for (int p = 0; p < NODES; ++p)
        at[NODES - 1 - rank[p]] = p;
    for (int i = 1, last_parent = 0; i < NODES; ++i) {
        int parent = 0;
        while (parent < i && !joined[at[parent]][at[i]])
            ++parent;
        assert_true(parent < i);
        assert_true(parent >= last_parent);
        if (i > 1 && parent == last_parent)
            assert_true(degree[at[i - 1]] <= degree[at[i]]);
        last_parent = parent;
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_torus_is_closed_and_without_poles),
        cmocka_unit_test(neighbours_of_a_shuffled_mesh_come_close_together),
        cmocka_unit_test(the_same_triangles_give_the_same_mesh),
        cmocka_unit_test(a_shuffled_path_is_numbered_from_end_to_end),
        cmocka_unit_test(particles_follow_their_parents_with_few_neighbours_first),
        cmocka_unit_test(parts_and_stars_and_lone_particles_are_all_numbered),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
