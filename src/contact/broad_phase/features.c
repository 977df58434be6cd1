/* From faces to features. Pairs of near faces give every pair of features once, because each vertex and each edge is
   represented by one face (contact_mesh.c). A vector of them is tested at a time for whether the two can come within
   reach; what passes becomes a candidate or a CCD pair, in the order of the rows. */
#include "collide/mesh/nearest.h"
#include "contact/broad_phase/candidate.h"
#include "contact/cloth/untangle.h"
#include "core/bits.h"
#include "core/particles.h"

#include <string.h>

/* A face of one of the two meshes. Sets of its corners and edges are bits 0–2. */
typedef struct side {
    const tl_contact_mesh *mesh;
    int slot;
    int corner[3];
    unsigned own;    /* corners, and edges from bit 3 on, that it represents */
    unsigned marked; /* corners that are sought */
} side;

/* Two near faces, and what the search has found. */
typedef struct face_pair {
    const tl_feature_search *search;
    tl_mesh_pair *found;
    side a, b;
} face_pair;

static void set_side(side *s, const tl_feature_search *search, const tl_contact_mesh *mesh, int slot)
{
    const tl_tree_faces *faces = &mesh->query.tree.faces[slot / TL_TREE_WIDTH];
    int lane = slot % TL_TREE_WIDTH, p = faces->corner[0][lane], q = faces->corner[1][lane], r = faces->corner[2][lane];
    s->mesh = mesh;
    s->slot = slot;
    s->corner[0] = p;
    s->corner[1] = q;
    s->corner[2] = r;
    s->own = mesh->query.own[slot];
    s->marked = 7;
    if (search->only)
        s->marked = (mesh->mark[p] & search->only ? 1u : 0) | (mesh->mark[q] & search->only ? 2u : 0) |
                    (mesh->mark[r] & search->only ? 4u : 0);
}

/* Corners that another face of the same mesh has, too. */
static unsigned shared_corners(const side *s, const side *other)
{
    unsigned bits = 0;
    for (int k = 0; k < 3; ++k)
        bits |= (tl_has_corner(other->corner, s->corner[k]) ? 1u : 0) << k;
    return bits;
}

/* ---- pairs of features ---------------------------------------------------------------------------------------- */

enum { MOST_PAIRS = 15 }; /* of two faces: three vertices of each, and nine pairs of edges */

static tl_feature_pair *add_pair(tl_feature_list *list, tl_contact_kind kind, bool swapped, unsigned own)
{
    tl_feature_pair *pair = &list->pair[list->count++];
    pair->kind = (unsigned char)kind;
    pair->own = (unsigned char)own;
    pair->swapped = swapped;
    pair->near = false;
    return pair;
}

/* Vertices that face f represents against face g. `out`: those that stay beyond the plane of g. */
static void add_vertices(tl_feature_list *list, const side *f, const side *g, bool swapped, unsigned out)
{
    for (unsigned left = f->own & 7u & ~out & (g->marked ? 7u : f->marked); left; left &= left - 1) {
        tl_feature_pair *pair = add_pair(list, TL_VERTEX_FACE, swapped, g->own);
        pair->p[0] = f->corner[tl_lowest_bit(left)];
        for (int k = 0; k < 3; ++k)
            pair->p[k + 1] = g->corner[k];
    }
}

/* Corners at the ends of edges: edge k goes from corner k to the next. */
static unsigned next_corners(unsigned corners) { return corners >> 1 | (corners & 1) << 2; }

/* Edges that do not stay beyond a plane with both ends. */
static unsigned edges_within(unsigned edges, unsigned above, unsigned below)
{
    return edges >> 3 & 7u & ~(above & next_corners(above)) & ~(below & next_corners(below));
}

static void add_edges(tl_feature_list *list, const side *f, unsigned of_f, const side *g, unsigned of_g, bool share)
{
    unsigned sought_f = f->marked | next_corners(f->marked), sought_g = g->marked | next_corners(g->marked);
    for (; of_f; of_f &= of_f - 1) {
        int i = tl_lowest_bit(of_f), p[2] = {f->corner[i], f->corner[i == 2 ? 0 : i + 1]};
        for (unsigned left = sought_f >> i & 1 ? of_g : of_g & sought_g; left; left &= left - 1) {
            int j = tl_lowest_bit(left), q[2] = {g->corner[j], g->corner[j == 2 ? 0 : j + 1]};
            if (share && (p[0] == q[0] || p[0] == q[1] || p[1] == q[0] || p[1] == q[1]))
                continue;
            tl_feature_pair *pair = add_pair(list, TL_EDGE_EDGE, false, 0);
            pair->p[0] = p[0], pair->p[1] = p[1], pair->p[2] = q[0], pair->p[3] = q[1];
        }
    }
}

/* Bits of lane `lane` of three corners. */
static unsigned lane_bits(const unsigned char corner[3], int lane)
{
    return (corner[0] >> lane & 1u) | (corner[1] >> lane & 1u) << 1 | (corner[2] >> lane & 1u) << 2;
}

/* Bent edges count for contacts: two flat pieces whose vertices keep clear of each other keep clear as a whole. */
static unsigned edges_of(const tl_feature_search *search, const side *s, tl_real *const from[3])
{
    if (search->seek == TL_SEEK_CCD_PAIRS)
        return s->own;
    atomic_uchar *bent = &s->mesh->query.bent[s->slot];
    unsigned known = atomic_load_explicit(bent, memory_order_relaxed);
    if (!known) { /* another thread may find the same */
        known = TL_BENT_KNOWN | tl_bent_edges(s->mesh, from, s->mesh->query.tree.order[s->slot], search->gap);
        atomic_store_explicit(bent, (unsigned char)known, memory_order_relaxed);
    }
    return known;
}

/* ---- faces ---------------------------------------------------------------------------------------------------- */

static tl_vec3 normal_of(const side *s)
{
    const tl_tree_group *group = &s->mesh->query.tree.group[0][s->slot / TL_TREE_WIDTH];
    int lane = s->slot % TL_TREE_WIDTH;
    return tl_v3(group->normal[0][lane], group->normal[1][lane], group->normal[2][lane]);
}

static void add_folded(const face_pair *w, int particle)
{
    tl_mesh_pair *g = w->found;
    if (tl_grow(&w->search->set->allocator, &g->folded, g->folded_count, &g->folded_capacity, sizeof *g->folded))
        g->folded[g->folded_count++] = particle;
    else
        g->failed = true;
}

/* Faces with a common corner that bend by less than a right angle do not touch elsewhere, unless a cone of cloth winds
   around that corner: left to truncation. Where they bend by more, cloth is folded back around the corner. */
static bool only_neighbours(const face_pair *w, unsigned shared)
{
    bool bends_back = !(tl_dot(normal_of(&w->a), normal_of(&w->b)) > 0);
    for (; shared && bends_back; shared &= shared - 1)
        add_folded(w, w->a.corner[tl_lowest_bit(shared)]);
    return !bends_back;
}

/* Crossings are those at the start, which contact does not move. */
static bool finds_crossings(const tl_feature_search *search)
{
    return search->seek == TL_SEEK_CONTACTS && !search->only && !search->set->penetration_free;
}

/* Lanes of a row in which there is anything to list. */
static unsigned lanes_to_list(const face_pair *w, const tl_tree_row *row)
{
    const side *f = &w->a;
    const unsigned char *own = w->search->b->query.lanes[row->group];
    unsigned edges = edges_of(w->search, f, w->search->from[0]) >> 3, vertices = 0, of_f = 0, of_g = 0;
    for (int k = 0; k < 3; ++k) {
        int n = k == 2 ? 0 : k + 1;
        unsigned above_g = row->above[0][k], below_g = row->below[0][k], above_f = row->above[1][k],
                 below_f = row->below[1][k];
        vertices |= f->own >> k & 1 ? ~(above_g | below_g) : 0;
        vertices |= own[k] & ~(above_f | below_f);
        of_f |= edges >> k & 1 ? ~(above_g & row->above[0][n]) & ~(below_g & row->below[0][n]) : 0;
        of_g |= own[3 + k] & ~(above_f & row->above[1][n]) & ~(below_f & row->below[1][n]);
    }
    return row->lanes & (vertices | (of_f & of_g) | row->bends | (finds_crossings(w->search) ? row->pierce : 0u));
}

/* Features of face a of a row and the face in a lane of it. */
static void list_faces(face_pair *w, const tl_tree_row *row, int lane)
{
    const tl_feature_search *search = w->search;
    const side *f = &w->a, *g = &w->b;
    bool contacts = search->seek == TL_SEEK_CONTACTS;
    tl_feature_list *list = &w->found->listed[search->seek];
    set_side(&w->b, search, search->b, row->group * TL_TREE_WIDTH + lane);
    unsigned shared_f = search->a == search->b ? shared_corners(f, g) : 0;
    if (contacts && shared_f && only_neighbours(w, shared_f))
        return;
    while (list->count + MOST_PAIRS > list->capacity)
        if (!tl_grow(&search->set->allocator, &list->pair, list->capacity, &list->capacity, sizeof *list->pair)) {
            w->found->failed = true;
            return;
        }
    unsigned shared_g = shared_f ? shared_corners(g, f) : 0;
    unsigned above_g = lane_bits(row->above[0], lane), below_g = lane_bits(row->below[0], lane),
             above_f = lane_bits(row->above[1], lane), below_f = lane_bits(row->below[1], lane);
    add_vertices(list, f, g, false, above_g | below_g | shared_f);
    add_vertices(list, g, f, true, above_f | below_f | shared_g);
    unsigned of_f = edges_within(edges_of(search, f, search->from[0]), above_g, below_g);
    if (of_f)
        add_edges(list, f, of_f, g, edges_within(edges_of(search, g, search->from[1]), above_f, below_f), shared_f);
    if (finds_crossings(search) && row->pierce >> lane & 1)
        w->found->failed |= !tl_crossing_find(search->set, w->found, search->a->query.tree.order[f->slot],
                                              search->b->query.tree.order[g->slot]);
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
        face_pair w = {.search = search, .found = found};
        set_side(&w.a, search, search->a, row[k].slot);
        for (unsigned left = lanes_to_list(&w, &row[k]); left; left &= left - 1)
            list_faces(&w, &row[k], tl_lowest_bit(left));
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

/* Can two features at rest be that near? Not when two of their points are farther apart than that and the other points
   of each from them. */
static bool may_be_near(const tl_vec3 rest[4], int split, tl_real distance)
{
    tl_real reach = distance;
    for (int of = 0; of < 2; ++of) {
        tl_real square = 0;
        for (int k = of ? split + 1 : 1; k < (of ? 4 : split); ++k) {
            tl_vec3 along = tl_sub(rest[k], rest[of ? split : 0]);
            square = tl_max(square, tl_dot(along, along));
        }
        reach += sqrt(square);
    }
    tl_vec3 apart = tl_sub(rest[split], rest[0]);
    return tl_dot(apart, apart) < reach * reach;
}

/* Neighbours on a sheet are closer than the gap at rest: they keep less. */
static tl_real gap_of(const tl_contact_mesh *s, const tl_feature_pair *pair, tl_real gap)
{
    int split = pair->kind == TL_VERTEX_FACE ? 1 : 2;
    tl_vec3 rest[4];
    for (int k = 0; k < 4; ++k)
        rest[k] = s->mesh->position[pair->p[k]];
    if (!may_be_near(rest, split, gap / TL_NEIGHBOUR_GAP))
        return gap;
    return tl_min(gap, TL_NEIGHBOUR_GAP * tl_length(tl_nearest_features(rest, split)));
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
