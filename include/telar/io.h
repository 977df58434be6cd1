/* Scene files, mesh files and caches (libtelar-io). All untrusted bytes enter here: any input gives an object or an
   error with file, place and reason. `tl_error *` may be NULL everywhere; other pointers must not be NULL unless a
   comment allows it. Everything here uses the C library's heap. */
#ifndef TELAR_IO_H
#define TELAR_IO_H

#include "telar/telar.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- scenes ------------------------------------------------------------------------------------------------- */

/* A scene is the definition of a world with a camera and lights: what a scene file holds and the studio's panels edit.
   Building it creates a world; the scene remains and can be changed, saved and built again. */
typedef struct tl_scene tl_scene;

typedef struct tl_camera_key_def {
    tl_real time;             /* s */
    tl_vec3 position, target; /* m */
} tl_camera_key_def;

typedef struct tl_camera_def {
    tl_vec3 position, target; /* m */
    bool frame;               /* neither was set: pictures show all cloths and bodies of the starting state */
    tl_real field_of_view;    /* degrees, vertical */
    const char *path;         /* "still", "orbit", "keys" */
    tl_real turns;            /* 1; turns of an orbit over the whole clip */
    const tl_camera_key_def *keys;
    int key_count;
} tl_camera_def;

typedef struct tl_point_light_def {
    bool on;
    tl_vec3 position; /* m */
    tl_vec3 color;    /* linear, 0…1 */
    tl_real intensity;
} tl_point_light_def;

typedef struct tl_light_def {
    bool sun, shadows;
    tl_vec3 sun_direction; /* towards the sun, any length above 0 */
    tl_vec3 sun_color;
    tl_real sun_intensity;
    bool spot;
    tl_vec3 spot_position, spot_target, spot_color;
    tl_real spot_angle; /* degrees, full cone */
    tl_real spot_intensity;
    tl_real ambient;
    const tl_point_light_def *points; /* NULL when point_count is 0; only the first four are drawn */
    int point_count;
} tl_light_def;

typedef struct tl_look_def {
    const char *cloth;                             /* "fabric", "curves", "plain", "wireframe" */
    const char *shading;                           /* "physical", "phong" */
    bool fabric_color;                             /* cloth of a named fabric takes that fabric's colour and sheen */
    const char *overlay;                           /* "none", "force", "strain", "speed", "contact", "intersections" */
    tl_vec3 cloth_color, second_color, body_color; /* sRGB, 0…1 */
    const char *weave;                             /* "plain", "twill", "satin" */
    tl_real sheen;                                 /* 0…1, glow of fibres at grazing angles */
    tl_real stripes;                               /* m, width of stripes of the second colour; 0: none */
    char texture[256];                             /* image file relative to the scene; "" for the procedural weave */
    bool floor_grid, axes, fog;
} tl_look_def;

typedef struct tl_scene_def {
    char title[96], description[512];
    int frames;
    tl_real fps; /* frames per second */
} tl_scene_def;

/* How a scene file names the mesh of a cloth, in addition to tl_cloth_def. */
typedef struct tl_mesh_source_def {
    char file[256];   /* relative to the scene file; "" for a grid */
    const char *rest; /* "shape", "uv" */
    tl_real uv_scale; /* m per unit of texture coordinate */
    tl_real weld;     /* m, as tl_mesh_def.weld_distance */
    bool repair;
    tl_real scale; /* m per unit of the file's positions */
} tl_mesh_source_def;

/* A garment on a character. */
typedef struct tl_scene_garment_def {
    char pattern[256]; /* file relative to the scene file, or one of tl_pattern_drafts() */
    tl_real edge;      /* m, of the triangles */
    const char *lattice, *fabric;
    tl_real thickness; /* m, distance kept from the body */
    tl_real gap;       /* m, between layers of cloth; 0: half the thickness */
} tl_scene_garment_def;

/* A body and what it wears, from the skin outwards. Its measures, tl_measures, are an object of their own beside it. */
typedef struct tl_scene_character_def {
    char label[64];
    const char *figure; /* tl_figure_names() */
    char mesh[256];     /* closed mesh instead of a figure, relative to the scene file; "": the figure */
    tl_real edge;       /* m, of the figure's triangles */
    tl_vec3 position;   /* m */
    tl_real friction;   /* 1; multiplied with the cloth's */
    const tl_scene_garment_def *garments;
    int garment_count;
} tl_scene_character_def;

extern const tl_param_group tl_scene_params, tl_camera_params, tl_camera_key_params, tl_light_params,
    tl_point_light_params, tl_look_params, tl_mesh_source_params, tl_scene_character_params, tl_scene_garment_params;

/* Reads a scene file; the caller owns the scene. NULL on error; the message reads "file:line: path: reason". A name
   that is no file is looked up among the scenes that come with Telar ("s2/sphere" → scenes/s2/sphere.json, "" → the
   default scene). tl_scene_parse takes the text itself; `file_name` is used in messages and to find mesh and texture
   files. */
tl_scene *tl_scene_load(const char *name, tl_error *error);
tl_scene *tl_scene_parse(const char *json, size_t length, const char *file_name, tl_error *error);
tl_scene *tl_scene_create(void);        /* gravity, no cloth, no bodies; NULL when memory is short */
void tl_scene_destroy(tl_scene *scene); /* and its world; NULL is allowed */
tl_result tl_scene_save(const tl_scene *scene, const char *file_name,
                        tl_error *error); /* writes only what differs from the defaults */

/* As tl_scene_load, but reads on after a fault: `fault` (may be NULL) is called for each, in the order of their lines,
   with "file:line: path: reason", at most 100 times; `error` has the first that was found. *count (may be NULL) is the
   number of all faults. */
typedef void tl_scene_fault(void *user, const char *message);
tl_scene *tl_scene_load_checked(const char *name, tl_scene_fault *fault, void *user, int *count, tl_error *error);
tl_scene *tl_scene_parse_checked(const char *json, size_t length, const char *file_name, tl_scene_fault *fault,
                                 void *user, int *count, tl_error *error);

/* Rewrites renamed parameters and values in a scene file of an earlier version; the rest of its text stays. `changed`
   (may be NULL) is called once per change after the new file is in place, with the line, the old and the new text.
   TL_ERROR_FILE: it cannot be written; TL_ERROR_INPUT: it does not exist, or is not a scene even after the renames. On
   error the file is unchanged. */
typedef void tl_scene_change(void *user, int line, const char *before, const char *after);
tl_result tl_scene_upgrade(const char *file_name, tl_scene_change *changed, void *user, tl_error *error);

/* Full paths: "scene.frames", "world.gravity", "wind.velocity", "cloth[0].density", "cloth[0].mesh.file",
   "body[1].key[0].time", "camera.position". Setting checks type and range. When the scene has been built and the
   parameter is live, the running world changes at once; *rebuild (may be NULL) says whether the world must be built
   again. `text` of tl_scene_get takes `size` bytes, the closing zero included. */
tl_result tl_scene_set(tl_scene *scene, const char *path, const char *text, bool *rebuild, tl_error *error);
tl_result tl_scene_get(const tl_scene *scene, const char *path, char *text, size_t size, tl_error *error);

/* Enumerates the objects of a scene, for panels, in the order scene, world, wind, cloth[i], cloth[i].mesh,
   cloth[i].pin[j], body[i], body[i].key[j], character[i], character[i].measures, character[i].garment[j], camera,
   camera.key[j], light, light.point[j], look. */
typedef struct tl_scene_object {
    char path[64]; /* "cloth[0]" */
    const tl_param_group *group;
    const void *object; /* a struct of that group; valid until the scene changes */
} tl_scene_object;
int tl_scene_object_count(const tl_scene *scene);
tl_scene_object tl_scene_object_at(const tl_scene *scene, int index); /* cost: linear in the index */

/* The text of its scene file, zero-terminated, on the heap: only what differs from the defaults. *length is without the
   zero. NULL when memory is short. */
char *tl_scene_text(const tl_scene *scene, size_t *length);

/* Adds and removes list entries ("body", "cloth", "cloth[0].pin"). */
tl_result tl_scene_add(tl_scene *scene, const char *list, tl_error *error);
tl_result tl_scene_remove(tl_scene *scene, const char *entry, tl_error *error);

/* Receives what worlds of this scene log, from the next build on; NULL: silent, the default. */
void tl_scene_set_log(tl_scene *scene, void (*log)(void *user, const char *message), void *user);

/* Dressing the characters of a scene while it is built. Called after every frame of dressing, on the thread that
   builds; false stops the build with an error. Garments that come out of the cache are not reported. */
typedef struct tl_scene_dressing {
    const char *label;  /* of the garment: "ana: skirt" */
    int garment, count; /* index of this one among all garments of the scene, and their number */
    tl_dress_report report;
} tl_scene_dressing;
typedef bool tl_scene_progress(void *user, const tl_scene_dressing *dressing);
void tl_scene_set_progress(tl_scene *scene, tl_scene_progress *progress, void *user); /* NULL: none, the default */
/* Whether worn garments are kept for later builds, as tl_garment_dress_kept does; they are by default. */
void tl_scene_set_cache(tl_scene *scene, bool on);

/* Creates the world of the scene, replacing and destroying the earlier one. The world belongs to the scene. NULL on
   error. */
tl_world *tl_scene_build(tl_scene *scene, tl_error *error);
/* As tl_scene_build, but calls `fault` (may be NULL) for each cloth and body that cannot be built, and not for the
   first only. *count (may be NULL) is their number. */
tl_world *tl_scene_build_checked(tl_scene *scene, tl_scene_fault *fault, void *user, int *count, tl_error *error);
/* Creates in the running world the bodies that were added to the scene since it was built, without building it again. A
   body that is refused is removed from the scene, with those after it. TL_ERROR_UNSUPPORTED when cloth was added or
   something was removed, or when the scene has characters. */
tl_result tl_scene_extend(tl_scene *scene, tl_error *error);
tl_world *tl_scene_world(const tl_scene *scene); /* NULL before the first build */

/* The file the scene was loaded from and its folder with the closing slash; both "" when there is none; owned by the
   scene. Texture and mesh files are relative to the folder. */
const char *tl_scene_file(const tl_scene *scene);
const char *tl_scene_folder(const tl_scene *scene);

/* Owned by the scene; valid until it changes. */
const tl_scene_def *tl_scene_info(const tl_scene *scene);
const tl_camera_def *tl_scene_camera(const tl_scene *scene);
const tl_light_def *tl_scene_light(const tl_scene *scene);
const tl_look_def *tl_scene_look(const tl_scene *scene);

/* Scenes that come with Telar, sorted by name; NULL on error. The caller frees the list with tl_scene_list_free. Cost:
   opens every scene file. */
typedef struct tl_scene_entry {
    char name[64], title[96], description[512];
} tl_scene_entry;
tl_scene_entry *tl_scene_list(int *count, tl_error *error);
void tl_scene_list_free(tl_scene_entry *entries);

/* JSON schema of scene files, generated from the parameter table; returns the length as snprintf does. */
size_t tl_scene_schema(char *buffer, size_t size);

/* ---- meshes ------------------------------------------------------------------------------------------------- */

/* Reads a mesh file: OBJ directly, every other format through assimp when the build has it. The caller owns the mesh
   (tl_mesh_destroy). NULL on error. `source` may be NULL for defaults; its `file` is ignored. Vertices keep the order
   of the file; in an OBJ, a v with several vt (a texture seam) gets additional vertices after the last v, which weld to
   the same particle. */
tl_mesh *tl_mesh_load(const char *file_name, const tl_mesh_source_def *source, tl_error *error);

/* File of the mesh "bunny" when a package provides it (Debian's glmark2-data or npm's bunny), else NULL: the name then
   means a procedural lobed body. The string is static. */
const char *tl_mesh_bunny(void);

/* One OBJ with all cloths (objects cloth0 …), positions, texture coordinates, normals. */
tl_result tl_write_obj(const tl_world *world, const char *file_name, tl_error *error);

/* ---- sewing patterns ----------------------------------------------------------------------------------------- */

/* Reads a pattern in GarmentCode's JSON, with Telar's additions under "telar" keys, and the files of its parts, which
   become panels "part/panel". The caller owns the pattern. NULL on error; the message reads "file:line: panel, edge:
   reason". tl_pattern_parse takes the text itself; `file_name` is used in messages and to find parts. */
tl_pattern *tl_pattern_load(const char *file_name, tl_error *error);
tl_pattern *tl_pattern_parse(const char *json, size_t length, const char *file_name, tl_error *error);

/* Writes a pattern as such a file, which reads back as the same pattern. */
tl_result tl_pattern_save(const tl_pattern *pattern, const char *file_name, tl_error *error);

/* Panels of other formats. SVG: every path, polygon, polyline and rectangle is a panel named by its id; further
   subpaths are holes; data-seam="a b - c" has a word for each edge: edges with one word are sewn. DXF in the layers of
   AAMA and ASTM D6673: blocks are panels, layer 14 or else 1 their outline, 7 grain, 8 internal lines, 11 cutouts, 2
   turn points. Both say nothing of places in space: panels are put before and, where their name has "back", behind the
   figure. NULL on error, with "file:line: reason". The parse variants take the text itself. */
tl_pattern *tl_pattern_import(const char *file_name, tl_error *error); /* by the file's ending */
tl_pattern *tl_pattern_parse_svg(const char *text, size_t length, const char *file_name, tl_error *error);
tl_pattern *tl_pattern_parse_dxf(const char *text, size_t length, const char *file_name, tl_error *error);

/* A mesh with texture coordinates, an OBJ file, back to a pattern: islands are panels, placed where they are, and
   borders that share their places in space are seams. Texture coordinates are metres when that nearly agrees with the
   mesh, else they are scaled to its area. NULL on error. */
tl_pattern *tl_pattern_flatten(const char *file_name, tl_error *error);

/* As tl_garment_dress, but a garment that was dressed before, with the same tl_garment_key, takes that state, bit for
   bit, from the user's cache folder ($XDG_CACHE_HOME/telar, else $HOME/.cache/telar), and others leave theirs there
   unless they cross something. Files that are damaged are made again; without such a folder every garment is dressed.
   *kept (may be NULL) says whether it was there. */
tl_result tl_garment_dress_kept(tl_garment *garment, const tl_dress_def *def, tl_dress_report *report, bool *kept);

/* Reads measures, a JSON object with their names ({"height": 1.68, "bust": 0.92}), over those that *measures holds. */
tl_result tl_measures_load(const char *file_name, tl_measures *measures, tl_error *error);

/* ---- glTF: a clip of all cloths and bodies as one binary file, kept in memory until it is written --------------- */

typedef struct tl_glb tl_glb;

/* Starts a clip with the present state of a scene's world as its first frame. Bodies that are off are left out; colours
   are those of the scene's look. The scene must not be built again while the clip is recorded. NULL on error. */
tl_glb *tl_glb_create(const tl_scene *scene, tl_error *error);
/* Adds the present state as the next frame, at the world's time. Frames of a cloth that lie between others on straight
   lines, to 1/800 of its size, are left out: readers interpolate them. Memory: 24 bytes per vertex of each that is
   kept. */
tl_result tl_glb_add(tl_glb *glb, tl_error *error);
/* The clip so far, as a file or as bytes on the heap, which the caller frees with free(); NULL on error. The frame
   added last is then kept, and recording may go on. */
tl_result tl_glb_save(tl_glb *glb, const char *file_name, tl_error *error);
unsigned char *tl_glb_bytes(tl_glb *glb, size_t *size, tl_error *error);
void tl_glb_destroy(tl_glb *glb); /* NULL is allowed */

/* ---- caches: vertex animation of one cloth per file, readable after an interrupted run ----------------------- */

typedef struct tl_cache tl_cache;
typedef enum tl_cache_format { TL_CACHE_PC2, TL_CACHE_MDD } tl_cache_format;

/* NULL on error, also while another process is writing the file. `expected_frames` may be wrong, 0 is unknown: until it
   is closed, the header of an MDD counts at least half of the frames in the file, and lacks at most about a quarter of
   those expected. `positions` has vertex_count entries, in metres. */
tl_cache *tl_cache_create(const char *file_name, tl_cache_format format, int vertex_count, int expected_frames,
                          tl_real fps, tl_error *error);
tl_result tl_cache_add(tl_cache *cache, const tl_vec3 *positions,
                       tl_error *error); /* on return the frame is in the file */
tl_result tl_cache_close(tl_cache *cache,
                         tl_error *error); /* finishes the header and frees the cache, also on error; NULL is allowed */

/* Reads a whole cache into memory; the caller frees it with tl_cache_free. */
typedef struct tl_cache_data {
    int vertex_count, frame_count;
    float fps;        /* 0 when the file does not store it (PC2 never does) */
    float *positions; /* x, y, z per vertex, frame after frame */
} tl_cache_data;
tl_result tl_cache_read(const char *file_name, tl_cache_data *data, tl_error *error);
void tl_cache_free(tl_cache_data *data);

#ifdef __cplusplus
}
#endif

#endif
