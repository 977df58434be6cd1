#include "world/material.h"

#include "world/fabric.h"

#include <math.h>
#include <string.h>

/* Substeps a second with which XPBD keeps the length of links to a percent: of a sheet of this many
   particles to a side and coarser, and growing with the root of the side, as corrections have farther to travel. */
#define COARSE_RATE 180.0
#define COARSE_SIDE 71.0

#define BIT(field) (1u << TL_ELEMENT_##field)

static const struct {
    const char *name, *help;
    unsigned elements;
} materials[] = {
    {"springs", "Structural, shear and bend links.",
     BIT(link_structural) | BIT(link_shear) | BIT(link_bend) | BIT(link_elastic)},
    {"springs20", "Links to the 20 nearest neighbours of a grid.", BIT(link_disc) | BIT(link_elastic)},
    {"continuum", "Stretch and shear of triangles, bend of edges.",
     BIT(continuum_stretch) | BIT(continuum_shear) | BIT(continuum_bend) | BIT(link_elastic)},
    {"fabric", "Orthotropic membrane and quadratic bending with the numbers of a measured fabric.",
     BIT(membrane_warp) | BIT(membrane_weft) | BIT(membrane_shear) | BIT(bend_quadratic) | BIT(link_elastic)},
    {"custom", "Any combination of elements.", 0},
};
enum { MATERIAL_COUNT = sizeof materials / sizeof *materials, CUSTOM = MATERIAL_COUNT - 1 };

const char *const tl_material_name_list[] = {"springs", "springs20", "continuum", "fabric", "custom", NULL};
_Static_assert(sizeof tl_material_name_list / sizeof *tl_material_name_list == MATERIAL_COUNT + 1,
               "one name per material");

const char *tl_material_help(const char *name)
{
    for (int k = 0; k < MATERIAL_COUNT; ++k)
        if (strcmp(materials[k].name, name) == 0)
            return materials[k].help;
    return NULL;
}

static unsigned switches(tl_cloth_def *def)
{
    unsigned bits = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (tl_element_array(&def->elements)[e].on)
            bits |= 1u << e;
    return bits;
}

void tl_material_resolve(tl_cloth_def *def)
{
    unsigned bits = switches(def);
    for (int k = 0; k < CUSTOM; ++k)
        if (strcmp(materials[k].name, def->material) == 0 && bits != materials[k].elements) {
            bool untouched = bits == materials[0].elements; /* as set by tl_cloth_def_default */
            for (int e = 0; e < TL_ELEMENT_COUNT && untouched; ++e)
                tl_element_array(&def->elements)[e].on = (materials[k].elements >> e & 1) != 0;
            if (!untouched)
                def->material = tl_material_name_list[CUSTOM];
            return;
        }
}

void tl_material_choose(tl_cloth_def *def, const char *name)
{
    for (int k = 0; k < MATERIAL_COUNT; ++k)
        if (strcmp(materials[k].name, name) == 0) {
            def->material = tl_material_name_list[k];
            for (int e = 0; e < TL_ELEMENT_COUNT && k < CUSTOM; ++e)
                tl_element_array(&def->elements)[e].on = (materials[k].elements >> e & 1) != 0;
        }
}

bool tl_material_is_measured(const tl_cloth_def *def)
{
    return tl_fabric_named(def->fabric) || strcmp(def->material, "fabric") == 0;
}

const tl_stepper_class *tl_material_stepper(const tl_cloth_def *def)
{
    if (strcmp(def->stepper, TL_STEPPER_AUTOMATIC) != 0)
        return tl_stepper_find(def->stepper);
    return tl_stepper_find(tl_material_is_measured(def) ? "implicit-euler" : "xpbd");
}

double tl_material_substep_rate(const tl_cloth_def *def, const tl_stepper_class *stepper, int particles)
{
    if (stepper->substep_rate > 0)
        return stepper->substep_rate;
    if (!stepper->holds_length || tl_material_is_measured(def))
        return TL_SUBSTEP_RATE;
    double finer = sqrt((double)particles) / COARSE_SIDE;
    return COARSE_RATE * sqrt(fmax(finer, 1));
}

static bool is_switch_of_element(const tl_param *param)
{
    size_t first = offsetof(tl_cloth_def, elements);
    return param->type == TL_PARAM_BOOL && param->offset >= first && param->offset < first + sizeof(tl_elements_def);
}

void tl_material_changed(void *cloth_def, const tl_param *param)
{
    tl_cloth_def *def = cloth_def;
    if (strcmp(param->path, "fabric") == 0) {
        tl_fabric_apply(def);
    } else if (strcmp(param->path, "substep_rate") == 0) {
        def->substeps = 0;
    } else if (strcmp(param->path, "material") == 0) {
        tl_material_choose(def, def->material);
    } else if (is_switch_of_element(param)) {
        def->material = tl_material_name_list[CUSTOM];
    }
}
