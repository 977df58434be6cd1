/* Serialises the state of a world, and hashes it. Layout: header, then per body its poses, then per cloth its sizes,
   pins, x and its low words, v, f, inverse masses, pressure and the history of multistep steppers. Native byte order:
   snapshots are for this machine and this build. */
#include "world/body_mesh.h"
#include "world/nurbs.h"
#include "world/world.h"

#include <string.h>

#define SNAPSHOT_MAGIC 0x37534c54u /* "TLS7" */

typedef struct header {
    uint32_t magic, real_size;
    uint64_t checksum; /* of all bytes, this field counted as 0 */
    int32_t cloth_count, body_count;
    double time;
    uint64_t frame;
    tl_point origin, shift;
} header;

typedef struct cloth_header {
    int32_t particles, pins;
    tl_real lag, tether_slack, strain_limit_slack;
    double pressure_time;
    int32_t contacts, rejected_frames, rejected_in_a_row, recoveries, pins_move;
    int32_t history; /* 1: the history of a multistep stepper follows */
    tl_real history_step;
    double gas_nrt, gas_reference;
    uint64_t matrix_seen;
    tl_point origin;
} cloth_header;

/* FNV-1a */
#define HASH_START 14695981039346656037u
static uint64_t mix(uint64_t hash, const void *bytes, size_t size)
{
    for (size_t k = 0; k < size; ++k)
        hash = (hash ^ ((const unsigned char *)bytes)[k]) * 1099511628211u;
    return hash;
}

/* One traversal serves size, save and restore: it copies between memory and bytes, or only counts. */
typedef struct walk {
    unsigned char *out;
    const unsigned char *in;
    size_t at, size;
    bool truncated;
} walk;

static void pass(walk *w, void *memory, size_t size)
{
    if (size > 0 && (w->out || w->in)) {
        if (w->at + size > w->size) {
            w->truncated = true;
            return;
        }
        if (w->out)
            memcpy(w->out + w->at, memory, size);
        else
            memcpy(memory, w->in + w->at, size);
    }
    w->at += size;
}

/* History of multistep steppers. A cloth without arrays for it skips the bytes. */
static void pass_history(walk *w, tl_cloth *cloth)
{
    size_t bytes = (size_t)cloth->system.p.count * sizeof(tl_real);
    for (int k = 0; k < TL_HISTORY; ++k)
        if (cloth->system.history[k])
            pass(w, cloth->system.history[k], bytes);
        else
            w->at += bytes;
}

static void pass_cloth_arrays(walk *w, tl_cloth *cloth)
{
    tl_particles *p = &cloth->system.p;
    size_t bytes = (size_t)p->count * sizeof(tl_real);
    for (int c = 0; c < 3; ++c) {
        pass(w, p->x[c], bytes);
        pass(w, cloth->system.low[c], bytes);
        pass(w, p->v[c], bytes);
        pass(w, p->f[c], bytes);
        pass(w, cloth->system.user_force[c], bytes);
    }
    cloth->system.has_user_force = true;
    pass(w, p->w, bytes);
    pass(w, cloth->pressure, bytes);
}

/* The shape of a mesh body. */
static void pass_shape(walk *w, tl_body *body)
{
    tl_body_mesh *m = body->mesh;
    size_t bytes = (size_t)body->def.mesh->particle_count * sizeof(tl_vec3);
    pass(w, m->start, bytes);
    pass(w, m->target, bytes);
    pass(w, &m->has_target, sizeof m->has_target);
    pass(w, &m->deformed, sizeof m->deformed);
}

static void pass_bodies(walk *w, const tl_world *world)
{
    for (int b = 0; b < world->body_count; ++b) {
        tl_body *body = world->bodies[b];
        pass(w, &body->start, sizeof body->start);
        pass(w, &body->target, sizeof body->target);
        pass(w, &body->start_home, sizeof body->start_home);
        pass(w, &body->target_home, sizeof body->target_home);
        pass(w, &body->has_target, sizeof body->has_target);
        pass(w, &body->last_velocity, sizeof body->last_velocity);
        pass(w, &body->impulse, sizeof body->impulse);
        pass(w, &body->moment, sizeof body->moment);
        pass(w, &body->rigid.velocity, sizeof body->rigid.velocity);
        pass(w, &body->rigid.spin, sizeof body->rigid.spin);
        pass(w, &body->was_dynamic, sizeof body->was_dynamic);
        if (body->mesh)
            pass_shape(w, body);
    }
}

static cloth_header header_of(const tl_cloth *cloth)
{
    const tl_system *system = &cloth->system;
    cloth_header about;
    memset(&about, 0, sizeof about); /* the checksum covers padding too */
    about.particles = system->p.count;
    about.pins = cloth->pin_count;
    about.lag = system->lag;
    about.tether_slack = system->tether_slack;
    about.strain_limit_slack = system->strain_limit_slack;
    about.pressure_time = cloth->pressure_time;
    about.contacts = cloth->stats.contacts;
    about.rejected_frames = cloth->stats.rejected_frames;
    about.rejected_in_a_row = cloth->rejected_in_a_row;
    about.recoveries = cloth->stats.recoveries;
    about.pins_move = cloth->pins_move;
    about.history = system->history[TL_HISTORY - 1] != NULL;
    about.history_step = system->history_step;
    about.gas_nrt = system->gas.nrt;
    about.gas_reference = system->gas.reference;
    about.matrix_seen = system->matrix_seen;
    about.origin = cloth->origin;
    return about;
}

/* What the net of a NURBS surface has beyond the arrays of a cloth. */
typedef struct net_header {
    int32_t active, history;
    tl_real calm, lag, tether_slack, strain_limit_slack, history_step;
    uint64_t matrix_seen;
} net_header;

static void pass_net_arrays(walk *w, tl_cloth *net, bool history)
{
    pass_cloth_arrays(w, net);
    if (history)
        pass_history(w, net);
}

static void write_net(walk *w, const tl_cloth *cloth)
{
    if (!cloth->nurbs)
        return;
    tl_cloth *net = cloth->nurbs->control;
    net_header about;
    memset(&about, 0, sizeof about); /* the checksum covers padding too */
    about.active = cloth->nurbs->active;
    about.history = net->system.history[TL_HISTORY - 1] != NULL;
    about.calm = cloth->nurbs->calm;
    about.lag = net->system.lag;
    about.tether_slack = net->system.tether_slack;
    about.strain_limit_slack = net->system.strain_limit_slack;
    about.history_step = net->system.history_step;
    about.matrix_seen = net->system.matrix_seen;
    pass(w, &about, sizeof about);
    pass_net_arrays(w, net, about.history != 0);
}

/* Steps over the net's bytes without reading them into it. */
static void skip_net(walk *w, const tl_cloth *cloth)
{
    net_header about = {0};
    walk arrays = {0};
    if (!cloth->nurbs)
        return;
    pass(w, &about, sizeof about);
    pass_net_arrays(&arrays, cloth->nurbs->control, about.history != 0);
    w->at += arrays.at;
}

static void read_net(walk *w, tl_cloth *cloth)
{
    net_header about = {0};
    if (!cloth->nurbs)
        return;
    tl_cloth *net = cloth->nurbs->control;
    pass(w, &about, sizeof about);
    pass_net_arrays(w, net, about.history != 0);
    for (int j = 0; j < net->system.p.count; ++j) /* pins are those that it has here; they follow the cloth's */
        net->system.p.w[j] = 1 / net->system.p.m[j];
    for (int k = 0; k < net->pin_count; ++k)
        net->system.p.w[net->pins[k].particle] = 0;
    cloth->nurbs->active = about.active != 0;
    cloth->nurbs->calm = about.calm;
    net->origin = cloth->origin;
    net->system.lag = about.lag;
    net->system.tether_slack = about.tether_slack;
    net->system.tether_slack_known = about.tether_slack >= 0;
    net->system.strain_limit_slack = about.strain_limit_slack;
    net->system.strain_limit_slack_known = true;
    net->system.history_step = about.history ? about.history_step : 0;
    net->system.matrix_seen = about.matrix_seen;
    ++net->system.pins_version;
    tl_cloth_forget_past(net);
    tl_balance_forget(net);
}

static void write_all(walk *w, const tl_world *world)
{
    header head = {.magic = SNAPSHOT_MAGIC,
                   .real_size = sizeof(tl_real),
                   .cloth_count = world->cloth_count,
                   .body_count = world->body_count,
                   .time = world->time,
                   .frame = world->frame,
                   .origin = world->origin,
                   .shift = world->shift};
    pass(w, &head, sizeof head);
    pass_bodies(w, world);
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        cloth_header about = header_of(cloth);
        pass(w, &about, sizeof about);
        pass(w, cloth->pins, (size_t)cloth->pin_count * sizeof(tl_pin));
        pass_cloth_arrays(w, cloth);
        if (about.history)
            pass_history(w, cloth);
        write_net(w, cloth);
    }
}

size_t tl_world_snapshot_size(const tl_world *world)
{
    walk w = {0};
    write_all(&w, world);
    return w.at;
}

/* Of a whole snapshot, with the checksum field counted as 0. */
static uint64_t checksum_of(const header *head, const void *bytes, size_t size)
{
    header blank = *head;
    blank.checksum = 0;
    uint64_t hash = mix(HASH_START, &blank, sizeof blank);
    return mix(hash, (const unsigned char *)bytes + sizeof blank, size - sizeof blank);
}

tl_result tl_world_save(tl_world *world, void *bytes, size_t size)
{
    walk w = {.out = bytes, .size = size};
    if (size < tl_world_snapshot_size(world))
        return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: %zu bytes are too few, %zu are needed", size,
                       tl_world_snapshot_size(world));
    write_all(&w, world);
    header head;
    memcpy(&head, bytes, sizeof head);
    head.checksum = checksum_of(&head, bytes, w.at);
    memcpy(bytes, &head, sizeof head);
    return TL_OK;
}

/* Pins are the only part of a snapshot with indices of particles and bodies. */
static bool pins_are_right(const tl_world *world, const tl_cloth *cloth, const unsigned char *bytes, int count)
{
    for (int k = 0; k < count; ++k) {
        tl_pin pin;
        memcpy(&pin, bytes + (size_t)k * sizeof pin, sizeof pin);
        if (pin.particle < 0 || pin.particle >= cloth->system.p.count || pin.body < -1 || pin.body >= world->body_count)
            return false;
    }
    return true;
}

/* Validates the bytes against the world without changing it. */
static tl_result check(tl_world *world, const void *bytes, size_t size)
{
    walk w = {.in = bytes, .size = size};
    header head = {0};
    pass(&w, &head, sizeof head);
    if (w.truncated || head.magic != SNAPSHOT_MAGIC || head.real_size != sizeof(tl_real))
        return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: these bytes are not a snapshot of this build");
    if (head.cloth_count != world->cloth_count || head.body_count != world->body_count)
        return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: has %d cloths and %d bodies, the world %d and %d",
                       head.cloth_count, head.body_count, world->cloth_count, world->body_count);
    walk bodies = {0};
    pass_bodies(&bodies, world);
    w.at += bodies.at;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        cloth_header about = {0};
        pass(&w, &about, sizeof about);
        if (w.truncated || about.particles != cloth->system.p.count || about.pins < 0 || about.pins > about.particles)
            return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: cloth %d does not match the world's", k);
        walk arrays = {0};
        pass_cloth_arrays(&arrays, cloth);
        if (about.history)
            pass_history(&arrays, cloth);
        size_t pins = w.at;
        w.at += (size_t)about.pins * sizeof(tl_pin) + arrays.at;
        if (w.at > size || !pins_are_right(world, cloth, w.in + pins, about.pins))
            return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: cloth %d does not match the world's", k);
        skip_net(&w, cloth);
    }
    if (w.at != size)
        return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: %zu bytes, expected %zu", size, w.at);
    if (checksum_of(&head, bytes, size) != head.checksum)
        return tl_fail(&world->error, TL_ERROR_INPUT, "snapshot: the bytes were changed since they were saved");
    return TL_OK;
}

tl_result tl_world_restore(tl_world *world, const void *bytes, size_t size)
{
    tl_result result = check(world, bytes, size);
    if (result != TL_OK)
        return result;
    walk w = {.in = bytes, .size = size};
    header head = {0};
    pass(&w, &head, sizeof head);
    /* allocate room for all pins first, so that nothing can fail half way */
    walk look = w;
    walk bodies = {0};
    pass_bodies(&bodies, world);
    look.at += bodies.at;
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        cloth_header about = {0};
        pass(&look, &about, sizeof about);
        while (cloth->pin_capacity < about.pins)
            if (!tl_grow(&world->allocator, &cloth->pins, cloth->pin_capacity, &cloth->pin_capacity, sizeof(tl_pin)))
                return tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for pins");
        walk arrays = {0};
        pass_cloth_arrays(&arrays, cloth);
        if (about.history)
            pass_history(&arrays, cloth);
        look.at += (size_t)about.pins * sizeof(tl_pin) + arrays.at;
        skip_net(&look, cloth);
    }
    world->time = head.time;
    world->frame = head.frame;
    tl_point shift_before = world->shift;
    world->origin = head.origin;
    world->shift = head.shift;
    tl_world_shift_definitions(world, shift_before);
    pass_bodies(&w, world);
    for (int b = 0; b < world->body_count; ++b) {
        world->bodies[b]->end = world->bodies[b]->start;
        world->bodies[b]->end_home = world->bodies[b]->last_home = world->bodies[b]->start_home;
        world->bodies[b]->last_rotation = world->bodies[b]->start.rotation;
        if (world->bodies[b]->mesh)
            tl_body_mesh_shaped(world->bodies[b]);
    }
    for (int k = 0; k < world->cloth_count; ++k) {
        tl_cloth *cloth = world->cloths[k];
        cloth_header about = {0};
        pass(&w, &about, sizeof about);
        cloth->origin = about.origin;
        cloth->pin_count = about.pins;
        pass(&w, cloth->pins, (size_t)about.pins * sizeof(tl_pin));
        pass_cloth_arrays(&w, cloth);
        if (about.history)
            pass_history(&w, cloth);
        cloth->system.history_step = about.history ? about.history_step : 0;
        cloth->system.lag = about.lag;
        cloth->system.tether_slack = about.tether_slack;
        cloth->system.tether_slack_known = about.tether_slack >= 0;
        cloth->system.strain_limit_slack = about.strain_limit_slack;
        cloth->system.strain_limit_slack_known = true;
        ++cloth->system.pins_version;
        cloth->pressure_time = about.pressure_time;
        cloth->stats.contacts = about.contacts;
        cloth->stats.rejected_frames = about.rejected_frames;
        cloth->rejected_in_a_row = about.rejected_in_a_row;
        cloth->stats.recoveries = about.recoveries;
        cloth->pins_move = about.pins_move != 0;
        cloth->system.gas.nrt = about.gas_nrt;
        cloth->system.gas.reference = about.gas_reference;
        cloth->system.matrix_seen = about.matrix_seen;
        cloth->stats.largest_speed = tl_cloth_measure_speed(cloth);
        read_net(&w, cloth);
        tl_cloth_forget_past(cloth);
        tl_balance_forget(cloth);
        tl_cloth_changed(cloth);
    }
    world->contacts_judged = false;
    return TL_OK;
}

/* In the vertex order of the file, independent of particle order and padding. */
uint64_t tl_world_hash(const tl_world *world)
{
    uint64_t hash = HASH_START;
    for (int b = 0; b < world->body_count; ++b)
        if (world->bodies[b]->was_dynamic) {
            hash = mix(hash, &world->bodies[b]->start, sizeof world->bodies[b]->start);
            hash = mix(hash, &world->bodies[b]->rigid.velocity, sizeof world->bodies[b]->rigid.velocity);
            hash = mix(hash, &world->bodies[b]->rigid.spin, sizeof world->bodies[b]->rigid.spin);
        }
    for (int b = 0; b < world->body_count; ++b) {
        const tl_body *body = world->bodies[b];
        if (body->mesh && body->mesh->deformed)
            for (int p = 0; p < body->def.mesh->particle_count; ++p)
                hash = mix(hash, &body->mesh->start[p], sizeof body->mesh->start[p]);
    }
    for (int k = 0; k < world->cloth_count; ++k) {
        const tl_cloth *cloth = world->cloths[k];
        tl_point offset = tl_public_offset(world, cloth->origin);
        if (offset.x != 0 || offset.y != 0 || offset.z != 0)
            hash = mix(hash, &offset, sizeof offset);
        for (int v = 0; v < cloth->mesh->vertex_count; ++v) {
            int i = cloth->mesh->particle_of_vertex[v];
            for (int c = 0; c < 3 && i >= 0; ++c) {
                hash = mix(hash, &cloth->system.p.x[c][i], sizeof(tl_real));
                hash = mix(hash, &cloth->system.p.v[c][i], sizeof(tl_real));
            }
        }
        if (cloth->system.gas.on)
            hash = mix(hash, &cloth->system.gas.nrt, sizeof cloth->system.gas.nrt);
    }
    return hash;
}
