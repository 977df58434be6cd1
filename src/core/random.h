/* Seeded random numbers, the same on every machine: PCG hash of Jarzynski and Olano (2020) for a stateless value per
   index, which makes results independent of visiting order. */
#ifndef TL_CORE_RANDOM_H
#define TL_CORE_RANDOM_H

#include <stdint.h>

static inline uint32_t tl_hash_u32(uint32_t value)
{
    uint32_t state = value * 747796405u + 2891336453u;
    uint32_t word = ((state >> ((state >> 28u) + 4u)) ^ state) * 277803737u;
    return (word >> 22u) ^ word;
}

/* Uniform in [0, 1). */
static inline double tl_random_unit(uint32_t seed, uint32_t index)
{
    return tl_hash_u32(index ^ tl_hash_u32(seed)) * (1.0 / 4294967296.0);
}

#endif
