/* Loads the default scene, steps it once, and says how large a number is and where the scene came from. */
#include <stdio.h>
#include <telar/io.h>

int main(void)
{
    tl_error error;
    tl_scene *scene = tl_scene_load("", &error);
    tl_world *world = scene ? tl_scene_build(scene, &error) : NULL;
    if (!world)
        return fprintf(stderr, "%s\n", error.message), 1;
    if (tl_world_step(world, (tl_real)0.01) != TL_OK)
        return fprintf(stderr, "%s\n", tl_last_error(world)), 1;
    printf("%zu %g %s\n", sizeof(tl_real), tl_world_time(world), tl_scene_file(scene));
    tl_scene_destroy(scene);
    return 0;
}
