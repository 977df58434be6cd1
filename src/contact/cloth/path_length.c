/* Path lengths by particle, and which blocks of particles moved since the last projection out of bodies. */
#include "contact/cloth/path_length.h"

#include "contact/body/body_contacts.h"

#include <string.h>

static void note(tl_contact_mesh *s, int first, int count)
{
    for (int c = 0; c < 3; ++c)
        memcpy(s->noted_x[c] + first, s->x[c] + first, (size_t)count * sizeof(tl_real));
}

static void add(tl_contact_mesh *s, int first, int count, tl_vec3 common)
{
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *a = s->noted_x[0], *b = s->noted_x[1], *c = s->noted_x[2];
    tl_real *restrict length = s->path_length;
    for (int i = first; i < first + count; ++i) {
        tl_real u = x[i] - a[i] - common.x, v = y[i] - b[i] - common.y, w = z[i] - c[i] - common.z;
        length[i] += sqrt(u * u + v * v + w * w);
    }
}

void tl_path_lengths_clear(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        memset(s->last_moved_sweep, 0, (size_t)s->mesh->particle_count * sizeof *s->last_moved_sweep);
        memset(s->path_length, 0, (size_t)s->mesh->particle_count * sizeof *s->path_length);
    }
    set->sweep = 0;
}

void tl_path_lengths_note(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            note(set->mesh[k], 0, set->mesh[k]->mesh->particle_count);
}

void tl_path_lengths_add(tl_contact_world *set, tl_vec3 common)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            add(set->mesh[k], 0, set->mesh[k]->mesh->particle_count, common);
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
        if (when == BEFORE) {
            note(s, first, count);
        } else {
            mark_moved(s, first, count, sweep);
            add(s, first, count, tl_v3(0, 0, 0));
        }
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
