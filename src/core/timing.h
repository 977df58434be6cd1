/* Monotonic clock and processor features. */
#ifndef TL_CORE_TIMING_H
#define TL_CORE_TIMING_H

double tl_seconds(void); /* s, since some fixed moment */

int tl_cores(void); /* processors that are online, at least 1 */

/* Vector width of this processor in single-precision numbers: 8 with AVX2, else 4. */
int tl_widest_lanes(void);

#endif
