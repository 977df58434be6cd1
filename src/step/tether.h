/* Long-range attachments (Kim, Chentanez, Müller 2012, "Long range attachments"): a particle is never farther from a
   held one than the way between them along the cloth. One-sided, so folds are free; it takes the global stretch out of
   a hung cloth in one pass, whatever its resolution. */
#ifndef TL_STEP_TETHER_H
#define TL_STEP_TETHER_H

#include "step/reserve.h"

enum { TL_TETHER_SLOTS = 4 }; /* held parts that one particle is tied to at most, the nearest ones */
/* m², square of the distance from which on two anchors have a way between them. */
#define TL_TETHER_APART ((tl_real)1e-12)

typedef struct tl_tether {
    int slots;                          /* in use */
    int *anchor[TL_TETHER_SLOTS];       /* number of a held particle in the list below */
    tl_real *distance[TL_TETHER_SLOTS]; /* m along the cloth; very large when it has none */
    tl_real *limit[TL_TETHER_SLOTS];    /* m, the same with what the cloth's elasticity gives: tl_tether_limits */
    tl_real *between;                   /* m², see hang_between */
    tl_real longest;                    /* m, of all distances */
    int *common[TL_TETHER_SLOTS];       /* per TL_LANES particles: the anchor of them all, or -1 */
    int held_count;
    int *held;          /* held particles */
    tl_real *carried;   /* 1 over the number of particles by which its part holds the cloth */
    tl_real *held_x[3]; /* m, where they are now: tl_tether_follow */
    tl_reserve reserve; /* that the limits were made with */
    unsigned version;   /* of the pins it was made for */
    bool made;
} tl_tether;

/* Finds held parts (connected held particles) and the distances to them. False when memory ran out. */
bool tl_tether_build(tl_tether *tether, const tl_allocator *allocator, const tl_mesh *mesh, const tl_particles *p);
void tl_tether_destroy(tl_tether *tether, const tl_allocator *allocator);

/* Makes the limits for what the cloth's elasticity gives. */
void tl_tether_limits(tl_tether *tether, const tl_mesh *mesh, const tl_particles *p, const tl_reserve *reserve);

/* By how much the present shape is beyond the limits, m. */
tl_real tl_tether_excess(const tl_tether *tether, const tl_particles *p);

/* Takes over where the held particles will be after `ahead` seconds. */
void tl_tether_follow(tl_tether *tether, const tl_particles *p, tl_real ahead);

/* Pulls particles first … last-1 to their anchors, the farthest first, down to their limits and `slack` metres more;
   and to the line between the two nearest ones. */
typedef void tl_tether_kernel(int first, int last, const tl_tether *tether, tl_real slack, tl_particles *p);
tl_tether_kernel tl_tether_w8, tl_tether_w4, tl_tether_w1;

#endif
