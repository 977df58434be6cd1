/* Bits of a word, as sets of lanes or colours are kept. Those of a set are visited from the lowest on by

       for (unsigned left = set; left; left &= left - 1) … tl_lowest_bit(left) … */
#ifndef TL_CORE_BITS_H
#define TL_CORE_BITS_H

#include <stdint.h>

/* Index of the lowest bit that is set; there must be one. */
static inline int tl_lowest_bit(uint64_t bits) { return __builtin_ctzll(bits); }

#endif
