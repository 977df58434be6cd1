/* How well a garment is worn: crossings, stretch, speed; and whether that will do. */
#include "garment/garment.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

/* m/s and 1: what is worn moves less and is stretched less, or the report says so. */
static const tl_real RESTLESS = (tl_real)0.008, STRETCHED = (tl_real)0.05;

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

void tl_dress_measure(tl_garment *garment)
{
    tl_dress_report *report = &garment->report;
    const tl_vec3 *velocity = tl_cloth_velocities(garment->cloth);
    int count = tl_cloth_vertex_count(garment->cloth);
    double sum = 0;
    for (int v = 0; velocity && v < count; ++v)
        sum += (double)tl_dot(velocity[v], velocity[v]);
    report->rms_speed = (tl_real)sqrt(sum / (double)count);
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
    size_t used = strlen(report->note);
    if (report->rms_speed > RESTLESS || report->stretch_p99 > STRETCHED)
        snprintf(report->note + used, sizeof report->note - used, "%s%s",
                 report->rms_speed > RESTLESS ? "it still moves; " : "",
                 report->stretch_p99 > STRETCHED ? "it is tight: more than 1 % of its edges are stretched by over 5 %; "
                                                 : "");
    return TL_OK;
}
