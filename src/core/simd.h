/* Vectors of TL_WIDTH numbers through compiler vector extensions. Only *_kernel.c files include this; the build
   compiles each of them for widths 8 (AVX2 on x86), 4 (SSE, NEON, WebAssembly) and 1 (scalar), and TL_KERNEL(name)
   gives each its own symbol. No fused operations, so that all widths give bit-identical results. */
#ifndef TL_CORE_SIMD_H
#define TL_CORE_SIMD_H

#include "core/memory.h"
#include "core/vec.h"

#include <string.h>
#if defined(__x86_64__)
#include <immintrin.h>
#elif defined(__wasm_simd128__)
#include <wasm_simd128.h>
#elif defined(__aarch64__)
#include <arm_neon.h>
#endif

#ifndef TL_WIDTH
#error "core/simd.h is for kernel files, which the build compiles with TL_WIDTH"
#endif

#define TL_PASTE2(a, b) a##_w##b
#define TL_PASTE(a, b) TL_PASTE2(a, b)
#define TL_KERNEL(name) TL_PASTE(name, TL_WIDTH)

/* For the bodies of hot loops with constant flags: without it the compiler keeps one copy and tests the flags. */
#if defined(__GNUC__)
#define TL_INLINE static inline __attribute__((always_inline))
#else
#define TL_INLINE static inline
#endif

#if TL_WIDTH == 1
typedef tl_real tl_vec;
typedef int tl_mask;
static inline tl_vec tl_vec_sqrt(tl_vec a) { return sqrt(a); }
static inline tl_vec tl_select(tl_mask mask, tl_vec a, tl_vec b) { return mask ? a : b; }
static inline bool tl_any(tl_mask mask) { return mask != 0; }
static inline unsigned tl_bits(tl_mask mask) { return mask != 0; }
static inline int tl_count(tl_mask mask) { return mask != 0; }
static inline bool tl_lane(tl_mask mask, int lane)
{
    (void)lane;
    return mask != 0;
}
static inline tl_vec tl_vec_abs(tl_vec a) { return fabs(a); }
#else
#ifdef TL_REAL_DOUBLE
typedef int64_t tl_lane_int;
#else
typedef int32_t tl_lane_int;
#endif
typedef tl_real tl_vec __attribute__((vector_size(TL_WIDTH * sizeof(tl_real))));
/* Result of comparing two vectors: all bits set in the lanes where it holds. */
typedef tl_lane_int tl_mask __attribute__((vector_size(TL_WIDTH * sizeof(tl_lane_int))));
static inline tl_vec tl_vec_sqrt(tl_vec a)
{
#if TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    return (tl_vec)_mm256_sqrt_ps((__m256)a);
#elif TL_WIDTH == 4 && defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    return (tl_vec)_mm_sqrt_ps((__m128)a);
#elif TL_WIDTH == 4 && defined(__wasm_simd128__) && !defined(TL_REAL_DOUBLE)
    return (tl_vec)wasm_f32x4_sqrt((v128_t)a);
#elif TL_WIDTH == 4 && defined(__aarch64__) && !defined(TL_REAL_DOUBLE)
    return (tl_vec)vsqrtq_f32((float32x4_t)a);
#else
    for (int k = 0; k < TL_WIDTH; ++k)
        a[k] = sqrt(a[k]);
    return a;
#endif
}
/* a in the lanes where the mask is set, b elsewhere */
static inline tl_vec tl_select(tl_mask mask, tl_vec a, tl_vec b)
{
    return (tl_vec)(((tl_mask)a & mask) | ((tl_mask)b & ~mask));
}
static inline bool tl_lane(tl_mask mask, int lane) { return mask[lane] != 0; }
/* 0, 1, 2 … */
static inline tl_mask tl_lanes(void)
{
#if TL_WIDTH == 4
    return (tl_mask){0, 1, 2, 3};
#else
    return (tl_mask){0, 1, 2, 3, 4, 5, 6, 7};
#endif
}
/* In how many lanes is the mask set? */
static inline int tl_count(tl_mask mask)
{
    tl_lane_int count = 0;
    for (int k = 0; k < TL_WIDTH; ++k)
        count -= mask[k];
    return (int)count;
}
static inline tl_vec tl_vec_abs(tl_vec a)
{
    const tl_vec sign = -(tl_vec){0}; /* −0: every bit but the sign is 0 */
    return (tl_vec)((tl_mask)a & ~(tl_mask)sign);
}
/* The lanes in which the mask is set, as bits. */
static inline unsigned tl_bits(tl_mask mask)
{
#if TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    return (unsigned)_mm256_movemask_ps((__m256)mask);
#elif TL_WIDTH == 4 && defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    return (unsigned)_mm_movemask_ps((__m128)mask);
#elif TL_WIDTH == 4 && defined(__wasm_simd128__) && !defined(TL_REAL_DOUBLE)
    return (unsigned)wasm_i32x4_bitmask((v128_t)mask);
#else
    unsigned bits = 0;
    for (int k = 0; k < TL_WIDTH; ++k)
        bits |= (unsigned)(mask[k] & 1) << k;
    return bits;
#endif
}
/* Is the mask set in any lane? */
static inline bool tl_any(tl_mask mask)
{
#if TL_WIDTH == 8 && defined(__AVX__) && !defined(TL_REAL_DOUBLE)
    return _mm256_movemask_ps((__m256)mask) != 0;
#elif TL_WIDTH == 4 && defined(__SSE__) && !defined(TL_REAL_DOUBLE)
    return _mm_movemask_ps((__m128)mask) != 0;
#elif TL_WIDTH == 4 && defined(__wasm_simd128__) && !defined(TL_REAL_DOUBLE)
    return wasm_v128_any_true((v128_t)mask);
#elif TL_WIDTH == 4 && defined(__aarch64__) && !defined(TL_REAL_DOUBLE)
    return vmaxvq_u32((uint32x4_t)mask) != 0;
#else
    tl_lane_int any = 0;
    for (int k = 0; k < TL_WIDTH; ++k)
        any |= mask[k];
    return any != 0;
#endif
}
#endif

/* Gather and scatter of TL_WIDTH numbers. Indices of a scatter must differ. */
static inline tl_vec tl_vec_gather(const tl_real *base, const int *index)
{
#if TL_WIDTH == 1
    return base[index[0]];
#elif TL_WIDTH == 4 /* written out: for WebAssembly compilers take a loop through memory */
    return (tl_vec){base[index[0]], base[index[1]], base[index[2]], base[index[3]]};
#else
    tl_vec r;
    for (int k = 0; k < TL_WIDTH; ++k)
        r[k] = base[index[k]];
    return r;
#endif
}
static inline void tl_vec_scatter(tl_real *base, const int *index, tl_vec a)
{
#if TL_WIDTH == 1
    base[index[0]] = a;
#elif TL_WIDTH == 4
    base[index[0]] = a[0];
    base[index[1]] = a[1];
    base[index[2]] = a[2];
    base[index[3]] = a[3];
#else
    for (int k = 0; k < TL_WIDTH; ++k)
        base[index[k]] = a[k];
#endif
}

static inline void tl_vec_scatter_part(tl_real *base, const int *index, tl_vec a, int count)
{
#if TL_WIDTH == 1
    (void)count;
    base[index[0]] = a;
#else
    if (count == TL_WIDTH)
        tl_vec_scatter(base, index, a);
    else
        for (int k = 0; k < count; ++k)
            base[index[k]] = a[k];
#endif
}

static inline tl_vec tl_vec_load(const tl_real *a)
{
    tl_vec r;
    memcpy(&r, a, sizeof r);
    return r;
}
static inline void tl_vec_store(tl_real *a, tl_vec value) { memcpy(a, &value, sizeof value); }
/* Stores the first `count` numbers, 1 … TL_WIDTH, and rewrites the numbers after them unchanged: much faster than
   writing lane by lane, but those numbers must not belong to another thread. */
static inline void tl_vec_store_part(tl_real *a, tl_vec value, int count)
{
#if TL_WIDTH == 1
    (void)count;
    *a = value;
#else
    tl_vec_store(a, count == TL_WIDTH ? value : tl_select(tl_lanes() < (tl_lane_int)count, value, tl_vec_load(a)));
#endif
}
/* The first `count` numbers, the last one repeated; reads nothing beyond. */
static inline tl_vec tl_vec_load_exact(const tl_real *a, int count)
{
#if TL_WIDTH == 1
    (void)count;
    return *a;
#else
    if (count == TL_WIDTH)
        return tl_vec_load(a);
    tl_vec r;
    for (int k = 0; k < TL_WIDTH; ++k)
        r[k] = a[k < count ? k : count - 1];
    return r;
#endif
}
/* tl_vec_store_part that does not access the numbers beyond. */
static inline void tl_vec_store_exact(tl_real *a, tl_vec value, int count)
{
#if TL_WIDTH == 1
    (void)count;
    *a = value;
#else
    if (count == TL_WIDTH)
        tl_vec_store(a, value);
    else
        for (int k = 0; k < count; ++k)
            a[k] = value[k];
#endif
}
/* The first `count` lanes, 0 in the others. */
static inline tl_vec tl_first_lanes(tl_vec a, int count)
{
#if TL_WIDTH == 1
    return count > 0 ? a : 0;
#else
    return (tl_vec)((tl_mask)a & (tl_lanes() < (tl_lane_int)count));
#endif
}
static inline tl_vec tl_vec_set(tl_real a)
{
    tl_vec r = {0};
    return r + a;
}

/* The same number in all lanes, −0 and all. */
static inline tl_vec tl_vec_fill(tl_real a)
{
#if TL_WIDTH == 1
    return a;
#elif TL_WIDTH == 4
    return (tl_vec){a, a, a, a};
#else
    return (tl_vec){a, a, a, a, a, a, a, a};
#endif
}

/* x + (low + step), rounded; `low` becomes what the rounding left out, exactly (Knuth's TwoSum). */
TL_INLINE tl_vec tl_vec_add_low(tl_vec x, tl_vec step, tl_real *low)
{
    tl_vec term = tl_vec_load(low) + step, sum = x + term, part = sum - x;
    tl_vec_store(low, (x - (sum - part)) + (term - part));
    return sum;
}

#endif
