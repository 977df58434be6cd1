/* The contact methods of cloth, one entry each in contact_method.c. */
#ifndef TL_CONTACT_CONTACT_METHOD_H
#define TL_CONTACT_CONTACT_METHOD_H

#include "contact/cloth/phases.h"

typedef struct tl_contact_method {
    const char *name;
    const char *help;
    bool bodies;           /* contact with the world's bodies */
    bool self_collision;   /* and of the cloth with itself and other self-colliding cloth */
    bool penetration_free; /* and a state without crossings never gets one */
    /* Phases of a substep of contact between meshes, in order; NULL-terminated. In a world with several methods, the
       phases of the last of them in the table run for all. */
    const tl_contact_phase *const *phases;
} tl_contact_method;

extern const tl_contact_method tl_contact_methods[];
extern const int tl_contact_method_count;
extern const char *const tl_contact_name_list[];            /* NULL-terminated, same order */
extern const char *const tl_contact_aliases[];              /* aliases, as in tl_param */
const tl_contact_method *tl_contact_find(const char *name); /* NULL when there is none */

#endif
