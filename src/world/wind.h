/* Wind: the velocity of the air anywhere at any time, and the force it puts on cloth. */
#ifndef TL_WORLD_WIND_H
#define TL_WORLD_WIND_H

#include "core/particles.h"
#include "mesh/mesh.h"
#include "telar/world.h"

/* Velocity of the air at a place and time, m/s. Same bits on every machine (core/trig.h, core/random.h).
     "still"      0
     "uniform"    the mean velocity U everywhere
     "gusts"      U (1 + gust_strength · noise(time / gust_period)): smooth, zero mean, |noise| ≤ 1
     "turbulent"  gusts, and eddies about eddy_size across that drift with U and slowly change: divergence-free, zero
                  mean, root mean square of their speed = eddy_strength · |U| (eddy_strength · 1 m/s when U is zero)
   A kind that is NULL or unknown counts as "still". */
tl_vec3 tl_wind_velocity(const tl_wind_def *wind, tl_vec3 position, double time);

typedef struct tl_air {
    const tl_wind_def *wind;
    double time; /* s */
    tl_real drag, lift;
    int lanes;        /* 8, 4 or 1; all give the same bits */
    tl_real *scratch; /* tl_air_scratch(mesh) numbers of the caller's, aligned as tl_allocate does; NULL gives the same
                         bits, slower */
    tl_real *eddy[3]; /* m/s, velocity of the eddies at each particle: tl_air_sample; NULL: worked out at every call */
} tl_air;

/* Numbers that tl_air.scratch must hold: four per face. */
static inline size_t tl_air_scratch(const tl_mesh *mesh) { return 4 * (size_t)mesh->face_count; }

/* Adds the force of the air to p->f, with u = v − wind and the air's density ρ.

   Per particle (S2): −½ρ C_d |u·N| u. N = Σ ½ (b−a)×(c−a) / 3 over the faces around is a third of their vector area:
   area times normal where the cloth is flat, and less where it is creased, as its projected area is.

   Per face (S3), n its unit normal, A its area, u at its centre:
     drag  −½ρ C_d A |u| (u·n) n                        only the part along the normal of ½ρ C_d A |u|²
     lift  −½ρ C_l A |u| (u·n) (n − (u·n) u / |u|²)     perpendicular to u, in the plane of u and n
   each shared by the three particles. Both are indifferent to the sign of n. */
/* Works out the eddies at every particle, in air->eddy, to hold for a whole frame: they change little in that time and
   cost far more than everything else about air. Does nothing when the wind has none or air->eddy is NULL. */
void tl_air_sample(const tl_air *air, const tl_particles *p);
bool tl_wind_has_eddies(const tl_wind_def *wind);

void tl_air_on_particles(const tl_air *air, const tl_mesh *mesh, tl_particles *p);
void tl_air_on_faces(const tl_air *air, const tl_mesh *mesh, tl_particles *p);

/* ---- noise behind the wind (world/wind_noise.c) --------------------------------------------------------------- */

/* Smooth in time (in periods), within ±1, zero mean. */
double tl_wind_gust(uint32_t seed, double time);

/* A divergence-free field of unit root mean square at `place` (in eddy sizes). The angle whose cosine and sine are c
   and s turns every eddy into another one and back, with the strength kept. */
void tl_wind_eddies(uint32_t seed, const double place[3], double c, double s, double velocity[3]);

/* ---- kernels (world/wind_kernel.c), for `count` faces ------------------------------------------------------- */

/* −ρ/12 times the coefficients of drag and lift: a third of ½ρ times half of (b−a)×(c−a) for each corner. */
typedef struct tl_air_coefficients {
    tl_real drag, lift;
} tl_air_coefficients;

/* `out` gets four numbers per face, x, y, z and 0: twice the face's vector area, or the force on each of its corners.
   `wind` is the velocity of the air at each face. */
#define TL_AIR_KERNELS(width)                                                                                          \
    void tl_air_areas_w##width(const int *restrict face, int count, tl_real *const x[3], tl_real *restrict out);       \
    void tl_air_faces_w##width(const tl_air_coefficients *coefficients, const int *restrict face, int count,           \
                               tl_real *const x[3], tl_real *const v[3], tl_real *const wind[3],                       \
                               tl_real *restrict out);
TL_AIR_KERNELS(8)
TL_AIR_KERNELS(4)
TL_AIR_KERNELS(1)

#endif
