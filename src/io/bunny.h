/* The Stanford bunny from an installed package; tl_mesh_bunny is public. */
#ifndef TL_IO_BUNNY_H
#define TL_IO_BUNNY_H

#include "io/mesh_file.h"

/* The text of npm's `bunny`. */
tl_result tl_bunny_read(const char *text, size_t length, const char *file_name, tl_triangles *out, tl_error *error);

#endif
