/* Monotonic clock and what the processor offers. */
#ifndef TL_CORE_TIMING_H
#define TL_CORE_TIMING_H

double tl_seconds(void); /* s, since some fixed moment */

int tl_cores(void); /* processors that are online, at least 1 */

/* Numbers a vector of this processor holds: 8 with AVX2, else 4. */
int tl_widest_lanes(void);

#endif
