/* Materials: named sets of elements. */
#ifndef TL_WORLD_MATERIAL_H
#define TL_WORLD_MATERIAL_H

#include "step/stepper.h"
#include "telar/world.h"

extern const char *const tl_material_name_list[]; /* NULL-terminated; the last is "custom" */
const char *tl_material_help(const char *name);   /* NULL when there is none */

/* Hook of the cloth's parameters: choosing a fabric sets density, material and elements (world/fabric.h), choosing a
   material sets the elements' switches, changing a switch makes the material "custom". */
void tl_material_changed(void *cloth_def, const tl_param *param);

/* Sets name and switches; does nothing for an unknown name. */
void tl_material_choose(tl_cloth_def *def, const char *name);

/* Makes name and switches of a definition agree: a name changed alone sets the switches, switches that match no
   material make it "custom". */
void tl_material_resolve(tl_cloth_def *def);

/* Whether the cloth has the numbers of a fabric, which it is to behave by. */
bool tl_material_is_measured(const tl_cloth_def *def);

/* The stepper of a definition: where it is "automatic", one that takes the stiffness of fabrics as it is, or holds
   other cloth together at the least cost. */
const tl_stepper_class *tl_material_stepper(const tl_cloth_def *def);
#define TL_STEPPER_AUTOMATIC_HELP                                                                                      \
    "By the material: implicit-euler for a measured fabric, whose stiffness it takes as it is, xpbd for other cloth."

/* Substeps per second of a cloth that names neither their rate nor their number. */
double tl_material_substep_rate(const tl_cloth_def *def, const tl_stepper_class *stepper, int particles);

/* The element settings of a definition as an array in the order of TL_ELEMENTS. */
static inline tl_element_def *tl_element_array(tl_elements_def *elements) { return (tl_element_def *)elements; }

#endif
