/* SIMD kernels of the air: areas of faces for the force on particles, and the force on faces; formulas in
   world/wind.h.

   Areas: on grids (mesh/order.h) the corners of a face are those of the face PERIOD before it, one particle further
   along. TL_WIDTH such periods form a run, loaded without gathering. Other faces are processed one at a time, since
   gathering costs more than so little arithmetic gains. Both give the same bits. */
#include "element/vectors.h"
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

#endif

/* ---- force on faces -------------------------------------------------------------------------------------------- */

TL_INLINE void faces_block(int first, int count, bool run, const tl_air_faces *faces, const tl_air_coefficients *air,
                           tl_real *const *eddy, const tl_particles *p)
{
    const tl_vec third = tl_vec_set((tl_real)1 / 3), one = tl_vec_set(1), zero = tl_vec_set(0);
    const int *i0 = faces->particle[0] + first, *i1 = faces->particle[1] + first, *i2 = faces->particle[2] + first;
    tl_vectors x0 = tl_vs_read(p->x, i0, run);
    tl_vectors cross = tl_vs_cross(tl_vs_sub(tl_vs_read(p->x, i1, run), x0), tl_vs_sub(tl_vs_read(p->x, i2, run), x0));
    tl_vectors v =
        tl_vs_add(tl_vs_add(tl_vs_read(p->v, i0, run), tl_vs_read(p->v, i1, run)), tl_vs_read(p->v, i2, run));
    if (eddy)
        v = tl_vs_sub(
            v, tl_vs_add(tl_vs_add(tl_vs_read(eddy, i0, run), tl_vs_read(eddy, i1, run)), tl_vs_read(eddy, i2, run)));
    tl_vectors u = {v.x * third - tl_vec_set(air->wind.x), v.y * third - tl_vec_set(air->wind.y),
                    v.z * third - tl_vec_set(air->wind.z)};
    /* |u| (u·n) 2A n with n = cross/|cross| and 2A = |cross|; faces without area feel nothing: divide by 1 */
    tl_vec square = tl_vs_dot(cross, cross), speed_square = tl_vs_dot(u, u), along = tl_vs_dot(u, cross);
    tl_vec by_cross = along * tl_vec_sqrt(speed_square / tl_select(square > zero, square, one));
    tl_vectors force = tl_vs_scale(cross, by_cross * (air->drag + air->lift));
    if (air->lift != 0) { /* less (u·n)² 2A u/|u| */
        tl_vec area = tl_vec_sqrt(square * tl_select(speed_square > zero, speed_square, one));
        tl_vec by_u = along * along * air->lift / tl_select(area > zero, area, one);
        force = tl_vs_sub(force, tl_vs_scale(u, by_u));
    }
    tl_vs_add_to(p->f, i0, force, count, run);
    tl_vs_add_to(p->f, i1, force, count, run);
    tl_vs_add_to(p->f, i2, force, count, run);
}

void TL_KERNEL(tl_air_on_groups)(const tl_air_faces *faces, const tl_air_coefficients *air, tl_real *const *eddy,
                                 const tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias */
    if (eddy)
        TL_FOR_BLOCKS(faces->groups, faces_block, faces, air, eddy, &own)
    else
        TL_FOR_BLOCKS(faces->groups, faces_block, faces, air, NULL, &own)
}
