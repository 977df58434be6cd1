/* Picking: rays against the cloths and bodies of a captured frame. The running world is not accessed; distances to
   bodies are evaluated in a small separate world. */
#ifndef STUDIO_PICK_H
#define STUDIO_PICK_H

#include "render/stage.h"

typedef struct picker picker;

/* Copies triangles and shapes; the world must not step meanwhile. NULL when memory is short. */
picker *picker_create(tl_world *world);
void picker_destroy(picker *p);

typedef enum pick_kind { PICK_NOTHING, PICK_CLOTH, PICK_BODY } pick_kind;

typedef struct pick {
    pick_kind kind;
    int object;     /* cloth or body */
    int vertex;     /* of the cloth, nearest to the point */
    float distance; /* m, along the ray */
    float point[3]; /* m */
} pick;

pick picker_cast(const picker *p, const stage_frame *frame, const float origin[3], const float direction[3]);

#endif
