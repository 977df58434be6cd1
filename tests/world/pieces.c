/* Contact within one mesh that does not hang together everywhere: several pieces, slits, darts and holes. */
#include "world_testing.h"

enum { SIDE = 12, ACROSS = SIDE + 1, MOST = 3 * ACROSS * ACROSS + ACROSS }; /* quads and vertices along a side */
#define EDGE 0.04                                                           /* m */

typedef struct cut_mesh {
    tl_vec3 at[MOST];
    int vertices, triangle[3 * 6 * SIDE * SIDE], triangles;
} cut_mesh;

static int vertex_at(int column, int row) { return row * ACROSS + column; }

/* Appends a level square at a height, without the quads from [low] to below [high] along columns and rows. */
static void add_square(cut_mesh *m, double height, const int low[2], const int high[2])
{
    int first = m->vertices;
    for (int r = 0; r < ACROSS; ++r)
        for (int c = 0; c < ACROSS; ++c)
            m->at[m->vertices++] = v3((c - SIDE / 2) * EDGE, height, (r - SIDE / 2) * EDGE);
    for (int r = 0; r < SIDE; ++r)
        for (int c = 0; c < SIDE; ++c) {
            int a = first + vertex_at(c, r), b = first + vertex_at(c, r + 1);
            const int quad[6] = {a, b, b + 1, a, b + 1, a + 1};
            if (c >= low[0] && c < high[0] && r >= low[1] && r < high[1])
                continue;
            memcpy(m->triangle + 3 * m->triangles, quad, sizeof quad);
            m->triangles += 2;
        }
}

static const int nothing[2] = {0, 0};

/* Opens the middle column from the last row to the tip, by `width` at the last row and less towards the tip, where it
   is `tip_width`: a dart, or a slit. */
static void open_dart(cut_mesh *m, int tip, double width, double tip_width)
{
    int copy[ACROSS];
    for (int r = tip + 1; r < ACROSS; ++r) {
        double half = (tip_width + (width - tip_width) * (r - tip) / (SIDE - tip)) / 2;
        copy[r] = m->vertices;
        m->at[m->vertices] = m->at[vertex_at(SIDE / 2, r)];
        m->at[m->vertices++].x += (tl_real)half;
        m->at[vertex_at(SIDE / 2, r)].x -= (tl_real)half;
    }
    for (int t = 0; t < m->triangles; ++t) { /* right of the dart */
        int *p = m->triangle + 3 * t;
        int right = 0;
        for (int k = 0; k < 3; ++k)
            right += p[k] < ACROSS * ACROSS && p[k] % ACROSS > SIDE / 2;
        for (int k = 0; k < 3; ++k)
            if (right && p[k] % ACROSS == SIDE / 2 && p[k] / ACROSS > tip)
                p[k] = copy[p[k] / ACROSS];
    }
}

static tl_mesh *mesh_of(const cut_mesh *m)
{
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = m->at,
                                                  .vertex_count = m->vertices,
                                                  .triangles = m->triangle,
                                                  .triangle_count = m->triangles,
                                                  .repair = true},
                                   NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_cloth *make_cut(tl_world *world, const tl_mesh *mesh, const char *contact)
{
    tl_cloth_def def = soft_sheet(2, 2, 1, 1);
    def.mesh = mesh;
    def.stepper = "xpbd";
    def.contact = contact;
    def.substeps = 10;
    def.thickness = (tl_real)0.01;
    def.damping = 1;
    return make_cloth(world, &def);
}

/* ---- pieces --------------------------------------------------------------------------------------------------- */

/* Sheets of one mesh, 5 cm apart, over a lowest one that is pinned along its border: the largest number of
   intersections in any frame, and whether they are still in their order. */
static int crossings_of_stack(const char *contact, int sheets, bool *ordered)
{
    cut_mesh m = {0};
    for (int k = 0; k < sheets; ++k)
        add_square(&m, 0.05 * k, nothing, nothing);
    for (int k = ACROSS * ACROSS; k < m.vertices; ++k) /* nobody lies exactly above another */
        m.at[k] = v3((double)m.at[k].x + 0.011 * (k / (ACROSS * ACROSS)), (double)m.at[k].y, (double)m.at[k].z + 0.007);
    tl_mesh *mesh = mesh_of(&m);
    tl_world *world = make_world();
    tl_cloth *cloth = make_cut(world, mesh, contact);
    for (int c = 0; c < ACROSS; ++c)
        for (int r = 0; r < ACROSS; ++r)
            if (c == 0 || r == 0 || c == SIDE || r == SIDE)
                assert_int_equal(tl_cloth_pin(cloth, vertex_at(c, r), true), TL_OK);
    int most = 0;
    for (int frame = 0; frame < 40; ++frame) {
        run_frames(world, 1);
        int count = tl_cloth_count_intersections(cloth, NULL);
        most = count > most ? count : most;
    }
    const tl_vec3 *x = tl_cloth_positions(cloth);
    *ordered = true;
    for (int k = 1; k < sheets; ++k)
        *ordered &= x[k * ACROSS * ACROSS + vertex_at(SIDE / 2, SIDE / 2)].y >
                    x[(k - 1) * ACROSS * ACROSS + vertex_at(SIDE / 2, SIDE / 2)].y + (tl_real)0.003;
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
    return most;
}

static void sheets_of_one_mesh_rest_on_each_other(void **state)
{
    (void)state;
    bool ordered;
    for (int sheets = 2; sheets <= 3; ++sheets) {
        assert_true(crossings_of_stack("bodies-only", sheets, &ordered) > 10 && !ordered); /* they would fall through */
        assert_int_equal(crossings_of_stack("self-collision", sheets, &ordered), 0);
        assert_true(ordered);
        assert_int_equal(crossings_of_stack("penetration-free", sheets, &ordered), 0);
        assert_true(ordered);
    }
}

/* ---- slits, darts and holes ----------------------------------------------------------------------------------- */

typedef enum cut { SLIT, NARROW_SLIT, DART, HOLE, CUTS } cut;

static tl_mesh *cut_sheet(cut what)
{
    cut_mesh m = {0};
    if (what == SLIT)
        add_square(&m, 0, (int[]){SIDE / 2, 3}, (int[]){SIDE / 2 + 1, SIDE});
    else if (what == HOLE)
        add_square(&m, 0, (int[]){SIDE / 2, 2}, (int[]){SIDE / 2 + 2, SIDE - 2});
    else
        add_square(&m, 0, nothing, nothing);
    if (what == DART)
        open_dart(&m, 3, 0.06, 0);
    if (what == NARROW_SLIT)
        open_dart(&m, 3, 1e-5, 1e-5);
    return mesh_of(&m);
}

/* The cloth left of the cut is led over that on its right, and down: the largest number of intersections in any
   frame. No gravity; only the row where both hang together is pinned, so that the right side can give way. */
static int crossings_of_cut(const char *contact, cut what)
{
    enum { RISE = 12, OVER = 30, DOWN = 50 };
    tl_mesh *mesh = cut_sheet(what);
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, 0, 0);
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_cloth *cloth = make_cut(world, mesh, contact);
    for (int c = 0; c < ACROSS; ++c)
        assert_int_equal(tl_cloth_pin(cloth, vertex_at(c, 0), true), TL_OK);
    int row = what == HOLE ? SIDE / 2 : SIDE, led[2] = {vertex_at(SIDE / 2, row), vertex_at(SIDE / 2 - 1, row)};
    for (int k = 0; k < 2; ++k)
        assert_int_equal(tl_cloth_pin(cloth, led[k], true), TL_OK);
    int most = 0;
    for (int frame = 0; frame < DOWN; ++frame) {
        double up = frame < RISE ? 0.005 : frame < OVER ? 0 : -0.005, over = frame >= RISE && frame < OVER ? 0.008 : 0;
        for (int k = 0; k < 2; ++k) {
            tl_vec3 at = tl_cloth_positions(cloth)[led[k]];
            assert_int_equal(tl_cloth_move_pin(cloth, led[k], v3((double)at.x + over, (double)at.y + up, (double)at.z)),
                             TL_OK);
        }
        run_frames(world, 1);
        int count = tl_cloth_count_intersections(cloth, NULL);
        most = count > most ? count : most;
    }
    assert_true(all_finite(world));
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
    return most;
}

static void sides_of_a_cut_do_not_pass_through_each_other(void **state)
{
    (void)state;
    for (int what = 0; what < CUTS; ++what) {
        assert_true(crossings_of_cut("bodies-only", (cut)what) >= 5); /* sanity check of the scene */
        assert_int_equal(crossings_of_cut("self-collision", (cut)what), 0);
        assert_int_equal(crossings_of_cut("penetration-free", (cut)what), 0);
    }
}

/* Its sides are nearer than the thickness at rest: they keep their distance there, and do not push each other. */
static void narrow_slit_stays_at_rest(void **state)
{
    (void)state;
    static const char *const contacts[] = {"self-collision", "penetration-free"};
    static const tl_real speed[] = {(tl_real)1e-3,
                                    (tl_real)0.1}; /* m/s; truncation opens what is nearer than its gap */
    static const tl_real strain[] = {(tl_real)1e-3, (tl_real)0.01};
    for (int k = 0; k < 2; ++k) {
        tl_mesh *mesh = cut_sheet(NARROW_SLIT);
        tl_world_def world_def = tl_world_def_default();
        world_def.gravity = v3(0, 0, 0);
        tl_world *world = tl_world_create(&world_def, NULL);
        tl_cloth *cloth = make_cut(world, mesh, contacts[k]);
        run_frames(world, 20);
        tl_cloth_stats stats = tl_cloth_get_stats(cloth);
        assert_true(stats.pairs > 0); /* the sides do see each other */
        assert_true(stats.largest_speed < speed[k] && stats.largest_strain < strain[k]);
        assert_int_equal(tl_cloth_count_intersections(cloth, NULL), 0);
        tl_world_destroy(world);
        tl_mesh_destroy(mesh);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheets_of_one_mesh_rest_on_each_other),
        cmocka_unit_test(sides_of_a_cut_do_not_pass_through_each_other),
        cmocka_unit_test(narrow_slit_stays_at_rest),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
