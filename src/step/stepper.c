#include "step/stepper.h"

#include <string.h>

#define TL_STEPPER(symbol, name) extern const tl_stepper_class tl_stepper_##symbol;
#include "step/stepper_list.inl"
#undef TL_STEPPER

const tl_stepper_class *const tl_stepper_classes[] = {
#define TL_STEPPER(symbol, name) &tl_stepper_##symbol,
#include "step/stepper_list.inl"
#undef TL_STEPPER
    NULL};

const char *const tl_stepper_choices[] = {TL_STEPPER_AUTOMATIC,
#define TL_STEPPER(symbol, name) name,
#include "step/stepper_list.inl"
#undef TL_STEPPER
                                          NULL};
const char *const *const tl_stepper_name_list = tl_stepper_choices + 1;

const tl_stepper_class *tl_stepper_find(const char *name)
{
    for (int k = 0; tl_stepper_classes[k]; ++k)
        if (strcmp(tl_stepper_classes[k]->name, name) == 0)
            return tl_stepper_classes[k];
    return NULL;
}
