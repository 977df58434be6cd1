/* Candidates of a cloth and a body made of triangles. Cloth is transformed to the body's frame, where the body's
   tree stays as it is however it moves. Every particle has room to move around its position at the query; while it
   stays within, the candidates of its faces are valid, and a contact sleeps until a particle has moved far enough
   for it to touch. A particle that leaves its room gets a new one, and its faces query the tree again: for what is
   within the gap and their room. */
#include "collide/mesh/nearest.h"
#include "collide/mesh/octree.h"
#include "contact/broad_phase/candidate.h"
#include "contact/cloth/untangle.h"

#include <string.h>

/* A particle of cloth in the body's frame. Distances include the motion of the body's points there. */
struct tl_body_query {
    tl_vec3 queried_at; /* m, position at the query */
    tl_vec3 start;      /* m, at the start of the substep */
    tl_real room;       /* m, distance from there that the candidates allow */
    tl_real moved, now; /* m, distance from there at the start and at the end of the substep */
    tl_real step;       /* m, displacement in the substep */
    tl_real stirred;    /* m, of the body at the query */
    bool stale;
};

typedef struct query {
    tl_contact_world *set;
    tl_mesh_pair *group;
    tl_contact_mesh *cloth, *body;
    const tl_bvh *tree;
    tl_real *const *sharp_x; /* positions of the body for its bent edges */
    int f;                   /* face of cloth */
    int particle[3];
    tl_real soon;  /* m, by which that face can approach, largest of its particles */
    tl_real moved; /* m, by which it has moved already, largest of its particles */
    tl_slab slab;
    tl_box around[3]; /* of its corners, each with its own room */
    tl_real flat;     /* m, distance from the plane of that face within which faces of the body can cross it */
} query;

/* ---- room to move --------------------------------------------------------------------------------------------- */

typedef struct body_frame {
    tl_vec3 axis[3], position;
} body_frame;

static body_frame frame_of(tl_pose pose)
{
    return (body_frame){{tl_rotate(pose.rotation, tl_v3(1, 0, 0)), tl_rotate(pose.rotation, tl_v3(0, 1, 0)),
                         tl_rotate(pose.rotation, tl_v3(0, 0, 1))},
                        pose.position};
}

static tl_vec3 to_local(const body_frame *frame, tl_vec3 x)
{
    tl_vec3 d = tl_sub(x, frame->position);
    return tl_v3(tl_dot(frame->axis[0], d), tl_dot(frame->axis[1], d), tl_dot(frame->axis[2], d));
}

static void give_room(const query *q, tl_body_query *probe, tl_real stirred)
{
    tl_real far = sqrt(tl_box_square(&q->tree->node[0].box, probe->start)) - q->group->gap;
    probe->stale = true;
    probe->queried_at = probe->start;
    probe->stirred = stirred;
    probe->moved = 0;
    probe->now = probe->step;
    probe->room = tl_max(tl_max(q->group->margin, TL_ROOM_SUBSTEPS * probe->step), TL_ROOM_FRACTION * far);
}

/* Tracks all particles in this substep. Returns how many left their room; those, or all, get a new one. */
static int follow(const query *q, bool all)
{
    const tl_contact_mesh *cloth = q->cloth;
    const tl_barrier *barrier = q->body->barrier;
    tl_real stir = barrier->deforms ? barrier->stir : 0, before = all ? 0 : q->group->stirred;
    body_frame from = frame_of(barrier->from), to = frame_of(barrier->to);
    int stale = 0;
    q->group->stirred = before + stir;
    for (int i = 0; i < cloth->mesh->particle_count; ++i) {
        tl_body_query *probe = &q->group->probe[i];
        probe->start = to_local(&from, tl_at(cloth->x_old, i));
        tl_vec3 end = to_local(&to, tl_at(cloth->x, i));
        probe->step = tl_length(tl_sub(end, probe->start)) + stir;
        probe->moved = tl_length(tl_sub(probe->start, probe->queried_at)) + before - probe->stirred;
        probe->now = tl_length(tl_sub(end, probe->queried_at)) + before + stir - probe->stirred;
        probe->stale = false;
        if (all || !(probe->now <= probe->room))
            give_room(q, probe, before);
        stale += probe->stale;
    }
    return stale;
}

/* ---- tree queries --------------------------------------------------------------------------------------------- */

static bool reserve(tl_contact_world *set, int count)
{
    int capacity = set->found_capacity ? set->found_capacity : 256;
    while (capacity < count)
        capacity *= 2;
    if (capacity == set->found_capacity)
        return true;
    int *grown = tl_allocate(&set->allocator, (size_t)capacity, sizeof *grown);
    if (!grown)
        return false;
    if (set->found)
        memcpy(grown, set->found, (size_t)set->found_capacity * sizeof *grown);
    tl_release(&set->allocator, set->found);
    set->found = grown;
    set->found_capacity = capacity;
    return true;
}

/* Slots of the tree, in ascending order. -1 when out of memory. */
static int query_bvh(const query *q)
{
    const tl_bvh *tree = q->tree;
    int stack[TL_BVH_DEPTH], count = 0, found = 0;
    stack[count++] = 0;
    while (count > 0) {
        int n = stack[--count];
        const tl_bvh_node *node = &tree->node[n];
        if (!tl_slab_overlaps(&q->slab, &tree->node[n].box))
            continue;
        if (node->right) {
            stack[count++] = node->right;
            stack[count++] = n + 1;
            continue;
        }
        if (!reserve(q->set, found + node->count))
            return -1;
        for (int k = node->first; k < node->first + node->count; ++k)
            if (tl_slab_overlaps(&q->slab, &tree->slot_box[k]))
                q->set->found[found++] = k;
    }
    return found;
}

/* Shell sort (1959) with the gaps of Ciura 2001. */
static void sort(int *a, int count)
{
    static const int gaps[] = {701, 301, 132, 57, 23, 10, 4, 1};
    for (size_t g = 0; g < sizeof gaps / sizeof *gaps; ++g)
        for (int i = gaps[g]; i < count; ++i) {
            int value = a[i], j = i;
            for (; j >= gaps[g] && a[j - gaps[g]] > value; j -= gaps[g])
                a[j] = a[j - gaps[g]];
            a[j] = value;
        }
}

/* The same through the octree. */
static int query_octree(const query *q)
{
    const tl_bvh *tree = q->tree;
    if (!reserve(q->set, 1))
        return -1;
    int count = tl_octree_in_slab(q->body->octree, &q->slab, q->set->found, q->set->found_capacity), kept = 0;
    if (count > q->set->found_capacity) {
        if (!reserve(q->set, count))
            return -1;
        count = tl_octree_in_slab(q->body->octree, &q->slab, q->set->found, q->set->found_capacity);
    }
    for (int k = 0; k < count; ++k) {
        int slot = tree->slot[q->set->found[k]];
        if (tl_slab_overlaps(&q->slab, &tree->slot_box[slot]))
            q->set->found[kept++] = slot;
    }
    sort(q->set->found, kept);
    return kept;
}

/* ---- features of two faces ------------------------------------------------------------------------------------ */

static tl_real from_segment(tl_vec3 p, tl_vec3 a, tl_vec3 b)
{
    tl_vec3 along = tl_sub(b, a);
    tl_real square = tl_dot(along, along), t = square > 0 ? tl_clamp(tl_dot(tl_sub(p, a), along) / square, 0, 1) : 0;
    return tl_length(tl_sub(p, tl_madd(a, along, t)));
}

/* How far the vertex of a contact must move until its face represents the nearest point: it comes over the face, or
   the point reaches a border that the face represents. A point on the border of a face belongs to its neighbours
   too, one of which represents it; and projection onto a face is non-expansive, so the nearest point moves no
   farther than the vertex. */
static tl_real until_own(const query *q, const tl_contact *pair, unsigned own)
{
    if (pair->kind != TL_VERTEX_FACE)
        return 0;
    const tl_contact_mesh *s = q->set->mesh[pair->b];
    tl_vec3 p = tl_at(q->set->mesh[pair->a]->x_old, pair->p[0]), c[3];
    tl_real w[3];
    for (int k = 0; k < 3; ++k)
        c[k] = tl_at(s->x_old, pair->p[k + 1]);
    if (tl_nearest_on_triangle(p, c[0], c[1], c[2], w) || tl_border_of(w) & own)
        return 0;
    tl_vec3 place = tl_blend3(c[0], c[1], c[2], w), apart = tl_sub(p, place), n = tl_triangle_normal(c);
    tl_real distance = tl_length(tl_madd(apart, n, -tl_dot(apart, n)));
    for (int k = 0; k < 3; ++k) {
        if (own >> k & 1)
            distance = tl_min(distance, tl_length(tl_sub(place, c[k])));
        if (own >> (3 + k) & 1)
            distance = tl_min(distance, from_segment(place, c[k], c[(k + 1) % 3]));
    }
    return distance;
}

static void consider(const query *q, tl_contact *pair, unsigned own, tl_real soon, tl_real moved)
{
    tl_separation near;
    pair->gap = q->group->gap;
    pair->face = q->f;
    tl_contact_separation(q->set, pair, false, &near);
    if (!tl_contact_is_candidate(pair, &near, pair->gap, soon, ~0u))
        return;
    tl_real left = until_own(q, pair, own) * (pair->a == q->group->b ? TL_TURN_FRACTION : 1);
    if (left > soon)
        return;
    pair->clearance = tl_max(near.distance - pair->gap, left) - moved;
    q->set->failed |= !tl_contact_add(q->set, q->group, pair);
}

/* A vertex behind a face of a solid body is near another face of it, or beside this one. */
static bool behind_solid(const query *q, const tl_contact *pair)
{
    tl_real *const *x = q->body->x_old;
    tl_vec3 a = tl_at(x, pair->p[1]),
            normal = tl_cross(tl_sub(tl_at(x, pair->p[2]), a), tl_sub(tl_at(x, pair->p[3]), a));
    return q->body->solid && tl_dot(tl_sub(tl_at(q->cloth->x_old, pair->p[0]), a), normal) < 0;
}

static tl_box point_box(tl_vec3 x, tl_real around)
{
    return (tl_box){{x.x - around, x.y - around, x.z - around, 0}, {x.x + around, x.y + around, x.z + around, 0}};
}

static void consider_vertices(const query *q, int slot)
{
    int h = q->tree->order[slot];
    short a = (short)q->group->a, b = (short)q->group->b;
    const int *F = q->particle, *H = q->body->mesh->face + 3 * (size_t)h;
    unsigned own_f = q->cloth->owned[q->f], own_h = q->body->owned[h];
    for (int k = 0; (own_f & 7) >> k; ++k) {
        const tl_body_query *probe = &q->group->probe[F[k]];
        tl_contact pair = {.p = {F[k], H[0], H[1], H[2]}, .a = a, .b = b, .kind = TL_VERTEX_FACE};
        if (own_f >> k & 1 && tl_boxes_overlap(&q->around[k], &q->tree->slot_box[slot]) && !behind_solid(q, &pair))
            consider(q, &pair, own_h, probe->room + probe->moved, probe->moved);
    }
    for (int k = 0; (own_h & 7) >> k; ++k) {
        tl_contact pair = {.p = {H[k], F[0], F[1], F[2]}, .a = b, .b = a, .kind = TL_VERTEX_FACE};
        tl_box box = point_box(tl_at(q->body->barrier->x, H[k]), q->body->barrier->stir);
        if (own_h >> k & 1 && tl_slab_overlaps(&q->slab, &box))
            consider(q, &pair, own_f, q->soon, q->moved);
    }
}

static void consider_edges(const query *q, int h)
{
    const int *F = q->particle, *H = q->body->mesh->face + 3 * (size_t)h;
    unsigned of_h = tl_sharp_edges(q->body, q->sharp_x, h, q->group->gap) >> 3 & 7;
    if (!of_h)
        return;
    unsigned of_f = tl_sharp_edges(q->cloth, q->cloth->x_old, q->f, q->group->gap) >> 3 & 7;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            tl_contact pair = {.p = {F[i], F[(i + 1) % 3], H[j], H[(j + 1) % 3]},
                               .a = (short)q->group->a,
                               .b = (short)q->group->b,
                               .kind = TL_EDGE_EDGE};
            if (of_f >> i & 1 && of_h >> j & 1)
                consider(q, &pair, 0, q->soon, q->moved);
        }
}

/* Can the plane of the face of cloth cut the face in a slot? */
static bool may_cross(const query *q, int slot)
{
    tl_real least, most, middle = (q->slab.low + q->slab.high) / 2;
    tl_slab_range(&q->slab, &q->tree->slot_box[slot], &least, &most);
    return least <= middle + q->flat && most >= middle - q->flat;
}

/* ---- candidates ----------------------------------------------------------------------------------------------- */

static bool is_stale(const query *q, int f)
{
    const int *F = q->cloth->mesh->face + 3 * (size_t)f;
    const tl_body_query *probe = q->group->probe;
    return probe[F[0]].stale || probe[F[1]].stale || probe[F[2]].stale;
}

static void collect_face(query *q, int f)
{
    tl_vec3 corner[3];
    memcpy(q->particle, q->cloth->mesh->face + 3 * (size_t)f, sizeof q->particle);
    q->f = f;
    q->soon = q->moved = 0;
    for (int k = 0; k < 3; ++k) {
        const tl_body_query *probe = &q->group->probe[q->particle[k]];
        corner[k] = probe->start;
        q->around[k] = point_box(probe->start, q->group->gap + probe->room + probe->moved + q->body->barrier->stir);
        q->soon = tl_max(q->soon, probe->room + probe->moved);
        q->moved = tl_max(q->moved, probe->moved);
    }
    q->slab = tl_slab_around(corner, q->group->gap + q->soon + q->body->barrier->stir);
    if (!tl_boxes_overlap(&q->slab.box, &q->tree->node[0].box))
        return;
    int count = q->body->octree ? query_octree(q) : query_bvh(q);
    q->set->failed |= count < 0;
    for (int k = 0; k < count; ++k) {
        int slot = q->set->found[k], h = q->tree->order[slot];
        consider_vertices(q, slot);
        consider_edges(q, h);
        if (may_cross(q, slot))
            q->set->failed |= !tl_crossing_find(q->set, q->group, f, h, false);
    }
}

/* A rigid body keeps its sharp edges. */
static void prepare_edges(query *q)
{
    tl_contact_mesh *body = q->body;
    bool deforms = body->barrier->deforms;
    memset(q->cloth->query.sharp, 0, (size_t)q->cloth->mesh->face_count);
    q->sharp_x = deforms ? body->x_old : body->barrier->x;
    if (!deforms && body->query.sharp_gap == q->group->gap && body->query.sharp_shape == body->barrier->shape)
        return;
    memset(body->query.sharp, 0, (size_t)body->mesh->face_count);
    body->query.sharp_gap = deforms ? -1 : q->group->gap;
    body->query.sharp_shape = body->barrier->shape;
}

/* Finds the contacts of all faces with a particle that left its room. */
static void collect(query *q)
{
    tl_mesh_pair *g = q->group;
    int kept = 0;
    for (int k = 0; k < g->count; ++k)
        if (!is_stale(q, g->contact[k].face))
            g->contact[kept++] = g->contact[k];
    g->count = kept;
    prepare_edges(q);
    for (int f = 0; f < q->cloth->mesh->face_count; ++f)
        if (is_stale(q, f))
            collect_face(q, f);
    tl_mesh_pair_drop_tangled(q->set, g);
}

/* Marks the contacts that can be near now. */
static void wake(const query *q)
{
    tl_mesh_pair *g = q->group;
    tl_real extra = TL_BODY_WAKE * g->gap, leap = TL_BODY_LEAP * g->gap;
    for (int k = 0; k < g->count; ++k) {
        tl_contact *pair = &g->contact[k];
        int first = pair->a == g->b, last = first ? 3 : pair->kind == TL_VERTEX_FACE ? 0 : 1;
        tl_real now = 0, step = 0;
        for (int i = first; i <= last; ++i) {
            now = tl_max(now, g->probe[pair->p[i]].now);
            step = tl_max(step, g->probe[pair->p[i]].step);
        }
        pair->near = pair->clearance <= now + extra;
        pair->fast = step > leap;
    }
}

static void find(tl_contact_world *set, tl_mesh_pair *g)
{
    query q = {.set = set, .group = g, .cloth = set->mesh[g->a], .body = set->mesh[g->b]};
    q.tree = &q.body->barrier->tree;
    q.flat = q.body->barrier->stir + TL_CROSSING_ROUNDING * g->gap;
    int count = q.cloth->mesh->particle_count;
    g->probe = g->probe ? g->probe : tl_allocate(&set->allocator, (size_t)count, sizeof *g->probe);
    set->failed |= !g->probe;
    if (q.cloth->solved || q.tree->face_count == 0 || !g->probe) {
        g->count = g->crossing_count = 0;
        return;
    }
    bool all = !g->queried || ++g->age > (g->crossing_count > 0 ? TL_TANGLED_BODY_LIFE : TL_BODY_LIFE);
    int stale = follow(&q, all);
    if (!all && stale > 0 && (TL_BODY_STALE_FRACTION * stale > count || g->crossing_count > 0)) {
        all = true;
        stale = follow(&q, all);
    }
    if (all) {
        g->count = g->crossing_count = g->age = 0;
        g->queried = true;
        ++set->rebuilds;
    }
    if (stale > 0)
        collect(&q);
    wake(&q);
}

void tl_broad_phase_find_bodies(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        if (!tl_is_cloth_pair(set, &set->pair[k]))
            find(set, &set->pair[k]);
}
