/* Fuzzes OBJ files: any bytes give triangles with valid indices, which tl_mesh_create takes or refuses, or an error. */
#include <stdlib.h>

#include "io/mesh_file.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_error error;
    tl_triangles t;
    if (tl_obj_read((const char *)data, size, "fuzz.obj", &t, &error) != TL_OK)
        return 0;
    for (int i = 0; i < 3 * t.triangle_count; ++i)
        if (t.corners[i] < 0 || t.corners[i] >= t.vertex_count)
            abort();
    tl_mesh_destroy(tl_mesh_create(&(tl_mesh_def){.positions = t.positions,
                                                  .uv = t.has_uv ? t.uv : NULL,
                                                  .vertex_count = t.vertex_count,
                                                  .triangles = t.corners,
                                                  .triangle_count = t.triangle_count,
                                                  .repair = size % 2 == 0},
                                   NULL, &error));
    tl_triangles_free(&t);
    return 0;
}
