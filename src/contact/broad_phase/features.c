/* From faces to features. Pairs of near faces give every pair of features once, because each vertex and each edge is
   represented by one face (contact_mesh.c). A vector of them is tested at a time for whether the two can come within
   reach; what passes becomes a candidate or a CCD pair, in the order of the rows. */
#include "collide/mesh/nearest.h"
#include "contact/broad_phase/candidate.h"
#include "contact/cloth/untangle.h"
#include "core/particles.h"

#include <string.h>

/* A search, the row it is at, and what it has found. */
typedef struct row_work {
    const tl_feature_search *search;
    const tl_tree_row *row;
    tl_mesh_pair *found;
} row_work;

/* ---- pairs of features ---------------------------------------------------------------------------------------- */

static void add_pair(const row_work *w, tl_contact_kind kind, bool swapped, unsigned own, const int p[4])
{
    const tl_feature_search *search = w->search;
    tl_feature_list *list = &w->found->listed[search->seek];
    const tl_contact_mesh *a = swapped ? search->b : search->a, *b = swapped ? search->a : search->b;
    if (search->only && !tl_features_marked(a, b, p, (unsigned char)kind, search->only))
        return;
    if (!tl_grow(&search->set->allocator, &list->pair, list->count, &list->capacity, sizeof *list->pair)) {
        w->found->failed = true;
        return;
    }
    list->pair[list->count++] =
        (tl_feature_pair){{p[0], p[1], p[2], p[3]}, (unsigned char)kind, (unsigned char)own, swapped, false};
}

/* Vertices that face f represents against face g. `out`: by corner, whether it stays beyond the plane of g. */
static void add_vertices(const row_work *w, const tl_contact_mesh *a, int f, const tl_contact_mesh *b, int g,
                         bool swapped, unsigned out)
{
    const int *F = a->mesh->face + 3 * (size_t)f, *G = b->mesh->face + 3 * (size_t)g;
    for (int k = 0; k < 3; ++k)
        if (a->owned[f] >> k & 1 && !(out >> k & 1) && !(a == b && tl_has_corner(G, F[k])))
            add_pair(w, TL_VERTEX_FACE, swapped, b->owned[g], (const int[4]){F[k], G[0], G[1], G[2]});
}

/* Edges of a face that count and do not stay beyond a plane with both ends: bits 0–2. */
static unsigned edges_within(unsigned edges, unsigned above, unsigned below)
{
    unsigned next_above = above >> 1 | (above & 1) << 2, next_below = below >> 1 | (below & 1) << 2;
    return edges >> 3 & 7u & ~(above & next_above) & ~(below & next_below);
}

static void add_edges(const row_work *w, int f, unsigned of_f, int g, unsigned of_g)
{
    const tl_contact_mesh *a = w->search->a, *b = w->search->b;
    const int *F = a->mesh->face + 3 * (size_t)f, *G = b->mesh->face + 3 * (size_t)g;
    for (int i = 0; of_f >> i; ++i)
        for (int j = 0; of_f >> i & 1 && of_g >> j; ++j) {
            const int p[4] = {F[i], F[i == 2 ? 0 : i + 1], G[j], G[j == 2 ? 0 : j + 1]};
            if (of_g >> j & 1 && !(a == b && (p[0] == p[2] || p[0] == p[3] || p[1] == p[2] || p[1] == p[3])))
                add_pair(w, TL_EDGE_EDGE, false, 0, p);
        }
}

/* Bits of lane `lane` of three corners. */
static unsigned lane_bits(const unsigned char corner[3], int lane)
{
    return (corner[0] >> lane & 1u) | (corner[1] >> lane & 1u) << 1 | (corner[2] >> lane & 1u) << 2;
}

/* Bent edges count for contacts: two flat pieces whose vertices keep clear of each other keep clear as a whole. */
static unsigned edges_of(const row_work *w, int side, int f)
{
    const tl_contact_mesh *s = side == 0 ? w->search->a : w->search->b;
    if (w->search->seek == TL_SEEK_CCD_PAIRS)
        return s->owned[f];
    unsigned known = atomic_load_explicit(&s->query.bent[f], memory_order_relaxed);
    if (!known) { /* another thread may find the same */
        known = TL_BENT_KNOWN | tl_bent_edges(s, w->search->from[side], f, w->search->gap);
        atomic_store_explicit(&s->query.bent[f], (unsigned char)known, memory_order_relaxed);
    }
    return known;
}

/* ---- faces ---------------------------------------------------------------------------------------------------- */

static tl_vec3 normal_of(const tl_contact_mesh *s, int slot)
{
    const tl_tree_group *group = &s->query.tree.group[0][slot / TL_TREE_WIDTH];
    int lane = slot % TL_TREE_WIDTH;
    return tl_v3(group->normal[0][lane], group->normal[1][lane], group->normal[2][lane]);
}

static void add_folded(const row_work *w, int particle)
{
    tl_mesh_pair *g = w->found;
    if (tl_grow(&w->search->set->allocator, &g->folded, g->folded_count, &g->folded_capacity, sizeof *g->folded))
        g->folded[g->folded_count++] = particle;
    else
        g->failed = true;
}

/* Faces with a common corner that bend by less than a right angle do not touch elsewhere, unless a cone of cloth winds
   around that corner: left to truncation. Where they bend by more, cloth is folded back around the corner. */
static bool only_neighbours(const row_work *w, int f, int slot, int g, int other)
{
    const tl_contact_mesh *s = w->search->a;
    const int *F = s->mesh->face + 3 * (size_t)f, *G = s->mesh->face + 3 * (size_t)g;
    int common = 0;
    for (int k = 0; k < 3; ++k)
        common += tl_has_corner(G, F[k]);
    if (common == 0)
        return false;
    bool bends_back = !(tl_dot(normal_of(s, slot), normal_of(s, other)) > 0);
    for (int k = 0; k < 3 && bends_back; ++k)
        if (tl_has_corner(G, F[k]))
            add_folded(w, F[k]);
    return !bends_back;
}

static void list_faces(const row_work *w, int lane)
{
    const tl_feature_search *search = w->search;
    const tl_contact_mesh *a = search->a, *b = search->b;
    const tl_tree_row *row = w->row;
    bool contacts = search->seek == TL_SEEK_CONTACTS;
    int slot = row->slot, other = row->group * TL_TREE_WIDTH + lane;
    int f = a->query.tree.order[slot], g = b->query.tree.order[other];
    if (contacts && a == b && only_neighbours(w, f, slot, g, other))
        return;
    unsigned above_g = lane_bits(row->above[0], lane), below_g = lane_bits(row->below[0], lane),
             above_f = lane_bits(row->above[1], lane), below_f = lane_bits(row->below[1], lane);
    add_vertices(w, a, f, b, g, false, above_g | below_g);
    add_vertices(w, b, g, a, f, true, above_f | below_f);
    unsigned of_f = edges_within(edges_of(w, 0, f), above_g, below_g);
    if (of_f)
        add_edges(w, f, of_f, g, edges_within(edges_of(w, 1, g), above_f, below_f));
    /* crossings are those at the start, which contact does not move */
    if (contacts && !search->only && !search->set->penetration_free && row->pierce >> lane & 1)
        w->found->failed |= !tl_crossing_find(search->set, w->found, f, g);
}

/* ---- tests ---------------------------------------------------------------------------------------------------- */

typedef struct test {
    tl_feature_motion motion;
    int index[TL_LANES], count;
} test;

static void flush(const tl_feature_search *search, test *t, tl_feature_pair *pair)
{
    unsigned near = TL_PICK_KERNEL(tl_features_near, search->set->lanes)(&t->motion, pair, t->index, t->count);
    for (int i = 0; i < t->count; ++i)
        pair[t->index[i]].near = near >> i & 1;
    t->count = 0;
}

/* Tests features: vertices of a, vertices of b, edges. */
static void test_all(const tl_feature_search *search, tl_feature_pair *pair, int pairs)
{
    test kind[3];
    for (int k = 0; k < 3; ++k) {
        const int a = k == 1, b = !a;
        kind[k].count = 0;
        kind[k].motion = (tl_feature_motion){.from = {search->from[a], search->from[b]},
                                             .to = {search->to[a], search->to[b]},
                                             .reach = search->tree.reach,
                                             .kind = k == 2 ? TL_EDGE_EDGE : TL_VERTEX_FACE,
                                             .anywhere = search->seek == TL_SEEK_CCD_PAIRS};
    }
    for (int k = 0; k < pairs; ++k) {
        test *t = &kind[pair[k].kind == TL_EDGE_EDGE ? 2 : pair[k].swapped];
        t->index[t->count++] = k;
        if (t->count == TL_LANES)
            flush(search, t, pair);
    }
    for (int k = 0; k < 3; ++k)
        if (kind[k].count > 0)
            flush(search, &kind[k], pair);
}

void tl_features_list(const tl_feature_search *search, const tl_tree_row *row, int count, tl_mesh_pair *found)
{
    tl_feature_list *list = &found->listed[search->seek];
    int first = list->count, kept = first;
    for (int k = 0; k < count; ++k) {
        const row_work w = {search, &row[k], found};
        for (int lane = 0; row[k].lanes >> lane; ++lane)
            if (row[k].lanes >> lane & 1)
                list_faces(&w, lane);
    }
    test_all(search, list->pair + first, list->count - first);
    for (int k = first; k < list->count; ++k)
        if (list->pair[k].near)
            list->pair[kept++] = list->pair[k];
    list->count = kept;
}

/* ---- candidates ----------------------------------------------------------------------------------------------- */

/* Largest displacement of a point of a relative to one of b in this substep, m. */
static tl_real closing_of(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], int split)
{
    tl_vec3 of_b[3];
    tl_real most = 0;
    for (int k = split; k < 4; ++k)
        of_b[k - split] = tl_sub(tl_at(b->query.sought, p[k]), tl_at(b->x_old, p[k]));
    for (int k = 0; k < split; ++k) {
        tl_vec3 of_a = tl_sub(tl_at(a->query.sought, p[k]), tl_at(a->x_old, p[k]));
        for (int j = 0; j < 4 - split; ++j) {
            tl_vec3 between = tl_sub(of_a, of_b[j]);
            most = tl_max(most, tl_dot(between, between));
        }
    }
    return sqrt(most);
}

/* Neighbours on a sheet are closer than the gap at rest: they keep less. */
static tl_real gap_of(const tl_contact_mesh *s, const tl_feature_pair *pair, tl_real gap)
{
    tl_vec3 rest[4];
    for (int k = 0; k < 4; ++k)
        rest[k] = s->mesh->position[pair->p[k]];
    tl_vec3 apart = tl_nearest_features(rest, pair->kind == TL_VERTEX_FACE ? 1 : 2);
    return tl_min(gap, TL_NEIGHBOUR_GAP * tl_length(apart));
}

static void consider(const tl_feature_search *search, const tl_feature_pair *pair, tl_mesh_pair *g)
{
    const tl_contact_mesh *a = pair->swapped ? search->b : search->a, *b = pair->swapped ? search->a : search->b;
    tl_contact contact = {
        .a = (short)(pair->swapped ? g->b : g->a), .b = (short)(pair->swapped ? g->a : g->b), .kind = pair->kind};
    memcpy(contact.p, pair->p, sizeof contact.p);
    tl_separation start;
    tl_contact_separation(search->set, &contact, &start);
    tl_real closing = closing_of(a, b, pair->p, pair->kind == TL_VERTEX_FACE ? 1 : 2);
    if (!tl_contact_is_candidate(&contact, &start, g->gap, g->margin + closing, pair->own))
        return;
    contact.gap = a == b ? gap_of(a, pair, g->gap) : g->gap;
    if (start.distance - closing > contact.gap + g->margin) /* neighbours with less of a gap */
        return;
    contact.fast = closing > contact.gap;
    contact.near = start.distance < TL_NEAR_RATIO * contact.gap;
    g->failed |= !tl_contact_add(search->set, g, &contact);
}

static void add_ccd(const tl_feature_search *search, const tl_feature_pair *pair, tl_mesh_pair *g)
{
    if (!tl_grow(&search->set->allocator, &g->ccd, g->ccd_count, &g->ccd_capacity, sizeof *g->ccd)) {
        g->failed = true;
        return;
    }
    tl_ccd_pair *ccd = &g->ccd[g->ccd_count++];
    *ccd = (tl_ccd_pair){
        .a = (short)(pair->swapped ? g->b : g->a), .b = (short)(pair->swapped ? g->a : g->b), .kind = pair->kind};
    memcpy(ccd->p, pair->p, sizeof ccd->p);
}

/* Is it sought? */
static bool is_selected(const tl_feature_search *search, const tl_feature_pair *pair)
{
    return !search->only ||
           tl_features_marked(pair->swapped ? search->b : search->a, pair->swapped ? search->a : search->b, pair->p,
                              pair->kind, search->only);
}

void tl_features_take(const tl_feature_search *search, bool known, tl_feature_pair *pair, int count,
                      tl_mesh_pair *found)
{
    if (!known)
        test_all(search, pair, count);
    for (int k = 0; k < count; ++k)
        if ((known || pair[k].near) && is_selected(search, &pair[k]))
            (search->seek == TL_SEEK_CONTACTS ? consider : add_ccd)(search, &pair[k], found);
}
