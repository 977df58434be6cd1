/* The phases of dressing, a frame at a time. Seams close under penetration-free contact, without gravity; the sewn mesh
   replaces the open one when it can do so without a crossing; then everything settles by the implicit stepper. */
#include "garment/garment.h"

#include <stdio.h>
#include <string.h>
#include <time.h>

/* s, of a frame. */
static const tl_real FRAME = (tl_real)(1.0 / 60);
/* Frames: seams shrink, and hold before the first merge; between attempts to merge; after it; of growing; until
   gravity is whole; of settling at least and at most; between looks at what is untangled, and at most. Attempts after
   which a merge may cross, in how many pairs of triangles. */
enum {
    LOOK = 5,
    UNTANGLE = 120,
    PATIENCE = 2,
    TANGLE = 400,
    SEW = 30,
    HOLD = 6,
    AGAIN = 6,
    ATTEMPTS = 12,
    RELAX = 20,
    GROW = 45,
    GRAVITY = 18,
    SETTLE = 45,
    MOST = 240
};
/* 1, of the gap at the last attempt, above which seams do not close any further. */
static const tl_real STUCK = (tl_real)0.95;
/* m/s, rms below which it is still. */
static const tl_real REST = (tl_real)0.006;
/* 1, of the body's flesh while seams close: a little less makes room in the armpits, where the surface touches itself.
   If that fails, others are tried. */
static const tl_real shares[] = {(tl_real)0.85, (tl_real)0.7, 1};
enum { ROUNDS = sizeof shares / sizeof *shares };
static const double EARTH = 9.81; /* m/s² */
/* 1/s, of all velocities while it settles. What hangs free swings about once a second, and creeps when it is damped
 * more. */
static const double SETTLE_DAMPING = 6;

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

static void fail(tl_garment *garment, tl_result result, const char *reason)
{
    tl_dress_report *report = &garment->report;
    report->result = result;
    report->done = true;
    snprintf(report->message, sizeof report->message, "phase %s: %.280s", tl_dress_phase_name(report->phase), reason);
}

static void enter(tl_garment *garment, tl_dress_phase phase)
{
    garment->report.phase = phase;
    garment->frame = 0;
}

/* ---- what takes part --------------------------------------------------------------------------------------------- */

/* Settings while it is sewn. */
static tl_cloth_def sewing_def(const tl_garment *garment)
{
    tl_cloth_def def = tl_garment_cloth_def(garment);
    def.stepper = "xpbd";
    def.contact = "penetration-free";
    def.substeps = 10;
    def.iterations = 1;
    def.tether = false;
    def.damping = 15;
    def.friction = (tl_real)0.6;
    def.air = "off";
    return def;
}

static bool set_number(tl_cloth *cloth, const char *path, double number)
{
    tl_value value = {.type = TL_PARAM_REAL, .number = {number, 0, 0}};
    return tl_cloth_set(cloth, path, &value) == TL_OK;
}

static bool set_name(tl_cloth *cloth, const char *path, const char *name)
{
    tl_value value = {.type = TL_PARAM_NAME, .text = name};
    return tl_cloth_set(cloth, path, &value) == TL_OK;
}

static void set_gravity(tl_garment *garment, double share)
{
    tl_value value = {.type = TL_PARAM_VEC3, .number = {0, -EARTH * share, 0}};
    tl_world_set(garment->world, "gravity", &value);
}

static tl_cloth *make_cloth(tl_garment *garment, const tl_mesh *mesh)
{
    tl_cloth_def def = sewing_def(garment);
    def.mesh = mesh;
    return tl_cloth_create(garment->world, &def);
}

/* Inner garments take part as they are, held still. */
static tl_result make_layers(tl_garment *garment, tl_error *error)
{
    for (tl_garment *inner = garment->inner; inner; inner = inner->inner) {
        int k = garment->layers;
        garment->layer_mesh[k] = tl_garment_build(inner, true, error);
        if (!garment->layer_mesh[k])
            return TL_ERROR_MEMORY;
        tl_cloth_def def = sewing_def(inner);
        def.mesh = garment->layer_mesh[k];
        garment->layer[k] = tl_cloth_create(garment->world, &def);
        if (!garment->layer[k])
            return tl_fail(error, TL_ERROR_MEMORY, "%s", tl_last_error(garment->world));
        ++garment->layers;
        for (int v = 0; v < inner->arrays->vertex_count; ++v)
            tl_cloth_pin(garment->layer[k], v, true);
    }
    return TL_OK;
}

static tl_result make_world(tl_garment *garment, tl_error *error)
{
    tl_world_def world_def = tl_world_def_default();
    world_def.gravity = tl_v3(0, 0, 0);
    world_def.threads = garment->how.threads > 0 ? garment->how.threads : 1;
    world_def.allocator = garment->allocator;
    garment->world = tl_world_create(&world_def, error);
    if (!garment->world)
        return TL_ERROR_MEMORY;
    const tl_mesh *skin = tl_character_mesh(garment->character);
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = skin;
    def.solid = true;
    def.friction = garment->how.body_friction > 0 ? garment->how.body_friction : (tl_real)0.5;
    garment->body = tl_body_create(garment->world, &def);
    garment->skin = tl_allocate(&garment->allocator, (size_t)tl_mesh_vertex_count(skin), sizeof *garment->skin);
    if (!garment->body || !garment->skin)
        return tl_fail(error, TL_ERROR_MEMORY, "%s", tl_last_error(garment->world));
    return make_layers(garment, error);
}

/* Puts the body's flesh at a share of its thickness within the next frame. */
static void thin(tl_garment *garment, tl_real share)
{
    tl_character_thin(garment->character, share, garment->skin);
    tl_body_move_vertices(garment->body, garment->skin);
    garment->share = share;
}

/* Whether a seam joins a limb to the trunk. */
static bool joins_limb(const tl_garment *garment, int seam)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    const int *pair = mesh->seam_pair + 2 * (size_t)mesh->seam[seam].first;
    return mesh->seam[seam].count > 0 && tl_garment_is_of_trunk(garment, mesh->panel_of_vertex[pair[0]]) !=
                                             tl_garment_is_of_trunk(garment, mesh->panel_of_vertex[pair[1]]);
}

static void count_limb_seams(tl_garment *garment)
{
    garment->limb_seams = 0;
    for (int s = 0; s < garment->arrays->seam_count; ++s)
        garment->limb_seams += garment->limb[s] = joins_limb(garment, s);
}

/* Draws the seams together within a time: those of trunk and limbs themselves, or all. */
static tl_result sew(tl_garment *garment, bool all, tl_real seconds)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int count = 0;
    for (int s = 0; s < mesh->seam_count; ++s)
        count += mesh->seam[s].count;
    int(*pairs)[2] = tl_allocate(&garment->allocator, (size_t)count, sizeof *pairs);
    if (!pairs)
        return TL_ERROR_MEMORY;
    int n = 0;
    for (int s = 0; s < mesh->seam_count; ++s)
        for (int k = 0; k < mesh->seam[s].count && (all || !garment->limb[s]); ++k, ++n)
            memcpy(pairs[n], mesh->seam_pair + 2 * (size_t)(mesh->seam[s].first + k), sizeof *pairs);
    tl_result result = tl_cloth_sew(garment->cloth, (const int(*)[2])pairs, n, seconds);
    tl_release(&garment->allocator, pairs);
    return result;
}

tl_result tl_dress_start(tl_garment *garment, tl_error *error)
{
    double start = now();
    garment->frame = garment->attempts = garment->layers = 0;
    memcpy(garment->x, garment->arrays->position, (size_t)garment->arrays->vertex_count * sizeof *garment->x);
    tl_result result = make_world(garment, error);
    garment->share = 1;
    if (result == TL_OK)
        result = tl_garment_place(garment, error);
    if (result == TL_OK) {
        char *note = garment->report.note;
        size_t used = strlen(note), room = sizeof garment->report.note - used;
        tl_real share = tl_garment_sewing_share(garment, note + used, room);
        garment->report.thinned = share < 1;
        share = tl_min(share, shares[garment->round]);
        if (share < 1 && tl_character_parts(garment->character)) {
            thin(garment, share);
            tl_world_step(garment->world, FRAME);
        }
        garment->mesh[0] = tl_garment_build(garment, false, error);
        garment->cloth = garment->mesh[0] ? make_cloth(garment, garment->mesh[0]) : NULL;
        if (!garment->cloth)
            result =
                garment->mesh[0] ? tl_fail(error, TL_ERROR_INPUT, "%s", tl_last_error(garment->world)) : TL_ERROR_INPUT;
    }
    if (result == TL_OK) {
        count_limb_seams(garment);
        result = sew(garment, garment->limb_seams == 0, SEW * FRAME);
    }
    garment->report.seconds_of[TL_DRESS_PLACE] = garment->report.seconds = now() - start;
    if (result == TL_OK)
        enter(garment, TL_DRESS_SEW);
    return result;
}

void tl_dress_end(tl_garment *garment)
{
    tl_world_destroy(garment->world);
    for (int k = 0; k < 2; ++k)
        tl_mesh_destroy(garment->mesh[k]);
    for (int k = 0; k < garment->layers; ++k)
        tl_mesh_destroy(garment->layer_mesh[k]);
    tl_release(&garment->allocator, garment->skin);
    garment->world = NULL;
    garment->body = NULL;
    garment->cloth = NULL;
    garment->mesh[0] = garment->mesh[1] = NULL;
    garment->skin = NULL;
    garment->layers = 0;
}

void tl_garment_take(tl_garment *garment)
{
    const tl_vec3 *x = tl_cloth_positions(garment->cloth);
    if (x)
        memcpy(garment->x, x, (size_t)garment->arrays->vertex_count * sizeof *garment->x);
    tl_garment *inner = garment->inner;
    for (int k = 0; k < garment->layers; ++k, inner = inner->inner) {
        x = tl_cloth_positions(garment->layer[k]);
        if (x)
            memcpy(inner->x, x, (size_t)inner->arrays->vertex_count * sizeof *inner->x);
    }
}

/* ---- phases ------------------------------------------------------------------------------------------------------ */

/* Makes one particle of sewn vertices, at their mean, unless that crosses something. */
static bool merge(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    tl_error error = {0};
    tl_garment_take(garment);
    tl_real gap_before = garment->gap;
    garment->gap = report->seam_gap = tl_cloth_sew_gap(garment->cloth, &report->seam_gap_mean);
    tl_garment_join(garment);
    garment->mesh[1] = tl_garment_build(garment, true, &error);
    tl_cloth *open = garment->cloth, *sewn = garment->mesh[1] ? make_cloth(garment, garment->mesh[1]) : NULL;
    if (!sewn) {
        fail(garment, TL_ERROR_MEMORY, garment->mesh[1] ? tl_last_error(garment->world) : error.message);
        tl_mesh_destroy(garment->mesh[1]);
        garment->mesh[1] = NULL;
        return false;
    }
    tl_cloth_set_state(sewn, NULL, tl_cloth_velocities(open));
    report->inside = tl_cloth_count_penetrating(sewn, NULL);
    /* what the body's sharp places cross anyway is no reason against it */
    report->body_crossings = tl_cloth_count_body_intersections(sewn) - tl_cloth_count_body_intersections(open);
    garment->cloth = sewn;
    unsigned char *faces = tl_allocate(&garment->allocator, (size_t)garment->arrays->triangle_count, 1);
    tl_cloth_destroy(garment->world, open);
    report->crossings = tl_cloth_count_intersections(sewn, faces);
    bool clean = report->crossings == 0 && report->inside == 0 && report->body_crossings <= 0;
    bool stuck = garment->attempts >= PATIENCE && report->seam_gap > STUCK * gap_before;
    bool good = clean || (stuck && report->crossings <= TANGLE && report->body_crossings <= 0);
    garment->tangled = good && !clean;
    if (garment->tangled)
        good = set_name(sewn, "contact", "self-collision");
    if (good) {
        report->merged = true;
        tl_mesh_destroy(garment->mesh[0]);
        garment->mesh[0] = NULL;
    } else {
        char where[160] = "";
        if (faces)
            tl_garment_name_panels(garment, faces, where, sizeof where);
        snprintf(
            report->message, sizeof report->message,
            "phase merge: seams %.1f mm apart would cross in %d pairs of triangles when sewn (%s), and the body in "
            "%d; %d particles would be inside it",
            1e3 * (double)report->seam_gap, report->crossings, where, report->body_crossings, report->inside);
    }
    tl_release(&garment->allocator, faces);
    return good;
}

/* Back to open seams after an attempt, where they were before it. */
static void reopen(tl_garment *garment, const tl_vec3 *x, const tl_vec3 *v)
{
    tl_cloth_destroy(garment->world, garment->cloth);
    tl_mesh_destroy(garment->mesh[1]);
    garment->mesh[1] = NULL;
    garment->cloth = make_cloth(garment, garment->mesh[0]);
    if (!garment->cloth || tl_cloth_set_state(garment->cloth, x, v) != TL_OK || sew(garment, true, 0) != TL_OK)
        fail(garment, TL_ERROR_MEMORY, tl_last_error(garment->world));
}

static void attempt(tl_garment *garment)
{
    size_t count = (size_t)garment->arrays->vertex_count;
    tl_vec3 *state = tl_allocate(&garment->allocator, 2 * count, sizeof *state);
    if (!state) {
        fail(garment, TL_ERROR_MEMORY, "no memory to merge");
        return;
    }
    memcpy(state, tl_cloth_positions(garment->cloth), count * sizeof *state);
    memcpy(state + count, tl_cloth_velocities(garment->cloth), count * sizeof *state);
    ++garment->attempts;
    if (merge(garment)) {
        enter(garment, TL_DRESS_MERGE);
        garment->report.message[0] = 0;
    } else if (!garment->report.done) {
        if (garment->attempts >= ATTEMPTS) {
            garment->report.phase = TL_DRESS_MERGE;
            garment->report.result = TL_ERROR_UNSTABLE;
            garment->report.done = true;
        } else {
            reopen(garment, state, state + count);
        }
    }
    tl_release(&garment->allocator, state);
}

static void begin_settling(tl_garment *garment)
{
    enter(garment, TL_DRESS_SETTLE);
    tl_garment *inner = garment->inner;
    tl_cloth *cloths[TL_GARMENT_LAYERS + 1] = {garment->cloth};
    const tl_garment *of[TL_GARMENT_LAYERS + 1] = {garment};
    for (int k = 0; k < garment->layers; ++k, inner = inner->inner) {
        cloths[k + 1] = garment->layer[k];
        of[k + 1] = inner;
        for (int v = 0; v < inner->arrays->vertex_count; ++v)
            tl_cloth_pin(garment->layer[k], v, false);
    }
    bool set = true;
    for (int k = 0; k <= garment->layers; ++k) {
        tl_cloth_def def = tl_garment_cloth_def(of[k]);
        set = set && set_name(cloths[k], "stepper", def.stepper) && set_number(cloths[k], "substeps", def.substeps) &&
              set_number(cloths[k], "implicit.iterations", def.solver_iterations);
        set = set && set_number(cloths[k], "damping", SETTLE_DAMPING) &&
              set_number(cloths[k], "friction", (double)def.friction);
    }
    if (!set)
        fail(garment, TL_ERROR_INPUT, tl_last_error(garment->world));
}

/* m/s, rms over the last frames: what jumps in a single one is no motion of the garment. */
static tl_real mean_speed(tl_garment *garment)
{
    enum { SPAN = sizeof garment->speed / sizeof *garment->speed };
    int count = garment->frame < SPAN ? garment->frame : SPAN;
    tl_real sum = 0;
    garment->speed[garment->frame % SPAN] = tl_dress_speed(garment);
    for (int k = 0; k < count; ++k) {
        tl_real speed = garment->speed[(garment->frame - k) % SPAN];
        sum += speed * speed / (tl_real)count;
    }
    return sqrt(sum);
}

static void after_settling(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    int most = garment->how.most_frames > 0 ? garment->how.most_frames : MOST;
    set_gravity(garment, garment->frame < GRAVITY ? (double)garment->frame / GRAVITY : 1);
    report->rms_speed = mean_speed(garment);
    if ((garment->frame < SETTLE || !(report->rms_speed < REST)) && garment->frame < most)
        return;
    tl_garment_take(garment);
    tl_dress_measure(garment);
    report->result = tl_dress_judge(garment);
    garment->worn = report->result == TL_OK;
    if (garment->worn)
        report->phase = TL_DRESS_DONE;
    report->done = true;
}

/* A merge that crosses in few places runs under contact that takes crossings out, until there are none. */
static void untangle(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    if (garment->frame % LOOK != 0)
        return;
    unsigned char *faces = tl_allocate(&garment->allocator, (size_t)garment->arrays->triangle_count, 1);
    report->crossings = tl_cloth_count_intersections(garment->cloth, faces);
    report->inside = tl_cloth_count_penetrating(garment->cloth, NULL);
    if (report->crossings == 0 && report->inside == 0) {
        garment->tangled = false;
        if (!set_name(garment->cloth, "contact", "penetration-free"))
            fail(garment, TL_ERROR_INPUT, tl_last_error(garment->world));
        enter(garment, TL_DRESS_MERGE);
    } else if (garment->frame >= UNTANGLE) {
        char where[160] = "", text[280];
        if (faces)
            tl_garment_name_panels(garment, faces, where, sizeof where);
        snprintf(text, sizeof text, "sewn seams cross in %d pairs of triangles (%s), %d particles are inside the body",
                 report->crossings, where, report->inside);
        fail(garment, TL_ERROR_UNSTABLE, text);
    }
    tl_release(&garment->allocator, faces);
}

static void after_frame(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    int frame = ++garment->frame;
    switch (report->phase) {
    case TL_DRESS_SEW:
        report->seam_gap = tl_cloth_sew_gap(garment->cloth, &report->seam_gap_mean);
        if (garment->limb_seams > 0 && frame == SEW && sew(garment, true, SEW * FRAME) != TL_OK)
            fail(garment, TL_ERROR_MEMORY, tl_last_error(garment->world));
        else if (frame >= (garment->limb_seams > 0 ? 2 : 1) * SEW + HOLD + garment->attempts * AGAIN)
            attempt(garment);
        break;
    case TL_DRESS_MERGE:
        if (garment->tangled) {
            untangle(garment);
            break;
        }
        if (frame < RELAX)
            break;
        if (garment->share < 1)
            enter(garment, TL_DRESS_GROW);
        else
            begin_settling(garment);
        break;
    case TL_DRESS_GROW:
        if (frame >= GROW + RELAX)
            begin_settling(garment);
        break;
    case TL_DRESS_SETTLE:
        after_settling(garment);
        break;
    default:
        break;
    }
}

/* Settled without a crossing: tight or restless, which another share of flesh does not change. */
static bool is_settled_clean(const tl_dress_report *report)
{
    return report->phase == TL_DRESS_SETTLE && report->merged && report->crossings == 0 && report->inside == 0 &&
           report->body_crossings == 0;
}

/* Once more from the start, with another share of the body's flesh. What was done so far counts in the report. */
static void start_over(tl_garment *garment)
{
    tl_dress_report before = garment->report;
    tl_error error;
    tl_dress_end(garment);
    ++garment->round;
    garment->report.note[0] = garment->report.message[0] = 0;
    garment->report.done = garment->report.merged = false;
    garment->report.result = tl_dress_start(garment, &error);
    garment->report.seconds += before.seconds;
    garment->report.attempts = garment->round + 1;
    if (garment->report.result == TL_OK)
        return;
    before.result = garment->report.result;
    before.done = true;
    garment->report = before;
}

void tl_dress_frame(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    double start = now();
    tl_dress_phase phase = report->phase;
    if (phase == TL_DRESS_GROW && garment->frame < GROW) {
        tl_real left = (tl_real)(GROW - garment->frame);
        thin(garment, garment->share + (1 - garment->share) / left);
    }
    if (tl_world_step(garment->world, FRAME) != TL_OK) {
        fail(garment, TL_ERROR_UNSTABLE, tl_last_error(garment->world));
        return;
    }
    ++report->frames;
    ++report->frames_of[phase];
    after_frame(garment);
    if (report->done && report->result != TL_OK && garment->round + 1 < ROUNDS && !is_settled_clean(report) &&
        tl_character_parts(garment->character))
        start_over(garment);
    if (!report->done)
        tl_garment_take(garment);
    report->seconds_of[phase] += now() - start;
    report->seconds += now() - start;
}
