/* What a recorded clip holds between recording (io/glb_record.c) and writing (io/glb_write.c). */
#ifndef TL_IO_GLB_H
#define TL_IO_GLB_H

#include "telar/io.h"

enum { TL_GLB_NUMBERS = 6 }; /* per vertex of a shape: position and normal */

/* The shapes a mesh passes through: keys, between which positions are linear within a tolerance. */
typedef struct tl_glb_shapes {
    int vertex_count;
    float *first; /* the mesh itself */
    float **key;  /* key_count shapes after it */
    double *time; /* s, of every key */
    int key_count, capacity;
    float **pending; /* frames since the last key */
    double *pending_time;
    int pending_count;
    double last_time; /* s, of the last key or the first shape */
    float tolerance;  /* m */
    bool moved;       /* a frame differs from the first */
} tl_glb_shapes;

/* Poses of a node, one per frame. */
typedef struct tl_glb_pose {
    float time, position[3], rotation[4];
} tl_glb_pose;

typedef struct tl_glb_object {
    tl_cloth *cloth; /* either */
    tl_body *body;
    char name[64];
    unsigned *corners; /* 3 per triangle */
    int triangle_count;
    float *uv; /* 2 per vertex; NULL: none */
    tl_glb_shapes shapes;
    tl_glb_pose *pose; /* of bodies */
    int pose_count, pose_capacity;
    float scale;            /* 1, of the node */
    double color[3], sheen; /* linear, 0 … 1 */
} tl_glb_object;

struct tl_glb {
    const tl_scene *scene;
    tl_world *world;
    int cloth_count, body_count; /* of the world when recording began */
    double start;                /* s */
    double last;                 /* s, of the last frame */
    int frame_count;
    tl_glb_object *object;
    int object_count;
};

/* No frame is left pending: the last becomes a key. False when memory is short. */
bool tl_glb_finish(tl_glb *glb);

#endif
