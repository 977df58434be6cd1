/* Sheets for the benches of position-based steppers. */
#ifndef TELAR_CLI_BENCH_SHEET_H
#define TELAR_CLI_BENCH_SHEET_H

#include "telar/telar.h"

typedef enum sheet_case { SHEET_HANG, SHEET_DRAPE, SHEET_TRAY } sheet_case;

#define SHEET_SIDE 2.0    /* m */
#define SHEET_DENSITY 0.2 /* kg/m² */

enum { SHEET_CELLS = 70, SHEET_PLEAT = 14 }; /* per 2 m of a sheet in a tray, and per pleat */

typedef struct sheet {
    tl_world *world;
    tl_cloth *cloth;
} sheet;

/* 2 m × 2 m, 0.2 kg/m², N × N particles, structural, shear and bend links, xpbd. Hang: vertical, upper corners pinned,
   1 mm ripple. Drape: flat at 1.2 m, off centre by (0.01, 0.02) m, over a ball of radius 0.5 m on the floor, friction
   0.5. Tray: SHEET_CELLS cells per 2 m, so larger for larger N, in pleats that fall between two walls and cannot
   unfold: every part behaves alike, whatever the size. World NULL after a message. */
sheet sheet_create(sheet_case kind, int n, int substeps, const char *lanes, int threads);
void sheet_destroy(sheet *s);

/* Largest and mean stretch of the edges along rows and columns; compressed edges count as 0 in the mean. */
void sheet_stretch(const sheet *s, int n, double *largest, double *mean);
/* The same for n × n points, three numbers each, row by row. */
void sheet_stretch_of(const double *x, int n, double *largest, double *mean);

#endif
