/* The table of element classes, made from the list in <telar/elements.h>: one class tl_element_<field> per line. */
#include "element/element_list.h"

#define TL_ELEMENT_DEFINE(field, path, unit, damping_unit, stiffness, damping, help)                                   \
    const char tl_element_path_##field[] = path;                                                                       \
    const char tl_element_help_##field[] = help;                                                                       \
    const char tl_element_unit_##field[] = unit;
TL_ELEMENTS(TL_ELEMENT_DEFINE)

#define TL_ELEMENT_ADDRESS(field, path, unit, damping_unit, stiffness, damping, help) &tl_element_##field,
const tl_element_class *const tl_element_classes[TL_ELEMENT_COUNT] = {TL_ELEMENTS(TL_ELEMENT_ADDRESS)};
