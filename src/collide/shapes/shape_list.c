/* The table of shapes, made from shape_list.inl, and the functions of <telar/shapes.h>. */
#include "collide/shapes/shapes.h"

#include "core/memory.h"

#include <string.h>

#define TL_SHAPE(name, size) &tl_shape_##name,
const tl_shape_class *const tl_shape_classes[] = {
#include "collide/shapes/shape_list.inl"
};
#undef TL_SHAPE

#define TL_SHAPE(name, size) #name,
const char *const tl_shape_name_list[] = {
#include "collide/shapes/shape_list.inl"
    TL_SHAPE_MESH, NULL};
#undef TL_SHAPE

#define TL_SHAPE(name, size) size,
static const char *const size_help[] = {
#include "collide/shapes/shape_list.inl"
    TL_SHAPE_MESH_SIZE};
#undef TL_SHAPE

const int tl_shape_class_count = (int)(sizeof tl_shape_classes / sizeof tl_shape_classes[0]);

const tl_shape_class *tl_shape_find(const char *name)
{
    for (int k = 0; name && k < tl_shape_class_count; ++k)
        if (strcmp(tl_shape_classes[k]->name, name) == 0)
            return tl_shape_classes[k];
    return NULL;
}

const char *const *tl_shape_names(void) { return tl_shape_name_list; }

const char *tl_shape_size_help(const char *shape)
{
    for (int k = 0; shape && tl_shape_name_list[k]; ++k)
        if (strcmp(tl_shape_name_list[k], shape) == 0)
            return size_help[k];
    return NULL;
}

bool tl_shape_bottomless(const char *shape)
{
    const tl_shape_class *known = tl_shape_find(shape);
    return known && known->bottomless;
}

tl_result tl_shape_triangles(const char *shape, tl_vec3 size, int detail, tl_shape_mesh *mesh, tl_error *error)
{
    const tl_shape_class *known = tl_shape_find(shape);
    if (!known)
        return tl_fail(error, TL_ERROR_INPUT, "shape '%s' has no triangles of its own", shape ? shape : "");
    const char *wrong = known->check(size);
    if (wrong)
        return tl_fail(error, TL_ERROR_INPUT, "%s: %s", shape, wrong);
    if (detail < TL_SHAPE_LEAST_DETAIL || detail > TL_SHAPE_MOST_DETAIL)
        return tl_fail(error, TL_ERROR_INPUT, "%s: %d segments are not between %d and %d", shape, detail,
                       TL_SHAPE_LEAST_DETAIL, TL_SHAPE_MOST_DETAIL);
    tl_shape_mesh counted = {0};
    known->mesh(size, detail, &counted);
    if (mesh->positions && mesh->normals && mesh->triangles && mesh->vertex_count >= counted.vertex_count &&
        mesh->triangle_count >= counted.triangle_count)
        known->mesh(size, detail, mesh);
    mesh->vertex_count = counted.vertex_count;
    mesh->triangle_count = counted.triangle_count;
    mesh->radius = counted.radius;
    return TL_OK;
}
