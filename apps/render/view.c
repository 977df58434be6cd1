/* Defaults of everything that can be seen, and the arithmetic on bounds and colours that needs no OpenGL. */
#include "render_internal.h"
#include <math.h>

const char *const render_look_names[RENDER_LOOK_COUNT] = {"fabric", "curves", "plain", "wireframe"};

render_cloth render_cloth_default(void)
{
    return (render_cloth){
        .look = RENDER_FABRIC,
        .colour = {0.38f, 0.52f, 0.64f},
        .back_colour = {0.36f, 0.48f, 0.58f},
        .second_colour = {0.93f, 0.92f, 0.88f},
        .roughness = 0.8f,
        .specular = 0.04f,
        .sheen = 0.35f,
        .translucency = 0.16f,
        .threads_per_metre = 400.0f, // a coarse linen: threads are visible in a close-up and vanish in a long shot
        .size = {1.0f, 1.0f},
        .texture_repeat = 1.0f,
        .curve_curvature = 1.5f,
        .curve_frequency = 0.5f,
        .curve_thickness = 0.3f,
        .line_width = 1.2f,
        .point_size = 4.0f,
    };
}

render_body render_body_default(void)
{
    return (render_body){.colour = {0.86f, 0.83f, 0.79f}, .roughness = 0.55f, .specular = 0.04f};
}

render_quality render_quality_interactive(void)
{
    return (render_quality){.shadow_size = 512, .shadow_taps = 4, .quick = true};
}

render_view render_view_default(void)
{
    return (render_view){
        .cam = camera_default(),
        .shading = RENDER_PHYSICAL,
        .exposure = 1.0f,
        .background_top = {0.80f, 0.83f, 0.87f},
        .background_bottom = {0.91f, 0.90f, 0.89f},
        .floor = {.on = true, .colour = {0.80f, 0.79f, 0.78f}, .grid = true},
        .key = {.on = true,
                .direction = {0.55f, -1.0f, -0.55f},
                .colour = {1.0f, 0.97f, 0.93f},
                .intensity = 1.2f,
                .shadow = true},
        .spot = {.position = {0.0f, 3.0f, 2.0f},
                 .direction = {0.0f, -1.0f, -0.7f},
                 .colour = {1.0f, 1.0f, 1.0f},
                 .intensity = 6.0f,
                 .inner = 0.25f,
                 .outer = 0.4f},
        .points = {{.position = {-2.0f, 2.0f, 2.0f}, .colour = {1.0f, 0.85f, 0.7f}, .intensity = 2.0f},
                   {.position = {2.0f, 2.0f, 2.0f}, .colour = {0.7f, 0.85f, 1.0f}, .intensity = 2.0f},
                   {.position = {-2.0f, 2.0f, -2.0f}, .colour = {1.0f, 0.7f, 0.85f}, .intensity = 2.0f},
                   {.position = {2.0f, 2.0f, -2.0f}, .colour = {0.8f, 1.0f, 0.8f}, .intensity = 2.0f}},
        .ambient = {.sky = {0.88f, 0.92f, 1.0f},
                    .ground = {0.62f, 0.59f, 0.56f},
                    .direction = {0.75f, 1.0f, 0.5f},
                    .intensity = 0.56f,
                    .occlusion = true},
        .overlay = {.legend = true, .low = 0.0f, .high = 1.0f, .title = "value", .unit = ""},
        .quality = {.shadow_size = 1024, .shadow_taps = 16},
    };
}

float render_contact_offset(float longest_edge, float radius, float thickness)
{
    if (!(radius > 0.0f) || isinf(radius))
        return thickness;
    // never deeper than the body itself: an edge as long as the body is wide has no chord bound
    float sagitta = longest_edge * longest_edge / (8.0f * radius);
    return fminf(sagitta * (4.0f / 3.0f), 0.5f * radius) + thickness;
}

vec3s linear_of(const float srgb[3])
{
    vec3s out;
    for (int k = 0; k < 3; ++k)
        out.raw[k] = srgb[k] <= 0.04045f ? srgb[k] / 12.92f : powf((srgb[k] + 0.055f) / 1.055f, 2.4f);
    return out;
}

void render_transform(float transform[16], const float position[3], const float rotation[4])
{
    mat4s m = glms_mat4_identity();
    if (rotation)
        m = glms_quat_mat4((versors){{rotation[0], rotation[1], rotation[2], rotation[3]}});
    for (int k = 0; k < 3; ++k)
        m.raw[3][k] = position[k];
    for (int k = 0; k < 16; ++k)
        transform[k] = m.raw[k / 4][k % 4];
}

mat4s body_matrix(const render_body *body)
{
    mat4s m;
    bool empty = true;
    for (int k = 0; k < 16; ++k) {
        m.raw[k / 4][k % 4] = body->transform[k];
        empty = empty && body->transform[k] == 0.0f;
    }
    return empty ? glms_mat4_identity() : m;
}

void bounds_add(vec3s *minimum, vec3s *maximum, mat4s model, vec3s low, vec3s high)
{
    for (int corner = 0; corner < 8; ++corner) {
        vec3s p = {{corner & 1 ? high.x : low.x, corner & 2 ? high.y : low.y, corner & 4 ? high.z : low.z}};
        p = glms_mat4_mulv3(model, p, 1.0f);
        *minimum = glms_vec3_minv(*minimum, p);
        *maximum = glms_vec3_maxv(*maximum, p);
    }
}

bool render_scene_bounds(const render_scene *scene, float minimum[3], float maximum[3])
{
    vec3s low = {{INFINITY, INFINITY, INFINITY}}, high = {{-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < scene->cloth_count; ++i) {
        const render_mesh *mesh = scene->cloths[i].mesh;
        bounds_add(&low, &high, glms_mat4_identity(), mesh->minimum, mesh->maximum);
    }
    for (int i = 0; i < scene->body_count; ++i) {
        const render_body *body = &scene->bodies[i];
        if (!body->hidden)
            bounds_add(&low, &high, body_matrix(body), body->mesh->minimum, body->mesh->maximum);
    }
    bool any = low.x <= high.x;
    for (int k = 0; k < 3; ++k) {
        minimum[k] = any ? low.raw[k] : -0.5f;
        maximum[k] = any ? high.raw[k] : 0.5f;
    }
    return any;
}
