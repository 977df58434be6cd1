/* Garments: created from a pattern and a character, dressed, and given back as mesh and settings. */
#include "garment/garment.h"

#include <stdio.h>
#include <string.h>

static const tl_real STANDARD_EDGE = (tl_real)0.02, STANDARD_THICKNESS = (tl_real)0.004;
/* Of conjugate gradients: cloth that is tight around a body changes its contacts for as long as one iterates. */
enum { SETTLE_ITERATIONS = 25 };
static const char STANDARD_FABRIC[] = "interlock";

const char *tl_dress_phase_name(tl_dress_phase phase)
{
    static const char *const names[TL_DRESS_PHASES] = {"place", "sew", "merge", "grow", "settle", "done"};
    return phase >= 0 && phase < TL_DRESS_PHASES ? names[phase] : "";
}

tl_real tl_dress_progress(const tl_dress_report *report)
{
    /* at the start of each phase; within it a way towards the next that slows down, as nobody knows how long it takes
     */
    static const tl_real begin[TL_DRESS_PHASES + 1] = {0, (tl_real)0.02, (tl_real)0.25, (tl_real)0.35, (tl_real)0.5, 1,
                                                       1};
    static const tl_real usual = 60; /* frames of a phase */
    tl_real frames = (tl_real)report->frames_of[report->phase];
    tl_real from = begin[report->phase], way = frames / (frames + usual);
    return report->done && report->result == TL_OK ? 1 : from + way * (begin[report->phase + 1] - from);
}

void tl_garment_destroy(tl_garment *garment)
{
    if (!garment)
        return;
    tl_allocator allocator = garment->allocator;
    tl_dress_end(garment);
    tl_panel_mesh_destroy(garment->panels);
    tl_release(&allocator, garment->panel_name);
    tl_release(&allocator, garment->panel_fabric);
    tl_release(&allocator, garment->elastic);
    tl_release(&allocator, garment->x);
    tl_release(&allocator, garment->open);
    tl_release(&allocator, garment->limb);
    tl_release(&allocator, garment);
}

/* `panel`: NULL for the garment itself. */
static tl_result unknown_fabric(const char *fabric, const char *panel, tl_error *error)
{
    const char *nearest = tl_nearest_name(fabric, tl_fabric_names());
    return tl_fail(error, TL_ERROR_INPUT, "%s%s%sfabric: there is no '%s'%s%s%s", panel ? "panel " : "",
                   panel ? panel : "", panel ? ": " : "", fabric, nearest ? "; did you mean '" : "",
                   nearest ? nearest : "", nearest ? "'?" : "");
}

static tl_result check(const tl_garment_def *def, const tl_garment *inner, tl_error *error)
{
    if (def->fabric && !tl_fabric_named(def->fabric))
        return unknown_fabric(def->fabric, NULL, error);
    if (!(def->thickness >= 0 && def->thickness <= (tl_real)0.02 && def->gap >= 0 && def->gap <= (tl_real)0.02))
        return tl_fail(error, TL_ERROR_INPUT, "thickness and gap: %g and %g m are not within 0 … 0.02 m",
                       (double)def->thickness, (double)def->gap);
    int layers = 0;
    for (; inner; inner = inner->inner, ++layers)
        if (!inner->worn)
            return tl_fail(error, TL_ERROR_INPUT, "the inner garment %s is not dressed", inner->def.label);
    if (layers >= TL_GARMENT_LAYERS)
        return tl_fail(error, TL_ERROR_INPUT, "more than %d garments over one another", TL_GARMENT_LAYERS);
    return TL_OK;
}

static tl_result mesh_panels(tl_garment *garment, const tl_pattern *pattern, tl_error *error)
{
    garment->panels = tl_pattern_mesh(
        pattern, &(tl_panel_mesh_def){.edge = garment->def.edge, .lattice = garment->def.lattice}, error);
    if (!garment->panels)
        return TL_ERROR_INPUT;
    garment->arrays = tl_panel_mesh_get(garment->panels);
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    size_t count = (size_t)mesh->vertex_count;
    garment->panel_name = tl_allocate(&garment->allocator, (size_t)mesh->panel_count, sizeof *garment->panel_name);
    garment->x = tl_allocate(&garment->allocator, count, sizeof *garment->x);
    garment->open = tl_allocate(&garment->allocator, count, sizeof *garment->open);
    garment->limb = tl_allocate(&garment->allocator, (size_t)mesh->seam_count, sizeof *garment->limb);
    garment->panel_fabric = tl_allocate(&garment->allocator, (size_t)mesh->panel_count, sizeof(tl_fabric *));
    garment->elastic = tl_allocate(&garment->allocator, (size_t)mesh->seam_count, sizeof *garment->elastic);
    if (!garment->panel_name || !garment->panel_fabric || !garment->elastic || !garment->x || !garment->open ||
        !garment->limb)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for a garment of %d vertices", mesh->vertex_count);
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    for (int v = 0; v < mesh->vertex_count; ++v)
        garment->open[v] = v;
    memcpy(garment->x, mesh->position, count * sizeof *garment->x);
    for (int s = 0; s < mesh->seam_count; ++s) {
        const tl_stitch_def *stitch = &def->stitch[mesh->seam[s].stitch];
        if (stitch->kind == TL_STITCH_ELASTIC)
            garment->elastic[s] = stitch->ratio > 0 ? (tl_real)stitch->ratio : 1;
    }
    for (int p = 0; p < mesh->panel_count; ++p) {
        const char *fabric = def->panel[p].fabric[0] ? def->panel[p].fabric : garment->def.fabric;
        snprintf(garment->panel_name[p], sizeof *garment->panel_name, "%s", def->panel[p].name);
        garment->panel_fabric[p] = tl_fabric_named(fabric);
        if (!garment->panel_fabric[p])
            return unknown_fabric(fabric, def->panel[p].name, error);
    }
    return TL_OK;
}

tl_garment *tl_garment_create(const tl_pattern *pattern, const tl_character *character, tl_garment *inner,
                              const tl_garment_def *def, const tl_allocator *allocator, tl_error *error)
{
    if (check(def, inner, error) != TL_OK)
        return NULL;
    tl_allocator own = tl_allocator_or_default(allocator);
    tl_garment *garment = tl_allocate(&own, 1, sizeof *garment);
    if (!garment) {
        tl_fail(error, TL_ERROR_MEMORY, "no memory for a garment");
        return NULL;
    }
    garment->allocator = own;
    garment->character = character;
    garment->inner = inner;
    garment->def = *def;
    garment->def.edge = def->edge > 0 ? def->edge : STANDARD_EDGE;
    garment->def.thickness = def->thickness > 0 ? def->thickness : STANDARD_THICKNESS;
    garment->def.gap = def->gap > 0 ? def->gap : garment->def.thickness / 2;
    garment->def.fabric = tl_fabric_named(def->fabric ? def->fabric : STANDARD_FABRIC)->name;
    if (!def->label[0])
        snprintf(garment->def.label, sizeof garment->def.label, "garment");
    if (mesh_panels(garment, pattern, error) != TL_OK) {
        tl_garment_destroy(garment);
        return NULL;
    }
    return garment;
}

const tl_dress_report *tl_garment_report(const tl_garment *garment) { return &garment->report; }
const tl_panel_mesh *tl_garment_panels(const tl_garment *garment) { return garment->panels; }
const tl_vec3 *tl_garment_positions(const tl_garment *garment) { return garment->x; }
tl_world *tl_garment_world(tl_garment *garment) { return garment->world; }

tl_mesh *tl_garment_mesh(const tl_garment *garment, const tl_allocator *allocator, tl_error *error)
{
    tl_garment copy = *garment;
    copy.allocator = tl_allocator_or_default(allocator);
    return tl_garment_build(&copy, garment->report.merged, error);
}

tl_cloth_def tl_garment_cloth_def(const tl_garment *garment)
{
    tl_cloth_def def = tl_cloth_def_default();
    snprintf(def.label, sizeof def.label, "%s", garment->def.label);
    def.fabric = garment->def.fabric;
    def.stepper = "implicit-euler";
    def.contact = "penetration-free";
    def.substeps = 2;
    def.solver_iterations = SETTLE_ITERATIONS;
    def.damping = 4;
    def.friction = (tl_real)0.5;
    def.thickness = garment->def.thickness;
    def.cloth_gap = garment->def.gap;
    def.strain_limit = true;
    def.strain_limit_warp = def.strain_limit_weft = (tl_real)0.04;
    def.strain_limit_passes = 5;
    return def;
}

/* Ends where the caller wants to look at it: not worn, and no failure. */
static void end_early(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    if (report->done || garment->how.until == TL_DRESS_PLACE || report->phase < garment->how.until)
        return;
    tl_dress_measure(garment);
    report->done = true;
    snprintf(report->message, sizeof report->message, "ended when phase %s began", tl_dress_phase_name(report->phase));
}

tl_result tl_garment_dress_begin(tl_garment *garment, const tl_dress_def *def, tl_error *error)
{
    tl_dress_end(garment);
    garment->how = def ? *def : (tl_dress_def){0};
    garment->report = (tl_dress_report){.particles = garment->arrays->particle_count};
    garment->worn = false;
    garment->round = 0;
    tl_error own;
    if (!error)
        error = &own;
    tl_result result = tl_dress_start(garment, error);
    if (result != TL_OK) {
        garment->report.result = result;
        garment->report.done = true;
        snprintf(garment->report.message, sizeof garment->report.message, "%.*s",
                 (int)sizeof garment->report.message - 1, error->message);
    }
    end_early(garment);
    if (garment->report.done)
        tl_dress_end(garment);
    return result;
}

void tl_garment_dress_step(tl_garment *garment, tl_dress_report *report)
{
    if (!garment->report.done)
        tl_dress_frame(garment);
    end_early(garment);
    if (!garment->report.done && garment->how.progress && !garment->how.progress(garment->how.user, &garment->report)) {
        garment->report.done = true;
        garment->report.result = TL_ERROR_UNSUPPORTED;
        snprintf(garment->report.message, sizeof garment->report.message, "stopped while phase %s ran",
                 tl_dress_phase_name(garment->report.phase));
    }
    if (garment->report.done)
        tl_dress_end(garment);
    if (report)
        *report = garment->report;
}

tl_result tl_garment_dress(tl_garment *garment, const tl_dress_def *def, tl_dress_report *report)
{
    tl_result result = tl_garment_dress_begin(garment, def, NULL);
    while (result == TL_OK && !garment->report.done)
        tl_garment_dress_step(garment, NULL);
    if (report)
        *report = garment->report;
    return garment->report.result;
}
