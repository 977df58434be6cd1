/* The contact methods a cloth can be given, one entry each in contact_method.c. */
#ifndef TL_CONTACT_CONTACT_METHOD_H
#define TL_CONTACT_CONTACT_METHOD_H

#include "contact/cloth/phases.h"

typedef struct tl_contact_method {
    const char *name;
    const char *help;
    bool bodies;           /* contact with the world's bodies */
    bool self_collision;   /* and of the cloth with itself and with other cloth of such a method */
    bool penetration_free; /* and nothing ever crosses that did not cross */
    /* Of a substep between meshes, in order; NULL-terminated. Where cloths of several methods meet, the phases of the
       one that comes last in the list of methods run for all. */
    const tl_contact_phase *const *phases;
} tl_contact_method;

extern const tl_contact_method tl_contact_methods[];
extern const int tl_contact_method_count;
extern const char *const tl_contact_name_list[];            /* NULL-terminated, same order */
extern const char *const tl_contact_aliases[];              /* short words for them, as tl_param has aliases */
const tl_contact_method *tl_contact_find(const char *name); /* NULL when there is none */

#endif
