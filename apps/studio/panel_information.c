/* Facts and plots of the run. */
#include "render/output.h"
#include "studio/app.h"

#include <stdio.h>
#include <string.h>

#define NAME_WIDTH 62.0f   /* px */
#define FACTS_WIDTH 122.0f /* px, of one of the two columns */

static void count_text(char *text, size_t size, int number)
{
    if (number >= 1000000)
        snprintf(text, size, "%d %03d %03d", number / 1000000, number / 1000 % 1000, number % 1000);
    else if (number >= 1000)
        snprintf(text, size, "%d %03d", number / 1000, number % 1000);
    else
        snprintf(text, size, "%d", number);
}

static void fact(const char *name, const char *format, double value)
{
    char text[64];
    snprintf(text, sizeof text, format, value);
    ui_pair(name, text, NAME_WIDTH);
}

static void count(const char *name, int number)
{
    char text[64];
    count_text(text, sizeof text, number);
    ui_pair(name, text, NAME_WIDTH);
}

static void size_facts(const track *t)
{
    const simulation_status *s = &t->status;
    count("Particles", s->particles);
    count("Links", s->links);
    count("Faces", s->faces);
    count("Pins", s->pinned);
    count("Contacts", s->contacts);
    count("Substeps", s->substeps);
    if (s->parts > 1)
        count("Parts per substep", s->parts);
    fact("Memory", "%.1f MB", (double)s->bytes / 1e6);
}

static void pace_facts(const app *a, const track *t)
{
    const simulation_status *s = &t->status;
    double fps = (double)tl_scene_info(t->scene)->fps;
    fact("Strain", "%.2f %%", 100 * s->strain);
    fact("Speed", s->speed < 100 ? "%.2f m/s" : "%.3g m/s", s->speed);
    fact("Error", s->material_error < 10 ? "%.0f %%" : "%.2g %%", 100 * s->material_error);
    fact("Frame", "%.2f ms", 1e3 * s->mean_seconds);
    fact("Real time", "%.2f ×", s->playing ? s->rate : 0);
    fact("Could be", "%.2f ×", s->mean_seconds > 0 ? 1 / (fps * s->mean_seconds) : 0);
    fact("Window", "%.0f fps", a->fps);
}

/* Gauges of the gas, when there is any. */
static void gas_facts(const track *t)
{
    const simulation_status *s = &t->status;
    fact("Pressure", s->pressure < 1e4 ? "%.2f Pa" : "%.0f Pa", s->pressure);
    fact("Volume", "%.2f l", 1e3 * s->volume);
    fact("nRT", "%.1f J", s->nrt);
}

static void export_csv(app *a, const track *t)
{
    char name[LONGEST_NAME];
    if (!app_output_name(a, ".csv", name, sizeof name))
        return;
    if (history_write_csv(t->history, name)) {
        app_note(a, "Wrote %d frames to %s", history_length(t->history), name);
        snprintf(a->last_file, sizeof a->last_file, "%s", name);
    } else {
        app_note(a, "%s: %s", name, output_reason());
    }
}

/* Energies and times; with gas its gauges replace the times. */
static void plots(track *t, float width, float height)
{
    history *h = t->history;
    int shown = history_shown(h);
    const float *x = history_values(h, HISTORY_TIME);
    const paint_series energies[] = {{"kinetic", history_values(h, HISTORY_KINETIC), {0.93f, 0.62f, 0.28f, 1}},
                                     {"height", history_values(h, HISTORY_GRAVITY), {0.45f, 0.70f, 0.95f, 1}},
                                     {"elastic", history_values(h, HISTORY_ELASTIC), {0.52f, 0.82f, 0.45f, 1}},
                                     {"gas", history_values(h, HISTORY_GAS), {0.86f, 0.44f, 0.60f, 1}},
                                     {"total", history_values(h, HISTORY_TOTAL_ENERGY), {0.80f, 0.80f, 0.82f, 1}}};
    const paint_series stages[] = {{"forces", history_values(h, HISTORY_FORCES), {0.93f, 0.62f, 0.28f, 1}},
                                   {"step", history_values(h, HISTORY_STEP), {0.45f, 0.70f, 0.95f, 1}},
                                   {"contact", history_values(h, HISTORY_CONTACT), {0.86f, 0.44f, 0.60f, 1}},
                                   {"rest", history_values(h, HISTORY_FINISH), {0.52f, 0.82f, 0.45f, 1}},
                                   {"all", history_values(h, HISTORY_TOTAL), {0.80f, 0.80f, 0.82f, 1}}};
    ui_part_begin("energy", width, height);
    paint_plot("plot.energy", "Energy, J", x, shown, energies, 5, height);
    ui_part_end();
    if (!(t->status.volume > 0)) {
        ui_same_line();
        ui_part_begin("stages", width, height);
        paint_plot("plot.stages", "Time per stage, ms", x, shown, stages, 5, height);
        ui_part_end();
        return;
    }
    const paint_series pressure[] = {{"pressure", history_values(h, HISTORY_PRESSURE), {0.45f, 0.70f, 0.95f, 1}}};
    const paint_series volume[] = {{"volume", history_values(h, HISTORY_VOLUME), {0.93f, 0.62f, 0.28f, 1}}};
    ui_same_line();
    ui_part_begin("pressure", width, height);
    paint_plot("plot.pressure", "Pressure, Pa", x, shown, pressure, 1, height);
    ui_part_end();
    ui_same_line();
    ui_part_begin("volume", width, height);
    paint_plot("plot.volume", "Volume, l", x, shown, volume, 1, height);
    ui_part_end();
}

void panel_information(app *a)
{
    static int side;
    track *t = &a->tracks[a->comparing ? side : SIDE_A];
    float height = ui_available_height();
    ui_part_begin("size", FACTS_WIDTH, height);
    if (a->comparing)
        compare_choice("information.side", &side);
    size_facts(t);
    ui_part_end();
    ui_same_line();
    ui_part_begin("pace", FACTS_WIDTH, height);
    pace_facts(a, t);
    if (ui_button("information.csv", "Export CSV", "Writes every frame since the start as a table", FACTS_WIDTH - 12))
        export_csv(a, t);
    ui_part_end();
    bool gas = t->status.volume > 0;
    if (gas) {
        ui_same_line();
        ui_part_begin("gas", FACTS_WIDTH, height);
        gas_facts(t);
        ui_part_end();
    }
    ui_same_line();
    plots(t, gas ? (ui_available_width() - 20) / 3 : (ui_available_width() - 10) / 2, height);
}
