/* The gas in a closed surface (element/gas.h): surface, gas law, force, Hessian, constraint form, pump and leak. */
#include "element/gas.h"

#include "core/timing.h"
#include "core/trig.h"

#include <string.h>

/* ---- the surface ------------------------------------------------------------------------------------------------- */

/* The open half-edge that starts where the open half-edge `h` ends. */
static int next_open(const tl_mesh *mesh, int h)
{
    h = tl_half_next(h);
    while (mesh->twin[h] >= 0)
        h = tl_half_next(mesh->twin[h]);
    return h;
}

/* Closes every rim except the first by a fan over its particles, and lists all rim particles in gas->rim. Returns the
   number of faces added to `pair`; *apex is the apex of the first fan, -1 when nothing is open. `seen` has one zero per
   half-edge. */
static int close_rims(tl_gas *gas, const tl_mesh *mesh, int *pair, char *seen, int *apex)
{
    int lids = 0;
    gas->rim_count = 0;
    *apex = -1;
    for (int start = 0; start < 3 * mesh->face_count; ++start) {
        if (mesh->twin[start] >= 0 || seen[start])
            continue;
        int own = mesh->face[start];
        bool first = *apex < 0;
        if (first)
            *apex = own;
        int h = start;
        do {
            seen[h] = 1;
            int a = mesh->face[h], b = mesh->face[tl_half_next(h)];
            gas->rim[gas->rim_count++] = a;
            if (!first && a != own && b != own) {
                int *out = pair + 4 * lids++;
                out[0] = out[3] = b;
                out[1] = a;
                out[2] = own;
            }
            h = next_open(mesh, h);
        } while (h != start);
    }
    return lids;
}

/* Area enclosed by the rims, m²: half the length of Σ a × b around each, exact for flat rims. */
static double lid_area(const tl_mesh *mesh, char *seen)
{
    double area = 0;
    for (int start = 0; start < 3 * mesh->face_count; ++start) {
        if (mesh->twin[start] >= 0 || seen[start])
            continue;
        tl_vec3 o = mesh->position[mesh->face[start]];
        double n[3] = {0};
        int h = start;
        do {
            seen[h] = 1;
            tl_vec3 a = tl_sub(mesh->position[mesh->face[h]], o);
            tl_vec3 c = tl_cross(a, tl_sub(mesh->position[mesh->face[tl_half_next(h)]], o));
            n[0] += (double)c.x;
            n[1] += (double)c.y;
            n[2] += (double)c.z;
            h = next_open(mesh, h);
        } while (h != start);
        area += 0.5 * sqrt(n[0] * n[0] + n[1] * n[1] + n[2] * n[2]);
    }
    return area;
}

/* Σ g·N/6 of the initial mesh, in double precision. */
static double initial_volume(const tl_gas *gas, const tl_mesh *mesh)
{
    double sum = 0;
    tl_vec3 o = mesh->position[gas->origin];
    for (int k = 0; k < 2 * gas->count; ++k) {
        double x[3][3];
        for (int c = 0; c < 3; ++c) {
            tl_vec3 at = mesh->position[gas->particle[k % 2 && c ? c + 1 : c][k / 2]];
            x[c][0] = (double)at.x - (double)o.x;
            x[c][1] = (double)at.y - (double)o.y;
            x[c][2] = (double)at.z - (double)o.z;
        }
        sum += x[0][0] * (x[1][1] * x[2][2] - x[1][2] * x[2][1]) + x[0][1] * (x[1][2] * x[2][0] - x[1][0] * x[2][2]) +
               x[0][2] * (x[1][0] * x[2][1] - x[1][1] * x[2][0]);
    }
    return sum / 6;
}

static tl_result check_closed(const tl_mesh *mesh, const tl_gas_def *def, tl_error *error)
{
    for (int e = 0; e < mesh->edge_count && !(def->depth > 0); ++e)
        if (mesh->edge_d[e] < 0)
            return tl_fail(
                error, TL_ERROR_INPUT,
                "gas.on: the surface is open at the edge between vertices %d and %d; close it, or give gas.depth for "
                "rigid walls behind its pinned rim",
                mesh->vertex_of_particle[mesh->edge_a[e]], mesh->vertex_of_particle[mesh->edge_b[e]]);
    return TL_OK;
}

static bool allocate_surface(tl_gas *gas, const tl_mesh *mesh, const tl_allocator *allocator)
{
    size_t pairs = (size_t)tl_padded(gas->count), particles = (size_t)tl_padded(mesh->particle_count);
    bool made = true;
    for (int c = 0; c < 4; ++c)
        made = (gas->particle[c] = tl_allocate(allocator, pairs, sizeof(int))) && made;
    for (int c = 0; c < 3; ++c)
        made = (gas->area[c] = tl_allocate(allocator, particles, sizeof(tl_real))) && made;
    gas->bytes = 4 * pairs * sizeof(int) + 3 * particles * sizeof(tl_real) + 3 * (size_t)mesh->face_count * sizeof(int);
    return made;
}

/* The half-edge along a face's longest side; in a grid, the diagonal of the cell. */
static int longest_half(const tl_mesh *mesh, int f)
{
    int best = 3 * f;
    tl_real longest = -1;
    for (int h = 3 * f; h < 3 * f + 3; ++h) {
        int other = tl_half_next(h);
        tl_real u = mesh->rest_u[h] - mesh->rest_u[other], v = mesh->rest_v[h] - mesh->rest_v[other];
        tl_real length = u * u + v * v;
        if (length > longest * (tl_real)1.001) { /* equal sides differ by rounding: take the first */
            longest = length;
            best = h;
        }
    }
    return best;
}

/* The mesh's faces in pairs that share a side, preferably the longest of the first one. Returns the number of pairs,
   four particles each in `pair`; `seen` has one zero per half-edge. */
static int pair_faces(const tl_mesh *mesh, int *pair, char *seen)
{
    int count = 0;
    for (int f = 0; f < mesh->face_count; ++f) {
        if (seen[3 * f])
            continue;
        seen[3 * f] = 1;
        int h = longest_half(mesh, f), twin = mesh->twin[h];
        for (int k = 0; k < 2 && (twin < 0 || seen[3 * tl_half_face(twin)]); ++k) {
            h = tl_half_next(h);
            twin = mesh->twin[h];
        }
        /* the shared side runs from c to a in this face, from a to c in the other */
        int *out = pair + 4 * count++;
        out[0] = out[3] = mesh->face[tl_half_next(h)];
        out[1] = mesh->face[tl_half_prev(h)];
        out[2] = mesh->face[h];
        if (twin >= 0 && !seen[3 * tl_half_face(twin)]) {
            seen[3 * tl_half_face(twin)] = 1;
            out[3] = mesh->face[tl_half_prev(twin)];
        }
    }
    return count;
}

/* Pairs of faces, then lids, in the order of the groups. `pair` has capacity for a lid at every half-edge. */
static bool collect(tl_gas *gas, const tl_mesh *mesh, const tl_allocator *allocator, int *pair, char *seen)
{
    int apex;
    size_t halves = 3 * (size_t)mesh->face_count;
    gas->count = pair_faces(mesh, pair, seen);
    memset(seen, 0, halves);
    gas->count += close_rims(gas, mesh, pair + 4 * gas->count, seen, &apex);
    gas->origin = apex < 0 ? 0 : apex;
    if (!allocate_surface(gas, mesh, allocator) ||
        !tl_groups_build(&gas->groups, allocator, pair, 4, gas->count, mesh->particle_count))
        return false;
    for (int k = 0; k < gas->count; ++k)
        for (int c = 0; c < 4; ++c)
            gas->particle[c][k] = pair[4 * gas->groups.order[k] + c];
    gas->bytes += tl_groups_bytes(&gas->groups, gas->count);
    memset(seen, 0, halves);
    gas->vessel = apex < 0 ? 0 : (double)gas->def.depth * lid_area(mesh, seen);
    return true;
}

/* Finds whether faces point out or in, and checks that the volume is not 0. */
static tl_result check_inside(tl_gas *gas, const tl_mesh *mesh, tl_error *error)
{
    double volume = initial_volume(gas, mesh), area = (double)tl_mesh_area(mesh);
    gas->side = gas->vessel > 0 || volume > 0 ? 1 : -1;
    gas->start_volume = (double)gas->side * volume + gas->vessel;
    /* a cube of this surface has volume (area/6)^1.5: a millionth of it is rounding */
    if (!(gas->start_volume > 1e-6 * area * sqrt(area)))
        return tl_fail(error, TL_ERROR_INPUT, "gas.on: the surface encloses no volume (%g m³) in the initial shape",
                       gas->start_volume);
    return TL_OK;
}

tl_result tl_gas_build(tl_gas *gas, const tl_mesh *mesh, const tl_allocator *allocator, const tl_gas_def *def,
                       tl_error *error)
{
    tl_result result = check_closed(mesh, def, error);
    if (result != TL_OK)
        return result;
    tl_gas made = {.def = *def, .valve = -1};
    size_t halves = 3 * (size_t)mesh->face_count;
    /* at most one pair per face and one lid per half-edge */
    int *pair = tl_allocate(allocator, 6 * halves, sizeof *pair);
    char *seen = tl_allocate(allocator, halves, 1);
    made.rim = tl_allocate(allocator, halves, sizeof *made.rim);
    if (!pair || !seen || !made.rim || !collect(&made, mesh, allocator, pair, seen))
        result = tl_fail(error, TL_ERROR_MEMORY, "no memory for the gas in %d faces", mesh->face_count);
    else
        result = check_inside(&made, mesh, error);
    tl_release(allocator, pair);
    tl_release(allocator, seen);
    if (result != TL_OK) {
        tl_gas_destroy(&made, allocator);
        return result;
    }
    made.volume = made.start_volume;
    made.built = true;
    made.def.nrt = made.def.overpressure = -1; /* not filled yet: tl_gas_configure does that */
    *gas = made;
    return TL_OK;
}

void tl_gas_destroy(tl_gas *gas, const tl_allocator *allocator)
{
    tl_groups_destroy(&gas->groups, allocator);
    for (int c = 0; c < 4; ++c)
        tl_release(allocator, gas->particle[c]);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, gas->area[c]);
    tl_release(allocator, gas->rim);
    *gas = (tl_gas){0};
}

/* ---- gas law ----------------------------------------------------------------------------------------------------- */

static double power(double base, double exponent) { return tl_exp(exponent * tl_log(base)); }

/* Density of the gas relative to that at its reference pressure. */
static double density(const tl_gas *gas, double volume) { return gas->nrt / (gas->reference * volume); }

double tl_gas_pressure(const tl_gas *gas, double volume)
{
    if (!gas->adiabatic || !(gas->nrt > 0) || !(volume > 0))
        return gas->nrt / volume;
    return gas->reference * power(density(gas, volume), (double)gas->def.gamma);
}

double tl_gas_temperature(const tl_gas *gas, double volume)
{
    double filled = (double)gas->def.temperature;
    return gas->adiabatic && gas->nrt > 0 && volume > 0
               ? filled * power(density(gas, volume), (double)gas->def.gamma - 1)
               : filled;
}

static double gamma_of(const tl_gas *gas) { return gas->adiabatic ? (double)gas->def.gamma : 1; }

double tl_gas_stiffness(const tl_gas *gas, double volume)
{
    return gamma_of(gas) * tl_gas_pressure(gas, volume) / volume;
}

/* Refills the gas when the definition changed the amount; `volume` is the current one. */
static void fill(tl_gas *gas, const tl_gas_def *def, double volume)
{
    bool by_pressure = !(def->nrt > 0);
    bool same = def->nrt == gas->def.nrt;
    if (by_pressure)
        same = same && def->overpressure == gas->def.overpressure && def->outside == gas->def.outside;
    if (same)
        return;
    gas->nrt = by_pressure ? ((double)def->outside + (double)def->overpressure) * gas->start_volume : (double)def->nrt;
    gas->reference = gas->nrt / volume;
}

void tl_gas_configure(tl_gas *gas, const tl_mesh *mesh, const tl_particles *p, const tl_gas_def *def, int lanes)
{
    bool adiabatic = strcmp(def->process, "adiabatic") == 0;
    double volume = tl_gas_measure(gas, p, lanes);
    /* a changed process continues from the current pressure */
    if (adiabatic && !gas->adiabatic && gas->nrt > 0)
        gas->reference = gas->nrt / volume;
    else if (!adiabatic && gas->adiabatic)
        gas->nrt = tl_gas_pressure(gas, volume) * volume;
    gas->adiabatic = adiabatic;
    fill(gas, def, volume);
    gas->def = *def;
    gas->on = def->on;
    gas->valve = def->leak_vertex >= 0 && def->leak_vertex < mesh->vertex_count
                     ? mesh->particle_of_vertex[def->leak_vertex]
                     : -1;
    gas->pressure = tl_gas_pressure(gas, volume);
}

/* ---- energy, force, Hessian -------------------------------------------------------------------------------------- */

double tl_gas_measure(tl_gas *gas, const tl_particles *p, int lanes)
{
    TL_PICK_KERNEL(tl_gas_areas, lanes)(gas, p);
    gas->volume = (double)gas->side * TL_PICK_KERNEL(tl_gas_moment, lanes)(gas, p) / 18 + gas->vessel;
    return gas->volume;
}

double tl_gas_energy(tl_gas *gas, const tl_particles *p, int lanes)
{
    double volume = tl_gas_measure(gas, p, lanes), outside = (double)gas->def.outside * (volume - gas->start_volume);
    if (gas->adiabatic)
        return tl_gas_pressure(gas, volume) * volume / ((double)gas->def.gamma - 1) + outside;
    return -gas->nrt * tl_log(volume / gas->start_volume) + outside;
}

void tl_gas_force(tl_gas *gas, tl_particles *p, int lanes)
{
    double start = tl_seconds();
    gas->pressure = tl_gas_pressure(gas, tl_gas_measure(gas, p, lanes));
    double measured = tl_seconds();
    double factor = (double)gas->side * (gas->pressure - (double)gas->def.outside) / 6;
    TL_PICK_KERNEL(tl_gas_push, lanes)(gas, (tl_real)factor, p->count, p->f);
    gas->seconds_volume += measured - start;
    gas->seconds += tl_seconds() - start;
}

/* ∂N in the direction `in`, for one face. */
static tl_vec3 area_derivative(const tl_particles *p, tl_real *const in[3], int a, int b, int c)
{
    tl_vec3 ab = tl_sub(tl_at(p->x, b), tl_at(p->x, a)), ac = tl_sub(tl_at(p->x, c), tl_at(p->x, a));
    tl_vec3 dab = tl_sub(tl_at(in, b), tl_at(in, a)), dac = tl_sub(tl_at(in, c), tl_at(in, a));
    return tl_add(tl_cross(dab, ac), tl_cross(ab, dac));
}

void tl_gas_product(const tl_gas *gas, const tl_particles *p, tl_real *const in[3], tl_real *const out[3], bool whole)
{
    double along = 0; /* ∇V·in */
    for (int i = 0; i < p->count; ++i)
        along += (double)tl_dot(tl_at(gas->area, i), tl_at(in, i));
    double pressure = tl_gas_pressure(gas, gas->volume);
    tl_real stiff = (tl_real)(gamma_of(gas) * pressure / gas->volume * along / 36);
    for (int i = 0; i < p->count; ++i)
        tl_accumulate(out, i, tl_scale(tl_at(gas->area, i), stiff));
    tl_real factor = (tl_real)(-(double)gas->side * (pressure - (double)gas->def.outside) / 6);
    for (int k = 0; k < 2 * gas->count && whole; ++k) {
        int a = gas->particle[0][k / 2], b = gas->particle[1 + k % 2][k / 2], c = gas->particle[2 + k % 2][k / 2];
        tl_vec3 change = tl_scale(area_derivative(p, in, a, b, c), factor);
        tl_accumulate(out, a, change);
        tl_accumulate(out, b, change);
        tl_accumulate(out, c, change);
    }
}

/* ---- constraint form --------------------------------------------------------------------------------------------- */

enum { MAX_STEPS = 60 }; /* of the scalar equation: Newton, or bisection where it would leave the bracket */

/* The volume v > 0 with (v − V)/W + λ = h² (p(v) − p₀): the left side rises, the right one falls, so there is exactly
   one. */
static double equilibrium_volume(const tl_gas *gas, double weight, double h)
{
    double v = gas->volume, square = h * h;
    for (int k = 0; k < MAX_STEPS; ++k) {
        double pressure = tl_gas_pressure(gas, v);
        double miss = (v - gas->volume) / weight + gas->lambda - square * (pressure - (double)gas->def.outside);
        double slope = 1 / weight + square * gamma_of(gas) * pressure / v;
        double next = v - miss / slope;
        if (!(next > 0))
            next = v / 2;
        bool done = fabs(next - v) <= 1e-12 * v;
        v = next;
        if (done)
            break;
    }
    return v;
}

void tl_gas_solve(tl_gas *gas, const tl_particles *p, tl_real *const moved[3], tl_real h, int lanes)
{
    double start = tl_seconds();
    double volume = tl_gas_measure(gas, p, lanes);
    double weight = TL_PICK_KERNEL(tl_gas_weight, lanes)(gas, p) / 36; /* Σ w |∇V|² */
    if (weight > 0 && volume > 0) {
        double equilibrium = equilibrium_volume(gas, weight, (double)h), change = (equilibrium - volume) / weight;
        gas->lambda += change;
        TL_PICK_KERNEL(tl_gas_move, lanes)(gas, (tl_real)((double)gas->side * change / 6), p, moved);
        gas->volume = equilibrium;
        gas->pressure = tl_gas_pressure(gas, equilibrium);
    }
    gas->seconds += tl_seconds() - start;
}

/* ---- pump and leak ----------------------------------------------------------------------------------------------- */

/* Flow through a hole from pressure `high` to `low`, in units of C A high √(M/(R T)): Bernoulli with the density of the
   gas at the lower pressure, until the jet chokes at about half. Within 3 % of Saint-Venant and Wantzel's formula for γ
   = 1.4, without powers. */
static double orifice(double high, double low)
{
    double r = low > 0.5 * high ? low / high : 0.5;
    return sqrt(2 * r * (1 - r));
}

static bool leaks(const tl_gas *gas, double time) { return gas->def.leak > 0 && time >= (double)gas->def.leak_start; }

void tl_gas_flow(tl_gas *gas, double time, double h)
{
    const tl_gas_def *def = &gas->def;
    if (def->pump != 0 && time >= (double)def->pump_start && time < (double)def->pump_stop)
        gas->nrt = fmax(0, gas->nrt + (double)def->pump * h);
    if (leaks(gas, time) && gas->nrt > 0) {
        double p = gas->pressure, outside = (double)def->outside, filled = (double)def->temperature;
        double specific = TL_GAS_CONSTANT / (double)def->molar_mass; /* J/(kg K) */
        double flow = 0;                                             /* of n R T, W */
        if (p > outside) {
            double now = tl_gas_temperature(gas, gas->volume);
            flow = -p * orifice(p, outside) * sqrt(specific * now) * filled / now;
        } else if (p < outside) {
            flow = outside * orifice(outside, p) * sqrt(specific * filled);
        }
        double change = (double)def->leak * flow * h;
        double limit = fabs(p - outside) * gas->nrt / (gamma_of(gas) * p); /* not past equilibrium */
        gas->nrt += fmax(-limit, fmin(limit, change));
    }
}

/* Thrust of the jet per effective area, Pa: the outflow carries 2 Δp of momentum; a choked jet leaves at half the
   pressure, which pushes too. */
static double thrust(double pressure, double outside)
{
    if (!(pressure > outside))
        return 0;
    return outside > 0.5 * pressure ? 2 * (pressure - outside) : 1.5 * pressure - outside;
}

void tl_gas_jet(tl_gas *gas, const tl_mesh *mesh, tl_particles *p, double time, int lanes)
{
    if (gas->valve < 0 || !leaks(gas, time))
        return;
    double pressure = tl_gas_pressure(gas, tl_gas_measure(gas, p, lanes));
    /* the particles around the hole take the thrust in proportion to mass, opposite to the jet */
    int first = mesh->particle_face_start[gas->valve], last = mesh->particle_face_start[gas->valve + 1];
    tl_vec3 n = {0, 0, 0}, at = tl_at(p->x, gas->valve);
    tl_real mass = p->m[gas->valve];
    for (int k = first; k < last; ++k) {
        int b = mesh->face[tl_half_next(mesh->particle_face[k])], c = mesh->face[tl_half_prev(mesh->particle_face[k])];
        n = tl_add(n, tl_cross(tl_sub(tl_at(p->x, b), at), tl_sub(tl_at(p->x, c), at)));
        mass += p->m[b];
    }
    double force = (double)gas->def.leak * thrust(pressure, (double)gas->def.outside);
    tl_vec3 push = tl_scale(tl_normalized(n), -gas->side * (tl_real)force / mass);
    tl_accumulate(p->f, gas->valve, tl_scale(push, p->m[gas->valve]));
    for (int k = first; k < last; ++k) {
        int b = mesh->face[tl_half_next(mesh->particle_face[k])];
        tl_accumulate(p->f, b, tl_scale(push, p->m[b]));
    }
}
