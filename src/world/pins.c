/* Pinned particles: selection and motion. A pinned particle has inverse mass 0 and the velocity that takes it to its
   target by the end of the frame, so that every stepper moves it without a special case. */
#include "world/cloth_shape.h"
#include "world/definition.h"
#include "world/world.h"

#include <string.h>

/* m; a position beyond is a mistake, not a place. */
static const tl_real FARTHEST = (tl_real)1e9;

static int find(const tl_cloth *cloth, int particle)
{
    for (int k = 0; k < cloth->pin_count; ++k)
        if (cloth->pins[k].particle == particle)
            return k;
    return -1;
}

void tl_pins_changed(tl_cloth *cloth)
{
    ++cloth->system.pins_version;
    cloth->system.tether_slack = -1;
    cloth->system.tether_slack_known = false;
}

static tl_result pin_particle(tl_cloth *cloth, int particle, int body, tl_error *error)
{
    if (cloth->system.p.w[particle] == 0)
        return TL_OK; /* pinned already */
    if (!tl_grow(&cloth->world->allocator, &cloth->pins, cloth->pin_count, &cloth->pin_capacity, sizeof(tl_pin)))
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for pins");
    tl_particles *p = &cloth->system.p;
    tl_pin pin = {.particle = particle, .body = body, .target = tl_at(p->x, particle)};
    if (body >= 0)
        pin.local = tl_body_undo(cloth->world->bodies[body], tl_home_of_local(cloth->origin, pin.target));
    cloth->pins[cloth->pin_count++] = pin;
    cloth->pins_move |= body >= 0;
    p->w[particle] = 0;
    tl_pins_changed(cloth);
    tl_put(p->v, particle, tl_v3(0, 0, 0));
    return TL_OK;
}

static bool on_grid_place(const tl_mesh *mesh, int vertex, const char *name)
{
    int column = vertex % mesh->columns, row = vertex / mesh->columns;
    bool top = row == 0, bottom = row == mesh->rows - 1, left = column == 0, right = column == mesh->columns - 1;
    const struct {
        const char *name;
        bool here;
    } places[] = {{"top", top},
                  {"bottom", bottom},
                  {"left", left},
                  {"right", right},
                  {"top-left", top && left},
                  {"top-right", top && right},
                  {"bottom-left", bottom && left},
                  {"bottom-right", bottom && right}};
    for (size_t k = 0; k < sizeof places / sizeof *places; ++k)
        if (strcmp(places[k].name, name) == 0)
            return places[k].here;
    return false;
}

static bool inside(tl_point low, tl_point high, tl_point x)
{
    return x.x >= low.x && x.y >= low.y && x.z >= low.z && x.x <= high.x && x.y <= high.y && x.z <= high.z;
}

static bool chosen(const tl_cloth *cloth, const tl_pin_def *pin, int particle)
{
    int vertex = cloth->mesh->vertex_of_particle[particle];
    if (strcmp(pin->where, "index") == 0)
        return cloth->mesh->particle_of_vertex[pin->index] == particle;
    if (strcmp(pin->where, "region") == 0)
        return inside(tl_home(cloth->world, pin->low), tl_home(cloth->world, pin->high),
                      tl_home_of_local(cloth->origin, tl_at(cloth->system.p.x, particle)));
    return on_grid_place(cloth->mesh, vertex, pin->name);
}

static tl_result check(const tl_cloth *cloth, const tl_pin_def *pin, int number, tl_error *error)
{
    const char *label = cloth->def.label;
    if (pin->body >= cloth->world->body_count)
        return tl_fail(error, TL_ERROR_INPUT, "%s.pin[%d].body: there is no body %d (the world has %d)", label, number,
                       pin->body, cloth->world->body_count);
    if (strcmp(pin->where, "index") == 0) {
        if (pin->index >= cloth->mesh->vertex_count || cloth->mesh->particle_of_vertex[pin->index] < 0)
            return tl_fail(error, TL_ERROR_INPUT, "%s.pin[%d].index: there is no vertex %d (the mesh has %d)", label,
                           number, pin->index, cloth->mesh->vertex_count);
    } else if (strcmp(pin->where, "region") != 0) {
        bool corner = strchr(pin->name, '-') != NULL;
        if (!cloth->mesh->lattice)
            return tl_fail(error, TL_ERROR_INPUT,
                           "%s.pin[%d].where: only grids have corners and edges with names; use index or region", label,
                           number);
        if (corner != (strcmp(pin->where, "corner") == 0))
            return tl_fail(error, TL_ERROR_INPUT, "%s.pin[%d].name: '%s' is not the name of %s", label, number,
                           pin->name, corner ? "an edge" : "a corner");
    }
    return TL_OK;
}

/* The region, and where the cloth is instead. */
static tl_result nothing_pinned(const tl_cloth *cloth, const tl_pin_def *pin, int number, tl_error *error)
{
    tl_vec3 a = pin->low, b = pin->high, low, high;
    tl_cloth_box(cloth, &low, &high);
    return tl_fail(error, TL_ERROR_INPUT,
                   "%s.pin[%d]: no particle is in the region (x %g to %g, y %g to %g, z %g to %g m); the cloth spans "
                   "x %g to %g, y %g to %g, z %g to %g m",
                   cloth->def.label, number, (double)a.x, (double)b.x, (double)a.y, (double)b.y, (double)a.z,
                   (double)b.z, (double)low.x, (double)high.x, (double)low.y, (double)high.y, (double)low.z,
                   (double)high.z);
}

tl_result tl_pins_create(tl_cloth *cloth, tl_error *error)
{
    if (cloth->def.pin_count > 0 && !cloth->def.pins)
        return tl_fail(error, TL_ERROR_INPUT, "%s.pin: pin_count is %d, but pins is NULL", cloth->def.label,
                       cloth->def.pin_count);
    for (int k = 0; k < cloth->def.pin_count; ++k) {
        tl_pin_def pin;
        tl_error reason = {0};
        if (tl_def_read_entry(&pin, cloth->def.pins, k, &tl_pin_params, &reason) != TL_OK)
            return tl_fail(error, reason.code, "%s.pin[%d]: %s", cloth->def.label, k, reason.message);
        tl_result result = tl_check_def(&tl_pin_params, &pin, "pin", error);
        if (result == TL_OK)
            result = check(cloth, &pin, k, error);
        int pinned = 0;
        for (int i = 0; result == TL_OK && i < cloth->mesh->particle_count; ++i)
            if (chosen(cloth, &pin, i)) {
                result = pin_particle(cloth, i, pin.body, error);
                ++pinned;
            }
        if (result == TL_OK && pinned == 0)
            result = nothing_pinned(cloth, &pin, k, error);
        if (result != TL_OK)
            return result;
    }
    return TL_OK;
}

void tl_pins_aim(tl_cloth *cloth)
{
    for (int k = 0; k < cloth->pin_count; ++k) {
        tl_pin *pin = &cloth->pins[k];
        const tl_body *body = pin->body >= 0 ? cloth->world->bodies[pin->body] : NULL;
        if (body)
            pin->target =
                tl_pose_apply((tl_pose){tl_local(cloth->origin, body->end_home), body->end.rotation}, pin->local);
    }
}

void tl_pins_begin(tl_cloth *cloth, tl_real dt)
{
    tl_particles *p = &cloth->system.p;
    for (int k = 0; k < cloth->pin_count; ++k) {
        const tl_pin *pin = &cloth->pins[k];
        tl_put(p->v, pin->particle, tl_scale(tl_sub(pin->reach, tl_at(p->x, pin->particle)), 1 / dt));
    }
}

void tl_pins_end(tl_cloth *cloth)
{
    for (int k = 0; k < cloth->pin_count; ++k)
        tl_put(cloth->system.p.x, cloth->pins[k].particle, cloth->pins[k].reach);
}

void tl_pins_forget_body(tl_cloth *cloth, int body)
{
    for (int k = 0; k < cloth->pin_count; ++k) {
        tl_pin *pin = &cloth->pins[k];
        if (pin->body == body) {
            pin->body = -1;
            pin->target = tl_at(cloth->system.p.x, pin->particle);
        } else if (pin->body > body) {
            --pin->body;
        }
    }
}

static int particle_of(const tl_cloth *cloth, int vertex)
{
    return vertex >= 0 && vertex < cloth->mesh->vertex_count ? cloth->mesh->particle_of_vertex[vertex] : -1;
}

static tl_result no_vertex(tl_cloth *cloth, int vertex)
{
    return tl_fail(&cloth->world->error, TL_ERROR_INPUT, "%s: there is no vertex %d", cloth->def.label, vertex);
}

tl_result tl_cloth_pin(tl_cloth *cloth, int vertex, bool held)
{
    int particle = particle_of(cloth, vertex);
    if (particle < 0)
        return no_vertex(cloth, vertex);
    if (held)
        return pin_particle(cloth, particle, -1, &cloth->world->error);
    int k = find(cloth, particle);
    if (k >= 0) {
        cloth->pins[k] = cloth->pins[--cloth->pin_count];
        cloth->system.p.w[particle] = 1 / cloth->system.p.m[particle];
        tl_pins_changed(cloth);
    }
    return TL_OK;
}

bool tl_cloth_pinned(const tl_cloth *cloth, int vertex)
{
    int particle = particle_of(cloth, vertex);
    return particle >= 0 && cloth->system.p.w[particle] == 0;
}

tl_result tl_cloth_move_pin(tl_cloth *cloth, int vertex, tl_vec3 position)
{
    int particle = particle_of(cloth, vertex);
    int k = particle >= 0 ? find(cloth, particle) : -1;
    if (k < 0)
        return tl_fail(&cloth->world->error, TL_ERROR_INPUT, "%s: vertex %d is not pinned", cloth->def.label, vertex);
    if (!(tl_length(position) <= FARTHEST))
        return tl_fail(&cloth->world->error, TL_ERROR_INPUT,
                       "%s: the position for vertex %d is not finite, or farther away than %g m", cloth->def.label,
                       vertex, (double)FARTHEST);
    cloth->pins[k].body = -1;
    cloth->pins_move = true;
    cloth->pins[k].target = tl_local_of_public(cloth->world, cloth->origin, position);
    return TL_OK;
}

tl_result tl_cloth_add_force(tl_cloth *cloth, int vertex, tl_vec3 force)
{
    int particle = particle_of(cloth, vertex);
    if (particle < 0)
        return no_vertex(cloth, vertex);
    if (!isfinite(force.x) || !isfinite(force.y) || !isfinite(force.z))
        return tl_fail(&cloth->world->error, TL_ERROR_INPUT, "%s: the force on vertex %d is not finite",
                       cloth->def.label, vertex);
    tl_accumulate(cloth->system.user_force, particle, force);
    cloth->system.has_user_force = true;
    return TL_OK;
}
