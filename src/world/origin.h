/* Local coordinates. Single precision has a digit of 1 mm at 10 km, so cloth is simulated in coordinates that start
   near it:

     public position = local position + origin − shift

   Every cloth has an origin, a multiple of TL_ORIGIN_GRID, which follows it between frames. Cloths in mesh contact
   share that of the world, in which contact meshes and dynamic bodies are; convex bodies are posed for each cloth.
   `shift` is the sum of all tl_world_shift_origin. Everything inside the library is local; the functions of
   telar/world.h convert. A home position, local + origin, depends on neither and is in double precision: what stands
   still is remembered by it. */
#ifndef TL_WORLD_ORIGIN_H
#define TL_WORLD_ORIGIN_H

#include "core/vec.h"
#include "telar/world.h"

/* m; a power of two, so that a change of origin rounds nothing that comes nearer. Cloths a multiple of it apart have
   the same local coordinates, and so the same bits. */
#define TL_ORIGIN_GRID 16.0

/* A home position, m. */
typedef struct tl_point {
    double x, y, z;
} tl_point;

tl_point tl_home(const tl_world *world, tl_vec3 position); /* of a public position */
tl_point tl_home_of_local(tl_point origin, tl_vec3 local);
tl_vec3 tl_local(tl_point origin, tl_point home); /* rounded once, as are the next two */
tl_vec3 tl_local_of_public(const tl_world *world, tl_point origin, tl_vec3 position);
tl_vec3 tl_public(const tl_world *world, tl_point origin, tl_vec3 local);
tl_point tl_public_offset(const tl_world *world, tl_point origin); /* origin − shift */

/* Origin for a cloth to be placed around a home position. The first cloth takes the world's along. */
tl_point tl_world_origin_for(tl_world *world, tl_point home);

/* At the start of a frame: moves origins that their cloths have left, and logs cloths for which coordinates are too
   coarse. */
void tl_world_follow_cloths(tl_world *world);

/* Before all particles of a cloth are set to places around a home position. */
void tl_cloth_origin_goes_to(tl_cloth *cloth, tl_point home);

/* Between these two the particles of all cloths have the origin of the world; pins are left as they are. */
void tl_world_share_origin(tl_world *world);
void tl_world_part_origins(tl_world *world);

/* The middle of a cloth's bounding box in local coordinates, from a sample of its particles. */
tl_vec3 tl_cloth_middle(const tl_cloth *cloth);

/* Logs, once per cloth, that coordinates are too coarse for its edges. */
void tl_cloth_check_digits(tl_cloth *cloth);

/* Definitions show public positions: brings them up to date with `shift`. */
void tl_world_shift_definitions(tl_world *world, tl_point shift_before);

#endif
