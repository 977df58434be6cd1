/* Reading a running cloth: state per vertex, energies, momenta, statistics. */
#include "contact/body/prepared_body.h"
#include "world/body_mesh.h"
#include "world/nurbs.h"

#include <string.h>

tl_real tl_cloth_measure_strain(const tl_cloth *cloth)
{
    const tl_mesh *mesh = cloth->mesh;
    tl_real *const *x = cloth->system.p.x;
    tl_real longest = 1, shortest = 1; /* squared length over rest length */
    for (int k = 0; k < cloth->strain_count; ++k) {
        int e = cloth->strain_edge[k], a = mesh->edge_a[e], b = mesh->edge_b[e];
        tl_real dx = x[0][a] - x[0][b], dy = x[1][a] - x[1][b], dz = x[2][a] - x[2][b];
        tl_real square = (dx * dx + dy * dy + dz * dz) / (mesh->edge_length[e] * mesh->edge_length[e]);
        longest = tl_max(longest, square);
        shortest = tl_min(shortest, square);
    }
    return tl_max(sqrt(longest) - 1, 1 - sqrt(shortest));
}

tl_real tl_cloth_measure_speed(const tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    tl_real largest = 0, check = 0;
    for (int i = 0; i < p->count; ++i) {
        tl_real vx = p->v[0][i], vy = p->v[1][i], vz = p->v[2][i];
        largest = tl_max(largest, vx * vx + vy * vy + vz * vz);
        /* NaN or infinity anywhere makes this NaN and keeps it so */
        check += (p->x[0][i] + p->x[1][i] + p->x[2][i] + vx + vy + vz) * 0;
    }
    return check == 0 ? sqrt(largest) : (tl_real)INFINITY;
}

void tl_cloth_changed(tl_cloth *cloth)
{
    memset(cloth->output_valid, 0, sizeof cloth->output_valid);
    cloth->strain_valid = false;
}

/* The array of output `k`, allocated on first use; NULL and an error in the world when memory is short. */
static tl_vec3 *output(tl_cloth *cloth, int k)
{
    if (!cloth->output[k])
        cloth->output[k] = tl_allocate(&cloth->world->allocator, (size_t)cloth->mesh->vertex_count, sizeof(tl_vec3));
    if (!cloth->output[k])
        tl_fail(&cloth->world->error, TL_ERROR_MEMORY, "no memory to read the state of %s", cloth->def.label);
    return cloth->output[k];
}

/* Copies an array per particle to the vertices of the file. */
static const tl_vec3 *read_vectors(tl_cloth *cloth, int k, tl_real *const source[3])
{
    tl_vec3 *out = output(cloth, k);
    if (!out || cloth->output_valid[k])
        return out;
    for (int v = 0; v < cloth->mesh->vertex_count; ++v) {
        int i = cloth->mesh->particle_of_vertex[v];
        out[v] = i >= 0 ? tl_at(source, i) : cloth->mesh->vertex[v];
    }
    cloth->output_valid[k] = true;
    return out;
}

int tl_cloth_vertex_count(const tl_cloth *cloth) { return cloth->mesh->vertex_count; }

const tl_vec3 *tl_cloth_positions(tl_cloth *cloth)
{
    tl_vec3 *out = output(cloth, TL_OUTPUT_POSITIONS);
    if (!out || cloth->output_valid[TL_OUTPUT_POSITIONS])
        return out;
    read_vectors(cloth, TL_OUTPUT_POSITIONS, cloth->system.p.x);
    for (int v = 0; v < cloth->mesh->vertex_count; ++v)
        if (cloth->mesh->particle_of_vertex[v] >= 0)
            out[v] = tl_public(cloth->world, cloth->origin, out[v]);
    return out;
}

const tl_vec3 *tl_cloth_blended_positions(tl_cloth *cloth, tl_real blend)
{
    tl_vec3 *out = output(cloth, TL_OUTPUT_BLENDED);
    tl_real *const *before = cloth->checkpoint[TL_AT_FRAME].state, *const *x = cloth->system.p.x;
    tl_real t = tl_clamp(blend, 0, 1);
    for (int v = 0; out && v < cloth->mesh->vertex_count; ++v) {
        int i = cloth->mesh->particle_of_vertex[v];
        out[v] = i < 0 ? cloth->mesh->vertex[v]
                       : tl_public(cloth->world, cloth->origin, tl_lerp(tl_at(before, i), tl_at(x, i), t));
    }
    return out;
}

const tl_vec3 *tl_cloth_local_positions(tl_cloth *cloth)
{
    return read_vectors(cloth, TL_OUTPUT_LOCAL_POSITIONS, cloth->system.p.x);
}

const tl_vec3 *tl_cloth_velocities(tl_cloth *cloth)
{
    return read_vectors(cloth, TL_OUTPUT_VELOCITIES, cloth->system.p.v);
}

const tl_vec3 *tl_cloth_forces(tl_cloth *cloth)
{
    if (!output(cloth, TL_OUTPUT_FORCES) || cloth->output_valid[TL_OUTPUT_FORCES])
        return cloth->output[TL_OUTPUT_FORCES];
    /* evaluated into x_old: reading must not change the forces the next substep starts from */
    tl_system *system = &cloth->system;
    tl_real *saved[3];
    memcpy(saved, system->p.f, sizeof saved);
    memcpy(system->p.f, system->x_old, sizeof saved);
    system->gravity = cloth->world->def.gravity;
    tl_system_forces(system, cloth->world->time);
    memcpy(system->p.f, saved, sizeof saved);
    return read_vectors(cloth, TL_OUTPUT_FORCES, system->x_old);
}

const tl_vec3 *tl_cloth_normals(tl_cloth *cloth)
{
    tl_vec3 *out = output(cloth, TL_OUTPUT_NORMALS);
    if (!out || cloth->output_valid[TL_OUTPUT_NORMALS])
        return out;
    const tl_mesh *mesh = cloth->mesh;
    tl_real *const *x = cloth->system.p.x;
    for (int v = 0; v < mesh->vertex_count; ++v) {
        int i = mesh->particle_of_vertex[v];
        tl_vec3 sum = {0, 0, 0};
        for (int k = i >= 0 ? mesh->particle_face_start[i] : 0; i >= 0 && k < mesh->particle_face_start[i + 1]; ++k) {
            int h = mesh->particle_face[k];
            tl_vec3 a = tl_at(x, i), b = tl_at(x, mesh->face[tl_half_next(h)]),
                    c = tl_at(x, mesh->face[tl_half_prev(h)]);
            sum = tl_add(sum, tl_cross(tl_sub(b, a), tl_sub(c, a)));
        }
        out[v] = tl_normalized(sum);
    }
    cloth->output_valid[TL_OUTPUT_NORMALS] = true;
    return out;
}

static tl_real *scalars(tl_cloth *cloth, tl_real **array)
{
    if (!*array)
        *array = tl_allocate(&cloth->world->allocator, (size_t)cloth->mesh->vertex_count, sizeof(tl_real));
    if (!*array)
        tl_fail(&cloth->world->error, TL_ERROR_MEMORY, "no memory to read the state of %s", cloth->def.label);
    return *array;
}

static const tl_real *read_scalars(tl_cloth *cloth, tl_real **array, const tl_real *source, tl_real factor)
{
    tl_real *out = scalars(cloth, array);
    for (int v = 0; out && v < cloth->mesh->vertex_count; ++v) {
        int i = cloth->mesh->particle_of_vertex[v];
        out[v] = i >= 0 ? source[i] * factor : 0;
    }
    return out;
}

const tl_real *tl_cloth_strains(tl_cloth *cloth)
{
    tl_real *out = scalars(cloth, &cloth->strain_output);
    if (!out || cloth->strain_valid)
        return out;
    const tl_mesh *mesh = cloth->mesh;
    tl_real *per_particle = cloth->system.x_old[0]; /* unused between frames */
    memset(per_particle, 0, (size_t)mesh->particle_count * sizeof(tl_real));
    for (int k = 0; k < cloth->strain_count; ++k) {
        int e = cloth->strain_edge[k], a = mesh->edge_a[e], b = mesh->edge_b[e];
        tl_real length = tl_length(tl_sub(tl_at(cloth->system.p.x, a), tl_at(cloth->system.p.x, b)));
        tl_real strain = fabs(length / mesh->edge_length[e] - 1);
        per_particle[a] = tl_max(per_particle[a], strain);
        per_particle[b] = tl_max(per_particle[b], strain);
    }
    cloth->strain_valid = true;
    return read_scalars(cloth, &cloth->strain_output, per_particle, 1);
}

const tl_real *tl_cloth_contact_forces(tl_cloth *cloth)
{
    tl_real factor = cloth->pressure_time > 0 ? (tl_real)(1 / cloth->pressure_time) : 0;
    return read_scalars(cloth, &cloth->contact_output, cloth->pressure, factor);
}

const tl_real *tl_cloth_masses(tl_cloth *cloth)
{
    return read_scalars(cloth, &cloth->mass_output, cloth->system.p.m, 1);
}

int tl_cloth_links(const tl_cloth *cloth, int (*pairs)[2], int capacity)
{
    int count = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_batch *batch = &cloth->system.batch[e];
        if (!cloth->system.on[e] || !batch->kind->link)
            continue;
        for (int k = 0, i, j; k < batch->count && count + k < capacity; ++k) {
            tl_real rest;
            tl_link_pair(batch, k, &i, &j, &rest);
            pairs[count + k][0] = cloth->mesh->vertex_of_particle[i];
            pairs[count + k][1] = cloth->mesh->vertex_of_particle[j];
        }
        count += batch->count;
    }
    return count;
}

tl_result tl_cloth_set_state(tl_cloth *cloth, const tl_vec3 *positions, const tl_vec3 *velocities)
{
    for (int pass = 0; pass < 2; ++pass) { /* validate everything before changing anything */
        if (pass == 1 && positions)
            tl_cloth_origin_goes_to(cloth, tl_home(cloth->world, positions[cloth->mesh->vertex_of_particle[0]]));
        for (int v = 0; v < cloth->mesh->vertex_count; ++v) {
            int i = cloth->mesh->particle_of_vertex[v];
            tl_vec3 x = positions ? positions[v] : tl_v3(0, 0, 0), u = velocities ? velocities[v] : tl_v3(0, 0, 0);
            if (pass == 0 && !isfinite(x.x + x.y + x.z + u.x + u.y + u.z))
                return tl_fail(&cloth->world->error, TL_ERROR_INPUT, "%s: the state of vertex %d is not finite",
                               cloth->def.label, v);
            if (pass == 1 && i >= 0 && positions)
                tl_put(cloth->system.p.x, i, tl_local_of_public(cloth->world, cloth->origin, x));
            if (pass == 1 && i >= 0 && velocities)
                tl_put(cloth->system.p.v, i, u);
        }
    }
    if (positions)
        tl_system_clear_low(&cloth->system);
    if (velocities)
        cloth->system.lag = 0;
    for (int k = 0; k < cloth->pin_count && positions; ++k)
        cloth->pins[k].target = tl_at(cloth->system.p.x, cloth->pins[k].particle);
    cloth->world->contacts_judged &= !positions; /* they may cross */
    tl_cloth_forget_past(cloth);
    tl_balance_forget(cloth);
    tl_cloth_changed(cloth);
    return TL_OK;
}

/* Penetration depth of a local point beyond rounding error, m; negative outside. */
static tl_real depth_in(const tl_body *body, tl_point origin, tl_vec3 x)
{
    tl_point home = tl_home_of_local(origin, x);
    if (body->mesh && !(body->def.solid && tl_barrier_may_hold(&body->mesh->barrier, tl_body_undo(body, home))))
        return -1;
    tl_contact_body at = {.to = {tl_local(origin, body->start_home), body->start.rotation}};
    return -tl_body_distance_home(body, home, NULL) - tl_contact_tolerance(&at, 0, x);
}

int tl_cloth_count_penetrating(const tl_cloth *cloth, tl_real *deepest)
{
    const tl_particles *p = &cloth->system.p;
    int count = 0;
    tl_real max_depth = 0;
    for (int i = 0; i < p->count; ++i) {
        tl_real depth = 0;
        for (int b = 0; b < cloth->world->body_count && p->w[i] > 0; ++b)
            if (cloth->world->bodies[b]->def.on)
                depth = tl_max(depth, depth_in(cloth->world->bodies[b], cloth->origin, tl_at(p->x, i)));
        count += depth > 0;
        max_depth = tl_max(max_depth, depth);
    }
    if (deepest)
        *deepest = max_depth;
    return count;
}

tl_energies tl_cloth_energies(tl_cloth *cloth)
{
    tl_energies energies = {0};
    const tl_particles *p = &cloth->system.p;
    const tl_real *weight = tl_system_weight(&cloth->system);
    tl_vec3 g = cloth->world->def.gravity;
    tl_point offset = tl_public_offset(cloth->world, cloth->origin);
    double fall = (double)g.x * offset.x + (double)g.y * offset.y + (double)g.z * offset.z; /* J/kg, to the origin */
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 v = tl_at(p->v, i);
        energies.kinetic += 0.5 * (double)p->m[i] * (double)tl_dot(v, v);
        energies.gravity -= (double)weight[i] * ((double)tl_dot(g, tl_at(p->x, i)) + fall);
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        if (cloth->system.on[e])
            energies.elastic += cloth->system.batch[e].kind->energy(&cloth->system.batch[e], p);
    if (cloth->system.gas.on)
        energies.gas = tl_gas_energy(&cloth->system.gas, p, cloth->system.lanes);
    return energies;
}

tl_vec3 tl_cloth_momentum(tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    double sum[3] = {0, 0, 0};
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < p->count; ++i)
            sum[c] += (double)p->m[i] * (double)p->v[c][i];
    return tl_v3((tl_real)sum[0], (tl_real)sum[1], (tl_real)sum[2]);
}

tl_vec3 tl_cloth_angular_momentum(tl_cloth *cloth)
{
    const tl_particles *p = &cloth->system.p;
    double sum[3] = {0, 0, 0};
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 l = tl_scale(tl_cross(tl_at(p->x, i), tl_at(p->v, i)), p->m[i]);
        sum[0] += (double)l.x;
        sum[1] += (double)l.y;
        sum[2] += (double)l.z;
    }
    /* so far about the local origin; the momentum's own moment takes it to the public one */
    tl_point offset = tl_public_offset(cloth->world, cloth->origin);
    tl_vec3 momentum = tl_cloth_momentum(cloth);
    sum[0] += offset.y * (double)momentum.z - offset.z * (double)momentum.y;
    sum[1] += offset.z * (double)momentum.x - offset.x * (double)momentum.z;
    sum[2] += offset.x * (double)momentum.y - offset.y * (double)momentum.x;
    return tl_v3((tl_real)sum[0], (tl_real)sum[1], (tl_real)sum[2]);
}

tl_cloth_stats tl_cloth_get_stats(tl_cloth *cloth)
{
    tl_cloth_stats stats = cloth->stats;
    stats.largest_strain = tl_cloth_measure_strain(cloth); /* computed only on request */
    stats.material_error = tl_balance_share(cloth);
    stats.particles = cloth->mesh->particle_count;
    stats.simulated = tl_nurbs_simulated(cloth);
    stats.faces = cloth->mesh->face_count;
    stats.edges = cloth->mesh->edge_count;
    stats.links = tl_cloth_links(cloth, NULL, 0);
    stats.bytes = sizeof *cloth + tl_mesh_bytes(cloth->mesh) + cloth->system.bytes;
    tl_gas *gas = &cloth->system.gas;
    if (gas->on) {
        stats.volume = tl_gas_measure(gas, &cloth->system.p, cloth->system.lanes);
        stats.pressure = tl_gas_pressure(gas, stats.volume);
        stats.nrt = gas->nrt;
    }
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        stats.bytes += cloth->system.batch[e].bytes;
    if (cloth->nurbs)
        stats.bytes += tl_cloth_get_stats(cloth->nurbs->control).bytes;
    return stats;
}
