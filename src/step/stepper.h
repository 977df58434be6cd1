/* A stepper moves a cloth by one substep. Each is one class in its own file and one line in stepper_list.inl. */
#ifndef TL_STEP_STEPPER_H
#define TL_STEP_STEPPER_H

#include "step/system.h"

/* Substeps per second: of steppers that follow every wave of the cloth, and of those that solve a frame at once. Slow
   frames are divided, so that cloth sags alike at 24 and at 144 frames a second. */
enum { TL_SUBSTEP_RATE = 2400, TL_IMPLICIT_RATE = 60 };

typedef struct tl_stepper_class {
    const char *name;
    const char *help;
    const char *schedule; /* stages of a substep unless the cloth sets its own (step/schedule.h) */
    /* Allocates working memory; called when the stepper is chosen. NULL when it needs none. */
    tl_result (*prepare)(tl_system *system, tl_error *error);
    /* The step solves contact with bodies itself, through tl_system.body_contacts; the stage "contact" only handles the
       remainder. Contact between layers is solved through its matrix (step/layer_contact.h). */
    bool solves_contact;
    /* The step is the solution of equations linear in x around its start: cloth that turns far within it comes out
       stretched, and the step is divided (world/cloth_step.c). */
    bool linearizes;
    /* The step carries an acceleration over from the last one. A step that is taken again starts without it, so that a
       dynamic body would not receive its part. */
    bool multistep;
    int substep_rate;    /* per second, unless the cloth sets its own; 0: by the material (world/material.h) */
    bool holds_length;   /* keeps links at their length in any substep: few are enough unless stiffness is measured */
    double stable_angle; /* ω h up to which an undamped oscillation stays bounded; 0: in any substep */
    /* s per s of substep: damping over stiffness that makes up for the energy the stepper gains in every substep up to
       stable_angle. 0: it gains none. */
    double gain;
    /* Stage "model": forces or constraints of the current state. NULL when `integrate` does it itself. */
    void (*model)(tl_system *system, tl_real h);
    /* Stage "integrate": moves x and v by h seconds. */
    void (*integrate)(tl_system *system, tl_real h);
    /* Where the schedule merges both stages, saves x_old itself (tl_system.merged). */
    bool merges;
} tl_stepper_class;

extern const tl_stepper_class *const tl_stepper_classes[];
extern const char *const *const tl_stepper_name_list; /* NULL-terminated */
/* What a cloth may name: the same and "automatic", which leaves the choice to the cloth's material
   (world/material.h). */
#define TL_STEPPER_AUTOMATIC "automatic"
extern const char *const tl_stepper_choices[];
const tl_stepper_class *tl_stepper_find(const char *name); /* NULL when there is none */

#endif
