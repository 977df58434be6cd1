/* The bridge between the engine's worlds and the renderer. Shared by `telar render` and the studio.

   The simulation and the drawing may run on different threads: the simulation thread captures a frame (no GL, only
   reads the world), the drawing thread shows it. */
#ifndef STAGE_H
#define STAGE_H

#include "render/render.h"
#include "telar/io.h"

/* A copy of everything that moves: positions, normals, overlay values of each cloth, pose of each body. Grows as needed
   and is meant to be reused. */
typedef struct stage_frame stage_frame;
stage_frame *stage_frame_create(void); /* NULL when memory is short */
void stage_frame_destroy(stage_frame *frame);
/* overlay is one of tl_look_def.overlay's names. False when memory is short. */
bool stage_frame_capture(stage_frame *frame, tl_world *world, const char *overlay);
/* Positions of cloth k, three floats per vertex, for picking; *count vertices. */
const float *stage_frame_positions(const stage_frame *frame, int cloth, int *count);
/* Whether body k takes part: one that is off is neither drawn nor picked. */
bool stage_frame_body_is_on(const stage_frame *frame, int body);
/* Position and rotation (x, y, z, w) of body k. */
void stage_frame_body(const stage_frame *frame, int body, float position[3], float rotation[4]);

/* GPU resources of one world: created when a world was built, and again when it was rebuilt or the shape or size of a
   body changed. Reads the world's meshes, links and bodies: the world must not step meanwhile. */
typedef struct stage stage;
stage *stage_create(render *r, tl_world *world, const tl_look_def *look, const char *scene_folder, render_error *error);
void stage_destroy(stage *s);

/* View, lights and looks from the scene's definitions. */
typedef struct stage_settings {
    camera cam;
    tl_look_def look;
    tl_light_def light;
    render_quality quality;
    const render_label *labels;
    int label_count;
} stage_settings;

/* Draws a frame into the target. */
bool stage_draw(stage *s, render_target *target, const stage_frame *frame, const stage_settings *settings,
                render_error *error);

/* A box, m. */
typedef struct stage_box {
    float low[3], high[3];
} stage_box;

/* Bounds of cloths and bounded bodies in a frame; false when it is empty. */
bool stage_bounds(const stage *s, const stage_frame *frame, stage_box *box);

/* The camera of a scene at `time` of a clip of that duration, s. A camera without a place of its own frames `start`,
   the bounds of the starting state (NULL: unknown or empty), in a picture of width / height `aspect`. */
camera stage_camera(const tl_camera_def *def, const stage_box *start, float aspect, double time, double duration);

#endif
