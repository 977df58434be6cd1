/* The inside of worlds, cloths and bodies. */
#ifndef TL_WORLD_WORLD_H
#define TL_WORLD_WORLD_H

#include "contact/body.h"
#include "contact/contact_list.h"
#include "contact/surface.h"
#include "step/schedule.h"
#include "step/stepper.h"
#include "telar/world.h"
#include "world/wind.h"

/* What a cloth gave a body since the frame began, and how much of it before the two places a cloth can be set back to. */
typedef struct tl_received {
    tl_vec3 impulse, moment; /* N·s, N·m·s */
    tl_vec3 kept_impulse[2], kept_moment[2];
} tl_received;
typedef struct tl_body_mesh tl_body_mesh; /* world/body_mesh.h */

struct tl_body {
    tl_world *world;
    tl_body_def def;
    tl_key_def *keys;        /* own copy; def.keys points here */
    const tl_shape_class *shape;
    tl_pose start, end;      /* of the present frame */
    tl_pose told;            /* where the user moved it */
    bool is_told;            /* the next step goes to `told`; afterwards the body stays there */
    tl_vec3 impulse, moment; /* in the last step */
    bool free;               /* in the present frame: its mass and what it meets move it (free_body.c) */
    bool was_free;           /* in any frame: its state is part of the world's hash */
    tl_mover mover;          /* velocity and spin of a body with a mass */
    tl_vec3 first_velocity, first_spin; /* at the start of the frame */
    tl_vec3 kept_velocity[2], kept_spin[2]; /* at the start of a cloth's frame and of its adaptive substep */
    tl_pose from, to;        /* of the present slice, when it is free */
    tl_real slice_from, slice_to; /* 0…1, within the frame */
    tl_body_mesh *mesh;      /* of shape "mesh"; NULL for all others */
};

/* A held particle. */
typedef struct tl_pin {
    int particle;
    int body;                /* -1: none */
    tl_vec3 local;           /* m, in the body's frame */
    tl_vec3 target;          /* m, at the end of the present frame */
} tl_pin;

enum { TL_OUTPUT_POSITIONS, TL_OUTPUT_VELOCITIES, TL_OUTPUT_NORMALS, TL_OUTPUT_FORCES, TL_OUTPUT_VECTORS };

struct tl_cloth {
    tl_world *world;
    tl_cloth_def def;
    tl_mesh *own_mesh;       /* NULL when the mesh is the user's */
    const tl_mesh *mesh;
    tl_system system;
    const tl_stepper_class *stepper;
    const tl_contact_class *contact;
    tl_schedule schedule;
    tl_air air;

    tl_pin *pins;
    int pin_count, pin_capacity;

    int strain_count;        /* edges whose length tells strain: all but a grid's diagonals */
    int *strain_edge;
    tl_real mean_edge;       /* m */

    tl_real *pressure;       /* N·s per particle in the present frame */
    double pressure_time;    /* s over which it was gathered */
    tl_real *good[7];        /* x, v and pressure at the start of the frame, for undoing it */
    tl_real *trial[7];       /* the same at the start of an adaptive substep; made when first needed */
    tl_real kept_lag[2];     /* s, with the two places above */
    double kept_gas[2];      /* J, n R T */
    double kept_time[2];     /* s */
    tl_real substep_from, substep_to; /* 0…1, the present substep within the frame */
    tl_contact_body *contact_bodies; /* one per body of the world */
    int contact_capacity;
    tl_received *received;   /* what this cloth gave each body in the present frame */
    int received_capacity;
    tl_surface *surface;     /* NULL until first needed; the world's */

    tl_vec3 *output[TL_OUTPUT_VECTORS]; /* per vertex, made when first asked for */
    bool output_valid[TL_OUTPUT_VECTORS];
    tl_real *strain_output, *contact_output, *mass_output;
    bool strain_valid;

    tl_cloth_stats stats;
    bool unstable;           /* in the present frame */
    bool ran_away;           /* in one of its substeps */
};

struct tl_world {
    tl_world_def def;
    tl_allocator allocator;
    tl_error error;
    int lanes;
    tl_tasks *tasks;         /* made with the first large cloth, with many small ones, or with layers */
    double time;             /* s */
    uint64_t frame;
    tl_cloth **cloths;
    int cloth_count, cloth_capacity;
    tl_body **bodies;
    int body_count, body_capacity;
    tl_surfaces surfaces;    /* of cloths that meet each other and of bodies made of triangles */
    bool surfaces_made;      /* one for every cloth and mesh body */
    double surfaces_seconds; /* spent on surfaces in the present frame */
    bool surfaces_arranged;  /* with their present settings */
    struct tl_coupling *coupling; /* working memory of world/press.c */
    int coupling_capacity;
    tl_system **coupled;
    int coupled_capacity;
};

/* world.c */
/* The threads of the world, made when first asked for, where there are to be several. */
tl_result tl_world_make_threads(tl_world *world, tl_error *error);
tl_result tl_check_def(const tl_param_group *group, void *object, const char *where, tl_error *error);
tl_result tl_set_live(const tl_param_group *group, void *object, const char *path, const tl_value *value,
                      const char *where, tl_error *error);

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
void tl_body_end(tl_body *body); /* the frame's end is where the next starts */
void tl_body_free(tl_body *body);

/* free_body.c */
int tl_free_bodies_begin(tl_world *world); /* how many slices the frame has; 0 when no body is free */
void tl_free_bodies_move(tl_world *world, tl_real dt, int slice, int slices);
void tl_free_bodies_end(tl_world *world);
tl_pose tl_body_pose_at(const tl_body *body, tl_real t); /* t in 0…1 within the frame */

/* cloth_step.c: a frame of a cloth, in as many slices as the world needs; one takes the cloth's own substeps */
void tl_cloth_begin(tl_cloth *cloth, tl_real dt);
void tl_cloth_advance(tl_cloth *cloth, tl_real dt, int slice, int slices);
void tl_cloth_end(tl_cloth *cloth);
void tl_cloth_undo(tl_cloth *cloth); /* back to where the frame began */
/* One substep of h seconds, which is the part from … to of the frame, 0…1. */
void tl_cloth_substep(tl_cloth *cloth, tl_real h, tl_real from, tl_real to);
/* Contact with convex bodies once more in that substep, for the blocks of TL_SURFACE_BLOCK particles that are marked. */
void tl_cloth_contact_again(tl_cloth *cloth, tl_real h, const unsigned char *blocks);
/* What implicit steppers ask of contact (step/system.h). */
int tl_cloth_touches(void *cloth, tl_real h, bool ended, tl_touch *out);
void tl_cloth_touched(void *cloth, const tl_touch *touches, int count);

/* measure.c */
tl_real tl_cloth_measure_strain(const tl_cloth *cloth); /* largest |length/rest − 1| */
tl_real tl_cloth_measure_speed(const tl_cloth *cloth);  /* largest; INFINITY when anything is not finite */

#endif
