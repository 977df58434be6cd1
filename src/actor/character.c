/* Characters: a skin with joints and parts, from a figure or from any closed mesh. */
#include "telar/character.h"

#include "actor/figure.h"
#include "actor/isosurface.h"
#include "core/vec.h"
#include "mesh/mesh.h"

#include <math.h>
#include <string.h>

/* m; edge of the skin's triangles, and of the grid it is cut out of, by the figure's height. */
static const tl_real STANDARD_EDGE = (tl_real)0.025;
static const double GRID = 0.008, DOG_HEIGHT = 0.6;
/* m; edges from which a body still has hands, and up to which a character has memory. */
static const tl_real LONGEST_EDGE = (tl_real)0.06, SHORTEST_EDGE = (tl_real)0.004;

struct tl_character {
    tl_allocator allocator;
    tl_mesh *mesh;
    unsigned char *part; /* per vertex; NULL without joints */
    tl_vec3 *axis;       /* m, place on the bones that a vertex thins towards; NULL without joints */
    tl_joint joint[TL_FIGURE_JOINTS];
    int joint_count;
    tl_measures measures, achieved;
};

const char *const tl_figure_name_list[] = {"human", "child", "dog", NULL};
const char *const *tl_figure_names(void) { return tl_figure_name_list; }

tl_measures tl_figure_measures(const char *figure)
{
    tl_measures m = {0};
    if (figure && strcmp(figure, "child") == 0)
        m = (tl_measures){.height = (tl_real)1.16,
                          .head_l = (tl_real)0.225,
                          .bust = (tl_real)0.60,
                          .underbust = (tl_real)0.585,
                          .waist = (tl_real)0.55,
                          .hips = (tl_real)0.63,
                          .leg_circ = (tl_real)0.355,
                          .neck = (tl_real)0.265,
                          .neck_w = (tl_real)0.125,
                          .shoulder_w = (tl_real)0.265,
                          .vert_bust_line = (tl_real)0.158,
                          .waist_line = (tl_real)0.265,
                          .hips_line = (tl_real)0.135};
    if (figure && strcmp(figure, "dog") == 0) {
        m.height = (tl_real)DOG_HEIGHT;
        return m;
    }
    tl_measures_complete(&m);
    return m;
}

void tl_character_destroy(tl_character *character)
{
    if (!character)
        return;
    tl_allocator allocator = character->allocator;
    tl_mesh_destroy(character->mesh);
    tl_release(&allocator, character->part);
    tl_release(&allocator, character->axis);
    tl_release(&allocator, character);
}

/* Part of a place, and the place on the bones it belongs to: means over the primitives, the near ones counting most, so
   that thinned skin stays smooth. */
static void attach(const tl_character *character, const tl_field *field, tl_point3 p, unsigned char *part,
                   tl_vec3 *axis)
{
    double nearest = 1e9, weights = 0;
    tl_point3 sum = tl_p3(0, 0, 0);
    for (int k = 0; k < field->count; ++k) {
        const tl_primitive *primitive = &field->primitive[k];
        double off = fmax(tl_primitive_at(primitive, p), 0);
        if (off < nearest) {
            nearest = off;
            *part = (unsigned char)primitive->part;
        }
        off += 0.006;
        double weight = 1 / (off * off * off);
        const tl_joint *joint = &character->joint[primitive->joint];
        tl_point3 a, b;
        if (primitive->kind == TL_PRIMITIVE_LOFT) { /* the trunk: straight up through all of its bones */
            a = tl_p3(0, primitive->section[0].y, 0);
            b = tl_p3(0, primitive->section[primitive->section_count - 1].y, 0);
        } else {
            a = tl_p3((double)joint->position.x, (double)joint->position.y, (double)joint->position.z);
            b = tl_p3((double)joint->tip.x, (double)joint->tip.y, (double)joint->tip.z);
            if (primitive->kind == TL_PRIMITIVE_ELLIPSOID && primitive->part == TL_BODY_PART_TORSO)
                a = b = tl_p3(0, p.y, 0); /* seat and bust */
        }
        tl_point3 d = tl_p3_sub(b, a);
        double square = tl_p3_dot(d, d), t = square > 0 ? tl_p3_dot(tl_p3_sub(p, a), d) / square : 0;
        t = t < 0 ? 0 : t > 1 ? 1 : t;
        sum = tl_p3_madd(sum, tl_p3_madd(a, d, t), weight);
        weights += weight;
    }
    *axis = tl_v3((tl_real)(sum.x / weights), (tl_real)(sum.y / weights), (tl_real)(sum.z / weights));
}

/* Mesh, parts and axes from the skin of a figure. */
static tl_result take_skin(tl_character *character, const tl_skin *skin, const tl_field *field, tl_error *error)
{
    const tl_allocator *allocator = &character->allocator;
    tl_vec3 *positions = tl_allocate(allocator, (size_t)skin->count, sizeof *positions);
    character->part = tl_allocate(allocator, (size_t)skin->count, 1);
    character->axis = tl_allocate(allocator, (size_t)skin->count, sizeof *character->axis);
    if (!positions || !character->part || !character->axis) {
        tl_release(allocator, positions);
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for a skin of %d vertices", skin->count);
    }
    for (int v = 0; v < skin->count; ++v) {
        tl_point3 p = skin->x[v];
        positions[v] = tl_v3((tl_real)p.x, (tl_real)p.y, (tl_real)p.z);
        attach(character, field, p, &character->part[v], &character->axis[v]);
    }
    tl_mesh_def def = {.positions = positions,
                       .vertex_count = skin->count,
                       .triangles = &skin->face[0][0],
                       .triangle_count = skin->face_count};
    character->mesh = tl_mesh_create(&def, allocator, error);
    tl_release(allocator, positions);
    return character->mesh ? TL_OK : TL_ERROR_INPUT;
}

static tl_result make_skin(tl_character *character, tl_figure *figure, double edge, double height, tl_error *error)
{
    tl_skin skin;
    bool made = tl_isosurface(&skin, &figure->field, fmin(0.75 * edge, GRID * height), &character->allocator) &&
                tl_remesh(&skin, &figure->field, edge);
    tl_result result = made ? take_skin(character, &skin, &figure->field, error)
                            : tl_fail(error, TL_ERROR_MEMORY, "no memory for a skin of %g m edges", edge);
    tl_skin_destroy(&skin);
    return result;
}

/* Whether measures can be those of a body: girths that fit into each other and levels in order. */
static tl_result check(const tl_measures *m, tl_error *error)
{
    for (int k = 0; k < tl_measures_params.count; ++k) {
        const tl_param *param = &tl_measures_params.params[k];
        tl_value value = tl_param_get(param, m);
        tl_measures copy = *m;
        if (tl_param_set(&tl_measures_params, param, &copy, &value, "measures", error) != TL_OK)
            return TL_ERROR_INPUT;
    }
    if (m->height < (tl_real)0.5)
        return tl_fail(error, TL_ERROR_INPUT, "measures.height: %g m is below 0.5 m", (double)m->height);
    double h = (double)m->height, levels = (double)(m->head_l + m->waist_line + m->hips_line + m->crotch_hip_diff);
    if (levels > 0.75 * h)
        return tl_fail(error, TL_ERROR_INPUT, "measures: head, back, hips and crotch leave %.2f m of %.2f m for legs",
                       h - levels, h);
    if (m->vert_bust_line >= m->waist_line)
        return tl_fail(error, TL_ERROR_INPUT, "measures.vert_bust_line: the bust is below the waist");
    if (m->leg_circ > (tl_real)0.8 * m->hips || m->neck > (tl_real)0.8 * m->bust || m->wrist > (tl_real)0.8 * m->neck)
        return tl_fail(error, TL_ERROR_INPUT, "measures: the girth of %s is too large for that of %s",
                       m->leg_circ > (tl_real)0.8 * m->hips ? "a thigh"
                       : m->neck > (tl_real)0.8 * m->bust   ? "the neck"
                                                            : "a wrist",
                       m->leg_circ > (tl_real)0.8 * m->hips ? "the hips"
                       : m->neck > (tl_real)0.8 * m->bust   ? "the bust"
                                                            : "the neck");
    return TL_OK;
}

static tl_result make_figure(tl_character *character, const tl_character_def *def, tl_error *error)
{
    const char *name = def->figure ? def->figure : tl_figure_name_list[0];
    tl_real edge = def->edge > 0 ? def->edge : STANDARD_EDGE;
    if (!(edge >= SHORTEST_EDGE && edge <= LONGEST_EDGE))
        return tl_fail(error, TL_ERROR_INPUT, "edge: %g m is not within %g … %g m", (double)edge, (double)SHORTEST_EDGE,
                       (double)LONGEST_EDGE);
    tl_figure *figure = tl_allocate(&character->allocator, 1, sizeof *figure);
    if (!figure)
        return tl_fail(error, TL_ERROR_MEMORY, "no memory for a figure");
    tl_measures measures = def->measures ? *def->measures : tl_figure_measures(name);
    tl_result result = TL_OK;
    if (strcmp(name, "dog") == 0) {
        measures.height = measures.height > 0 ? measures.height : (tl_real)DOG_HEIGHT;
        tl_figure_dog(figure, (double)measures.height);
        character->measures = character->achieved = (tl_measures){.height = measures.height};
    } else {
        if (strcmp(name, "child") == 0 && !(measures.height > 0))
            measures.height = tl_figure_measures(name).height;
        tl_measures_complete(&measures);
        result = check(&measures, error);
        if (result == TL_OK)
            tl_figure_human(figure, &measures);
        character->measures = measures;
        character->achieved = figure->achieved;
    }
    memcpy(character->joint, figure->joint, sizeof character->joint);
    character->joint_count = figure->joint_count;
    if (result == TL_OK)
        result = make_skin(character, figure, (double)edge, (double)measures.height, error);
    tl_release(&character->allocator, figure);
    return result;
}

static tl_character *allocate(const tl_allocator *allocator, tl_error *error)
{
    tl_allocator own = tl_allocator_or_default(allocator);
    tl_character *character = tl_allocate(&own, 1, sizeof *character);
    if (!character) {
        tl_fail(error, TL_ERROR_MEMORY, "no memory for a character");
        return NULL;
    }
    character->allocator = own;
    return character;
}

tl_character *tl_character_create(const tl_character_def *def, const tl_allocator *allocator, tl_error *error)
{
    const char *name = def->figure ? def->figure : tl_figure_name_list[0];
    bool known = false;
    for (int k = 0; tl_figure_name_list[k]; ++k)
        known |= strcmp(name, tl_figure_name_list[k]) == 0;
    if (!known) {
        const char *nearest = tl_nearest_name(name, tl_figure_name_list);
        tl_fail(error, TL_ERROR_INPUT, "figure: there is no '%s'%s%s%s", name, nearest ? "; did you mean '" : "",
                nearest ? nearest : "", nearest ? "'?" : "");
        return NULL;
    }
    tl_character *character = allocate(allocator, error);
    if (character && make_figure(character, def, error) != TL_OK) {
        tl_character_destroy(character);
        return NULL;
    }
    return character;
}

tl_character *tl_character_create_mesh(const tl_mesh *mesh, const tl_allocator *allocator, tl_error *error)
{
    for (int h = 0; h < 3 * mesh->face_count; ++h)
        if (mesh->twin[h] < 0) {
            tl_vec3 a = mesh->position[mesh->face[h]];
            tl_fail(error, TL_ERROR_INPUT, "the mesh is not closed: a border passes (%.3f, %.3f, %.3f)", (double)a.x,
                    (double)a.y, (double)a.z);
            return NULL;
        }
    tl_character *character = allocate(allocator, error);
    if (!character)
        return NULL;
    tl_mesh_def def = {.positions = mesh->position,
                       .vertex_count = mesh->particle_count,
                       .triangles = mesh->face,
                       .triangle_count = mesh->face_count};
    character->mesh = tl_mesh_create(&def, &character->allocator, error);
    if (!character->mesh) {
        tl_character_destroy(character);
        return NULL;
    }
    return character;
}

const tl_mesh *tl_character_mesh(const tl_character *character) { return character->mesh; }
const unsigned char *tl_character_parts(const tl_character *character) { return character->part; }
int tl_character_joint_count(const tl_character *character) { return character->joint_count; }
const tl_joint *tl_character_joint(const tl_character *character, int index) { return &character->joint[index]; }

int tl_character_find_joint(const tl_character *character, const char *name)
{
    for (int k = 0; k < character->joint_count; ++k)
        if (strcmp(character->joint[k].name, name) == 0)
            return k;
    return -1;
}

const tl_measures *tl_character_measures(const tl_character *character) { return &character->measures; }
const tl_measures *tl_character_achieved(const tl_character *character) { return &character->achieved; }

void tl_character_thin(const tl_character *character, tl_real share, tl_vec3 *out)
{
    const tl_mesh *mesh = character->mesh;
    for (int v = 0; v < mesh->vertex_count; ++v)
        out[v] = character->axis && share < 1 ? tl_lerp(character->axis[v], mesh->vertex[v], share) : mesh->vertex[v];
}
