/* Which particles a sweep moved, and which blocks of particles moved since the last projection out of bodies. */
#include "contact/cloth/moved.h"

#include "contact/body/body_contacts.h"

#include <string.h>

static void note(tl_contact_mesh *s, int first, int count)
{
    for (int c = 0; c < 3; ++c)
        memcpy(s->noted_x[c] + first, s->x[c] + first, (size_t)count * sizeof(tl_real));
}

void tl_moves_clear(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        memset(s->last_moved_sweep, 0, (size_t)s->mesh->particle_count * sizeof *s->last_moved_sweep);
    }
    set->sweep = 0;
}

void tl_clear_touched(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        memset(set->mesh[k]->touched, 0, (size_t)set->mesh[k]->mesh->particle_count / TL_CONTACT_MESH_BLOCK + 1);
}

void tl_project_out_of_bodies(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (s->is_cloth && s->paired && s->bodies)
            tl_body_contacts_project(s->body_contacts, set->h, s->touched);
    }
}

/* Particles that are not at their stored position were moved by this sweep. */
static void mark_moved(tl_contact_mesh *s, int first, int count, int sweep)
{
    for (int i = first; i < first + count; ++i)
        if (s->x[0][i] != s->noted_x[0][i] || s->x[1][i] != s->noted_x[1][i] || s->x[2][i] != s->noted_x[2][i])
            s->last_moved_sweep[i] = sweep;
}

typedef enum projection { BEFORE, AFTER } projection;

static void follow_projection(tl_contact_mesh *s, int sweep, projection when)
{
    int total = s->mesh->particle_count;
    for (int first = 0; first < total; first += TL_CONTACT_MESH_BLOCK) {
        int left = total - first, count = left < TL_CONTACT_MESH_BLOCK ? left : TL_CONTACT_MESH_BLOCK;
        if (!s->touched[first / TL_CONTACT_MESH_BLOCK])
            continue;
        if (when == BEFORE)
            note(s, first, count);
        else
            mark_moved(s, first, count, sweep);
    }
}

void tl_project_sweep_out_of_bodies(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->is_cloth)
            follow_projection(set->mesh[k], set->sweep, BEFORE);
    tl_project_out_of_bodies(set);
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->is_cloth)
            follow_projection(set->mesh[k], set->sweep, AFTER);
    tl_clear_touched(set);
}
