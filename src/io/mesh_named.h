/* Meshes that have a name in place of a file. */
#ifndef TL_IO_MESH_NAMED_H
#define TL_IO_MESH_NAMED_H

#include "io/mesh_file.h"

/* A lobed closed body, made by numbers. */
tl_result tl_mesh_lobed(tl_triangles *out, tl_error *error);

/* Is it one of these, whatever folder stands in front of it? */
bool tl_mesh_is_named(const char *file_name);

#endif
