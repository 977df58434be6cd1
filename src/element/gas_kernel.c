/* Vector work of the gas (element/gas.h): area vectors of faces added up at their particles, sums over particles,
   pushes. Sums run in eight interleaved parts in double precision, whatever the width, so that all widths give the same
   bits. */
#include "element/gas.h"
#include "element/vectors.h"

#if TL_WIDTH == 1
typedef double tl_sum;
#define TO_SUM(a) ((double)(a))

#else
typedef double tl_sum __attribute__((vector_size(TL_WIDTH * sizeof(double))));
#define TO_SUM(a) __builtin_convertvector(a, tl_sum)
#endif

enum { SUMS = TL_LANES / TL_WIDTH };

/* The eight parts, first to last. */
TL_INLINE double total(const tl_sum sum[SUMS])
{
    double parts[TL_LANES], result = 0;
    memcpy(parts, sum, sizeof parts);
    for (int k = 0; k < TL_LANES; ++k)
        result += parts[k];
    return result;
}

TL_INLINE void block(int first, int count, bool run, const tl_gas *gas, const tl_particles *p)
{
    const int *a = gas->particle[0] + first, *b = gas->particle[1] + first, *c = gas->particle[2] + first;
    tl_vectors xa = tl_vs_read(p->x, a, run);
    tl_vectors n = tl_vs_cross(tl_vs_sub(tl_vs_read(p->x, b, run), xa), tl_vs_sub(tl_vs_read(p->x, c, run), xa));
    tl_vs_add_to(gas->area, a, n, count, run);
    tl_vs_add_to(gas->area, b, n, count, run);
    tl_vs_add_to(gas->area, c, n, count, run);
}

void TL_KERNEL(tl_gas_areas)(const tl_gas *gas, const tl_particles *p)
{
    const tl_particles own_p = *p; /* copies the stores cannot reach, so that their pointers stay in registers */
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
            sum[k] += TO_SUM(part);
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
            sum[k] += TO_SUM(tl_vec_load(p->w + j) * (x * x + y * y + z * z));
        }
    return total(sum);
}

void TL_KERNEL(tl_gas_push)(const tl_gas *gas, tl_real share, int count, tl_real *const out[3])
{
    tl_vec s = tl_vec_set(share);
    for (int c = 0; c < 3; ++c) {
        const tl_real *restrict area = gas->area[c];
        tl_real *restrict f = out[c];
        for (int i = 0; i < count; i += TL_WIDTH)
            tl_vec_store(f + i, tl_vec_load(f + i) + s * tl_vec_load(area + i));
    }
}

void TL_KERNEL(tl_gas_move)(const tl_gas *gas, tl_real share, tl_particles *p)
{
    tl_vec s = tl_vec_set(share);
    for (int c = 0; c < 3; ++c) {
        const tl_real *restrict area = gas->area[c], *restrict w = p->w;
        tl_real *restrict x = p->x[c];
        for (int i = 0; i < p->count; i += TL_WIDTH)
            tl_vec_store(x + i, tl_vec_load(x + i) + s * tl_vec_load(w + i) * tl_vec_load(area + i));
    }
}
