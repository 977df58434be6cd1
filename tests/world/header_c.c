/* The public headers are self-contained in C. CMakeLists.txt also compiles each of them alone. */
#include <telar/telar.h>

#include <telar/io.h>

#include <stdio.h>

int main(void)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_grid(4, 4, 1, 1);
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : NULL;
    bool moved = cloth && tl_world_step(world, (tl_real)0.01) == TL_OK && tl_cloth_positions(cloth)[5].y < 1;
    if (!moved)
        fprintf(stderr, "%s\n", world ? tl_last_error(world) : error.message);
    tl_world_destroy(world);
    return moved ? 0 : 1;
}
