/* Placing: panels start where the pattern has them. Dressing keeps a start without crossings free of them, so what
   crosses there is moved first: panels that cross another one or the body go outwards, a centimetre at a time. */
#include "garment/garment.h"

#include <stdio.h>
#include <string.h>

enum { TRIES = 24, HEIGHTS = 20, SAMPLES = 15 };
/* m: of one move; that threads over the shoulders keep from the body; that front and back are apart. 1: how far up a
   seam looks from which they hang. */
static const tl_real MOVE = (tl_real)0.01, CLEAR = (tl_real)0.01, SAG = (tl_real)0.12, APART = (tl_real)0.1,
                     UPRIGHT = (tl_real)0.5;

void tl_garment_name_panels(const tl_garment *garment, const unsigned char *faces, char *text, size_t size)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int named = 0;
    size_t length = 0;
    text[0] = 0;
    for (int p = 0; p < mesh->panel_count; ++p) {
        bool marked = false;
        for (int k = 0; k < mesh->panel[p].triangle_count; ++k)
            marked |= faces[mesh->panel[p].first_triangle + k] != 0;
        if (!marked || named++ >= 3 || length >= size)
            continue;
        int written = snprintf(text + length, size - length, "%s%s", named > 1 ? ", " : "", garment->panel_name[p]);
        length += written > 0 ? (size_t)written : 0;
    }
    if (named > 3 && length < size)
        snprintf(text + length, size - length, " and %d more", named - 3);
}

/* Middle of a panel, and the way it goes outwards: along its own normal, away from the middle of the body. */
static tl_vec3 outwards(const tl_garment *garment, int panel)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_vec3 normal = tl_v3(0, 0, 0), middle = tl_v3(0, 0, 0);
    const tl_panel_span *span = &mesh->panel[panel];
    for (int k = 0; k < span->triangle_count; ++k) {
        const int *t = mesh->triangle + 3 * (size_t)(span->first_triangle + k);
        tl_vec3 a = garment->x[t[0]], b = garment->x[t[1]], c = garment->x[t[2]];
        tl_vec3 area = tl_cross(tl_sub(b, a), tl_sub(c, a));
        normal = tl_add(normal, area);
        middle = tl_madd(middle, tl_add(a, tl_add(b, c)), tl_length(area));
    }
    tl_vec3 out = tl_normalized(normal), from = tl_v3(middle.x, 0, middle.z);
    return tl_dot(out, from) < 0 ? tl_scale(out, -1) : out;
}

static void shift(tl_garment *garment, int panel, tl_vec3 by)
{
    const tl_panel_span *span = &garment->arrays->panel[panel];
    for (int k = 0; k < span->vertex_count; ++k)
        garment->x[span->first_vertex + k] = tl_add(garment->x[span->first_vertex + k], by);
}

static tl_vec3 middle_of_panel(const tl_garment *garment, int panel)
{
    const tl_panel_span *span = &garment->arrays->panel[panel];
    tl_vec3 sum = tl_v3(0, 0, 0);
    for (int k = 0; k < span->vertex_count; ++k)
        sum = tl_add(sum, garment->x[span->first_vertex + k]);
    return tl_scale(sum, 1 / (tl_real)span->vertex_count);
}

/* Whether front and back of the trunk hang from a seam, over shoulders or arms: it joins them across the body, and the
   panel is below it rather than beside. */
static bool is_hanger(const tl_garment *garment, int seam)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    const tl_panel_seam *s = &mesh->seam[seam];
    const int *pair = mesh->seam_pair + 2 * (size_t)s->first;
    if (s->count < 2 || !tl_garment_is_of_trunk(garment, mesh->panel_of_vertex[pair[0]]) ||
        !tl_garment_is_of_trunk(garment, mesh->panel_of_vertex[pair[1]]))
        return false;
    tl_vec3 one = garment->x[pair[0]], last = garment->x[pair[2 * (s->count - 1)]];
    if (fabs(one.z - garment->x[pair[1]].z) < APART)
        return false;
    tl_vec3 along = tl_normalized(tl_sub(last, one)),
            off = tl_sub(one, middle_of_panel(garment, mesh->panel_of_vertex[pair[0]]));
    return tl_normalized(tl_madd(off, along, -tl_dot(off, along))).y > UPRIGHT;
}

/* How much of the threads of shoulder seams is in the body or near it if all panels are higher by `up`: m, summed. */
static tl_real buried(const tl_garment *garment, tl_real up)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_real sum = 0;
    for (int s = 0; s < mesh->seam_count; ++s)
        for (int k = 0; k < mesh->seam[s].count && is_hanger(garment, s); ++k) {
            const int *pair = mesh->seam_pair + 2 * (size_t)(mesh->seam[s].first + k);
            tl_vec3 a = garment->x[pair[0]], b = garment->x[pair[1]];
            for (int n = 1; n <= SAMPLES; ++n) {
                tl_real t = (tl_real)n / (SAMPLES + 1);
                tl_vec3 at = tl_lerp(a, b, t);
                at.y += up - SAG * 4 * t * (1 - t) * tl_length(tl_sub(b, a));
                sum += tl_max(0, CLEAR - tl_body_distance(garment->body, at, NULL));
            }
        }
    return sum;
}

/* Shoulder seams whose threads pass through the body would close below the shoulder and drag the garment off it. The
   garment goes up until none does, no farther than it has to; it comes down when it settles. */
static void lift(tl_garment *garment)
{
    tl_real height = 0;
    for (int k = 0; k < HEIGHTS && buried(garment, height) > 0; ++k)
        height += MOVE;
    for (int p = 0; p < garment->arrays->panel_count && height > 0; ++p)
        shift(garment, p, tl_v3(0, height, 0));
    if (height > 0)
        snprintf(garment->report.note, sizeof garment->report.note,
                 "raised by %.0f cm, so that shoulders close above the body; ", 100 * (double)height);
}

/* Panels that the body touches, marked in `touched`. */
static void mark_touched(const tl_garment *garment, unsigned char *touched)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (tl_body_distance(garment->body, garment->x[v], NULL) < garment->def.thickness)
            touched[mesh->panel_of_vertex[v]] = 1;
}

/* Whether a triangle of the panel crosses the body: a cloth of the panel alone is asked. */
static bool panel_crosses(const tl_garment *garment, int panel, tl_error *error)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    const tl_panel_span *span = &mesh->panel[panel];
    int *triangles = tl_allocate(&garment->allocator, 3 * (size_t)span->triangle_count, sizeof *triangles);
    if (!triangles)
        return false;
    for (int k = 0; k < 3 * span->triangle_count; ++k)
        triangles[k] = mesh->triangle[3 * (size_t)span->first_triangle + (size_t)k] - span->first_vertex;
    tl_mesh *alone = tl_mesh_create(&(tl_mesh_def){.positions = garment->x + span->first_vertex,
                                                   .vertex_count = span->vertex_count,
                                                   .triangles = triangles,
                                                   .triangle_count = span->triangle_count},
                                    &garment->allocator, error);
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = alone;
    def.contact = "self-collision";
    tl_cloth *cloth = alone ? tl_cloth_create(garment->world, &def) : NULL;
    bool crosses = cloth && tl_cloth_count_body_intersections(cloth) > 0;
    tl_cloth_destroy(garment->world, cloth);
    tl_mesh_destroy(alone);
    tl_release(&garment->allocator, triangles);
    return crosses;
}

/* Crossings of panels with each other and with inner garments; marks their triangles. −1: no memory. */
static int count_crossings(tl_garment *garment, unsigned char *faces, tl_error *error)
{
    tl_mesh *mesh = tl_garment_build(garment, false, error);
    if (!mesh)
        return -1;
    tl_cloth_def def = tl_cloth_def_default();
    def.mesh = mesh;
    def.contact = "self-collision";
    tl_cloth *cloth = tl_cloth_create(garment->world, &def);
    int pairs = cloth ? tl_cloth_count_intersections(cloth, faces) : -1;
    tl_cloth_destroy(garment->world, cloth);
    tl_mesh_destroy(mesh);
    return pairs;
}

static tl_result place(tl_garment *garment, unsigned char *faces, unsigned char *touched, tl_error *error)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int moves = 0;
    lift(garment);
    size_t used = strlen(garment->report.note);
    if (!tl_garment_centre_limbs(garment, garment->report.note + used, sizeof garment->report.note - used))
        return tl_fail(error, TL_ERROR_MEMORY, "no memory to place the panels");
    used = strlen(garment->report.note);
    char names[160] = "";
    for (int try = 0; try < TRIES; ++try) {
        memset(touched, 0, (size_t)mesh->panel_count);
        mark_touched(garment, touched);
        for (int p = 0; p < mesh->panel_count; ++p)
            if (!touched[p])
                touched[p] = panel_crosses(garment, p, error);
        if (!tl_garment_open_map(garment))
            return tl_fail(error, TL_ERROR_MEMORY, "no memory to place the panels");
        int pairs = count_crossings(garment, faces, error);
        if (pairs < 0)
            return tl_fail(error, TL_ERROR_MEMORY, "the panels cannot be placed: %s", tl_last_error(garment->world));
        for (int p = 0; p < mesh->panel_count && pairs > 0; ++p)
            for (int k = 0; k < mesh->panel[p].triangle_count; ++k)
                touched[p] |= faces[mesh->panel[p].first_triangle + k];
        bool any = false;
        for (int p = 0; p < mesh->panel_count; ++p)
            if (touched[p]) {
                any = true;
                memset(faces + mesh->panel[p].first_triangle, 1, (size_t)mesh->panel[p].triangle_count);
                shift(garment, p, tl_scale(outwards(garment, p), MOVE * (1 + (tl_real)(p % 2) / 2)));
            }
        if (!any) {
            if (moves > 0)
                snprintf(garment->report.note + used, sizeof garment->report.note - used,
                         "panels moved outwards, which crossed each other or the body as placed: %s; ", names);
            return TL_OK;
        }
        if (moves++ == 0)
            tl_garment_name_panels(garment, faces, names, sizeof names);
    }
    tl_garment_name_panels(garment, faces, names, sizeof names);
    return tl_fail(error, TL_ERROR_INPUT, "phase place: panels cross each other or the body as placed: %s", names);
}

tl_result tl_garment_place(tl_garment *garment, tl_error *error)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    unsigned char *faces = tl_allocate(&garment->allocator, (size_t)mesh->triangle_count, 1);
    unsigned char *touched = tl_allocate(&garment->allocator, (size_t)mesh->panel_count, 1);
    tl_result result = faces && touched ? place(garment, faces, touched, error)
                                        : tl_fail(error, TL_ERROR_MEMORY, "no memory to place the panels");
    tl_release(&garment->allocator, faces);
    tl_release(&garment->allocator, touched);
    return result;
}
