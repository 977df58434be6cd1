/* Coarse-to-fine sweep on grids, after Müller 2008, "Hierarchical position based dynamics".

   Each level is the grid of every fourth column and row of the one below. Its links bound lengths from above only: two
   points are never farther apart than the path between them along the cloth, so folds stay free. The coarsest level is
   solved first; its displacements are interpolated to the next finer level, and finally to the cloth itself. Long-range
   stretch is thus removed in a few cheap sweeps instead of one row per sweep.

   A coarse particle has the mass that interpolation makes it carry, which conserves linear momentum. One that
   represents a pinned particle does not move. The particle order of grids (column classes mod 4) makes interpolation
   plain vector work: the columns of class q lie at the fraction q/4 between two coarse columns. */
#ifndef TL_STEP_MULTILEVEL_H
#define TL_STEP_MULTILEVEL_H

#include "core/tasks.h"
#include "element/link_solve.h"
#include "step/reserve.h"

enum {
    TL_MULTILEVEL_LEVELS = 3,
    TL_MULTILEVEL_RATIO = 4,
    TL_MULTILEVEL_MIN_SIDE = 6,      /* fewest particles per side of a level */
    TL_MULTILEVEL_MAX_COLUMNS = 1024 /* of a level: a row of displacements is kept on the stack */
};

typedef struct tl_multilevel_level {
    tl_mesh *mesh;
    tl_particles p;       /* x, m and w only */
    tl_real *start[3];    /* x before the level was solved */
    tl_link_set links[2]; /* structural, shear */
} tl_multilevel_level;

typedef struct tl_multilevel {
    int count;
    tl_multilevel_level level[TL_MULTILEVEL_LEVELS];
    unsigned version; /* of the pins that the masses were computed for */
    tl_real side;     /* m, the longer side of the sheet */
    bool pinned;      /* some particle of the cloth is pinned */
    bool made, weighed;
} tl_multilevel;

/* Levels for a grid; none for other meshes. False when memory ran out. */
bool tl_multilevel_build(tl_multilevel *multilevel, const tl_allocator *allocator, const tl_mesh *mesh);
void tl_multilevel_destroy(tl_multilevel *multilevel, const tl_allocator *allocator);

/* Computes masses and pinned particles from the cloth. */
void tl_multilevel_weigh(tl_multilevel *multilevel, const tl_mesh *mesh, const tl_particles *p);

/* Solves all levels and moves the cloth's particles. Links may grow by the cloth's elastic reserve and by `slack`
   metres more. */
void tl_multilevel_solve(tl_multilevel *multilevel, const tl_mesh *mesh, tl_particles *p, int lanes, int sweeps,
                         const tl_reserve *reserve, tl_real slack, tl_tasks *tasks);

/* Largest excess of the current shape over those limits, m. */
tl_real tl_multilevel_excess(tl_multilevel *multilevel, const tl_mesh *mesh, const tl_particles *p,
                             const tl_reserve *reserve);

/* One row of a finer grid: x += displacements interpolated along the row. `moves` has the coarse columns in order, the
   last one repeated once; `x` is the first particle of the row. */
typedef void tl_multilevel_row_kernel(int columns, const tl_real *moves, const tl_real *w, tl_real *x);
tl_multilevel_row_kernel tl_multilevel_row_w8, tl_multilevel_row_w4, tl_multilevel_row_w1;

#endif
