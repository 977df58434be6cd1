/* A stepper moves a cloth by one substep. Each is one class in its own file and one line in stepper_list.inl. */
#ifndef TL_STEP_STEPPER_H
#define TL_STEP_STEPPER_H

#include "step/system.h"

typedef struct tl_stepper_class {
    const char *name;
    const char *help;
    const char *schedule; /* stages of a substep unless the cloth sets its own (step/schedule.h) */
    /* Allocates working memory; called when the stepper is chosen. NULL when it needs none. */
    tl_result (*prepare)(tl_system *system, tl_error *error);
    /* The step solves contact with bodies itself, through tl_system.body_contacts; the stage "contact" only handles the
       remainder. Contact between layers is solved through its matrix (step/layer_contact.h). */
    bool solves_contact;
    /* Stage "model": forces or constraints of the current state. NULL when `integrate` does it itself. */
    void (*model)(tl_system *system, tl_real h);
    /* Stage "integrate": moves x and v by h seconds. */
    void (*integrate)(tl_system *system, tl_real h);
    /* Where the schedule merges both stages, saves x_old itself (tl_system.merged). */
    bool merges;
} tl_stepper_class;

extern const tl_stepper_class *const tl_stepper_classes[];
extern const char *const tl_stepper_name_list[];           /* NULL-terminated */
const tl_stepper_class *tl_stepper_find(const char *name); /* NULL when there is none */

#endif
