/* Boxes around the ways that particles may go during the life of the lists: of particles, of faces and what each stands
   for, and of the tree around these. */
#include "contact/broad_phase/swept_bounds.h"

unsigned tl_bent_edges(const tl_contact_mesh *s, tl_real *const x[3], int f, tl_real gap)
{
    unsigned edges = 0;
    const tl_mesh *mesh = s->mesh;
    for (int k = 0; k < 3; ++k) {
        int half = 3 * f + k, twin = mesh->twin[half];
        if (!(s->owned[f] >> (3 + k) & 1))
            continue;
        bool bent = twin < 0;
        if (!bent) { /* a quarter of the length times the sine of the angle is about what the middle stands out */
            tl_vec3 a = tl_at(x, mesh->face[half]), along = tl_sub(tl_at(x, mesh->face[tl_half_next(half)]), a);
            tl_vec3 m = tl_cross(along, tl_sub(tl_at(x, mesh->face[tl_half_prev(half)]), a));
            tl_vec3 n = tl_cross(tl_sub(tl_at(x, mesh->face[tl_half_prev(twin)]), a), along), bend = tl_cross(m, n);
            tl_real sizes = tl_dot(m, m) * tl_dot(n, n), limit = 4 * TL_FLAT_HEIGHT * gap;
            bent = tl_dot(m, n) <= 0 || tl_dot(bend, bend) * tl_dot(along, along) > limit * limit * sizes;
        }
        edges |= bent ? 8u << k : 0;
    }
    return edges;
}

void tl_swept_bounds_release(tl_swept_bounds *fit, const tl_allocator *allocator)
{
    tl_release(allocator, fit->box);
    tl_release(allocator, fit->bent);
    *fit = (tl_swept_bounds){0};
}

static void fit_particle(tl_swept_bounds *fit, int i)
{
    const tl_contact_mesh *s = fit->mesh;
    tl_real around = fit->margin + s->query.tolerance[i];
    for (int c = 0; c < 3; ++c) {
        tl_real from = s->query.start[c][i], to = s->query.predicted_end[c][i];
        fit->box[i].low[c] = tl_min(from, to) - around;
        fit->box[i].high[c] = tl_max(from, to) + around;
    }
}

/* A box around others. */
typedef struct hull {
    tl_box box;
    bool any;
} hull;

static void include(hull *all, const tl_box *box)
{
    if (all->any)
        tl_box_join(&all->box, box);
    else
        all->box = *box;
    all->any = true;
}

static void fit_edges(tl_swept_bounds *fit, int f)
{
    const tl_contact_mesh *s = fit->mesh;
    const int *p = s->mesh->face + 3 * (size_t)f;
    hull all = {.any = false};
    if (fit->bent)
        fit->bent[f] = (unsigned char)tl_bent_edges(s, s->x_old, f, fit->gap);
    for (int k = 0; k < 3; ++k)
        if (fit->edges[f] >> (3 + k) & 1) {
            include(&all, &fit->box[p[k]]);
            include(&all, &fit->box[p[(k + 1) % 3]]);
        }
    tl_bvh_set_part(fit->tree, TL_PART_EDGES, f, all.any ? &all.box : NULL);
}

static void fit_points(tl_swept_bounds *fit, int f)
{
    const int *p = fit->mesh->mesh->face + 3 * (size_t)f;
    hull all = {.any = false};
    for (int k = 0; k < 3; ++k)
        if (fit->mesh->owned[f] >> k & 1)
            include(&all, &fit->box[p[k]]);
    tl_bvh_set_part(fit->tree, TL_PART_POINTS, f, all.any ? &all.box : NULL);
}

/* The face at the start of the substep: what crosses is looked for there. */
static void fit_tight(tl_swept_bounds *fit, int f)
{
    const tl_contact_mesh *s = fit->mesh;
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_box box;
    for (int c = 0; c < 3; ++c) {
        tl_real a = s->x_old[c][p[0]], b = s->x_old[c][p[1]], d = s->x_old[c][p[2]];
        box.low[c] = tl_min(tl_min(a, b), d);
        box.high[c] = tl_max(tl_max(a, b), d);
    }
    tl_bvh_set_part(fit->tree, TL_PART_TIGHT, f, &box);
}

/* The face as it is listed, for searches that come by. */
static void lay_tile(tl_contact_mesh *s, int f)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_face_bounds *tile = &s->query.face[f];
    tl_vec3 way[3], mean = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        tile->corner[k] = tl_at(s->query.start, p[k]);
        way[k] = tl_sub(tl_at(s->query.predicted_end, p[k]), tile->corner[k]);
        mean = tl_madd(mean, way[k], (tl_real)(1.0 / 3));
    }
    tl_real square = 0, slack = 0;
    for (int k = 0; k < 3; ++k) {
        tl_vec3 off = tl_sub(way[k], mean);
        square = tl_max(square, tl_dot(off, off));
        slack = tl_max(slack, s->query.tolerance[p[k]]);
    }
    tile->normal = tl_triangle_normal(tile->corner);
    tile->height = tl_dot(tile->normal, tile->corner[0]);
    tile->motion = mean;
    tile->spread = sqrt(square) + slack;
}

static void tell_parts(void *user, int f)
{
    tl_swept_bounds *fit = user;
    lay_tile(fit->mesh, f);
    fit_points(fit, f);
    fit_edges(fit, f);
    if (fit->crossings)
        fit_tight(fit, f);
    else
        tl_bvh_set_part(fit->tree, TL_PART_TIGHT, f, NULL);
}

bool tl_swept_bounds_create(tl_swept_bounds *fit, tl_contact_mesh *s, tl_bvh *tree, tl_bounds_edges edges,
                            const tl_allocator *allocator)
{
    size_t points = (size_t)s->mesh->particle_count, faces = (size_t)s->mesh->face_count, before = tree->bytes;
    *fit = (tl_swept_bounds){.mesh = s, .tree = tree, .margin = -1, .marked = -1};
    fit->box = tl_allocate(allocator, points, sizeof *fit->box);
    if (edges == TL_EDGES_BENT)
        fit->bent = tl_allocate(allocator, faces, 1);
    fit->edges = edges == TL_EDGES_BENT ? fit->bent : s->owned;
    bool made = fit->box && fit->edges && tl_bvh_add_parts(tree, tell_parts, fit, allocator);
    if (made)
        s->bytes += points * sizeof *fit->box + (fit->bent ? faces : 0) + tree->bytes - before;
    else
        tl_swept_bounds_release(fit, allocator);
    return made;
}

void tl_swept_bounds_fit(tl_swept_bounds *fit, tl_real gap, tl_real margin)
{
    if (fit->margin == margin && fit->gap == gap)
        return;
    fit->margin = margin;
    fit->gap = gap;
    for (int i = 0; i < fit->mesh->mesh->particle_count; ++i)
        fit_particle(fit, i);
    tl_bvh_fit_points(fit->tree, fit->box);
    tl_bvh_forget_parts(fit->tree);
}

/* What of a face with a particle stale is elsewhere: bits of tl_astray. */
static unsigned astray_of(const tl_contact_mesh *s, int f)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    unsigned stale = TL_STALE_FACE;
    for (int k = 0; k < 3; ++k) {
        bool here = s->mark[p[k]] & TL_STALE, next = s->mark[p[(k + 1) % 3]] & TL_STALE;
        stale |= here && s->owned[f] >> k & 1 ? TL_STALE_POINTS : 0;
        stale |= (here || next) && s->owned[f] >> (3 + k) & 1 ? TL_STALE_EDGES : 0;
    }
    return stale;
}

void tl_swept_bounds_fit_stale(tl_swept_bounds *fit, tl_real gap, tl_real margin, const unsigned char *lively)
{
    tl_contact_mesh *s = fit->mesh;
    tl_swept_bounds_fit(fit, gap, margin);
    if (fit->marked == margin) /* for another group */
        return;
    fit->marked = margin;
    for (int k = 0; k < s->query.stale_count; ++k) {
        const int f = s->query.stale[k], *p = s->mesh->face + 3 * (size_t)f;
        for (int c = 0; c < 3; ++c)
            fit_particle(fit, p[c]);
        tl_box box = fit->box[p[0]];
        tl_box_join(&box, &fit->box[p[1]]);
        tl_box_join(&box, &fit->box[p[2]]);
        tl_bvh_mark(fit->tree, f, astray_of(s, f), &box, s->query.start, lively && lively[f]);
    }
    if (fit->crossings)
        tl_bvh_forget_parts(fit->tree); /* faces that could cross are elsewhere */
}
