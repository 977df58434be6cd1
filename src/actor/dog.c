/* A dog: not every body is a person. */
#include "actor/figure.h"

#include "core/vec.h"

#include <string.h>

enum { TRUNK, NECK, HEAD, TAIL, LEGS };

static tl_vec3 real(tl_point3 p) { return tl_v3((tl_real)p.x, (tl_real)p.y, (tl_real)p.z); }

static void bone(tl_figure *figure, const char *name, int parent, tl_body_part part, int group, tl_point3 a,
                 tl_point3 b, double blend, const double radius[5], double scale)
{
    tl_field *field = &figure->field;
    tl_primitive *tube = &field->primitive[field->count++];
    *tube = (tl_primitive){.kind = TL_PRIMITIVE_TUBE,
                           .group = group,
                           .joint = figure->joint_count,
                           .part = (int)part,
                           .blend = blend * scale,
                           .detail = group > 0 ? 0.8 : 1};
    tube->a = tl_p3_madd(tl_p3(0, 0, 0), a, scale);
    tube->b = tl_p3_madd(tl_p3(0, 0, 0), b, scale);
    for (int n = 0; n < 5; ++n)
        tube->radius[n] = scale * radius[n];
    figure->joint[figure->joint_count++] = (tl_joint){name, parent, real(tube->a), real(tube->b), (int)part};
}

void tl_figure_dog(tl_figure *figure, double height)
{
    static const char *const names[4][2] = {{"left foreleg", "left forepaw"},
                                            {"right foreleg", "right forepaw"},
                                            {"left hindleg", "left hindpaw"},
                                            {"right hindleg", "right hindpaw"}};
    memset(figure, 0, sizeof *figure);
    double s = height; /* lengths below are shares of the height at the shoulder */
    const double trunk[5] = {0.20, 0.235, 0.215, 0.18, 0.19}, neck[5] = {0.16, 0.135, 0.12, 0.115, 0.11};
    const double skull[5] = {0.125, 0.125, 0.085, 0.07, 0.055}, tail[5] = {0.05, 0.042, 0.036, 0.03, 0.02};
    const double upper[5] = {0.115, 0.10, 0.08, 0.065, 0.055}, lower[5] = {0.055, 0.05, 0.045, 0.045, 0.05};
    bone(figure, "trunk", -1, TL_BODY_PART_TORSO, 0, tl_p3(0, 0.78, 0.36), tl_p3(0, 0.80, -0.42), 0, trunk, s);
    bone(figure, "neck", TRUNK, TL_BODY_PART_HEAD, 0, tl_p3(0, 0.84, 0.42), tl_p3(0, 1.12, 0.64), 0.12, neck, s);
    bone(figure, "head", NECK, TL_BODY_PART_HEAD, 0, tl_p3(0, 1.16, 0.66), tl_p3(0, 1.07, 0.95), 0.05, skull, s);
    bone(figure, "tail", TRUNK, TL_BODY_PART_TORSO, 0, tl_p3(0, 0.90, -0.56), tl_p3(0, 1.12, -0.85), 0.06, tail, s);
    for (int leg = 0; leg < 4; ++leg) {
        double x = leg % 2 == 0 ? 0.125 : -0.125, z = leg < 2 ? 0.36 : -0.42, bend = leg < 2 ? -0.03 : 0.03;
        tl_body_part part = leg % 2 == 0 ? TL_BODY_PART_LEFT_LEG : TL_BODY_PART_RIGHT_LEG;
        int joint = figure->joint_count;
        bone(figure, names[leg][0], TRUNK, part, 1 + leg, tl_p3(x, 0.70, z), tl_p3(x, 0.36, z + bend), 0, upper, s);
        bone(figure, names[leg][1], joint, part, 1 + leg, tl_p3(x, 0.36, z + bend), tl_p3(x, 0.03, z), 0.04, lower, s);
        figure->field.join[1 + leg] = 0.10 * s;
    }
    figure->field.group_count = 5;
    figure->field.floor = true;
    tl_field_bound(&figure->field, 0.03 * s);
}
