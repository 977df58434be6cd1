/* Elastic bands: the edge that carries one draws together to the band's length, the cloth beside it gathers, and
   nothing happens without the element. */
#include "world_testing.h"

enum { COLUMNS = 31, ROWS = 5, COUNT = COLUMNS * ROWS };

/* A strip of 60 × 8 cm, hardly wavy, with a band of this ratio along its upper row; ratio 0: none. */
static tl_mesh *strip(double ratio)
{
    tl_vec3 x[COUNT];
    tl_real uv[2 * COUNT];
    int face[6 * COUNT], count = 0;
    tl_mesh_elastic band[COLUMNS];
    for (int r = 0; r < ROWS; ++r)
        for (int c = 0; c < COLUMNS; ++c) {
            x[r * COLUMNS + c] = v3(0.02 * c, 1 - 0.02 * r, 0.0005 * ((c / 3) % 2 ? 1 : -1));
            uv[2 * (r * COLUMNS + c)] = (tl_real)(-0.02 * r);
            uv[2 * (r * COLUMNS + c) + 1] = (tl_real)(-0.02 * c);
        }
    for (int r = 0; r + 1 < ROWS; ++r)
        for (int c = 0; c + 1 < COLUMNS; ++c) {
            int a = r * COLUMNS + c, b = a + 1, l = a + COLUMNS, m = l + 1;
            memcpy(face + 3 * count, (int[]){l, m, b, l, b, a}, 6 * sizeof *face);
            count += 2;
        }
    for (int c = 0; c < COLUMNS; ++c)
        band[c] =
            (tl_mesh_elastic){c + 1 < COLUMNS ? c : 0, c + 1 < COLUMNS ? c + 1 : 1, (tl_real)ratio}; /* one twice */
    tl_error error = {.code = TL_OK};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = x,
                                                  .uv = uv,
                                                  .vertex_count = COUNT,
                                                  .triangles = face,
                                                  .triangle_count = count,
                                                  .rest = TL_REST_UV,
                                                  .elastics = ratio > 0 ? band : NULL,
                                                  .elastic_count = ratio > 0 ? COLUMNS : 0},
                                   NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

/* Length of a row over its length at rest. */
static double length_of(tl_cloth *cloth, int row)
{
    double sum = 0;
    const tl_vec3 *x = tl_cloth_positions(cloth) + row * COLUMNS;
    for (int c = 0; c + 1 < COLUMNS; ++c) {
        double dx = (double)(x[c + 1].x - x[c].x), dy = (double)(x[c + 1].y - x[c].y),
               dz = (double)(x[c + 1].z - x[c].z);
        sum += sqrt(dx * dx + dy * dy + dz * dz);
    }
    return sum / (0.02 * (COLUMNS - 1));
}

/* Both rows at the edges after a second and a half without gravity. */
static int relax(double ratio, bool on, const char *stepper, double length[2])
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = v3(0, 0, 0);
    tl_world *world = tl_world_create(&world_def, NULL);
    tl_mesh *mesh = strip(ratio);
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = mesh;
    def.fabric = "interlock";
    def.stepper = stepper;
    def.damping = 4;
    def.air = "off";
    /* what xpbd leaves of a stiff band against soft cloth shrinks with the substep */
    def.substeps = strcmp(stepper, "xpbd") == 0 ? 120 : 0;
    tl_cloth *cloth = make_cloth(world, &def);
    if (!on)
        tl_cloth_set(cloth, "link.elastic.on", &(tl_value){TL_PARAM_BOOL, {0}, NULL});
    for (int k = 0; k < 90; ++k)
        assert_int_equal(tl_world_step(world, FRAME), TL_OK);
    length[0] = length_of(cloth, 0);
    length[1] = length_of(cloth, ROWS - 1);
    int links = tl_cloth_links(cloth, NULL, 0);
    tl_world_destroy(world);
    tl_mesh_destroy(mesh);
    return links;
}

static void a_band_gathers_the_edge_that_carries_it(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "xpbd"};
    for (int k = 0; k < 2; ++k) {
        double plain[2], half[2], most[2], off[2];
        assert_int_equal(relax(0, true, steppers[k], plain), 0);
        assert_int_equal(relax(0.8, true, steppers[k], half), COLUMNS - 1);
        assert_int_equal(relax(0.6, true, steppers[k], most), COLUMNS - 1);
        assert_int_equal(relax(0.6, false, steppers[k], off), 0);

        assert_near(1, plain[0], 0.01);
        assert_near(1, off[0], 0.01);
        assert_near(0.8, half[0], 0.05); /* the cloth beside it holds against the band */
        assert_near(0.6, most[0], 0.06);
        assert_true(half[1] > half[0] + 0.05 && most[1] > most[0] + 0.1);
    }
}

static void wrong_bands_are_refused(void **state)
{
    (void)state;
    tl_vec3 x[3] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0)};
    const int face[3] = {0, 1, 2};
    tl_mesh_elastic band = {0, 3, 1};
    tl_mesh_def def = {.positions = x,
                       .vertex_count = 3,
                       .triangles = face,
                       .triangle_count = 1,
                       .elastics = &band,
                       .elastic_count = 1};
    tl_error error;
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "vertices 0 and 3 of 3"));
    band = (tl_mesh_elastic){0, 1, 0};
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "not above 0"));
    def.elastics = NULL;
    assert_null(tl_mesh_create(&def, NULL, &error));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_band_gathers_the_edge_that_carries_it),
        cmocka_unit_test(wrong_bands_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
