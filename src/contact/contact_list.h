/* The contact methods a cloth can be given, one line each in contact_list.c. */
#ifndef TL_CONTACT_CONTACT_LIST_H
#define TL_CONTACT_CONTACT_LIST_H

#include <stdbool.h>

typedef struct tl_contact_class {
    const char *name;
    const char *help;
    bool bodies; /* answers contact with the world's bodies (tl_contact_bodies, tl_surfaces_answer) */
    bool layers; /* and of the cloth with itself and with other cloth of such a method (tl_surfaces_answer) */
    bool safe;   /* and lets nothing cross that did not cross (tl_surfaces_bound) */
} tl_contact_class;

extern const tl_contact_class tl_contact_classes[];
extern const int tl_contact_class_count;
extern const char *const tl_contact_name_list[];           /* NULL-terminated, same order */
const tl_contact_class *tl_contact_find(const char *name); /* NULL when there is none */

#endif
