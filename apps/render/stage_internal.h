/* The inside of a captured frame, shared by stage_frame.c and stage.c. */
#ifndef STAGE_INTERNAL_H
#define STAGE_INTERNAL_H

#include "render/stage.h"

typedef struct stage_frame_cloth {
    int count, capacity; /* vertices */
    float *positions, *normals, *scalars;
    bool has_scalars;
    const tl_fabric *fabric; /* of the library's table; NULL: none */
} stage_frame_cloth;

typedef struct stage_frame_pose {
    float position[3], rotation[4];
} stage_frame_pose;

struct stage_frame {
    uint64_t version;
    stage_frame_cloth *cloths;
    int cloth_count, cloth_capacity;
    stage_frame_pose *bodies;
    int body_count, body_capacity;
};

#endif
