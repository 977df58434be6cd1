/* Declares each class of the list in <telar/elements.h> and its texts, so that an element's file need not repeat
 them. */
#ifndef TL_ELEMENT_ELEMENT_LIST_H
#define TL_ELEMENT_ELEMENT_LIST_H

#include "element/element.h"

#define TL_ELEMENT_DECLARE(field, path, unit, damping_unit, stiffness, damping, help)                                  \
    extern const tl_element_class tl_element_##field;                                                                  \
    extern const char tl_element_path_##field[], tl_element_help_##field[], tl_element_unit_##field[];
TL_ELEMENTS(TL_ELEMENT_DECLARE)
#undef TL_ELEMENT_DECLARE

/* Initializers of a class's first members. */
#define TL_ELEMENT_TEXTS(field)                                                                                        \
    .path = tl_element_path_##field, .help = tl_element_help_##field, .unit = tl_element_unit_##field

#endif
