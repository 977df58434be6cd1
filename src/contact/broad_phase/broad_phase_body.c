/* Candidates of a cloth and a body made of triangles. Cloth is transformed to the body's frame, where the tree of a
   rigid body stays as it is however it moves; of one that deforms, the motion of every point in this frame is known.
   A query bounds the rest of the frame: every particle is predicted to go on as in this substep, and has room to
   deviate from that. While it stays within, the candidates of its faces are valid. A particle that leaves its room
   gets a new one, and its faces query the tree again: for what comes within the gap and their room, by the motion of
   cloth and body relative to each other. In every substep the candidates that can touch in it are woken. */
#include "collide/mesh/nearest.h"
#include "collide/mesh/octree.h"
#include "contact/broad_phase/candidate.h"
#include "contact/cloth/untangle.h"

#include <string.h>

/* The displacements of a particle of cloth that bound how two features close in: per substep from the query on; in the
   present one; from the start of the last one to that of this one, as contact has its say between. */
typedef enum displacement { PREDICTED, PRESENT, LAST, DISPLACEMENTS } displacement;

/* A particle of cloth in the body's frame. */
struct tl_body_query {
    tl_box sweep;                  /* around its path in this substep */
    tl_vec3 queried_at;            /* m, position at the query, when its substep began */
    tl_vec3 start;                 /* m, at the start of the substep */
    tl_vec3 by[DISPLACEMENTS];     /* m */
    tl_real length[DISPLACEMENTS]; /* m, of those */
    tl_real room;                  /* m, deviation from the prediction that the candidates allow */
    tl_real moved;                 /* m, deviation at the start of the substep */
    int age;                       /* of the group at the query */
    bool stale;
};

typedef struct query {
    tl_contact_world *set;
    tl_mesh_pair *group;
    tl_contact_mesh *cloth, *body;
    const tl_bvh *tree;
    tl_real *const *sharp_x; /* positions of the body for its bent edges */
    tl_real substeps;        /* for which candidates are valid, with the present one */
    int f;                   /* face of cloth */
    int particle[3];
    tl_real room;     /* m, by which its particles may leave their predictions, the largest */
    tl_vec3 common;   /* m, of the predicted displacement per substep: the tree is queried in the frame that moves so */
    tl_slab slab;     /* around it over the substeps, in that frame */
    tl_box around[3]; /* the same of its corners, each with its own room */
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

/* The box around p and p + step. */
static tl_box box_along(tl_vec3 p, tl_vec3 step, tl_real around)
{
    const tl_real at[3] = {p.x, p.y, p.z}, by[3] = {step.x, step.y, step.z};
    tl_box box = {{0}, {0}};
    for (int c = 0; c < 3; ++c) {
        box.low[c] = at[c] + tl_min(by[c], 0) - around;
        box.high[c] = at[c] + tl_max(by[c], 0) + around;
    }
    return box;
}

static void set_step(tl_body_query *probe, displacement which, tl_vec3 by)
{
    probe->by[which] = by;
    probe->length[which] = tl_length(by);
}

static void give_room(const query *q, tl_body_query *probe)
{
    tl_real far = sqrt(tl_box_square(&q->tree->node[0].box, probe->start)) - q->group->gap;
    probe->stale = true;
    probe->queried_at = probe->start;
    /* cloth rests on a rigid body or leaves its course there, and goes along with one that deforms */
    bool follows = q->body->barrier->deforms;
    set_step(probe, PREDICTED, follows ? probe->by[PRESENT] : tl_v3(0, 0, 0));
    probe->age = q->group->age;
    probe->moved = 0;
    tl_real substeps = follows ? TL_ROOM_DEVIATION : TL_ROOM_SUBSTEPS;
    probe->room = tl_max(tl_max(q->group->margin, substeps * probe->length[PRESENT]), TL_ROOM_FRACTION * far);
}

/* Tracks all particles in this substep. Returns how many left their room; those, or all, get a new one. */
static int follow(const query *q, bool all)
{
    const tl_contact_mesh *cloth = q->cloth;
    const tl_barrier *barrier = q->body->barrier;
    body_frame from = frame_of(barrier->from), to = frame_of(barrier->to);
    int stale = 0;
    for (int i = 0; i < cloth->mesh->particle_count; ++i) {
        tl_body_query *probe = &q->group->probe[i];
        tl_vec3 end = to_local(&to, tl_at(cloth->x, i));
        tl_real passed = (tl_real)(q->group->age - probe->age);
        tl_vec3 start = to_local(&from, tl_at(cloth->x_old, i));
        set_step(probe, LAST, tl_sub(start, probe->start));
        set_step(probe, PRESENT, tl_sub(end, start));
        probe->start = start;
        probe->sweep = box_along(start, probe->by[PRESENT], 0);
        probe->moved = tl_length(tl_sub(probe->start, tl_madd(probe->queried_at, probe->by[PREDICTED], passed)));
        tl_real now = tl_length(tl_sub(end, tl_madd(probe->queried_at, probe->by[PREDICTED], passed + 1)));
        probe->stale = false;
        if (all || !(now <= probe->room))
            give_room(q, probe);
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

/* A box at the end of the substep and over all substeps of the query, in its frame; `motion`: of what is in it, per
   substep. */
static inline tl_box swept(const query *q, const tl_box *box, const tl_box *motion)
{
    const tl_real common[4] = {q->common.x, q->common.y, q->common.z, 0}, more = q->substeps - 1;
    tl_box out;
    for (int c = 0; c < 4; ++c) { /* four, as vectors have */
        tl_real low = motion->low[c] - common[c], high = motion->high[c] - common[c];
        out.low[c] = box->low[c] + tl_min(-high, more * low);
        out.high[c] = box->high[c] + tl_max(-low, more * high);
    }
    return out;
}

static tl_box swept_node(const query *q, int n)
{
    const tl_barrier *barrier = q->body->barrier;
    return barrier->deforms ? swept(q, &q->tree->node[n].box, &barrier->node_motion[n]) : q->tree->node[n].box;
}

static tl_box swept_slot(const query *q, int k)
{
    const tl_barrier *barrier = q->body->barrier;
    return barrier->deforms ? swept(q, &q->tree->slot_box[k], &barrier->slot_motion[k]) : q->tree->slot_box[k];
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
        tl_box box = swept_node(q, n);
        if (!tl_slab_overlaps(&q->slab, &box))
            continue;
        if (node->right) {
            stack[count++] = node->right;
            stack[count++] = n + 1;
            continue;
        }
        if (!reserve(q->set, found + node->count))
            return -1;
        for (int k = node->first; k < node->first + node->count; ++k) {
            box = swept_slot(q, k);
            if (tl_slab_overlaps(&q->slab, &box))
                q->set->found[found++] = k;
        }
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
static tl_real until_own(const tl_contact_world *set, const tl_contact *pair, unsigned own)
{
    if (pair->kind != TL_VERTEX_FACE)
        return 0;
    const tl_contact_mesh *s = set->mesh[pair->b];
    tl_vec3 p = tl_at(set->mesh[pair->a]->x_old, pair->p[0]), c[3];
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

/* Displacement per substep of a point of the body in its frame. */
static tl_vec3 body_step(const tl_barrier *barrier, int p)
{
    return barrier->deforms ? tl_sub(tl_at(barrier->x, p), tl_at(barrier->x_old, p)) : tl_v3(0, 0, 0);
}

/* How much nearer two features come in a substep, at most, m. */
static tl_real closing(const query *q, const tl_contact *pair, displacement which)
{
    const tl_barrier *barrier = q->body->barrier;
    const tl_body_query *probe = q->group->probe;
    int split = pair->kind == TL_VERTEX_FACE ? 1 : 2;
    bool cloth_first = pair->a == q->group->a;
    int first = cloth_first ? 0 : split, last = cloth_first ? split : 4;
    tl_real most = 0;
    if (!barrier->deforms) {
        for (int i = first; i < last; ++i)
            most = tl_max(most, probe[pair->p[i]].length[which]);
        return most;
    }
    for (int i = first; i < last; ++i)
        for (int j = cloth_first ? split : 0; j < (cloth_first ? 4 : split); ++j) {
            tl_vec3 between = tl_sub(probe[pair->p[i]].by[which], body_step(barrier, pair->p[j]));
            most = tl_max(most, tl_dot(between, between));
        }
    return sqrt(most);
}

/* By how much two features that are so far apart may close in before they touch, m. */
static tl_real room_between(const query *q, const tl_contact *pair, tl_real distance, unsigned own)
{
    tl_real turn = pair->a == q->group->b ? TL_TURN_FRACTION : 1;
    return tl_max(distance - q->group->gap, until_own(q->set, pair, own) * turn);
}

static void consider(const query *q, tl_contact *pair, unsigned own, tl_real room)
{
    tl_separation near;
    tl_real soon = room + q->substeps * closing(q, pair, PREDICTED);
    pair->gap = q->group->gap;
    pair->face = q->f;
    tl_contact_separation(q->set, pair, &near);
    if (!tl_contact_is_candidate(pair, &near, pair->gap, soon, ~0u) || room_between(q, pair, near.distance, own) > soon)
        return;
    pair->clearance = room_between(q, pair, near.distance, own) + closing(q, pair, LAST); /* which `wake` takes off */
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

static void consider_vertices(const query *q, int slot)
{
    int h = q->tree->order[slot];
    short a = (short)q->group->a, b = (short)q->group->b;
    const int *F = q->particle, *H = q->body->mesh->face + 3 * (size_t)h;
    unsigned own_f = q->cloth->owned[q->f], own_h = q->body->owned[h];
    tl_box face = swept_slot(q, slot);
    /* particles of cloth whose stepper solves contact itself are its business */
    for (int k = 0; !q->cloth->solved && (own_f & 7) >> k; ++k) {
        const tl_body_query *probe = &q->group->probe[F[k]];
        tl_contact pair = {.p = {F[k], H[0], H[1], H[2]}, .a = a, .b = b, .kind = TL_VERTEX_FACE};
        if (own_f >> k & 1 && tl_boxes_overlap(&q->around[k], &face) && !behind_solid(q, &pair))
            consider(q, &pair, own_h, probe->room + probe->moved);
    }
    for (int k = 0; (own_h & 7) >> k; ++k) {
        tl_contact pair = {.p = {H[k], F[0], F[1], F[2]}, .a = b, .b = a, .kind = TL_VERTEX_FACE};
        if (!(own_h >> k & 1))
            continue;
        tl_vec3 at = tl_at(q->body->barrier->x, H[k]), step = body_step(q->body->barrier, H[k]);
        tl_box point = box_along(at, tl_v3(0, 0, 0), 0), motion = box_along(step, tl_v3(0, 0, 0), 0);
        point = q->body->barrier->deforms ? swept(q, &point, &motion) : point;
        if (tl_slab_overlaps(&q->slab, &point))
            consider(q, &pair, own_f, q->room);
    }
}

static void consider_edges(const query *q, int h)
{
    const int *F = q->particle, *H = q->body->mesh->face + 3 * (size_t)h;
    unsigned of_h = tl_sharp_edges(q->body, q->sharp_x, h, q->group->gap) >> 3 & 7;
    if (!of_h)
        return;
    /* the long substeps of an implicit stepper fold flat cloth over an edge in one */
    unsigned of_f =
        (q->cloth->solved ? q->cloth->owned[q->f] : tl_sharp_edges(q->cloth, q->cloth->x_old, q->f, q->group->gap)) >>
            3 &
        7;
    for (int i = 0; i < 3; ++i)
        for (int j = 0; j < 3; ++j) {
            tl_contact pair = {.p = {F[i], F[(i + 1) % 3], H[j], H[(j + 1) % 3]},
                               .a = (short)q->group->a,
                               .b = (short)q->group->b,
                               .kind = TL_EDGE_EDGE};
            if (of_f >> i & 1 && of_h >> j & 1)
                consider(q, &pair, 0, q->room);
        }
}

/* Can the plane of the face of cloth cut the face in a slot? */
static bool may_cross(const query *q, int slot)
{
    const int *F = q->particle;
    const tl_body_query *probe = q->group->probe;
    tl_slab flat = tl_slab_around((tl_vec3[3]){probe[F[0]].start, probe[F[1]].start, probe[F[2]].start}, q->flat);
    return tl_slab_overlaps(&flat, &q->tree->slot_box[slot]);
}

/* ---- candidates ----------------------------------------------------------------------------------------------- */

static bool is_stale(const query *q, int f)
{
    const int *F = q->cloth->mesh->face + 3 * (size_t)f;
    const tl_body_query *probe = q->group->probe;
    return probe[F[0]].stale || probe[F[1]].stale || probe[F[2]].stale;
}

/* Grows the slab to hold a corner at the end of the substeps, `by` metres from where it is. */
static void extend(tl_slab *slab, tl_vec3 corner, tl_vec3 by, tl_real reach)
{
    tl_box box = box_along(corner, by, reach);
    tl_vec3 normal = tl_v3(slab->up[0] + slab->down[0], slab->up[1] + slab->down[1], slab->up[2] + slab->down[2]);
    tl_real height = tl_dot(normal, tl_add(corner, by));
    tl_box_join(&slab->box, &box);
    slab->low = tl_min(slab->low, height - reach);
    slab->high = tl_max(slab->high, height + reach);
}

/* Sets what bounds the face over the substeps. */
static void bound_face(query *q, int f)
{
    tl_vec3 corner[3], course = {0, 0, 0};
    memcpy(q->particle, q->cloth->mesh->face + 3 * (size_t)f, sizeof q->particle);
    q->f = f;
    q->room = 0;
    for (int k = 0; k < 3; ++k) {
        const tl_body_query *probe = &q->group->probe[q->particle[k]];
        corner[k] = probe->start;
        course = tl_add(course, probe->by[PREDICTED]);
        q->room = tl_max(q->room, probe->room + probe->moved);
    }
    /* of a rigid body, the slab is swept: an octree has no motion */
    q->common = q->body->barrier->deforms ? tl_scale(course, (tl_real)(1.0 / 3)) : tl_v3(0, 0, 0);
    tl_real reach = q->group->gap + q->room;
    q->slab = tl_slab_around(corner, reach);
    for (int k = 0; k < 3; ++k) {
        const tl_body_query *probe = &q->group->probe[q->particle[k]];
        tl_vec3 by = tl_scale(tl_sub(probe->by[PREDICTED], q->common), q->substeps);
        q->around[k] = box_along(corner[k], by, q->group->gap + probe->room + probe->moved);
        extend(&q->slab, corner[k], by, reach);
    }
}

static void collect_face(query *q, int f)
{
    bound_face(q, f);
    tl_box all = swept_node(q, 0);
    if (!tl_boxes_overlap(&q->slab.box, &all))
        return;
    int count = q->body->octree ? query_octree(q) : query_bvh(q);
    q->set->failed |= count < 0;
    for (int k = 0; k < count; ++k) {
        int slot = q->set->found[k], h = q->tree->order[slot];
        consider_vertices(q, slot);
        consider_edges(q, h);
        if (may_cross(q, slot))
            q->set->failed |= !tl_crossing_find(q->set, q->group, f, h);
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

static void keep(const query *q, const tl_contact *contact, int count)
{
    tl_mesh_pair *g = q->group;
    bool made = tl_mesh_pair_reserve(q->set, g, count, 0, 0, 0);
    q->set->failed |= !made;
    if (made && count > 0) {
        memcpy(g->contact + g->count, contact, (size_t)count * sizeof *contact);
        g->count += count;
    }
}

/* Finds the contacts of all faces with a particle that left its room. Contacts stay in the order of faces, so that
   the order in which they are solved does not tell when they were found. */
static void collect(query *q)
{
    tl_mesh_pair *g = q->group;
    int count = g->count, capacity = g->capacity, k = 0;
    tl_contact *kept = g->contact;
    g->contact = g->kept;
    g->capacity = g->kept_capacity;
    g->kept = kept;
    g->kept_capacity = capacity;
    g->count = 0;
    prepare_edges(q);
    for (int f = 0; f < q->cloth->mesh->face_count; ++f) {
        if (!is_stale(q, f))
            continue;
        int first = k;
        while (k < count && kept[k].face < f)
            ++k;
        keep(q, kept + first, k - first);
        collect_face(q, f);
        while (k < count && kept[k].face == f)
            ++k;
    }
    keep(q, kept + k, count - k);
    tl_mesh_pair_drop_tangled(q->set, g);
}

/* Do the paths of two features in this substep come so near? By boxes. */
static bool paths_meet(const query *q, const tl_contact *pair, tl_real reach)
{
    const tl_box *point = q->body->barrier->point;
    const tl_body_query *probe = q->group->probe;
    int split = pair->kind == TL_VERTEX_FACE ? 1 : 2;
    bool cloth_first = pair->a == q->group->a;
    tl_box side[2];
    for (int k = 0; k < 4; ++k) {
        bool second = k >= split;
        const tl_box *box = second != cloth_first ? &probe[pair->p[k]].sweep : &point[pair->p[k]];
        if (k == 0 || k == split)
            side[second] = *box;
        else
            tl_box_join(&side[second], box);
    }
    for (int c = 0; c < 3; ++c) {
        side[0].low[c] -= reach;
        side[0].high[c] += reach;
    }
    return tl_boxes_overlap(&side[0], &side[1]);
}

/* What the face of a contact represents. */
static unsigned owned_by(const tl_contact_mesh *s, const int corner[3])
{
    const tl_mesh *mesh = s->mesh;
    for (int k = mesh->particle_face_start[corner[0]]; k < mesh->particle_face_start[corner[0] + 1]; ++k) {
        int f = tl_half_face(mesh->particle_face[k]);
        if (memcmp(mesh->face + 3 * (size_t)f, corner, 3 * sizeof *corner) == 0)
            return s->owned[f];
    }
    return 0;
}

/* Marks the contacts that can be near in this substep. Most of the others are known to be too far apart since they were
   last looked at. */
static void wake(const query *q)
{
    tl_mesh_pair *g = q->group;
    tl_real extra = TL_BODY_WAKE * g->gap, leap = TL_BODY_LEAP * g->gap;
    for (int k = 0; k < g->count; ++k) {
        tl_contact *pair = &g->contact[k];
        tl_real reach = closing(q, pair, PRESENT) + extra;
        pair->fast = reach - extra > leap;
        pair->clearance -= closing(q, pair, LAST);
        bool was_near = pair->near; /* when it was last solved, which looks at it anyway */
        pair->near = pair->clearance <= reach && paths_meet(q, pair, g->gap + extra);
        if (!pair->near || was_near)
            continue;
        tl_separation now;
        tl_contact_separation(q->set, pair, &now);
        pair->clearance = now.distance - g->gap;
        pair->near = pair->clearance <= reach;
        if (pair->near && now.feature != 0) {
            pair->clearance = room_between(q, pair, now.distance, owned_by(q->set->mesh[pair->b], pair->p + 1));
            pair->near = pair->clearance <= reach;
        }
    }
}

bool tl_broad_phase_prepare_body(tl_contact_world *set, tl_mesh_pair *g)
{
    size_t count = (size_t)set->mesh[g->a]->mesh->particle_count;
    g->probe = tl_allocate(&set->allocator, count, sizeof *g->probe);
    g->clearance = tl_allocate(&set->allocator, count, sizeof *g->clearance);
    return g->probe && g->clearance;
}

static void find(tl_contact_world *set, tl_mesh_pair *g)
{
    query q = {.set = set, .group = g, .cloth = set->mesh[g->a], .body = set->mesh[g->b]};
    q.tree = &q.body->barrier->tree;
    q.flat = q.body->barrier->stir + TL_CROSSING_ROUNDING * g->gap;
    int count = q.cloth->mesh->particle_count;
    if (q.tree->face_count == 0) {
        g->count = g->crossing_count = 0;
        return;
    }
    bool all = !g->queried || ++g->age >= g->life || (g->crossing_count > 0 && g->age > TL_TANGLED_BODY_LIFE);
    g->age = all ? 0 : g->age;
    int stale = follow(&q, all);
    if (!all && stale > 0 && (TL_BODY_STALE_FRACTION * stale > count || g->crossing_count > 0)) {
        all = true;
        g->age = 0;
        stale = follow(&q, all);
    }
    if (all) {
        g->count = g->crossing_count = 0;
        g->queried = true;
        g->life = set->substeps_left + 1 < TL_BODY_LIFE ? set->substeps_left + 1 : TL_BODY_LIFE;
        ++set->rebuilds;
    }
    q.substeps = (tl_real)(g->life - g->age);
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
