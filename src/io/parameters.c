/* The parameters that only scenes have: title and length, mesh files, characters, camera, light and look. Those of the
   simulation itself are in src/world/parameters.c. */
#include <math.h>
#include <string.h>

#include "actor/figure.h"
#include "telar/io.h"
#include "world/fabric.h"

/* clang-format off */
#define COUNT(table) (int)(sizeof(table) / sizeof *(table))

/* One row each; `type` is the struct of the group, for offset and size of the field. */
#define REAL(path_, field, unit_, default_, min_, max_, help_) \
    {.path = path_, .type = TL_PARAM_REAL, .when = WHEN, .unit = unit_, .value = {default_}, .min = min_, .max = max_, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(tl_real)}
#define INT(path_, field, unit_, default_, min_, max_, help_) \
    {.path = path_, .type = TL_PARAM_INT, .when = WHEN, .unit = unit_, .value = {default_}, .min = min_, .max = max_, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(int)}
#define BOOL(path_, field, default_, help_) \
    {.path = path_, .type = TL_PARAM_BOOL, .when = WHEN, .unit = "", .value = {default_}, .min = 0, .max = 1, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(bool)}
#define VEC3(path_, field, unit_, x, y, z, min_, max_, help_) \
    {.path = path_, .type = TL_PARAM_VEC3, .when = WHEN, .unit = unit_, .value = {x, y, z}, .min = min_, .max = max_, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(tl_vec3)}
#define NAME(path_, field, names_, help_) \
    {.path = path_, .type = TL_PARAM_NAME, .when = WHEN, .unit = "", .names = names_, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(const char *)}
#define TEXT(path_, field, help_) \
    {.path = path_, .type = TL_PARAM_TEXT, .when = WHEN, .unit = "", .text = "", \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(((GROUP *)0)->field)}
#define LIST(path_, field, count_field, child_, help_) \
    {.path = path_, .type = TL_PARAM_LIST, .when = WHEN, .unit = "", .child = child_, \
     .help = help_, .offset = offsetof(GROUP, field), .size = sizeof(void *), .count_offset = offsetof(GROUP, count_field)}

/* nothing here affects a running world, except mesh files */
#define WHEN TL_PARAM_LIVE

/* metres from the origin within which cameras and lights are placed */
#define FAR 1e6

#define GROUP tl_scene_def
static const tl_param scene_table[] = {
    TEXT("title", title, "Name of the scene in lists and window titles."),
    TEXT("description", description, "What happens in the scene, in a sentence or two."),
    INT("frames", frames, "", 300, 1, 10000000, "Length of the clip in frames."),
    REAL("fps", fps, "1/s", 60, 1, 10000, "Frames per second of simulated time; one step of the world is one frame."),
};
const tl_param_group tl_scene_params = {"scene", "The clip as a whole.", scene_table, COUNT(scene_table), sizeof(GROUP), NULL, NULL};
#undef GROUP

#define GROUP tl_camera_key_def
static const tl_param camera_key_table[] = {
    REAL("time", time, "s", 0, 0, FAR, "Time of the key."),
    VEC3("position", position, "m", 2.4, 1.8, 3.2, -FAR, FAR, "Position of the camera at that time."),
    VEC3("target", target, "m", 0, 0.6, 0, -FAR, FAR, "What it looks at."),
};
const tl_param_group tl_camera_key_params = {"key", "A keyframe of the camera's path.", camera_key_table,
                                             COUNT(camera_key_table), sizeof(GROUP), NULL, NULL};
#undef GROUP

static const char *const camera_paths[] = {"still", "orbit", "keys", NULL};
#define GROUP tl_camera_def
static const tl_param camera_table[] = {
    VEC3("position", position, "m", 2.4, 1.8, 3.2, -FAR, FAR, "Position of the camera."),
    VEC3("target", target, "m", 0, 0.6, 0, -FAR, FAR, "Point in the middle of the picture."),
    BOOL("frame", frame, 1, "Whether the camera is placed so that all cloths and bodies are in the picture at the start; setting position or target switches it off."),
    REAL("field_of_view", field_of_view, "°", 40, 1, 160, "Vertical field of view."),
    NAME("path", path, camera_paths, "How the camera moves: not at all, around its target, or along its keys."),
    REAL("turns", turns, "", 1, -100, 100, "Turns of an orbit over the whole clip; negative turns go clockwise seen from above."),
    LIST("key", keys, key_count, &tl_camera_key_params, "Places of the camera over time, for the path \"keys\"."),
};

/* Setting position or target switches framing off; switching it on takes them back. */
static void camera_changed(void *camera, const tl_param *param)
{
    tl_camera_def *def = camera;
    if (strcmp(param->path, "position") == 0 || strcmp(param->path, "target") == 0)
        def->frame = false;
    if (strcmp(param->path, "frame") != 0 || !def->frame)
        return;
    tl_value position = tl_param_default(&camera_table[0]), target = tl_param_default(&camera_table[1]);
    def->position = (tl_vec3){(tl_real)position.number[0], (tl_real)position.number[1], (tl_real)position.number[2]};
    def->target = (tl_vec3){(tl_real)target.number[0], (tl_real)target.number[1], (tl_real)target.number[2]};
}
const tl_param_group tl_camera_params = {"camera", "The view.", camera_table, COUNT(camera_table), sizeof(GROUP), camera_changed, NULL};
#undef GROUP

#define GROUP tl_point_light_def
static const tl_param point_light_table[] = {
    BOOL("on", on, 1, "Whether the light shines."),
    VEC3("position", position, "m", 1.5, 2.5, 1.5, -FAR, FAR, "Position of the light."),
    VEC3("color", color, "", 1, 0.9, 0.78, 0, 1, "Linear red, green and blue of the light."),
    REAL("intensity", intensity, "", 4, 0, 1000, "Brightness one metre away, relative to the sun at intensity 1."),
};
const tl_param_group tl_point_light_params = {"point", "A point light.", point_light_table, COUNT(point_light_table),
                                              sizeof(GROUP), NULL, NULL};
#undef GROUP

#define GROUP tl_light_def
static const tl_param light_table[] = {
    BOOL("sun.on", sun, 1, "Whether the sun shines."),
    BOOL("shadows", shadows, 1, "Whether sun and spot cast shadows."),
    VEC3("sun.direction", sun_direction, "", 0.5, 1, 0.35, -1, 1, "Direction towards the sun, of any length."),
    VEC3("sun.color", sun_color, "", 1, 0.95, 0.87, 0, 1, "Linear red, green and blue of the sun."),
    REAL("sun.intensity", sun_intensity, "", 3, 0, 1000, "Brightness of the sun."),
    BOOL("spot.on", spot, 0, "Whether the spot light shines."),
    VEC3("spot.position", spot_position, "m", -2, 3.5, 2, -FAR, FAR, "Position of the spot light."),
    VEC3("spot.target", spot_target, "m", 0, 0.5, 0, -FAR, FAR, "The point in the middle of the spot."),
    VEC3("spot.color", spot_color, "", 0.82, 0.9, 1, 0, 1, "Linear red, green and blue of the spot light."),
    REAL("spot.angle", spot_angle, "°", 35, 1, 170, "Full opening angle of the spot's cone."),
    REAL("spot.intensity", spot_intensity, "", 20, 0, 10000, "Brightness of the spot one metre away."),
    REAL("ambient", ambient, "", 0.25, 0, 10, "Brightness of the ambient light."),
    LIST("point", points, point_count, &tl_point_light_params, "Point lights, of which at most four are drawn."),
};
const tl_param_group tl_light_params = {"light", "The lights.", light_table, COUNT(light_table), sizeof(GROUP), NULL, NULL};
#undef GROUP

static const char *const cloth_looks[] = {"fabric", "curves", "plain", "wireframe", NULL};
static const char *const shadings[] = {"physical", "phong", NULL};
static const char *const weaves[] = {"plain", "twill", "satin", NULL};
static const char *const overlays[] = {"none", "force", "strain", "speed", "contact", "intersections", NULL};
#define GROUP tl_look_def
static const tl_param look_table[] = {
    NAME("cloth", cloth, cloth_looks, "How cloth is drawn: woven fabric, thread curves, one plain colour, or its edges."),
    NAME("shading", shading, shadings, "Reflection model: physically based or Phong."),
    NAME("overlay", overlay, overlays, "A measured quantity shown as colour on the cloth; intersections are triangles that intersect others."),
    BOOL("fabric_color", fabric_color, 1, "Whether cloth of a named fabric shows that fabric's colour and sheen; setting either of them switches it off."),
    VEC3("cloth_color", cloth_color, "", 0.04, 0.37, 0.42, 0, 1, "sRGB colour of the cloth."),
    VEC3("second_color", second_color, "", 0.93, 0.90, 0.83, 0, 1, "sRGB colour of the curves and stripes."),
    NAME("weave", weave, weaves, "Weave of the fabric."),
    REAL("sheen", sheen, "", 0.3, 0, 1, "Glow of the fibres at grazing angles: cotton 0.3, velvet 1."),
    REAL("stripes", stripes, "m", 0, 0, 10, "Width of stripes in the second colour; 0 for none."),
    VEC3("body_color", body_color, "", 0.82, 0.78, 0.72, 0, 1, "sRGB colour of the bodies."),
    TEXT("texture", texture, "Image file on the cloth, relative to the scene file; empty for the procedural weave."),
    BOOL("floor_grid", floor_grid, 1, "Whether planes show a grid of one metre."),
    BOOL("axes", axes, 0, "Whether the axes of the world are drawn at the origin."),
    BOOL("fog", fog, 1, "Whether the distance fades into the background."),
};

/* Setting a colour or sheen switches the fabric's own off. */
static void look_changed(void *look, const tl_param *param)
{
    if (strcmp(param->path, "cloth_color") == 0 || strcmp(param->path, "sheen") == 0)
        ((tl_look_def *)look)->fabric_color = false;
}
const tl_param_group tl_look_params = {"look", "How things are drawn.", look_table, COUNT(look_table), sizeof(GROUP), look_changed, NULL};
#undef GROUP

#undef WHEN
#define WHEN TL_PARAM_REBUILD
static const char *const rest_sources[] = {"shape", "uv", NULL};
#define GROUP tl_mesh_source_def
static const tl_param mesh_source_table[] = {
    TEXT("file", file, "Mesh file, relative to the scene file; # stands for the numbers of a sequence of files, the animated shapes of a body; bunny, lobed, reef-left, reef-right are meshes by name; empty for a grid."),
    NAME("rest", rest, rest_sources, "Unstrained shape: the mesh as it is, or its texture coordinates as a flat pattern."),
    REAL("uv_scale", uv_scale, "m", 1, 1e-6, 1e6, "Length of one unit of texture coordinate, when they are the rest shape."),
    REAL("weld", weld, "m", 0, 0, 1, "Vertices closer than this become one particle; 0 joins identical positions only."),
    BOOL("repair", repair, 0, "Whether degenerate and duplicate faces and isolated vertices are dropped, and windings made consistent, instead of reporting them."),
    REAL("scale", scale, "", 1, 1e-6, 1e6, "Factor on the positions of the file, to bring them to metres."),
};
const tl_param_group tl_mesh_source_params = {"mesh", "A mesh file, instead of a cloth's grid or for a body of shape mesh.", mesh_source_table,
                                              COUNT(mesh_source_table), sizeof(GROUP), NULL, NULL};
#undef GROUP

static const char *const lattices[] = {"triangles", "squares", NULL};
#define GROUP tl_scene_garment_def
static const tl_param garment_table[] = {
    TEXT("pattern", pattern, "Sewing pattern: a file, relative to the scene file, or a draft to the character's measures, such as skirt."),
    REAL("edge", edge, "m", 0.02, 0.002, 0.2, "Side of the triangles that panels are meshed with."),
    NAME("lattice", lattice, lattices, "Arrangement of the particles inside panels."),
    {.path = "fabric", .type = TL_PARAM_NAME, .when = WHEN, .unit = "", .names = tl_fabric_name_list, .text = "interlock",
     .help = "Measured fabric of the panels that name none themselves.", .offset = offsetof(GROUP, fabric), .size = sizeof(const char *)},
    REAL("thickness", thickness, "m", 0.004, 0.0005, 0.02, "Distance kept from the body."),
    REAL("gap", gap, "m", 0, 0, 0.02, "Distance kept between layers of cloth; 0 is half the thickness."),
};
const tl_param_group tl_scene_garment_params = {"garment", "A garment that a character wears, over those before it in the list.",
                                                garment_table, COUNT(garment_table), sizeof(GROUP), NULL, NULL};
#undef GROUP

#define GROUP tl_scene_character_def
static const tl_param character_table[] = {
    TEXT("label", label, "Name shown to people."),
    NAME("figure", figure, tl_figure_name_list, "Figure that is made to the measures."),
    TEXT("mesh", mesh, "File of a closed mesh in metres that is worn on instead of a figure, relative to the scene file; empty for the figure."),
    REAL("edge", edge, "m", 0.025, 0.004, 0.06, "Side of the triangles of a figure's skin."),
    VEC3("position", position, "m", 0, 0, 0, -FAR, FAR, "Where it stands; figures face +z."),
    REAL("friction", friction, "", 0.5, 0.01, 10, "Friction of its skin, multiplied with the cloth's."),
    LIST("garment", garments, garment_count, &tl_scene_garment_params, "What it wears, from the skin outwards."),
};
const tl_param_group tl_scene_character_params = {"character", "A body that wears garments, dressed when the scene is built; after the bodies and cloths of the scene, it adds a body and a cloth for each garment to the world.",
                                                  character_table, COUNT(character_table), sizeof(GROUP), NULL, NULL};
#undef GROUP
/* clang-format on */
