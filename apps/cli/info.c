/* `telar info`: contents of a scene, mesh or cache file. */
#include "cli/cli.h"

#include <string.h>

static bool ends_with(const char *text, const char *ending)
{
    size_t length = strlen(text), tail = strlen(ending);
    return length >= tail && strcmp(text + length - tail, ending) == 0;
}

static int info_cache(const char *name)
{
    tl_cache_data data;
    tl_error error;
    if (tl_cache_read(name, &data, &error) != TL_OK)
        return cli_fail(EXIT_USAGE, "%s", error.message);
    printf("cache of %d vertices, %d frames", data.vertex_count, data.frame_count);
    if (data.fps > 0) /* PC2 does not store it */
        printf(", %g frames per second", (double)data.fps);
    putchar('\n');
    tl_cache_free(&data);
    return EXIT_DONE;
}

static int info_mesh(const char *name)
{
    tl_error error;
    tl_mesh *mesh = tl_mesh_load(name, NULL, &error);
    if (!mesh)
        return cli_fail(EXIT_USAGE, "%s", error.message);
    printf("mesh of %d vertices (%d particles after welding), %d triangles, %d edges, %g m²%s\n",
           tl_mesh_vertex_count(mesh), tl_mesh_particle_count(mesh), tl_mesh_triangle_count(mesh),
           tl_mesh_edge_count(mesh), (double)tl_mesh_area(mesh), tl_mesh_uv(mesh) ? ", with texture coordinates" : "");
    tl_mesh_destroy(mesh);
    return EXIT_DONE;
}

static int info_scene(const char *name)
{
    tl_scene *scene = cli_load_scene(name);
    tl_world *world = scene ? cli_build_scene(scene, false) : NULL;
    if (!world) {
        tl_scene_destroy(scene);
        return EXIT_USAGE;
    }
    const tl_scene_def *info = tl_scene_info(scene);
    printf("%s\n%s\n%d frames at %g per second\n", cli_title(scene), info->description, info->frames,
           (double)info->fps);
    for (int k = 0; k < tl_world_cloth_count(world); ++k) {
        tl_cloth *cloth = tl_world_cloth(world, k);
        const tl_cloth_def *def = tl_cloth_get_def(cloth);
        tl_cloth_stats s = tl_cloth_get_stats(cloth);
        printf("%s: %d particles, %d links, %d faces; %s under %s, %d substeps, contact %s; %zu bytes, %.0f per "
               "particle\n",
               def->label, s.particles, s.links, s.faces, def->material, tl_cloth_stepper(cloth), def->substeps,
               def->contact, s.bytes, (double)s.bytes / s.particles);
    }
    for (int k = 0; k < tl_world_body_count(world); ++k) {
        const tl_body_def *def = tl_body_get_def(tl_world_body(world, k));
        printf("%s: %s", def->label, def->shape);
        if (def->mesh)
            printf(" of %d triangles", tl_mesh_triangle_count(def->mesh));
        if (def->mesh && strcmp(def->label, "bunny") == 0)
            printf(", %s", tl_mesh_bunny() ? tl_mesh_bunny() : "a procedural lobed body, no bunny found");
        putchar('\n');
    }
    tl_scene_destroy(scene);
    return EXIT_DONE;
}

static int command(int count, char **arguments)
{
    cli_options options = {.count = count, .arguments = arguments};
    if (!cli_next(&options) || options.name)
        return cli_fail(EXIT_USAGE, "info on what? %s", cli_info.arguments);
    const char *name = options.word;
    if (cli_next(&options))
        return cli_unknown(&options, &cli_info);
    if (ends_with(name, ".pc2") || ends_with(name, ".mdd"))
        return info_cache(name);
    const char *dot = strrchr(name, '.');
    if (dot && !strchr(dot, '/') && strcmp(dot, ".json") != 0)
        return info_mesh(name);
    return info_scene(name);
}

const cli_command cli_info = {
    .name = "info",
    .arguments = "FILE",
    .summary = "Describes a scene, mesh or cache, with memory per particle.",
    .run = command,
};
