/* Local coordinates of a world, world/origin.h. */
#include "world/origin.h"

#include "world/body_mesh.h"
#include "world/world.h"

#include <float.h>

/* m; the origin follows cloth whose middle is farther away than this. What lies between half and twice this distance is
   shifted by it without rounding. */
#define FOLLOW_DISTANCE TL_ORIGIN_GRID
/* Coordinates resolve an edge when their spacing is below this fraction of it: strains of a permille. */
#define EDGE_RESOLUTION 1e-3
enum { MIDDLE_SAMPLES = 64 }; /* particles that tell where a cloth is */

#ifdef TL_REAL_DOUBLE
#define REAL_EPSILON DBL_EPSILON
#else
#define REAL_EPSILON ((double)FLT_EPSILON)
#endif

/* ---- conversions ----------------------------------------------------------------------------------------------- */

/* An offset of 0 keeps even the sign of a zero. */
static tl_real plus(tl_real x, double offset) { return offset == 0 ? x : (tl_real)((double)x + offset); }

tl_point tl_home(const tl_world *world, tl_vec3 position)
{
    return (tl_point){(double)position.x + world->shift.x, (double)position.y + world->shift.y,
                      (double)position.z + world->shift.z};
}

tl_point tl_home_of_local(const tl_world *world, tl_vec3 local)
{
    return (tl_point){(double)local.x + world->origin.x, (double)local.y + world->origin.y,
                      (double)local.z + world->origin.z};
}

tl_vec3 tl_local(const tl_world *world, tl_point home)
{
    return tl_v3((tl_real)(home.x - world->origin.x), (tl_real)(home.y - world->origin.y),
                 (tl_real)(home.z - world->origin.z));
}

tl_point tl_public_offset(const tl_world *world)
{
    return (tl_point){world->origin.x - world->shift.x, world->origin.y - world->shift.y,
                      world->origin.z - world->shift.z};
}

tl_vec3 tl_local_of_public(const tl_world *world, tl_vec3 position)
{
    tl_point offset = tl_public_offset(world);
    return tl_v3(plus(position.x, -offset.x), plus(position.y, -offset.y), plus(position.z, -offset.z));
}

tl_vec3 tl_public(const tl_world *world, tl_vec3 local)
{
    tl_point offset = tl_public_offset(world);
    return tl_v3(plus(local.x, offset.x), plus(local.y, offset.y), plus(local.z, offset.z));
}

tl_vec3 tl_cloth_origin(const tl_cloth *cloth)
{
    tl_point offset = tl_public_offset(cloth->world);
    return tl_v3((tl_real)offset.x, (tl_real)offset.y, (tl_real)offset.z);
}

/* ---- moving the origin ----------------------------------------------------------------------------------------- */

/* Subtracts `by` from x + low; what x cannot hold goes to low (Knuth's TwoSum). */
static void subtract(tl_real *x, tl_real *low, int count, tl_real by)
{
    for (int i = 0; i < count && by != 0; ++i) {
        tl_real sum = x[i] - by, taken = sum - x[i];
        tl_real rest = (x[i] - (sum - taken)) - (by + taken) + low[i];
        x[i] = sum + rest;
        low[i] = rest - (x[i] - sum);
    }
}

static void move_cloth(tl_cloth *cloth, const tl_real by[3])
{
    tl_system *system = &cloth->system;
    for (int c = 0; c < 3; ++c) {
        subtract(system->p.x[c], system->low[c], system->p.count, by[c]);
        tl_real *past[2] = {system->history[TL_PAST_X + c], system->history[TL_LEFT_X + c]};
        for (int k = 0; k < 2; ++k)
            for (int i = 0; past[k] && i < system->p.count; ++i)
                past[k][i] -= by[c];
    }
    for (int k = 0; k < cloth->pin_count; ++k)
        cloth->pins[k].target = tl_sub(cloth->pins[k].target, tl_v3(by[0], by[1], by[2]));
    tl_cloth_changed(cloth);
}

static void move_body(tl_body *body)
{
    body->start.position = body->end.position = tl_local(body->world, body->start_home);
    body->target.position = tl_local(body->world, body->target_home);
    if (body->mesh)
        body->mesh->still = false; /* its particles are posed again */
}

/* Moves the local origin by multiples of the grid. */
static void move_origin(tl_world *world, tl_point by)
{
    if (by.x == 0 && by.y == 0 && by.z == 0)
        return;
    world->origin = (tl_point){world->origin.x + by.x, world->origin.y + by.y, world->origin.z + by.z};
    const tl_real step[3] = {(tl_real)by.x, (tl_real)by.y, (tl_real)by.z};
    for (int k = 0; k < world->cloth_count; ++k)
        move_cloth(world->cloths[k], step);
    for (int b = 0; b < world->body_count; ++b)
        move_body(world->bodies[b]);
}

/* Rounds halves up, so that places a multiple of the grid apart are rounded alike. */
static double on_grid(double x) { return isfinite(x) ? floor(x / TL_ORIGIN_GRID + 0.5) * TL_ORIGIN_GRID : 0; }

void tl_world_choose_origin(tl_world *world, tl_point home)
{
    move_origin(world, (tl_point){on_grid(home.x) - world->origin.x, on_grid(home.y) - world->origin.y,
                                  on_grid(home.z) - world->origin.z});
}

tl_vec3 tl_cloth_middle(const tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    int stride = p->count / MIDDLE_SAMPLES + 1;
    tl_vec3 low = tl_at(p->x, 0), high = low;
    for (int i = 0; i < p->count; i += stride) {
        tl_vec3 x = tl_at(p->x, i);
        low = tl_v3(tl_min(low.x, x.x), tl_min(low.y, x.y), tl_min(low.z, x.z));
        high = tl_v3(tl_max(high.x, x.x), tl_max(high.y, x.y), tl_max(high.z, x.z));
    }
    return tl_scale(tl_add(low, high), (tl_real)0.5);
}

/* Cloths too far along one axis, and the nearest of them. */
typedef struct far_side {
    int count;
    double nearest; /* m */
} far_side;

static void note(far_side side[2], double x)
{
    far_side *own = &side[x > 0];
    if (!(fabs(x) > FOLLOW_DISTANCE))
        return;
    if (own->count++ == 0 || fabs(x) < fabs(own->nearest))
        own->nearest = x;
}

/* The majority decides: a cloth that falls away must not take the digits of the others. */
static double step_along(const far_side side[2], int cloths)
{
    for (int k = 0; k < 2; ++k)
        if (2 * side[k].count > cloths)
            return on_grid(side[k].nearest);
    return 0;
}

void tl_world_follow_cloths(tl_world *world)
{
    far_side x[2] = {{0, 0}, {0, 0}}, y[2] = {{0, 0}, {0, 0}}, z[2] = {{0, 0}, {0, 0}};
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_vec3 middle = tl_cloth_middle(world->cloths[k]);
        note(x, (double)middle.x);
        note(y, (double)middle.y);
        note(z, (double)middle.z);
    }
    move_origin(world, (tl_point){step_along(x, world->cloth_count), step_along(y, world->cloth_count),
                                  step_along(z, world->cloth_count)});
    for (int k = 0; k < world->cloth_count; ++k)
        tl_cloth_check_digits(world->cloths[k]);
}

/* ---- the user's origin ----------------------------------------------------------------------------------------- */

void tl_world_shift_definitions(tl_world *world, tl_point before)
{
    const tl_point after = world->shift;
    if (after.x == before.x && after.y == before.y && after.z == before.z)
        return;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        body->def.position = tl_v3((tl_real)(body->own_home.x - after.x), (tl_real)(body->own_home.y - after.y),
                                   (tl_real)(body->own_home.z - after.z));
    }
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_vec3 *center = &world->cloths[k]->def.center;
        *center = tl_v3(plus(center->x, before.x - after.x), plus(center->y, before.y - after.y),
                        plus(center->z, before.z - after.z));
        tl_cloth_changed(world->cloths[k]);
    }
}

tl_result tl_world_shift_origin(tl_world *world, tl_vec3 shift)
{
    if (!isfinite(shift.x + shift.y + shift.z))
        return tl_fail(&world->error, TL_ERROR_INPUT, "shift of the origin: (%g, %g, %g) m is not finite",
                       (double)shift.x, (double)shift.y, (double)shift.z);
    tl_point before = world->shift;
    world->shift = (tl_point){before.x + (double)shift.x, before.y + (double)shift.y, before.z + (double)shift.z};
    tl_world_shift_definitions(world, before);
    return TL_OK;
}

/* ---- too coarse ------------------------------------------------------------------------------------------------ */

/* Distance between neighbouring numbers at the largest coordinate of a place, m. */
static double spacing(double x, double y, double z)
{
    double largest = fmax(fabs(x), fmax(fabs(y), fabs(z)));
    return largest > 0 && isfinite(largest) ? ldexp(REAL_EPSILON, ilogb(largest)) : 0;
}

void tl_cloth_check_digits(tl_cloth *cloth)
{
    tl_world *world = cloth->world;
    if (!world->def.log || cloth->coarseness == TL_COARSE_LOCAL)
        return;
    tl_vec3 middle = tl_cloth_middle(cloth);
    tl_point offset = tl_public_offset(world);
    double x = (double)middle.x, y = (double)middle.y, z = (double)middle.z;
    double local = spacing(x, y, z), seen = spacing(x + offset.x, y + offset.y, z + offset.z);
    double fine_enough = EDGE_RESOLUTION * (double)cloth->shortest_edge;
    tl_coarseness now = local > fine_enough ? TL_COARSE_LOCAL : seen > fine_enough ? TL_COARSE_PUBLIC : TL_FINE;
    if (now <= cloth->coarseness)
        return;
    cloth->coarseness = now;
    tl_error line;
    if (now == TL_COARSE_LOCAL)
        tl_fail(&line, TL_ERROR_INPUT,
                "%s is %.3g m away from most cloth of this world: its coordinates are %.2g mm apart, too coarse for "
                "edges of %.3g mm; a world of its own simulates it right",
                cloth->def.label, sqrt(x * x + y * y + z * z), 1e3 * local, 1e3 * (double)cloth->shortest_edge);
    else
        tl_fail(&line, TL_ERROR_INPUT,
                "%s is simulated right, but world coordinates are %.2g mm apart where it is, too coarse to show edges "
                "of %.3g mm: read tl_cloth_local_positions, or call tl_world_shift_origin",
                cloth->def.label, 1e3 * seen, 1e3 * (double)cloth->shortest_edge);
    (world->def.log)(world->def.log_user, line.message); /* parentheses: not the log macro of tgmath.h */
}
