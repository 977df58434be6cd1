/* An implicit surface made of primitives: negative inside, about the distance in metres near the surface. Primitives of
   a group blend into each other; the other groups are limbs of the trunk, group 0, which they blend with but hardly
   with each other, so that legs beside each other stay two. In double precision, without any function of the C library
   but the square root: the same bits everywhere. */
#ifndef TL_ACTOR_FIELD_H
#define TL_ACTOR_FIELD_H

#include <stdbool.h>

enum { TL_FIELD_PRIMITIVES = 64, TL_FIELD_GROUPS = 8, TL_FIELD_KNOTS = 12 };

typedef struct tl_point3 {
    double x, y, z;
} tl_point3;

typedef enum tl_primitive_kind {
    TL_PRIMITIVE_TUBE,      /* from a to b, radius by `radius`, elliptical: `flat` times as wide along `across` */
    TL_PRIMITIVE_ELLIPSOID, /* around a, radii `size`, turned by `tilt` about the x axis (cosine, sine) */
    TL_PRIMITIVE_LOFT       /* elliptical horizontal sections, interpolated along y */
} tl_primitive_kind;

/* A horizontal section of a loft. */
typedef struct tl_section {
    double y, half_width, half_depth, centre; /* m; centre along z */
} tl_section;

typedef struct tl_primitive {
    tl_primitive_kind kind;
    int group, joint, part; /* joint: index of the bone it belongs to; part: what its vertices are labelled */
    double blend;           /* m, with what was there before in its group */
    double detail;          /* 1, edge length of the mesh there relative to the rest */
    tl_point3 a, b, bow;    /* m; bow: shift of the middle of a tube */
    tl_point3 size, across;
    double flat, tilt[2];
    double reach;     /* m, from its middle line: beyond, it does not matter; tl_field_bound */
    double radius[5]; /* m, at even steps from a to b */
    tl_section section[TL_FIELD_KNOTS];
    int section_count;
} tl_primitive;

typedef struct tl_field {
    tl_primitive primitive[TL_FIELD_PRIMITIVES];
    int count;
    double join[TL_FIELD_GROUPS]; /* m, blend of a group with the trunk */
    int group_count;
    bool floor; /* cut off below y = 0 */
    tl_point3 low, high;
} tl_field;

double tl_field_at(const tl_field *field, tl_point3 p);
tl_point3 tl_field_gradient(const tl_field *field, tl_point3 p);
/* The point of the surface nearest p along the gradient, a few Newton steps. */
tl_point3 tl_field_project(const tl_field *field, tl_point3 p);
/* Distance of p from a primitive alone. */
double tl_primitive_at(const tl_primitive *primitive, tl_point3 p);
/* The box of the surface, with a margin. */
void tl_field_bound(tl_field *field, double margin);
/* Girth around `centre`, which is inside, in the plane of the unit vectors u and v: perimeter of the convex hull of the
   section's part that is seen from the centre. */
double tl_field_girth(const tl_field *field, tl_point3 centre, tl_point3 u, tl_point3 v);
/* Distance from p along the unit vector d to the first place outside. */
double tl_field_exit(const tl_field *field, tl_point3 p, tl_point3 d);

static inline tl_point3 tl_p3(double x, double y, double z) { return (tl_point3){x, y, z}; }
static inline tl_point3 tl_p3_madd(tl_point3 a, tl_point3 b, double s)
{
    return tl_p3(a.x + b.x * s, a.y + b.y * s, a.z + b.z * s);
}
static inline tl_point3 tl_p3_sub(tl_point3 a, tl_point3 b) { return tl_p3(a.x - b.x, a.y - b.y, a.z - b.z); }
static inline double tl_p3_dot(tl_point3 a, tl_point3 b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
static inline tl_point3 tl_p3_cross(tl_point3 a, tl_point3 b)
{
    return tl_p3(a.y * b.z - a.z * b.y, a.z * b.x - a.x * b.z, a.x * b.y - a.y * b.x);
}

#endif
