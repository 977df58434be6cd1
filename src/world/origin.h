/* Coordinates of a world. Single precision has a digit of 1 mm at 10 km, so everything that moves is kept in local
   coordinates, near the cloth:

     public position = local position + origin − shift

   `origin` is a multiple of TL_ORIGIN_GRID, follows the cloths and changes between frames only; `shift` is the sum of
   all tl_world_shift_origin. Everything inside the library is local; functions of telar/world.h convert. A home
   position, local + origin, is independent of both and in double precision: what stands still is remembered by it. */
#ifndef TL_WORLD_ORIGIN_H
#define TL_WORLD_ORIGIN_H

#include "core/vec.h"
#include "telar/world.h"

/* m; a power of two, so that a change of origin rounds nothing that comes nearer. Worlds a multiple of it apart have
   the same local coordinates, and so the same bits. */
#define TL_ORIGIN_GRID 16.0

/* A home position, m. */
typedef struct tl_point {
    double x, y, z;
} tl_point;

tl_point tl_home(const tl_world *world, tl_vec3 position);       /* of a public position */
tl_point tl_home_of_local(const tl_world *world, tl_vec3 local); /* of a local one */
tl_vec3 tl_local(const tl_world *world, tl_point home);          /* local position, rounded once */
tl_vec3 tl_local_of_public(const tl_world *world, tl_vec3 position);
tl_vec3 tl_public(const tl_world *world, tl_vec3 local); /* public position, rounded once */
tl_point tl_public_offset(const tl_world *world);        /* origin − shift */

/* Moves the local origin to the grid point next to a home position: the first cloth of a world is about to be placed
   there. */
void tl_world_choose_origin(tl_world *world, tl_point home);

/* At the start of a frame: moves the local origin when most cloths went too far from it, and logs cloths for which
   coordinates are too coarse. */
void tl_world_follow_cloths(tl_world *world);

/* The middle of a cloth's bounding box in local coordinates, from a sample of its particles. */
tl_vec3 tl_cloth_middle(const tl_cloth *cloth);

/* Logs, once per cloth, that coordinates are too coarse for its edges. */
void tl_cloth_check_digits(tl_cloth *cloth);

/* Definitions show public positions: brings them up to date with `shift`. */
void tl_world_shift_definitions(tl_world *world, tl_point shift_before);

#endif
