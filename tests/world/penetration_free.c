/* Penetration-free contact where it used to give way: cloth pulled through a ring of triangles, starts that cross or
   touch, narrow slits. */
#include "world_testing.h"

#define PI 3.14159265358979323846

static char messages[4096]; /* of the world's log */

static void note(void *user, const char *text)
{
    (void)user;
    strncat(messages, text, sizeof messages - strlen(messages) - 1);
}

static tl_world *make_noted_world(void)
{
    tl_error error = {0};
    tl_world_def def = tl_world_def_default();
    def.log = note;
    messages[0] = 0;
    tl_world *world = tl_world_create(&def, &error);
    if (!world)
        fail_msg("%s", error.message);
    return world;
}

enum { AROUND = 24, ACROSS = 8 };

/* A torus with a hole of radius `large` − `small`, about y. */
static tl_mesh *torus_mesh(double large, double small)
{
    tl_vec3 p[AROUND * ACROSS];
    int f[6 * AROUND * ACROSS];
    for (int i = 0; i < AROUND; ++i)
        for (int j = 0; j < ACROSS; ++j) {
            double a = 2 * PI * i / AROUND, b = 2 * PI * j / ACROSS, r = large + small * cos(b);
            int n = (i + 1) % AROUND, m = (j + 1) % ACROSS;
            const int quad[6] = {i * ACROSS + j, i * ACROSS + m, n * ACROSS + m,
                                 i * ACROSS + j, n * ACROSS + m, n * ACROSS + j};
            p[i * ACROSS + j] = v3(r * cos(a), small * sin(b), r * sin(a));
            memcpy(f + 6 * (i * ACROSS + j), quad, sizeof quad);
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = p, .vertex_count = AROUND * ACROSS, .triangles = f, .triangle_count = 2 * AROUND * ACROSS},
        NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_cloth_def fabric(int side, double size)
{
    tl_cloth_def def = soft_sheet(side, side, (tl_real)size, (tl_real)size);
    def.stepper = "xpbd";
    def.contact = "penetration-free";
    def.substeps = 10;
    def.thickness = (tl_real)0.004;
    def.elements.link_structural.stiffness = 400;
    return def;
}

/* A sheet is pulled by its middle through a hole a sixth as wide: its edges and triangles meet those of the ring as
   much as its particles do. */
static void sheet_pulled_through_a_ring_crosses_nothing(void **state)
{
    (void)state;
    tl_world *world = make_world();
    tl_mesh *mesh = torus_mesh(0.065, 0.025);
    tl_body_def ring = tl_body_def_default();
    ring.shape = "mesh";
    ring.mesh = mesh;
    ring.friction = (tl_real)0.3;
    assert_non_null(tl_body_create(world, &ring));
    tl_cloth_def def = fabric(19, 0.5);
    def.center = v3(0, 0.04, 0);
    tl_cloth *cloth = make_cloth(world, &def);
    int middle = 9 * 19 + 9;
    assert_int_equal(tl_cloth_pin(cloth, middle, true), TL_OK);
    double strain = 0;
    for (int frame = 0; frame < 60; ++frame) {
        assert_int_equal(tl_cloth_move_pin(cloth, middle, v3(0, 0.04 - 0.005 * (frame + 1), 0)), TL_OK);
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        assert_int_equal(tl_world_count_intersections(world), 0);
        assert_int_equal(tl_cloth_count_body_intersections(cloth), 0);
        assert_int_equal(tl_cloth_count_penetrating(cloth, NULL), 0);
        strain = fmax(strain, (double)tl_cloth_get_stats(cloth).largest_strain);
    }
    assert_true(strain < 1.5);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

/* A sheet that starts across another is reported with number and place, pulled apart, and guaranteed from then on. */
static void start_that_crosses_is_untangled_first(void **state)
{
    (void)state;
    tl_world *world = make_noted_world();
    tl_world_add_plane(world, v3(0, 0, 0), v3(0, 1, 0), (tl_real)0.5);
    tl_cloth_def def = fabric(11, 0.4);
    def.center = v3(0, 0.02, 0);
    make_cloth(world, &def);
    strcpy(def.label, "tilted");
    def.center = v3(0.18, 0.02, 0);
    def.rotation = v3(0, 0, 4);
    tl_cloth *tilted = make_cloth(world, &def);
    assert_true(tl_world_count_intersections(world) > 0);
    bool free = false;
    for (int frame = 0; frame < 240; ++frame) {
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
        if (frame == 0 && !strstr(messages, "pairs of triangles cross at 0.000 s, the first of"))
            fail_msg("%s", messages);
        bool crosses = tl_world_count_intersections(world) > 0;
        assert_false(free && crosses);
        free = !crosses;
        assert_true((double)tl_cloth_get_stats(tilted).largest_strain < 0.5);
    }
    assert_true(free);
    if (!strstr(messages, "nothing crosses any more"))
        fail_msg("%s", messages);
    tl_world_destroy(world);
}

/* The sides of a slit much narrower than the gap stay where the cloth has them. */
static void narrow_slit_stays_narrow(void **state)
{
    (void)state;
    enum { ROWS = 9, COLUMNS = 9, HALF = 4 };
    const double edge = 0.03, width = 2e-4; /* m; the gap is 4 mm */
    tl_vec3 p[ROWS * (COLUMNS + 1)];
    int f[6 * ROWS * COLUMNS], faces = 0;
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS + 1; ++c)
            p[r * (COLUMNS + 1) + c] =
                v3(c <= HALF ? (c - HALF) * edge - width / 2 : (c - HALF - 1) * edge + width / 2, -r * edge, 0);
    for (int r = 0; r + 1 < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) {
            int a = r * (COLUMNS + 1) + c, b = a + COLUMNS + 1;
            const int quad[6] = {a, b, b + 1, a, b + 1, a + 1};
            if (c == HALF && r > 0) /* held together by the first row */
                continue;
            memcpy(f + 3 * faces, quad, sizeof quad);
            faces += 2;
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = p,
                                                  .vertex_count = ROWS * (COLUMNS + 1),
                                                  .triangles = f,
                                                  .triangle_count = faces,
                                                  .repair = true},
                                   NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    tl_world *world = make_world();
    tl_cloth_def def = fabric(2, 1);
    def.mesh = mesh;
    def.center = v3(0, 1, 0);
    tl_cloth *cloth = make_cloth(world, &def);
    for (int c = 0; c < COLUMNS + 1; ++c)
        assert_int_equal(tl_cloth_pin(cloth, c, true), TL_OK);
    for (int frame = 0; frame < 120; ++frame)
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    const tl_vec3 *x = tl_cloth_positions(cloth);
    for (int r = 2; r < ROWS; ++r) {
        tl_vec3 a = x[r * (COLUMNS + 1) + HALF], b = x[r * (COLUMNS + 1) + HALF + 1];
        assert_near(width, hypot((double)(a.x - b.x), (double)(a.z - b.z)), 2 * width);
    }
    assert_int_equal(tl_cloth_count_intersections(cloth, NULL), 0);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(sheet_pulled_through_a_ring_crosses_nothing),
        cmocka_unit_test(start_that_crosses_is_untangled_first),
        cmocka_unit_test(narrow_slit_stays_narrow),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
