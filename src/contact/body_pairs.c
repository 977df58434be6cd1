/* Close pairs of a cloth and a body made of triangles. Cloth is looked at in the body's own frame, where the body's
   tree stays as it is however it moves: every face of cloth asks the tree for what is within its reach, which is the
   gap, the margin and how far the two can move against each other during the life of the list. */
#include "contact/octree.h"
#include "contact/pairs.h"
#include "contact/slab.h"

#include <string.h>

/* A particle of cloth, in the frame of the body at the start of the substep. */
struct tl_probe {
    tl_vec3 x;   /* m */
    tl_real way; /* m, against the body, if all goes as expected, without slack */
};

typedef struct query {
    tl_surfaces *set;
    tl_surface_group *group;
    tl_surface *cloth, *body;
    tl_real *const *sharp_x; /* points of the body by which its edges are bent or not */
    int f;                   /* face of cloth */
    int particle[3];
    tl_slab slab;
    tl_real flat; /* m, from the plane of that face that the faces of the body can be when they cross it */
} query;

/* ---- asking the tree ------------------------------------------------------------------------------------------ */

static bool reserve(tl_surfaces *set, int count)
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

enum { DEEPEST = 64 }; /* nodes that wait at the most: the tree is balanced */

/* Slots of the tree, in ascending order. -1 when memory is short. */
static int ask_boxes(const query *q)
{
    const tl_bvh *tree = &q->body->barrier->tree;
    int waiting[DEEPEST], count = 0, found = 0;
    waiting[count++] = 0;
    while (count > 0) {
        int n = waiting[--count];
        const tl_bvh_node *node = &tree->node[n];
        if (!tl_slab_meets(&q->slab, &tree->node_box[n]))
            continue;
        if (node->right) {
            waiting[count++] = node->right;
            waiting[count++] = n + 1;
            continue;
        }
        if (!reserve(q->set, found + node->count))
            return -1;
        for (int k = node->first; k < node->first + node->count; ++k)
            if (tl_slab_meets(&q->slab, &tree->slot_box[k]))
                q->set->found[found++] = k;
    }
    return found;
}

/* Shell 1959, with the gaps of Ciura 2001. */
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
static int ask_octree(const query *q)
{
    const tl_bvh *tree = &q->body->barrier->tree;
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
        if (tl_slab_meets(&q->slab, &tree->slot_box[slot]))
            q->set->found[kept++] = slot;
    }
    sort(q->set->found, kept);
    return kept;
}

/* ---- features of two faces ------------------------------------------------------------------------------------ */

static void consider(const query *q, tl_pair_kind kind, bool swapped, const int p[4], unsigned own)
{
    tl_pair pair = {.a = (short)(swapped ? q->group->b : q->group->a),
                    .b = (short)(swapped ? q->group->a : q->group->b),
                    .kind = (unsigned char)kind};
    memcpy(pair.p, p, sizeof pair.p);
    tl_pair_consider(q->set, q->group, &pair, own);
}

static tl_box point_box(tl_vec3 x, tl_real around)
{
    return (tl_box){{x.x - around, x.y - around, x.z - around, 0}, {x.x + around, x.y + around, x.z + around, 0}};
}

static void consider_vertices(const query *q, int slot)
{
    const tl_bvh *tree = &q->body->barrier->tree;
    int h = tree->order[slot];
    const int *F = q->particle, *H = q->body->mesh->face + 3 * (size_t)h;
    tl_real reach = q->group->gap + q->group->margin;
    unsigned own_f = q->cloth->owned[q->f], own_h = q->body->owned[h];
    for (int k = 0; k < 3; ++k) {
        const tl_probe *probe = &q->set->probe[F[k]];
        tl_box box = point_box(probe->x, reach + probe->way + q->cloth->slack[F[k]]);
        if (own_f >> k & 1 && tl_boxes_meet(&box, &tree->slot_box[slot]))
            consider(q, TL_VERTEX_FACE, false, (int[]){F[k], H[0], H[1], H[2]}, own_h);
        if (!(own_h >> k & 1))
            continue;
        box = point_box(tl_at(q->body->barrier->x, H[k]), q->body->barrier->stir);
        if (tl_slab_meets(&q->slab, &box))
            consider(q, TL_VERTEX_FACE, true, (int[]){H[k], F[0], F[1], F[2]}, own_f);
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
        for (int j = 0; j < 3; ++j)
            if (of_f >> i & 1 && of_h >> j & 1)
                consider(q, TL_EDGE_EDGE, false, (int[]){F[i], F[(i + 1) % 3], H[j], H[(j + 1) % 3]}, 0);
}

/* Can the plane of the face of cloth cut the face in a slot? */
static bool may_cross(const query *q, int slot)
{
    tl_real least, most, middle = (q->slab.low + q->slab.high) / 2;
    tl_slab_range(&q->slab, &q->body->barrier->tree.slot_box[slot], &least, &most);
    return least <= middle + q->flat && most >= middle - q->flat;
}

/* ---- the list ------------------------------------------------------------------------------------------------- */

static bool probe_cloth(const query *q)
{
    tl_surfaces *set = q->set;
    const tl_surface *cloth = q->cloth, *body = q->body;
    int count = cloth->mesh->particle_count;
    if (count > set->probe_capacity) {
        tl_release(&set->allocator, set->probe);
        set->probe = tl_allocate(&set->allocator, (size_t)count, sizeof *set->probe);
        set->probe_capacity = set->probe ? count : 0;
    }
    for (int i = 0; i < count && set->probe; ++i) {
        tl_vec3 way = tl_sub(tl_at(cloth->ahead, i), tl_at(cloth->listed, i));
        set->probe[i].x = tl_pose_undo(body->barrier->from, tl_at(cloth->x_old, i));
        set->probe[i].way = body->stood ? tl_length(tl_sub(way, body->way)) : tl_length(way) + body->sweep;
    }
    return set->probe != NULL;
}

static void collect_face(query *q, int f)
{
    const tl_bvh *tree = &q->body->barrier->tree;
    memcpy(q->particle, q->cloth->mesh->face + 3 * (size_t)f, sizeof q->particle);
    q->f = f;
    tl_vec3 corner[3];
    tl_real way = 0, slack = 0;
    for (int k = 0; k < 3; ++k) {
        const tl_probe *probe = &q->set->probe[q->particle[k]];
        corner[k] = probe->x;
        way = tl_max(way, probe->way);
        slack = tl_max(slack, q->cloth->slack[q->particle[k]]);
    }
    tl_real reach = q->group->gap + q->group->margin + way + slack + q->body->barrier->stir;
    q->slab = tl_slab_around(corner, reach);
    if (!tl_boxes_meet(&q->slab.box, &tree->node_box[0]))
        return;
    int count = q->body->octree ? ask_octree(q) : ask_boxes(q);
    q->set->failed |= count < 0;
    for (int k = 0; k < count; ++k) {
        int slot = q->set->found[k], h = tree->order[slot];
        consider_vertices(q, slot);
        consider_edges(q, h);
        if (!q->set->safe && may_cross(q, slot))
            q->set->failed |= !tl_crossing_find(q->set, q->group, f, h);
    }
}

/* A body that does not deform keeps its sharp edges. */
static void prepare_edges(query *q)
{
    tl_surface *body = q->body;
    bool deforms = body->barrier->deforms;
    q->sharp_x = deforms ? body->x_old : body->barrier->x;
    memset(q->cloth->sharp, 0, (size_t)q->cloth->mesh->face_count);
    if (!deforms && body->sharp_gap == q->group->gap && body->sharp_shape == body->barrier->shape)
        return;
    memset(body->sharp, 0, (size_t)body->mesh->face_count);
    body->sharp_gap = deforms ? -1 : q->group->gap;
    body->sharp_shape = body->barrier->shape;
}

void tl_body_collect(tl_surfaces *set, tl_surface_group *group)
{
    query q = {.set = set, .group = group, .cloth = set->surface[group->a], .body = set->surface[group->b]};
    if (q.body->mesh->face_count == 0)
        return;
    q.flat = q.body->barrier->stir + group->gap / 64; /* the latter for rounding */
    prepare_edges(&q);
    if (!probe_cloth(&q)) {
        set->failed = true;
        return;
    }
    for (int f = 0; f < q.cloth->mesh->face_count; ++f)
        collect_face(&q, f);
}
