/* Faces of cloth and faces of a body whose paths come near each other in a substep, by the tree of the body.

   Cloth that is inside a body already must get out again: its particles and those of faces that cross the body when the
   substep starts are left to contact/cloth/untangle.c and to the barrier. */
#include "contact/cloth/truncation_body.h"

#include "collide/mesh/nearest.h"
#include "collide/mesh/predicate.h"
#include "contact/broad_phase/broad_phase.h"

typedef struct search {
    tl_contact_world *set;
    const tl_mesh_pair *pair;
    const tl_contact_mesh *cloth, *body;
    tl_take_features *take; /* NULL: faces that cross are looked for */
    tl_real body_motion;    /* m, largest displacement of a point of the body */
    tl_real reach;          /* m, distance at which two features need no plane */
    /* of the present face of cloth */
    int f;
    tl_vec3 corner[3], normal; /* m and unit, at x_old */
    tl_real motion;            /* m, largest displacement of a corner */
    tl_box box;                /* around its path */
} search;

static bool is_free(const tl_contact_mesh *cloth, const int *p, int count)
{
    unsigned marks = 0;
    for (int k = 0; k < count; ++k)
        marks |= cloth->mark[p[k]];
    return marks & TL_INSIDE;
}

static tl_vec3 displacement(const tl_contact_mesh *s, int i) { return tl_sub(tl_at(s->x, i), tl_at(s->x_old, i)); }

static void join(tl_box *box, tl_vec3 p)
{
    const tl_real at[3] = {p.x, p.y, p.z};
    for (int c = 0; c < 3; ++c) {
        box->low[c] = tl_min(box->low[c], at[c]);
        box->high[c] = tl_max(box->high[c], at[c]);
    }
}

static void set_face(search *q, int f)
{
    const int *p = q->cloth->mesh->face + 3 * (size_t)f;
    q->f = f;
    q->motion = 0;
    q->box = (tl_box){{INFINITY, INFINITY, INFINITY, 0}, {-INFINITY, -INFINITY, -INFINITY, 0}};
    for (int k = 0; k < 3; ++k) {
        q->corner[k] = tl_at(q->cloth->x_old, p[k]);
        join(&q->box, q->corner[k]);
        if (!q->take)
            continue;
        q->motion = tl_max(q->motion, tl_length(displacement(q->cloth, p[k])));
        join(&q->box, tl_at(q->cloth->x, p[k]));
    }
    q->normal = tl_triangle_normal(q->corner);
}

/* Are all corners of a face of the body so far on one side of the face of cloth that the two cannot meet? */
static bool is_beside(const search *q, const int h[3])
{
    tl_real free = q->take ? q->reach + q->motion + q->body_motion : 0, low = INFINITY, high = -INFINITY;
    for (int k = 0; k < 3; ++k) {
        tl_real height = tl_dot(q->normal, tl_sub(tl_at(q->body->x_old, h[k]), q->corner[0]));
        low = tl_min(low, height);
        high = tl_max(high, height);
    }
    return low > free || high < -free;
}

static void consider(const search *q, bool swapped, const int p[4], unsigned char kind)
{
    if (swapped ? is_free(q->cloth, p + 1, 3) : is_free(q->cloth, p, kind == TL_VERTEX_FACE ? 1 : 2))
        return;
    int a = swapped ? q->pair->b : q->pair->a, b = swapped ? q->pair->a : q->pair->b;
    tl_vec3 x[4];
    tl_features_points(q->set->mesh[a], q->set->mesh[b], p, kind, x);
    tl_vec3 apart = tl_nearest_features(x, kind == TL_VERTEX_FACE ? 1 : 2);
    if (tl_length(apart) <= q->reach + q->motion + q->body_motion)
        q->take(q->set, q->pair->gap, a, b, p, kind);
}

static void free_if_crossing(const search *q, const int F[3], const int H[3])
{
    const tl_vec3 face[3] = {tl_at(q->body->x_old, H[0]), tl_at(q->body->x_old, H[1]), tl_at(q->body->x_old, H[2])};
    if (tl_triangles_intersect(q->corner, face, (int[]){-1, -1, -1}))
        for (int k = 0; k < 3; ++k)
            q->cloth->mark[F[k]] |= TL_INSIDE;
}

/* Every vertex and edge is taken with the face that represents it. */
static void consider_features(const search *q, int h)
{
    const int *F = q->cloth->mesh->face + 3 * (size_t)q->f, *H = q->body->mesh->face + 3 * (size_t)h;
    unsigned of_f = q->cloth->owned[q->f], of_h = q->body->owned[h];
    if (is_beside(q, H))
        return;
    if (!q->take) {
        free_if_crossing(q, F, H);
        return;
    }
    for (int k = 0; k < 3; ++k) {
        if (of_f >> k & 1)
            consider(q, false, (int[]){F[k], H[0], H[1], H[2]}, TL_VERTEX_FACE);
        if (of_h >> k & 1)
            consider(q, true, (int[]){H[k], F[0], F[1], F[2]}, TL_VERTEX_FACE);
        for (int j = 0; j < 3; ++j)
            if (of_f >> (3 + k) & 1 && of_h >> (3 + j) & 1)
                consider(q, false, (int[]){F[k], F[(k + 1) % 3], H[j], H[(j + 1) % 3]}, TL_EDGE_EDGE);
    }
}

static void descend(const search *q)
{
    const tl_bvh *tree = &q->body->tree;
    int stack[TL_BVH_DEPTH], count = 0;
    if (tl_boxes_overlap(&tree->node[0].box, &q->box))
        stack[count++] = 0;
    while (count > 0) {
        int n = stack[--count];
        const tl_bvh_node *node = &tree->node[n];
        if (node->right) {
            if (tl_boxes_overlap(&tree->node[node->right].box, &q->box))
                stack[count++] = node->right;
            if (tl_boxes_overlap(&tree->node[n + 1].box, &q->box))
                stack[count++] = n + 1;
            continue;
        }
        for (int k = 0; k < node->count; ++k)
            if (tl_boxes_overlap(&tree->slot_box[node->first + k], &q->box))
                consider_features(q, tree->order[node->first + k]);
    }
}

void tl_truncation_find_body(tl_contact_world *set, const tl_mesh_pair *pair, tl_take_features *take)
{
    tl_contact_mesh *body = set->mesh[pair->b];
    search q = {.set = set, .pair = pair, .cloth = set->mesh[pair->a], .body = body, .take = take};
    q.reach = tl_ccd_gap(pair);
    for (int p = 0; p < body->mesh->particle_count && !body->still; ++p)
        q.body_motion = tl_max(q.body_motion, tl_length(displacement(body, p)));
    if (body->tree.face_count == 0)
        return;
    tl_bvh_fit(&body->tree, body->x, q.reach + q.body_motion);
    for (int f = 0; f < q.cloth->mesh->face_count; ++f) {
        set_face(&q, f);
        descend(&q);
    }
}

void tl_truncation_find_tangled(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        if (!tl_is_cloth_pair(set, &set->pair[k]) && set->mesh[set->pair[k].a]->self_collides)
            tl_truncation_find_body(set, &set->pair[k], NULL);
}
