/* Kernels of the gas (element/gas.h): area vectors of faces, in pairs over a shared side, accumulated per particle;
   sums over particles; forces. Sums run in eight interleaved parts in double precision for every width, so that all
   widths give bit-identical results. */
#include "element/gas.h"
#include "element/vectors.h"

/* TL_WIDTH of the eight parts of a sum. */
#if TL_WIDTH == 1
typedef double tl_sum;
TL_INLINE tl_sum to_sum(tl_vec a) { return (double)a; }
#elif TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
typedef struct tl_sum {
    __m256d low, high;
} tl_sum;
#else
typedef double tl_sum __attribute__((vector_size(TL_WIDTH * sizeof(double))));
TL_INLINE tl_sum to_sum(tl_vec a) { return __builtin_convertvector(a, tl_sum); }
#endif

enum { SUMS = TL_LANES / TL_WIDTH };

TL_INLINE void add_up(tl_sum *sum, tl_vec a)
{
#if TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    /* otherwise the compiler converts one number at a time */
    sum->low += _mm256_cvtps_pd(_mm256_castps256_ps128((__m256)a));
    sum->high += _mm256_cvtps_pd(_mm256_extractf128_ps((__m256)a, 1));
#else
    *sum += to_sum(a);
#endif
}

/* The eight parts, first to last. */
TL_INLINE double total(const tl_sum sum[SUMS])
{
    double parts[TL_LANES], result = 0;
    memcpy(parts, sum, sizeof parts);
    for (int k = 0; k < TL_LANES; ++k)
        result += parts[k];
    return result;
}

TL_INLINE void add(tl_real *const area[3], const int *index, tl_vectors n, int count, bool run)
{
    tl_vs_add_to(area, index, n, run ? TL_WIDTH : count, run);
}

/* Faces a b c and a c d. */
TL_INLINE void block(int first, int count, bool run, const tl_gas *gas, const tl_particles *p)
{
    const int *a = gas->particle[0] + first, *b = gas->particle[1] + first, *c = gas->particle[2] + first,
              *d = gas->particle[3] + first;
    tl_vectors xa = tl_vs_read(p->x, a, run), ac = tl_vs_sub(tl_vs_read(p->x, c, run), xa);
    tl_vectors n = tl_vs_cross(tl_vs_sub(tl_vs_read(p->x, b, run), xa), ac);
    tl_vectors m = tl_vs_cross(ac, tl_vs_sub(tl_vs_read(p->x, d, run), xa));
    if (run && count < TL_WIDTH) {
        n = (tl_vectors){tl_first_lanes(n.x, count), tl_first_lanes(n.y, count), tl_first_lanes(n.z, count)};
        m = (tl_vectors){tl_first_lanes(m.x, count), tl_first_lanes(m.y, count), tl_first_lanes(m.z, count)};
    }
    tl_vectors both = tl_vs_add(n, m);
    add(gas->area, a, both, count, run);
    add(gas->area, b, n, count, run);
    add(gas->area, c, both, count, run);
    add(gas->area, d, m, count, run);
}

void TL_KERNEL(tl_gas_areas)(const tl_gas *gas, const tl_particles *p)
{
    const tl_particles own_p = *p; /* local copies that stores cannot alias, so that their pointers stay in registers */
    const tl_gas own = *gas;
    for (int c = 0; c < 3; ++c)
        memset(own.area[c], 0, (size_t)tl_padded(p->count) * sizeof(tl_real));
    TL_FOR_BLOCKS(own.groups, block, &own, &own_p)
}

double TL_KERNEL(tl_gas_moment)(const tl_gas *gas, const tl_particles *p)
{
    tl_vec ox = tl_vec_set(p->x[0][gas->origin]), oy = tl_vec_set(p->x[1][gas->origin]),
           oz = tl_vec_set(p->x[2][gas->origin]);
    tl_sum sum[SUMS];
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < p->count; i += TL_LANES)
        for (int k = 0; k < SUMS; ++k) {
            int j = i + k * TL_WIDTH;
            tl_vec part = (tl_vec_load(p->x[0] + j) - ox) * tl_vec_load(gas->area[0] + j) +
                          (tl_vec_load(p->x[1] + j) - oy) * tl_vec_load(gas->area[1] + j) +
                          (tl_vec_load(p->x[2] + j) - oz) * tl_vec_load(gas->area[2] + j);
            add_up(&sum[k], part);
        }
    return total(sum);
}

double TL_KERNEL(tl_gas_weight)(const tl_gas *gas, const tl_particles *p)
{
    tl_sum sum[SUMS];
    memset(sum, 0, sizeof sum);
    for (int i = 0; i < p->count; i += TL_LANES)
        for (int k = 0; k < SUMS; ++k) {
            int j = i + k * TL_WIDTH;
            tl_vec x = tl_vec_load(gas->area[0] + j), y = tl_vec_load(gas->area[1] + j),
                   z = tl_vec_load(gas->area[2] + j);
            add_up(&sum[k], tl_vec_load(p->w + j) * (x * x + y * y + z * z));
        }
    return total(sum);
}

void TL_KERNEL(tl_gas_push)(const tl_gas *gas, tl_real factor, int count, tl_real *const out[3])
{
    tl_vec s = tl_vec_set(factor);
    for (int c = 0; c < 3; ++c) {
        const tl_real *restrict area = gas->area[c];
        tl_real *restrict f = out[c];
        for (int i = 0; i < count; i += TL_WIDTH)
            tl_vec_store(f + i, tl_vec_load(f + i) + s * tl_vec_load(area + i));
    }
}

void TL_KERNEL(tl_gas_move)(const tl_gas *gas, tl_real factor, const tl_particles *p, tl_real *const moved[3])
{
    tl_vec s = tl_vec_set(factor);
    for (int c = 0; c < 3; ++c) {
        const tl_real *restrict area = gas->area[c], *restrict w = p->w;
        tl_real *restrict x = moved[c];
        for (int i = 0; i < p->count; i += TL_WIDTH)
            tl_vec_store(x + i, tl_vec_load(x + i) + s * tl_vec_load(w + i) * tl_vec_load(area + i));
    }
}
