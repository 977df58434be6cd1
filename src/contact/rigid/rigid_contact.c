#include "contact/rigid/rigid_contact.h"

#include "collide/shapes/shapes.h"

bool tl_shape_can_be_dynamic(const tl_shape_class *shape)
{
    return shape == &tl_shape_sphere || shape == &tl_shape_box;
}

/* ---- manifold ------------------------------------------------------------------------------------------------- */

typedef struct finder {
    const tl_rigid_collider *a, *b;
    tl_real slack;
    tl_contact_point *out;
    int count;
} finder;

static void add(finder *f, tl_vec3 place, tl_vec3 normal, tl_real depth)
{
    if (!(depth >= -f->slack))
        return;
    int at = f->count;
    for (int k = 0; k < f->count; ++k) {
        tl_vec3 apart = tl_sub(f->out[k].place, place);
        if (tl_dot(apart, apart) == 0)
            return; /* a corner shared by several faces */
        if (f->count == TL_MAX_MANIFOLD_POINTS && (at == f->count || f->out[k].depth < f->out[at].depth))
            at = k; /* full: replaces the shallowest */
    }
    if (at == TL_MAX_MANIFOLD_POINTS || (at < f->count && f->out[at].depth >= depth))
        return;
    f->out[at] = (tl_contact_point){place, normal, depth};
    f->count += at == f->count;
}

/* Signed distance of a world point from a convex shape, with the normal in world axes. */
static tl_real distance_of(const tl_rigid_collider *body, tl_vec3 place, tl_vec3 *normal)
{
    tl_vec3 n;
    tl_real d = body->shape->distance(body->size, tl_pose_undo(body->pose, place), &n);
    *normal = tl_rotate(body->pose.rotation, n);
    return d;
}

static tl_vec3 corner_of(const tl_rigid_collider *box, int k)
{
    tl_vec3 half = tl_scale(box->size, (tl_real)0.5);
    return tl_pose_apply(box->pose,
                         tl_v3(k & 1 ? half.x : -half.x, k & 2 ? half.y : -half.y, k & 4 ? half.z : -half.z));
}

/* A ball at `center`, part of a (`of_a`) or of b, against the other, convex body. */
static void try_ball(finder *f, tl_vec3 center, tl_real radius, bool of_a)
{
    tl_vec3 n;
    tl_real d = distance_of(of_a ? f->b : f->a, center, &n) - radius;
    add(f, tl_madd(center, n, -radius), of_a ? n : tl_scale(n, -1), -d);
}

/* A corner of a against the convex b: the entry of the ray to it from the centre of a, so that it is pushed back to
   that side however thin b is; when the centre is itself inside, the nearest point of the surface. */
static void try_corner(finder *f, tl_vec3 corner)
{
    const tl_rigid_collider *b = f->b;
    tl_vec3 from = tl_pose_undo(b->pose, f->a->pose.position), to = tl_pose_undo(b->pose, corner),
            ray = tl_sub(to, from), n;
    tl_real length = tl_length(ray), t;
    if (!(b->shape->distance(b->size, from, &n) > 0) || !(length > 0)) {
        try_ball(f, corner, 0, true);
        return;
    }
    tl_vec3 beyond = tl_madd(to, ray, f->slack / length); /* within the slack counts as contact */
    if (!b->shape->cast(b->size, 0, from, beyond, &t, &n))
        return;
    tl_vec3 place = tl_madd(from, tl_sub(beyond, from), t);
    add(f, tl_pose_apply(b->pose, place), tl_rotate(b->pose.rotation, n), tl_dot(tl_sub(place, to), n));
}

/* The nearest points of two convex shapes, or where they overlap least along a normal of either. */
static void try_nearest(finder *f)
{
    tl_vec3 p = f->b->pose.position, n, m;
    for (int k = 0; k < TL_RIGID_PROJECTIONS; ++k) {
        tl_real to_a = distance_of(f->a, p, &n);
        p = to_a > 0 ? tl_madd(p, n, -to_a) : p;
        tl_real to_b = distance_of(f->b, p, &m);
        p = to_b > 0 ? tl_madd(p, m, -to_b) : p;
    }
    tl_real in_a = distance_of(f->a, p, &n), in_b = distance_of(f->b, p, &m);
    if (in_a > 0)
        add(f, p, tl_scale(n, -1), -in_a);
    else
        add(f, p, in_a > in_b ? tl_scale(n, -1) : m, -tl_max(in_a, in_b));
}

/* Tests the corners or ends of b against the box a. True when these are all the contacts there can be. */
static bool try_features_of_b(finder *f)
{
    const tl_rigid_collider *b = f->b;
    if (b->shape == &tl_shape_plane)
        return true;
    if (b->shape == &tl_shape_sphere) {
        try_ball(f, b->pose.position, b->size.x, false);
        return true;
    }
    if (b->shape == &tl_shape_capsule)
        for (int k = -2; k <= 2; ++k)
            try_ball(f, tl_pose_apply(b->pose, tl_v3(0, (tl_real)k / 4 * b->size.y, 0)), b->size.x, false);
    if (b->shape == &tl_shape_box)
        for (int k = 0; k < 8; ++k)
            try_ball(f, corner_of(b, k), 0, false);
    return false;
}

/* ---- triangles ------------------------------------------------------------------------------------------------ */

/* The ray from the centre of a to a point of its surface must not cross a face. */
static void try_ray(finder *f, tl_vec3 place)
{
    const tl_rigid_collider *b = f->b;
    tl_vec3 from = tl_pose_undo(b->pose, f->a->pose.position), to = tl_pose_undo(b->pose, place),
            ray = tl_sub(to, from);
    tl_real length = tl_length(ray);
    tl_barrier_hit hit;
    if (!(length > 0))
        return;
    tl_vec3 beyond = tl_madd(to, ray, f->slack / length); /* within the slack counts as contact */
    if (!tl_barrier_cross(b->barrier, from, beyond, &hit))
        return;
    tl_real depth = tl_dot(tl_sub(hit.place, to), hit.normal);
    add(f, tl_pose_apply(b->pose, hit.place), tl_rotate(b->pose.rotation, hit.normal), depth);
}

/* Vertices of the mesh inside a box; the normal of the box's nearest face pushes it away from them. */
static void try_points_in_box(finder *f)
{
    const tl_barrier *barrier = f->b->barrier;
    tl_real reach = tl_length(f->a->size) / 2;
    tl_vec3 middle = tl_pose_undo(f->b->pose, f->a->pose.position);
    tl_box box = {{middle.x - reach, middle.y - reach, middle.z - reach, 0},
                  {middle.x + reach, middle.y + reach, middle.z + reach, 0}};
    const tl_bvh *tree = &barrier->tree;
    for (int n = 0; n < tree->node_count;) { /* nodes follow their parents: a subtree is skipped as a whole */
        const tl_bvh_node *node = &tree->node[n];
        bool overlaps = tl_boxes_overlap(&tree->node[n].box, &box);
        for (int k = 0; overlaps && !node->right && k < node->count; ++k)
            for (int c = 0; c < 3; ++c) {
                int p = tree->face[3 * (size_t)tree->order[node->first + k] + (size_t)c];
                tl_vec3 place = tl_pose_apply(f->b->pose, tl_at(barrier->x, p)), normal;
                tl_real d = distance_of(f->a, place, &normal);
                if (d < 0)
                    add(f, place, tl_scale(normal, -1), -d);
            }
        n = overlaps || !node->right ? n + 1 : tl_bvh_after(tree, n);
    }
}

static void find_on_triangles(finder *f)
{
    const tl_rigid_collider *a = f->a, *b = f->b;
    if (a->shape == &tl_shape_sphere) {
        tl_vec3 n, local = tl_pose_undo(b->pose, a->pose.position);
        tl_real d = tl_barrier_distance(b->barrier, local, &n) - a->size.x;
        n = tl_rotate(b->pose.rotation, n);
        add(f, tl_madd(a->pose.position, n, -a->size.x), n, -d);
        return;
    }
    for (int k = 0; k < 8; ++k)
        try_ray(f, corner_of(a, k));
    for (int axis = 0; axis < 6; ++axis) {
        tl_real side = axis < 3 ? (tl_real)0.5 : (tl_real)-0.5;
        tl_vec3 middle = tl_v3(axis % 3 == 0 ? side * a->size.x : 0, axis % 3 == 1 ? side * a->size.y : 0,
                               axis % 3 == 2 ? side * a->size.z : 0);
        try_ray(f, tl_pose_apply(a->pose, middle));
    }
    try_points_in_box(f);
}

int tl_rigid_manifold(const tl_rigid_collider *a, const tl_rigid_collider *b, tl_real slack,
                      tl_contact_point out[TL_MAX_MANIFOLD_POINTS])
{
    finder f = {a, b, slack, out, 0};
    if (b->barrier)
        find_on_triangles(&f);
    else if (a->shape == &tl_shape_sphere)
        try_ball(&f, a->pose.position, a->size.x, true);
    else {
        for (int k = 0; k < 8; ++k)
            try_corner(&f, corner_of(a, k));
        if (!try_features_of_b(&f) && f.count == 0)
            try_nearest(&f);
    }
    return f.count;
}

/* ---- impulses ------------------------------------------------------------------------------------------------- */

typedef struct contact {
    tl_vec3 arm_a, arm_b;
    tl_real target;  /* m/s, target velocity along the normal */
    tl_real normal;  /* N·s so far */
    tl_vec3 tangent; /* N·s so far */
} contact;

static void push_both(tl_rigid_state *a, tl_rigid_state *b, const contact *c, tl_vec3 impulse)
{
    tl_rigid_apply_impulse(a, c->arm_a, impulse);
    tl_rigid_apply_impulse(b, c->arm_b, tl_scale(impulse, -1));
}

static tl_vec3 relative_velocity(const tl_rigid_state *a, const tl_rigid_state *b, const contact *c)
{
    return tl_sub(tl_rigid_velocity_at(a, c->arm_a), tl_rigid_velocity_at(b, c->arm_b));
}

static tl_real inverse_mass_along(const tl_rigid_state *a, const tl_rigid_state *b, const contact *c, tl_vec3 direction)
{
    return tl_rigid_inverse_mass_at(a, c->arm_a, direction) + tl_rigid_inverse_mass_at(b, c->arm_b, direction);
}

static void solve_point(tl_rigid_state *a, tl_rigid_state *b, contact *c, tl_vec3 n, tl_real friction)
{
    tl_real both = inverse_mass_along(a, b, c, n);
    if (!(both > 0))
        return;
    tl_real normal_before = c->normal;
    c->normal = tl_max(0, normal_before + (c->target - tl_dot(relative_velocity(a, b, c), n)) / both);
    push_both(a, b, c, tl_scale(n, c->normal - normal_before));
    tl_vec3 u = relative_velocity(a, b, c), slip = tl_madd(u, n, -tl_dot(u, n));
    tl_real speed = tl_length(slip);
    if (!(speed > 0) || !(friction > 0))
        return;
    tl_vec3 tangent_before = c->tangent, along = tl_scale(slip, 1 / speed);
    tl_vec3 wanted = tl_madd(tangent_before, along, -speed / inverse_mass_along(a, b, c, along));
    tl_real length = tl_length(wanted), limit = friction * c->normal;
    c->tangent = length > limit ? tl_scale(wanted, limit / length) : wanted;
    push_both(a, b, c, tl_sub(c->tangent, tangent_before));
}

void tl_rigid_contact_solve(tl_rigid_state *a, tl_vec3 center_a, tl_rigid_state *b, tl_vec3 center_b,
                            const tl_contact_point *points, int count, const tl_rigid_contact_law *law)
{
    contact all[TL_MAX_MANIFOLD_POINTS];
    for (int k = 0; k < count; ++k) {
        all[k] = (contact){.arm_a = tl_sub(points[k].place, center_a), .arm_b = tl_sub(points[k].place, center_b)};
        tl_real approach = -tl_dot(relative_velocity(a, b, &all[k]), points[k].normal);
        /* points still apart may close their gap in the next substep */
        tl_real gap = tl_max(0, -points[k].depth) / law->h;
        all[k].target = approach <= gap ? -gap : approach > law->rest_speed ? law->restitution * approach : -gap;
    }
    for (int sweep = 0; sweep < (count > 1 ? TL_RIGID_SWEEPS : 1); ++sweep)
        for (int k = 0; k < count; ++k)
            solve_point(a, b, &all[k], points[k].normal, law->friction);
}
