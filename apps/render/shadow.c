/* Shadow and light maps. Two depth maps of the scene. From the key light: a shadow map fitted to the casters, filtered
   on reading (GLSL shadow_filter). From straight above: a small map blurred into depth and depth², read as sky
   visibility.

   The key map is fitted to the casters only: a point outside their silhouette is lit anyway. Its texel has the size
   that makes the filter as wide as the wanted penumbra, so a softer light needs a smaller map; positions are rounded to
   whole texels, so shadows do not crawl when the bounds change from frame to frame. And a light map of the floor, for
   quick mode. */
#include "render_internal.h"
#include <math.h>

enum {
    SKY_SIZE = 128,   /* texels; blurred by a tenth of its width, so more would not show */
    SKY_KEPT = 3,     /* quick pictures that share a sky map */
    FLOOR_SIZE = 160, /* texels; about as fine as the shadow's own */
    BORDER_TEXELS = 6 /* free texels around the casters for the filter to reach into */
};
static const float SKY_BLUR_STEP = 2.4f;   /* texels between the 17 taps of one blur pass */
static const float AUTO_SOFTNESS = 0.028f; /* default penumbra as a fraction of the scene's diagonal */
static const float SOFTEST = 0.25f;        /* widest penumbra as a fraction of the diagonal */

static GLuint make_map(GLenum format, GLenum layout, int size)
{
    GLuint name = 0;
    glGenTextures(1, &name);
    glBindTexture(GL_TEXTURE_2D, name);
    glTexImage2D(GL_TEXTURE_2D, 0, (GLint)format, size, size, 0, layout, GL_FLOAT, NULL);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MIN_FILTER, GL_LINEAR);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_MAG_FILTER, GL_LINEAR);
    // both maps have an empty rim, so clamping to the edge means "unoccluded"
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_S, GL_CLAMP_TO_EDGE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_WRAP_T, GL_CLAMP_TO_EDGE);
    return name;
}

static GLuint make_framebuffer(GLenum attachment, GLuint texture)
{
    GLuint name = 0;
    glGenFramebuffers(1, &name);
    glBindFramebuffer(GL_FRAMEBUFFER, name);
    glFramebufferTexture2D(GL_FRAMEBUFFER, attachment, GL_TEXTURE_2D, texture, 0);
    if (attachment == GL_DEPTH_ATTACHMENT) {
        glDrawBuffer(GL_NONE);
        glReadBuffer(GL_NONE);
    }
    return name;
}

static void release_key(shadow_maps *maps)
{
    glDeleteFramebuffers(1, &maps->framebuffer);
    glDeleteTextures(1, &maps->depth_texture);
    maps->framebuffer = maps->depth_texture = 0;
    maps->size = 0;
}

void shadow_destroy(shadow_maps *maps)
{
    release_key(maps);
    glDeleteFramebuffers(1, &maps->sky_framebuffer);
    glDeleteFramebuffers(2, maps->blur_framebuffer);
    glDeleteTextures(1, &maps->sky_depth);
    glDeleteTextures(2, maps->sky_moments);
    *maps = (shadow_maps){0};
}

static void ensure_key(shadow_maps *maps, int size)
{
    if (maps->size == size)
        return;
    release_key(maps);
    maps->depth_texture = make_map(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, size);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_MODE, GL_COMPARE_REF_TO_TEXTURE);
    glTexParameteri(GL_TEXTURE_2D, GL_TEXTURE_COMPARE_FUNC, GL_LEQUAL);
    maps->framebuffer = make_framebuffer(GL_DEPTH_ATTACHMENT, maps->depth_texture);
    maps->size = size;
}

static void ensure_sky(shadow_maps *maps)
{
    if (maps->sky_depth)
        return;
    maps->sky_depth = make_map(GL_DEPTH_COMPONENT24, GL_DEPTH_COMPONENT, SKY_SIZE);
    maps->sky_framebuffer = make_framebuffer(GL_DEPTH_ATTACHMENT, maps->sky_depth);
    for (int i = 0; i < 2; ++i) {
        maps->sky_moments[i] = make_map(GL_RG32F, GL_RG, SKY_SIZE);
        maps->blur_framebuffer[i] = make_framebuffer(GL_COLOR_ATTACHMENT0, maps->sky_moments[i]);
    }
}

/* Bounds of all casters in the axes of a view matrix. */
static void caster_bounds(const caster *casters, int count, mat4s view, vec3s *low, vec3s *high)
{
    *low = (vec3s){{INFINITY, INFINITY, INFINITY}};
    *high = (vec3s){{-INFINITY, -INFINITY, -INFINITY}};
    for (int i = 0; i < count; ++i)
        bounds_add(low, high, glms_mat4_mul(view, casters[i].model), casters[i].mesh->minimum,
                   casters[i].mesh->maximum);
}

static mat3s normal_matrix(mat4s model) { return glms_mat3_transpose(glms_mat3_inv(glms_mat4_pick3(model))); }

/* Cloth needs no push and no normals: depth only. */
static bool draw_depth(render *r, const caster *casters, int count, mat4s light, vec3s away, render_error *error)
{
    GLuint plain = program_fixed(r, PROGRAM_DEPTH, error), pushed = program_fixed(r, PROGRAM_DEPTH_PUSHED, error);
    if (!plain || !pushed)
        return false;
    vec4s per_metre = glms_mat4_mulv(light, vec4_of(away, 0.0f));
    for (int i = 0; i < count; ++i) {
        GLuint name = casters[i].push > 0.0f ? pushed : plain;
        mat4s whole = glms_mat4_mul(light, casters[i].model);
        glUseProgram(name);
        glUniformMatrix4fv(glGetUniformLocation(name, "u_light"), 1, GL_FALSE, &whole.raw[0][0]);
        if (name == pushed) {
            mat3s normal = normal_matrix(casters[i].model);
            glUniformMatrix3fv(glGetUniformLocation(name, "u_normal_matrix"), 1, GL_FALSE, &normal.raw[0][0]);
            glUniform4fv(glGetUniformLocation(name, "u_away"), 1, per_metre.raw);
            glUniform4f(glGetUniformLocation(name, "u_light_direction"), away.x, away.y, away.z, casters[i].push);
        }
        mesh_draw(casters[i].mesh);
    }
    return true;
}

static void begin_depth(GLuint framebuffer, int size)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glViewport(0, 0, size, size);
    glEnable(GL_DEPTH_TEST);
    glDepthMask(GL_TRUE);
    glDepthFunc(GL_LESS);
    glClear(GL_DEPTH_BUFFER_BIT);
}

/* Clip coordinates −1..1 → texture coordinates and depth 0..1; `used` is the filled part of the texture. */
static mat4s to_texture(float used)
{
    mat4s m = glms_mat4_identity();
    m.raw[0][0] = m.raw[1][1] = m.raw[3][0] = m.raw[3][1] = 0.5f * used;
    m.raw[2][2] = m.raw[3][2] = 0.5f;
    return m;
}

/* The square of light space that is drawn, in whole texels. */
typedef struct key_fit {
    mat4s projection;
    float texel;  /* m */
    float length; /* m, near to far */
    int used;     /* texels along a side */
    float reach;  /* m, half width of the filter */
} key_fit;

static key_fit fit_key(vec3s low, vec3s high, const render_view *view, int size)
{
    key_fit fit;
    float diagonal = glms_vec3_distance(low, high);
    float softness = view->key.softness > 0.0f ? view->key.softness : AUTO_SOFTNESS * diagonal;
    softness = fminf(softness, SOFTEST * diagonal);
    float kernel = view->quality.shadow_taps >= 16 ? 7.0f : view->quality.shadow_taps >= 9 ? 5.0f : 3.0f;
    float extent = fmaxf(fmaxf(high.x - low.x, high.y - low.y), 1e-4f);
    fit.texel = softness / fmaxf(kernel, 4.0f); // few taps: sharper rather than visible texels
    float room = (float)(size - 2 * BORDER_TEXELS - 1);
    if (extent > fit.texel * room) {
        // sharper than the map allows: use all of it, growing in steps so the texel size rarely changes
        float steps = 8.0f;
        fit.texel = exp2f(ceilf(log2f(extent) * steps) / steps) / room;
    }
    fit.used = (int)ceilf(extent / fit.texel) + 2 * BORDER_TEXELS + 1;
    fit.used = fit.used < size ? fit.used : size;
    fit.reach = 0.5f * kernel * fit.texel;
    float side = (float)fit.used * fit.texel;
    float left = floorf((0.5f * (low.x + high.x) - 0.5f * side) / fit.texel) * fit.texel;
    float bottom = floorf((0.5f * (low.y + high.y) - 0.5f * side) / fit.texel) * fit.texel;
    float slack = 0.02f * diagonal + fit.texel; // pushed bodies stay inside
    fit.projection = glms_ortho(left, left + side, bottom, bottom + side, -high.z - slack, -low.z + slack);
    fit.length = high.z - low.z + 2.0f * slack;
    return fit;
}

bool shadow_draw_key(render *r, const caster *casters, int count, const render_view *view, frame_block *block,
                     render_error *error)
{
    ensure_key(&r->shadow, view->quality.shadow_size);
    vec3s toward = {{block->key_direction.x, block->key_direction.y, block->key_direction.z}};
    vec3s away = glms_vec3_negate(toward);
    vec3s up = fabsf(toward.y) > 0.95f ? (vec3s){{1.0f, 0.0f, 0.0f}} : (vec3s){{0.0f, 1.0f, 0.0f}};
    mat4s look = glms_lookat(glms_vec3_zero(), away, up);
    vec3s low, high;
    caster_bounds(casters, count, look, &low, &high);
    key_fit fit = fit_key(low, high, view, r->shadow.size);
    mat4s light = glms_mat4_mul(fit.projection, look);

    begin_depth(r->shadow.framebuffer, fit.used);
    glEnable(GL_POLYGON_OFFSET_FILL);
    glPolygonOffset(
        1.5f, 2.0f); // one and a half texels of slope: the half texel of rounding in x and y, and the filter's own
    bool good = draw_depth(r, casters, count, light, away, error);
    glDisable(GL_POLYGON_OFFSET_FILL);

    float size = (float)r->shadow.size;
    block->shadow_matrix = glms_mat4_mul(to_texture((float)fit.used / size), light);
    block->key_direction.w = fit.reach;
    block->shadow.x = size;
    block->shadow.y = 1.0f / size;
    block->shadow.z = 0.5f * fit.texel / fit.length;
    return good;
}

static void blur(GLuint name, GLuint source, GLuint framebuffer, float dx, float dy)
{
    glBindFramebuffer(GL_FRAMEBUFFER, framebuffer);
    glUseProgram(name);
    glActiveTexture(GL_TEXTURE0 + UNIT_TEXTURE);
    glBindTexture(GL_TEXTURE_2D, source);
    glUniform2f(glGetUniformLocation(name, "u_step"), dx, dy);
    glDrawArrays(GL_TRIANGLES, 0, 3);
}

static void set_sky(const shadow_maps *maps, frame_block *block)
{
    block->sky_matrix = maps->sky_matrix;
    block->shadow.w = maps->sky_texel;
}

bool shadow_draw_sky(render *r, const caster *casters, int count, const render_view *view, frame_block *block,
                     render_error *error)
{
    GLuint first = program_fixed(r, PROGRAM_BLUR_FIRST, error), second = program_fixed(r, PROGRAM_BLUR_SECOND, error);
    if (!first || !second)
        return false;
    ensure_sky(&r->shadow);
    if (view->quality.quick && r->shadow.sky_of == casters[0].mesh && ++r->shadow.sky_age < SKY_KEPT) {
        set_sky(&r->shadow, block);
        return true;
    }
    vec3s down = {{0.0f, -1.0f, 0.0f}};
    mat4s look = glms_lookat(glms_vec3_zero(), down, (vec3s){{0.0f, 0.0f, -1.0f}});
    vec3s low, high;
    caster_bounds(casters, count, look, &low, &high);
    if (view->floor.on)
        low.z = fminf(low.z, view->floor.height);
    // margin around the casters for the blur
    float half = 0.5f * fmaxf(fmaxf(high.x - low.x, high.y - low.y), 1e-4f) * 1.5f;
    float x = 0.5f * (low.x + high.x), y = 0.5f * (low.y + high.y), slack = 0.02f * half;
    mat4s light =
        glms_mat4_mul(glms_ortho(x - half, x + half, y - half, y + half, -high.z - slack, -low.z + slack), look);

    begin_depth(r->shadow.sky_framebuffer, SKY_SIZE);
    if (!draw_depth(r, casters, count, light, down, error))
        return false;

    glDisable(GL_DEPTH_TEST);
    glBindVertexArray(r->empty_array);
    float step = SKY_BLUR_STEP / (float)SKY_SIZE;
    blur(first, r->shadow.sky_depth, r->shadow.blur_framebuffer[0], step, 0.0f);
    blur(second, r->shadow.sky_moments[0], r->shadow.blur_framebuffer[1], 0.0f, step);
    r->shadow.sky_matrix = glms_mat4_mul(to_texture(1.0f), light);
    r->shadow.sky_texel = 2.0f * half / (float)SKY_SIZE;
    r->shadow.sky_of = casters[0].mesh;
    r->shadow.sky_age = 0;
    set_sky(&r->shadow, block);
    return true;
}

void shadow_begin_floor(render *r)
{
    if (!r->floor_light) {
        r->floor_light = make_map(GL_RGBA8, GL_RGBA, FLOOR_SIZE);
        r->floor_framebuffer = make_framebuffer(GL_COLOR_ATTACHMENT0, r->floor_light);
    }
    glBindFramebuffer(GL_FRAMEBUFFER, r->floor_framebuffer);
    glViewport(0, 0, FLOOR_SIZE, FLOOR_SIZE);
    glDisable(GL_DEPTH_TEST);
}
