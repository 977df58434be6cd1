/* Particles packed for kernels that gather: x, y, z and w of a particle are adjacent, so that it is one memory access
   instead of four, and a vector of particles is read by whole loads and a transpose. */
#ifndef TL_CORE_PACKED_H
#define TL_CORE_PACKED_H

#include "core/simd.h"

/* x, y, z, w of TL_WIDTH particles. */
typedef struct tl_packs {
    tl_vec x, y, z, w;
} tl_packs;

#if TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
/* Four rows of two halves, each transposed: from particles to components and back. */
TL_INLINE void tl_transpose(__m256 r[4])
{
    __m256 a = _mm256_unpacklo_ps(r[0], r[1]), b = _mm256_unpackhi_ps(r[0], r[1]);
    __m256 c = _mm256_unpacklo_ps(r[2], r[3]), d = _mm256_unpackhi_ps(r[2], r[3]);
    r[0] = _mm256_shuffle_ps(a, c, 0x44);
    r[1] = _mm256_shuffle_ps(a, c, 0xee);
    r[2] = _mm256_shuffle_ps(b, d, 0x44);
    r[3] = _mm256_shuffle_ps(b, d, 0xee);
}
#endif

TL_INLINE tl_packs tl_packs_read(const tl_real *packed, const int *index)
{
#if TL_WIDTH == 1
    const tl_real *at = packed + 4 * (size_t)*index;
    return (tl_packs){at[0], at[1], at[2], at[3]};
#elif TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    __m256 r[4];
    for (int k = 0; k < 4; ++k)
        r[k] = _mm256_insertf128_ps(_mm256_castps128_ps256(_mm_load_ps(packed + 4 * (size_t)index[k])),
                                    _mm_load_ps(packed + 4 * (size_t)index[k + 4]), 1);
    tl_transpose(r);
    return (tl_packs){(tl_vec)r[0], (tl_vec)r[1], (tl_vec)r[2], (tl_vec)r[3]};
#elif TL_WIDTH == 4 && defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    __m128 a = _mm_load_ps(packed + 4 * (size_t)index[0]), b = _mm_load_ps(packed + 4 * (size_t)index[1]);
    __m128 c = _mm_load_ps(packed + 4 * (size_t)index[2]), d = _mm_load_ps(packed + 4 * (size_t)index[3]);
    _MM_TRANSPOSE4_PS(a, b, c, d);
    return (tl_packs){(tl_vec)a, (tl_vec)b, (tl_vec)c, (tl_vec)d};
#else
    tl_packs p;
    for (int k = 0; k < TL_WIDTH; ++k) {
        const tl_real *at = packed + 4 * (size_t)index[k];
        p.x[k] = at[0];
        p.y[k] = at[1];
        p.z[k] = at[2];
        p.w[k] = at[3];
    }
    return p;
#endif
}

/* Writes the particles of the first `count` lanes; their indices must differ. */
TL_INLINE void tl_packs_write(tl_real *packed, const int *index, tl_packs p, int count)
{
#if TL_WIDTH == 1
    (void)count;
    tl_real *at = packed + 4 * (size_t)*index;
    at[0] = p.x;
    at[1] = p.y;
    at[2] = p.z;
    at[3] = p.w;
#elif TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    __m256 r[4] = {(__m256)p.x, (__m256)p.y, (__m256)p.z, (__m256)p.w};
    tl_transpose(r);
    for (int k = 0; k < 4 && k < count; ++k)
        _mm_store_ps(packed + 4 * (size_t)index[k], _mm256_castps256_ps128(r[k]));
    for (int k = 4; k < count; ++k)
        _mm_store_ps(packed + 4 * (size_t)index[k], _mm256_extractf128_ps(r[k - 4], 1));
#elif TL_WIDTH == 4 && defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    __m128 r[4] = {(__m128)p.x, (__m128)p.y, (__m128)p.z, (__m128)p.w};
    _MM_TRANSPOSE4_PS(r[0], r[1], r[2], r[3]);
    for (int k = 0; k < count; ++k)
        _mm_store_ps(packed + 4 * (size_t)index[k], r[k]);
#else
    for (int k = 0; k < count; ++k) {
        tl_real *at = packed + 4 * (size_t)index[k];
        at[0] = p.x[k];
        at[1] = p.y[k];
        at[2] = p.z[k];
        at[3] = p.w[k];
    }
#endif
}

#endif
