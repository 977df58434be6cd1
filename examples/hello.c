/* A sheet falls on a ball: Telar in thirty lines. */
#include <stdio.h>
#include <telar/telar.h>

int main(void)
{
    tl_error error;
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, &error);
    if (!world)
        return fprintf(stderr, "%s\n", error.message), 1;
    tl_world_add_sphere(world, (tl_vec3){0, 0.5f, 0}, 0.5f, 0.4f); /* centre, radius, friction */
    tl_world_add_plane(world, (tl_vec3){0, 0, 0}, (tl_vec3){0, 1, 0}, 0.4f);

    tl_cloth_def def = tl_cloth_def_grid(31, 31, 2, 2); /* particles, metres */
    def.center = (tl_vec3){0.01f, 1.2f, 0.02f};
    tl_cloth *cloth = tl_cloth_create(world, &def);
    if (!cloth)
        return fprintf(stderr, "%s\n", tl_last_error(world)), 1;
    for (int frame = 0; frame < 120; ++frame)
        if (tl_world_step(world, 1.0f / 60) != TL_OK)
            return fprintf(stderr, "%s\n", tl_last_error(world)), 1;
    const tl_vec3 *x = tl_cloth_positions(cloth);
    printf("corner at %.3f %.3f %.3f after %.1f s\n", (double)x[0].x, (double)x[0].y, (double)x[0].z,
           tl_world_time(world));
    tl_world_destroy(world);
    return 0;
}
