/* Meshes that have a name in place of a file. */
#ifndef TL_IO_MESH_NAMED_H
#define TL_IO_MESH_NAMED_H

#include "io/mesh_file.h"

/* True when the name is one that is made by numbers; *result tells whether that went well. "bunny" is, when no package
 * brought it. */
bool tl_mesh_named(const char *name, tl_triangles *out, tl_result *result, tl_error *error);

#endif
