/* Local coordinates of a world, world/origin.h. */
#include "world/origin.h"

#include "world/body_mesh.h"
#include "world/contacts.h"
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

tl_point tl_home_of_local(tl_point origin, tl_vec3 local)
{
    return (tl_point){(double)local.x + origin.x, (double)local.y + origin.y, (double)local.z + origin.z};
}

tl_vec3 tl_local(tl_point origin, tl_point home)
{
    return tl_v3((tl_real)(home.x - origin.x), (tl_real)(home.y - origin.y), (tl_real)(home.z - origin.z));
}

static tl_point minus(tl_point a, tl_point b) { return (tl_point){a.x - b.x, a.y - b.y, a.z - b.z}; }

tl_point tl_public_offset(const tl_world *world, tl_point origin) { return minus(origin, world->shift); }

tl_vec3 tl_local_of_public(const tl_world *world, tl_point origin, tl_vec3 position)
{
    tl_point offset = tl_public_offset(world, origin);
    return tl_v3(plus(position.x, -offset.x), plus(position.y, -offset.y), plus(position.z, -offset.z));
}

tl_vec3 tl_public(const tl_world *world, tl_point origin, tl_vec3 local)
{
    tl_point offset = tl_public_offset(world, origin);
    return tl_v3(plus(local.x, offset.x), plus(local.y, offset.y), plus(local.z, offset.z));
}

tl_vec3 tl_cloth_origin(const tl_cloth *cloth)
{
    tl_point offset = tl_public_offset(cloth->world, cloth->origin);
    return tl_v3((tl_real)offset.x, (tl_real)offset.y, (tl_real)offset.z);
}

/* ---- moving origins -------------------------------------------------------------------------------------------- */

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

/* By multiples of the grid. The history of multistep steppers takes it for a move by the user, and stays right. */
static void move_particles(tl_cloth *cloth, tl_point to)
{
    tl_system *system = &cloth->system;
    tl_point by = minus(to, cloth->origin);
    if (by.x == 0 && by.y == 0 && by.z == 0)
        return;
    cloth->origin = to;
    subtract(system->p.x[0], system->low[0], system->p.count, (tl_real)by.x);
    subtract(system->p.x[1], system->low[1], system->p.count, (tl_real)by.y);
    subtract(system->p.x[2], system->low[2], system->p.count, (tl_real)by.z);
    tl_cloth_changed(cloth);
}

static void move_cloth(tl_cloth *cloth, tl_point to)
{
    tl_vec3 step = tl_local(cloth->origin, to);
    move_particles(cloth, to);
    for (int k = 0; k < cloth->pin_count; ++k)
        cloth->pins[k].target = tl_sub(cloth->pins[k].target, step);
}

/* The origin of bodies and contact meshes. */
static void move_world(tl_world *world, tl_point to)
{
    tl_point by = minus(to, world->origin);
    if (by.x == 0 && by.y == 0 && by.z == 0)
        return;
    world->origin = to;
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        body->start.position = body->end.position = tl_local(to, body->start_home);
        body->target.position = tl_local(to, body->target_home);
        if (body->mesh)
            body->mesh->still = false; /* its particles are posed again */
    }
}

/* Rounds halves up, so that places a multiple of the grid apart are rounded alike. */
static double on_grid(double x) { return isfinite(x) ? floor(x / TL_ORIGIN_GRID + 0.5) * TL_ORIGIN_GRID : 0; }

static bool is_far(double x) { return fabs(x) > FOLLOW_DISTANCE; }

tl_point tl_world_origin_for(tl_world *world, tl_point home)
{
    tl_point own = {on_grid(home.x), on_grid(home.y), on_grid(home.z)};
    if (world->cloth_count == 0)
        move_world(world, own);
    tl_point from = minus(home, world->origin);
    return is_far(from.x) || is_far(from.y) || is_far(from.z) ? own : world->origin;
}

void tl_world_share_origin(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k) {
        world->cloths[k]->own_origin = world->cloths[k]->origin;
        move_particles(world->cloths[k], world->origin);
    }
}

void tl_world_part_origins(tl_world *world)
{
    for (int k = 0; k < world->cloth_count; ++k)
        move_particles(world->cloths[k], world->cloths[k]->own_origin);
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

/* Cloths too far along one axis, to either side, and the nearest of them. */
typedef struct far_sides {
    int count[2];
    double nearest[2]; /* m */
} far_sides;

static void note(far_sides *sides, double x)
{
    int side = x > 0;
    if (is_far(x) && (sides->count[side]++ == 0 || fabs(x) < fabs(sides->nearest[side])))
        sides->nearest[side] = x;
}

/* The majority decides: a cloth that falls away must not take the digits of the others. */
static double step_along(const far_sides *sides, int cloths)
{
    for (int side = 0; side < 2; ++side)
        if (2 * sides->count[side] > cloths)
            return on_grid(sides->nearest[side]);
    return 0;
}

/* Follows the cloths in mesh contact, which are in its coordinates, or else all. */
static void follow_most(tl_world *world)
{
    int coupled = 0;
    for (int k = 0; k < world->cloth_count; ++k)
        coupled += tl_cloth_is_coupled(world->cloths[k]);
    far_sides x = {0}, y = {0}, z = {0};
    for (int k = 0; k < world->cloth_count; ++k) {
        const tl_cloth *cloth = world->cloths[k];
        if (coupled > 0 && !tl_cloth_is_coupled(cloth))
            continue;
        tl_point middle = minus(tl_home_of_local(cloth->origin, tl_cloth_middle(cloth)), world->origin);
        note(&x, middle.x);
        note(&y, middle.y);
        note(&z, middle.z);
    }
    int voters = coupled > 0 ? coupled : world->cloth_count;
    move_world(world, (tl_point){world->origin.x + step_along(&x, voters), world->origin.y + step_along(&y, voters),
                                 world->origin.z + step_along(&z, voters)});
}

/* The origin for a cloth whose middle is there, relative to its own. */
static tl_point next_origin(const tl_cloth *cloth, double x, double y, double z)
{
    tl_point own = cloth->origin;
    return (tl_point){own.x + (is_far(x) ? on_grid(x) : 0), own.y + (is_far(y) ? on_grid(y) : 0),
                      own.z + (is_far(z) ? on_grid(z) : 0)};
}

static void follow_one(tl_cloth *cloth)
{
    tl_vec3 middle = tl_cloth_middle(cloth);
    move_cloth(cloth, next_origin(cloth, (double)middle.x, (double)middle.y, (double)middle.z));
}

void tl_cloth_origin_goes_to(tl_cloth *cloth, tl_point home)
{
    tl_point from = minus(home, cloth->origin);
    cloth->origin = next_origin(cloth, from.x, from.y, from.z);
}

void tl_world_follow_cloths(tl_world *world)
{
    follow_most(world);
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        if (tl_cloth_is_coupled(cloth))
            move_cloth(cloth, world->origin);
        else
            follow_one(cloth);
        tl_cloth_check_digits(cloth);
    }
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
    tl_point offset = tl_public_offset(world, cloth->origin);
    double x = (double)middle.x, y = (double)middle.y, z = (double)middle.z;
    double local = spacing(x, y, z), seen = spacing(x + offset.x, y + offset.y, z + offset.z);
    double fine_enough = EDGE_RESOLUTION * (double)cloth->shortest_edge;
    tl_coarseness now = local > fine_enough ? TL_COARSE_LOCAL : seen > fine_enough ? TL_COARSE_PUBLIC : TL_FINE;
    if (now <= cloth->coarseness)
        return;
    cloth->coarseness = now;
    tl_error line;
    if (now == TL_COARSE_LOCAL)
        tl_fail(
            &line, TL_ERROR_INPUT,
            "%s is %.3g m away from most cloth in mesh contact, and shares its coordinates: they are %.2g mm apart, "
            "too coarse for edges of %.3g mm; a world of its own simulates it right",
            cloth->def.label, sqrt(x * x + y * y + z * z), 1e3 * local, 1e3 * (double)cloth->shortest_edge);
    else
        tl_fail(&line, TL_ERROR_INPUT,
                "%s is simulated right, but world coordinates are %.2g mm apart where it is, too coarse to show edges "
                "of %.3g mm: read tl_cloth_local_positions, or call tl_world_shift_origin",
                cloth->def.label, 1e3 * seen, 1e3 * (double)cloth->shortest_edge);
    (world->def.log)(world->def.log_user, line.message); /* parentheses: not the log macro of tgmath.h */
}
