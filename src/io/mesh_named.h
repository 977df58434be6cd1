/* Meshes that have a name instead of a file. */
#ifndef TL_IO_MESH_NAMED_H
#define TL_IO_MESH_NAMED_H

#include "io/mesh_file.h"

/* True when the name is a procedural mesh; *result tells whether it was made. "bunny" is one when no package provides
   it. */
bool tl_mesh_named(const char *name, tl_triangles *out, tl_result *result, tl_error *error);

#endif
