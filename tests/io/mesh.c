/* Mesh files: OBJ features, other formats, and OBJ written and read back. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <cmocka.h>

#include "io/bunny.h"
#include "io/mesh_clip.h"
#include "io/mesh_file.h"
#include "telar/io.h"

static tl_mesh *load(const char *name, const tl_mesh_source_def *source)
{
    char path[512];
    tl_error error = {.code = TL_OK};
    snprintf(path, sizeof path, "%s%s", *name == '/' ? "" : TL_TEST_DATA "/meshes/", name);
    tl_mesh *mesh = tl_mesh_load(path, source, &error);
    if (!mesh && error.code != TL_ERROR_UNSUPPORTED)
        fail_msg("%s", error.message);
    return mesh;
}

static void quads_negative_indices_and_continued_lines(void **state)
{
    (void)state;
    static const int expected[] = {0, 1, 4, 0, 4, 3, 1, 2, 5, 1, 5, 4};
    tl_mesh *mesh = load("quads.obj", NULL);
    assert_int_equal(tl_mesh_vertex_count(mesh), 6);
    assert_int_equal(tl_mesh_triangle_count(mesh), 4);
    assert_memory_equal(tl_mesh_triangles(mesh), expected, sizeof expected);
    assert_true(tl_mesh_vertices(mesh)[4].x == 1 && tl_mesh_vertices(mesh)[4].y == 1);
    assert_true(tl_mesh_uv(mesh)[2] == (tl_real)0.5);
    assert_true(fabs((double)tl_mesh_area(mesh) - 2) < 1e-6);
    tl_mesh_destroy(mesh);
}

static void positions_are_scaled_and_texture_can_be_the_rest_shape(void **state)
{
    (void)state;
    tl_mesh_source_def source = {.rest = "uv", .uv_scale = 3, .scale = (tl_real)0.5};
    tl_mesh *mesh = load("quads.obj", &source);
    assert_true(tl_mesh_vertices(mesh)[2].x == 1);
    assert_true(fabs((double)tl_mesh_area(mesh) - 9) < 1e-5);
    tl_mesh_destroy(mesh);
}

static void polygons_become_fans(void **state)
{
    (void)state;
    static const int expected[] = {0, 1, 2, 0, 2, 3, 0, 3, 4};
    tl_mesh *mesh = load("pentagon.obj", NULL);
    assert_int_equal(tl_mesh_triangle_count(mesh), 3);
    assert_memory_equal(tl_mesh_triangles(mesh), expected, sizeof expected);
    assert_null(tl_mesh_uv(mesh));
    tl_mesh_destroy(mesh);
}

static void seams_append_vertices_that_weld_again(void **state)
{
    (void)state;
    static const int expected[] = {0, 1, 2, 4, 3, 5};
    tl_mesh *mesh = load("seam.obj", NULL);
    assert_int_equal(tl_mesh_vertex_count(mesh), 6);
    assert_int_equal(tl_mesh_particle_count(mesh), 4);
    assert_memory_equal(tl_mesh_triangles(mesh), expected, sizeof expected);
    assert_true(tl_mesh_vertices(mesh)[4].x == 1 && tl_mesh_vertices(mesh)[4].y == 0);
    assert_true(tl_mesh_uv(mesh)[8] == 5 && tl_mesh_uv(mesh)[9] == 5);
    tl_mesh_destroy(mesh);
}

static void other_formats_come_through_assimp(void **state)
{
    (void)state;
    tl_mesh *mesh = load("triangle.ply", NULL);
    if (!mesh)
        skip(); /* a build without assimp */
    assert_int_equal(tl_mesh_triangle_count(mesh), 2);
    assert_int_equal(tl_mesh_particle_count(mesh), 4);
    assert_true(fabs((double)tl_mesh_area(mesh) - 1) < 1e-6);
    tl_mesh_destroy(mesh);
}

/* The two arrays of npm's bunny, brought to the size of the other one. */
static void npm_arrays_are_read_and_fitted(void **state)
{
    (void)state;
    static const char good[] =
        "exports.positions=[[0,0,0],[4,0,0],[0,2,0],[0,0,2]]\nexports.cells=[[0,2,1],[0,1,3],[1,2,3],[0,3,2]]\n";
    static const char *const wrong[] = {"",
                                        "exports.positions=[[0,0,0]]",
                                        "exports.positions=[[0,0]]\nexports.cells=[[0,0,0]]",
                                        "exports.positions=[[0,0,0]]\nexports.cells=[[0,0,1]]",
                                        "exports.positions=[[0,0,0]]\nexports.cells=[[0,0,-1]]",
                                        "exports.positions=[[0,0,"};
    tl_triangles triangles = {.positions = NULL};
    tl_error error = {.code = TL_OK};
    assert_int_equal(tl_bunny_read(good, strlen(good), "index.js", &triangles, &error), TL_OK);
    assert_int_equal(triangles.vertex_count, 4);
    assert_int_equal(triangles.triangle_count, 4);
    assert_true(triangles.positions[1].x == 1 && triangles.positions[1].y == (tl_real)-0.5);
    assert_int_equal(triangles.corners[4], 1);
    tl_triangles_free(&triangles);
    for (size_t k = 0; k < sizeof wrong / sizeof *wrong; ++k) {
        assert_int_equal(tl_bunny_read(wrong[k], strlen(wrong[k]), "index.js", &triangles, &error), TL_ERROR_INPUT);
        assert_non_null(strstr(error.message, "index.js"));
        tl_triangles_free(&triangles);
    }
    tl_mesh *mesh = load("bunny", NULL); /* from a package or procedural: always available */
    assert_true(tl_mesh_triangle_count(mesh) > 1000);
    tl_mesh_destroy(mesh);
}

static void write_square(const char *folder, int number, double height, bool whole)
{
    char path[300];
    snprintf(path, sizeof path, "%s/s%02d.obj", folder, number);
    FILE *file = fopen(path, "w");
    assert_non_null(file);
    fprintf(file, "v 0 %g 0\nv 1 %g 0\nv 1 %g 1\nv 0 %g 1\n%s", height, height, height, height,
            whole ? "f 1 2 3\nf 1 3 4\n" : "f 1 2 4\nf 2 3 4\n");
    fclose(file);
}

/* # in a name: the shapes of a body, one file each. */
static void rows_of_files_become_shapes(void **state)
{
    (void)state;
    char folder[] = "/tmp/telar-clip-XXXXXX", name[300];
    assert_non_null(mkdtemp(folder));
    for (int k = 1; k <= 3; ++k)
        write_square(folder, k, k, true);
    snprintf(name, sizeof name, "%s/s##.obj", folder);
    assert_true(tl_mesh_is_clip(name));
    assert_false(tl_mesh_is_clip("a#b/c.obj"));
    tl_vec3 *shapes;
    int count;
    tl_error error = {.code = TL_OK};
    tl_mesh *mesh = tl_mesh_clip_load(name, NULL, &shapes, &count, &error);
    assert_non_null(mesh);
    assert_int_equal(count, 3);
    assert_true(shapes[0].y == 1 && shapes[4].y == 2 && shapes[11].y == 3 && shapes[11].z == 1);
    tl_mesh_destroy(mesh);
    free(shapes);
    write_square(folder, 2, 2, false); /* other triangles */
    assert_null(tl_mesh_clip_load(name, NULL, &shapes, &count, &error));
    assert_non_null(strstr(error.message, "number 2"));
    for (int k = 1; k <= 3; ++k) {
        char path[300];
        snprintf(path, sizeof path, "%s/s%02d.obj", folder, k);
        remove(path);
    }
    assert_null(tl_mesh_clip_load(name, NULL, &shapes, &count, &error));
    assert_int_equal(error.code, TL_ERROR_FILE);
    remove(folder);
}

static void many_seams_grow_the_vertices(void **state)
{
    (void)state;
    /* a fan around one vertex, each face with texture coordinates of its own */
    enum { FACES = 200 };
    char *text = malloc(FACES * 200), *at = text;
    at += sprintf(at, "v 0 0 0\n");
    for (int i = 0; i <= FACES; ++i)
        at += sprintf(at, "v %g %g 0\nvt %d 0\n", cos(i * 0.02), sin(i * 0.02), i);
    for (int i = 0; i < FACES; ++i)
        at += sprintf(at, "f 1/%d %d/%d %d/%d\n", i + 1, i + 2, i + 1, i + 3, i + 2);
    tl_triangles triangles;
    tl_error error;
    assert_int_equal(tl_obj_read(text, strlen(text), "fan.obj", &triangles, &error), TL_OK);
    assert_int_equal(triangles.vertex_count, FACES + 2 + FACES - 1);
    for (int i = 0; i < FACES; ++i)
        assert_true(triangles.uv[2 * triangles.corners[3 * i]] == (tl_real)i);
    tl_triangles_free(&triangles);
    free(text);
}

/* A world of two cloths as OBJ and back: same counts, same positions to the last bit. */
static void written_obj_reads_back_exactly(void **state)
{
    (void)state;
    tl_error error = {.code = TL_OK};
    tl_world_def def = tl_world_def_default();
    tl_world *world = tl_world_create(&def, &error);
    assert_non_null(world);
    tl_cloth_def first = tl_cloth_def_grid(5, 4, 1, (tl_real)0.77), second = tl_cloth_def_grid(3, 3, 1, 1);
    second.center = (tl_vec3){3, 1, (tl_real)0.1};
    assert_non_null(tl_cloth_create(world, &first));
    assert_non_null(tl_cloth_create(world, &second));
    for (int i = 0; i < 5; ++i)
        assert_int_equal(tl_world_step(world, (tl_real)0.01), TL_OK);
    char folder[] = "/tmp/telar-test-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/all.obj", folder);
    assert_int_equal(tl_write_obj(world, path, &error), TL_OK);
    tl_mesh *mesh = load(path, NULL);
    assert_int_equal(tl_mesh_vertex_count(mesh), 29);
    assert_int_equal(tl_mesh_triangle_count(mesh), 24 + 8);
    assert_memory_equal(tl_mesh_vertices(mesh), tl_cloth_positions(tl_world_cloth(world, 0)), 20 * sizeof(tl_vec3));
    assert_memory_equal(tl_mesh_vertices(mesh) + 20, tl_cloth_positions(tl_world_cloth(world, 1)), 9 * sizeof(tl_vec3));
    assert_non_null(tl_mesh_uv(mesh));
    tl_mesh_destroy(mesh);
    remove(path);
    rmdir(folder);
    assert_int_equal(tl_write_obj(world, "/dev/full", &error), TL_ERROR_FILE);
    assert_non_null(strstr(error.message, "/dev/full: cannot be written: No space left"));
    assert_int_equal(tl_write_obj(world, "/nowhere/x.obj", &error), TL_ERROR_FILE);
    tl_world_destroy(world);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(quads_negative_indices_and_continued_lines),
        cmocka_unit_test(positions_are_scaled_and_texture_can_be_the_rest_shape),
        cmocka_unit_test(polygons_become_fans),
        cmocka_unit_test(seams_append_vertices_that_weld_again),
        cmocka_unit_test(other_formats_come_through_assimp),
        cmocka_unit_test(npm_arrays_are_read_and_fitted),
        cmocka_unit_test(rows_of_files_become_shapes),
        cmocka_unit_test(many_seams_grow_the_vertices),
        cmocka_unit_test(written_obj_reads_back_exactly),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
