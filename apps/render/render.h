/* The renderer of Telar: one OpenGL 3.3 core renderer for the window (the host made a context current) and for work
   without a display (render_headless_create). It does not depend on the engine: arrays of floats in, pixels out.

   Units: metres, radians. y is up. Colours are sRGB in 0..1, as a colour picker shows them; lighting is computed in
   linear light and the picture is written gamma-encoded. One thread: the one whose context is current.

   The order of use:
       render *r = render_headless_create(&def, &error);             or render_create in a window
       render_target *target = render_target_create(r, 1280, 720, 4, &error);
       render_mesh *mesh = render_mesh_create(r, &mesh_def, &error);
       each frame:  render_mesh_update(mesh, positions, NULL, version);
                    render_draw(r, target, &scene, &view, &error);
                    render_target_read(target, rgba);                 or render_target_present
   Meshes, textures and targets are destroyed by their owner before render_destroy. Every destroy accepts NULL. */
#ifndef RENDER_H
#define RENDER_H

#include "camera.h"
#include "render_error.h"
#include <stdbool.h>
#include <stdint.h>

typedef struct render render;
typedef struct render_target render_target;
typedef struct render_mesh render_mesh;
typedef struct render_texture render_texture;

/* ---- renderer ---------------------------------------------------------------------------------------------------- */

typedef struct render_def {
    bool debug; /* ask for a debug context (headless) and count GL errors through KHR_debug, or glGetError without it */
} render_def;

/* For the context that is current on this thread (core ≥ 3.3). def may be NULL. NULL on error. */
render *render_create(const render_def *def, render_error *error);

/* Makes its own EGL context without a display and makes it current. NULL on error. */
render *render_headless_create(const render_def *def, render_error *error);

void render_destroy(render *r);

/* GL errors seen since creation; 0 in a healthy program. */
int render_gl_errors(const render *r);

/* "llvmpipe (LLVM 15.0.6, 256 bits), OpenGL 4.5": what draws. Valid as long as r. */
const char *render_device(const render *r);

/* ---- targets ----------------------------------------------------------------------------------------------------- */

/* An off-screen picture. samples: 0 (none), 2 or 4; the driver may round up. NULL on error. */
render_target *render_target_create(render *r, int width, int height, int samples, render_error *error);
void render_target_destroy(render_target *target);
int render_target_width(const render_target *target);
int render_target_height(const render_target *target);

/* Copies the finished picture: RGBA, rows top-down, width × height × 4 bytes; alpha is 255. */
void render_target_read(const render_target *target, uint8_t *rgba);

/* Copies the finished picture into another framebuffer object (0 is the window) at the given rectangle, GL's
   bottom-left origin; scales if sizes differ. */
void render_target_present(const render_target *target, unsigned framebuffer, int x, int y, int width, int height);

/* ---- meshes ------------------------------------------------------------------------------------------------------ */

/* All arrays are copied to the GPU at creation; only positions, normals and scalars can change afterwards. */
typedef struct render_mesh_def {
    int vertex_count;
    int triangle_count;
    const float *positions;    /* 3 per vertex, m */
    const float *normals;      /* 3 per vertex, unit; NULL: computed from the triangles, area-weighted */
    const float *uvs;          /* 2 per vertex, 0..1 over the sheet; NULL: the two longest axes of the bounds */
    const uint32_t *triangles; /* 3 per triangle, counter-clockwise seen from the front */
    int link_count;            /* for the wireframe look; 0 when there is none */
    const uint32_t *links;     /* 2 per link; vertex indices below 2²⁹ */
    const uint8_t *link_kinds; /* 1 per link, 0..7 picks a colour (0 stretch, 1 shear, 2 bend, 3 seam); NULL: all 0 */
    float inset_limit;         /* m, how far the surface may be drawn inward; 0 where edges are sharp */
} render_mesh_def;

render_mesh *render_mesh_create(render *r, const render_mesh_def *def, render_error *error);
void render_mesh_destroy(render_mesh *mesh);

/* New positions (and normals, or NULL: recomputed). Does nothing when `version` equals that of the last call, so it can
   be called every frame; returns whether anything was uploaded. Version 0 means "always". */
bool render_mesh_update(render_mesh *mesh, const float *positions, const float *normals, uint64_t version);

/* One number per vertex for the overlay, in the overlay's unit; same rule for `version`. */
bool render_mesh_scalars(render_mesh *mesh, const float *values, uint64_t version);

/* Bounds of the positions on the GPU, m. */
void render_mesh_bounds(const render_mesh *mesh, float minimum[3], float maximum[3]);

/* Normals per vertex, area-weighted; a vertex without area gets (0, 1, 0). Plain CPU work, no GL. */
void render_normals(int vertex_count, const float *positions, int triangle_count, const uint32_t *triangles,
                    float *normals);

/* Column-major transform from a place (m) and a unit quaternion (x, y, z, w); rotation may be NULL. */
void render_transform(float transform[16], const float position[3], const float rotation[4]);

/* ---- textures ---------------------------------------------------------------------------------------------------- */

/* RGBA sRGB, rows top-down, repeated over the uv plane, mip-mapped. */
render_texture *render_texture_create(render *r, int width, int height, const uint8_t *rgba, render_error *error);
render_texture *render_texture_load(render *r, const char *path, render_error *error);
void render_texture_destroy(render_texture *texture);

/* ---- what is drawn ----------------------------------------------------------------------------------------------- */

typedef enum render_look {
    RENDER_FABRIC,
    RENDER_CURVES,
    RENDER_PLAIN,
    RENDER_WIREFRAME,
    RENDER_LOOK_COUNT
} render_look;
extern const char *const render_look_names[RENDER_LOOK_COUNT]; /* "fabric", "curves", "plain", "wireframe" */

typedef enum render_weave { RENDER_WEAVE_PLAIN, RENDER_WEAVE_TWILL, RENDER_WEAVE_SATIN } render_weave;

typedef struct render_cloth {
    const render_mesh *mesh; /* borrowed */
    render_look look;
    float colour[3];               /* sRGB of the front */
    float back_colour[3];          /* sRGB of the back side */
    float second_colour[3];        /* sRGB: the curves' other colour, the stripes' other yarn */
    float roughness;               /* 0.05 .. 1 */
    float specular;                /* reflectance at normal incidence, 0.04 is usual */
    float sheen;                   /* 0 .. 1, soft glow of fibres at grazing angles; velvet 1, cotton 0.3 */
    float translucency;            /* 0 .. 1, part of the key light that shines through */
    render_weave weave;            /* fabric look */
    float threads_per_metre;       /* 0: no visible threads */
    float size[2];                 /* m, extent of the sheet along u and v: makes threads and stripes metric */
    float stripe_width[2];         /* m, bands of second_colour yarn in warp and weft; 0: none. Both: gingham */
    const render_texture *texture; /* fabric look, replaces weave colours; borrowed; NULL: procedural */
    float texture_repeat;          /* times over 0..1 of u and v */
    float curve_curvature, curve_frequency, curve_thickness; /* of the "curves" look */
    float line_width;                                        /* wireframe, pixels at 720 lines */
    float point_size;                                        /* wireframe particles, pixels at 720 lines; 0: none */
    bool overlay; /* colour by the mesh's scalars with the view's overlay range */
} render_cloth;

/* A blue-grey plain-woven cotton. */
render_cloth render_cloth_default(void);

typedef struct render_body {
    const render_mesh *mesh; /* borrowed */
    float transform[16];     /* column-major, rigid or scaled; all zero means identity */
    float colour[3];
    float roughness, specular;
    float contact_offset; /* m, see render_contact_offset */
    bool hidden;          /* casts and shows nothing */
} render_body;

/* Warm light-grey plaster. */
render_body render_body_default(void);

/* How far a cloth resting on a body may cut below the body's true surface, hence how far the body must be drawn behind
   it. A cloth edge of length L whose ends touch a surface of radius R cuts a chord below it by the sagitta s ≈ L²/(8R);
   a triangle's middle lies up to 4/3 of that deep (circumradius L/√3). Contact keeps particles `thickness` above the
   surface, but friction and iteration error may use all of it up: the bound is s·4/3 + thickness. radius ≤ 0 or
   infinite means flat: only the thickness remains. All in metres. */
float render_contact_offset(float longest_edge, float radius, float thickness);

typedef struct render_scene {
    const render_cloth *cloths;
    int cloth_count;
    const render_body *bodies;
    int body_count;
} render_scene;

/* Union of all bounds in the scene (not the floor), m. False and a unit box when nothing is drawn. */
bool render_scene_bounds(const render_scene *scene, float minimum[3], float maximum[3]);

/* ---- how it is drawn --------------------------------------------------------------------------------------------- */

typedef enum render_shading { RENDER_PHYSICAL, RENDER_PHONG } render_shading;

/* Intensity 1 shows a white surface that faces the light as white (point and spot lights: at 1 m distance). */
typedef struct render_directional {
    bool on;
    float direction[3]; /* from the light to the scene, any length */
    float colour[3];
    float intensity;
    bool shadow;
    float softness; /* m, width of the penumbra; 0: chosen from the scene's size */
} render_directional;

typedef struct render_spot {
    bool on;
    float position[3], direction[3];
    float colour[3];
    float intensity;
    float inner, outer; /* rad, half angles: full light inside inner, none outside outer */
} render_spot;

typedef struct render_point {
    bool on;
    float position[3];
    float colour[3];
    float intensity;
} render_point;

typedef struct render_ambient {
    float sky[3], ground[3]; /* sRGB of the light from the two half spaces */
    float direction[3];      /* towards the middle of the sky; tilted it acts as a soft fill light */
    float intensity;
    bool occlusion; /* ambient occlusion from a blurred sky-visibility map */
} render_ambient;

typedef struct render_floor {
    bool on;
    float height; /* m */
    float colour[3];
    bool grid;            /* lines every 0.1 and 1 m, fading with distance */
    float contact_offset; /* m, flat: the cloth's thickness */
} render_floor;

typedef struct render_overlay {
    bool legend;       /* draw the colour bar when any cloth has its overlay on */
    float low, high;   /* values shown yellow and red */
    const char *title; /* UTF-8, borrowed; "strain" */
    const char *unit;  /* "%", "N", "m/s" */
} render_overlay;

typedef struct render_label {
    float x, y; /* pixels from the top left corner of the picture */
    float size; /* pixels, height of a capital */
    float colour[3];
    const char *text; /* UTF-8 (ASCII and · ² ³ ° µ × ± − – α β ρ σ Δ); other letters show as a box */
} render_label;

typedef struct render_quality {
    int shadow_size; /* texels along the side of the shadow map, 0: no shadows. Read when it changes. */
    int shadow_taps; /* 4, 9 or 16 filtered look-ups per pixel */
    bool quick; /* light cloth of small triangles at its vertices and the floor from a light map, and reuse the sky map
                   for a few pictures: nearly the same picture for half the work */
} render_quality;

typedef struct render_view {
    camera cam;
    render_shading shading;
    float exposure; /* factor on all light */
    float background_top[3], background_bottom[3];
    float fog; /* 1/m, exponential fade to the background; 0: none */
    render_floor floor;
    float axes; /* m, length of the x, y, z axes at the origin; 0: none */
    render_directional key;
    render_spot spot;
    render_point points[4];
    render_ambient ambient;
    render_overlay overlay;
    const render_label *labels; /* borrowed */
    int label_count;
    render_quality quality;
} render_view;

/* The studio look: warm key light from the upper left, cool sky fill, seamless backdrop, floor at 0, shadows 16
 taps. */
render_view render_view_default(void);

/* The same with settings for software OpenGL in a window: smaller shadow map, 4 taps. */
render_quality render_quality_interactive(void);

/* Draws everything and finishes the picture in `target`. Leaves program, vertex array and framebuffer bindings at 0 and
   depth test, blending and culling off. False when a shader did not compile. */
bool render_draw(render *r, render_target *target, const render_scene *scene, const render_view *view,
                 render_error *error);

#endif
