/* SIMD kernels of the air's force on faces; formulas in world/wind.h.

   On grids (mesh/order.h) the corners of a face are those of the face PERIOD before it, one particle further along.
   TL_WIDTH such periods form a run, loaded without gathering. Other faces are processed one at a time, since gathering
   costs more than so little arithmetic gains. Both give the same bits. */
#include "core/simd.h"
#include "mesh/order.h"
#include "world/wind.h"

enum { PERIOD = 2 * TL_COLUMN_CLASSES, GROUP = PERIOD * TL_WIDTH };

typedef struct vectors {
    tl_vec x, y, z;
} vectors;

static inline vectors load(tl_real *const x[3], int i)
{
    return (vectors){tl_vec_load(x[0] + i), tl_vec_load(x[1] + i), tl_vec_load(x[2] + i)};
}

static inline vectors cross_of(vectors a, vectors b, vectors c)
{
    tl_vec ux = b.x - a.x, uy = b.y - a.y, uz = b.z - a.z;
    tl_vec wx = c.x - a.x, wy = c.y - a.y, wz = c.z - a.z;
    return (vectors){uy * wz - uz * wy, uz * wx - ux * wz, ux * wy - uy * wx};
}

/* Force on each corner, from (b−a)×(c−a), the sum of the corners' velocities and the wind. */
static inline vectors force_of(const tl_air_coefficients *coefficients, vectors cross, vectors v, vectors wind)
{
    const tl_vec third = tl_vec_set((tl_real)1 / 3), one = tl_vec_set(1), zero = tl_vec_set(0);
    const tl_vec drag = tl_vec_set(coefficients->drag), lift = tl_vec_set(coefficients->lift);
    tl_vec ux = v.x * third - wind.x, uy = v.y * third - wind.y, uz = v.z * third - wind.z;
    tl_vec twice_area = tl_vec_sqrt(cross.x * cross.x + cross.y * cross.y + cross.z * cross.z);
    tl_vec speed = tl_vec_sqrt(ux * ux + uy * uy + uz * uz);
    /* degenerate faces and still air give zero force: divide by 1 instead of 0 */
    tl_vec area_inverse = one / tl_select(twice_area > zero, twice_area, one);
    tl_vec speed_inverse = one / tl_select(speed > zero, speed, one);
    tl_vec nx = cross.x * area_inverse, ny = cross.y * area_inverse, nz = cross.z * area_inverse;
    tl_vec along = ux * nx + uy * ny + uz * nz;
    tl_vec pressure = twice_area * speed * along;
    tl_vec by_n = pressure * (drag + lift), by_u = pressure * lift * along * speed_inverse * speed_inverse;
    return (vectors){by_n * nx - by_u * ux, by_n * ny - by_u * uy, by_n * nz - by_u * uz};
}

static inline vectors sum_of(vectors a, vectors b, vectors c)
{
    return (vectors){a.x + b.x + c.x, a.y + b.y + c.y, a.z + b.z + c.z};
}

#if TL_WIDTH == 1

static inline void store(tl_real *restrict out, vectors v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
    out[3] = 0;
}

void TL_KERNEL(tl_air_areas)(const int *restrict face, int count, tl_real *const x[3], tl_real *restrict out)
{
    tl_real *const own[3] = {x[0], x[1], x[2]};
    for (int k = 0; k < count; ++k, face += 3)
        store(out + 4 * (size_t)k, cross_of(load(own, face[0]), load(own, face[1]), load(own, face[2])));
}

void TL_KERNEL(tl_air_faces)(const tl_air_coefficients *coefficients, const int *restrict face, int count,
                             tl_real *const x[3], tl_real *const v[3], tl_real *const wind[3], tl_real *restrict out)
{
    tl_real *const own[3] = {x[0], x[1], x[2]}, *const velocity[3] = {v[0], v[1], v[2]};
    for (int k = 0; k < count; ++k, face += 3) {
        vectors cross = cross_of(load(own, face[0]), load(own, face[1]), load(own, face[2]));
        vectors sum = sum_of(load(velocity, face[0]), load(velocity, face[1]), load(velocity, face[2]));
        store(out + 4 * (size_t)k, force_of(coefficients, cross, sum, load(wind, k)));
    }
}

#else

/* Faces to process together: GROUP for a run, else fewer, up to where the run breaks. */
static inline int run_length(const int *restrict face, int left)
{
    int length = PERIOD;
    for (; length < GROUP && length + PERIOD <= left; length += PERIOD, face += 3 * PERIOD) {
        int broken = 0;
        for (int k = 0; k < 3 * PERIOD; ++k)
            broken |= face[k + 3 * PERIOD] - face[k] - 1;
        if (broken)
            break;
    }
    return length < left ? length : left;
}

/* Stores x, y, z, 0 for faces PERIOD apart. */
static inline void store(tl_real *restrict out, vectors v)
{
    typedef tl_real four __attribute__((vector_size(4 * sizeof(tl_real))));
    const four zero = {0};
    for (int half = 0; half < TL_WIDTH / 4; ++half) {
        four x, y, z;
        memcpy(&x, (const char *)&v.x + (size_t)half * sizeof x, sizeof x);
        memcpy(&y, (const char *)&v.y + (size_t)half * sizeof y, sizeof y);
        memcpy(&z, (const char *)&v.z + (size_t)half * sizeof z, sizeof z);
        four xy_low = __builtin_shufflevector(x, y, 0, 4, 1, 5), xy_high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
        four z_low = __builtin_shufflevector(z, zero, 0, 4, 1, 5),
             z_high = __builtin_shufflevector(z, zero, 2, 6, 3, 7);
        four row[4] = {
            __builtin_shufflevector(xy_low, z_low, 0, 1, 4, 5), __builtin_shufflevector(xy_low, z_low, 2, 3, 6, 7),
            __builtin_shufflevector(xy_high, z_high, 0, 1, 4, 5), __builtin_shufflevector(xy_high, z_high, 2, 3, 6, 7)};
        for (int k = 0; k < 4; ++k)
            memcpy(out + 4 * PERIOD * (4 * half + k), &row[k], sizeof row[k]);
    }
}

static inline tl_vec load_apart(const tl_real *a)
{
    tl_vec r;
    for (int k = 0; k < TL_WIDTH; ++k)
        r[k] = a[PERIOD * k];
    return r;
}

void TL_KERNEL(tl_air_areas)(const int *restrict face, int count, tl_real *const x[3], tl_real *restrict out)
{
    for (int k = 0, length = 0; k < count; k += length, face += 3 * length, out += 4 * length) {
        length = run_length(face, count - k);
        if (length < GROUP) {
            tl_air_areas_w1(face, length, x, out);
            continue;
        }
        for (int j = 0; j < PERIOD; ++j)
            store(out + 4 * j, cross_of(load(x, face[3 * j]), load(x, face[3 * j + 1]), load(x, face[3 * j + 2])));
    }
}

void TL_KERNEL(tl_air_faces)(const tl_air_coefficients *coefficients, const int *restrict face, int count,
                             tl_real *const x[3], tl_real *const v[3], tl_real *const wind[3], tl_real *restrict out)
{
    for (int k = 0, length = 0; k < count; k += length, face += 3 * length, out += 4 * length) {
        tl_real *const here[3] = {wind[0] + k, wind[1] + k, wind[2] + k};
        length = run_length(face, count - k);
        if (length < GROUP) {
            tl_air_faces_w1(coefficients, face, length, x, v, here, out);
            continue;
        }
        for (int j = 0; j < PERIOD; ++j) {
            int a = face[3 * j], b = face[3 * j + 1], c = face[3 * j + 2];
            vectors cross = cross_of(load(x, a), load(x, b), load(x, c)),
                    sum = sum_of(load(v, a), load(v, b), load(v, c));
            vectors air = {load_apart(here[0] + j), load_apart(here[1] + j), load_apart(here[2] + j)};
            store(out + 4 * j, force_of(coefficients, cross, sum, air));
        }
    }
}

#endif
