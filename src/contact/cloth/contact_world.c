/* The meshes that meet: what each needs beside its triangles, which ones are paired, and the start of a frame. */
#include "contact/cloth/contact_world.h"

#include "contact/broad_phase/broad_phase.h"
#include "contact/cloth/path_length.h"
#include "contact/cloth/shock_propagation.h"

#include <string.h>

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

/* Every particle and every edge belongs to exactly one of its faces, so that pairs of faces give every pair of features
   once (Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
   representative-triangles"). */
static void assign_features(tl_contact_mesh *s)
{
    const tl_mesh *mesh = s->mesh;
    for (int p = 0; p < mesh->particle_count; ++p)
        if (mesh->particle_face_start[p] < mesh->particle_face_start[p + 1]) {
            int half = mesh->particle_face[mesh->particle_face_start[p]];
            s->owned[tl_half_face(half)] |= (unsigned char)(1 << half % 3);
        }
    for (int e = 0; e < mesh->edge_count; ++e) {
        int half = mesh->edge_half[e];
        s->owned[tl_half_face(half)] |= (unsigned char)(8 << half % 3);
    }
}

static tl_real mean_edge(const tl_mesh *mesh)
{
    double sum = 0;
    for (int e = 0; e < mesh->edge_count; ++e)
        sum += (double)mesh->edge_length[e];
    return mesh->edge_count > 0 ? (tl_real)(sum / mesh->edge_count) : 0;
}

/* The shape of the tree comes from the mesh, not from the present state: a world that is restored has the same. */
static bool build_tree(tl_contact_mesh *s, const tl_allocator *allocator)
{
    const tl_mesh *mesh = s->mesh;
    tl_real *x[3] = {0};
    bool made = true;
    for (int c = 0; c < 3; ++c)
        made = (x[c] = tl_allocate(allocator, (size_t)mesh->particle_count, sizeof(tl_real))) && made;
    for (int p = 0; made && p < mesh->particle_count; ++p)
        tl_put(x, p, mesh->position[p]);
    made = made && tl_bvh_build(&s->tree, allocator, mesh->face, mesh->face_count, x);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, x[c]);
    return made;
}

static void release(tl_contact_mesh *s, const tl_allocator *allocator)
{
    if (!s)
        return;
    tl_mesh_query_release(s, allocator);
    tl_bvh_destroy(&s->tree, allocator);
    tl_release(allocator, s->owned);
    tl_release(allocator, s->mark);
    tl_release(allocator, s->stack_level);
    tl_release(allocator, s->last_pressure);
    tl_release(allocator, s->path_length);
    tl_release(allocator, s->touched);
    tl_release(allocator, s->allowed);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, s->noted_x[c]);
    tl_release(allocator, s);
}

tl_contact_mesh *tl_contact_world_add(tl_contact_world *set, const tl_mesh *mesh)
{
    const tl_allocator *allocator = &set->allocator;
    tl_contact_mesh *s = tl_allocate(allocator, 1, sizeof *s);
    if (!s)
        return NULL;
    s->mesh = mesh;
    s->mean_edge = mean_edge(mesh);
    size_t points = (size_t)mesh->particle_count, blocks = points / TL_CONTACT_MESH_BLOCK + 1;
    s->owned = tl_allocate(allocator, (size_t)mesh->face_count, 1);
    s->mark = tl_allocate(allocator, points, 1);
    s->stack_level = tl_allocate(allocator, points, 1);
    s->last_pressure = tl_allocate(allocator, points, sizeof(tl_real));
    s->path_length = tl_allocate(allocator, points, sizeof(tl_real));
    s->touched = tl_allocate(allocator, blocks, 1);
    bool made = s->owned && s->mark && s->stack_level && s->last_pressure && s->path_length && s->touched;
    for (int c = 0; c < 3; ++c)
        made = (s->noted_x[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
    if (!made || !build_tree(s, allocator) || !tl_mesh_query_create(s, allocator) ||
        !tl_grow(allocator, &set->mesh, set->count, &set->capacity, sizeof *set->mesh)) {
        release(s, allocator);
        return NULL;
    }
    s->bytes += sizeof *s + (size_t)mesh->face_count + points * (2 + sizeof(int) + 5 * sizeof(tl_real)) + blocks +
                s->tree.bytes;
    assign_features(s);
    set->mesh[set->count++] = s;
    return s;
}

void tl_contact_mesh_unmark(tl_contact_mesh *s, tl_mark mark)
{
    unsigned char *bits = s->mark, keep = (unsigned char)~mark;
    for (int i = 0, count = s->mesh->particle_count; i < count; ++i)
        bits[i] &= keep;
}

/* ---- pairs ---------------------------------------------------------------------------------------------------- */

void tl_mesh_pair_release(const tl_contact_world *set, tl_mesh_pair *g)
{
    tl_release(&set->allocator, g->contact);
    tl_release(&set->allocator, g->near);
    tl_release(&set->allocator, g->crossing);
    tl_release(&set->allocator, g->ccd);
    tl_release(&set->allocator, g->probe);
    *g = (tl_mesh_pair){0};
}

static void release_pairs(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        tl_mesh_pair_release(set, &set->pair[k]);
    set->pair_count = 0;
}

void tl_contact_world_destroy(tl_contact_world *set)
{
    release_pairs(set);
    tl_broad_phase_release(set);
    for (int s = 0; s < set->count; ++s)
        release(set->mesh[s], &set->allocator);
    tl_release(&set->allocator, set->mesh);
    tl_release(&set->allocator, set->pair);
    tl_release(&set->allocator, set->plane);
    tl_release(&set->allocator, set->resting);
    tl_release(&set->allocator, set->row);
    tl_release(&set->allocator, set->last_moved_sweep);
    *set = (tl_contact_world){.allocator = set->allocator};
}

static bool add_pair(tl_contact_world *set, int a, int b)
{
    if (!tl_grow(&set->allocator, &set->pair, set->pair_count, &set->pair_capacity, sizeof *set->pair))
        return false;
    const tl_contact_mesh *s = set->mesh[a], *other = set->mesh[b];
    tl_real gap = other->is_cloth ? (s->gap + other->gap) / 2 : s->thickness;
    tl_real edge = tl_min(s->mean_edge, other->mean_edge);
    tl_real margin = tl_max(TL_MARGIN_OF_GAP * gap, TL_MARGIN_OF_EDGE * edge);
    set->pair[set->pair_count++] = (tl_mesh_pair){.a = a, .b = b, .gap = gap, .margin = margin};
    return true;
}

/* One array for all surfaces. */
static bool make_sweep_marks(tl_contact_world *set)
{
    size_t total = 0;
    for (int k = 0; k < set->count; ++k)
        total += (size_t)set->mesh[k]->mesh->particle_count;
    tl_release(&set->allocator, set->last_moved_sweep);
    set->last_moved_sweep = tl_allocate(&set->allocator, total, sizeof *set->last_moved_sweep);
    int first = 0;
    for (int k = 0; set->last_moved_sweep && k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        s->first = first;
        s->last_moved_sweep = set->last_moved_sweep + first;
        first += s->mesh->particle_count;
    }
    return set->last_moved_sweep;
}

bool tl_contact_world_pair_up(tl_contact_world *set)
{
    release_pairs(set);
    set->has_layers = false;
    if (!make_sweep_marks(set) || !tl_broad_phase_prepare(set))
        return false;
    for (int k = 0; k < set->count; ++k)
        set->mesh[k]->paired = false;
    for (int a = 0; a < set->count; ++a)
        for (int b = a; b < set->count; ++b) {
            int cloth = set->mesh[a]->is_cloth ? a : b, other = cloth == a ? b : a;
            const tl_contact_mesh *s = set->mesh[cloth], *o = set->mesh[other];
            bool meet = s->is_cloth && (o->is_cloth ? s->self_collides && o->self_collides : s->bodies && o->bodies);
            if (!meet)
                continue;
            if (!add_pair(set, cloth, other))
                return false;
            set->mesh[a]->paired = set->mesh[b]->paired = true;
            set->has_layers |= o->is_cloth;
        }
    return true;
}

/* ---- bodies of triangles -------------------------------------------------------------------------------------- */

static tl_barrier_cloth barrier_view(tl_contact_mesh *s)
{
    return (tl_barrier_cloth){.mesh = s->mesh,
                              .count = s->mesh->particle_count,
                              .x = s->x,
                              .x_old = s->x_old,
                              .v = s->v,
                              .w = s->w,
                              .pressure = s->pressure,
                              .touched = s->touched,
                              .mark = s->mark,
                              .thickness = s->thickness,
                              .friction = s->friction};
}

void tl_contacts_expel(tl_contact_world *set, bool only_deforming)
{
    for (int k = 0; k < set->pair_count; ++k) {
        tl_barrier *barrier = set->mesh[set->pair[k].b]->barrier;
        tl_barrier_cloth cloth = barrier_view(set->mesh[set->pair[k].a]);
        if (barrier && (barrier->deforms || !only_deforming))
            tl_barrier_expel(barrier, &cloth);
    }
}

bool tl_contacts_hold_back(tl_contact_world *set, bool revert)
{
    bool any = false;
    for (int k = 0; k < set->pair_count; ++k) {
        tl_contact_mesh *body = set->mesh[set->pair[k].b];
        tl_barrier_cloth cloth = barrier_view(set->mesh[set->pair[k].a]);
        if (!body->barrier || !tl_barrier_hold(body->barrier, &cloth, set->h, set->rest_speed, revert))
            continue;
        any = true;
        body->impulse = tl_add(body->impulse, body->barrier->impulse);
        body->moment = tl_add(body->moment, body->barrier->moment);
    }
    return any;
}

void tl_contacts_begin_frame(tl_contact_world *set, int substeps, tl_real h)
{
    tl_contacts_expel(set, false);
    set->failed = false;
    tl_path_lengths_clear(set);
    tl_broad_phase_begin_frame(set, substeps, h);
    tl_stack_levels_clear(set);
    set->truncated = 0;
}
