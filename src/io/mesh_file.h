/* Triangles from a mesh file, before they become a tl_mesh. */
#ifndef TL_IO_MESH_FILE_H
#define TL_IO_MESH_FILE_H

#include "telar/io.h"

/* Maximum size of an OBJ file, bytes. */
#define TL_MESH_LARGEST_FILE ((size_t)1 << 30)

/* Growing arrays; zeroed is empty. The reader checks the indices. */
typedef struct tl_triangles {
    tl_vec3 *positions;
    tl_real *uv;    /* two per vertex */
    bool has_uv;    /* every corner of every face has texture coordinates */
    int no_uv_line; /* line of the first face without, when some have them and some not; 0: unknown */
    int vertex_count;
    int *corners; /* three per triangle */
    int triangle_count;
} tl_triangles;

void tl_triangles_free(tl_triangles *triangles);

/* Grows the array whose pointer is at `field` (of any type) for one more than `count` entries of `size` bytes, by
   doubling; false when memory is short. */
bool tl_triangles_grow(void *field, int count, size_t size);

/* Wavefront OBJ text. `file_name` is for messages. */
tl_result tl_obj_read(const char *text, size_t length, const char *file_name, tl_triangles *triangles, tl_error *error);

#ifdef TL_HAVE_ASSIMP
/* Every other format, through assimp. */
tl_result tl_assimp_read(const char *file_name, tl_triangles *triangles, tl_error *error);
#endif

#endif
