/* Boxes around the ways that particles may go during the life of the lists: of particles, of faces and what each stands
   for, and of the tree around these. */
#include "contact/fit.h"

#include "contact/pairs.h"

bool tl_fit_make(tl_fit *fit, tl_surface *s, tl_bvh *tree, tl_fit_edges edges, const tl_allocator *allocator)
{
    size_t points = (size_t)s->mesh->particle_count, faces = (size_t)s->mesh->face_count, before = tree->bytes;
    *fit = (tl_fit){.tree = tree, .margin = -1, .marked = -1};
    fit->box = tl_allocate(allocator, points, sizeof *fit->box);
    if (edges == TL_EDGES_BENT)
        fit->bent = tl_allocate(allocator, faces, 1);
    fit->edges = edges == TL_EDGES_BENT ? fit->bent : s->owned;
    bool made = fit->box && fit->edges && tl_bvh_add_parts(tree, allocator);
    if (made)
        s->bytes += points * sizeof *fit->box + (fit->bent ? faces : 0) + tree->bytes - before;
    return made;
}

void tl_fit_release(tl_fit *fit, const tl_allocator *allocator)
{
    tl_release(allocator, fit->box);
    tl_release(allocator, fit->bent);
    *fit = (tl_fit){0};
}

static void fit_particle(const tl_surface *s, tl_fit *fit, int i)
{
    tl_real around = fit->margin + s->slack[i];
    for (int c = 0; c < 3; ++c) {
        tl_real from = s->listed[c][i], to = s->ahead[c][i];
        fit->box[i].low[c] = tl_min(from, to) - around;
        fit->box[i].high[c] = tl_max(from, to) + around;
    }
}

static void fit_edges(tl_surface *s, tl_fit *fit, int f)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    if (fit->bent)
        fit->bent[f] = (unsigned char)tl_bent_edges(s, s->x_old, f, fit->gap);
    tl_box around;
    bool any = false;
    for (int k = 0; k < 3; ++k)
        if (fit->edges[f] >> (3 + k) & 1) {
            tl_box edge = fit->box[p[k]];
            tl_box_join(&edge, &fit->box[p[(k + 1) % 3]]);
            if (any)
                tl_box_join(&edge, &around);
            around = edge;
            any = true;
        }
    tl_bvh_set_part(fit->tree, TL_PART_EDGES, f, any ? &around : NULL);
}

static void fit_points(const tl_surface *s, tl_fit *fit, int f)
{
    const int *p = s->mesh->face + 3 * (size_t)f;
    tl_box around;
    bool any = false;
    for (int k = 0; k < 3; ++k)
        if (s->owned[f] >> k & 1) {
            tl_box point = fit->box[p[k]];
            if (any)
                tl_box_join(&point, &around);
            around = point;
            any = true;
        }
    tl_bvh_set_part(fit->tree, TL_PART_POINTS, f, any ? &around : NULL);
}

/* Faces at the start of the substep: what crosses is looked for there. */
static void fit_tight(const tl_surface *s, tl_fit *fit)
{
    for (int k = 0; fit->crossings && k < s->mesh->face_count; ++k) {
        const int *p = s->mesh->face + 3 * (size_t)fit->tree->order[k];
        tl_box4 *four = &fit->tree->part[TL_PART_TIGHT][k / TL_BVH_LEAF];
        for (int c = 0; c < 3; ++c) {
            tl_real a = s->x_old[c][p[0]], b = s->x_old[c][p[1]], d = s->x_old[c][p[2]];
            four->low[c][k % TL_BVH_LEAF] = tl_min(tl_min(a, b), d);
            four->high[c][k % TL_BVH_LEAF] = tl_max(tl_max(a, b), d);
        }
    }
}

void tl_fit_all(tl_surface *s, tl_fit *fit, tl_real gap, tl_real margin)
{
    if (fit->margin == margin && fit->gap == gap)
        return;
    fit->margin = margin;
    fit->gap = gap;
    for (int i = 0; i < s->mesh->particle_count; ++i)
        fit_particle(s, fit, i);
    tl_bvh_fit_points(fit->tree, fit->box);
    for (int f = 0; f < s->mesh->face_count; ++f) {
        fit_points(s, fit, f);
        fit_edges(s, fit, f);
    }
    fit_tight(s, fit);
}

void tl_fit_astray(tl_surface *s, tl_fit *fit, tl_real gap, tl_real margin, const unsigned char *lively)
{
    const tl_mesh *mesh = s->mesh;
    tl_fit_all(s, fit, gap, margin);
    if (fit->marked == margin) /* for another group */
        return;
    fit->marked = margin;
    for (int k = 0; k < s->astray_count; ++k) {
        const int f = s->astray[k], *p = mesh->face + 3 * (size_t)f;
        for (int c = 0; c < 3; ++c)
            fit_particle(s, fit, p[c]);
        tl_box box = fit->box[p[0]];
        tl_box_join(&box, &fit->box[p[1]]);
        tl_box_join(&box, &fit->box[p[2]]);
        tl_bvh_mark(fit->tree, f, &box, s->listed, lively && lively[f]);
        tl_surface_lay_tile(s, f);
    }
    for (int k = 0; k < s->astray_count; ++k) {
        int f = s->astray[k];
        fit_points(s, fit, f);
        fit_edges(s, fit, f);
        for (int c = 0; fit->bent && c < 3; ++c)
            if (mesh->twin[3 * f + c] >= 0)
                fit_edges(s, fit, tl_half_face(mesh->twin[3 * f + c]));
    }
    fit_tight(s, fit);
}
