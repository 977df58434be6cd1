/* Narrow garments: where the sewn garment is narrower than the body at the height at which it is placed, seams cannot
   close around the full body; the body is thinned along its bones before, and gets its flesh back afterwards. */
#include "garment/garment.h"

#include "mesh/mesh.h"

#include <stdio.h>
#include <string.h>

/* m, of the heights that are looked at; 1, of what cloth stretches by; the thinnest body. */
static const tl_real LEVEL = (tl_real)0.02, EASE = (tl_real)1.03, THINNEST = (tl_real)0.55;
enum { LEVELS = 128, HULL = 1024 };

/* Length of the section of a panel at height y, m. */
static tl_real panel_section(const tl_garment *garment, int panel, tl_real y)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_real sum = 0;
    for (int k = 0; k < mesh->panel[panel].triangle_count; ++k) {
        const int *t = mesh->triangle + 3 * (size_t)(mesh->panel[panel].first_triangle + k);
        tl_vec3 end[2] = {{0, 0, 0}, {0, 0, 0}};
        int ends = 0;
        for (int c = 0; c < 3 && ends < 2; ++c) {
            tl_vec3 a = garment->x[t[c]], b = garment->x[t[(c + 1) % 3]];
            if ((a.y < y) != (b.y < y))
                end[ends++] = tl_lerp(a, b, (y - a.y) / (b.y - a.y));
        }
        sum += ends == 2 ? tl_length(tl_sub(end[1], end[0])) : 0;
    }
    return sum;
}

static tl_real turn(tl_vec3 a, tl_vec3 b, tl_vec3 c) { return (b.x - a.x) * (c.z - a.z) - (b.z - a.z) * (c.x - a.x); }

/* Girth of the trunk at height y: perimeter of the hull of the section, without arms and head; 0 where there are legs
   alone, which trousers go around one by one. */
static tl_real body_girth(const tl_character *character, tl_real y)
{
    const tl_mesh *mesh = tl_character_mesh(character);
    const unsigned char *part = tl_character_parts(character);
    tl_vec3 point[HULL];
    int count = 0;
    bool trunk = false;
    for (int e = 0; e < mesh->edge_count && count < HULL; ++e) {
        int pa = part ? part[mesh->vertex_of_particle[mesh->edge_a[e]]] : TL_BODY_PART_TORSO;
        tl_vec3 a = mesh->position[mesh->edge_a[e]], b = mesh->position[mesh->edge_b[e]];
        trunk |= (a.y < y) != (b.y < y) && pa == TL_BODY_PART_TORSO;
        if ((a.y < y) != (b.y < y) && pa != TL_BODY_PART_LEFT_ARM && pa != TL_BODY_PART_RIGHT_ARM &&
            pa != TL_BODY_PART_HEAD)
            point[count++] = tl_lerp(a, b, (y - a.y) / (b.y - a.y));
    }
    if (count < 3 || !trunk)
        return 0;
    int first = 0;
    for (int k = 1; k < count; ++k)
        first = point[k].x < point[first].x ? k : first;
    tl_real sum = 0;
    int at = first, steps = 0;
    do {
        int next = at == 0 ? 1 : 0;
        for (int k = 0; k < count; ++k)
            next = turn(point[at], point[next], point[k]) < 0 ? k : next;
        sum += tl_length(tl_sub(point[next], point[at]));
        at = next;
    } while (at != first && ++steps < count);
    return sum;
}

bool tl_garment_is_of_trunk(const tl_garment *garment, int panel)
{
    const tl_panel_span *span = &garment->arrays->panel[panel];
    tl_real low = 1, high = -1;
    for (int k = 0; k < span->vertex_count; ++k) {
        tl_vec3 x = garment->x[span->first_vertex + k];
        low = tl_min(low, x.x);
        high = tl_max(high, x.x);
    }
    return low < (tl_real)0.06 && high > -(tl_real)0.06;
}

/* Marks vertices that are sewn to a panel of the trunk. */
static void mark_sewn(const tl_garment *garment, unsigned char *sewn)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    for (int s = 0; s < mesh->seam_count; ++s)
        for (int k = 0; k < mesh->seam[s].count; ++k)
            for (int side = 0; side < 2; ++side) {
                const int *pair = mesh->seam_pair + 2 * (size_t)(mesh->seam[s].first + k);
                sewn[pair[side]] |= tl_garment_is_of_trunk(garment, mesh->panel_of_vertex[pair[1 - side]]);
            }
}

/* Whether an edge lies rather than stands: a level through it is cut off by a seam to what is above or below. */
static bool is_level(tl_vec3 a, tl_vec3 b) { return fabs(b.y - a.y) < (tl_real)0.5 * tl_length(tl_sub(b, a)); }

/* Whether the panels of the trunk close to a ring at height y: their outlines there are all sewn to each other, which
   those of armholes and slits are not. */
static bool is_ring(const tl_garment *garment, const unsigned char *sewn, tl_real y)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int ends = 0;
    bool front = false, back = false;
    for (int e = 0; e < mesh->edge_span_count; ++e) {
        const tl_panel_edge_span *span = &mesh->edge_span[e];
        if (!tl_garment_is_of_trunk(garment, span->panel))
            continue;
        for (int k = 0; k + 1 < span->count; ++k) {
            int a = mesh->edge_vertex[span->first + k], b = mesh->edge_vertex[span->first + k + 1];
            if ((garment->x[a].y < y) == (garment->x[b].y < y))
                continue;
            if (is_level(garment->x[a], garment->x[b]))
                return false;
            ++ends;
            front |= garment->x[a].z > 0;
            back |= garment->x[a].z < 0;
            if (!sewn[a] || !sewn[b])
                return false;
        }
    }
    return ends >= 4 && front && back;
}

/* The narrowest ring: share of the body's girth that it measures, or 1. */
static tl_real narrowest(const tl_garment *garment, const unsigned char *sewn, char *note, size_t size)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_real share = 1;
    for (int level = 0; level < LEVELS; ++level) {
        tl_real y = (tl_real)level * LEVEL + LEVEL / 2, ring = 0;
        if (!is_ring(garment, sewn, y))
            continue;
        for (int p = 0; p < mesh->panel_count; ++p)
            ring += tl_garment_is_of_trunk(garment, p) ? panel_section(garment, p, y) : 0;
        tl_real girth = body_girth(garment->character, y), now = girth > 0 ? ring * EASE / girth : 1;
        if (now >= share)
            continue;
        share = now;
        snprintf(note, size,
                 "the garment measures %.2f m around where the body has %.2f m, at a height of %.2f m: it is sewn on a "
                 "thinned body, which then grows",
                 (double)ring, (double)girth, (double)y);
    }
    return share;
}

tl_real tl_garment_sewing_share(const tl_garment *garment, char *note, size_t size)
{
    if (!tl_character_parts(garment->character))
        return 1;
    unsigned char *sewn = tl_allocate(&garment->allocator, (size_t)garment->arrays->vertex_count, 1);
    if (!sewn)
        return 1;
    mark_sewn(garment, sewn);
    tl_real share = narrowest(garment, sewn, note, size);
    tl_release(&garment->allocator, sewn);
    return tl_max(share, THINNEST);
}
