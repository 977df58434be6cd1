/* How well a garment is worn: crossings, stretch, speed; and whether that will do. */
#include "garment/garment.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* What is worn moves less, m/s rms, and is stretched less: 99 of 100 edges, and every edge. */
static const tl_real RESTLESS = (tl_real)0.008, STRETCHED = (tl_real)0.05, TORN = (tl_real)0.12;

static int ascending(const void *a, const void *b)
{
    tl_real x, y;
    memcpy(&x, a, sizeof x);
    memcpy(&y, b, sizeof y);
    return (x > y) - (x < y);
}

/* Stretch of the edges against their rest length; links between sewn pieces are none. */
static void measure_stretch(tl_garment *garment)
{
    const tl_mesh *mesh = tl_cloth_mesh(garment->cloth);
    tl_dress_report *report = &garment->report;
    tl_real *stretch = tl_allocate(&garment->allocator, (size_t)mesh->edge_count, sizeof *stretch);
    if (!stretch)
        return;
    for (int e = 0; e < mesh->edge_count; ++e) {
        tl_vec3 a = garment->x[mesh->vertex_of_particle[mesh->edge_a[e]]];
        tl_vec3 b = garment->x[mesh->vertex_of_particle[mesh->edge_b[e]]];
        stretch[e] = tl_length(tl_sub(b, a)) / mesh->edge_length[e] - 1;
    }
    qsort(stretch, (size_t)mesh->edge_count, sizeof *stretch, ascending); /* equal numbers are the same */
    report->stretch_max = stretch[mesh->edge_count - 1];
    report->stretch_p99 = stretch[(size_t)mesh->edge_count * 99 / 100];
    tl_release(&garment->allocator, stretch);
}

tl_real tl_dress_speed(const tl_garment *garment)
{
    const tl_vec3 *velocity = tl_cloth_velocities(garment->cloth);
    int count = tl_cloth_vertex_count(garment->cloth);
    double sum = 0;
    for (int v = 0; velocity && v < count; ++v)
        sum += (double)tl_dot(velocity[v], velocity[v]);
    return (tl_real)sqrt(sum / (double)count);
}

void tl_dress_measure(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    report->crossings = tl_world_count_intersections(garment->world);
    report->inside = tl_cloth_count_penetrating(garment->cloth, NULL);
    report->body_crossings = tl_cloth_count_body_intersections(garment->cloth);
    for (int k = 0; k < garment->layers; ++k) {
        report->inside += tl_cloth_count_penetrating(garment->layer[k], NULL);
        report->body_crossings += tl_cloth_count_body_intersections(garment->layer[k]);
    }
    measure_stretch(garment);
}

/* Names where triangles cross. */
static void name_crossing(tl_garment *garment, char *text, size_t size)
{
    unsigned char *faces = tl_allocate(&garment->allocator, (size_t)garment->arrays->triangle_count, 1);
    text[0] = 0;
    if (faces && tl_cloth_count_intersections(garment->cloth, faces) > 0)
        tl_garment_name_panels(garment, faces, text, size);
    tl_release(&garment->allocator, faces);
}

/* The deepest particle inside the body. */
static void name_inside(const tl_garment *garment, char *text, size_t size)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int worst = 0;
    tl_real depth = 0;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        tl_real d = tl_body_distance(garment->body, garment->x[v], NULL);
        worst = d < depth ? v : worst;
        depth = tl_min(d, depth);
    }
    snprintf(text, size, "particle %d of panel %s is %.1f mm deep", mesh->particle_of_vertex[worst],
             garment->panel_name[mesh->panel_of_vertex[worst]], -1e3 * (double)depth);
}

/* The panel of the edge that is stretched most. */
static const char *tightest_panel(const tl_garment *garment)
{
    const tl_mesh *mesh = tl_cloth_mesh(garment->cloth);
    tl_real most = 0;
    int vertex = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        int v = mesh->vertex_of_particle[mesh->edge_a[e]], w = mesh->vertex_of_particle[mesh->edge_b[e]];
        tl_real ratio = tl_length(tl_sub(garment->x[w], garment->x[v])) / mesh->edge_length[e];
        vertex = ratio > most ? v : vertex;
        most = tl_max(ratio, most);
    }
    return garment->panel_name[garment->arrays->panel_of_vertex[vertex]];
}

/* The panel that moves fastest, by the mean square of its speed. */
static const char *fastest_panel(const tl_garment *garment)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    const tl_vec3 *velocity = tl_cloth_velocities(garment->cloth);
    double most = -1;
    int fastest = 0;
    for (int p = 0; velocity && p < mesh->panel_count; ++p) {
        const tl_panel_span *span = &mesh->panel[p];
        double sum = 0;
        for (int k = 0; k < span->vertex_count; ++k) {
            tl_vec3 v = velocity[span->first_vertex + k];
            sum += (double)tl_dot(v, v) / span->vertex_count;
        }
        fastest = sum > most ? p : fastest;
        most = sum > most ? sum : most;
    }
    return garment->panel_name[fastest];
}

/* Of a garment that crosses nothing: whether it is too tight or does not come to rest. */
static tl_result judge_rest(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    const char *phase = tl_dress_phase_name(report->phase);
    if (!(report->stretch_p99 <= STRETCHED && report->stretch_max <= TORN)) {
        snprintf(
            report->message, sizeof report->message,
            "phase %s: it is too tight: 1 %% of the edges are stretched by more than %.1f %% (%.0f %% is allowed), "
            "one of panel %s by %.1f %% (%.0f %%)",
            phase, 100 * (double)report->stretch_p99, 100 * (double)STRETCHED, tightest_panel(garment),
            100 * (double)report->stretch_max, 100 * (double)TORN);
        return TL_ERROR_UNSTABLE;
    }
    if (!(report->rms_speed < RESTLESS)) {
        snprintf(report->message, sizeof report->message,
                 "phase %s: it still moves at %.1f mm/s (rms; less than %.0f mm/s is rest), panel %s fastest", phase,
                 1e3 * (double)report->rms_speed, 1e3 * (double)RESTLESS, fastest_panel(garment));
        return TL_ERROR_UNSTABLE;
    }
    return TL_OK;
}

tl_result tl_dress_judge(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    const char *phase = tl_dress_phase_name(report->phase);
    char where[160];
    if (report->crossings != 0) {
        name_crossing(garment, where, sizeof where);
        snprintf(report->message, sizeof report->message, "phase %s: %d pairs of triangles cross, of %s", phase,
                 report->crossings, where);
        return TL_ERROR_UNSTABLE;
    }
    if (report->inside != 0) {
        name_inside(garment, where, sizeof where);
        snprintf(report->message, sizeof report->message, "phase %s: %d particles are inside the body: %s", phase,
                 report->inside, where);
        return TL_ERROR_UNSTABLE;
    }
    if (report->body_crossings != 0) {
        snprintf(report->message, sizeof report->message,
                 "phase %s: %d pairs of triangles of garment and body cross: the body's edges are sharper than a "
                 "thickness of %.1f mm on triangles of %.0f mm allows",
                 phase, report->body_crossings, 1e3 * (double)garment->def.thickness, 1e3 * (double)garment->def.edge);
        return TL_ERROR_UNSTABLE;
    }
    return judge_rest(garment);
}
