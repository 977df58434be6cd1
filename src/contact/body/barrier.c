#include "contact/body/barrier.h"

#include "collide/mesh/nearest.h"
#include "collide/mesh/predicate.h"
#include "collide/mesh/signed_distance.h"
#include "contact/cloth/contact_world.h"
#include "contact/rigid/rigid_state.h"

/* ---- the mesh ------------------------------------------------------------------------------------------------- */

static void bound_points(tl_barrier *barrier)
{
    for (int p = 0; p < barrier->mesh->particle_count; ++p) {
        tl_box *box = &barrier->point[p];
        for (int c = 0; c < 3; ++c) {
            tl_real x = barrier->x[c][p], old = barrier->deforms ? barrier->x_old[c][p] : x;
            box->low[c] = tl_min(x, old);
            box->high[c] = tl_max(x, old);
        }
    }
}

static void bound_motion(tl_barrier *barrier)
{
    const tl_bvh *tree = &barrier->tree;
    for (int k = 0; k < tree->face_count; ++k) {
        const int *p = tree->face + 3 * (size_t)tree->order[k];
        tl_box *motion = &barrier->slot_motion[k];
        for (int c = 0; c < 3; ++c) {
            const tl_real *x = barrier->x[c], *old = barrier->x_old[c];
            tl_real a = x[p[0]] - old[p[0]], b = x[p[1]] - old[p[1]], d = x[p[2]] - old[p[2]];
            motion->low[c] = tl_min(tl_min(a, b), d);
            motion->high[c] = tl_max(tl_max(a, b), d);
        }
    }
    for (int n = tree->node_count - 1; n >= 0; --n) { /* children come after their parent */
        const tl_bvh_node *node = &tree->node[n];
        barrier->node_motion[n] = node->right ? barrier->node_motion[n + 1] : barrier->slot_motion[node->first];
        if (node->right)
            tl_box_join(&barrier->node_motion[n], &barrier->node_motion[node->right]);
        for (int k = 1; k < node->count && !node->right; ++k)
            tl_box_join(&barrier->node_motion[n], &barrier->slot_motion[node->first + k]);
    }
}

bool tl_barrier_create(tl_barrier *barrier, const tl_mesh *mesh, const tl_allocator *allocator)
{
    size_t points = (size_t)mesh->particle_count;
    *barrier = (tl_barrier){.mesh = mesh, .closed = true, .from = {.rotation = tl_quat_identity()}};
    barrier->to = barrier->from;
    for (int c = 0; c < 3; ++c) {
        barrier->x[c] = tl_allocate(allocator, points, sizeof(tl_real));
        barrier->x_old[c] = tl_allocate(allocator, points, sizeof(tl_real));
        if (!barrier->x[c] || !barrier->x_old[c])
            return false;
    }
    for (int p = 0; p < mesh->particle_count; ++p) {
        tl_put(barrier->x, p, mesh->position[p]);
        tl_put(barrier->x_old, p, mesh->position[p]);
    }
    for (int h = 0; h < 3 * mesh->face_count && barrier->closed; ++h)
        barrier->closed = mesh->twin[h] >= 0;
    if (!tl_bvh_build(&barrier->tree, allocator, mesh->face, mesh->face_count, barrier->x))
        return false;
    barrier->point = tl_allocate(allocator, points, sizeof *barrier->point);
    barrier->node_motion = tl_allocate(allocator, (size_t)barrier->tree.node_count, sizeof *barrier->node_motion);
    barrier->slot_motion = tl_allocate(allocator, (size_t)mesh->face_count, sizeof *barrier->slot_motion);
    if (!barrier->point || !barrier->node_motion || !barrier->slot_motion)
        return false;
    bound_points(barrier);
    return true;
}

void tl_barrier_destroy(tl_barrier *barrier, const tl_allocator *allocator)
{
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, barrier->x[c]);
        tl_release(allocator, barrier->x_old[c]);
    }
    tl_bvh_destroy(&barrier->tree, allocator);
    tl_release(allocator, barrier->point);
    tl_release(allocator, barrier->node_motion);
    tl_release(allocator, barrier->slot_motion);
}

void tl_barrier_moved(tl_barrier *barrier)
{
    ++barrier->shape;
    tl_bvh_fit(&barrier->tree, barrier->x, 0);
    bound_points(barrier);
    if (barrier->deforms)
        bound_motion(barrier);
}

static bool has_inside(const tl_barrier *barrier) { return barrier->solid && barrier->closed; }

tl_real tl_barrier_distance(const tl_barrier *barrier, tl_vec3 p, tl_vec3 *normal)
{
    return tl_mesh_distance(barrier->mesh, barrier->x, &barrier->tree, barrier->solid, p, normal);
}

bool tl_barrier_may_hold(const tl_barrier *barrier, tl_vec3 p)
{
    tl_box at = {{p.x, p.y, p.z, 0}, {p.x, p.y, p.z, 0}};
    return barrier->closed && barrier->tree.face_count > 0 && tl_boxes_overlap(&barrier->tree.node[0].box, &at);
}

/* ---- crossing ------------------------------------------------------------------------------------------------- */

typedef struct triangle {
    tl_vec3 corner[3];
} triangle;

static triangle triangle_at(const tl_barrier *barrier, tl_real *const x[3], int f)
{
    const int *p = barrier->mesh->face + 3 * (size_t)f;
    return (triangle){{tl_at(x, p[0]), tl_at(x, p[1]), tl_at(x, p[2])}};
}

/* A point near a deforming face, carried along with it: its height above the face and its coordinates within stay. */
static tl_vec3 carried(const triangle *before, const triangle *after, tl_vec3 p)
{
    tl_vec3 e1 = tl_sub(before->corner[1], before->corner[0]), e2 = tl_sub(before->corner[2], before->corner[0]);
    tl_vec3 from = tl_sub(p, before->corner[0]);
    tl_real d11 = tl_dot(e1, e1), d12 = tl_dot(e1, e2), d22 = tl_dot(e2, e2), p1 = tl_dot(from, e1),
            p2 = tl_dot(from, e2), det = d11 * d22 - d12 * d12;
    tl_vec3 moved = tl_sub(after->corner[0], before->corner[0]);
    if (!(det > 0))
        return tl_add(p, moved);
    tl_real b1 = (d22 * p1 - d12 * p2) / det, b2 = (d11 * p2 - d12 * p1) / det;
    tl_vec3 f1 = tl_sub(after->corner[1], after->corner[0]), f2 = tl_sub(after->corner[2], after->corner[0]);
    tl_vec3 place = tl_madd(tl_madd(after->corner[0], f1, b1), f2, b2);
    return tl_madd(place, tl_triangle_normal(after->corner), tl_dot(from, tl_triangle_normal(before->corner)));
}

/* Does the path p q cross the face? Decided by signs of volumes alone, so that no path slips between two faces. A
   path that starts or ends in the plane of the face counts as starting or ending on the other side. `front`: it
   starts on the side from which the face is counterclockwise. */
static bool crosses(const triangle *t, tl_vec3 p, tl_vec3 q, bool *front)
{
    const tl_vec3 *c = t->corner;
    int start = tl_orient3(c[0], c[1], c[2], p), end = tl_orient3(c[0], c[1], c[2], q);
    if (start == end)
        return false;
    *front = start != 0 ? start > 0 : end < 0;
    int a = tl_orient3(p, q, c[0], c[1]), b = tl_orient3(p, q, c[1], c[2]), d = tl_orient3(p, q, c[2], c[0]);
    return (a >= 0 && b >= 0 && d >= 0) || (a <= 0 && b <= 0 && d <= 0);
}

/* One face; keeps the earliest hit. */
static void try_face(const tl_barrier *barrier, int f, tl_vec3 p0, tl_vec3 p1, tl_barrier_hit *hit)
{
    triangle now = triangle_at(barrier, barrier->x, f);
    tl_vec3 start = p0;
    bool front;
    if (barrier->deforms) {
        triangle before = triangle_at(barrier, barrier->x_old, f);
        start = carried(&before, &now, p0);
    }
    if (!crosses(&now, start, p1, &front) || (has_inside(barrier) && !front))
        return;
    tl_vec3 n = tl_triangle_normal(now.corner), path = tl_sub(p1, start);
    tl_real above = tl_dot(tl_sub(start, now.corner[0]), n), along = tl_dot(path, n);
    tl_real t = along != 0 ? tl_clamp(-above / along, 0, 1) : 0;
    if (hit->face >= 0 && t >= hit->t)
        return;
    *hit = (tl_barrier_hit){f, t, tl_madd(start, path, t), front ? n : tl_scale(n, -1)};
}

/* Bounds of the path, grown by how far the mesh deforms: the carried start lies within. */
static tl_box path_bounds(const tl_barrier *barrier, tl_vec3 p0, tl_vec3 p1)
{
    const tl_real a[3] = {p0.x, p0.y, p0.z}, b[3] = {p1.x, p1.y, p1.z};
    tl_box box = {{0}, {0}};
    for (int c = 0; c < 3; ++c) {
        box.low[c] = tl_min(a[c], b[c]) - barrier->stir;
        box.high[c] = tl_max(a[c], b[c]) + barrier->stir;
    }
    return box;
}

bool tl_barrier_cross(const tl_barrier *barrier, tl_vec3 p0, tl_vec3 p1, tl_barrier_hit *hit)
{
    const tl_bvh *tree = &barrier->tree;
    tl_box box = path_bounds(barrier, p0, p1);
    int stack[TL_BVH_DEPTH], count = 0;
    hit->face = -1;
    if (tree->face_count > 0 && tl_boxes_overlap(&tree->node[0].box, &box))
        stack[count++] = 0;
    while (count > 0) {
        int n = stack[--count];
        const tl_bvh_node *node = &tree->node[n];
        if (node->right) {
            if (tl_boxes_overlap(&tree->node[node->right].box, &box))
                stack[count++] = node->right;
            if (tl_boxes_overlap(&tree->node[n + 1].box, &box))
                stack[count++] = n + 1;
            continue;
        }
        for (int k = 0; k < node->count; ++k) {
            int f = tree->order[node->first + k];
            if (tl_boxes_overlap(&tree->slot_box[node->first + k], &box))
                try_face(barrier, f, p0, p1, hit);
        }
    }
    return hit->face >= 0;
}

/* ---- response ------------------------------------------------------------------------------------------------- */

/* Velocity of the body at a point of face f, in the world. */
static tl_vec3 surface_velocity(const tl_barrier *barrier, int f, tl_vec3 place, tl_real h)
{
    tl_vec3 before = place;
    if (barrier->deforms) {
        triangle from = triangle_at(barrier, barrier->x, f), to = triangle_at(barrier, barrier->x_old, f);
        before = carried(&from, &to, place);
    } else if (barrier->still) {
        return tl_v3(0, 0, 0);
    }
    return tl_scale(tl_sub(tl_pose_apply(barrier->to, place), tl_pose_apply(barrier->from, before)), 1 / h);
}

/* The contact law of contact/body/convex_contact.c for velocities; the body takes the momentum that the particle
   loses. */
static void solve_velocity(tl_barrier *barrier, const tl_barrier_cloth *cloth, int i, const tl_barrier_hit *hit,
                           tl_real h, tl_real rest_speed)
{
    tl_vec3 surface = surface_velocity(barrier, hit->face, hit->place, h),
            n = tl_rotate(barrier->to.rotation, hit->normal);
    tl_vec3 v = tl_at(cloth->v, i), relative = tl_sub(v, surface);
    tl_real approach = -tl_dot(relative, n);
    if (!(approach > 0))
        return;
    tl_real bounce = approach > rest_speed ? barrier->restitution * approach : 0, change = approach + bounce;
    tl_real friction = tl_friction_between(cloth->friction, barrier->friction);
    tl_vec3 along = tl_madd(relative, n, approach);
    tl_real speed = tl_length(along), limit = friction * change, keep = speed > limit ? 1 - limit / speed : 0;
    tl_vec3 v_new = tl_add(surface, tl_madd(tl_scale(along, keep), n, bounce));
    tl_put(cloth->v, i, v_new);
    tl_vec3 impulse = tl_scale(tl_sub(v, v_new), 1 / cloth->w[i]);
    barrier->impulse = tl_add(barrier->impulse, impulse);
    barrier->moment = tl_add(barrier->moment, tl_cross(tl_rotate(barrier->to.rotation, hit->place), impulse));
    if (cloth->pressure)
        cloth->pressure[i] += change / cloth->w[i];
}

/* Moves the particle to a point of the body's frame if the path there, after rounding, crosses nothing. */
static bool put_if_clear(const tl_barrier *barrier, const tl_barrier_cloth *cloth, int i, tl_vec3 p0, tl_vec3 place)
{
    tl_vec3 x = tl_pose_apply(barrier->to, place);
    tl_barrier_hit hit;
    if (tl_barrier_cross(barrier, p0, tl_pose_undo(barrier->to, x), &hit))
        return false;
    tl_put(cloth->x, i, x);
    return true;
}

/* Where the particle started, carried along by the body. */
static tl_vec3 start_now(const tl_barrier *barrier, tl_vec3 p0, int face)
{
    if (!barrier->deforms)
        return p0;
    triangle before = triangle_at(barrier, barrier->x_old, face), now = triangle_at(barrier, barrier->x, face);
    return carried(&before, &now, p0);
}

static void solve_position(tl_barrier *barrier, const tl_barrier_cloth *cloth, int i, tl_vec3 p0, tl_vec3 p1,
                           const tl_barrier_hit *hit, bool revert)
{
    /* outside by the thickness, along the mesh as far as friction lets it; then without that; then back to the start */
    tl_vec3 out = tl_madd(hit->place, hit->normal, cloth->thickness), beyond = tl_sub(p1, out);
    tl_real depth = -tl_dot(beyond, hit->normal);
    tl_vec3 slip = tl_madd(beyond, hit->normal, depth);
    tl_real length = tl_length(slip), limit = tl_friction_between(cloth->friction, barrier->friction) * depth;
    slip = length > limit ? tl_scale(slip, 1 - limit / length) : tl_v3(0, 0, 0);
    if (!revert && (put_if_clear(barrier, cloth, i, p0, tl_add(out, slip)) || put_if_clear(barrier, cloth, i, p0, out)))
        return;
    if (barrier->still && !barrier->deforms)
        tl_put(cloth->x, i, tl_at(cloth->x_old, i)); /* to the bit */
    else
        tl_put(cloth->x, i, tl_pose_apply(barrier->to, start_now(barrier, p0, hit->face)));
}

bool tl_barrier_hold(tl_barrier *barrier, const tl_barrier_cloth *cloth, tl_real h, tl_real rest_speed, bool revert)
{
    bool any = false;
    barrier->impulse = barrier->moment = tl_v3(0, 0, 0);
    for (int i = 0; i < cloth->count; ++i) {
        if (!(cloth->w[i] > 0))
            continue;
        tl_vec3 p0 = tl_pose_undo(barrier->from, tl_at(cloth->x_old, i)),
                p1 = tl_pose_undo(barrier->to, tl_at(cloth->x, i));
        tl_barrier_hit hit;
        if (!isfinite(p1.x + p1.y + p1.z) || !tl_barrier_cross(barrier, p0, p1, &hit))
            continue;
        solve_position(barrier, cloth, i, p0, p1, &hit, revert);
        solve_velocity(barrier, cloth, i, &hit, h, rest_speed);
        cloth->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
        any = true;
    }
    return any;
}

/* Is particle i, at p in the body's frame, connected to one known to be outside by an edge that does not cross the
   mesh? Then it is outside too, which is much cheaper to find than its distance. */
static bool connected_to_outside(const tl_barrier *barrier, const tl_barrier_cloth *cloth, int i, tl_vec3 p)
{
    const tl_mesh *mesh = cloth->mesh;
    tl_barrier_hit hit;
    for (int k = mesh->particle_face_start[i]; k < mesh->particle_face_start[i + 1] && !barrier->deforms; ++k) {
        int other = mesh->face[tl_half_next(mesh->particle_face[k])];
        if (cloth->mark[other] & TL_BARRIER_OUTSIDE)
            return !tl_barrier_cross(barrier, tl_pose_undo(barrier->to, tl_at(cloth->x, other)), p, &hit);
    }
    return false;
}

/* Part of a distance by which rounding may misjudge it. */
#define CLEARANCE_ROUNDING ((tl_real)(1.0 / 1024))

/* Signed distance of particle i, at p in the body's frame; INFINITY while it cannot have come inside since its
   distance was last found. */
static tl_real distance_inside(const tl_barrier *barrier, tl_barrier_clearance *clearance, tl_vec3 p, tl_vec3 *normal)
{
    if (tl_length(tl_sub(p, clearance->at)) + barrier->stirred < clearance->until)
        return INFINITY;
    tl_mesh_nearest nearest =
        tl_mesh_find_nearest_from(barrier->mesh, barrier->x, &barrier->tree, p, INFINITY, clearance->face);
    if (nearest.face < 0) /* not finite */
        return INFINITY;
    tl_real distance = tl_mesh_side(barrier->mesh, barrier->x, &nearest, true, normal);
    *clearance = (tl_barrier_clearance){p, barrier->stirred + distance * (1 - CLEARANCE_ROUNDING), nearest.face};
    return distance;
}

bool tl_barrier_expel(tl_barrier *barrier, const tl_barrier_cloth *cloth)
{
    bool any = false;
    if (!has_inside(barrier))
        return false;
    for (int i = 0; i < cloth->count; ++i) {
        tl_vec3 p = tl_pose_undo(barrier->to, tl_at(cloth->x, i)), n;
        if (!tl_barrier_may_hold(barrier, p) || connected_to_outside(barrier, cloth, i, p)) {
            cloth->mark[i] |= TL_BARRIER_OUTSIDE;
            continue;
        }
        tl_real distance = distance_inside(barrier, &cloth->clearance[i], p, &n);
        cloth->mark[i] |= distance > 0 ? TL_BARRIER_OUTSIDE : 0;
        if (!(distance < 0) || !(cloth->w[i] > 0))
            continue;
        tl_put(cloth->x, i, tl_pose_apply(barrier->to, tl_madd(p, n, cloth->thickness - distance)));
        cloth->mark[i] |= TL_INSIDE;
        any = true;
    }
    for (int i = 0; i < cloth->count; ++i)
        cloth->mark[i] &= (unsigned char)~TL_BARRIER_OUTSIDE;
    return any;
}
