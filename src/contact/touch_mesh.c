/* Nearest place of a surface of triangles, for touches before a step and what is left of
   them behind it. */
#include "contact/touch_mesh.h"

#include "contact/distance.h"

/* Distances within this share of each other are the same: the point lies beside an edge or a corner that faces share,
   and the one that it stands highest over tells on which side it is. */
#define SAME_SHARE ((tl_real)1e-4)

enum { DEEPEST = 64 }; /* nodes that wait at the most: the tree is balanced */

typedef struct nearest {
    tl_real square;    /* m² */
    tl_real height;    /* 1, cosine between the way and the face's normal */
    tl_vec3 way;       /* m, from the surface */
    tl_vec3 normal;    /* of the face */
    tl_real weight[3]; /* of its corners */
    int face;
} nearest;

tl_real tl_mesh_touch_begin(tl_surface *body, tl_real *const x[3])
{
    tl_bvh_fit(&body->tree, x, 0);
    tl_real fastest = 0;
    for (int p = 0; p < body->mesh->particle_count; ++p)
        fastest = tl_max(fastest, tl_dot(tl_at(body->v, p), tl_at(body->v, p)));
    return sqrt(fastest);
}

static tl_real square_to_box(const tl_box *box, tl_vec3 p)
{
    const tl_real at[3] = {p.x, p.y, p.z};
    tl_real square = 0;
    for (int c = 0; c < 3; ++c) {
        tl_real beyond = tl_max(tl_max(box->low[c] - at[c], at[c] - box->high[c]), 0);
        square += beyond * beyond;
    }
    return square;
}

static void try_face(const tl_surface *body, tl_real *const x[3], int f, tl_vec3 p, nearest *best)
{
    const int *c = body->mesh->face + 3 * (size_t)f;
    tl_vec3 corner[3] = {tl_at(x, c[0]), tl_at(x, c[1]), tl_at(x, c[2])};
    nearest found = {.face = f};
    tl_nearest_on_triangle(p, corner[0], corner[1], corner[2], found.weight);
    found.way = tl_sub(p, tl_blend3(corner[0], corner[1], corner[2], found.weight));
    found.square = tl_dot(found.way, found.way);
    if (found.square > best->square * (1 + SAME_SHARE))
        return;
    found.normal = tl_normalized(tl_cross(tl_sub(corner[1], corner[0]), tl_sub(corner[2], corner[0])));
    tl_real length = sqrt(found.square);
    found.height = length > 0 ? fabs(tl_dot(found.way, found.normal)) / length : 1;
    if (found.square < best->square * (1 - SAME_SHARE) || best->face < 0 || found.height > best->height ||
        (!(found.height < best->height) && f < best->face))
        *best = found;
}

bool tl_mesh_touch_place(const tl_surface *body, tl_real *const x[3], tl_vec3 p, tl_real reach, tl_mesh_place *out)
{
    const tl_bvh *tree = &body->tree;
    nearest best = {.square = reach * reach, .face = -1};
    int waiting[DEEPEST], count = 0;
    if (tree->face_count > 0)
        waiting[count++] = 0;
    while (count > 0) {
        int n = waiting[--count];
        const tl_bvh_node *node = &tree->node[n];
        if (square_to_box(&tree->node_box[n], p) > best.square * (1 + SAME_SHARE))
            continue;
        for (int k = 0; k < node->count && !node->right; ++k)
            try_face(body, x, tree->order[node->first + k], p, &best);
        if (!node->right)
            continue;
        bool left_first = square_to_box(&tree->node_box[n + 1], p) <= square_to_box(&tree->node_box[node->right], p);
        waiting[count++] = left_first ? node->right : n + 1;
        waiting[count++] = left_first ? n + 1 : node->right;
    }
    if (best.face < 0)
        return false;
    const int *c = body->mesh->face + 3 * (size_t)best.face;
    tl_real length = sqrt(best.square);
    bool inside = body->solid && tl_dot(best.way, best.normal) < 0;
    out->normal = length > 0 ? tl_scale(best.way, (inside ? -1 : 1) / length) : best.normal;
    out->distance = inside ? -length : length;
    out->velocity = tl_blend3(tl_at(body->v, c[0]), tl_at(body->v, c[1]), tl_at(body->v, c[2]), best.weight);
    return true;
}

/* Shortens the part of a vector along the surface by `most` at the most. */
static tl_vec3 braked(tl_vec3 along, tl_real most)
{
    tl_real length = tl_length(along);
    return tl_scale(along, length > most ? 1 - most / length : 0);
}

/* Velocity of a particle that meets the place. */
static tl_vec3 answered(const tl_contact_cloth *cloth, const tl_surface *body, const tl_mesh_place *place, tl_vec3 v)
{
    tl_vec3 relative = tl_sub(v, place->velocity);
    tl_real approach = -tl_dot(relative, place->normal);
    if (!(approach > 0))
        return v;
    tl_real bounce = approach > cloth->rest_speed ? body->restitution * approach : 0;
    tl_vec3 along = tl_madd(relative, place->normal, approach);
    along = braked(along, cloth->friction * body->friction * (approach + bounce));
    return tl_add(place->velocity, tl_madd(along, place->normal, bounce));
}

void tl_mesh_touch_answer(tl_contact_cloth *cloth, tl_surface *body, tl_real dt, tl_vec3 *impulse, tl_vec3 *moment)
{
    tl_mesh_touch_begin(body, body->x);
    for (int i = 0; i < cloth->p->count; ++i) {
        tl_vec3 x = tl_at(cloth->p->x, i), way = tl_sub(x, tl_at(cloth->x_old, i)), v = tl_at(cloth->p->v, i);
        tl_mesh_place place;
        /* a particle that went deeper than the thickness has come from outside on its way; not finite is not near */
        if (!(cloth->p->w[i] > 0) ||
            !tl_mesh_touch_place(body, body->x, x, cloth->thickness + tl_length(way), &place) ||
            !(place.distance <= cloth->thickness))
            continue;
        ++cloth->touching;
        tl_real depth = cloth->thickness - place.distance;
        tl_vec3 slip = tl_madd(way, place.velocity, -dt);
        slip = tl_madd(slip, place.normal, -tl_dot(slip, place.normal));
        tl_vec3 left = braked(slip, cloth->friction * body->friction * depth);
        tl_put(cloth->p->x, i, tl_madd(tl_add(x, tl_sub(left, slip)), place.normal, depth));
        tl_vec3 answer = answered(cloth, body, &place, v), gave = tl_scale(tl_sub(v, answer), cloth->p->m[i]);
        tl_put(cloth->p->v, i, answer);
        *impulse = tl_add(*impulse, gave);
        *moment = tl_add(*moment, tl_cross(tl_sub(x, body->pivot), gave));
        cloth->pressure[i] += tl_max(0, -tl_dot(gave, place.normal));
    }
}
