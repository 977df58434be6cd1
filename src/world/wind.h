/* Wind: the velocity field of the air and the force it exerts on cloth. */
#ifndef TL_WORLD_WIND_H
#define TL_WORLD_WIND_H

#include "core/particles.h"
#include "element/group.h"
#include "mesh/mesh.h"
#include "telar/world.h"

/* Velocity of the air at a position and time, m/s. Bit-identical on every machine (core/trig.h, core/random.h).
     "still"      0
     "uniform"    the mean velocity U everywhere
     "veering"    |U| along (U_x (1 + sin t), U_y, U_z sin t): the flag's wind of the thesis S3, t in s
     "wandering"  |U| √(1 + cos(t/7)/10) along (sin t/2, sin t/3, sin t): S3's random wind; the direction of U plays no
                  part, and at t = 0 there is none
     "gusts"      U (1 + gust_strength · noise(time / gust_period)): smooth, zero mean, |noise| ≤ 1
     "turbulent"  gusts plus eddies about eddy_size across that drift with U and change slowly: divergence-free, zero
                  mean, RMS speed = eddy_strength · |U| (eddy_strength · 1 m/s when U is zero)
   A NULL or unknown kind means "still". */
tl_vec3 tl_wind_velocity(const tl_wind_def *wind, tl_vec3 position, double time);
/* The same where positions are relative to an origin, m. */
tl_vec3 tl_wind_velocity_from(const tl_wind_def *wind, const double origin[3], tl_vec3 position, double time);

typedef struct tl_air {
    const tl_wind_def *wind;
    double time;      /* s */
    double origin[3]; /* m; where positions of particles start, for the eddies */
    tl_real drag, lift;
    tl_real load_area; /* m², of every face, for tl_air_load */
    int lanes;         /* 8, 4 or 1; bit-identical */
    tl_real *scratch;  /* tl_air_scratch(mesh) numbers owned by the caller, aligned as by tl_allocate; NULL: same bits,
                          slower */
    tl_real *eddy[3];  /* m/s, eddy velocity per particle, set by tl_air_sample; NULL: per particle evaluated at every
                          call, per face left out */
    struct tl_air_faces *faces; /* for the force per face */
} tl_air;

/* Faces sorted for SIMD (element/group.h). */
typedef struct tl_air_faces {
    tl_groups groups;
    int *particle[3]; /* in the order of the groups, padded by one vector */
    size_t bytes;
} tl_air_faces;
tl_air_faces *tl_air_faces_create(const tl_allocator *allocator, const tl_mesh *mesh); /* NULL: no memory */
void tl_air_faces_destroy(tl_air_faces *faces, const tl_allocator *allocator);         /* NULL is allowed */

/* Numbers that tl_air.scratch must hold: four per face. */
static inline size_t tl_air_scratch(const tl_mesh *mesh) { return 4 * (size_t)mesh->face_count; }

/* Evaluates the eddies at every particle into air->eddy, once per frame: they change little in that time and cost far
   more than the rest of the air. Does nothing when the wind has none or air->eddy is NULL. */
void tl_air_sample(const tl_air *air, const tl_particles *p);
bool tl_wind_has_eddies(const tl_wind_def *wind);

/* m/s, a bound of the speed of particles relative to the air. */
double tl_air_fastest(const tl_air *air, const tl_particles *p);

/* Adds the air's force to p->f, with u = v − wind and air density ρ.

   Per particle (the thesis S2): −½ρ C_d |u·N| u, where N = Σ ½ (b−a)×(c−a) / 3 over adjacent faces is a third of their
   vector area: area times normal on flat cloth, less across a crease, as is the projected area.

   Per face (the thesis S3), with unit normal n, area A and u at its centroid:
     drag  −½ρ C_d A |u| (u·n) n                        only the part along the normal of ½ρ C_d A |u|²
     lift  −½ρ C_l A |u| (u·n) (n − (u·n) u / |u|²)     perpendicular to u, in the plane of u and n
   split equally among the three particles. Both are independent of the sign of n. */
void tl_air_on_particles(const tl_air *air, const tl_mesh *mesh, tl_particles *p);
void tl_air_on_faces(const tl_air *air, const tl_mesh *mesh, tl_particles *p);

/* S3's own force: n (n·F) on each particle of each face, whatever the face's size and motion, with F = ½ρ C_d A |w| w/3
   of the wind w for the same area A, load_area. Nothing brakes the cloth. Eddies are left out. */
void tl_air_load(const tl_air *air, const tl_mesh *mesh, tl_particles *p);

/* ---- noise behind the wind (world/wind_noise.c) --------------------------------------------------------------- */

/* Smooth in time (in periods), within ±1, zero mean. */
double tl_wind_gust(uint32_t seed, double time);

/* A divergence-free field of unit RMS at `position` (in eddy sizes). The angle with cosine c and sine s turns every
   eddy into another one and back at constant strength. */
void tl_wind_eddies(uint32_t seed, const double position[3], double c, double s, double velocity[3]);

/* ---- kernels (world/wind_kernel.c) --------------------------------------------------------------------------- */

/* −ρ/12 times the drag and lift coefficients: a third of ½ρ times half of (b−a)×(c−a) for each corner. */
typedef struct tl_air_coefficients {
    tl_real drag, lift;
    tl_vec3 wind; /* m/s, the part that all faces have in common */
} tl_air_coefficients;

/* `out` gets four numbers per face, x, y, z and 0: twice the face's vector area. The other adds the force on faces to
   p->f; `eddy` is a velocity per particle, or NULL. */
#define TL_AIR_KERNELS(width)                                                                                          \
    void tl_air_areas_w##width(const int *restrict face, int count, tl_real *const x[3], tl_real *restrict out);       \
    void tl_air_on_groups_w##width(const tl_air_faces *faces, const tl_air_coefficients *air, tl_real *const *eddy,    \
                                   const tl_particles *p);
TL_AIR_KERNELS(8)
TL_AIR_KERNELS(4)
TL_AIR_KERNELS(1)

#endif
