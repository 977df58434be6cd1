/* The air: its velocity (kinds in world/wind.h, noise in world/wind_noise.c) and its force on cloth.

   Drag and lift of a plate, ½ρ C A |u|² and their directions, follow the theses S2 (per particle) and S3 (per face);
   formulas in world/wind.h. Eddies are advected by the mean wind, unchanged except for a slow rotation (Taylor's frozen
   turbulence, 1938) at the eddy turnover rate: speed over size.

   Faces are evaluated in SIMD (world/wind_kernel.c) in a fixed order, for the same bits at every width. */
#include "world/wind.h"

#include "core/trig.h"

#include <string.h>

/* Eddy speed without mean wind, for an eddy_strength of 1, m/s. */
#define EDDY_SPEED_IN_CALM 1.0

/* Wind at one moment: the uniform part and the parameters of the eddies. */
typedef struct wind_now {
    tl_vec3 common; /* m/s */
    bool eddies;
    double speed;     /* m/s, RMS of the eddies */
    double per_metre; /* 1/m */
    double drift[3];  /* m, displacement of the mean wind, relative to the origin of positions */
    double turn[2];   /* cosine and sine of the eddies' rotation */
    uint32_t seed;
} wind_now;

static bool is(const tl_wind_def *wind, const char *kind) { return wind->kind && strcmp(wind->kind, kind) == 0; }

/* A vector of the given length along `direction`; 0 along 0. */
static tl_vec3 along(const double direction[3], double length)
{
    double own = sqrt(direction[0] * direction[0] + direction[1] * direction[1] + direction[2] * direction[2]);
    double scale = own > 0 ? length / own : 0;
    return tl_v3((tl_real)(scale * direction[0]), (tl_real)(scale * direction[1]), (tl_real)(scale * direction[2]));
}

/* The two winds of S3 that change with time. Its strength is a force, ours a speed: the root of it. */
static tl_vec3 wind_of_s3(const tl_wind_def *wind, bool wandering, double time)
{
    const double x = (double)wind->velocity.x, y = (double)wind->velocity.y, z = (double)wind->velocity.z;
    const double speed = sqrt(x * x + y * y + z * z);
    if (!wandering)
        return along((const double[3]){x * (1 + tl_sin(time)), y, z * tl_sin(time)}, speed);
    return along((const double[3]){tl_sin(time / 2), tl_sin(time / 3), tl_sin(time)},
                 speed * sqrt(1 + 0.1 * tl_cos(time / 7)));
}

static wind_now wind_at_time(const tl_wind_def *wind, const double origin[3], double time)
{
    wind_now now = {.common = {0, 0, 0}, .seed = (uint32_t)wind->seed};
    if (is(wind, "veering") || is(wind, "wandering")) {
        now.common = wind_of_s3(wind, is(wind, "wandering"), time);
        return now;
    }
    bool turbulent = is(wind, "turbulent"), gusts = turbulent || is(wind, "gusts");
    if (!gusts && !is(wind, "uniform"))
        return now;
    now.common = wind->velocity;
    if (gusts && wind->gust_strength > 0 && wind->gust_period > 0) {
        double noise = tl_wind_gust(now.seed, time / (double)wind->gust_period);
        now.common = tl_scale(now.common, (tl_real)(1 + (double)wind->gust_strength * noise));
    }
    if (turbulent && wind->eddy_strength > 0 && wind->eddy_size > 0) {
        double u[3] = {(double)wind->velocity.x, (double)wind->velocity.y, (double)wind->velocity.z};
        double mean = sqrt(u[0] * u[0] + u[1] * u[1] + u[2] * u[2]);
        now.eddies = true;
        now.speed = (double)wind->eddy_strength * (mean > 0 ? mean : EDDY_SPEED_IN_CALM);
        now.per_metre = 1 / (double)wind->eddy_size;
        double angle = time * now.speed * now.per_metre;
        now.turn[0] = tl_cos(angle);
        now.turn[1] = tl_sin(angle);
        for (int k = 0; k < 3; ++k)
            now.drift[k] = u[k] * time - origin[k];
    }
    return now;
}

static tl_vec3 wind_at_place(const wind_now *now, tl_vec3 position)
{
    if (!now->eddies)
        return now->common;
    double cell_position[3] = {((double)position.x - now->drift[0]) * now->per_metre,
                               ((double)position.y - now->drift[1]) * now->per_metre,
                               ((double)position.z - now->drift[2]) * now->per_metre};
    double eddy[3];
    tl_wind_eddies(now->seed, cell_position, now->turn[0], now->turn[1], eddy);
    return tl_add(now->common, tl_v3((tl_real)(now->speed * eddy[0]), (tl_real)(now->speed * eddy[1]),
                                     (tl_real)(now->speed * eddy[2])));
}

tl_vec3 tl_wind_velocity_from(const tl_wind_def *wind, const double origin[3], tl_vec3 position, double time)
{
    wind_now now = wind_at_time(wind, origin, time);
    return wind_at_place(&now, position);
}

tl_vec3 tl_wind_velocity(const tl_wind_def *wind, tl_vec3 position, double time)
{
    return tl_wind_velocity_from(wind, (const double[3]){0, 0, 0}, position, time);
}

/* ---- forces --------------------------------------------------------------------------------------------------- */

/* Faces or particles per block; its data stays in L1 cache. */
enum { AIR_BLOCK = 512 };

/* Four contiguous numbers, so that gathering a face's entry takes one or two loads; the fourth is 0. */
typedef tl_real part __attribute__((vector_size(16)));
enum { PARTS = 4 * sizeof(tl_real) / sizeof(part) };
typedef struct entry {
    part part[PARTS];
} entry;

/* Sum of the cross products of the faces around each particle of first … first+count-1. */
static void gather_areas(const tl_mesh *mesh, const entry *restrict areas, int first, int count, entry *restrict sums)
{
    const int *restrict start = mesh->particle_face_start + first, *restrict half = mesh->particle_face;
    for (int i = 0; i < count; ++i) {
        entry sum = {0};
        for (int k = start[i]; k < start[i + 1]; ++k) {
            const entry *own = &areas[(unsigned)half[k] / 3u]; /* tl_half_face, unsigned for a faster division */
            for (int j = 0; j < PARTS; ++j)
                sum.part[j] += own->part[j];
        }
        sums[i] = sum;
    }
}

/* The same without scratch: every area is computed three times. */
static void compute_areas(const tl_mesh *mesh, tl_real *const x[3], int first, int count, entry *restrict sums)
{
    for (int i = 0; i < count; ++i) {
        entry sum = {0};
        for (int k = mesh->particle_face_start[first + i]; k < mesh->particle_face_start[first + i + 1]; ++k) {
            entry own;
            tl_air_areas_w1(mesh->face + 3 * (size_t)tl_half_face(mesh->particle_face[k]), 1, x, (tl_real *)&own);
            for (int j = 0; j < PARTS; ++j)
                sum.part[j] += own.part[j];
        }
        sums[i] = sum;
    }
}

bool tl_wind_has_eddies(const tl_wind_def *wind) { return wind_at_time(wind, (const double[3]){0, 0, 0}, 0).eddies; }

void tl_air_sample(const tl_air *air, const tl_particles *p)
{
    wind_now now = wind_at_time(air->wind, air->origin, air->time);
    for (int i = 0; now.eddies && air->eddy[0] && i < p->count; ++i)
        tl_put(air->eddy, i, tl_sub(wind_at_place(&now, tl_at(p->x, i)), now.common));
}

double tl_air_fastest(const tl_air *air, const tl_particles *p)
{
    wind_now now = wind_at_time(air->wind, air->origin, air->time);
    const tl_real *restrict vx = p->v[0], *restrict vy = p->v[1], *restrict vz = p->v[2];
    tl_real square = 0;
    for (int i = 0; i < p->count; ++i)
        square = tl_max(square, vx[i] * vx[i] + vy[i] * vy[i] + vz[i] * vz[i]);
    return sqrt((double)square) + (double)tl_length(now.common) + (now.eddies ? 2 * now.speed : 0);
}

/* Velocity of the air at a particle. */
static inline tl_vec3 wind_at_particle(const tl_air *air, const wind_now *now, tl_real *const x[3], int i)
{
    if (!now->eddies)
        return now->common;
    return air->eddy[0] ? tl_add(now->common, tl_at(air->eddy, i)) : wind_at_place(now, tl_at(x, i));
}

void tl_air_on_particles(const tl_air *air, const tl_mesh *mesh, tl_particles *p)
{
    wind_now now = wind_at_time(air->wind, air->origin, air->time);
    entry sums[AIR_BLOCK];
    tl_real *const x[3] = {p->x[0], p->x[1], p->x[2]};
    if (air->scratch)
        (air->lanes == 8   ? TL_W8(tl_air_areas)
         : air->lanes == 4 ? tl_air_areas_w4
                           : tl_air_areas_w1)(mesh->face, mesh->face_count, x, air->scratch);

    /* a third of the adjacent areas, each half its cross product */
    const tl_real factor = (tl_real)-0.5 * air->wind->air_density * air->drag / 6;
    const tl_real *restrict vx = p->v[0], *restrict vy = p->v[1], *restrict vz = p->v[2];
    tl_real *restrict fx = p->f[0], *restrict fy = p->f[1], *restrict fz = p->f[2];
    for (int first = 0; first < p->count; first += AIR_BLOCK) {
        int left = p->count - first, count = left < AIR_BLOCK ? left : AIR_BLOCK;
        if (air->scratch)
            gather_areas(mesh, (const entry *)(const void *)air->scratch, first, count, sums);
        else
            compute_areas(mesh, x, first, count, sums);
        for (int k = 0; k < count; ++k) {
            int i = first + k;
            tl_vec3 wind = wind_at_particle(air, &now, x, i);
            tl_vec3 u = tl_sub(tl_v3(vx[i], vy[i], vz[i]), wind);
            tl_real area[4];
            memcpy(area, &sums[k], sizeof area);
            tl_real push = factor * fabs(tl_dot(u, tl_v3(area[0], area[1], area[2])));
            fx[i] += u.x * push;
            fy[i] += u.y * push;
            fz[i] += u.z * push;
        }
    }
}

void tl_air_on_faces(const tl_air *air, const tl_mesh *mesh, tl_particles *p)
{
    (void)mesh;
    wind_now now = wind_at_time(air->wind, air->origin, air->time);
    tl_real factor = air->wind->air_density * ((tl_real)-1 / 12);
    tl_air_coefficients coefficients = {factor * air->drag, factor * air->lift, now.common};
    TL_PICK_KERNEL(tl_air_on_groups, air->lanes)
    (air->faces, &coefficients, now.eddies && air->eddy[0] ? air->eddy : NULL, p);
}

void tl_air_load(const tl_air *air, const tl_mesh *mesh, tl_particles *p)
{
    const tl_vec3 wind = wind_at_time(air->wind, air->origin, air->time).common;
    const tl_real half = (tl_real)0.5 * air->wind->air_density * air->drag * air->load_area / 3;
    const tl_vec3 push = tl_scale(wind, half * tl_length(wind));
    for (int k = 0; k < mesh->face_count; ++k) {
        const int *corner = mesh->face + 3 * (size_t)k;
        tl_vec3 x = tl_at(p->x, corner[0]);
        tl_vec3 cross = tl_cross(tl_sub(tl_at(p->x, corner[1]), x), tl_sub(tl_at(p->x, corner[2]), x));
        tl_real square = tl_dot(cross, cross);
        if (!(square > 0))
            continue;
        tl_vec3 force = tl_scale(cross, tl_dot(cross, push) / square);
        for (int c = 0; c < 3; ++c)
            tl_accumulate(p->f, corner[c], force);
    }
}

/* ---- faces sorted for SIMD ------------------------------------------------------------------------------------ */

tl_air_faces *tl_air_faces_create(const tl_allocator *allocator, const tl_mesh *mesh)
{
    tl_air_faces *faces = tl_allocate(allocator, 1, sizeof *faces);
    size_t padded = (size_t)tl_padded(mesh->face_count);
    bool made = faces != NULL;
    for (int c = 0; c < 3 && made; ++c)
        made = (faces->particle[c] = tl_allocate(allocator, padded, sizeof(int))) != NULL;
    made = made && tl_groups_build(&faces->groups, allocator, mesh->face, 3, mesh->face_count, mesh->particle_count);
    if (!made) {
        tl_air_faces_destroy(faces, allocator);
        return NULL;
    }
    for (int k = 0; k < mesh->face_count; ++k)
        for (int c = 0; c < 3; ++c)
            faces->particle[c][k] = mesh->face[3 * faces->groups.order[k] + c];
    faces->bytes = sizeof *faces + 3 * padded * sizeof(int) + tl_groups_bytes(&faces->groups, mesh->face_count);
    return faces;
}

void tl_air_faces_destroy(tl_air_faces *faces, const tl_allocator *allocator)
{
    if (!faces)
        return;
    tl_groups_destroy(&faces->groups, allocator);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, faces->particle[c]);
    tl_release(allocator, faces);
}
