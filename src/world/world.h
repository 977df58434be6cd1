/* The inside of worlds, cloths and bodies. */
#ifndef TL_WORLD_WORLD_H
#define TL_WORLD_WORLD_H

#include "contact/body/body_contacts.h"
#include "contact/contact_method.h"
#include "core/trace.h"
#include "step/schedule.h"
#include "step/stepper.h"
#include "telar/world.h"
#include "world/wind.h"

/* What a cloth gave a body since the frame began, and how much of it before the two checkpoints of a cloth. */
typedef struct tl_given {
    tl_received sum;
    tl_received checkpoint[2];
} tl_given;
typedef struct tl_body_mesh tl_body_mesh; /* world/body_mesh.h */

struct tl_body {
    tl_world *world;
    tl_body_def def;
    tl_key_def *keys; /* own copy; def.keys points here */
    const tl_shape_class *shape;
    tl_pose start, end;                 /* of the present frame */
    tl_pose told;                       /* where the user moved it */
    bool is_told;                       /* the next step goes to `told`; afterwards the body stays there */
    tl_vec3 impulse, moment;            /* in the last step */
    bool is_dynamic;                    /* in the present frame: its mass and what it meets move it (dynamic_body.c) */
    bool was_dynamic;                   /* in any frame: its state is part of the world's hash */
    tl_rigid_state rigid;               /* velocity and spin of a dynamic body */
    tl_vec3 first_velocity, first_spin; /* at the start of the frame */
    tl_vec3 checkpoint_velocity[2], checkpoint_spin[2]; /* with the checkpoints of a cloth */
    tl_pose from, to;                                   /* of the present slice, when it is free */
    tl_real slice_from, slice_to;                       /* 0…1, within the frame */
    tl_body_mesh *mesh;                                 /* of shape "mesh"; NULL for all others */
};

/* A held particle. */
typedef struct tl_pin {
    int particle;
    int body;       /* -1: none */
    tl_vec3 local;  /* m, in the body's frame */
    tl_vec3 target; /* m, at the end of the present frame */
} tl_pin;

enum { TL_AT_FRAME, TL_AT_SUBSTEP };

/* State of a cloth that it can be rolled back to. */
typedef struct tl_checkpoint {
    tl_real *state[7]; /* x, v and pressure; of TL_AT_SUBSTEP made when first needed */
    tl_real lag;       /* s */
    double gas;        /* J, n R T */
    double time;       /* s */
} tl_checkpoint;

enum { TL_OUTPUT_POSITIONS, TL_OUTPUT_VELOCITIES, TL_OUTPUT_NORMALS, TL_OUTPUT_FORCES, TL_OUTPUT_VECTORS };

struct tl_cloth {
    tl_world *world;
    int index; /* in the world, for its trace */
    tl_cloth_def def;
    tl_mesh *own_mesh; /* NULL when the mesh is the user's */
    const tl_mesh *mesh;
    tl_system system;
    const tl_stepper_class *stepper;
    const tl_contact_method *contact;
    tl_schedule schedule;
    tl_air air;

    tl_pin *pins;
    int pin_count, pin_capacity;

    int strain_count; /* edges whose length tells strain: all but a grid's diagonals */
    int *strain_edge;
    tl_real mean_edge; /* m */

    tl_real *pressure;                /* N·s per particle in the present frame */
    double pressure_time;             /* s over which it was gathered */
    tl_checkpoint checkpoint[2];      /* what a frame and an adaptive substep can be rolled back to */
    tl_real substep_from, substep_to; /* 0…1, the present substep within the frame */
    tl_contact_body *convex_bodies;   /* room for one per body of the world, for body_contacts */
    int convex_capacity;
    tl_mesh_body *mesh_bodies;
    int mesh_capacity;
    tl_given *given; /* what this cloth gave each body in the present frame */
    int given_capacity;
    tl_body_contacts body_contacts; /* of the present substep */
    tl_contact_mesh *contact_mesh;  /* NULL until first needed; the world's */

    tl_vec3 *output[TL_OUTPUT_VECTORS]; /* per vertex, made when first asked for */
    bool output_valid[TL_OUTPUT_VECTORS];
    tl_real *strain_output, *contact_output, *mass_output;
    bool strain_valid;

    tl_cloth_stats stats;
    tl_trace trace;
    bool unstable; /* in the present frame */
    bool ran_away; /* in one of its substeps */
};

struct tl_world {
    tl_world_def def;
    tl_allocator allocator;
    tl_error error;
    int lanes;
    tl_tasks *tasks; /* made with the first large cloth, with many small ones, or with layers */
    double time;     /* s */
    uint64_t frame;
    tl_cloth **cloths;
    int cloth_count, cloth_capacity;
    tl_body **bodies;
    int body_count, body_capacity;
    tl_contact_world contacts;               /* of cloths that meet each other and of bodies made of triangles */
    const tl_contact_method *contact_method; /* whose phases run between them */
    tl_trace trace;                          /* of the world; each cloth has its own */
    int trace_substep;                       /* the present one */
    bool contacts_made;                      /* one for every cloth and mesh body */
    double contact_seconds;                  /* spent on surfaces in the present frame */
    bool contacts_paired;                    /* with their present settings */
    struct tl_layer_contact *layer_contacts; /* working memory of world/layer_solve.c */
    int layer_contact_capacity;
    tl_system **layer_systems;
    int layer_system_capacity;
};

/* world.c */
/* The threads of the world, made when first asked for, where there are to be several. */
tl_result tl_world_make_threads(tl_world *world, tl_error *error);
tl_result tl_check_def(const tl_param_group *group, void *object, const char *where, tl_error *error);
tl_result tl_set_live(const tl_param_group *group, void *object, const char *path, const tl_value *value,
                      const char *where, tl_error *error);

/* trace.c */
void tl_world_trace_begin(tl_world *world);
void tl_world_trace_end(tl_world *world);

/* cloth.c */
tl_result tl_cloth_configure(tl_cloth *cloth, tl_error *error); /* method and elements as the definition says */
void tl_cloth_free(tl_cloth *cloth);
void tl_cloth_changed(tl_cloth *cloth); /* state moved: outputs are stale */

/* pins.c */
tl_result tl_pins_create(tl_cloth *cloth, tl_error *error);
/* Attachments are out of date: they are made again, with the slack that the shape then needs. */
void tl_pins_changed(tl_cloth *cloth);
void tl_pins_begin(tl_cloth *cloth, tl_real dt); /* velocities that carry held particles to their places in dt */
void tl_pins_end(tl_cloth *cloth);               /* puts them there exactly */

bool tl_world_room_for_bodies(tl_world *world); /* in every cloth, for one body more */

/* body.c */
void tl_body_begin(tl_body *body, double time, tl_real dt); /* poses at start and end of the frame */
void tl_body_end(tl_body *body);                            /* the frame's end is where the next starts */
void tl_body_free(tl_body *body);

/* dynamic_body.c */
int tl_dynamic_bodies_begin(tl_world *world); /* how many slices the frame has; 0 when no body is free */
void tl_dynamic_bodies_move(tl_world *world, tl_real dt, int slice, int slices);
void tl_dynamic_bodies_end(tl_world *world);
tl_pose tl_body_pose_at(const tl_body *body, tl_real t); /* t in 0…1 within the frame */

/* cloth_step.c: a frame of a cloth, in as many slices as the world needs; one takes the cloth's own substeps */
void tl_cloth_begin(tl_cloth *cloth, tl_real dt);
void tl_cloth_advance(tl_cloth *cloth, tl_real dt, int slice, int slices);
void tl_cloth_end(tl_cloth *cloth);
void tl_cloth_undo(tl_cloth *cloth); /* back to where the frame began */
/* One substep of h seconds, which is the part from … to of the frame, 0…1. */
void tl_cloth_substep(tl_cloth *cloth, tl_real h, tl_real from, tl_real to);

/* measure.c */
tl_real tl_cloth_measure_strain(const tl_cloth *cloth); /* largest |length/rest − 1| */
tl_real tl_cloth_measure_speed(const tl_cloth *cloth);  /* largest; INFINITY when anything is not finite */

#endif
