/* Bodies: creation, settings, and poses of static and kinematic bodies, on keyframes or moved by the user;
   world/dynamic_body.c moves dynamic ones. */
#include "contact/rigid/rigid_contact.h"
#include "world/body_mesh.h"
#include "world/contacts.h"
#include "world/definition.h"
#include "world/world.h"

#include <string.h>

/* A pose whose position is known exactly, as `local` shows it in the world's coordinates. */
typedef struct placed {
    tl_pose local;
    tl_point home; /* m */
} placed;

static placed place(const tl_body *body, tl_point home, tl_quat rotation)
{
    return (placed){{tl_local(body->world->origin, home), rotation}, home};
}

static placed own_pose(const tl_body *body) { return place(body, body->own_home, tl_quat_euler(body->def.rotation)); }

/* Pose at a time: the body's own pose followed by the key's, interpolated between the two keys around `time`. Rotations
   are interpolated in degrees, so that a key may ask for more than one turn. */
static placed pose_at(const tl_body *body, double time)
{
    placed own = own_pose(body);
    int count = body->def.key_count;
    if (count == 0)
        return own;
    const tl_key_def *keys = body->keys;
    double last = (double)keys[count - 1].time;
    if (body->def.loop && last > 0)
        time -= last * floor(time / last);
    int next = 0;
    while (next < count && (double)keys[next].time <= time)
        ++next;
    const tl_key_def *a = &keys[next > 0 ? next - 1 : 0], *b = &keys[next < count ? next : count - 1];
    double span = (double)b->time - (double)a->time;
    tl_real t = span > 0 ? tl_clamp((tl_real)((time - (double)a->time) / span), 0, 1) : 0;
    tl_quat turn = tl_quat_euler(tl_lerp(a->rotation, b->rotation, t));
    return place(body, tl_home_of_local(own.home, tl_lerp(a->position, b->position, t)),
                 tl_quat_normalized(tl_quat_mul(turn, own.local.rotation)));
}

/* The body stands still there. */
static void stand(tl_body *body, placed at)
{
    body->start = body->end = at.local;
    body->start_home = body->end_home = body->last_home = at.home;
    body->last_rotation = at.local.rotation;
}

static tl_result check(tl_body *body, tl_error *error)
{
    tl_body_def *def = &body->def;
    const char *label = def->label[0] ? def->label : "body";
    tl_result result = tl_check_def(&tl_body_params, def, label, error);
    if (result != TL_OK)
        return result;
    body->shape = tl_shape_find(def->shape);
    const char *wrong = body->shape ? body->shape->check(def->size) : NULL;
    if (wrong)
        return tl_fail(error, TL_ERROR_INPUT, "%s.size: %s of shape %s", label, wrong, def->shape);
    if (!body->shape && !body->mesh) {
        result = tl_body_mesh_create(body, error);
        if (result == TL_OK)
            result = tl_body_check_gaps(body, error);
    }
    if (result != TL_OK)
        return result;
    if (def->mass > 0 && !(body->shape && tl_shape_can_be_dynamic(body->shape)))
        return tl_fail(error, TL_ERROR_INPUT, "%s.mass: %g kg, but shape %s cannot be dynamic; sphere and box can",
                       label, (double)def->mass, def->shape);
    if (def->mass > 0 && def->key_count > 0)
        return tl_fail(error, TL_ERROR_INPUT,
                       "%s.mass: %g kg, but a body with keys is kinematic; give it a mass or keys, not both", label,
                       (double)def->mass);
    return TL_OK;
}

/* Copies and checks the keys of the definition. */
static tl_result copy_keys(tl_body *body, tl_error *error)
{
    const tl_body_def *def = &body->def;
    const char *label = def->label[0] ? def->label : "body";
    tl_key_def *keys = body->keys;
    if (def->key_count > 0 && !def->keys)
        return tl_fail(error, TL_ERROR_INPUT, "%s.key: key_count is %d, but keys is NULL", label, def->key_count);
    for (int k = 0; k < def->key_count; ++k) {
        tl_error reason = {0};
        if (tl_def_read_entry(&keys[k], def->keys, k, &tl_key_params, &reason) != TL_OK)
            return tl_fail(error, reason.code, "%s.key[%d]: %s", label, k, reason.message);
        keys[k].mark.size = sizeof *keys;
        tl_result result = tl_check_def(&tl_key_params, &keys[k], "key", error);
        if (result != TL_OK)
            return result;
        if (k > 0 && !(keys[k].time > keys[k - 1].time))
            return tl_fail(error, TL_ERROR_INPUT, "%s.key[%d].time: %g s does not come after key %d", label, k,
                           (double)keys[k].time, k - 1);
    }
    return TL_OK;
}

tl_body *tl_body_create(tl_world *world, const tl_body_def *def)
{
    tl_allocator *allocator = &world->allocator;
    tl_body_def copy;
    if (tl_def_read(&copy, def, &tl_body_params, &world->error) != TL_OK)
        return NULL;
    tl_body *body = tl_allocate(allocator, 1, sizeof *body);
    tl_key_def *keys = tl_allocate(allocator, (size_t)(copy.key_count > 0 ? copy.key_count : 0), sizeof *keys);
    if (!body || !keys || !tl_world_room_for_bodies(world) ||
        !tl_grow(allocator, &world->bodies, world->body_count, &world->body_capacity, sizeof(tl_body *))) {
        tl_release(allocator, body);
        tl_release(allocator, keys);
        tl_fail(&world->error, TL_ERROR_MEMORY, "no memory for a body");
        return NULL;
    }
    body->world = world;
    body->def = copy;
    body->keys = keys;
    if (check(body, &world->error) != TL_OK || copy_keys(body, &world->error) != TL_OK) {
        tl_body_free(body);
        return NULL;
    }
    body->def.keys = keys;
    body->def.shapes = NULL; /* copied */
    body->own_home = tl_home(world, copy.position);
    stand(body, pose_at(body, world->time));
    body->rigid = (tl_rigid_state){.velocity = copy.velocity, .rotation = body->start.rotation};
    world->bodies[world->body_count++] = body;
    tl_world_contacts_changed(world, body->mesh != NULL);
    return body;
}

void tl_body_free(tl_body *body)
{
    tl_allocator allocator = body->world->allocator;
    tl_body_mesh_free(body);
    tl_release(&allocator, body->keys);
    tl_release(&allocator, body);
}

void tl_body_destroy(tl_world *world, tl_body *body)
{
    int at = 0;
    while (at < world->body_count && world->bodies[at] != body)
        ++at;
    if (at == world->body_count)
        return;
    if (body->mesh)
        tl_world_contacts_release(world);
    --world->body_count;
    memmove(world->bodies + at, world->bodies + at + 1, (size_t)(world->body_count - at) * sizeof(tl_body *));
    for (int k = 0; k < world->cloth_count; ++k)
        tl_pins_forget_body(world->cloths[k], at); /* all else a cloth knows of bodies is bound again in every frame */
    tl_body_free(body);
}

tl_body *tl_world_add_sphere(tl_world *world, tl_vec3 center, tl_real radius, tl_real friction)
{
    tl_body_def def = tl_body_def_default();
    def.position = center;
    def.size = tl_v3(radius, radius, radius);
    def.friction = friction;
    return tl_body_create(world, &def);
}

tl_body *tl_world_add_plane(tl_world *world, tl_vec3 point, tl_vec3 normal, tl_real friction)
{
    tl_body_def def = tl_body_def_default();
    def.shape = "plane";
    def.position = point;
    def.friction = friction;
    if (!(tl_length(normal) > 0)) {
        tl_fail(&world->error, TL_ERROR_INPUT, "plane: the normal has no direction");
        return NULL;
    }
    tl_body *body = tl_body_create(world, &def);
    if (body) { /* rotation that takes +y to the normal; exact, where degrees would round */
        tl_vec3 n = tl_normalized(normal);
        tl_quat turn = {n.z, 0, -n.x, 1 + n.y};
        if (n.y < -0.999999f)
            turn = (tl_quat){1, 0, 0, 0};
        tl_body_move(body, point, tl_quat_normalized(turn));
        stand(body, (placed){body->target, body->target_home});
    }
    return body;
}

void tl_body_end(tl_body *body)
{
    body->start = body->end;
    body->start_home = body->is_dynamic ? tl_home_of_local(body->world->origin, body->end.position) : body->end_home;
    if (body->mesh)
        tl_body_mesh_finish(body);
    if (body->def.mass > 0)
        body->has_target = false;
}

void tl_body_begin(tl_body *body, double time, tl_real dt)
{
    body->impulse = body->moment = tl_v3(0, 0, 0);
    if (body->has_target) {
        body->end = body->target;
        body->end_home = body->target_home;
    } else if (body->def.mass > 0) { /* kinematic, or dynamic: then moved by dynamic_body.c */
        body->end = body->start;
        body->end_home = body->start_home;
    } else {
        placed at = pose_at(body, time + (double)dt);
        body->end = at.local;
        body->end_home = at.home;
    }
    if (body->def.mass > 0 && body->has_target) { /* kinematic for this step, then released with its current velocity */
        body->rigid.velocity = tl_scale(tl_sub(body->end.position, body->start.position), 1 / dt);
        body->rigid.spin = tl_v3(0, 0, 0);
    }
    if (!(body->def.mass > 0))
        tl_body_note_leap(body, dt);
    body->last_home = body->start_home;
    body->last_rotation = body->start.rotation;
    if (body->mesh)
        tl_body_mesh_begin(body, time, dt);
}

static void set_target(tl_body *body, tl_point home)
{
    body->target_home = home;
    body->target.position = tl_local(body->world->origin, home);
}

tl_result tl_body_set(tl_body *body, const char *path, const tl_value *value)
{
    tl_body_def before = body->def;
    const char *label = body->def.label[0] ? body->def.label : "body";
    tl_error *error = &body->world->error;
    tl_result result = tl_set_live(&tl_body_params, &body->def, path, value, label, error);
    if (body->mesh)
        tl_world_contacts_changed(body->world, false);
    if (result == TL_OK && check(body, error) != TL_OK) {
        body->def = before;
        return error->code;
    }
    /* a moved body keeps the half of its pose that was not set; one with keys returns to them */
    if (result == TL_OK && (strcmp(path, "position") == 0 || strcmp(path, "rotation") == 0)) {
        body->has_target = body->has_target && body->def.key_count == 0;
        if (strcmp(path, "position") == 0)
            body->own_home = tl_home(body->world, body->def.position);
        if (body->def.mass > 0) { /* teleported, at rest */
            stand(body, own_pose(body));
            body->rigid.velocity = body->rigid.spin = tl_v3(0, 0, 0);
        }
        if (strcmp(path, "rotation") == 0)
            body->target.rotation = tl_quat_euler(body->def.rotation);
        else
            set_target(body, body->own_home);
    }
    return result;
}

const tl_body_def *tl_body_get_def(const tl_body *body) { return &body->def; }

void tl_body_pose(const tl_body *body, tl_vec3 *position, tl_quat *rotation)
{
    if (position)
        *position = tl_local(body->world->shift, body->start_home);
    if (rotation)
        *rotation = body->start.rotation;
}

void tl_body_blended_pose(const tl_body *body, tl_real blend, tl_vec3 *position, tl_quat *rotation)
{
    tl_real t = tl_clamp(blend, 0, 1);
    if (position)
        *position =
            tl_lerp(tl_local(body->world->shift, body->last_home), tl_local(body->world->shift, body->start_home), t);
    if (rotation)
        *rotation = tl_quat_nlerp(body->last_rotation, body->start.rotation, t);
}

tl_result tl_body_move(tl_body *body, tl_vec3 position, tl_quat rotation)
{
    tl_real length =
        rotation.x * rotation.x + rotation.y * rotation.y + rotation.z * rotation.z + rotation.w * rotation.w;
    if (!isfinite(position.x + position.y + position.z) || !(length > 0) || !isfinite(length))
        return tl_fail(&body->world->error, TL_ERROR_INPUT, "%s: the pose is not finite", body->def.label);
    set_target(body, tl_home(body->world, position));
    body->target.rotation = tl_quat_normalized(rotation);
    body->has_target = true;
    return TL_OK;
}

void tl_body_impulse(const tl_body *body, tl_vec3 *impulse, tl_vec3 *moment)
{
    if (impulse)
        *impulse = body->impulse;
    if (moment)
        *moment = body->moment;
}

void tl_body_velocity(const tl_body *body, tl_vec3 *velocity, tl_vec3 *spin)
{
    if (velocity)
        *velocity = body->rigid.velocity;
    if (spin)
        *spin = body->rigid.spin;
}

tl_vec3 tl_body_undo(const tl_body *body, tl_point point)
{
    return tl_rotate_back(body->start.rotation, tl_local(body->start_home, point));
}

tl_real tl_body_distance(const tl_body *body, tl_vec3 point, tl_vec3 *normal)
{
    return tl_body_distance_home(body, tl_home(body->world, point), normal);
}

tl_real tl_body_distance_home(const tl_body *body, tl_point point, tl_vec3 *normal)
{
    tl_vec3 local;
    tl_vec3 position = tl_body_undo(body, point);
    tl_real distance = body->mesh ? tl_body_mesh_distance(body, position, &local)
                                  : body->shape->distance(body->def.size, position, &local);
    if (normal)
        *normal = tl_rotate(body->start.rotation, local);
    return distance;
}
