#include "world/nurbs.h"

#include "world/body_mesh.h"
#include "world/definition.h"

#include <math.h>
#include <string.h>

/* m; the surface moves by no more when the net takes over. */
static const tl_real MAX_JUMP = (tl_real)0.001;
/* s, without a body near before it does: cloth that bounces would go to and fro. */
static const tl_real CALM = (tl_real)0.25;
/* A body is near when it could be met within so many frames, at the present speeds. */
static const tl_real FRAMES_AHEAD = 2;
enum { CONTACT_PASSES = 4, EDGES = 4 };

/* ---- making and settings ----------------------------------------------------------------------------------------- */

static bool is(const tl_cloth *cloth, const char *surface)
{
    return cloth->def.surface && strcmp(cloth->def.surface, surface) == 0;
}

/* The net's settings are the cloth's. It meets nothing itself and has what the particles weigh. */
static tl_cloth_def net_def(const tl_cloth *cloth)
{
    tl_cloth_def def = cloth->def;
    def.mark = tl_def_mark_of(TL_DEF_CLOTH, sizeof def);
    def.surface = "particles";
    def.columns = cloth->def.nurbs_columns;
    def.rows = cloth->def.nurbs_rows;
    def.contact = "none";
    def.mass_spread = "equal";
    def.gravity_as_force = false;
    def.gas.on = false;
    def.pins = NULL;
    def.pin_count = 0;
    return def;
}

static tl_result check(const tl_cloth *cloth, tl_error *error)
{
    const tl_mesh *mesh = cloth->mesh;
    const char *label = cloth->def.label;
    if (!mesh->lattice)
        return tl_fail(error, TL_ERROR_INPUT, "%s.surface: only a sheet can be a NURBS surface", label);
    if (cloth->def.nurbs_columns > mesh->columns || cloth->def.nurbs_rows > mesh->rows)
        return tl_fail(error, TL_ERROR_INPUT, "%s.surface: %d × %d control points for %d × %d particles", label,
                       cloth->def.nurbs_columns, cloth->def.nurbs_rows, mesh->columns, mesh->rows);
    return TL_OK;
}

static tl_result create(tl_cloth *cloth, tl_error *error)
{
    const tl_allocator *allocator = &cloth->world->allocator;
    tl_nurbs *n = cloth->nurbs = tl_allocate(allocator, 1, sizeof *n);
    if (!n)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for a NURBS surface");
    n->calm = CALM;
    const int columns = cloth->mesh->columns, rows = cloth->mesh->rows;
    const int net_columns = cloth->def.nurbs_columns, net_rows = cloth->def.nurbs_rows;
    bool made =
        tl_spline_build(&n->u, allocator, columns, net_columns) && tl_spline_build(&n->v, allocator, rows, net_rows);
    made = made && (n->rows = tl_allocate(allocator, (size_t)net_rows * (size_t)columns, sizeof *n->rows)) &&
           (n->sums = tl_allocate(allocator, (size_t)net_rows * (size_t)(columns + net_columns), sizeof *n->sums));
    made = made && (n->line = tl_allocate(allocator, (size_t)columns, sizeof *n->line));
    size_t pins = 4 * (size_t)(columns + rows); /* at most all sides are pinned; twice */
    for (int k = 0; k < 3 && made; ++k)
        made = (n->mapped[k] = tl_system_array(&cloth->system)) &&
               (n->kept[k] = tl_allocate(allocator, pins, sizeof(tl_real)));
    if (!made)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for a NURBS surface");
    tl_cloth_def def = net_def(cloth);
    n->control = tl_cloth_create_hidden(cloth->world, &def, error);
    if (!n->control)
        return error->code;
    n->control->surface_of = cloth;
    n->control->index = cloth->index;
    return TL_OK;
}

/* M = Wᵀ m and, with gravity as force, the weights. */
static tl_result weigh(tl_cloth *cloth, tl_error *error)
{
    tl_nurbs *n = cloth->nurbs;
    tl_system *net = &n->control->system;
    tl_nurbs_gather(n, cloth->mesh, cloth->system.p.m, net->p.m);
    for (int j = 0; j < net->p.count; ++j)
        net->p.w[j] = net->p.w[j] > 0 ? 1 / net->p.m[j] : 0;
    net->area_density = cloth->system.area_density;
    net->even_weight = cloth->system.even_weight;
    if (!net->even_weight)
        return TL_OK;
    bool made = net->weight || (net->weight = tl_system_array(net));
    for (int c = 0; c < 3 && made; ++c)
        made = net->held_force[c] || (net->held_force[c] = tl_system_array(net));
    if (!made)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for weights");
    tl_nurbs_gather(n, cloth->mesh, cloth->system.weight, net->weight);
    return TL_OK;
}

void tl_nurbs_destroy(tl_cloth *cloth)
{
    tl_nurbs *n = cloth->nurbs;
    const tl_allocator *allocator = &cloth->world->allocator;
    if (!n)
        return;
    if (n->control)
        tl_cloth_free(n->control);
    tl_spline_destroy(&n->u, allocator);
    tl_spline_destroy(&n->v, allocator);
    tl_release(allocator, n->rows);
    tl_release(allocator, n->sums);
    tl_release(allocator, n->line);
    for (int k = 0; k < 3; ++k) {
        tl_release(allocator, n->mapped[k]);
        tl_release(allocator, n->kept[k]);
    }
    tl_release(allocator, n);
    cloth->nurbs = NULL;
}

/* ---- pins -------------------------------------------------------------------------------------------------------- */

/* One side of the grid: its vertices and those of the net along it. */
typedef struct side {
    int first, step, count;             /* vertices of the grid */
    int net_first, net_step, net_count; /* of the net */
    const tl_spline *spline;
} side;

static void sides_of(const tl_cloth *cloth, side sides[EDGES])
{
    const tl_nurbs *n = cloth->nurbs;
    const int columns = n->u.samples, rows = n->v.samples, nc = n->u.controls, nr = n->v.controls;
    sides[0] = (side){0, 1, columns, 0, 1, nc, &n->u};
    sides[1] = (side){(rows - 1) * columns, 1, columns, (nr - 1) * nc, 1, nc, &n->u};
    sides[2] = (side){0, columns, rows, 0, nc, nr, &n->v};
    sides[3] = (side){columns - 1, columns, rows, nc - 1, nc, nr, &n->v};
}

static bool pinned(const tl_cloth *cloth, int vertex) { return !(cloth->system.p.w[cloth->mesh->lattice[vertex]] > 0); }

/* Control points along a whole side that is pinned, where the pins get in this frame. */
static void pull_side(tl_cloth *cloth, const side *s)
{
    tl_real *const *reach = cloth->nurbs->mapped;
    double sums[3][TL_NURBS_MOST] = {{0}};
    for (int i = 0; i < s->count; ++i)
        for (int k = 0; k < TL_SPLINE_ORDER; ++k)
            for (int c = 0; c < 3; ++c)
                sums[c][s->spline->first[i] + k] += (double)s->spline->weight[TL_SPLINE_ORDER * i + k] *
                                                    (double)reach[c][cloth->mesh->lattice[s->first + i * s->step]];
    for (int c = 0; c < 3; ++c)
        tl_spline_solve(s->spline, sums[c], 1, 1);
    tl_cloth *control = cloth->nurbs->control;
    for (int j = 0; j < s->net_count; ++j) {
        int particle = control->mesh->lattice[s->net_first + j * s->net_step];
        for (int k = 0; k < control->pin_count; ++k)
            if (control->pins[k].particle == particle)
                control->pins[k].reach = control->pins[k].target =
                    tl_v3((tl_real)sums[0][j], (tl_real)sums[1][j], (tl_real)sums[2][j]);
    }
}

static bool pin_net(tl_cloth *control, int vertex, bool held) { return tl_cloth_pin(control, vertex, held) == TL_OK; }

/* Pins the control points of whole sides and of corners, where the cloth is pinned there. False when it is pinned
   elsewhere too, for which the net has no point. */
static bool follow_pins(tl_cloth *cloth)
{
    tl_nurbs *n = cloth->nurbs;
    tl_cloth *control = n->control;
    side sides[EDGES];
    bool whole[EDGES], made = true;
    int covered = 0;
    sides_of(cloth, sides);
    for (int e = 0; e < EDGES; ++e) {
        whole[e] = true;
        for (int i = 0; i < sides[e].count && whole[e]; ++i)
            whole[e] = pinned(cloth, sides[e].first + i * sides[e].step);
        for (int j = 1; j + 1 < sides[e].net_count; ++j)
            made = pin_net(control, sides[e].net_first + j * sides[e].net_step, whole[e]) && made;
        covered += whole[e] ? sides[e].count - 2 : 0;
    }
    for (int corner = 0; corner < 4; ++corner) {
        const side *s = &sides[corner / 2];
        bool end = corner % 2 == 1, held = pinned(cloth, s->first + (end ? s->count - 1 : 0) * s->step);
        made = pin_net(control, s->net_first + (end ? s->net_count - 1 : 0) * s->net_step, held) && made;
        covered += held;
    }
    if (covered != cloth->pin_count || !made)
        return false;
    if (cloth->pin_count == 0)
        return true;
    for (int k = 0; k < cloth->pin_count; ++k) /* `mapped` is free here: a vector per particle */
        tl_put(n->mapped, cloth->pins[k].particle, cloth->pins[k].reach);
    for (int e = 0; e < EDGES; ++e)
        if (whole[e])
            pull_side(cloth, &sides[e]);
    for (int k = 0; k < control->pin_count; ++k) { /* corners exactly */
        int vertex = control->mesh->vertex_of_particle[control->pins[k].particle];
        int c = vertex % n->u.controls, r = vertex / n->u.controls;
        if ((c == 0 || c == n->u.controls - 1) && (r == 0 || r == n->v.controls - 1)) {
            int fine = (r ? n->v.samples - 1 : 0) * n->u.samples + (c ? n->u.samples - 1 : 0);
            control->pins[k].reach = control->pins[k].target = tl_at(n->mapped, cloth->mesh->lattice[fine]);
        }
    }
    return true;
}

tl_result tl_nurbs_configure(tl_cloth *cloth, tl_error *error)
{
    if (cloth->surface_of || (is(cloth, "particles") && !cloth->nurbs))
        return TL_OK;
    tl_result result = check(cloth, error);
    if (result == TL_OK && !cloth->nurbs && (result = create(cloth, error)) != TL_OK)
        tl_nurbs_destroy(cloth);
    if (result != TL_OK)
        return result;
    tl_cloth *control = cloth->nurbs->control;
    tl_def_mark mark = control->def.mark;
    control->def = net_def(cloth);
    control->def.mark = mark;
    control->stability.frequency = 0; /* of other masses */
    result = weigh(cloth, error);
    if (result == TL_OK)
        result = tl_cloth_configure(control, error);
    if (result != TL_OK)
        return result;
    follow_pins(cloth);         /* so that a snapshot finds them */
    return weigh(cloth, error); /* configuring took the weights for those of an ordinary cloth */
}

/* ---- which of the two ------------------------------------------------------------------------------------------- */

static tl_real fastest(const tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    tl_real square = 0;
    for (int i = 0; i < p->count; ++i)
        square = tl_max(square, tl_dot(tl_at(p->v, i), tl_at(p->v, i)));
    return sqrt(square);
}

/* How far the surface of a body can move in the frame. */
static tl_real travel_of(const tl_body *body, tl_point origin, tl_real reach)
{
    tl_pose from = tl_body_pose_from(body, origin, 0), to = tl_body_pose_from(body, origin, 1);
    tl_real along = fabs(from.rotation.x * to.rotation.x + from.rotation.y * to.rotation.y +
                         from.rotation.z * to.rotation.z + from.rotation.w * to.rotation.w);
    tl_real turn = along < 1 ? 2 * sqrt(1 - along * along) : 0; /* at least half the sine of half the angle, doubled */
    return tl_length(tl_sub(to.position, from.position)) + 2 * turn * reach;
}

static tl_real distance_of(const tl_body *body, tl_pose pose, tl_vec3 x)
{
    tl_vec3 normal;
    return body->shape->distance(body->def.size, tl_rotate(tl_quat_conjugate(pose.rotation), tl_sub(x, pose.position)),
                                 &normal);
}

static bool is_near(const tl_cloth *cloth, const tl_body *body, tl_vec3 low, tl_vec3 high, tl_real margin)
{
    tl_pose pose = tl_body_pose_from(body, cloth->origin, 1);
    if (body->shape->bottomless) {
        for (int corner = 0; corner < 8; ++corner) {
            tl_vec3 at = tl_v3(corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z);
            if (distance_of(body, pose, at) < margin)
                return true;
        }
        return false;
    }
    tl_real radius = tl_length(body->shape->extent(body->def.size));
    margin += travel_of(body, cloth->origin, radius);
    tl_vec3 c = pose.position,
            nearest = tl_v3(tl_clamp(c.x, low.x, high.x), tl_clamp(c.y, low.y, high.y), tl_clamp(c.z, low.z, high.z));
    if (tl_length(tl_sub(nearest, c)) > radius + margin)
        return false;
    for (int i = 0; i < cloth->system.p.count; ++i)
        if (distance_of(body, pose, tl_at(cloth->system.p.x, i)) < margin)
            return true;
    return false;
}

/* Whether a body could be met in the next frames. */
static bool body_near(const tl_cloth *cloth, tl_real dt)
{
    const tl_world *world = cloth->world;
    const tl_particles *p = &cloth->system.p;
    if (!cloth->contact->bodies || world->body_count == 0)
        return false;
    tl_vec3 low = tl_at(p->x, 0), high = low;
    for (int i = 1; i < p->count; ++i) {
        tl_vec3 x = tl_at(p->x, i);
        low = tl_v3(tl_min(low.x, x.x), tl_min(low.y, x.y), tl_min(low.z, x.z));
        high = tl_v3(tl_max(high.x, x.x), tl_max(high.y, x.y), tl_max(high.z, x.z));
    }
    tl_real speed = fastest(cloth) + tl_length(world->def.gravity) * dt;
    tl_real margin = cloth->def.thickness + cloth->mean_edge + FRAMES_AHEAD * speed * dt;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->def.on && world->bodies[b]->shape && is_near(cloth, world->bodies[b], low, high, margin))
            return true;
    return false;
}

static double momentum(const tl_particles *p, int c)
{
    double sum = 0;
    for (int i = 0; i < p->count; ++i)
        sum += (double)p->m[i] * (double)p->v[c][i];
    return sum;
}

/* Farthest that a free particle is from the surface. */
static tl_real farthest_off(const tl_cloth *cloth)
{
    const tl_nurbs *n = cloth->nurbs;
    const tl_particles *p = &cloth->system.p;
    tl_nurbs_map(n, cloth->mesh, n->control->system.p.x, n->mapped);
    tl_real square = 0;
    for (int i = 0; i < p->count; ++i)
        if (p->w[i] > 0) {
            tl_vec3 off = tl_sub(tl_at(p->x, i), tl_at(n->mapped, i));
            square = tl_max(square, tl_dot(off, off));
        }
    return sqrt(square);
}

/* Lays the net through the particles, with their momentum. */
static void take_over(tl_cloth *cloth)
{
    tl_nurbs *n = cloth->nurbs;
    tl_cloth *control = n->control;
    tl_particles *net = &control->system.p;
    control->origin = control->own_origin = cloth->origin;
    tl_nurbs_fit(n, cloth->mesh, cloth->system.p.x, net->x);
    tl_nurbs_fit(n, cloth->mesh, cloth->system.p.v, net->v);
    double mass = 0;
    for (int j = 0; j < net->count; ++j)
        mass += net->w[j] > 0 ? (double)net->m[j] : 0;
    for (int c = 0; c < 3 && mass > 0; ++c) {
        tl_real missing = (tl_real)((momentum(&cloth->system.p, c) - momentum(net, c)) / mass);
        for (int j = 0; j < net->count; ++j)
            net->v[c][j] += net->w[j] > 0 ? missing : 0;
    }
    tl_system_clear_low(&control->system);
    control->system.lag = cloth->system.lag;
    control->system.history_step = 0;
    tl_pins_changed(control);
    tl_cloth_forget_past(control);
    tl_balance_forget(control);
}

static void say_particles(tl_cloth *cloth, const char *why)
{
    tl_world *world = cloth->world;
    if (cloth->nurbs->said || !world->def.log)
        return;
    cloth->nurbs->said = true;
    tl_error line;
    tl_fail(&line, TL_ERROR_UNSUPPORTED, "%s: its particles are simulated instead of a NURBS surface: %s",
            cloth->def.label, why);
    (world->def.log)(world->def.log_user, line.message); /* parentheses: not the log macro of tgmath.h */
}

/* Whether the net takes this frame; it is then where the particles are. */
static bool net_takes(tl_cloth *cloth, tl_real dt)
{
    tl_nurbs *n = cloth->nurbs;
    bool hybrid = is(cloth, "hybrid");
    if (hybrid && body_near(cloth, dt)) {
        n->calm = 0;
        return false;
    }
    n->calm += dt;
    if (!follow_pins(cloth)) {
        say_particles(cloth, "a net has points for whole pinned sides and for corners only");
        return false;
    }
    if (n->active && farthest_off(cloth) == 0) /* nobody moved them meanwhile */
        return true;
    if (hybrid && !n->active && n->calm < CALM)
        return false;
    take_over(cloth);
    if (!hybrid || farthest_off(cloth) <= MAX_JUMP)
        return true;
    n->calm = 0;
    return false;
}

/* ---- a frame ---------------------------------------------------------------------------------------------------- */

/* W c and W ċ, but for pinned particles. */
static void map_state(tl_cloth *cloth)
{
    const tl_nurbs *n = cloth->nurbs;
    const tl_particles *p = &cloth->system.p;
    for (int k = 0; k < cloth->pin_count; ++k) {
        int i = cloth->pins[k].particle;
        tl_put(n->kept, 2 * k, tl_at(p->x, i));
        tl_put(n->kept, 2 * k + 1, tl_at(p->v, i));
    }
    tl_nurbs_map(n, cloth->mesh, n->control->system.p.x, p->x);
    tl_nurbs_map(n, cloth->mesh, n->control->system.p.v, p->v);
    for (int k = 0; k < cloth->pin_count; ++k) {
        int i = cloth->pins[k].particle;
        tl_put(p->x, i, tl_at(n->kept, 2 * k));
        tl_put(p->v, i, tl_at(n->kept, 2 * k + 1));
    }
}

static void pass_forces(tl_cloth *cloth)
{
    tl_system *system = &cloth->system, *net = &cloth->nurbs->control->system;
    net->has_user_force = system->has_user_force;
    for (int c = 0; c < 3 && system->has_user_force; ++c)
        tl_nurbs_gather(cloth->nurbs, cloth->mesh, system->user_force[c], net->user_force[c]);
}

bool tl_nurbs_step(tl_cloth *cloth, tl_real dt, void (*step)(tl_cloth *cloth, tl_real dt))
{
    tl_nurbs *n = cloth->nurbs;
    if (!n || is(cloth, "particles"))
        return false;
    if (cloth->system.gas.on) {
        say_particles(cloth, "it is filled with gas");
        return false;
    }
    if (!net_takes(cloth, dt)) {
        n->active = false;
        return false;
    }
    n->active = true;
    tl_cloth *control = n->control;
    tl_cloth_begin_passive(cloth, dt);
    pass_forces(cloth);
    step(control, dt);
    map_state(cloth);
    tl_cloth_end_passive(cloth, control);
    return true;
}

int tl_nurbs_simulated(const tl_cloth *cloth)
{
    return (cloth->nurbs && cloth->nurbs->active ? cloth->nurbs->control : cloth)->system.p.count;
}

/* ---- contact ---------------------------------------------------------------------------------------------------- */

/* Length of the longest link between neighbours of the net, diagonally across a patch: a point of the surface is no
   farther than that from each of its control points. */
static tl_real patch_reach(const tl_cloth *cloth)
{
    const tl_nurbs *n = cloth->nurbs;
    const tl_mesh *net = n->control->mesh;
    tl_real *const *x = n->control->system.p.x;
    tl_real square = 0;
    for (int r = 0; r < n->v.controls; ++r)
        for (int c = 0; c < n->u.controls; ++c)
            for (int along = 0; along < 2; ++along) {
                int at = r * n->u.controls + c, next = at + (along ? 1 : n->u.controls);
                if (along ? c + 1 == n->u.controls : r + 1 == n->v.controls)
                    continue;
                tl_vec3 edge = tl_sub(tl_at(x, net->lattice[at]), tl_at(x, net->lattice[next]));
                square = tl_max(square, tl_dot(edge, edge));
            }
    return 2 * (TL_SPLINE_ORDER - 1) * sqrt(square);
}

/* Whether the surface may meet a body on its way through the substep. Each of its points has a control point within the
   reach of half a patch. */
static bool surface_near(const tl_cloth *cloth)
{
    const tl_system *net = &cloth->nurbs->control->system;
    tl_real reach = patch_reach(cloth) / 2 + cloth->def.thickness, moved = 0;
    for (int j = 0; j < net->p.count; ++j)
        moved = tl_max(moved, tl_length(tl_sub(tl_at(net->p.x, j), tl_at(net->x_old, j))));
    for (int b = 0; b < cloth->world->body_count; ++b) {
        const tl_body *body = cloth->world->bodies[b];
        if (!body->def.on || !body->shape)
            continue;
        tl_real own = body->shape->bottomless ? 0 : tl_length(body->shape->extent(body->def.size));
        tl_real margin = reach + moved + travel_of(body, cloth->origin, own);
        tl_pose pose = tl_body_pose_from(body, cloth->origin, cloth->substep_to);
        for (int j = 0; j < net->p.count; ++j) {
            tl_vec3 x = tl_at(net->p.x, j);
            if ((body->shape->bottomless || tl_length(tl_sub(x, pose.position)) < own + margin) &&
                distance_of(body, pose, x) < margin)
                return true;
        }
    }
    return false;
}

/* The weights of a particle over 4 × 4 control points, and these. */
typedef struct patch {
    int particle[TL_SPLINE_ORDER * TL_SPLINE_ORDER];
    tl_real weight[TL_SPLINE_ORDER * TL_SPLINE_ORDER];
    tl_real yields; /* 1/kg, Σ weight² / mass */
} patch;

static patch patch_of(const tl_nurbs *n, int row, int column)
{
    patch at = {.yields = 0};
    for (int r = 0; r < TL_SPLINE_ORDER; ++r)
        for (int c = 0; c < TL_SPLINE_ORDER; ++c) {
            int k = TL_SPLINE_ORDER * r + c;
            at.particle[k] = n->control->mesh->lattice[(n->v.first[row] + r) * n->u.controls + n->u.first[column] + c];
            at.weight[k] = n->v.weight[TL_SPLINE_ORDER * row + r] * n->u.weight[TL_SPLINE_ORDER * column + c];
            at.yields += at.weight[k] * at.weight[k] * n->control->system.p.w[at.particle[k]];
        }
    return at;
}

/* Moves a point of the surface along `normal` until it has `wanted` there at least, by an impulse on its patch. */
static void push(const patch *at, const tl_real *w, tl_real *const a[3], tl_vec3 normal, tl_real wanted)
{
    enum { COUNT = TL_SPLINE_ORDER * TL_SPLINE_ORDER };
    tl_vec3 own = {0, 0, 0};
    for (int k = 0; k < COUNT; ++k)
        own = tl_madd(own, tl_at(a, at->particle[k]), at->weight[k]);
    tl_real missing = wanted - tl_dot(own, normal);
    if (!(missing > 0) || !(at->yields > 0))
        return;
    for (int k = 0; k < COUNT; ++k)
        tl_accumulate(a, at->particle[k], tl_scale(normal, missing * at->weight[k] * w[at->particle[k]] / at->yields));
}

/* What the particles were changed by, as momentum, to the net: friction. */
static void share_momentum(tl_cloth *cloth)
{
    tl_nurbs *n = cloth->nurbs;
    const tl_particles *p = &cloth->system.p;
    tl_system *net = &n->control->system;
    tl_nurbs_map(n, cloth->mesh, net->p.v, n->mapped);
    for (int c = 0; c < 3; ++c) {
        for (int i = 0; i < p->count; ++i)
            n->mapped[c][i] = p->w[i] > 0 ? p->m[i] * (p->v[c][i] - n->mapped[c][i]) : 0;
        tl_nurbs_gather(n, cloth->mesh, n->mapped[c], net->p.f[c]);
        for (int j = 0; j < net->p.count; ++j)
            net->p.v[c][j] += net->p.w[j] * net->p.f[c][j];
    }
}

/* Pushes the net out of where bodies pushed the particles from, point by point. */
static void push_net(tl_cloth *cloth, tl_real *const free_x[3])
{
    tl_nurbs *n = cloth->nurbs;
    const tl_particles *p = &cloth->system.p;
    tl_system *net = &n->control->system;
    for (int pass = 0; pass < CONTACT_PASSES; ++pass)
        for (int row = 0; row < n->v.samples; ++row)
            for (int column = 0; column < n->u.samples; ++column) {
                int i = cloth->mesh->lattice[row * n->u.samples + column];
                tl_vec3 x = tl_at(p->x, i), moved = tl_sub(x, tl_at(free_x, i));
                tl_real distance = tl_length(moved);
                if (!(p->w[i] > 0) || !(distance > 0))
                    continue;
                tl_vec3 normal = tl_scale(moved, 1 / distance);
                patch at = patch_of(n, row, column);
                push(&at, net->p.w, net->p.x, normal, tl_dot(x, normal));
                push(&at, net->p.w, net->p.v, normal, tl_dot(tl_at(p->v, i), normal));
            }
}

int tl_nurbs_contact(tl_cloth *control, tl_real h)
{
    tl_cloth *cloth = control->surface_of;
    tl_nurbs *n = cloth->nurbs;
    tl_system *system = &cloth->system;
    if (!surface_near(cloth))
        return 0;
    tl_nurbs_map(n, cloth->mesh, control->system.x_old, system->x_old);
    map_state(cloth);
    tl_real *before[3] = {system->p.f[0], system->p.f[1], system->p.f[2]}; /* not in use meanwhile */
    for (int c = 0; c < 3; ++c)
        memcpy(before[c], system->p.x[c], (size_t)system->p.count * sizeof(tl_real));
    int count = tl_body_contacts_solve(&cloth->body_contacts, h);
    if (count > 0) {
        share_momentum(cloth);
        push_net(cloth, before);
    }
    return count;
}
