/* A person as an implicit surface: a trunk of elliptical sections, and limbs of tapered tubes. Widths and radii start
   from proportions and are then scaled, girth by girth, until a tape around the surface reads the measure. */
#include "actor/figure.h"

#include "core/trig.h"
#include "core/vec.h"

#include <math.h>
#include <string.h>

enum { JOINT_ROOT, JOINT_SPINE, JOINT_CHEST, JOINT_NECK, JOINT_HEAD, JOINT_LEFT, JOINTS_OF_A_SIDE = 8 };
enum { SIDE_CLAVICLE, SIDE_UPPER_ARM, SIDE_FOREARM, SIDE_HAND, SIDE_THIGH, SIDE_SHIN, SIDE_FOOT, SIDE_TOE };
/* Rounds over all girths, each a secant; they depend on each other where parts blend. */
enum { ROUNDS = 8 };

/* What is scaled to reach the girths. */
typedef struct shape {
    double bust, chest, underbust, waist, hips, neck, thigh, wrist;
    double crotch; /* m, the trunk's bottom above the crotch */
} shape;

/* Levels, m above the floor, and places of the left side. */
typedef struct frame {
    const tl_measures *m;
    double h, neck, bust, underbust, waist, hips, crotch, knee, ankle;
    double size;  /* height over that of a grown person */
    double stout; /* girths over those of a slim person of this height */
    double head;  /* length of the head over a grown person's */
    tl_point3 tip, shoulder, elbow, wrist, fingers, along, hip, knee_at, ankle_at;
} frame;

static frame frame_of(const tl_measures *m)
{
    frame f = {.m = m, .h = (double)m->height};
    f.size = f.h / 1.72;
    f.head = (double)m->head_l / 0.263;
    f.neck = f.h - (double)m->head_l;
    f.bust = f.neck - (double)m->vert_bust_line;
    f.waist = f.neck - (double)m->waist_line;
    f.underbust = f.bust - 0.4 * (f.bust - f.waist);
    f.hips = f.waist - (double)m->hips_line;
    f.crotch = f.hips - (double)m->crotch_hip_diff;
    f.knee = 0.62 * f.crotch;
    f.ankle = 0.085 * f.crotch + 0.012 * f.size;
    f.stout = ((double)m->bust + (double)m->waist + (double)m->hips) / (1.62 * f.h);
    double half = (double)m->shoulder_w / 2, slope = TL_PI / 180 * (double)m->shoulder_incl;
    double down = TL_PI / 180 * (double)m->arm_pose_angle, thick = f.size * sqrt(f.stout);
    f.tip = tl_p3(half, f.neck - (half - (double)m->neck_w / 2) * tl_sin(slope) / tl_cos(slope), -0.02 * f.size);
    f.along = tl_p3(tl_cos(down), -tl_sin(down), 0);
    f.shoulder = tl_p3(half - 0.022 * thick, f.tip.y - 0.051 * thick, -0.016 * f.size);
    f.elbow = tl_p3_madd(f.shoulder, f.along, 0.5 * (double)m->arm_length);
    f.wrist = tl_p3_madd(f.shoulder, f.along, (double)m->arm_length - 0.01 * f.size);
    f.wrist.z += 0.012 * f.size;
    f.fingers = tl_p3_madd(f.wrist, f.along, 0.175 * f.size);
    double thigh = (double)m->leg_circ / (2 * TL_PI);
    f.hip = tl_p3(fmax(0.90 * thigh + 0.016 * f.size, 0.174 * (double)m->hips - 0.90 * thigh), f.hips, 0);
    f.knee_at = tl_p3(f.hip.x + 0.022 * f.size, f.knee, 0.006 * f.size);
    f.ankle_at = tl_p3(f.knee_at.x + 0.03 * f.size, f.ankle, -0.012 * f.size);
    return f;
}

static tl_point3 mirrored(tl_point3 p, int side) { return tl_p3(side == 0 ? p.x : -p.x, p.y, p.z); }

static tl_primitive *add(tl_figure *figure, tl_primitive primitive)
{
    tl_primitive *added = &figure->field.primitive[figure->field.count++];
    *added = primitive;
    if (!(added->detail > 0))
        added->detail = 1;
    return added;
}

/* A tube on one side of the body, in a group of its own; radii at even steps, m. */
static tl_primitive *add_tube(tl_figure *figure, int side, int group, int joint, tl_body_part part, tl_point3 a,
                              tl_point3 b, double blend, const double radius[5])
{
    tl_primitive *tube = add(figure, (tl_primitive){.kind = TL_PRIMITIVE_TUBE,
                                                    .group = group == 0 ? 0 : group + side,
                                                    .joint = joint,
                                                    .part = (int)part,
                                                    .blend = blend,
                                                    .a = mirrored(a, side),
                                                    .b = mirrored(b, side)});
    memcpy(tube->radius, radius, sizeof tube->radius);
    return tube;
}

static void add_trunk(tl_figure *figure, const frame *f, const shape *s)
{
    const tl_measures *m = f->m;
    /* half widths and depths of ellipses of about the girths */
    double hip = 0.176 * (double)m->hips * s->hips, waist = 0.178 * (double)m->waist * s->waist;
    double under = 0.180 * (double)m->underbust * s->underbust, chest = 0.186 * (double)m->underbust * s->chest;
    double girdle = 0.40 * (double)m->shoulder_w, d = f->size;
    tl_primitive *trunk = add(figure, (tl_primitive){.kind = TL_PRIMITIVE_LOFT, .joint = JOINT_SPINE});
    const tl_section sections[] = {
        {f->crotch + s->crotch, 0.36 * hip, 0.42 * hip, -0.004 * d},
        {f->crotch + s->crotch + 0.034 * d, 0.80 * hip, 0.56 * hip, -0.004 * d},
        {f->hips, 0.985 * hip, 0.61 * hip, 0.000 * d},
        {f->hips + 0.40 * (f->waist - f->hips), 0.935 * hip, 0.615 * hip, 0.002 * d},
        {f->waist, waist, 0.77 * waist, 0.004 * d},
        {f->underbust, under, 0.75 * under, 0.000 * d},
        {f->bust, 1.02 * chest, 0.70 * chest, -0.008 * d},
        {f->neck - 0.105 * d, 0.96 * chest, 0.62 * chest, -0.018 * d},
        {f->neck - 0.055 * d, fmin(girdle, 0.9 * chest), 0.46 * chest, -0.026 * d},
        {f->neck - 0.015 * d, 0.44 * (double)m->neck_w, 0.30 * chest, -0.030 * d},
    };
    memcpy(trunk->section, sections, sizeof sections);
    trunk->section_count = (int)(sizeof sections / sizeof *sections);
    double most = 0.5 * (s->bust > 0 ? s->bust : 0), seat = 0.066 * (double)m->hips * s->hips;
    for (int side = 0; side < 2; ++side) {
        add(figure,
            (tl_primitive){
                .kind = TL_PRIMITIVE_ELLIPSOID,
                .joint = JOINT_ROOT,
                .blend = 0.06 * d,
                .a = mirrored(tl_p3((double)m->bum_points / 2, f->hips - 0.012 * d, -0.61 * hip + 0.66 * seat), side),
                .size = tl_p3(1.2 * seat, 1.35 * seat, seat)});
        double breast = 0.056 * sqrt(f->stout) * d;
        if (most > 0)
            add(figure, (tl_primitive){.kind = TL_PRIMITIVE_ELLIPSOID,
                                       .joint = JOINT_CHEST,
                                       .blend = 0.045 * d,
                                       .a = mirrored(tl_p3((double)m->bust_points / 2 - 0.008 * d, f->bust + 0.006 * d,
                                                           0.70 * chest - 0.008 * d - 0.75 * breast + most),
                                                     side),
                                       .size = tl_p3(1.06 * breast, 1.06 * breast, breast)});
    }
}

static void add_head(tl_figure *figure, const frame *f, const shape *s)
{
    double d = f->head, r = (double)f->m->neck / (2 * TL_PI) * s->neck;
    const double neck[5] = {1.3 * r, 1.06 * r, r, 0.98 * r, 0.95 * r};
    add_tube(figure, 0, 0, JOINT_NECK, TL_BODY_PART_HEAD, tl_p3(0, f->neck - 0.022 * d, -0.026 * d),
             tl_p3(0, f->h - 0.145 * d, 0.002 * d), 0.05 * d, neck)
        ->detail = 0.85;
    const tl_primitive parts[] = {
        {.a = {0, f->h - 0.101 * d, 0.006 * d}, .size = {0.075 * d, 0.101 * d, 0.094 * d}, .blend = 0.03 * d},
        {.a = {0, f->h - 0.154 * d, 0.038 * d}, .size = {0.052 * d, 0.060 * d, 0.058 * d}, .blend = 0.05 * d},
        {.a = {0, f->h - 0.128 * d, 0.098 * d}, .size = {0.012 * d, 0.024 * d, 0.014 * d}, .blend = 0.018 * d},
    };
    for (int k = 0; k < 3; ++k) {
        tl_primitive part = parts[k];
        part.kind = TL_PRIMITIVE_ELLIPSOID;
        part.joint = JOINT_HEAD;
        part.part = TL_BODY_PART_HEAD;
        part.detail = k == 2 ? 0.5 : 0.8;
        add(figure, part);
    }
}

static void add_arm(tl_figure *figure, const frame *f, const shape *s, int side)
{
    int first = JOINT_LEFT + side * JOINTS_OF_A_SIDE;
    tl_body_part part = side == 0 ? TL_BODY_PART_LEFT_ARM : TL_BODY_PART_RIGHT_ARM;
    double d = f->size, g = d * sqrt(f->stout), wrist = (double)f->m->wrist / (2 * TL_PI) * s->wrist;
    const double shoulder[5] = {0.036 * g, 0.040 * g, 0.043 * g, 0.047 * g, 0.051 * g};
    const double upper[5] = {0.053 * g, 0.050 * g, 0.0465 * g, 0.043 * g, 0.0395 * g};
    const double lower[5] = {0.0395 * g, 0.041 * g, 0.0375 * g, 0.5 * (0.033 * g + wrist), wrist};
    const double palm[5] = {wrist, 0.030 * d, 0.034 * d, 0.034 * d, 0.031 * d};
    const double fingers[5] = {0.030 * d, 0.028 * d, 0.026 * d, 0.022 * d, 0.016 * d};
    const double thumb[5] = {0.019 * d, 0.017 * d, 0.0155 * d, 0.014 * d, 0.0125 * d};
    add_tube(figure, side, 0, first + SIDE_CLAVICLE, TL_BODY_PART_TORSO,
             tl_p3(0.30 * (double)f->m->neck_w, f->neck - 0.047 * d, -0.03 * d), f->shoulder, 0.04 * d, shoulder);
    add_tube(figure, side, 1, first + SIDE_UPPER_ARM, part, f->shoulder, f->elbow, 0, upper);
    add_tube(figure, side, 1, first + SIDE_FOREARM, part, f->elbow, f->wrist, 0.02 * d, lower)->detail = 0.9;
    tl_point3 knuckles = tl_p3_madd(f->wrist, f->along, 0.085 * d), across = tl_p3(0, 0, 1);
    tl_primitive *hand[2] = {
        add_tube(figure, side, 1, first + SIDE_HAND, part, f->wrist, knuckles, 0.012 * d, palm),
        add_tube(figure, side, 1, first + SIDE_HAND, part, knuckles, f->fingers, 0.012 * d, fingers)};
    for (int k = 0; k < 2; ++k) { /* the palm faces the thigh */
        hand[k]->across = across;
        hand[k]->flat = 1.55;
        hand[k]->detail = 0.6;
        for (int n = 0; n < 5; ++n)
            hand[k]->radius[n] *= k == 0 && n == 0 ? 1 : 0.70;
    }
    tl_point3 root = tl_p3_madd(f->wrist, f->along, 0.028 * d), end = tl_p3_madd(f->wrist, f->along, 0.098 * d);
    root.z += 0.026 * d;
    end.z += 0.062 * d;
    add_tube(figure, side, 1, first + SIDE_HAND, part, root, end, 0.016 * d, thumb)->detail = 0.55;
    figure->field.join[1 + side] = 0.045 * d;
}

static void add_leg(tl_figure *figure, const frame *f, const shape *s, int side)
{
    int first = JOINT_LEFT + side * JOINTS_OF_A_SIDE;
    tl_body_part part = side == 0 ? TL_BODY_PART_LEFT_LEG : TL_BODY_PART_RIGHT_LEG;
    double d = f->size, g = d * sqrt(f->stout), thigh = (double)f->m->leg_circ / (2 * TL_PI) * s->thigh;
    const double upper[5] = {0.96 * thigh, 0.97 * thigh, 0.84 * thigh, 0.5 * (0.70 * thigh + 0.064 * g), 0.059 * g};
    const double lower[5] = {0.057 * g, 0.0575 * g, 0.053 * g, 0.0415 * g, 0.0355 * g};
    const double sole[5] = {0.036 * d, 0.036 * d, 0.034 * d, 0.032 * d, 0.024 * d};
    tl_point3 top = tl_p3(f->hip.x - 0.002 * d, f->crotch + 0.03 * d, f->hip.z - 0.004 * d);
    tl_primitive *tube = add_tube(figure, side, 3, first + SIDE_THIGH, part, top, f->knee_at, 0, upper);
    tube->across = tl_p3(1, 0, 0);
    tube->flat = 0.90;
    tube->bow = tl_p3(0, 0, 0.012 * d);
    tube = add_tube(figure, side, 3, first + SIDE_SHIN, part, f->knee_at, f->ankle_at, 0.02 * d, lower);
    tube->bow = tl_p3(0, 0, -0.014 * d);
    tl_point3 heel = tl_p3(f->ankle_at.x, 0.032 * d, f->ankle_at.z - 0.022 * d);
    tl_point3 toes = tl_p3(f->ankle_at.x + 0.024 * d, 0.014 * d, f->ankle_at.z + 0.165 * d);
    tube = add_tube(figure, side, 3, first + SIDE_FOOT, part, heel, toes, 0.035 * d, sole);
    tube->across = tl_p3(1, 0, 0);
    tube->flat = 1.2;
    tube->detail = 0.8;
    figure->field.join[3 + side] = 0.08 * d;
}

static void build(tl_figure *figure, const frame *f, const shape *s)
{
    figure->field.count = 0;
    figure->field.group_count = 5;
    figure->field.floor = true;
    add_trunk(figure, f, s);
    add_head(figure, f, s);
    for (int side = 0; side < 2; ++side) {
        add_arm(figure, f, s, side);
        add_leg(figure, f, s, side);
    }
    tl_field_bound(&figure->field, 0.03);
}

/* ---- girths ------------------------------------------------------------------------------------------------------ */

typedef struct tape {
    size_t wanted; /* offset of the measure */
    size_t scale;  /* offset in shape of what reaches it */
    tl_point3 centre, u, v;
} tape;

enum { TAPES = 8 };

static void tapes_of(const frame *f, tape tapes[TAPES])
{
    const tl_point3 x = tl_p3(1, 0, 0), z = tl_p3(0, 0, 1);
    tl_point3 bone = tl_p3_sub(f->knee_at, f->hip);
    double length = sqrt(tl_p3_dot(bone, bone));
    bone = tl_p3_madd(tl_p3(0, 0, 0), bone, 1 / length);
    tl_point3 across_leg = tl_p3_cross(bone, z), across_arm = tl_p3(f->along.y, -f->along.x, 0);
    double down = (f->hip.y - f->crotch + 0.045 * f->size) / -bone.y;
#define TAPE(measure, scale, ...)                                                                                      \
    {                                                                                                                  \
        offsetof(tl_measures, measure), offsetof(shape, scale), __VA_ARGS__                                            \
    }
    const tape all[TAPES] = {
        TAPE(waist, waist, {0, f->waist, 0}, z, x),
        TAPE(hips, hips, {0, f->hips, 0}, z, x),
        TAPE(underbust, underbust, {0, f->underbust, 0}, z, x),
        TAPE(bust, bust, {0, f->bust, 0}, z, x),
        TAPE(neck, neck, {0, f->h - 0.222 * f->head, -0.012 * f->size}, z, x),
        TAPE(leg_circ, thigh, tl_p3_madd(f->hip, bone, down), z, across_leg),
        TAPE(wrist, wrist, f->wrist, z, across_arm),
        TAPE(bust, chest, {0, f->bust, 0}, z, x),
    };
#undef TAPE
    memcpy(tapes, all, sizeof all);
}

static double girth(const tl_figure *figure, const tape *around)
{
    return tl_field_girth(&figure->field, around->centre, around->u, around->v);
}

static double measure_of(const tl_measures *m, const tape *around)
{
    tl_real value;
    memcpy(&value, (const char *)m + around->wanted, sizeof value);
    return (double)value;
}

static double *scale_of(shape *s, const tape *around)
{
    char *field = (char *)s + around->scale;
    double *scale;
    memcpy(&scale, &field, sizeof scale);
    return scale;
}

/* One step of the secant through the present girth and that of a slightly larger scale. */
static void solve(tl_figure *figure, const frame *f, shape *s, const tape *around)
{
    bool breast = around->scale == offsetof(shape, bust);
    double *scale = scale_of(s, around), at = *scale, step = breast ? 0.004 : 0.01;
    double now = girth(figure, around), wanted = measure_of(f->m, around);
    *scale = at + step;
    build(figure, f, s);
    double slope = (girth(figure, around) - now) / step, change = slope > 1e-6 ? (wanted - now) / slope : 0;
    double most = breast ? 0.05 : 0.15;
    *scale = at + fmax(-most, fmin(most, change));
    if (breast)
        *scale = fmax(*scale, 0);
    build(figure, f, s);
}

/* The chest is wider than what is below the bust; breasts are the rest of the bust's girth. Where nothing remains for
   them, or too much, the chest itself gives way. */
static bool breasts_suffice(const shape *s) { return s->bust > 0 && s->bust < 0.12; }

/* The highest place between the legs, m. */
static double crotch_of(const tl_figure *figure, const frame *f)
{
    double low = 0.5 * f->crotch, high = f->hips;
    for (int k = 0; k < 40; ++k) {
        double middle = (low + high) / 2;
        if (tl_field_at(&figure->field, tl_p3(0, middle, 0)) < 0)
            high = middle;
        else
            low = middle;
    }
    return high;
}

static void solve_girths(tl_figure *figure, const frame *f, shape *s)
{
    tape tapes[TAPES];
    tapes_of(f, tapes);
    build(figure, f, s);
    for (int round = 0; round < ROUNDS; ++round) {
        for (int k = 0; k < TAPES; ++k)
            if (k < TAPES - 1 || !breasts_suffice(s))
                solve(figure, f, s, &tapes[k]);
        s->crotch = fmax(-0.04, fmin(0.015 * f->size, s->crotch + f->crotch - crotch_of(figure, f)));
        build(figure, f, s);
    }
    figure->achieved = *f->m;
    for (int k = 0; k < TAPES - 1; ++k) {
        tl_real value = (tl_real)girth(figure, &tapes[k]);
        memcpy((char *)&figure->achieved + tapes[k].wanted, &value, sizeof value);
    }
    figure->achieved.crotch_hip_diff = (tl_real)(f->hips - crotch_of(figure, f));
    figure->achieved.height =
        (tl_real)(f->h - 0.2 + tl_field_exit(&figure->field, tl_p3(0, f->h - 0.2, 0.006), tl_p3(0, 1, 0)));
}

/* ---- joints ------------------------------------------------------------------------------------------------------ */

static tl_vec3 real(tl_point3 p) { return tl_v3((tl_real)p.x, (tl_real)p.y, (tl_real)p.z); }

static void set_joint(tl_figure *figure, int index, const char *name, int parent, tl_body_part part, tl_point3 at,
                      tl_point3 tip)
{
    figure->joint[index] = (tl_joint){name, parent, real(at), real(tip), (int)part};
    if (index >= figure->joint_count)
        figure->joint_count = index + 1;
}

static void set_joints(tl_figure *figure, const frame *f)
{
    static const char *const names[2][JOINTS_OF_A_SIDE] = {
        {"left clavicle", "left upper arm", "left forearm", "left hand", "left thigh", "left shin", "left foot",
         "left toes"},
        {"right clavicle", "right upper arm", "right forearm", "right hand", "right thigh", "right shin", "right foot",
         "right toes"}};
    double d = f->size, neck_z = -0.02 * d;
    tl_point3 spine = tl_p3(0, f->waist, 0), chest = tl_p3(0, f->underbust, -0.005 * d);
    tl_point3 neck = tl_p3(0, f->neck - 0.01 * d, neck_z), skull = tl_p3(0, f->h - 0.17 * f->head, 0);
    set_joint(figure, JOINT_ROOT, "pelvis", -1, TL_BODY_PART_TORSO, tl_p3(0, f->hips, 0), spine);
    set_joint(figure, JOINT_SPINE, "spine", JOINT_ROOT, TL_BODY_PART_TORSO, spine, chest);
    set_joint(figure, JOINT_CHEST, "chest", JOINT_SPINE, TL_BODY_PART_TORSO, chest, neck);
    set_joint(figure, JOINT_NECK, "neck", JOINT_CHEST, TL_BODY_PART_HEAD, neck, skull);
    set_joint(figure, JOINT_HEAD, "head", JOINT_NECK, TL_BODY_PART_HEAD, skull, tl_p3(0, f->h - 0.06 * f->head, 0));
    for (int side = 0; side < 2; ++side) {
        int first = JOINT_LEFT + side * JOINTS_OF_A_SIDE;
        tl_body_part arm = side == 0 ? TL_BODY_PART_LEFT_ARM : TL_BODY_PART_RIGHT_ARM;
        tl_body_part leg = side == 0 ? TL_BODY_PART_LEFT_LEG : TL_BODY_PART_RIGHT_LEG;
        tl_point3 heel = f->ankle_at, ball = tl_p3(heel.x + 0.016 * d, 0.02 * d, heel.z + 0.10 * d);
        tl_point3 collar = tl_p3(0.02 * d, f->neck - 0.05 * d, neck_z),
                  toe = tl_p3(heel.x + 0.024 * d, 0.014 * d, heel.z + 0.165 * d);
        const tl_point3 at[] = {collar, f->shoulder, f->elbow, f->wrist, f->hip, f->knee_at, heel, ball};
        const tl_point3 tip[] = {f->shoulder, f->elbow, f->wrist, f->fingers, f->knee_at, heel, ball, toe};
        const int parent[] = {JOINT_CHEST, first, first + 1, first + 2, JOINT_ROOT, first + 4, first + 5, first + 6};
        for (int k = 0; k < JOINTS_OF_A_SIDE; ++k)
            set_joint(figure, first + k, names[side][k], parent[k],
                      k == 0  ? TL_BODY_PART_TORSO
                      : k < 4 ? arm
                              : leg,
                      mirrored(at[k], side), mirrored(tip[k], side));
    }
}

void tl_figure_human(tl_figure *figure, const tl_measures *measures)
{
    memset(figure, 0, sizeof *figure);
    frame f = frame_of(measures);
    shape s = {.bust = 0.03, .chest = 1, .underbust = 1, .waist = 1, .hips = 1, .neck = 1, .thigh = 1, .wrist = 1};
    solve_girths(figure, &f, &s);
    set_joints(figure, &f);
}
