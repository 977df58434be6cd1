/* Blocks of TL_LANES elements, which lie side by side, each to its own place (step/pairs.h). */
#include "core/simd.h"
#include "step/pairs.h"
#include "step/sparse.h"

/* Block of one lane. */
static inline void store_lane(const tl_real (*in)[TL_LANES], int place, int lane, tl_real *value)
{
    if (place == TL_PAIR_NONE)
        return;
    bool turned = place < 0;
    tl_real *restrict out = value + (ptrdiff_t)TL_BLOCK * (turned ? ~place : place);
    for (int c = 0; c < 9; ++c)
        out[turned ? TL_BLOCK_AT(c % 3, c / 3) : TL_BLOCK_AT(c / 3, c % 3)] = in[c][lane];
}

#if TL_WIDTH == 1

void TL_KERNEL(tl_pairs_store)(const tl_element_pair *in, int count, const int *place, tl_real *value)
{
    for (int n = 0; n < count; ++n, place += TL_LANES)
        for (int lane = 0; lane < TL_LANES; ++lane)
            store_lane(in[n], place[lane], lane, value);
}

#else

typedef tl_real four __attribute__((vector_size(4 * sizeof(tl_real))));

/* Whether four blocks exist and are turned alike. */
static inline bool is_alike(const int *place)
{
    bool turned = place[0] < 0;
    for (int k = 0; k < 4; ++k)
        if (place[k] == TL_PAIR_NONE || (place[k] < 0) != turned)
            return false;
    return true;
}

/* Column c of four blocks from its rows. */
static inline void store_column(const tl_real *row0, const tl_real *row1, const tl_real *row2, const int *place,
                                int flip, tl_real *value)
{
    const four zero = {0};
    four x, y, z;
    memcpy(&x, row0, sizeof x);
    memcpy(&y, row1, sizeof y);
    memcpy(&z, row2, sizeof z);
    four xy_low = __builtin_shufflevector(x, y, 0, 4, 1, 5), xy_high = __builtin_shufflevector(x, y, 2, 6, 3, 7);
    four z_low = __builtin_shufflevector(z, zero, 0, 4, 1, 5), z_high = __builtin_shufflevector(z, zero, 2, 6, 3, 7);
    const four column[4] = {
        __builtin_shufflevector(xy_low, z_low, 0, 1, 4, 5), __builtin_shufflevector(xy_low, z_low, 2, 3, 6, 7),
        __builtin_shufflevector(xy_high, z_high, 0, 1, 4, 5), __builtin_shufflevector(xy_high, z_high, 2, 3, 6, 7)};
    for (int k = 0; k < 4; ++k)
        memcpy(value + (ptrdiff_t)TL_BLOCK * (place[k] ^ flip), &column[k], sizeof column[k]);
}

static inline void store_four(const tl_real (*in)[TL_LANES], const int *place, int lane, tl_real *value)
{
    if (!is_alike(place + lane))
        for (int k = lane; k < lane + 4; ++k)
            store_lane(in, place[k], k, value);
    else if (place[lane] < 0)
        for (int c = 0; c < 3; ++c)
            store_column(in[3 * c] + lane, in[3 * c + 1] + lane, in[3 * c + 2] + lane, place + lane, -1, value + 4 * c);
    else
        for (int c = 0; c < 3; ++c)
            store_column(in[c] + lane, in[3 + c] + lane, in[6 + c] + lane, place + lane, 0, value + 4 * c);
}

void TL_KERNEL(tl_pairs_store)(const tl_element_pair *in, int count, const int *place, tl_real *value)
{
    for (int n = 0; n < count; ++n, place += TL_LANES)
        for (int lane = 0; lane < TL_LANES; lane += 4)
            store_four(in[n], place, lane, value);
}

#endif
