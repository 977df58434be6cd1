#include "render/stage_internal.h"

#include "render/shapes.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#define DEGREES 0.017453293f
#define FOG_DENSITY 0.035f /* 1/m: half gone at 20 m */
#define FOG_DISTANCE 13.0f /* m, eye to target; beyond, fog is thinner: it must not hide a large scene */

/* A cloth, or what is of one fabric in a cloth of several. */
typedef struct stage_cloth {
    int index;               /* of the cloth in the world */
    const tl_fabric *fabric; /* of this part; NULL: the cloth's */
    render_mesh *mesh;
    float size[2];      /* m, along u and v */
    float longest_edge; /* m */
} stage_cloth;

typedef struct stage_body {
    render_mesh *mesh; /* NULL for the floor */
    float radius;      /* m, smallest radius of curvature; 0 when flat */
    bool plane;        /* infinite: the floor, or a tilted plane of which a part is drawn */
} stage_body;

struct stage {
    render *renderer; /* borrowed */
    stage_cloth *cloths;
    int cloth_count;
    stage_body *bodies;
    int body_count;
    render_cloth *drawn_cloths;
    render_body *drawn_bodies;
    render_texture *texture;
    float longest_edge, thickness; /* m, over all cloths */
};

void stage_destroy(stage *s)
{
    if (!s)
        return;
    for (int k = 0; s->cloths && k < s->cloth_count; ++k)
        render_mesh_destroy(s->cloths[k].mesh);
    for (int k = 0; s->bodies && k < s->body_count; ++k)
        render_mesh_destroy(s->bodies[k].mesh);
    render_texture_destroy(s->texture);
    free(s->cloths);
    free(s->bodies);
    free(s->drawn_cloths);
    free(s->drawn_bodies);
    free(s);
}

/* ---- construction ------------------------------------------------------------------------------------------------ */

static float distance_between(const float *a, const float *b)
{
    return sqrtf((a[0] - b[0]) * (a[0] - b[0]) + (a[1] - b[1]) * (a[1] - b[1]) + (a[2] - b[2]) * (a[2] - b[2]));
}

static float longest_edge(const float *x, const uint32_t *triangles, int count)
{
    float longest = 0;
    for (int t = 0; t < count; ++t)
        for (int c = 0; c < 3; ++c)
            longest =
                fmaxf(longest, distance_between(x + 3 * triangles[3 * t + c], x + 3 * triangles[3 * t + (c + 1) % 3]));
    return longest;
}

/* Everything a GPU mesh needs, as floats and unsigned indices; freed together. */
typedef struct cloth_arrays {
    float *positions, *uvs;
    uint32_t *triangles, *links;
    int link_count, corner_count;
} cloth_arrays;

static void free_arrays(cloth_arrays *a)
{
    free(a->positions);
    free(a->uvs);
    free(a->triangles);
    free(a->links);
}

/* The fabric that a triangle is drawn as, where it is not the cloth's. */
static const tl_fabric *fabric_of(const tl_mesh *mesh, int triangle)
{
    const tl_mesh_part *parts = tl_mesh_parts(mesh, NULL);
    return parts ? tl_fabric_named(parts[tl_mesh_part_of_triangle(mesh)[triangle]].fabric) : NULL;
}

enum { MAX_FABRICS = 32 }; /* more than the library has */

/* Fabrics of the triangles of a mesh; returns their number: 1, which is NULL, where there are no parts. */
static int fabrics_of(const tl_mesh *mesh, const tl_fabric *fabrics[MAX_FABRICS])
{
    int count = 0;
    for (int t = 0; t < tl_mesh_triangle_count(mesh); ++t) {
        const tl_fabric *fabric = fabric_of(mesh, t);
        int k = 0;
        while (k < count && fabrics[k] != fabric)
            ++k;
        if (k == count && count < MAX_FABRICS)
            fabrics[count++] = fabric;
        if (!tl_mesh_parts(mesh, NULL))
            break;
    }
    return count;
}

/* Only triangles of this fabric where the mesh has several. */
static bool fill_arrays(cloth_arrays *a, tl_cloth *cloth, const tl_fabric *fabric)
{
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    int vertices = tl_mesh_vertex_count(mesh), triangles = tl_mesh_triangle_count(mesh);
    a->link_count = tl_cloth_links(cloth, NULL, 0);
    int(*pairs)[2] = malloc((size_t)(a->link_count + 1) * sizeof *pairs);
    a->positions = malloc(3 * (size_t)vertices * sizeof(float));
    a->uvs = tl_mesh_uv(mesh) ? malloc(2 * (size_t)vertices * sizeof(float)) : NULL;
    a->triangles = malloc(3 * (size_t)triangles * sizeof(uint32_t));
    a->links = malloc((2 * (size_t)a->link_count + 1) * sizeof(uint32_t));
    const tl_vec3 *x = tl_cloth_positions(cloth);
    bool made = pairs && a->positions && a->triangles && a->links && x && (a->uvs || !tl_mesh_uv(mesh));
    for (int v = 0; made && v < vertices; ++v) {
        a->positions[3 * v] = (float)x[v].x;
        a->positions[3 * v + 1] = (float)x[v].y;
        a->positions[3 * v + 2] = (float)x[v].z;
    }
    for (int k = 0; made && a->uvs && k < 2 * vertices; ++k)
        a->uvs[k] = (float)tl_mesh_uv(mesh)[k];
    for (int t = 0; made && t < triangles; ++t)
        for (int c = 0; c < 3 && fabric_of(mesh, t) == fabric; ++c)
            a->triangles[a->corner_count++] = (uint32_t)tl_mesh_triangles(mesh)[3 * t + c];
    if (made)
        tl_cloth_links(cloth, pairs, a->link_count);
    for (int k = 0; made && k < a->link_count; ++k) {
        a->links[2 * k] = (uint32_t)pairs[k][0];
        a->links[2 * k + 1] = (uint32_t)pairs[k][1];
    }
    free(pairs);
    return made;
}

static bool make_cloth(render *r, stage_cloth *out, tl_cloth *cloth, render_error *error)
{
    const tl_mesh *mesh = tl_cloth_mesh(cloth);
    cloth_arrays arrays = {0};
    if (fill_arrays(&arrays, cloth, out->fabric)) {
        render_mesh_def def = {.vertex_count = tl_mesh_vertex_count(mesh),
                               .triangle_count = arrays.corner_count / 3,
                               .positions = arrays.positions,
                               .uvs = arrays.uvs,
                               .triangles = arrays.triangles,
                               .link_count = arrays.link_count,
                               .links = arrays.links};
        out->mesh = render_mesh_create(r, &def, error);
        out->longest_edge = longest_edge(arrays.positions, arrays.triangles, def.triangle_count);
    } else {
        render_error_set(error, "no memory to draw a cloth of %d vertices", tl_mesh_vertex_count(mesh));
    }
    free_arrays(&arrays);
    const tl_cloth_def *def = tl_cloth_get_def(cloth);
    float side = sqrtf((float)tl_mesh_area(mesh)); /* a mesh file's uv are taken to span a square of its area */
    out->size[0] = def->mesh ? side : (float)def->width;
    out->size[1] = def->mesh ? side : (float)def->height;
    return out->mesh != NULL;
}

static bool looks_up(const tl_body *body)
{
    tl_quat q;
    tl_body_pose(body, NULL, &q);
    return 1 - 2 * (float)(q.x * q.x + q.z * q.z) > 0.9999f; /* y of the rotated +y */
}

/* A body of shape "mesh", with smooth normals everywhere. */
static render_mesh *make_body_mesh(render *r, stage_body *out, const tl_body *body, render_error *error)
{
    const tl_mesh *mesh = tl_body_get_def(body)->mesh;
    int vertices = tl_mesh_vertex_count(mesh), triangles = tl_mesh_triangle_count(mesh);
    tl_vec3 *x = malloc((size_t)vertices * sizeof *x);
    float *positions = malloc(3 * (size_t)vertices * sizeof *positions);
    uint32_t *corners = malloc(3 * (size_t)triangles * sizeof *corners);
    render_mesh *made = NULL;
    if (x && positions && corners) {
        tl_body_vertices(body, x);
        for (int v = 0; v < vertices; ++v) {
            positions[3 * v] = (float)x[v].x;
            positions[3 * v + 1] = (float)x[v].y;
            positions[3 * v + 2] = (float)x[v].z;
        }
        for (int k = 0; k < 3 * triangles; ++k)
            corners[k] = (uint32_t)tl_mesh_triangles(mesh)[k];
        made = render_mesh_create(
            r,
            &(render_mesh_def){
                .vertex_count = vertices, .triangle_count = triangles, .positions = positions, .triangles = corners},
            error);
        out->radius = longest_edge(positions, corners, triangles);
    } else {
        render_error_set(error, "no memory to draw a body of %d vertices", vertices);
    }
    free(x);
    free(positions);
    free(corners);
    return made;
}

static bool make_body(render *r, stage_body *out, const tl_body *body, render_error *error)
{
    enum { ROUND = 48 }; /* segments around, round at 720p */
    const tl_body_def *def = tl_body_get_def(body);
    out->plane = tl_shape_bottomless(def->shape);
    if (out->plane && looks_up(body))
        return true; /* the floor, which the renderer draws itself */
    if (strcmp(def->shape, "mesh") == 0)
        out->mesh = make_body_mesh(r, out, body, error);
    else
        out->mesh = render_shape(r, def->shape, def->size, ROUND, &out->radius, error);
    return out->mesh != NULL;
}

static bool load_texture(render *r, stage *s, const tl_look_def *look, const char *folder, render_error *error)
{
    char path[1024];
    if (!look->texture[0])
        return true;
    bool absolute = look->texture[0] == '/' || !folder || !folder[0];
    snprintf(path, sizeof path, "%s%s%s", absolute ? "" : folder, absolute ? "" : "/", look->texture);
    s->texture = render_texture_load(r, path, error);
    return s->texture != NULL;
}

stage *stage_create(render *r, tl_world *world, const tl_look_def *look, const char *scene_folder, render_error *error)
{
    stage *s = calloc(1, sizeof *s);
    if (!s) {
        render_error_set(error, "no memory for a stage");
        return NULL;
    }
    s->renderer = r;
    int cloths = tl_world_cloth_count(world);
    for (int k = 0; k < cloths; ++k)
        s->cloth_count += fabrics_of(tl_cloth_mesh(tl_world_cloth(world, k)), (const tl_fabric *[MAX_FABRICS]){0});
    s->body_count = tl_world_body_count(world);
    s->cloths = calloc((size_t)s->cloth_count + 1, sizeof *s->cloths);
    s->bodies = calloc((size_t)s->body_count + 1, sizeof *s->bodies);
    s->drawn_cloths = calloc((size_t)s->cloth_count + 1, sizeof *s->drawn_cloths);
    s->drawn_bodies = calloc((size_t)s->body_count + 1, sizeof *s->drawn_bodies);
    bool made = s->cloths && s->bodies && s->drawn_cloths && s->drawn_bodies;
    if (!made)
        render_error_set(error, "no memory for a stage");
    made = made && load_texture(r, s, look, scene_folder, error);
    for (int k = 0, next = 0; made && k < cloths; ++k) {
        const tl_fabric *fabrics[MAX_FABRICS] = {NULL};
        int count = fabrics_of(tl_cloth_mesh(tl_world_cloth(world, k)), fabrics);
        for (int part = 0; part < count && made; ++part, ++next) {
            s->cloths[next].index = k;
            s->cloths[next].fabric = fabrics[part];
            made = make_cloth(r, &s->cloths[next], tl_world_cloth(world, k), error);
            s->longest_edge = fmaxf(s->longest_edge, s->cloths[next].longest_edge);
        }
        s->thickness = fmaxf(s->thickness, (float)tl_cloth_get_def(tl_world_cloth(world, k))->thickness);
    }
    for (int k = 0; made && k < s->body_count; ++k)
        made = make_body(r, &s->bodies[k], tl_world_body(world, k), error);
    if (!made) {
        stage_destroy(s);
        return NULL;
    }
    return s;
}

/* ---- drawing ----------------------------------------------------------------------------------------------------- */

static void to_floats(float out[3], tl_vec3 v)
{
    out[0] = (float)v.x;
    out[1] = (float)v.y;
    out[2] = (float)v.z;
}

static int index_of(const char *name, const char *const *names, int count)
{
    for (int k = 0; k < count; ++k)
        if (name && strcmp(names[k], name) == 0)
            return k;
    return 0;
}

/* The next of 1, 2, 5, 10 … at or above the value, so that the legend's range rarely changes. */
static float round_up(float value)
{
    float decade = powf(10, floorf(log10f(fmaxf(value, 1e-6f))));
    const float steps[] = {1, 2, 5, 10};
    for (int k = 0; k < 4; ++k)
        if (value <= steps[k] * decade * 1.0001f)
            return steps[k] * decade;
    return 10 * decade;
}

static render_overlay overlay_of(const stage_frame *frame, const char *name)
{
    static const struct {
        const char *name, *title, *unit;
        float least; /* smallest range worth showing */
    } kinds[] = {{"force", "force", "N", 1e-4f},
                 {"strain", "strain", "%", 1},
                 {"speed", "speed", "m/s", 0.1f},
                 {"contact", "contact force", "N", 1e-4f},
                 {"intersections", "crossing triangles", "", 1}};
    render_overlay overlay = {.legend = true, .title = "", .unit = ""};
    float largest = 0;
    for (int k = 0; k < frame->cloth_count; ++k)
        for (int v = 0; frame->cloths[k].has_scalars && v < frame->cloths[k].count; ++v)
            largest = fmaxf(largest, frame->cloths[k].scalars[v]);
    for (size_t k = 0; k < sizeof kinds / sizeof *kinds; ++k)
        if (strcmp(kinds[k].name, name) == 0) {
            overlay.title = kinds[k].title;
            overlay.unit = kinds[k].unit;
            overlay.high = round_up(fmaxf(largest, kinds[k].least));
        }
    return overlay;
}

/* `fabric` may be NULL. */
static void dress(render_cloth *out, const stage *s, const stage_cloth *cloth, const tl_look_def *look,
                  const tl_fabric *fabric, bool overlay)
{
    static const char *const weaves[] = {"plain", "twill", "satin"};
    *out = render_cloth_default();
    out->mesh = cloth->mesh;
    out->look = (render_look)index_of(look->cloth, render_look_names, RENDER_LOOK_COUNT);
    to_floats(out->colour, fabric ? fabric->color : look->cloth_color);
    to_floats(out->second_colour, look->second_color);
    for (int c = 0; c < 3; ++c) /* the back of a woven cloth is a little duller than its face */
        out->back_colour[c] = 0.85f * out->colour[c] + 0.05f;
    out->sheen = (float)(fabric ? fabric->sheen : look->sheen);
    out->weave = (render_weave)index_of(look->weave, weaves, 3);
    out->size[0] = cloth->size[0];
    out->size[1] = cloth->size[1];
    out->stripe_width[0] = out->stripe_width[1] = (float)look->stripes;
    out->texture = s->texture;
    out->texture_repeat = 1;
    out->overlay = overlay;
}

static void light(render_view *view, const tl_light_def *def)
{
    view->key.on = def->sun;
    view->key.shadow = def->shadows;
    to_floats(view->key.direction, def->sun_direction);
    for (int c = 0; c < 3; ++c)
        view->key.direction[c] = -view->key.direction[c];
    to_floats(view->key.colour, def->sun_color);
    view->key.intensity = (float)def->sun_intensity;
    view->spot.on = def->spot;
    to_floats(view->spot.position, def->spot_position);
    to_floats(view->spot.direction, def->spot_target);
    for (int c = 0; c < 3; ++c)
        view->spot.direction[c] -= view->spot.position[c];
    to_floats(view->spot.colour, def->spot_color);
    view->spot.intensity = (float)def->spot_intensity;
    view->spot.outer = 0.5f * (float)def->spot_angle * DEGREES;
    view->spot.inner = 0.8f * view->spot.outer;
    view->ambient.intensity = (float)def->ambient;
    for (int k = 0; k < 4; ++k) {
        view->points[k].on = k < def->point_count && def->points[k].on;
        if (k >= def->point_count)
            continue;
        to_floats(view->points[k].position, def->points[k].position);
        to_floats(view->points[k].colour, def->points[k].color);
        view->points[k].intensity = (float)def->points[k].intensity;
    }
}

static void place_bodies(stage *s, const stage_frame *frame, const tl_look_def *look, render_view *view)
{
    view->floor.on = false;
    for (int k = 0; k < s->body_count && k < frame->body_count; ++k) {
        const stage_body *body = &s->bodies[k];
        render_body *out = &s->drawn_bodies[k];
        *out = render_body_default();
        out->mesh = body->mesh;
        out->hidden = body->mesh == NULL || !frame->bodies[k].on;
        if (body->mesh && frame->bodies[k].count > 0)
            render_mesh_update(body->mesh, frame->bodies[k].shape, NULL, frame->version);
        to_floats(out->colour, look->body_color);
        out->contact_offset = render_contact_offset(s->longest_edge, body->radius, s->thickness);
        render_transform(out->transform, frame->bodies[k].position, frame->bodies[k].rotation);
        if (body->plane && !body->mesh && frame->bodies[k].on) {
            view->floor.on = true;
            view->floor.height = frame->bodies[k].position[1];
        }
    }
}

static float fog_of(const camera *cam)
{
    float ratio = fminf(FOG_DISTANCE / fmaxf(distance_between(cam->position, cam->target), 1e-3f), 1);
    return FOG_DENSITY * ratio * ratio;
}

bool stage_draw(stage *s, render_target *target, const stage_frame *frame, const stage_settings *settings,
                render_error *error)
{
    const tl_look_def *look = &settings->look;
    bool overlay = strcmp(look->overlay, "none") != 0;
    render_view view = render_view_default();
    view.cam = settings->cam;
    view.shading = strcmp(look->shading, "phong") == 0 ? RENDER_PHONG : RENDER_PHYSICAL;
    view.fog = look->fog ? fog_of(&settings->cam) : 0;
    view.axes = look->axes ? 1 : 0;
    view.floor.grid = look->floor_grid;
    view.floor.contact_offset = s->thickness;
    view.quality = settings->quality;
    view.labels = settings->labels;
    view.label_count = settings->label_count;
    light(&view, &settings->light);
    if (overlay)
        view.overlay = overlay_of(frame, look->overlay);
    place_bodies(s, frame, look, &view);
    int cloths = 0;
    for (int k = 0; k < s->cloth_count && s->cloths[k].index < frame->cloth_count; ++k, ++cloths) {
        const stage_frame_cloth *moved = &frame->cloths[s->cloths[k].index];
        const tl_fabric *fabric = s->cloths[k].fabric ? s->cloths[k].fabric : moved->fabric;
        render_mesh_update(s->cloths[k].mesh, moved->positions, moved->normals, frame->version);
        if (moved->has_scalars)
            render_mesh_scalars(s->cloths[k].mesh, moved->scalars, frame->version);
        dress(&s->drawn_cloths[k], s, &s->cloths[k], look, look->fabric_color ? fabric : NULL,
              overlay && moved->has_scalars);
    }
    render_scene scene = {s->drawn_cloths, cloths, s->drawn_bodies, s->body_count};
    return render_draw(s->renderer, target, &scene, &view, error);
}

/* Share of the half picture left free around a framed scene, and rad by which it is seen from higher up than by the
   default camera: the box has a sheet at its top, not the middle. */
static const float FRAME_MARGIN = 0.12f, FRAME_LIFT = 0.15f;

/* The box that a box sweeps when it turns about its vertical axis. */
static stage_box turned(stage_box box)
{
    float x = box.high[0] - box.low[0], z = box.high[2] - box.low[2], reach = 0.5f * sqrtf(x * x + z * z);
    for (int c = 0; c < 3; c += 2) {
        float middle = 0.5f * (box.low[c] + box.high[c]);
        box.low[c] = middle - reach;
        box.high[c] = middle + reach;
    }
    return box;
}

camera stage_camera(const tl_camera_def *def, const stage_box *start, float aspect, double time, double duration)
{
    enum { MAX_KEYS = 256 };
    camera_key keys[MAX_KEYS];
    camera base = camera_default();
    to_floats(base.position, def->position);
    to_floats(base.target, def->target);
    base.fov_y = (float)def->field_of_view * DEGREES;
    camera_path path = {.kind = CAMERA_STILL, .turns = (float)def->turns, .keys = keys};
    if (strcmp(def->path, "orbit") == 0)
        path.kind = CAMERA_ORBIT;
    if (strcmp(def->path, "keys") == 0 && def->key_count > 0)
        path.kind = CAMERA_KEYFRAMES;
    for (int k = 0; k < def->key_count && k < MAX_KEYS; ++k) {
        keys[k].time = (float)def->keys[k].time;
        to_floats(keys[k].position, def->keys[k].position);
        to_floats(keys[k].target, def->keys[k].target);
        path.key_count = k + 1;
    }
    if (def->frame && start) {
        stage_box box = path.kind == CAMERA_ORBIT ? turned(*start) : *start;
        camera_orbit(&base, 0, FRAME_LIFT);
        camera_frame_bounds(&base, box.low, box.high, aspect, FRAME_MARGIN);
    }
    return camera_path_at(&path, &base, (float)time, (float)duration);
}

static void enclose(stage_box *box, const float point[3])
{
    for (int c = 0; c < 3; ++c) {
        box->low[c] = fminf(box->low[c], point[c]);
        box->high[c] = fmaxf(box->high[c], point[c]);
    }
}

bool stage_bounds(const stage *s, const stage_frame *frame, stage_box *box)
{
    *box = (stage_box){{INFINITY, INFINITY, INFINITY}, {-INFINITY, -INFINITY, -INFINITY}};
    for (int k = 0; k < frame->cloth_count; ++k)
        for (int v = 0; v < frame->cloths[k].count; ++v)
            enclose(box, frame->cloths[k].positions + 3 * v);
    for (int k = 0; k < s->body_count && k < frame->body_count; ++k) {
        float low[3], high[3], pose[16];
        if (s->bodies[k].plane || !frame->bodies[k].on)
            continue;
        render_mesh_bounds(s->bodies[k].mesh, low, high);
        render_transform(pose, frame->bodies[k].position, frame->bodies[k].rotation);
        for (int corner = 0; corner < 8; ++corner) {
            float point[3];
            for (int c = 0; c < 3; ++c)
                point[c] = pose[c] * (corner & 1 ? high : low)[0] + pose[4 + c] * (corner & 2 ? high : low)[1] +
                           pose[8 + c] * (corner & 4 ? high : low)[2] + pose[12 + c];
            enclose(box, point);
        }
    }
    return box->low[0] <= box->high[0];
}
