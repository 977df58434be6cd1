/* Noise for the wind: gusts in time and eddies in space.

   Gusts are gradient noise on a line (Perlin 1985, with the quintic fade of Perlin 2002). Eddies are curl noise
   (Bridson, Hourihan and Nordenstam 2007): the curl of a vector potential has no divergence. The three potentials are
   gradient noise Ψ = Σ_c w(r_c) (g_c·r_c) a_c over the corners c of a lattice cell, with r_c from corner to position,
   fade w, and random vectors g_c, a_c. So the velocity is Σ ∇(w g·r) × a, exact, without differences. Time turns g_c =
   cos α g' + sin α g'', which keeps its variance, as flow noise does (Perlin and Neyret 2001).

   Two octaves: eddies of half the size have 2^(-1/3) of the speed, as in Kolmogorov's inertial range. */
#include "core/random.h"
#include "world/wind.h"

#include <math.h>

/* Weights of the two gust octaves; they sum to 1 so that |noise| ≤ 1. */
#define GUST_FIRST 0.7
#define GUST_SECOND 0.3
#define GUST_RATIO 2.17 /* ratio of their rates; no simple fraction, so that the two do not repeat together */

/* Variance of one octave for components of g and a that are uniform in ±1: (2/9)(3 B' A² + 6 B C A) with the integrals
   over −1 … 1 of the fade s: A = ∫s² = 181/231, B = ∫s'² = 20/7, B' = ∫x²s'² = 60/77, C = ∫x²s² = 535/9009. */
#define OCTAVE_VARIANCE 0.49619672715191915
#define SECOND_SPEED 0.79370052598409974 /* 2^(-1/3) */
#define SECOND_SHIFT 0.37                /* cells; keeps the corners of the octaves apart */

static double fade(double x) { return x * x * x * (x * (x * 6 - 15) + 10); }
static double fade_slope(double x) { return 30 * x * x * (x - 1) * (x - 1); }

/* Beyond this many cells from the origin (or at NaN) there is no detail left to resolve. */
#define FARTHEST_CELL 1e15

/* Integer cell index as hash input; wraps every 2³² cells. */
static uint32_t cell_of(double floor_x) { return fabs(floor_x) < FARTHEST_CELL ? (uint32_t)(int64_t)floor_x : 0; }

static double line_noise(uint32_t seed, double x)
{
    double cell = floor(x), f = x - cell;
    double g0 = 2 * tl_random_unit(seed, cell_of(cell)) - 1, g1 = 2 * tl_random_unit(seed, cell_of(cell) + 1) - 1;
    double a = g0 * f, b = g1 * (f - 1);
    return 2 * (a + (b - a) * fade(f)); /* g0 = 1, g1 = −1 reach ½ in the middle */
}

double tl_wind_gust(uint32_t seed, double time)
{
    uint32_t second = tl_hash_u32(seed ^ 0x67757374u);
    double shift = tl_random_unit(second, 0);
    return GUST_FIRST * line_noise(seed, time + shift) + GUST_SECOND * line_noise(second, GUST_RATIO * time);
}

/* Three numbers in −1 … 1 from ten bits each. */
static void spread(uint32_t bits, double v[3])
{
    v[0] = (double)(int32_t)(bits & 1023u) * (2.0 / 1023) - 1;
    v[1] = (double)(int32_t)(bits >> 10 & 1023u) * (2.0 / 1023) - 1;
    v[2] = (double)(int32_t)(bits >> 20 & 1023u) * (2.0 / 1023) - 1;
}

/* Adds one octave at `position`, in its cells, times `scale`. */
static void add_octave(uint32_t seed, const double position[3], double c, double s, double scale, double velocity[3])
{
    double r[3][2], weight[3][2], slope[3][2];
    uint32_t cell[3];
    for (int k = 0; k < 3; ++k) {
        double low = floor(position[k]), f = position[k] - low, w = fade(f), d = fade_slope(f);
        cell[k] = cell_of(low);
        r[k][0] = f;
        r[k][1] = f - 1;
        weight[k][0] = 1 - w;
        weight[k][1] = w;
        slope[k][0] = -d;
        slope[k][1] = d;
    }
    for (uint32_t i = 0; i < 2; ++i) {
        uint32_t hash_i = tl_hash_u32((cell[0] + i) ^ seed);
        for (uint32_t j = 0; j < 2; ++j) {
            uint32_t hash_j = tl_hash_u32((cell[1] + j) ^ hash_i);
            for (uint32_t k = 0; k < 2; ++k) {
                uint32_t h = tl_hash_u32((cell[2] + k) ^ hash_j), h2 = tl_hash_u32(h ^ 0x9e3779b9u);
                double g[3], turned[3], a[3];
                spread(h, g);
                spread(h2, turned);
                spread(tl_hash_u32(h2), a);
                for (int d = 0; d < 3; ++d)
                    g[d] = c * g[d] + s * turned[d];
                double w = weight[0][i] * weight[1][j] * weight[2][k];
                double q = g[0] * r[0][i] + g[1] * r[1][j] + g[2] * r[2][k];
                double b0 = slope[0][i] * weight[1][j] * weight[2][k] * q + w * g[0];
                double b1 = weight[0][i] * slope[1][j] * weight[2][k] * q + w * g[1];
                double b2 = weight[0][i] * weight[1][j] * slope[2][k] * q + w * g[2];
                velocity[0] += scale * (b1 * a[2] - b2 * a[1]);
                velocity[1] += scale * (b2 * a[0] - b0 * a[2]);
                velocity[2] += scale * (b0 * a[1] - b1 * a[0]);
            }
        }
    }
}

void tl_wind_eddies(uint32_t seed, const double position[3], double c, double s, double velocity[3])
{
    double unit = 1 / sqrt(OCTAVE_VARIANCE * (1 + SECOND_SPEED * SECOND_SPEED));
    double finer[3] = {2 * position[0] + SECOND_SHIFT, 2 * position[1] + SECOND_SHIFT, 2 * position[2] + SECOND_SHIFT};
    velocity[0] = velocity[1] = velocity[2] = 0;
    add_octave(tl_hash_u32(seed), position, c, s, unit, velocity);
    /* half the size at 0.8 of the speed turns over 1.6 times as fast; doubling the angle is close enough and free */
    add_octave(tl_hash_u32(seed ^ 0x65646479u), finer, c * c - s * s, 2 * s * c, unit * SECOND_SPEED, velocity);
}
