#include "collide/shapes/shapes.h"

#include <string.h>

#define TL_SHAPE(name) &tl_shape_##name,
const tl_shape_class *const tl_shape_classes[] = {
#include "collide/shapes/shape_list.inl"
};
#undef TL_SHAPE

#define TL_SHAPE(name) #name,
const char *const tl_shape_name_list[] = {
#include "collide/shapes/shape_list.inl"
    TL_SHAPE_MESH, NULL};
#undef TL_SHAPE

const int tl_shape_class_count = (int)(sizeof tl_shape_classes / sizeof tl_shape_classes[0]);

const tl_shape_class *tl_shape_find(const char *name)
{
    for (int k = 0; name && k < tl_shape_class_count; ++k)
        if (strcmp(tl_shape_classes[k]->name, name) == 0)
            return tl_shape_classes[k];
    return NULL;
}
