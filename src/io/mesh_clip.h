/* Animated shapes of a mesh body, from a sequence of mesh files. */
#ifndef TL_IO_MESH_CLIP_H
#define TL_IO_MESH_CLIP_H

#include "telar/io.h"

/* Whether the name is a sequence of files: a run of # stands for 0, 1, 2 … or 1, 2, 3 … with as many digits. */
bool tl_mesh_is_clip(const char *file_name);

/* The first mesh of the sequence, and in *shapes the vertices of all of them in order, freed by the caller. All must
   have the same triangles. NULL on error. */
tl_mesh *tl_mesh_clip_load(const char *file_name, const tl_mesh_source_def *source, tl_vec3 **shapes, int *count,
                           tl_error *error);

#endif
