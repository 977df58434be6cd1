/* Bounds around the predicted motion of particles during the life of candidates: of particles, of faces and the
   features they represent, and of the tree around them. */
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
        if (!bent) { /* the middle stands out by about a quarter of the length times the sine of the angle */
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

void tl_swept_bounds_release(tl_swept_bounds *bounds, const tl_allocator *allocator)
{
    tl_release(allocator, bounds->box);
    tl_release(allocator, bounds->bent);
    *bounds = (tl_swept_bounds){0};
}

static void fit_particle(tl_swept_bounds *bounds, int i)
{
    const tl_contact_mesh *s = bounds->mesh;
    tl_real around = bounds->margin + s->query.tolerance[i];
    for (int c = 0; c < 3; ++c) {
        tl_real from = s->query.start[c][i], to = s->query.predicted_end[c][i];
        bounds->box[i].low[c] = tl_min(from, to) - around;
        bounds->box[i].high[c] = tl_max(from, to) + around;
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

static void fit_edges(tl_swept_bounds *bounds, int f)
{
    const tl_contact_mesh *s = bounds->mesh;
    const int *p = s->mesh->face + 3 * (size_t)f;
    hull all = {.any = false};
    if (bounds->bent)
        bounds->bent[f] = (unsigned char)tl_bent_edges(s, s->x_old, f, bounds->gap);
    for (int k = 0; k < 3; ++k)
        if (bounds->edges[f] >> (3 + k) & 1) {
            include(&all, &bounds->box[p[k]]);
            include(&all, &bounds->box[p[(k + 1) % 3]]);
        }
    tl_bvh_set_part(bounds->tree, TL_PART_EDGES, f, all.any ? &all.box : NULL);
}

static void fit_points(tl_swept_bounds *bounds, int f)
{
    const int *p = bounds->mesh->mesh->face + 3 * (size_t)f;
    hull all = {.any = false};
    for (int k = 0; k < 3; ++k)
        if (bounds->mesh->owned[f] >> k & 1)
            include(&all, &bounds->box[p[k]]);
    tl_bvh_set_part(bounds->tree, TL_PART_POINTS, f, all.any ? &all.box : NULL);
}

/* The face at the start of the substep: crossings are searched there. */
static void fit_tight(tl_swept_bounds *bounds, int f)
{
    const tl_contact_mesh *s = bounds->mesh;
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_box box;
    for (int c = 0; c < 3; ++c) {
        tl_real a = s->x_old[c][p[0]], b = s->x_old[c][p[1]], d = s->x_old[c][p[2]];
        box.low[c] = tl_min(tl_min(a, b), d);
        box.high[c] = tl_max(tl_max(a, b), d);
    }
    tl_bvh_set_part(bounds->tree, TL_PART_TIGHT, f, &box);
}

/* The face at the query. */
static void fit_face(tl_contact_mesh *s, int f)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_face_bounds *face = &s->query.face[f];
    tl_vec3 motion[3], mean = {0, 0, 0};
    for (int k = 0; k < 3; ++k) {
        face->corner[k] = tl_at(s->query.start, p[k]);
        motion[k] = tl_sub(tl_at(s->query.predicted_end, p[k]), face->corner[k]);
        mean = tl_madd(mean, motion[k], (tl_real)(1.0 / 3));
    }
    tl_real square = 0, tolerance = 0;
    for (int k = 0; k < 3; ++k) {
        tl_vec3 off = tl_sub(motion[k], mean);
        square = tl_max(square, tl_dot(off, off));
        tolerance = tl_max(tolerance, s->query.tolerance[p[k]]);
    }
    face->normal = tl_triangle_normal(face->corner);
    face->height = tl_dot(face->normal, face->corner[0]);
    face->motion = mean;
    face->spread = sqrt(square) + tolerance;
}

static void fit_parts(void *user, int f)
{
    tl_swept_bounds *bounds = user;
    fit_face(bounds->mesh, f);
    fit_points(bounds, f);
    fit_edges(bounds, f);
    if (bounds->crossings)
        fit_tight(bounds, f);
    else
        tl_bvh_set_part(bounds->tree, TL_PART_TIGHT, f, NULL);
}

bool tl_swept_bounds_create(tl_swept_bounds *bounds, tl_contact_mesh *s, tl_bvh *tree, tl_bounds_edges edges,
                            const tl_allocator *allocator)
{
    size_t points = (size_t)s->mesh->particle_count, faces = (size_t)s->mesh->face_count, before = tree->bytes;
    *bounds = (tl_swept_bounds){.mesh = s, .tree = tree, .margin = -1, .marked = -1};
    bounds->box = tl_allocate(allocator, points, sizeof *bounds->box);
    if (edges == TL_EDGES_BENT)
        bounds->bent = tl_allocate(allocator, faces, 1);
    bounds->edges = edges == TL_EDGES_BENT ? bounds->bent : s->owned;
    bool made = bounds->box && bounds->edges && tl_bvh_add_parts(tree, fit_parts, bounds, allocator);
    if (made)
        s->bytes += points * sizeof *bounds->box + (bounds->bent ? faces : 0) + tree->bytes - before;
    else
        tl_swept_bounds_release(bounds, allocator);
    return made;
}

void tl_swept_bounds_fit(tl_swept_bounds *bounds, tl_real gap, tl_real margin)
{
    if (bounds->margin == margin && bounds->gap == gap)
        return;
    bounds->margin = margin;
    bounds->gap = gap;
    for (int i = 0; i < bounds->mesh->mesh->particle_count; ++i)
        fit_particle(bounds, i);
    tl_bvh_fit_points(bounds->tree, bounds->box);
    tl_bvh_forget_parts(bounds->tree);
}

/* Stale parts of a face with a stale particle: bits of tl_stale_part. */
static unsigned stale_parts_of(const tl_contact_mesh *s, int f)
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

void tl_swept_bounds_fit_stale(tl_swept_bounds *bounds, tl_real gap, tl_real margin, const unsigned char *may_fold)
{
    tl_contact_mesh *s = bounds->mesh;
    tl_swept_bounds_fit(bounds, gap, margin);
    if (bounds->marked == margin) /* for another pair */
        return;
    bounds->marked = margin;
    for (int k = 0; k < s->query.stale_count; ++k) {
        const int f = s->query.stale[k], *p = s->mesh->face + 3 * (size_t)f;
        for (int c = 0; c < 3; ++c)
            fit_particle(bounds, p[c]);
        tl_box box = bounds->box[p[0]];
        tl_box_join(&box, &bounds->box[p[1]]);
        tl_box_join(&box, &bounds->box[p[2]]);
        tl_bvh_mark(bounds->tree, f, stale_parts_of(s, f), &box, s->query.start, may_fold && may_fold[f]);
    }
    if (bounds->crossings)
        tl_bvh_forget_parts(bounds->tree); /* faces that could cross have moved */
}
