/* Internals of a captured frame, shared by stage_frame.c and stage.c. */
#ifndef STAGE_INTERNAL_H
#define STAGE_INTERNAL_H

#include "render/stage.h"

typedef struct stage_frame_cloth {
    int count, capacity; /* vertices */
    float *positions, *normals, *scalars;
    bool has_scalars;
    const tl_fabric *fabric; /* of the library's table; NULL: none */
    unsigned char *crossing; /* per triangle, scratch of an overlay; NULL until first needed */
    int crossing_capacity;
} stage_frame_cloth;

typedef struct stage_moved_body {
    bool on; /* else it collides with nothing and is not drawn */
    float position[3], rotation[4];
    int count, capacity; /* vertices of a deforming body, in its own frame; 0: rigid */
    tl_vec3 *vertices;   /* as read from the library */
    float *shape;
} stage_moved_body;

struct stage_frame {
    uint64_t version;
    stage_frame_cloth *cloths;
    int cloth_count, cloth_capacity;
    stage_moved_body *bodies;
    int body_count, body_capacity;
};

#endif
