/* Long-range attachments (Kim, Chentanez, Müller 2012, "Long range attachments"): a particle is never farther from a
   pinned one than the geodesic distance between them. One-sided, so folds are free; removes the global stretch of
   hanging cloth in one pass, whatever its resolution. */
#ifndef TL_STEP_TETHER_H
#define TL_STEP_TETHER_H

#include "step/reserve.h"

enum { TL_TETHER_SLOTS = 4 }; /* nearest anchored regions that a particle is tethered to */
/* m², squared distance above which two anchors span an axis. */
#define TL_TETHER_APART ((tl_real)1e-12)

typedef struct tl_tether {
    int slots;                          /* in use */
    int *anchor[TL_TETHER_SLOTS];       /* index into `pinned` */
    tl_real *distance[TL_TETHER_SLOTS]; /* m, geodesic; very large without an anchor */
    tl_real *limit[TL_TETHER_SLOTS];    /* m, distance plus elastic reserve: tl_tether_limits */
    tl_real *between;                   /* m², see hang_between */
    tl_real longest;                    /* m, largest distance */
    int *common[TL_TETHER_SLOTS];       /* per TL_LANES particles: their common anchor, or -1 */
    int pinned_count;
    int *pinned;          /* pinned particles */
    tl_real *carried;     /* 1 over the number of load-bearing particles of its region */
    tl_real *pinned_x[3]; /* m, their positions: tl_tether_follow */
    tl_reserve reserve;   /* that the limits were computed with */
    unsigned version;     /* of the pins it was built for */
    bool made;
} tl_tether;

/* Finds the anchored regions (connected pinned particles) and the distances to them. False when memory ran out. */
bool tl_tether_build(tl_tether *tether, const tl_allocator *allocator, const tl_mesh *mesh, const tl_particles *p);
void tl_tether_destroy(tl_tether *tether, const tl_allocator *allocator);

/* Computes the limits for an elastic reserve. */
void tl_tether_limits(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const tl_reserve *reserve);

/* Largest excess of the current shape over the limits, m. */
tl_real tl_tether_excess(const tl_tether *tether, const tl_particles *p);

/* Updates the positions of the pinned particles, `ahead` seconds from now. */
void tl_tether_follow(tl_tether *tether, const tl_particles *p, tl_real ahead);

/* Pulls particles first … last-1 within their limits plus `slack` metres of their anchors, the farthest first, and
   towards the line between the two nearest. */
typedef void tl_tether_kernel(int first, int last, const tl_tether *tether, tl_real slack, tl_particles *p);
tl_tether_kernel tl_tether_w8, tl_tether_w4, tl_tether_w1;

#endif
