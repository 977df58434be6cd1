/* The mechanical system of one cloth as a stepper sees it: particles, elements, gravity, air. */
#ifndef TL_STEP_SYSTEM_H
#define TL_STEP_SYSTEM_H

#include "core/tasks.h"
#include "element/element.h"
#include "element/gas.h"

typedef struct tl_system tl_system;
typedef struct tl_position tl_position;         /* step/position.h */
typedef struct tl_strain_limit tl_strain_limit; /* step/strain_limit.h */
typedef struct tl_sewing tl_sewing;             /* step/sewing.h */

/* Settings of position-based steppers besides the elements. */
typedef struct tl_position_settings {
    tl_real range_low, range_high; /* 1, range of length over rest length in which the range stepper does nothing */
    tl_real loss;                  /* 1, fraction of a correction that the projection stepper leaves out */
    bool halves;                   /* that stepper shares corrections by halves, whatever the masses */
    bool tether;                   /* long-range attachments to pinned particles */
    bool multilevel;               /* coarse-to-fine sweep */
    int extra_sweeps;              /* additional sweeps over the structural links of cloth without tethers */
} tl_position_settings;

/* Strain limiting, step/strain_limit.h. */
typedef struct tl_strain_limit_settings {
    bool on;
    tl_real stretch[2]; /* 1, largest strain along warp and weft */
    int passes;         /* per substep */
} tl_strain_limit_settings;
typedef struct tl_implicit tl_implicit;                     /* step/implicit.h */
typedef struct tl_body_contacts tl_body_contacts;           /* contact/body/body_contacts.h */
typedef struct tl_contact_constraint tl_contact_constraint; /* contact/body/contact_constraint.h */

typedef enum tl_preconditioner {
    TL_CONDITION_BLOCKS,   /* the inverse of every diagonal block */
    TL_CONDITION_SWEEP,    /* a symmetric sweep of Gauss–Seidel */
    TL_CONDITION_MULTIGRID /* step/multigrid.h */
} tl_preconditioner;

/* Settings of implicit steppers. */
typedef struct tl_implicit_settings {
    int newton;        /* Newton iterations per substep */
    int iterations;    /* maximum conjugate gradient iterations */
    tl_real tolerance; /* 1, of their residual */
    tl_preconditioner preconditioner;
} tl_implicit_settings;

/* History of multistep steppers: x and v one substep ago, then x and v as the step left them. Later changes of these
   are not part of the step (step/bdf2.c). */
enum { TL_PAST_X = 0, TL_PAST_V = 3, TL_LEFT_X = 6, TL_LEFT_V = 9, TL_HISTORY = 12 };

struct tl_system {
    tl_allocator allocator;
    const tl_mesh *mesh;
    tl_particles p;
    tl_real *x_old[3];      /* m, positions at the start of the substep */
    tl_real *low[3];        /* m, what the rounding of p.x leaves out: a particle is at x + low; part of the state */
    tl_real *user_force[3]; /* N, set by the user for one frame */
    bool has_user_force;    /* user_force may be nonzero */
    tl_element_batch batch[TL_ELEMENT_COUNT];
    bool on[TL_ELEMENT_COUNT]; /* batches that take part */
    tl_gas gas;
    tl_vec3 gravity;      /* m/s² */
    tl_real *weight;      /* kg, mass that gravity acts on, when it is not p.m; else NULL */
    bool even_weight;     /* `weight` is in use */
    tl_real damping;      /* 1/s */
    tl_real area_density; /* kg/m², mean */
    tl_real lag;          /* s by which v lags behind x: half a substep after Verlet, else 0 */
    double time;          /* s, at the start of the substep */
    int lanes;            /* 8, 4 or 1 */
    tl_tasks *tasks;      /* borrowed; NULL: one thread */
    bool merged;          /* x_old is not saved yet, and the model follows immediately after integration */
    int iterations;       /* for steppers and schedules that repeat a stage */
    /* Adds the force of the air to p.f for the given time. NULL without air. */
    void (*air)(void *user, tl_particles *p, double time);
    /* s, for how long that force changes little. */
    double (*air_holds)(void *user, const tl_particles *p);
    tl_real *held_force[3]; /* N, of the user, the air and even weight beyond p.m, where steppers hold it
                               (tl_system_hold); else NULL */
    double held_until;      /* s, system time; that force is evaluated again from then on */
    bool holds;             /* the last substep was taken with that force */
    void *air_user;
    tl_real *scratch[12];  /* working memory of steppers that need it, allocated by their `prepare` */
    tl_position *position; /* working memory of position-based steppers, allocated by their `prepare` */
    tl_position_settings position_settings;
    tl_strain_limit *strain_limit; /* working memory of strain limiting, allocated when first on */
    tl_strain_limit_settings strain_limit_settings;
    tl_sewing *sewing;             /* pairs that are drawn together; NULL: none */
    tl_real strain_limit_slack;    /* 1, decaying slack after the limit was switched on or tightened */
    bool strain_limit_slack_known; /* restored from a snapshot */
    tl_real *history[TL_HISTORY];  /* of multistep steppers, allocated by their `prepare`: part of the state */
    tl_real history_step;          /* s, last substep of a multistep stepper; 0: none yet */
    uint64_t matrix_seen;          /* hash of the last constant matrix and its pins, 0: none; part of the state */
    tl_implicit *implicit;         /* working memory of implicit steppers, allocated by their `prepare` */
    tl_implicit_settings implicit_settings;
    tl_body_contacts *body_contacts;          /* bodies of this substep, for steppers that solve contact; NULL: none */
    unsigned pins_version;                    /* counts changes of pins */
    tl_real tether_slack;                     /* m, decaying slack of tethers after pins changed */
    bool tether_slack_known;                  /* restored from a snapshot: the next tethers keep it */
    size_t bytes;                             /* everything above */
    double seconds_forces;                    /* spent in tl_system_forces since last set to 0 */
    double seconds_gravity, seconds_elements; /* within it */
};

/* Allocates the arrays for a mesh; masses are set by the caller. Releases everything on error. */
tl_result tl_system_create(tl_system *system, const tl_mesh *mesh, const tl_allocator *allocator, int lanes,
                           tl_error *error);
void tl_system_destroy(tl_system *system);

/* One padded, zeroed array of numbers; counts into system->bytes. */
tl_real *tl_system_array(tl_system *system);

/* low = 0, where positions were changed from outside. */
void tl_system_clear_low(tl_system *system);

/* x_old = x. */
void tl_system_save_positions(tl_system *system);

/* p.f = gravity + user + elements + gas + air, at the current x and v. */
void tl_system_forces(tl_system *system, double time);

/* The same without elements and gas pressure, but with the jet of its leak. */
void tl_system_external(tl_system *system, double time);

/* The mass of each particle that gravity acts on, kg. */
static inline const tl_real *tl_system_weight(const tl_system *system)
{
    return system->even_weight ? system->weight : system->p.m;
}

/* Force of the user and the air, held over substeps in which it changes little, and never from frame to frame
   (held_until), for a substep of h seconds. Three arrays, or NULL when there is none. */
tl_real *const *tl_system_hold(tl_system *system, tl_real h);

#endif
