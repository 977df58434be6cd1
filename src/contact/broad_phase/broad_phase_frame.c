/* The interface of the broad phase: its memory, and when candidates are found, kept or re-queried. */
#include "contact/broad_phase/candidate.h"
#include "contact/broad_phase/parallel_query.h"
#include "contact/broad_phase/swept_bounds.h"

/* ---- memory --------------------------------------------------------------------------------------------------- */

bool tl_mesh_query_create(tl_contact_mesh *s, const tl_allocator *allocator)
{
    tl_mesh_query *q = &s->query;
    size_t points = (size_t)s->mesh->particle_count, faces = (size_t)s->mesh->face_count;
    q->sharp_gap = -1;
    q->sharp = tl_allocate(allocator, faces, 1);
    q->stale = tl_allocate(allocator, faces, sizeof *q->stale);
    q->face = tl_allocate(allocator, faces, sizeof *q->face);
    q->tolerance = tl_allocate(allocator, points, sizeof(tl_real));
    q->span = tl_allocate(allocator, points, sizeof(tl_real));
    q->deviation = tl_allocate(allocator, points, sizeof(tl_real));
    bool made = q->sharp && q->stale && q->face && q->tolerance && q->span && q->deviation;
    for (int c = 0; c < 3; ++c) {
        made = (q->start[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (q->predicted_end[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (q->smoothed_step[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (q->step_start[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
    }
    s->bytes += (1 + sizeof *q->stale + sizeof *q->face) * faces + 15 * sizeof(tl_real) * points;
    return made;
}

void tl_mesh_query_release(tl_contact_mesh *s, const tl_allocator *allocator)
{
    tl_mesh_query *q = &s->query;
    tl_swept_bounds_release(&q->bounds, allocator);
    tl_swept_bounds_release(&q->ccd_bounds, allocator);
    tl_bvh_destroy(&q->ccd_tree, allocator);
    tl_release(allocator, q->sharp);
    tl_release(allocator, q->stale);
    tl_release(allocator, q->face);
    tl_release(allocator, q->tolerance);
    tl_release(allocator, q->span);
    tl_release(allocator, q->deviation);
    tl_release(allocator, q->may_fold);
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, q->start[c]);
        tl_release(allocator, q->predicted_end[c]);
        tl_release(allocator, q->smoothed_step[c]);
        tl_release(allocator, q->step_start[c]);
    }
    *q = (tl_mesh_query){0};
}

bool tl_broad_phase_prepare(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        if (s->self_collides && !s->query.bounds.edges &&
            !tl_swept_bounds_create(&s->query.bounds, s, &s->tree, TL_EDGES_BENT, &set->allocator))
            return false;
    }
    return true;
}

void tl_broad_phase_release(tl_contact_world *set)
{
    tl_parallel_query_release(set);
    tl_release(&set->allocator, set->near.pair);
    tl_release(&set->allocator, set->found);
}

/* ---- frame and substep ---------------------------------------------------------------------------------------- */

void tl_broad_phase_begin_frame(tl_contact_world *set, int substeps, tl_real h)
{
    set->substeps_left = substeps;
    set->pairs_valid = set->ccd_valid = set->predicted = false;
    for (int k = 0; k < set->pair_count; ++k)
        set->pair[k].queried = false;
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            tl_predict_begin_frame(set->mesh[k], h);
    set->rebuilds = 0;
}

void tl_broad_phase_begin_substep(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            tl_predict_begin_substep(set->mesh[k]);
    ++set->age;
    --set->substeps_left;
}

/* ---- candidates ----------------------------------------------------------------------------------------------- */

static void find_all(tl_contact_world *set)
{
    tl_predict_all(set, set->substeps_left + 1);
    for (int k = 0; k < set->pair_count; ++k)
        if (tl_is_cloth_pair(set, &set->pair[k]))
            tl_broad_phase_find(set, &set->pair[k]);
    set->pairs_valid = true;
    set->ccd_valid = false;
    ++set->rebuilds;
}

bool tl_broad_phase_update(tl_contact_world *set)
{
    if (!set->has_layers || (set->pairs_valid && tl_broad_phase_holds(set)))
        return false;
    if (!tl_broad_phase_requery(set))
        find_all(set);
    return true;
}
