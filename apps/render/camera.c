/* Camera moves, framing, picking rays and paths; see camera.h. */
#include "camera.h"
#include <cglm/struct.h>
#include <math.h>

/* Minimum angle to the pole of a turntable: beyond it the horizon would flip. */
static const float POLE_MARGIN = 0.02f; /* rad */

static vec3s load(const float v[3]) { return (vec3s){{v[0], v[1], v[2]}}; }

static void store(float out[3], vec3s v)
{
    out[0] = v.x;
    out[1] = v.y;
    out[2] = v.z;
}

/* Right, up and forward unit vectors of the picture. */
static void axes_of(const camera *cam, vec3s *right, vec3s *up, vec3s *forward)
{
    *forward = glms_vec3_normalize(glms_vec3_sub(load(cam->target), load(cam->position)));
    *right = glms_vec3_normalize(glms_vec3_cross(*forward, load(cam->up)));
    *up = glms_vec3_cross(*right, *forward);
}

camera camera_default(void)
{
    return (camera){
        .position = {1.6f, 1.5f, 3.2f},
        .target = {0.0f, 0.5f, 0.0f},
        .up = {0.0f, 1.0f, 0.0f},
        .fov_y = 0.61f, /* 35°: a short telephoto, little distortion */
    };
}

/* Rotates a direction by yaw about `up` and by pitch about the horizontal, clamped short of the poles. */
static vec3s turn(vec3s direction, vec3s up, float yaw, float pitch)
{
    float length = glms_vec3_norm(direction);
    vec3s unit = glms_vec3_scale(direction, 1.0f / length);
    unit = glms_vec3_rotate(unit, yaw, up);
    // elevation above the horizon before and after; the rotation is the clamped difference
    float elevation = asinf(fminf(fmaxf(glms_vec3_dot(unit, up), -1.0f), 1.0f));
    float limit = 1.5707963f - POLE_MARGIN;
    float wanted = fminf(fmaxf(elevation + pitch, -limit), limit);
    vec3s side = glms_vec3_cross(unit, up);
    if (glms_vec3_norm(side) > 1e-6f)
        unit = glms_vec3_rotate(unit, wanted - elevation, glms_vec3_normalize(side));
    return glms_vec3_scale(unit, length);
}

void camera_orbit(camera *cam, float yaw, float pitch)
{
    vec3s up = glms_vec3_normalize(load(cam->up));
    vec3s arm = glms_vec3_sub(load(cam->position), load(cam->target));
    store(cam->position, glms_vec3_add(load(cam->target), turn(arm, up, yaw, pitch)));
}

void camera_look(camera *cam, float yaw, float pitch)
{
    vec3s up = glms_vec3_normalize(load(cam->up));
    vec3s arm = glms_vec3_sub(load(cam->target), load(cam->position));
    store(cam->target, glms_vec3_add(load(cam->position), turn(arm, up, yaw, pitch)));
}

/* Point on the trackball: a sphere that runs out into a hyperbolic sheet, so there is no edge (Holroyd). */
static vec3s trackball_point(float x, float y)
{
    float d2 = x * x + y * y;
    float z = d2 < 0.5f ? sqrtf(1.0f - d2) : 0.5f / sqrtf(d2);
    return glms_vec3_normalize((vec3s){{x, y, z}});
}

void camera_trackball(camera *cam, float from_x, float from_y, float to_x, float to_y)
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    vec3s a = trackball_point(from_x, from_y), b = trackball_point(to_x, to_y);
    vec3s axis = glms_vec3_cross(a, b);
    float sine = glms_vec3_norm(axis);
    if (sine < 1e-7f)
        return;
    float angle = atan2f(sine, glms_vec3_dot(a, b));
    // the axis was found in the camera's frame: bring it to the world; the eye turns against the drag
    vec3s world = glms_vec3_add(glms_vec3_add(glms_vec3_scale(right, axis.x), glms_vec3_scale(up, axis.y)),
                                glms_vec3_scale(forward, -axis.z));
    world = glms_vec3_normalize(world);
    vec3s arm = glms_vec3_sub(load(cam->position), load(cam->target));
    store(cam->position, glms_vec3_add(load(cam->target), glms_vec3_rotate(arm, -angle, world)));
    store(cam->up, glms_vec3_rotate(up, -angle, world));
}

static void move(camera *cam, vec3s step)
{
    store(cam->position, glms_vec3_add(load(cam->position), step));
    store(cam->target, glms_vec3_add(load(cam->target), step));
}

void camera_pan(camera *cam, float dx, float dy)
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    float distance = glms_vec3_distance(load(cam->position), load(cam->target));
    float height = 2.0f * distance * tanf(0.5f * cam->fov_y);
    move(cam, glms_vec3_add(glms_vec3_scale(right, -dx * height), glms_vec3_scale(up, -dy * height)));
}

void camera_zoom(camera *cam, float factor)
{
    vec3s arm = glms_vec3_sub(load(cam->position), load(cam->target));
    store(cam->position, glms_vec3_add(load(cam->target), glms_vec3_scale(arm, factor)));
}

void camera_fly(camera *cam, float right_m, float up_m, float forward_m)
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    vec3s step = glms_vec3_add(glms_vec3_scale(right, right_m), glms_vec3_scale(up, up_m));
    move(cam, glms_vec3_add(step, glms_vec3_scale(forward, forward_m)));
}

/* For a fixed direction a corner at (x, y, z) in camera axes about the target is inside when distance + z ≥ |x| / tan
   and the same for y: the distance is the largest of these sixteen bounds. Centring on the box's middle leaves the
   picture lopsided in perspective, so the target is then moved to the middle of the projected extent and the bound
   taken again. */
void camera_frame_bounds(camera *cam, const float minimum[3], const float maximum[3], float aspect, float margin)
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    float tan_y = tanf(0.5f * cam->fov_y) * (1.0f - margin), tan_x = tan_y * aspect;
    vec3s centre = glms_vec3_scale(glms_vec3_add(load(minimum), load(maximum)), 0.5f);
    float distance = 0.0f;
    for (int round = 0; round < 3; ++round) {
        float need = 0.0f, low_x = INFINITY, high_x = -INFINITY, low_y = INFINITY, high_y = -INFINITY;
        for (int corner = 0; corner < 8; ++corner) {
            vec3s p = {{corner & 1 ? maximum[0] : minimum[0], corner & 2 ? maximum[1] : minimum[1],
                        corner & 4 ? maximum[2] : minimum[2]}};
            p = glms_vec3_sub(p, centre);
            float x = glms_vec3_dot(p, right), y = glms_vec3_dot(p, up), z = glms_vec3_dot(p, forward);
            need = fmaxf(need, fmaxf(fabsf(x) / tan_x, fabsf(y) / tan_y) - z);
            if (distance > 0.0f && distance + z > 0.0f) {
                low_x = fminf(low_x, x / (distance + z)), high_x = fmaxf(high_x, x / (distance + z));
                low_y = fminf(low_y, y / (distance + z)), high_y = fmaxf(high_y, y / (distance + z));
            }
        }
        distance = fmaxf(need, 1e-3f);
        if (high_x >= low_x && round < 2) {
            centre = glms_vec3_add(centre, glms_vec3_scale(right, 0.5f * (low_x + high_x) * distance));
            centre = glms_vec3_add(centre, glms_vec3_scale(up, 0.5f * (low_y + high_y) * distance));
        }
    }
    store(cam->target, centre);
    store(cam->position, glms_vec3_sub(centre, glms_vec3_scale(forward, distance)));
}

void camera_ray(const camera *cam, float x, float y, int width, int height, float origin[3], float direction[3])
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    float tan_y = tanf(0.5f * cam->fov_y), aspect = (float)width / (float)height;
    float sx = (2.0f * x / (float)width - 1.0f) * tan_y * aspect;
    float sy = (1.0f - 2.0f * y / (float)height) * tan_y;
    vec3s ray = glms_vec3_add(forward, glms_vec3_add(glms_vec3_scale(right, sx), glms_vec3_scale(up, sy)));
    store(direction, glms_vec3_normalize(ray));
    store(origin, load(cam->position));
}

int camera_project(const camera *cam, const float point[3], int width, int height, float pixel[2], float *depth)
{
    vec3s right, up, forward;
    axes_of(cam, &right, &up, &forward);
    vec3s p = glms_vec3_sub(load(point), load(cam->position));
    float z = glms_vec3_dot(p, forward);
    if (depth)
        *depth = z;
    if (z <= 0.0f)
        return 0;
    float tan_y = tanf(0.5f * cam->fov_y), aspect = (float)width / (float)height;
    pixel[0] = (0.5f + 0.5f * glms_vec3_dot(p, right) / (z * tan_y * aspect)) * (float)width;
    pixel[1] = (0.5f - 0.5f * glms_vec3_dot(p, up) / (z * tan_y)) * (float)height;
    return 1;
}

/* Slope of a key's value by the difference over its neighbours (one-sided at the ends). */
static vec3s slope(const camera_path *path, int i, size_t field)
{
    int before = i > 0 ? i - 1 : i, after = i + 1 < path->key_count ? i + 1 : i;
    const camera_key *a = &path->keys[before], *b = &path->keys[after];
    const float *va = (const float *)((const char *)a + field), *vb = (const float *)((const char *)b + field);
    float dt = b->time - a->time;
    return dt > 0.0f ? glms_vec3_scale(glms_vec3_sub(load(vb), load(va)), 1.0f / dt) : glms_vec3_zero();
}

/* Cubic Hermite between key i and i + 1 at fraction s. */
static vec3s between(const camera_path *path, int i, float s, size_t field)
{
    const camera_key *a = &path->keys[i], *b = &path->keys[i + 1];
    const float *va = (const float *)((const char *)a + field), *vb = (const float *)((const char *)b + field);
    float dt = b->time - a->time, s2 = s * s, s3 = s2 * s;
    vec3s value = glms_vec3_scale(load(va), 2.0f * s3 - 3.0f * s2 + 1.0f);
    value = glms_vec3_add(value, glms_vec3_scale(load(vb), 3.0f * s2 - 2.0f * s3));
    value = glms_vec3_add(value, glms_vec3_scale(slope(path, i, field), (s3 - 2.0f * s2 + s) * dt));
    return glms_vec3_add(value, glms_vec3_scale(slope(path, i + 1, field), (s3 - s2) * dt));
}

camera camera_path_at(const camera_path *path, const camera *base, float time, float duration)
{
    camera cam = *base;
    if (path->kind == CAMERA_ORBIT && duration > 0.0f)
        camera_orbit(&cam, 6.2831853f * path->turns * time / duration, 0.0f);
    if (path->kind != CAMERA_KEYFRAMES || path->key_count < 1)
        return cam;
    // before the first and after the last key the camera stays
    int last = path->key_count - 1, i = 0;
    while (i < last && time >= path->keys[i + 1].time)
        ++i;
    if (i == last || time <= path->keys[0].time) {
        store(cam.position, load(path->keys[i].position));
        store(cam.target, load(path->keys[i].target));
        return cam;
    }
    float s = (time - path->keys[i].time) / (path->keys[i + 1].time - path->keys[i].time);
    store(cam.position, between(path, i, s, offsetof(camera_key, position)));
    store(cam.target, between(path, i, s, offsetof(camera_key, target)));
    return cam;
}
