/* Internals of worlds, cloths and bodies. */
#ifndef TL_WORLD_WORLD_H
#define TL_WORLD_WORLD_H

#include "contact/body/body_contacts.h"
#include "contact/contact_method.h"
#include "core/trace.h"
#include "step/schedule.h"
#include "step/stability.h"
#include "step/stepper.h"
#include "telar/world.h"
#include "world/balance.h"
#include "world/origin.h"
#include "world/wind.h"

/* Impulse a cloth gave a body since the start of the frame, and the same at the cloth's two checkpoints. */
typedef struct tl_given {
    tl_received sum;
    tl_received checkpoint[2];
} tl_given;
typedef struct tl_body_mesh tl_body_mesh; /* world/body_mesh.h */
typedef struct tl_nurbs tl_nurbs;         /* world/nurbs.h */

struct tl_body {
    tl_world *world;
    tl_body_def def;
    tl_key_def *keys; /* own copy; def.keys points here */
    const tl_shape_class *shape;
    tl_pose start, end;                         /* at the start and end of the frame; local to the world's origin */
    tl_pose target;                             /* pose set by tl_body_move */
    tl_point own_home;                          /* m; def.position, exact wherever the local origin is */
    tl_point start_home, end_home, target_home; /* m; the same for the three poses */
    bool has_target;                            /* the next step moves to `target`, where the body then stays */
    tl_vec3 impulse, moment;                    /* N·s and N·m·s, in the last step */
    tl_vec3 last_velocity;                      /* m/s, of the last frame in which it did not leap */
    bool leapt;                                 /* in this frame; world/teleport.c */
    tl_point last_home; /* m; and rotation, at the start of the last frame, for tl_body_blended_pose */
    tl_quat last_rotation;
    tl_point leap_from; /* m, where it was before, and how it was turned */
    tl_quat leap_rotation;
    bool is_dynamic;                    /* in this frame: moved by gravity and contact (dynamic_body.c) */
    bool was_dynamic;                   /* in any frame: its state is then part of the world's hash */
    tl_rigid_state rigid;               /* velocity and angular velocity of a dynamic body */
    tl_vec3 start_velocity, start_spin; /* at the start of the frame, for rollback */
    tl_vec3 checkpoint_velocity[2], checkpoint_spin[2]; /* at the checkpoints of a cloth */
    tl_pose from, to;                                   /* of the current substep, when dynamic */
    tl_real slice_from, slice_to;                       /* 0…1, that substep within the frame */
    tl_body_mesh *mesh;                                 /* of shape "mesh"; else NULL */
};

/* A pinned particle. */
typedef struct tl_pin {
    int particle;
    int body;       /* -1: none */
    tl_vec3 local;  /* m, in body space */
    tl_vec3 target; /* m, where it is to be at the end of the frame; local */
    tl_vec3 reach;  /* m, how far it gets: to the target unless that is a leap (world/teleport.c) */
    int travels;    /* 2 while it does not get there, 1 when it has arrived */
} tl_pin;

enum { TL_AT_FRAME, TL_AT_SUBSTEP };

/* State a cloth can be rolled back to. */
typedef struct tl_checkpoint {
    tl_real *state[7]; /* x, v and pressure; those of TL_AT_SUBSTEP are allocated when first needed */
    tl_real lag;       /* s */
    double gas;        /* J, n R T */
    double time;       /* s */
} tl_checkpoint;

/* Statistics of the state at the start of a frame, which a rejected frame keeps. */
typedef struct tl_kept_stats {
    int contacts, pairs;
    double pressure_time; /* s */
} tl_kept_stats;

enum {
    TL_OUTPUT_POSITIONS,
    TL_OUTPUT_LOCAL_POSITIONS,
    TL_OUTPUT_BLENDED,
    TL_OUTPUT_VELOCITIES,
    TL_OUTPUT_NORMALS,
    TL_OUTPUT_FORCES,
    TL_OUTPUT_VECTORS
};

/* Which coordinates are too coarse for a cloth: none, those the user reads, or those it is simulated in. */
typedef enum tl_coarseness { TL_FINE, TL_COARSE_PUBLIC, TL_COARSE_LOCAL } tl_coarseness;

struct tl_cloth {
    tl_world *world;
    int index; /* in the world, for the trace */
    tl_cloth_def def;
    tl_mesh *own_mesh; /* NULL when the mesh belongs to the user */
    const tl_mesh *mesh;
    tl_nurbs *nurbs;      /* the net of a NURBS surface, when there is one; else NULL */
    tl_cloth *surface_of; /* of such a net: the cloth whose surface it moves; else NULL */
    tl_system system;
    const tl_stepper_class *stepper;
    const tl_contact_method *contact;
    tl_schedule schedule;
    tl_stability stability;       /* measured for steppers that need it */
    tl_elements_def stability_of; /* elements and masses at that time */
    tl_real stability_masses[2];  /* of density and particle_mass */
    bool stiff;                   /* its own weight hardly stretches it */
    bool said_substeps;           /* the log says that there are more than were asked for */
    tl_air air;

    tl_pin *pins;
    int pin_count, pin_capacity;
    bool pins_move; /* one follows a body, or was ever moved */

    int strain_count; /* edges that measure strain: all but a grid's diagonals */
    int *strain_edge;
    double fineness;                  /* 1/m², tl_mesh_fineness */
    tl_real mean_edge, shortest_edge; /* m */
    tl_point origin;                  /* m; local coordinates start here, world/origin.h */
    tl_point own_origin;              /* m; to return to after tl_world_share_origin */
    tl_coarseness coarseness;         /* logged so far */

    tl_real *pressure;           /* N·s, normal contact impulse per particle in this frame */
    double pressure_time;        /* s over which it was accumulated */
    tl_checkpoint checkpoint[2]; /* start of the frame, start of an adaptive substep */
    tl_kept_stats kept_stats;
    tl_real substep_from, substep_to; /* 0…1, the current substep within the frame */
    tl_contact_body *convex_bodies;   /* capacity for every body of the world, for body_contacts */
    int convex_capacity;
    tl_mesh_body *mesh_bodies;
    int mesh_capacity;
    tl_given *given; /* impulse on each body in this frame */
    int given_capacity;
    tl_body_contacts body_contacts; /* of the current substep */
    tl_contact_mesh *contact_mesh;  /* owned by the world; NULL until first needed */

    tl_vec3 *output[TL_OUTPUT_VECTORS]; /* per vertex, allocated on first use */
    bool output_valid[TL_OUTPUT_VECTORS];
    tl_real *strain_output, *contact_output, *mass_output;
    bool strain_valid;

    tl_cloth_stats stats;
    tl_balance balance; /* for stats.material_error */
    tl_trace trace;
    int parts;             /* of each substep of this frame */
    tl_real growth;        /* 1, the largest of an edge in a substep of this frame, where the stepper linearizes */
    tl_real shock;         /* 1, the largest change of velocity of this frame times its substep, in edges */
    tl_real sweep;         /* 1, the largest of a substep of this frame (contact/broad_phase/broad_phase.h) */
    bool unstable;         /* this frame is rejected */
    bool ran_away;         /* exceeded runaway_speed in a substep of this frame */
    bool leaping;          /* pins are on their way to a target that leapt */
    tl_real frame_length;  /* s, of this frame */
    int rejected_in_a_row; /* frames */
    const char *recovery;  /* what was done after them, in this frame; NULL: nothing */
    char cause[160];       /* of the rejection of this frame */
};

struct tl_world {
    tl_world_def def;
    tl_allocator allocator;
    tl_error error;
    int lanes;
    tl_tasks *tasks; /* created with the first large cloth, with many small ones, or with layers */
    double time;     /* s */
    uint64_t frame;
    tl_point origin; /* m; where coordinates of bodies and of cloth in mesh contact start, world/origin.h */
    tl_point shift;  /* m; sum of tl_world_shift_origin */
    tl_cloth **cloths;
    int cloth_count, cloth_capacity;
    tl_body **bodies;
    int body_count, body_capacity;
    tl_contact_world contacts;               /* between cloths, and between cloths and mesh bodies */
    const tl_contact_method *contact_method; /* whose phases run on them */
    tl_trace trace;                          /* of the world's phases; each cloth has its own */
    int trace_substep;                       /* current substep */
    bool contacts_made;                      /* contact meshes exist for every cloth and mesh body */
    bool contacts_judged;                    /* it is known whether penetration-free contact starts with crossings */
    bool untangles;                          /* penetration-free contact starts once nothing crosses any more */
    bool clean;                              /* self-colliding cloth does not cross at the start of the frame */
    bool said_held;                          /* the log says that contact holds particles */
    double contact_seconds;                  /* spent on mesh contact in this frame */
    bool contacts_paired;                    /* mesh pairs match the current settings */
    struct tl_layer_contact *layer_contacts; /* working memory of world/layer_solve.c */
    int layer_contact_capacity;
    tl_system **layer_systems;
    int layer_system_capacity;
};

/* world.c */
/* Creates the world's thread pool if it is to have several threads and has none yet. */
tl_result tl_world_make_threads(tl_world *world, tl_error *error);
tl_result tl_check_def(const tl_param_group *group, void *object, const char *where, tl_error *error);
tl_result tl_set_live(const tl_param_group *group, void *object, const char *path, const tl_value *value,
                      const char *where, tl_error *error);

/* trace.c */
void tl_world_trace_begin(tl_world *world);
void tl_world_trace_end(tl_world *world);

/* cloth.c */
tl_result tl_cloth_configure(tl_cloth *cloth,
                             tl_error *error); /* applies stepper, contact method and elements of the definition */
/* A cloth that the world does not list: the net of a NURBS surface. NULL on error. */
tl_cloth *tl_cloth_create_hidden(tl_world *world, const tl_cloth_def *def, tl_error *error);
void tl_cloth_free(tl_cloth *cloth);
void tl_cloth_changed(tl_cloth *cloth);   /* state changed: outputs are stale */
void tl_cloth_place_air(tl_cloth *cloth); /* eddies are at home positions */

/* pins.c */
tl_result tl_pins_create(tl_cloth *cloth, tl_error *error);
/* Invalidates tethers: they are rebuilt with the slack that the current shape needs. */
void tl_pins_changed(tl_cloth *cloth);
void tl_pins_aim(tl_cloth *cloth);               /* targets of pins that follow a body */
void tl_pins_begin(tl_cloth *cloth, tl_real dt); /* velocities that carry pinned particles as far as they get in dt */
void tl_pins_end(tl_cloth *cloth);               /* puts them there exactly */

/* teleport.c */
void tl_body_note_leap(tl_body *body, tl_real dt);          /* once its pose at the end of the frame is set */
void tl_world_say_leaps(const tl_world *world, tl_real dt); /* of bodies, in one line of the log */
void tl_world_follow_leaps(tl_world *world, tl_real dt);
void tl_cloth_stop(tl_cloth *cloth);        /* velocities 0 */
void tl_cloth_forget_past(tl_cloth *cloth); /* the last frame starts where it ends, for tl_cloth_blended_positions */

/* rejection.c */
/* Why this frame of a cloth ran away; before it is rolled back. */
void tl_cloth_note_cause(tl_cloth *cloth);
/* Counts rejected frames in a row and brings cloth that does not get on back to a state that moves. */
void tl_cloth_count_rejection(tl_cloth *cloth, bool rejected);
/* Reports a rejected frame to the caller and the log. */
tl_result tl_cloth_report_rejection(const tl_cloth *cloth);

/* Detaches pins from a body that is destroyed, where they are; those of later bodies follow their index. */
void tl_pins_forget_body(tl_cloth *cloth, int body);

bool tl_world_room_for_bodies(tl_world *world); /* reserves room in every cloth for one more body */

/* body.c */
void tl_body_begin(tl_body *body, double time, tl_real dt); /* sets the pose at the end of the frame */
void tl_body_end(tl_body *body);                            /* end of the frame becomes the next start */
void tl_body_free(tl_body *body);
tl_real tl_body_distance_home(const tl_body *body, tl_point point, tl_vec3 *normal); /* of a home position */
tl_vec3 tl_body_undo(const tl_body *body, tl_point point); /* into body space at the start of the frame */

/* dynamic_body.c */
/* Substeps (slices) of a frame of dt seconds; 0 when no body is dynamic. */
int tl_dynamic_bodies_begin(tl_world *world, tl_real dt);
void tl_dynamic_bodies_restart(tl_world *world); /* to the start of the frame */
void tl_dynamic_bodies_move(tl_world *world, tl_real dt, int slice, int slices);
void tl_dynamic_bodies_end(tl_world *world);
tl_pose tl_body_pose_at(const tl_body *body, tl_real t); /* t in 0…1 within the frame */
/* The same in the coordinates of a cloth. */
tl_pose tl_body_pose_from(const tl_body *body, tl_point origin, tl_real t);

/* cloth_step.c: a frame of a cloth, in as many slices as the world needs; with one slice the cloth takes its own
   substeps */
int tl_cloth_substeps(const tl_cloth *cloth, tl_real dt); /* of a frame of dt seconds; with adaptive on, the fewest */
void tl_cloth_begin(tl_cloth *cloth, tl_real dt);
void tl_cloth_advance(tl_cloth *cloth, tl_real dt, int slice, int slices);
void tl_cloth_end(tl_cloth *cloth);
/* The same of a cloth that is not simulated in this frame, but moved by its net. */
void tl_cloth_begin_passive(tl_cloth *cloth, tl_real dt);
void tl_cloth_end_passive(tl_cloth *cloth, const tl_cloth *net);
/* A frame too long for what turns or meets in it is taken again, each substep in parts. tl_cloth_parts_needed differs
   from cloth->parts when the present ones are too long. */
void tl_cloth_note_growth(tl_cloth *cloth, tl_real cut); /* after a substep; cut in m (contact_world.h) */
/* Above 1, when contact was not solved for it. False when substeps are as short as they may be. */
bool tl_cloth_note_sweep(tl_cloth *cloth, tl_real sweep);
void tl_cloth_note_shock(tl_cloth *cloth); /* after the last substep */
int tl_cloth_parts_needed(const tl_cloth *cloth);
void tl_cloth_divide(tl_cloth *cloth, int parts); /* rolls back to the start of the frame */
void tl_cloth_reject(tl_cloth *cloth);            /* rolls back to the start of the frame and counts it as rejected */
/* One substep of h seconds, from … to in 0…1 of the frame. */
void tl_cloth_substep(tl_cloth *cloth, tl_real h, tl_real from, tl_real to);

/* measure.c */
tl_real tl_cloth_measure_strain(const tl_cloth *cloth); /* max |length/rest − 1| */
tl_real tl_cloth_measure_speed(const tl_cloth *cloth);  /* max; INFINITY when any state is not finite */

#endif
