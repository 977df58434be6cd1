#include "contact/contact_list.h"

#include <stddef.h>
#include <string.h>

/* clang-format off */
#define CONTACTS(X) \
    X("bodies", "The path of every particle is stopped at the surface of every body, with friction and restitution.", true, false, false) \
    X("fast", "As bodies, and the cloth meets itself and other cloth; what crosses is pulled apart. For games.", true, true, false) \
    X("safe", "As fast, and no state without crossings ever gets one: every particle's way is bounded by the distances around it.", true, true, true) \
    X("off", "The cloth passes through everything.", false, false, false)
/* clang-format on */

#define CLASS(name, help, bodies, layers, safe) {name, help, bodies, layers, safe},
const tl_contact_class tl_contact_classes[] = {CONTACTS(CLASS)};
#undef CLASS

#define NAME(name, help, bodies, layers, safe) name,
const char *const tl_contact_name_list[] = {CONTACTS(NAME) NULL};
#undef NAME

const int tl_contact_class_count = (int)(sizeof tl_contact_classes / sizeof tl_contact_classes[0]);

const tl_contact_class *tl_contact_find(const char *name)
{
    for (int k = 0; name && k < tl_contact_class_count; ++k)
        if (strcmp(tl_contact_classes[k].name, name) == 0)
            return &tl_contact_classes[k];
    return NULL;
}
