/* Sleeves start around their arm: panels that hang beside the trunk move across the limb that is nearest to them until
   its bone is in the middle between the seams that will close around it. */
#include "garment/garment.h"

#include <stdio.h>
#include <string.h>

/* m; a sleeve this near to the middle stays. */
static const tl_real NEAR = (tl_real)0.005;

typedef struct limb {
    const char *from, *to; /* joints: from the position of the first to the tip of the second */
} limb;
static const limb limbs[] = {{"left upper arm", "left forearm"},
                             {"right upper arm", "right forearm"},
                             {"left thigh", "left shin"},
                             {"right thigh", "right shin"}};
enum { LIMBS = sizeof limbs / sizeof *limbs };

/* Groups of panels beside the trunk that are sewn to each other: group[p] is the lowest panel of p's, −1 of the trunk.
 */
static void find_groups(const tl_garment *garment, int *group)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    for (int p = 0; p < mesh->panel_count; ++p)
        group[p] = tl_garment_is_of_trunk(garment, p) ? -1 : p;
    for (bool changed = true; changed;) {
        changed = false;
        for (int s = 0; s < mesh->seam_count; ++s) {
            const int *pair = mesh->seam_pair + 2 * (size_t)mesh->seam[s].first;
            if (mesh->seam[s].count == 0)
                continue;
            int *a = &group[mesh->panel_of_vertex[pair[0]]], *b = &group[mesh->panel_of_vertex[pair[1]]];
            if (*a < 0 || *b < 0 || *a == *b)
                continue;
            *a = *b = *a < *b ? *a : *b;
            changed = true;
        }
    }
}

static tl_vec3 middle_of(const tl_garment *garment, const int *group, int which)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_vec3 sum = tl_v3(0, 0, 0);
    int count = 0;
    for (int v = 0; v < mesh->vertex_count; ++v)
        if (group[mesh->panel_of_vertex[v]] == which) {
            sum = tl_add(sum, garment->x[v]);
            ++count;
        }
    return tl_scale(sum, 1 / (tl_real)(count > 0 ? count : 1));
}

static tl_vec3 on_line(tl_vec3 p, tl_vec3 a, tl_vec3 b)
{
    tl_vec3 d = tl_sub(b, a);
    return tl_madd(a, d, tl_clamp(tl_dot(tl_sub(p, a), d) / tl_dot(d, d), 0, 1));
}

/* The limb nearest to a group; false for bodies without limbs. */
static bool find_limb(const tl_character *character, tl_vec3 middle, tl_vec3 *from, tl_vec3 *to)
{
    tl_real nearest = INFINITY;
    for (int k = 0; k < LIMBS; ++k) {
        int a = tl_character_find_joint(character, limbs[k].from), b = tl_character_find_joint(character, limbs[k].to);
        if (a < 0 || b < 0)
            continue;
        tl_vec3 p = tl_character_joint(character, a)->position, q = tl_character_joint(character, b)->tip;
        tl_real off = tl_length(tl_sub(middle, on_line(middle, p, q)));
        if (off < nearest) {
            nearest = off;
            *from = p;
            *to = q;
        }
    }
    return nearest < INFINITY;
}

/* How far a group has to go along `across` so that the bone is in the middle between the lowest and the highest of its
   own seams. */
static tl_real off_centre(const tl_garment *garment, const int *group, int which, tl_vec3 from, tl_vec3 across)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    tl_real low = INFINITY, high = -INFINITY;
    for (int s = 0; s < mesh->seam_count; ++s) {
        tl_real sum = 0;
        int count = 0;
        for (int k = 0; k < mesh->seam[s].count; ++k) {
            const int *pair = mesh->seam_pair + 2 * (size_t)(mesh->seam[s].first + k);
            if (group[mesh->panel_of_vertex[pair[0]]] != which || group[mesh->panel_of_vertex[pair[1]]] != which)
                continue;
            tl_vec3 at = tl_lerp(garment->x[pair[0]], garment->x[pair[1]], (tl_real)0.5);
            sum += tl_dot(tl_sub(at, from), across);
            ++count;
        }
        if (count == 0)
            continue;
        low = tl_min(low, sum / (tl_real)count);
        high = tl_max(high, sum / (tl_real)count);
    }
    return high > low ? -(low + high) / 2 : 0;
}

bool tl_garment_centre_limbs(tl_garment *garment, char *note, size_t size)
{
    const tl_panel_mesh_arrays *mesh = garment->arrays;
    int *group = tl_allocate(&garment->allocator, (size_t)mesh->panel_count, sizeof *group);
    if (!group)
        return false;
    find_groups(garment, group);
    tl_real farthest = 0;
    for (int which = 0; which < mesh->panel_count; ++which) {
        tl_vec3 from = {0, 0, 0}, to = from;
        if (group[which] != which || !find_limb(garment->character, middle_of(garment, group, which), &from, &to))
            continue;
        tl_vec3 across = tl_normalized(tl_cross(tl_sub(to, from), tl_v3(0, 0, 1)));
        tl_real by = off_centre(garment, group, which, from, across);
        if (fabs(by) < NEAR)
            continue;
        farthest = tl_max(farthest, fabs(by));
        for (int v = 0; v < mesh->vertex_count; ++v)
            if (group[mesh->panel_of_vertex[v]] == which)
                garment->x[v] = tl_madd(garment->x[v], across, by);
    }
    if (farthest > 0)
        snprintf(note, size, "sleeves moved by %.0f cm, to the middle of the arm; ", 100 * (double)farthest);
    tl_release(&garment->allocator, group);
    return true;
}
