/* Compiles shader programs from the pieces of shaders.c and keeps them. Surface programs exist in variants (look,
   lights, shadow taps …), each compiled at its first use and cached by a key of packed bits. */
#include "render_internal.h"
#include "shaders.h"
#include <stdio.h>
#include <stdlib.h>

enum { PIECE_LIMIT = 16 };

static GLuint compile(GLenum stage, const char *const *pieces, int count, render_error *error)
{
    GLuint shader = glCreateShader(stage);
    glShaderSource(shader, count, pieces, NULL);
    glCompileShader(shader);
    GLint good = GL_FALSE;
    glGetShaderiv(shader, GL_COMPILE_STATUS, &good);
    if (good)
        return shader;
    char log[400] = "";
    glGetShaderInfoLog(shader, sizeof log, NULL, log);
    render_error_set(error, "%s shader: %s", stage == GL_VERTEX_SHADER ? "vertex" : "fragment", log);
    glDeleteShader(shader);
    return 0;
}

/* Texture units and the uniform block never change, so they are bound once, here. */
static void bind_fixed_places(GLuint name)
{
    static const struct {
        const char *uniform;
        GLint unit;
    } samplers[] = {{"u_shadow_map", UNIT_SHADOW},   {"u_sky_map", UNIT_SKY},  {"u_texture", UNIT_TEXTURE},
                    {"u_positions", UNIT_POSITIONS}, {"u_links", UNIT_LINKS},  {"u_scalars", UNIT_SCALARS},
                    {"u_source", UNIT_TEXTURE},      {"u_font", UNIT_TEXTURE}, {"u_floor_light", UNIT_FLOOR}};
    glUseProgram(name);
    for (size_t i = 0; i < sizeof samplers / sizeof *samplers; ++i) {
        GLint place = glGetUniformLocation(name, samplers[i].uniform);
        if (place >= 0)
            glUniform1i(place, samplers[i].unit);
    }
    GLuint block = glGetUniformBlockIndex(name, "Frame");
    if (block != GL_INVALID_INDEX)
        glUniformBlockBinding(name, block, 0);
}

static GLuint link_program(const char *const *vertex, int vertex_count, const char *const *fragment, int fragment_count,
                           render_error *error)
{
    GLuint v = compile(GL_VERTEX_SHADER, vertex, vertex_count, error);
    if (!v)
        return 0;
    GLuint f = compile(GL_FRAGMENT_SHADER, fragment, fragment_count, error);
    if (!f) {
        glDeleteShader(v);
        return 0;
    }
    GLuint name = glCreateProgram();
    glAttachShader(name, v);
    glAttachShader(name, f);
    glLinkProgram(name);
    glDeleteShader(v);
    glDeleteShader(f);
    GLint good = GL_FALSE;
    glGetProgramiv(name, GL_LINK_STATUS, &good);
    if (!good) {
        char log[400] = "";
        glGetProgramInfoLog(name, sizeof log, NULL, log);
        render_error_set(error, "linking shaders: %s", log);
        glDeleteProgram(name);
        return 0;
    }
    bind_fixed_places(name);
    return name;
}

static const char version_line[] = "#version 330 core\n";

static uint32_t variant_key(const surface_variant *v)
{
    return (uint32_t)v->surface | (uint32_t)v->phong << 4 | (uint32_t)v->key << 5 | (uint32_t)v->spot << 6 |
           (uint32_t)v->occlusion << 7 | (uint32_t)v->fog << 8 | (uint32_t)v->taps << 9 | (uint32_t)v->points << 14 |
           (uint32_t)v->threads << 17 | (uint32_t)v->vertex_shadow << 18 | (uint32_t)v->vertex_light << 19;
}

/* A floor that only the sky and the unshadowed key light reach has one colour. */
static bool flat_floor(const surface_variant *v)
{
    return v->surface == SURFACE_FLOOR && v->taps == 0 && !v->occlusion && !v->spot && v->points == 0;
}

static void variant_defines(const surface_variant *v, char *text, size_t size)
{
    static const char *const surfaces[] = {"",
                                           "#define FLOOR\n",
                                           "#define FLOOR\n#define FLOOR_LIGHT\n",
                                           "#define FLOOR\n#define LIT_FLOOR\n",
                                           "#define CLOTH\n#define LOOK_PLAIN\n",
                                           "#define CLOTH\n#define LOOK_FABRIC\n",
                                           "#define CLOTH\n#define LOOK_TEXTURE\n",
                                           "#define CLOTH\n#define LOOK_CURVES\n",
                                           "#define CLOTH\n#define LOOK_OVERLAY\n"};
    snprintf(text, size, "%s%s%s%s%s%s%s%s%s%s#define TAPS %d\n#define POINTS %d\n", surfaces[v->surface],
             v->phong ? "#define PHONG\n" : "", v->key ? "#define KEY\n" : "", v->spot ? "#define SPOT\n" : "",
             v->occlusion ? "#define OCCLUSION\n" : "", v->threads ? "#define THREADS\n" : "",
             v->vertex_shadow ? "#define VERTEX_SHADOW\n" : "", v->vertex_light ? "#define VERTEX_LIGHT\n" : "",
             flat_floor(v) ? "#define FLAT_FLOOR\n" : "", v->fog ? "#define FOG\n" : "", v->taps, v->points);
}

static void find_uniforms(program *p)
{
    p->model = glGetUniformLocation(p->name, "u_model");
    p->normal_matrix = glGetUniformLocation(p->name, "u_normal_matrix");
    p->push = glGetUniformLocation(p->name, "u_push");
    p->colour = glGetUniformLocation(p->name, "u_colour");
    p->back = glGetUniformLocation(p->name, "u_back");
    p->second = glGetUniformLocation(p->name, "u_second");
    p->gloss = glGetUniformLocation(p->name, "u_gloss");
    p->weave = glGetUniformLocation(p->name, "u_weave");
    p->stripe = glGetUniformLocation(p->name, "u_stripe");
    p->curve = glGetUniformLocation(p->name, "u_curve");
    p->extra = glGetUniformLocation(p->name, "u_extra");
    p->area = glGetUniformLocation(p->name, "u_area");
}

/* Pieces of a stage, in order. */
typedef struct pieces {
    const char *list[PIECE_LIMIT];
    int count;
} pieces;

static void add(pieces *p, bool wanted, const char *piece)
{
    if (wanted)
        p->list[p->count++] = piece;
}

/* The pieces that turn light into a colour, for the stage that does so. */
static void add_light(pieces *p, const surface_variant *v)
{
    add(p, v->surface != SURFACE_OVERLAY, glsl_shading);
    add(p, v->surface != SURFACE_OVERLAY, glsl_lights);
    add(p, v->surface >= SURFACE_PLAIN, glsl_cloth_light);
}

static const char *main_of(surface_kind surface)
{
    if (surface >= SURFACE_PLAIN)
        return glsl_cloth_main;
    if (surface == SURFACE_FLOOR_LIGHT)
        return glsl_floor_light_main;
    return surface == SURFACE_BODY ? glsl_body_main : glsl_floor_main;
}

static GLuint link_variant(const surface_variant *v, render_error *error)
{
    bool cloth = v->surface >= SURFACE_PLAIN;
    char defines[360];
    variant_defines(v, defines, sizeof defines);
    pieces vertex = {{version_line, defines, glsl_frame}, 3}, fragment = vertex;
    add(&vertex, v->occlusion, glsl_occlusion_filter);
    add(&vertex, flat_floor(v) || v->vertex_light, glsl_tone);
    add(&vertex, v->vertex_shadow, glsl_shadow_filter);
    add(&vertex, true, glsl_vertex_inputs);
    if (v->vertex_light)
        add_light(&vertex, v);
    add(&vertex, v->vertex_light, glsl_vertex_light);
    add(&vertex, true, glsl_surface_vertex);
    add(&fragment, true, glsl_tone);
    add(&fragment, true, glsl_output);
    add(&fragment, v->taps > 0 && !v->vertex_shadow, glsl_shadow_filter);
    add(&fragment, true, glsl_surface_inputs);
    if (!v->vertex_light)
        add_light(&fragment, v);
    add(&fragment, cloth, glsl_looks);
    add(&fragment, cloth, glsl_looks_more);
    add(&fragment, v->surface == SURFACE_FLOOR_LIGHT && v->occlusion, glsl_occlusion_filter);
    add(&fragment, true, main_of(v->surface));
    return link_program(vertex.list, vertex.count, fragment.list, fragment.count, error);
}

const program *program_surface(render *r, const surface_variant *variant, render_error *error)
{
    uint32_t key = variant_key(variant);
    for (int i = 0; i < r->program_count; ++i)
        if (r->programs[i].key == key)
            return &r->programs[i];
    GLuint name = link_variant(variant, error);
    if (!name)
        return NULL;
    // a full table means a session that has tried every combination: clear it, compiling is cheap enough
    if (r->program_count == PROGRAM_LIMIT) {
        for (int i = 0; i < PROGRAM_LIMIT; ++i)
            glDeleteProgram(r->programs[i].name);
        r->program_count = 0;
    }
    program *slot = &r->programs[r->program_count++];
    *slot = (program){.key = key, .name = name};
    find_uniforms(slot);
    return slot;
}

GLuint program_fixed(render *r, fixed_program which, render_error *error)
{
    if (r->fixed[which])
        return r->fixed[which];
    static const struct {
        const char *defines;
        const char *vertex[3];
        const char *fragment[3];
    } sources[PROGRAM_FIXED_COUNT] = {
        [PROGRAM_DEPTH] = {"", {glsl_depth_vertex, "", ""}, {glsl_depth_fragment, "", ""}},
        [PROGRAM_DEPTH_PUSHED] = {"#define PUSH\n", {glsl_depth_vertex, "", ""}, {glsl_depth_fragment, "", ""}},
        [PROGRAM_BACKGROUND] = {"", {glsl_screen_vertex, "", ""}, {glsl_output, glsl_background_fragment, ""}},
        [PROGRAM_BLUR_FIRST] = {"#define FIRST\n#define BLUR_REACH 8\n",
                                {glsl_screen_vertex, "", ""},
                                {glsl_blur_fragment, "", ""}},
        [PROGRAM_BLUR_SECOND] = {"#define BLUR_REACH 8\n", {glsl_screen_vertex, "", ""}, {glsl_blur_fragment, "", ""}},
        [PROGRAM_LINES] = {"", {glsl_wire_common, glsl_line_vertex, ""}, {glsl_line_fragment, "", ""}},
        [PROGRAM_POINTS] = {"", {glsl_wire_common, glsl_point_vertex, ""}, {glsl_point_fragment, "", ""}},
        [PROGRAM_TEXT] = {"", {glsl_text_vertex, "", ""}, {glsl_text_fragment, "", ""}},
    };
    const char *vertex[6] = {version_line, sources[which].defines, glsl_frame};
    const char *fragment[6] = {version_line, sources[which].defines, glsl_frame};
    for (int i = 0; i < 3; ++i) {
        vertex[3 + i] = sources[which].vertex[i];
        fragment[3 + i] = sources[which].fragment[i];
    }
    r->fixed[which] = link_program(vertex, 6, fragment, 6, error);
    return r->fixed[which];
}

void programs_destroy(render *r)
{
    for (int i = 0; i < r->program_count; ++i)
        glDeleteProgram(r->programs[i].name);
    for (int i = 0; i < PROGRAM_FIXED_COUNT; ++i)
        if (r->fixed[i])
            glDeleteProgram(r->fixed[i]);
    r->program_count = 0;
}
