/* The renderer: creation, destruction, and one picture from a scene and a view. render_draw reads as the order of the
   work: maps of light, opaque surfaces from the front of the scene to the back, backdrop, transparent lines, text,
   resolve. */
#include "render.h"
#include "render_internal.h"
#include <math.h>
#include <stdio.h>
#include <stdlib.h>

/* ---- lifetime ---------------------------------------------------------------------------------------------------- */

static void GLAPIENTRY on_message(GLenum source, GLenum type, GLuint id, GLenum severity, GLsizei length,
                                  const GLchar *message, const void *user)
{
    (void)source, (void)id, (void)severity, (void)length, (void)message;
    render *r = (render *)(uintptr_t)user; // GL hands back the pointer it was given, with a const on it
    if (type == GL_DEBUG_TYPE_ERROR)
        ++r->gl_errors;
}

static void start_counting(render *r)
{
    if (epoxy_gl_version() < 43 && !epoxy_has_gl_extension("GL_KHR_debug"))
        return;
    glEnable(GL_DEBUG_OUTPUT);
    glEnable(GL_DEBUG_OUTPUT_SYNCHRONOUS);
    glDebugMessageCallback(on_message, r);
    r->debug_callback = true;
}

render *render_create(const render_def *def, render_error *error)
{
    int version = epoxy_gl_version();
    if (!epoxy_is_desktop_gl() || version < 33) {
        render_error_set(error, "the current OpenGL context is version %d.%d; 3.3 core is needed", version / 10,
                         version % 10);
        return NULL;
    }
    render *r = calloc(1, sizeof *r);
    if (!r) {
        render_error_set(error, "out of memory");
        return NULL;
    }
    snprintf(r->device, sizeof r->device, "%s, OpenGL %d.%d", (const char *)glGetString(GL_RENDERER), version / 10,
             version % 10);
    if (def && def->debug)
        start_counting(r);
    glGenVertexArrays(1, &r->empty_array);
    glGenBuffers(1, &r->frame_buffer_object);
    glBindBuffer(GL_UNIFORM_BUFFER, r->frame_buffer_object);
    glBufferData(GL_UNIFORM_BUFFER, sizeof(frame_block), NULL, GL_STREAM_DRAW);
    glBindBuffer(GL_UNIFORM_BUFFER, 0);
    r->floor = floor_mesh_create(r, error);
    if (!r->floor) {
        render_destroy(r);
        return NULL;
    }
    return r;
}

render *render_headless_create(const render_def *def, render_error *error)
{
    void *context = context_create_headless(def && def->debug, error);
    if (!context)
        return NULL;
    render *r = render_create(def, error);
    if (r)
        r->context = context;
    else
        context_destroy(context);
    return r;
}

void render_destroy(render *r)
{
    if (!r)
        return;
    render_mesh_destroy(r->floor);
    render_mesh_destroy(r->axes);
    text_destroy(r);
    programs_destroy(r);
    shadow_destroy(&r->shadow);
    glDeleteFramebuffers(1, &r->floor_framebuffer);
    glDeleteTextures(1, &r->floor_light);
    glDeleteBuffers(1, &r->frame_buffer_object);
    glDeleteVertexArrays(1, &r->empty_array);
    if (r->debug_callback)
        glDebugMessageCallback(NULL, NULL);
    context_destroy(r->context);
    free(r->casters);
    free(r);
}

int render_gl_errors(const render *r) { return r->gl_errors; }

const char *render_device(const render *r) { return r->device; }

/* ---- the frame --------------------------------------------------------------------------------------------------- */

/* Derived state of one picture. */
typedef struct frame {
    frame_block block;
    vec3s low, high, centre; /* of the scene, m */
    float radius;            /* half the diagonal, m */
    int caster_count;
    float floor_area[4]; /* where shadows fall on the floor, m */
    bool floor_inner;    /* whether they do */
} frame;

/* Everything that casts a shadow; false when memory is short. */
static bool collect_casters(render *r, const render_scene *scene, frame *f)
{
    int most = scene->cloth_count + scene->body_count;
    if (most > r->caster_capacity) {
        caster *grown = realloc(r->casters, (size_t)most * sizeof *grown);
        if (!grown)
            return false;
        r->casters = grown;
        r->caster_capacity = most;
    }
    f->caster_count = 0;
    for (int i = 0; i < scene->cloth_count; ++i)
        r->casters[f->caster_count++] = (caster){scene->cloths[i].mesh, glms_mat4_identity(), 0.0f};
    for (int i = 0; i < scene->body_count; ++i) {
        const render_body *body = &scene->bodies[i];
        if (!body->hidden)
            r->casters[f->caster_count++] = (caster){body->mesh, body_matrix(body), body->contact_offset};
    }
    return true;
}

/* Near and far plane as tight around the scene as the picture allows: the depth buffer's steps grow with far / near. */
static void fit_depth(const frame *f, const render_view *view, float aspect, mat4s look, float *near_m, float *far_m)
{
    vec3s low = {{INFINITY, INFINITY, INFINITY}}, high = {{-INFINITY, -INFINITY, -INFINITY}};
    bounds_add(&low, &high, look, f->low, f->high);
    float closest = -high.z, farthest = -low.z;
    if (view->floor.on) {
        // the floor comes nearest where the lower corners of the picture meet it, and ends where it has faded
        mat4s turn = glms_mat4_transpose(look);
        float tangent = tanf(0.5f * view->cam.fov_y);
        for (int corner = 0; corner < 4; ++corner) {
            vec3s ray = {
                {(corner & 1 ? 1.0f : -1.0f) * tangent * aspect, (corner & 2 ? 1.0f : -1.0f) * tangent, -1.0f}};
            float slope = turn.raw[0][1] * ray.x + turn.raw[1][1] * ray.y + turn.raw[2][1] * ray.z;
            float t = (view->floor.height - view->cam.position[1]) / slope;
            if (isfinite(t) && t > 0.0f)
                closest = fminf(closest, t);
        }
        vec3s middle = {{f->block.floor.x, view->floor.height, f->block.floor.y}};
        float away = glms_vec3_distance(vec3_of(view->cam.position), middle);
        farthest = fmaxf(farthest, away + f->block.floor.w * 1.5f);
    }
    if (view->axes > 0.0f)
        farthest = fmaxf(farthest, glms_vec3_norm(vec3_of(view->cam.position)) + view->axes);
    // an eye inside the scene has its near plane at a two-hundredth of the scene's size
    float least = 0.005f * f->radius;
    *far_m = fmaxf(farthest * 1.02f, 4.0f * least);
    *near_m = fminf(fmaxf(closest * 0.95f, least), 0.5f * *far_m);
}

static vec4s light_colour(const float colour[3], float intensity)
{
    return vec4_of(glms_vec3_scale(linear_of(colour), intensity), 0.0f);
}

static vec3s unit_or(const float v[3], vec3s otherwise)
{
    float length = glms_vec3_norm(vec3_of(v));
    return length > 0.0f ? glms_vec3_scale(vec3_of(v), 1.0f / length) : otherwise;
}

static void set_lights(frame_block *block, const render_view *view)
{
    vec3s down = {{0.0f, -1.0f, 0.0f}}, up = {{0.0f, 1.0f, 0.0f}};
    block->key_direction = vec4_of(glms_vec3_negate(unit_or(view->key.direction, down)), 0.0f);
    block->key_colour = light_colour(view->key.colour, view->key.intensity);
    block->sky_colour = light_colour(view->ambient.sky, view->ambient.intensity);
    block->ground_colour = light_colour(view->ambient.ground, view->ambient.intensity);
    block->sky_direction = vec4_of(unit_or(view->ambient.direction, up), 0.0f);
    block->spot_position = vec4_of(vec3_of(view->spot.position), cosf(view->spot.outer));
    block->spot_direction = vec4_of(unit_or(view->spot.direction, down), cosf(view->spot.inner));
    block->spot_colour = light_colour(view->spot.colour, view->spot.intensity);
    int on = 0; // the shader loops over the lights that are on, so they come first
    for (int i = 0; i < RENDER_POINT_LIGHTS; ++i)
        if (view->points[i].on) {
            block->point_position[on] = vec4_of(vec3_of(view->points[i].position), 0.0f);
            block->point_colour[on++] = light_colour(view->points[i].colour, view->points[i].intensity);
        }
}

static frame make_frame(const render_target *target, const render_scene *scene, const render_view *view)
{
    frame f = {0};
    float low[3], high[3];
    render_scene_bounds(scene, low, high);
    f.low = vec3_of(low);
    f.high = vec3_of(high);
    f.centre = glms_vec3_scale(glms_vec3_add(f.low, f.high), 0.5f);
    f.radius = fmaxf(0.5f * glms_vec3_distance(f.low, f.high), 1e-3f);
    frame_block *block = &f.block;
    float width = (float)target->width, height = (float)target->height;
    block->viewport = (vec4s){{width, height, 1.0f / width, 1.0f / height}};
    block->floor = (vec4s){{f.centre.x, f.centre.z, 2.0f * f.radius, 7.0f * f.radius}};
    mat4s look = glms_lookat(vec3_of(view->cam.position), vec3_of(view->cam.target), vec3_of(view->cam.up));
    float near_m, far_m;
    fit_depth(&f, view, width / height, look, &near_m, &far_m);
    mat4s projection = glms_perspective(view->cam.fov_y, width / height, near_m, far_m);
    projection.raw[1][1] = -projection.raw[1][1]; // top row first
    block->view_projection = glms_mat4_mul(projection, look);
    block->eye = vec4_of(vec3_of(view->cam.position), view->fog);
    block->depth = (vec4s){{projection.raw[3][2], view->exposure, 0.0f, 0.0f}};
    block->background_top = vec4_of(vec3_of(view->background_top), 0.0f);
    block->background_bottom = vec4_of(vec3_of(view->background_bottom), 0.0f);
    float range = view->overlay.high - view->overlay.low;
    block->overlay = (vec4s){{view->overlay.low, range != 0.0f ? 1.0f / range : 0.0f, 0.0f, 0.0f}};
    set_lights(block, view);
    return f;
}

/* ---- surfaces ---------------------------------------------------------------------------------------------------- */

static surface_variant variant_of(const render_view *view, const frame *f, surface_kind surface)
{
    int taps = view->quality.shadow_taps >= 16 ? 16 : view->quality.shadow_taps >= 9 ? 9 : 4;
    bool shadowed = view->key.on && view->key.shadow && view->quality.shadow_size > 0 && f->caster_count > 0;
    surface_variant v = {
        .surface = surface,
        .phong = view->shading == RENDER_PHONG,
        .key = view->key.on,
        .spot = view->spot.on,
        .occlusion = view->ambient.occlusion && f->caster_count > 0,
        .fog = view->fog > 0.0f,
        .taps = shadowed ? taps : 0,
    };
    for (int i = 0; i < RENDER_POINT_LIGHTS; ++i)
        v.points += view->points[i].on;
    if (surface == SURFACE_OVERLAY) { // ignores these: fewer variants to compile
        v.phong = v.spot = false;
        v.points = 0;
    }
    return v;
}

static void set_place(const program *p, mat4s model)
{
    mat3s normal = glms_mat3_transpose(glms_mat3_inv(glms_mat4_pick3(model)));
    glUniformMatrix4fv(p->model, 1, GL_FALSE, &model.raw[0][0]);
    glUniformMatrix3fv(p->normal_matrix, 1, GL_FALSE, &normal.raw[0][0]);
}

static void set_colour(GLint place, const float srgb[3])
{
    vec3s c = linear_of(srgb);
    if (place >= 0)
        glUniform3f(place, c.x, c.y, c.z);
}

/* Size of a pixel in metres at the point of the cloth's bounds nearest to the eye: no pixel on the cloth is smaller. */
static float smallest_pixel(const frame *f, const render_cloth *cloth, const render_view *view)
{
    vec3s eye = vec3_of(view->cam.position);
    vec3s nearest = glms_vec3_minv(glms_vec3_maxv(eye, cloth->mesh->minimum), cloth->mesh->maximum);
    return 2.0f * glms_vec3_distance(eye, nearest) * tanf(0.5f * view->cam.fov_y) / f->block.viewport.y;
}

/* Pixels a triangle covers, roughly: the surface is taken as half the square of the bounds' diagonal. */
static float pixels_per_triangle(const frame *f, const render_cloth *cloth, const render_view *view)
{
    float pixel = fmaxf(smallest_pixel(f, cloth, view), 1e-9f);
    float across = glms_vec3_distance(cloth->mesh->minimum, cloth->mesh->maximum) / pixel;
    return 0.5f * across * across / fmaxf((float)cloth->mesh->triangle_count, 1.0f);
}

/* May the shadow be looked up at the vertices? Where triangles are about as small as pixels, yes: software OpenGL
   shades blocks of 4 × 4 pixels, so the filter would run several times for each. And where the mesh is finer than the
   penumbra, because then the vertices already sample it finely enough; the best quality asks for twice as fine. */
static bool shadow_at_vertices(const frame *f, const render_cloth *cloth, const render_view *view, int taps)
{
    static const float small_triangle = 4.0f; // pixels
    float diagonal = glms_vec3_distance(cloth->mesh->minimum, cloth->mesh->maximum);
    float edge = diagonal / sqrtf(fmaxf((float)cloth->mesh->triangle_count, 1.0f)), reach = f->block.key_direction.w;
    return pixels_per_triangle(f, cloth, view) < small_triangle || edge < (taps > 4 ? 0.25f : 0.9f) * reach;
}

/* May the whole light be computed at the vertices? In quick mode, where triangles are so small that smooth light hardly
   changes across one: there are fewer vertices than covered blocks of 4 × 4 pixels. */
static bool light_at_vertices(const frame *f, const render_cloth *cloth, const render_view *view)
{
    static const float small_triangle = 80.0f; // pixels
    return view->quality.quick && pixels_per_triangle(f, cloth, view) < small_triangle;
}

static surface_variant cloth_variant(const frame *f, const render_cloth *cloth, const render_view *view)
{
    static const surface_kind looks[] = {SURFACE_FABRIC, SURFACE_CURVES, SURFACE_PLAIN, SURFACE_PLAIN};
    surface_kind surface = cloth->overlay ? SURFACE_OVERLAY : looks[cloth->look];
    // the shader fades threads out at two pixels each: where all are finer the picture is the same without, and cheaper
    bool threads = surface == SURFACE_FABRIC && cloth->threads_per_metre > 0.0f &&
                   smallest_pixel(f, cloth, view) * cloth->threads_per_metre < 0.5f;
    if (surface == SURFACE_FABRIC && cloth->texture)
        surface = SURFACE_TEXTURE;
    else if (surface == SURFACE_FABRIC && !threads && cloth->stripe_width[0] <= 0.0f && cloth->stripe_width[1] <= 0.0f)
        surface = SURFACE_PLAIN;
    surface_variant variant = variant_of(view, f, surface);
    variant.threads = threads && surface == SURFACE_FABRIC;
    variant.vertex_light = !variant.threads && light_at_vertices(f, cloth, view);
    variant.vertex_shadow =
        variant.taps > 0 && (variant.vertex_light || shadow_at_vertices(f, cloth, view, variant.taps));
    return variant;
}

static bool draw_cloth(render *r, const frame *f, const render_cloth *cloth, const render_view *view,
                       render_error *error)
{
    surface_variant variant = cloth_variant(f, cloth, view);
    const program *p = program_surface(r, &variant, error);
    if (!p)
        return false;
    glUseProgram(p->name);
    set_place(p, glms_mat4_identity());
    set_colour(p->colour, cloth->colour);
    set_colour(p->back, cloth->back_colour);
    set_colour(p->second, cloth->second_colour);
    glUniform4f(p->gloss, cloth->roughness, cloth->specular, cloth->sheen, cloth->translucency);
    glUniform4f(p->weave, cloth->size[0], cloth->size[1], cloth->threads_per_metre, (float)cloth->weave);
    glUniform2f(p->stripe, cloth->stripe_width[0], cloth->stripe_width[1]);
    glUniform4f(p->curve, cloth->curve_curvature, cloth->curve_frequency, fmaxf(cloth->curve_thickness, 1e-3f),
                cloth->texture_repeat);
    if (variant.surface == SURFACE_TEXTURE) {
        glActiveTexture(GL_TEXTURE0 + UNIT_TEXTURE);
        glBindTexture(GL_TEXTURE_2D, cloth->texture->name);
    }
    mesh_draw(cloth->mesh);
    return true;
}

/* A body must lie contact_offset behind the cloth on it. A round shape is drawn as the parallel surface that much
   further in, as far as its thinnest part allows: then no chord of the cloth's outline shows it either. Other meshes
   may have edges that would crack open or parts thinner than the offset: only their depth is pushed back along the
   eye's rays.

   Below this cosine between ray and normal the depth is pushed no further, so that the outline keeps covering what lies
   behind it: four times the offset at most. A flat floor has no outline and is pushed exactly. */
static const float BODY_MIN_COSINE = 0.25f, FLOOR_MIN_COSINE = 1e-3f;

static bool draw_body(render *r, const frame *f, const render_body *body, const render_view *view, render_error *error)
{
    surface_variant variant = variant_of(view, f, SURFACE_BODY);
    const program *p = program_surface(r, &variant, error);
    if (!p)
        return false;
    glUseProgram(p->name);
    set_place(p, body_matrix(body));
    set_colour(p->colour, body->colour);
    glUniform4f(p->gloss, body->roughness, body->specular, 0.0f, 0.0f);
    float inset = fminf(body->contact_offset, body->mesh->inset_limit);
    glUniform3f(p->push, body->contact_offset - inset, BODY_MIN_COSINE, inset);
    mesh_draw(body->mesh);
    return true;
}

/* The part of the floor under everything that can shade it is lit at every pixel, or from the map of its light. */
static surface_variant floor_variant(const frame *f, const render_view *view, floor_part part)
{
    surface_variant variant = variant_of(view, f, part == FLOOR_RECTANGLE ? SURFACE_FLOOR_LIT : SURFACE_FLOOR);
    if (part == FLOOR_INNER)
        return variant;
    variant.taps = 0;
    variant.occlusion = false;
    if (part == FLOOR_RECTANGLE) {
        variant.phong = variant.key = variant.spot = false;
        variant.points = 0;
    }
    return variant;
}

static void set_area(const program *p, const float area[4])
{
    glUniform4f(p->area, area[0], area[1], 1.0f / (area[2] - area[0]), 1.0f / (area[3] - area[1]));
}

static bool draw_floor_part(render *r, const frame *f, const render_target *target, const render_view *view,
                            floor_part part, render_error *error)
{
    surface_variant variant = floor_variant(f, view, part);
    const program *p = program_surface(r, &variant, error);
    if (!p)
        return false;
    glUseProgram(p->name);
    set_place(p, glms_mat4_identity());
    set_colour(p->colour, view->floor.colour);
    set_area(p, f->floor_area);
    glUniform3f(p->push, view->floor.contact_offset, FLOOR_MIN_COSINE, 0.0f);
    glUniform4f(p->extra, view->floor.grid ? 1.0f : 0.0f, 0.35f * fmaxf((float)target->height / 720.0f, 1.0f), 0.0f,
                0.0f);
    glEnable(GL_CULL_FACE); // transparent from below
    floor_mesh_draw(r->floor, part);
    glDisable(GL_CULL_FACE);
    return true;
}

static bool draw_floor(render *r, const frame *f, const render_target *target, const render_view *view,
                       render_error *error)
{
    floor_part inner = view->quality.quick ? FLOOR_RECTANGLE : FLOOR_INNER;
    if (f->floor_inner && !draw_floor_part(r, f, target, view, inner, error))
        return false;
    return draw_floor_part(r, f, target, view, f->floor_inner ? FLOOR_OUTER : FLOOR_ALL, error);
}

/* Places the floor and, in quick mode, draws its light map: shadows on it are soft, so the map has far fewer texels
   than the picture has pixels. */
static bool prepare_floor(render *r, frame *f, const render_view *view, render_error *error)
{
    vec3s toward = {{f->block.key_direction.x, f->block.key_direction.y, f->block.key_direction.z}};
    f->floor_inner = floor_find_inner(f->low, f->high, toward, view->floor.height, &f->block.floor, f->floor_area);
    floor_mesh_place(r->floor, f->floor_area, view->floor.height, &f->block.floor);
    if (!view->quality.quick || !f->floor_inner)
        return true;
    surface_variant variant = variant_of(view, f, SURFACE_FLOOR_LIGHT);
    variant.phong = variant.fog = false;
    const program *p = program_surface(r, &variant, error);
    if (!p)
        return false;
    shadow_begin_floor(r);
    glUseProgram(p->name);
    set_place(p, glms_mat4_identity());
    set_colour(p->colour, view->floor.colour);
    set_area(p, f->floor_area);
    glUniform3f(p->push, 0.0f, FLOOR_MIN_COSINE, 0.0f);
    floor_mesh_draw(r->floor, FLOOR_RECTANGLE);
    glActiveTexture(GL_TEXTURE0 + UNIT_FLOOR);
    glBindTexture(GL_TEXTURE_2D, r->floor_light);
    return true;
}

static bool draw_background(render *r, render_error *error)
{
    GLuint name = program_fixed(r, PROGRAM_BACKGROUND, error);
    if (!name)
        return false;
    glUseProgram(name);
    glBindVertexArray(r->empty_array);
    glDrawArrays(GL_TRIANGLES, 0, 3);
    return true;
}

/* Cloth lies in layers, so its depth goes first and each pixel is shaded once; not worth a second pass over the
   vertices when triangles are small, when pixels are cheap or when every sample is tested anyway. */
static bool draw_cloth_depth(render *r, const frame *f, const render_target *target, const render_scene *scene,
                             const render_view *view, render_error *error)
{
    static const float least_pixels = 8.0f; // per triangle
    if (target->samples > 0)
        return true;
    GLuint name = program_fixed(r, PROGRAM_DEPTH, error);
    if (!name)
        return false;
    glUseProgram(name);
    glUniformMatrix4fv(glGetUniformLocation(name, "u_light"), 1, GL_FALSE, &f->block.view_projection.raw[0][0]);
    glColorMask(GL_FALSE, GL_FALSE, GL_FALSE, GL_FALSE);
    for (int i = 0; i < scene->cloth_count; ++i) {
        const render_cloth *cloth = &scene->cloths[i];
        if (cloth->look != RENDER_WIREFRAME && pixels_per_triangle(f, cloth, view) > least_pixels &&
            !light_at_vertices(f, cloth, view))
            mesh_draw(cloth->mesh);
    }
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    return true;
}

/* Roughly front to back: cloth over body over floor over backdrop, so hidden pixels are not shaded. */
static bool draw_surfaces(render *r, const frame *f, const render_target *target, const render_scene *scene,
                          const render_view *view, render_error *error)
{
    bool good = draw_cloth_depth(r, f, target, scene, view, error);
    for (int i = 0; good && i < scene->cloth_count; ++i)
        if (scene->cloths[i].look != RENDER_WIREFRAME)
            good = draw_cloth(r, f, &scene->cloths[i], view, error);
    for (int i = 0; good && i < scene->body_count; ++i)
        if (!scene->bodies[i].hidden)
            good = draw_body(r, f, &scene->bodies[i], view, error);
    if (good && view->floor.on)
        good = draw_floor(r, f, target, view, error);
    good = good && draw_background(r, error);
    for (int i = 0; good && i < scene->cloth_count; ++i)
        if (scene->cloths[i].look == RENDER_WIREFRAME)
            good = wire_draw(r, &scene->cloths[i], f->block.viewport.y, error);
    if (good && view->axes > 0.0f)
        good = axes_draw(r, view->axes, f->block.viewport.y, error);
    return good;
}

/* ---- one picture ------------------------------------------------------------------------------------------------- */

static bool draw_light_maps(render *r, frame *f, const render_view *view, render_error *error)
{
    surface_variant v = variant_of(view, f, SURFACE_BODY);
    if (v.taps > 0 && !shadow_draw_key(r, r->casters, f->caster_count, view, &f->block, error))
        return false;
    if (v.occlusion && !shadow_draw_sky(r, r->casters, f->caster_count, view, &f->block, error))
        return false;
    glActiveTexture(GL_TEXTURE0 + UNIT_SHADOW);
    glBindTexture(GL_TEXTURE_2D, r->shadow.depth_texture);
    glActiveTexture(GL_TEXTURE0 + UNIT_SKY);
    glBindTexture(GL_TEXTURE_2D, r->shadow.sky_moments[1]);
    return true;
}

/* The host (ImGui, a video player) may have left any GL state. */
static void clean_state(void)
{
    glDisable(GL_BLEND);
    glDisable(GL_CULL_FACE);
    glDisable(GL_SCISSOR_TEST);
    glDisable(GL_STENCIL_TEST);
    glDisable(GL_FRAMEBUFFER_SRGB);
    glPolygonMode(GL_FRONT_AND_BACK, GL_FILL);
    glFrontFace(GL_CCW);
    glColorMask(GL_TRUE, GL_TRUE, GL_TRUE, GL_TRUE);
    glClearDepth(1.0);
}

static void upload_block(const render *r, const frame *f)
{
    glBindBuffer(GL_UNIFORM_BUFFER, r->frame_buffer_object);
    glBufferSubData(GL_UNIFORM_BUFFER, 0, sizeof f->block, &f->block);
    glBindBuffer(GL_UNIFORM_BUFFER, 0);
    glBindBufferBase(GL_UNIFORM_BUFFER, 0, r->frame_buffer_object);
}

static void begin_picture(const render_target *target)
{
    glBindFramebuffer(GL_FRAMEBUFFER, target->framebuffer);
    glViewport(0, 0, target->width, target->height);
    glEnable(GL_DEPTH_TEST);
    glDepthFunc(GL_LEQUAL); // the backdrop lies exactly at the far plane
    glDepthMask(GL_TRUE);
    glFrontFace(GL_CW); // pictures are stored upside down
    glClear(GL_DEPTH_BUFFER_BIT);
}

static void end_picture(render *r, const render_target *target)
{
    if (target->samples > 0) {
        glBindFramebuffer(GL_READ_FRAMEBUFFER, target->framebuffer);
        glBindFramebuffer(GL_DRAW_FRAMEBUFFER, target->resolved);
        glBlitFramebuffer(0, 0, target->width, target->height, 0, 0, target->width, target->height, GL_COLOR_BUFFER_BIT,
                          GL_NEAREST);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, 0);
    glFrontFace(GL_CCW);
    glDisable(GL_DEPTH_TEST);
    glDisable(GL_BLEND);
    glBindVertexArray(0);
    glUseProgram(0);
    glActiveTexture(GL_TEXTURE0);
    if (!r->debug_callback)
        while (glGetError() != GL_NO_ERROR)
            ++r->gl_errors;
}

bool render_draw(render *r, render_target *target, const render_scene *scene, const render_view *view,
                 render_error *error)
{
    frame f = make_frame(target, scene, view);
    if (!collect_casters(r, scene, &f)) {
        render_error_set(error, "out of memory");
        return false;
    }
    clean_state();
    bool good = draw_light_maps(r, &f, view, error);
    upload_block(r, &f);
    good = good && (!view->floor.on || prepare_floor(r, &f, view, error));
    begin_picture(target);
    good = good && draw_surfaces(r, &f, target, scene, view, error);
    good = good && legend_draw(r, target, scene, view, error);
    end_picture(r, target);
    return good;
}
