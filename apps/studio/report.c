/* The state of the studio as a JSON file, for window tests: its status, and the screen positions of the widgets and of
   some points of the cloth. It is output only; the tests act with mouse and keys. */
#include "studio/app.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

enum { POINTS = 25 };
#define EVERY 0.03 /* s, minimum between two reports while things change */

/* Text without characters that JSON would need to escape. */
static void put_text(FILE *f, const char *name, const char *text)
{
    fprintf(f, "\"%s\": \"", name);
    for (; *text; ++text)
        if (*text == '"' || *text == '\\')
            fprintf(f, "\\%c", *text);
        else
            fputc((unsigned char)*text < ' ' ? ' ' : *text, f);
    fputs("\"", f);
}

static double finite(double x) { return isfinite(x) ? x : -1; }

static void put_vec(FILE *f, const char *name, const float v[3])
{
    fprintf(f, "\"%s\": [%.7g, %.7g, %.7g]", name, finite((double)v[0]), finite((double)v[1]), finite((double)v[2]));
}

/* Points of the cloths with their position in the window, and whether a click there would pick exactly that vertex. */
static void put_points(FILE *f, const app *a, int side)
{
    const track *t = &a->tracks[side];
    ui_rect r = view_rect(a, side);
    int count = 0;
    const float *x = t->frame ? stage_frame_positions(t->frame, 0, &count) : NULL;
    fputs("\"points\": [", f);
    for (int k = 0; x && k < POINTS && k < count; ++k) {
        int v = (int)((long)k * (count - 1) / (POINTS - 1));
        float pixel[2] = {0, 0}, depth, origin[3], direction[3];
        bool seen = camera_project(&a->cam, x + 3 * v, (int)r.width, (int)r.height, pixel, &depth) != 0;
        camera_ray(&a->cam, floorf(pixel[0]) + 0.5f, floorf(pixel[1]) + 0.5f, (int)r.width, (int)r.height, origin,
                   direction);
        pick under = picker_cast(t->picker, t->frame, origin, direction);
        bool top = seen && pixel[0] > 0 && pixel[1] > 0 && pixel[0] < r.width && pixel[1] < r.height &&
                   under.kind == PICK_CLOTH && under.vertex == v;
        fprintf(f, "%s{\"vertex\": %d, \"x\": %d, \"y\": %d, \"top\": %s, ", k ? ", " : "", v,
                (int)finite((double)(r.x + pixel[0])), (int)finite((double)(r.y + pixel[1])), top ? "true" : "false");
        put_vec(f, "position", x + 3 * v);
        fputs("}", f);
    }
    fputs("]", f);
}

static void put_bodies(FILE *f, const app *a, int side)
{
    const track *t = &a->tracks[side];
    ui_rect r = view_rect(a, side);
    int count = 0;
    fputs("\"bodies\": [", f);
    for (int k = 0; t->frame && t->scene && k < tl_scene_object_count(t->scene); ++k) {
        tl_scene_object object = tl_scene_object_at(t->scene, k);
        float place[3] = {0, 0, 0}, turn[4] = {0, 0, 0, 1}, pixel[2] = {0, 0}, depth;
        if (object.group != &tl_body_params)
            continue;
        stage_frame_body(t->frame, count, place, turn);
        camera_project(&a->cam, place, (int)r.width, (int)r.height, pixel, &depth);
        fprintf(f, "%s{\"x\": %d, \"y\": %d, ", count ? ", " : "", (int)finite((double)(r.x + pixel[0])),
                (int)finite((double)(r.y + pixel[1])));
        put_text(f, "label", ((const tl_body_def *)object.object)->label);
        fputs(", ", f);
        put_text(f, "shape", ((const tl_body_def *)object.object)->shape);
        fputs(", ", f);
        put_vec(f, "position", place);
        fputs("}", f);
        ++count;
    }
    fputs("]", f);
}

/* The parameters of the first cloth and its world, as the panels show them. */
static void put_parameters(FILE *f, const app *a, int side)
{
    static const char *const paths[] = {
        "cloth[0].stepper",  "cloth[0].material", "cloth[0].fabric",  "cloth[0].density",   "cloth[0].contact",
        "cloth[0].substeps", "cloth[0].columns",  "cloth[0].damping", "cloth[0].thickness", "wind.kind",
        "wind.velocity",     "world.gravity",     "look.cloth",       "look.overlay",       "look.shading",
        "scene.title",       "body[0].position",  "cloth[1].center"};
    const char *separator = "";
    fputs("\"parameters\": {", f);
    for (size_t k = 0; k < sizeof paths / sizeof *paths; ++k) {
        char text[LONGEST_VALUE];
        if (!document_get(a, side, paths[k], text, sizeof text))
            continue;
        fputs(separator, f);
        put_text(f, paths[k], text);
        separator = ", ";
    }
    fputs("}", f);
}

static void put_side(FILE *f, const app *a, int side)
{
    const track *t = &a->tracks[side];
    const simulation_status *s = &t->status;
    fprintf(
        f, "{\"playing\": %s, \"building\": %s, \"unstable\": %s, \"generation\": %u, \"frame\": %ld, \"time\": %.6f, ",
        s->playing ? "true" : "false", s->building ? "true" : "false", s->unstable ? "true" : "false", s->generation,
        s->frame, s->time);
    fprintf(f, "\"dressing\": %s, \"phase\": \"%s\", \"dressed\": %.4f, \"seam_gap\": %.6g, \"crossings\": %d, ",
            s->dressing.on ? "true" : "false", tl_dress_phase_name(s->dressing.phase), s->dressing.done,
            s->dressing.seam_gap, s->dressing.crossings);
    fprintf(f,
            "\"particles\": %d, \"links\": %d, \"faces\": %d, \"substeps\": %d, \"contacts\": %d, \"pinned\": %d, "
            "\"rejected_frames\": %d, ",
            s->particles, s->links, s->faces, s->substeps, s->contacts, s->pinned, s->rejected_frames);
    fprintf(f,
            "\"strain\": %.6g, \"material_error\": %.6g, \"speed\": %.6g, \"kinetic\": %.6g, \"volume\": %.6g, "
            "\"pressure\": %.6g, "
            "\"step_seconds\": %.6g, \"real_time\": %.6g, ",
            finite(s->strain), finite(s->material_error), finite(s->speed), finite(s->kinetic), finite(s->volume),
            finite(s->pressure), s->mean_seconds, s->rate);
    int count = 0;
    const float *x = t->frame && s->held_cloth >= 0 ? stage_frame_positions(t->frame, s->held_cloth, &count) : NULL;
    fprintf(f, "\"held\": %d, ", s->held_vertex);
    if (x && s->held_vertex < count) {
        put_vec(f, "held_position", x + 3 * s->held_vertex);
        fputs(", ", f);
    }
    put_parameters(f, a, side);
    fputs(",\n  ", f);
    put_points(f, a, side);
    fputs(",\n  ", f);
    put_bodies(f, a, side);
    fputs("}", f);
}

static void put_widgets(FILE *f)
{
    fputs("\"widgets\": {", f);
    for (int k = 0; k < ui_place_count(); ++k) {
        ui_rect r;
        const char *id = ui_place(k, &r);
        fprintf(f, "%s\n  \"%s\": [%.0f, %.0f, %.0f, %.0f]", k ? "," : "", id, (double)r.x, (double)r.y,
                (double)r.width, (double)r.height);
    }
    fputs("}", f);
}

static const char *const drag_names[] = {"none", "orbit", "pan", "look", "cloth", "body"};
static const char *const dialog_names[] = {"none", "open", "save", "help"};

static void put_all(FILE *f, app *a)
{
    fprintf(f,
            "{\"drawn\": %ld, \"events\": %ld, \"idle\": %s, \"fps\": %.2f, \"gl_errors\": %d, \"comparing\": %s, "
            "\"tab\": %d, \"recording\": %s, "
            "\"panels\": %s, ",
            a->drawn, a->events, a->idle ? "true" : "false", a->fps, render_gl_errors(a->renderer),
            a->comparing ? "true" : "false", a->tab, a->recorder ? "true" : "false",
            a->settings.panels ? "true" : "false");
    fprintf(
        f,
        "\"drag\": \"%s\", \"dialog\": \"%s\", \"speed\": %.6g, \"changed\": %s, \"opened\": %u, \"full_screen\": %s, ",
        drag_names[a->drag.kind], dialog_names[a->dialog], a->settings.speed, a->changed ? "true" : "false", a->opened,
        a->full_screen ? "true" : "false");
    fprintf(f, "\"level\": %d, \"scenes\": %d, \"pictures\": %d, ", a->level,
            a->browser && browser_listed(a->browser) ? browser_count(a->browser) : -1,
            a->browser ? browser_pictures(a->browser) : 0);
    put_text(f, "device", render_device(a->renderer));
    fputs(", ", f);
    put_text(f, "name", a->name);
    fputs(", ", f);
    put_text(f, "alarm", a->alarm);
    fputs(", ", f);
    put_text(f, "note", a->note);
    fputs(", ", f);
    put_text(f, "last_file", a->last_file);
    fputs(",\n\"camera\": {", f);
    put_vec(f, "position", a->cam.position);
    fputs(", ", f);
    put_vec(f, "target", a->cam.target);
    fputs(", ", f);
    put_vec(f, "up", a->cam.up);
    fputs("},\n\"sides\": [", f);
    for (int side = 0; side < control_sides(a); ++side) {
        fputs(side ? ",\n " : "\n ", f);
        put_side(f, a, side);
    }
    fputs("],\n", f);
    put_widgets(f);
    fputs("}\n", f);
}

void report_write(app *a)
{
    static long reported = -1, reported_events;
    static bool reported_idle;
    static double last;
    char beside[LONGEST_NAME];
    double now = studio_seconds();
    bool same = reported == a->drawn && reported_events == a->events && reported_idle == a->idle;
    if (!a->options->state || same || (now - last < EVERY && !a->idle))
        return;
    snprintf(beside, sizeof beside, "%.1000s.new", a->options->state);
    FILE *f = fopen(beside, "w");
    if (!f)
        return;
    put_all(f, a);
    bool written = !ferror(f);
    if (fclose(f) == 0 && written && rename(beside, a->options->state) == 0) {
        reported = a->drawn;
        reported_events = a->events;
        reported_idle = a->idle;
        last = now;
    }
}
