/* Private to apps/render. */
#ifndef RENDER_INTERNAL_H
#define RENDER_INTERNAL_H

#include "render.h"
#include <cglm/struct.h>
#include <epoxy/gl.h>
#include <stddef.h>

enum { RENDER_POINT_LIGHTS = 4 };

/* Attribute locations, the same in every vertex shader. */
enum { ATTRIBUTE_POSITION, ATTRIBUTE_NORMAL, ATTRIBUTE_UV, ATTRIBUTE_SCALAR };

/* Texture units, the same in every fragment shader. */
enum { UNIT_SHADOW, UNIT_SKY, UNIT_TEXTURE, UNIT_POSITIONS, UNIT_LINKS, UNIT_SCALARS, UNIT_FLOOR };

/* ---- programs (program.c) ---------------------------------------------------------------------------------------- */

/* Kinds of surface. Each is compiled separately, so no pixel pays for a look it does not use. */
typedef enum surface_kind {
    SURFACE_BODY,
    SURFACE_FLOOR,
    SURFACE_FLOOR_LIGHT, /* light map of the floor */
    SURFACE_FLOOR_LIT,   /* the floor drawn with that map */
    SURFACE_PLAIN,
    SURFACE_FABRIC,
    SURFACE_TEXTURE,
    SURFACE_CURVES,
    SURFACE_OVERLAY
} surface_kind;

/* Everything that selects a compiled variant of the surface shader. */
typedef struct surface_variant {
    surface_kind surface;
    bool phong, key, spot, occlusion, fog;
    bool threads;       /* fabric: individual threads are visible */
    bool vertex_shadow; /* triangles no larger than pixels: shadow looked up at vertices */
    bool vertex_light;  /* cloth of small triangles in quick mode: lit at vertices */
    int taps;           /* 0, 4, 9, 16 */
    int points;         /* lights that are on */
} surface_variant;

typedef struct program {
    uint32_t key;
    GLuint name;
    GLint model, normal_matrix, push; /* uniform locations, -1 when the variant has none */
    GLint colour, back, second, gloss, weave, stripe, curve, range, extra, area;
} program;

enum { PROGRAM_LIMIT = 96 }; /* variants kept; a picture uses a handful, a session a few dozen */

typedef enum fixed_program {
    PROGRAM_DEPTH,
    PROGRAM_DEPTH_PUSHED,
    PROGRAM_BACKGROUND,
    PROGRAM_BLUR_FIRST,
    PROGRAM_BLUR_SECOND,
    PROGRAM_LINES,
    PROGRAM_POINTS,
    PROGRAM_TEXT,
    PROGRAM_FIXED_COUNT
} fixed_program;

/* NULL with an error when the variant does not compile. Compiled at first use. */
const program *program_surface(render *r, const surface_variant *variant, render_error *error);
GLuint program_fixed(render *r, fixed_program which, render_error *error);
void programs_destroy(render *r);

/* ---- the uniform block every shader sees (std140: only vec4 and mat4, so C and GLSL agree) ----------------------- */

typedef struct frame_block {
    mat4s view_projection;
    mat4s shadow_matrix; /* world → shadow map texture coordinates and depth */
    mat4s sky_matrix;    /* the same for the sky-visibility map */
    vec4s eye;           /* xyz; w: fog 1/m */
    vec4s viewport;      /* width, height, 1/width, 1/height */
    vec4s depth;         /* x: the constant B of clip z = A·w + B; y: exposure */
    vec4s key_direction; /* towards the light; w: reach of the shadow filter, m */
    vec4s key_colour;
    vec4s shadow; /* x: texels along the map, y: its inverse, z: bias in map depth, w: sky depth bias */
    vec4s sky_colour, ground_colour, sky_direction;
    vec4s spot_position, spot_direction, spot_colour; /* w: -, cos outer, cos inner */
    vec4s point_position[RENDER_POINT_LIGHTS], point_colour[RENDER_POINT_LIGHTS];
    vec4s background_top, background_bottom; /* display colours */
    vec4s floor;                             /* x, z of the middle; inner and outer radius of its fade, m */
    vec4s overlay;                           /* low, 1 / (high - low) */
} frame_block;

/* ---- shadow maps (shadow.c) -------------------------------------------------------------------------------------- */

typedef struct shadow_maps {
    GLuint depth_texture, framebuffer; /* key light */
    int size;                          /* texels allocated along a side */
    GLuint sky_depth, sky_moments[2], sky_framebuffer, blur_framebuffer[2];
    const render_mesh *sky_of; /* first caster of the sky's map */
    int sky_age;               /* pictures since it was drawn */
    mat4s sky_matrix;
    float sky_texel; /* m */
} shadow_maps;

/* A shadow caster: mesh, transform and push-back. */
typedef struct caster {
    const render_mesh *mesh;
    mat4s model;
    float push;
} caster;

void shadow_destroy(shadow_maps *maps);
bool shadow_draw_key(render *r, const caster *casters, int count, const render_view *view, frame_block *block,
                     render_error *error);
bool shadow_draw_sky(render *r, const caster *casters, int count, const render_view *view, frame_block *block,
                     render_error *error);

void shadow_begin_floor(render *r); /* binds the floor's light map as target */

/* ---- objects ----------------------------------------------------------------------------------------------------- */

struct render {
    void *context; /* render_context of context_egl.c, NULL in a window */
    bool debug_callback;
    int gl_errors;
    char device[192];
    program programs[PROGRAM_LIMIT];
    int program_count;
    GLuint fixed[PROGRAM_FIXED_COUNT];
    GLuint frame_buffer_object; /* the uniform block */
    GLuint empty_array;         /* for shaders that make their own vertices */
    shadow_maps shadow;
    render_mesh *floor, *axes;             /* axes: made at first use */
    GLuint floor_light, floor_framebuffer; /* map of the light on the floor, made at first use */
    GLuint font_texture, text_array, text_buffer;
    caster *casters; /* scratch of render_draw */
    int caster_capacity;
};

struct render_target {
    int width, height, samples;
    GLuint framebuffer, colour, depth; /* drawn into; colour and depth are renderbuffers; colour is 0 without samples */
    GLuint resolved, texture;          /* the finished picture; without samples it is drawn into directly */
};

struct render_mesh {
    int vertex_count, triangle_count, link_count;
    GLuint array, positions, normals, uvs, scalars, triangles, links;
    GLuint position_view, link_view, scalar_view; /* the buffers as textures, for lines and points */
    uint64_t position_version, scalar_version;
    uint32_t *triangle_copy; /* for normals on the CPU */
    float *normal_scratch;
    vec3s minimum, maximum;
    float inset_limit; /* m, of its definition */
};

struct render_texture {
    GLuint name;
};

/* ---- helpers ----------------------------------------------------------------------------------------------------- */

static inline vec3s vec3_of(const float v[3]) { return (vec3s){{v[0], v[1], v[2]}}; }

static inline vec4s vec4_of(vec3s v, float w) { return (vec4s){{v.x, v.y, v.z, w}}; }

/* sRGB → linear light, exact curve. */
vec3s linear_of(const float srgb[3]);

/* Transform of a body: all zero means identity. */
mat4s body_matrix(const render_body *body);

/* Grows a box by the transformed corners of another. */
void bounds_add(vec3s *minimum, vec3s *maximum, mat4s model, vec3s low, vec3s high);

/* Draws a mesh's triangles with the bound program. */
void mesh_draw(const render_mesh *mesh);

/* The floor (floor.c): a fine inner grid where shadows can fall, the same as one rectangle, and four plain quads around
   it. An area is min x, min z, max x, max z, m. */
typedef enum floor_part { FLOOR_ALL, FLOOR_INNER, FLOOR_OUTER, FLOOR_RECTANGLE } floor_part;
render_mesh *floor_mesh_create(render *r, render_error *error);
bool floor_find_inner(vec3s low, vec3s high, vec3s toward_light, float height, const vec4s *fade, float area[4]);
void floor_mesh_place(render_mesh *mesh, const float area[4], float height, const vec4s *fade);
void floor_mesh_draw(const render_mesh *mesh, floor_part part);

bool wire_draw(render *r, const render_cloth *cloth, float picture_height, render_error *error);
bool axes_draw(render *r, float length, float picture_height, render_error *error);

/* Colour bar and labels, in pixels of the target; drawn over the finished scene. */
bool legend_draw(render *r, const render_target *target, const render_scene *scene, const render_view *view,
                 render_error *error);
void text_destroy(render *r);

/* Letters of 5 × 8 dots (font.c): one byte a column, lowest bit on top. Glyph 0 is the box for unknown letters. */
int font_glyph_count(void);
int font_glyph_of(uint32_t code);
const uint8_t *font_columns(int glyph);

void context_destroy(void *context);
void *context_create_headless(bool debug, render_error *error);

#endif
