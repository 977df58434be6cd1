/* The public headers from C++: they compile without a warning, and the names have C linkage. */
#include <telar/telar.h>

#include <telar/io.h>

#include <cstdio>
#include <cstring>
#include <type_traits>

static_assert(std::is_trivially_copyable<tl_cloth_def>::value, "definitions are plain data");
static_assert(std::is_standard_layout<tl_cloth_def>::value, "definitions have the layout of C");
static_assert(sizeof(tl_vec3) == 3 * sizeof(tl_real), "vectors are three numbers");

int main()
{
    tl_error error = {};
    tl_world_def world_def = tl_world_def_default();
    tl_world *world = tl_world_create(&world_def, &error);
    tl_cloth_def def = tl_cloth_def_grid(4, 4, 1, 1);
    tl_cloth *cloth = world ? tl_cloth_create(world, &def) : nullptr;
    bool moved = cloth && tl_world_step(world, tl_real(0.01)) == TL_OK && tl_cloth_positions(cloth)[5].y < 1;
    if (!moved)
        std::fprintf(stderr, "%s\n", world ? tl_last_error(world) : error.message);
    bool same = std::strcmp(tl_version(), TL_VERSION) == 0 && TL_ELEMENT_COUNT > 0 &&
                tl_element_names()[TL_ELEMENT_COUNT] == nullptr;
    tl_world_destroy(world);
    return moved && same ? 0 : 1;
}
