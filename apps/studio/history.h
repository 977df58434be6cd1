/* The measurements of a run: the last frames for plots, all of them for a table. */
#ifndef STUDIO_HISTORY_H
#define STUDIO_HISTORY_H

#include "studio/simulation.h"

enum { HISTORY_SHOWN = 480 }; /* frames in a plot */

typedef enum history_column {
    HISTORY_TIME,
    HISTORY_KINETIC,
    HISTORY_GRAVITY,
    HISTORY_ELASTIC,
    HISTORY_GAS,
    HISTORY_TOTAL_ENERGY,
    HISTORY_FORCES,
    HISTORY_STEP,
    HISTORY_CONTACT,
    HISTORY_FINISH,
    HISTORY_TOTAL,
    HISTORY_STRAIN,
    HISTORY_PRESSURE,
    HISTORY_VOLUME,
    HISTORY_COLUMNS
} history_column;

typedef struct history history;

history *history_create(void); /* NULL when memory is short */
void history_destroy(history *h);
void history_clear(history *h);
void history_add(history *h, const simulation_sample *sample);

/* The last frames, oldest first, as plain arrays: s, J, ms, %, Pa, l. Energies of position count from the first shown
 *
 frame. */
int history_shown(const history *h);
const float *history_values(history *h, history_column column);

/* Every frame since the world was built (the oldest are dropped after a million). False with errno set. */
bool history_write_csv(const history *h, const char *file_name);
int history_length(const history *h);

#endif
