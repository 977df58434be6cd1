#include "studio/history.h"

#include "render/output.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { MOST = 1000000, FORGET = 100000 };

struct history {
    simulation_sample *all;
    int count, capacity;
    float values[HISTORY_COLUMNS][HISTORY_SHOWN];
    int shown;
    bool stale; /* values must be recomputed */
};

history *history_create(void) { return calloc(1, sizeof(history)); }

void history_destroy(history *h)
{
    if (h)
        free(h->all);
    free(h);
}

void history_clear(history *h)
{
    h->count = h->shown = 0;
    h->stale = false;
}

void history_add(history *h, const simulation_sample *sample)
{
    if (h->count == h->capacity && h->capacity < MOST) {
        int capacity = h->capacity ? 2 * h->capacity : 1024;
        simulation_sample *grown = realloc(h->all, (size_t)capacity * sizeof *grown);
        if (grown) {
            h->all = grown;
            h->capacity = capacity;
        }
    }
    if (h->count == h->capacity) { /* at the limit or out of memory: drop the oldest */
        int gone = h->count > FORGET ? FORGET : (h->count + 1) / 2;
        if (gone == 0)
            return;
        memmove(h->all, h->all + gone, (size_t)(h->count - gone) * sizeof *h->all);
        h->count -= gone;
    }
    h->all[h->count++] = *sample;
    h->stale = true;
}

static void refresh(history *h)
{
    h->shown = h->count < HISTORY_SHOWN ? h->count : HISTORY_SHOWN;
    const simulation_sample *first = h->all + (h->count - h->shown);
    for (int k = 0; k < h->shown; ++k) {
        const simulation_sample *s = &first[k];
        double height = s->gravity - first->gravity, gas = s->gas - first->gas; /* their zeros are arbitrary */
        const double row[HISTORY_COLUMNS] = {s->time,
                                             s->kinetic,
                                             height,
                                             s->elastic,
                                             gas,
                                             s->kinetic + height + s->elastic + gas,
                                             1e3 * s->forces,
                                             1e3 * s->step,
                                             1e3 * s->contact,
                                             1e3 * s->finish,
                                             1e3 * s->total,
                                             100 * s->strain,
                                             s->pressure,
                                             1e3 * s->volume};
        for (int c = 0; c < HISTORY_COLUMNS; ++c)
            h->values[c][k] = (float)row[c];
    }
    h->stale = false;
}

int history_shown(const history *h) { return h->count < HISTORY_SHOWN ? h->count : HISTORY_SHOWN; }
int history_length(const history *h) { return h->count; }

const float *history_values(history *h, history_column column)
{
    if (h->stale)
        refresh(h);
    return h->values[column];
}

bool history_write_csv(const history *h, const char *file_name)
{
    FILE *file = output_open(file_name);
    if (!file)
        return false;
    fputs("frame,time_s,substeps,contacts,largest_strain,largest_speed_m_s,kinetic_J,gravity_J,elastic_J,"
          "forces_s,step_s,contact_s,finish_s,total_s,gas_J,volume_m3,pressure_Pa\n",
          file);
    for (int k = 0; k < h->count; ++k) {
        const simulation_sample *s = &h->all[k];
        fprintf(file, "%ld,%.6g,%d,%d,%.6g,%.6g,%.9g,%.9g,%.9g,%.4g,%.4g,%.4g,%.4g,%.4g,%.9g,%.9g,%.9g\n", s->frame,
                s->time, s->substeps, s->contacts, s->strain, s->speed, s->kinetic, s->gravity, s->elastic, s->forces,
                s->step, s->contact, s->finish, s->total, s->gas, s->volume, s->pressure);
    }
    return output_close(file);
}
