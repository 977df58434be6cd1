/* Materials of parts of a mesh: a part with the factors of another fabric moves as that fabric does, and halves of a
   sheet weigh and stretch on their own. */
#include "world_testing.h"

enum { SIDE = 9, COUNT = SIDE * SIDE, FACES = 2 * (SIDE - 1) * (SIDE - 1) };

/* What `fabric` is in units of `own`. */
static tl_mesh_part part_of(const char *fabric, const char *own)
{
    const tl_fabric *a = tl_fabric_named(fabric), *b = tl_fabric_named(own);
    tl_mesh_part part = {.density = a->density / b->density,
                         .warp = a->warp / b->warp,
                         .weft = a->weft / b->weft,
                         .shear = a->shear / b->shear,
                         .bend = tl_fabric_bend(a) / tl_fabric_bend(b)};
    snprintf(part.fabric, sizeof part.fabric, "%s", fabric);
    return part;
}

/* A vertical sheet of 0.4 m in the x–y plane; the left and the right half are parts 0 and 1, when there are any. */
static tl_mesh *sheet(const tl_mesh_part *parts, int part_count)
{
    tl_vec3 x[COUNT];
    tl_real uv[2 * COUNT];
    int face[3 * FACES], part[FACES], count = 0;
    for (int r = 0; r < SIDE; ++r)
        for (int c = 0; c < SIDE; ++c) {
            double u = 0.4 * c / (SIDE - 1), v = 0.4 * r / (SIDE - 1);
            x[r * SIDE + c] = v3(u - 0.2, 1 - v, 0.002 * ((3 * r + c) % 5));
            uv[2 * (r * SIDE + c)] = (tl_real)v;
            uv[2 * (r * SIDE + c) + 1] = (tl_real)u;
        }
    for (int r = 0; r + 1 < SIDE; ++r)
        for (int c = 0; c + 1 < SIDE; ++c) {
            int a = r * SIDE + c, b = a + 1, l = a + SIDE, m = l + 1;
            memcpy(face + 3 * count, (int[]){l, m, b, l, b, a}, 6 * sizeof *face);
            part[count] = part[count + 1] = part_count == 2 && c >= (SIDE - 1) / 2;
            count += 2;
        }
    tl_error error = {.code = TL_OK};
    tl_mesh *mesh = tl_mesh_create(&(tl_mesh_def){.positions = x,
                                                  .uv = uv,
                                                  .vertex_count = COUNT,
                                                  .triangles = face,
                                                  .triangle_count = FACES,
                                                  .rest = TL_REST_UV,
                                                  .parts = parts,
                                                  .part_count = part_count,
                                                  .part_of_triangle = part},
                                   NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

/* Where it is after half a second, hung by its upper row. */
static double hang(const tl_mesh *mesh, const char *fabric, const char *stepper, tl_vec3 out[COUNT])
{
    tl_world *world = make_world();
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = mesh;
    def.fabric = fabric;
    def.stepper = stepper;
    def.damping = 2;
    tl_cloth *cloth = make_cloth(world, &def);
    for (int c = 0; c < SIDE; ++c)
        tl_cloth_pin(cloth, c, true);
    double mass = 0;
    for (int v = 0; v < COUNT; ++v)
        mass += (double)tl_cloth_masses(cloth)[v];
    for (int k = 0; k < 30; ++k)
        tl_world_step(world, FRAME);
    memcpy(out, tl_cloth_positions(cloth), COUNT * sizeof *out);
    tl_world_destroy(world);
    return mass;
}

static double farthest(const tl_vec3 *a, const tl_vec3 *b)
{
    double most = 0;
    for (int v = 0; v < COUNT; ++v) {
        double x = (double)(a[v].x - b[v].x), y = (double)(a[v].y - b[v].y), z = (double)(a[v].z - b[v].z);
        most = fmax(most, sqrt(x * x + y * y + z * z));
    }
    return most;
}

static void a_part_moves_like_its_fabric(void **state)
{
    (void)state;
    static const char *const steppers[] = {"implicit-euler", "xpbd", "bdf2"};
    tl_mesh_part part = part_of("wool", "interlock");
    tl_mesh *plain = sheet(NULL, 0), *with_part = sheet(&part, 1);
    for (int k = 0; k < 3; ++k) {
        tl_vec3 wool[COUNT], like_wool[COUNT], interlock[COUNT];
        double mass = hang(plain, "wool", steppers[k], wool);
        assert_near(mass, hang(with_part, "interlock", steppers[k], like_wool), 1e-6 * mass);
        hang(plain, "interlock", steppers[k], interlock);
        double off = farthest(wool, like_wool), other = farthest(wool, interlock);
        if (!(off < 0.001 && off < 0.05 * other))
            fail_msg("%s: %g m from wool, which is %g m from interlock", steppers[k], off, other);
    }
    tl_mesh_destroy(plain);
    tl_mesh_destroy(with_part);
}

static void halves_weigh_and_stretch_on_their_own(void **state)
{
    (void)state;
    tl_mesh_part parts[2] = {part_of("denim", "interlock"), part_of("sweater", "interlock")};
    tl_mesh *mesh = sheet(parts, 2);
    tl_vec3 x[COUNT];
    double mass = hang(mesh, "interlock", "implicit-euler", x);
    assert_near(0.08 * ((double)tl_fabric_named("denim")->density + (double)tl_fabric_named("sweater")->density), mass,
                1e-5);
    double left = (double)x[(SIDE - 1) * SIDE].y, right = (double)x[COUNT - 1].y;
    assert_true(left > 0.59 && right < left - 0.01); /* denim hardly gives, the sweater does */
    int count = 0;
    assert_int_equal(strcmp(tl_mesh_parts(mesh, &count)[1].fabric, "sweater"), 0);
    assert_int_equal(count, 2);
    assert_int_equal(tl_mesh_part_of_triangle(mesh)[0], 0);
    assert_int_equal(tl_mesh_part_of_triangle(mesh)[FACES - 1], 1);
    tl_mesh_destroy(mesh);
}

static void wrong_parts_are_refused(void **state)
{
    (void)state;
    tl_vec3 x[3] = {v3(0, 0, 0), v3(1, 0, 0), v3(0, 1, 0)};
    const int face[3] = {0, 1, 2}, one = 1;
    tl_mesh_part part = part_of("denim", "wool");
    tl_mesh_def def = {.positions = x,
                       .vertex_count = 3,
                       .triangles = face,
                       .triangle_count = 1,
                       .parts = &part,
                       .part_count = 1,
                       .part_of_triangle = &one};
    tl_error error;
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "part 1 of 1"));
    part.shear = 0;
    assert_null(tl_mesh_create(&def, NULL, &error));
    assert_non_null(strstr(error.message, "not above 0"));
    def.parts = NULL;
    assert_null(tl_mesh_create(&def, NULL, &error));
    int count = 7;
    tl_mesh *plain = sheet(NULL, 0);
    assert_null(tl_mesh_parts(plain, &count));
    assert_int_equal(count, 0);
    assert_null(tl_mesh_part_of_triangle(plain));
    tl_mesh_destroy(plain);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_part_moves_like_its_fabric),
        cmocka_unit_test(halves_weigh_and_stretch_on_their_own),
        cmocka_unit_test(wrong_parts_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
