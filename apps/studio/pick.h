/* What is under the pointer: rays against the cloths and bodies of a captured frame. Nothing here touches the running
   world; bodies are asked for their distance in a small world of the picker's own. */
#ifndef STUDIO_PICK_H
#define STUDIO_PICK_H

#include "render/stage.h"

typedef struct picker picker;

/* Copies triangles and shapes; nobody may step the world meanwhile. NULL when memory is short. */
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
