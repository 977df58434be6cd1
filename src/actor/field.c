#include "actor/field.h"

#include <math.h>

/* Rays of a girth, and steps of the walk along one. */
enum { GIRTH_RAYS = 96, PROJECT_STEPS = 4, EXIT_STEPS = 60, BISECTIONS = 40 };
/* m, of central differences; beyond which a primitive does not matter, above any blend; of limbs
   with each other; of the longest step of a walk.
 */
static const double DIFFERENCE = 1e-4, FAR = 0.12, CREASE = 0.012, LONGEST_WALK = 0.02, SHORTEST_WALK = 0.001,
                    NEAR_ENOUGH = 1e-6;

/* Smooth minimum with continuous second derivative over a width of k. */
static double smooth_min(double a, double b, double k)
{
    double low = a < b ? a : b, apart = a < b ? b - a : a - b;
    if (!(k > 0) || apart >= k)
        return low;
    double h = (k - apart) / k;
    return low - h * h * h * k / 6;
}

/* Distance from the surface of an ellipsoid with radii r, to first order. */
static double ellipsoid(tl_point3 p, tl_point3 r)
{
    double x = p.x / r.x, y = p.y / r.y, z = p.z / r.z;
    double k0 = sqrt(x * x + y * y + z * z);
    double k1 = sqrt(x * x / (r.x * r.x) + y * y / (r.y * r.y) + z * z / (r.z * r.z));
    return k1 > 1e-9 ? k0 * (k0 - 1) / k1 : -fmin(r.x, fmin(r.y, r.z));
}

/* Catmull–Rom through five values at even steps. */
static double profile(const double value[5], double t)
{
    int k = t < 1 ? (int)(4 * t) : 3;
    double s = 4 * t - k, a = value[k], b = value[k + 1];
    double da = k > 0 ? (b - value[k - 1]) / 2 : b - a, db = k < 3 ? (value[k + 2] - a) / 2 : b - a;
    return a + s * (da + s * (3 * (b - a) - 2 * da - db + s * (2 * (a - b) + da + db)));
}

static double tube(const tl_primitive *tube, tl_point3 p)
{
    tl_point3 axis = tl_p3_sub(tube->b, tube->a), from = tl_p3_sub(p, tube->a);
    double t = tl_p3_dot(from, axis) / tl_p3_dot(axis, axis);
    t = t < 0 ? 0 : t > 1 ? 1 : t;
    tl_point3 off = tl_p3_madd(tl_p3_madd(from, axis, -t), tube->bow, -4 * t * (1 - t));
    double along = tl_p3_dot(off, tube->across), flat = tube->flat;
    if (flat > 0 && flat != 1) /* to a circular section of the same mean radius */
        off = tl_p3_madd(off, tube->across, along / flat - along);
    return (sqrt(tl_p3_dot(off, off)) - profile(tube->radius, t)) * (flat > 0 && flat < 1 ? flat : 1);
}

/* Section of a loft at a height within its range, by cubic Hermite pieces. */
static tl_section section_at(const tl_primitive *loft, double y)
{
    const tl_section *s = loft->section;
    int k = 0, last = loft->section_count - 2;
    while (k < last && y > s[k + 1].y)
        ++k;
    double h = s[k + 1].y - s[k].y, t = (y - s[k].y) / h, value[3];
    for (int n = 0; n < 3; ++n) {
#define PART(section) (n == 0 ? (section).half_width : n == 1 ? (section).half_depth : (section).centre)
        double a = PART(s[k]), b = PART(s[k + 1]);
        double da = k > 0 ? (b - PART(s[k - 1])) / (s[k + 1].y - s[k - 1].y) * h : b - a;
        double db = k < last ? (PART(s[k + 2]) - a) / (s[k + 2].y - s[k].y) * h : b - a;
#undef PART
        value[n] = a + t * (da + t * (3 * (b - a) - 2 * da - db + t * (2 * (a - b) + da + db)));
    }
    return (tl_section){y, value[0], value[1], value[2]};
}

static double loft(const tl_primitive *loft, tl_point3 p)
{
    double bottom = loft->section[0].y, top = loft->section[loft->section_count - 1].y;
    tl_section s = section_at(loft, p.y < bottom ? bottom : p.y > top ? top : p.y);
    double x = p.x / s.half_width, z = (p.z - s.centre) / s.half_depth, k0 = sqrt(x * x + z * z);
    double k1 = sqrt(x * x / (s.half_width * s.half_width) + z * z / (s.half_depth * s.half_depth));
    double around = k1 > 1e-9 ? k0 * (k0 - 1) / k1 : -fmin(s.half_width, s.half_depth);
    double beyond = p.y < bottom ? bottom - p.y : p.y > top ? p.y - top : 0;
    if (!(beyond > 0))
        return around;
    return around > 0 ? sqrt(around * around + beyond * beyond) : beyond;
}

double tl_primitive_at(const tl_primitive *primitive, tl_point3 p)
{
    if (primitive->kind == TL_PRIMITIVE_TUBE)
        return tube(primitive, p);
    if (primitive->kind == TL_PRIMITIVE_LOFT)
        return loft(primitive, p);
    tl_point3 from = tl_p3_sub(p, primitive->a);
    double c = primitive->tilt[0], s = primitive->tilt[1];
    if (c != 0 || s != 0)
        from = tl_p3(from.x, c * from.y + s * from.z, c * from.z - s * from.y);
    return ellipsoid(from, primitive->size);
}

/* Whether p is so far from a primitive that it does not matter near the surface; without a square root. */
static bool is_far(const tl_primitive *primitive, tl_point3 p)
{
    if (primitive->kind == TL_PRIMITIVE_LOFT)
        return false;
    tl_point3 from = tl_p3_sub(p, primitive->a);
    if (primitive->kind == TL_PRIMITIVE_TUBE) {
        tl_point3 axis = tl_p3_sub(primitive->b, primitive->a);
        double t = tl_p3_dot(from, axis) / tl_p3_dot(axis, axis);
        from = tl_p3_madd(from, axis, t < 0 ? 0 : t > 1 ? -1 : -t);
    }
    return tl_p3_dot(from, from) > primitive->reach * primitive->reach;
}

double tl_field_at(const tl_field *field, tl_point3 p)
{
    double group[TL_FIELD_GROUPS];
    for (int g = 0; g < TL_FIELD_GROUPS; ++g)
        group[g] = FAR;
    for (int k = 0; k < field->count; ++k) {
        const tl_primitive *primitive = &field->primitive[k];
        if (is_far(primitive, p))
            continue;
        double *sum = &group[primitive->group];
        *sum = smooth_min(*sum, tl_primitive_at(primitive, p), primitive->blend);
    }
    double limbs = FAR, nearest = FAR, join = 0;
    for (int g = 1; g < field->group_count; ++g) {
        join = group[g] < nearest ? field->join[g] : join;
        nearest = fmin(nearest, group[g]);
        limbs = smooth_min(limbs, group[g], CREASE);
    }
    double all = smooth_min(group[0], limbs, join);
    return field->floor && -p.y > all ? -p.y : all;
}

tl_point3 tl_field_gradient(const tl_field *field, tl_point3 p)
{
    const double d = DIFFERENCE;
    return tl_p3(
        (tl_field_at(field, tl_p3(p.x + d, p.y, p.z)) - tl_field_at(field, tl_p3(p.x - d, p.y, p.z))) / (2 * d),
        (tl_field_at(field, tl_p3(p.x, p.y + d, p.z)) - tl_field_at(field, tl_p3(p.x, p.y - d, p.z))) / (2 * d),
        (tl_field_at(field, tl_p3(p.x, p.y, p.z + d)) - tl_field_at(field, tl_p3(p.x, p.y, p.z - d))) / (2 * d));
}

tl_point3 tl_field_project(const tl_field *field, tl_point3 p)
{
    for (int k = 0; k < PROJECT_STEPS; ++k) {
        double f = tl_field_at(field, p);
        if (fabs(f) < NEAR_ENOUGH)
            break;
        tl_point3 g = tl_field_gradient(field, p);
        double square = tl_p3_dot(g, g), step = square > 1e-6 ? -f / square : 0;
        double length = fabs(step) * sqrt(square), most = LONGEST_WALK;
        p = tl_p3_madd(p, g, length > most ? step * most / length : step);
    }
    return p;
}

static void widen(tl_field *field, tl_point3 p, double by)
{
    field->low = tl_p3(fmin(field->low.x, p.x - by), fmin(field->low.y, p.y - by), fmin(field->low.z, p.z - by));
    field->high = tl_p3(fmax(field->high.x, p.x + by), fmax(field->high.y, p.y + by), fmax(field->high.z, p.z + by));
}

void tl_field_bound(tl_field *field, double margin)
{
    field->low = tl_p3(1e3, 1e3, 1e3);
    field->high = tl_p3(-1e3, -1e3, -1e3);
    for (int k = 0; k < field->count; ++k) {
        tl_primitive *primitive = &field->primitive[k];
        double most = fmax(primitive->size.x, fmax(primitive->size.y, primitive->size.z));
        for (int n = 0; n < 5; ++n)
            most = fmax(most, primitive->radius[n] * fmax(primitive->flat, 1));
        tl_point3 bow = primitive->bow;
        primitive->reach = most + sqrt(tl_p3_dot(bow, bow)) + FAR;
        if (primitive->kind != TL_PRIMITIVE_LOFT)
            widen(field, primitive->a, most + margin);
        if (primitive->kind == TL_PRIMITIVE_TUBE)
            widen(field, primitive->b, most + margin);
        for (int n = 0; n < primitive->section_count; ++n) {
            const tl_section *s = &primitive->section[n];
            widen(field, tl_p3(0, s->y, s->centre), fmax(s->half_width, s->half_depth) + margin);
        }
    }
    if (field->floor)
        field->low.y = -margin;
}

double tl_field_exit(const tl_field *field, tl_point3 p, tl_point3 d)
{
    double t = 0;
    for (int k = 0; k < EXIT_STEPS * 10; ++k) {
        double f = tl_field_at(field, tl_p3_madd(p, d, t));
        if (f >= 0)
            break;
        t += fmin(fmax(-f / 2, SHORTEST_WALK), LONGEST_WALK);
    }
    double low = t - LONGEST_WALK, high = t;
    for (int k = 0; k < BISECTIONS && high > 0; ++k) {
        double middle = (low + high) / 2;
        if (tl_field_at(field, tl_p3_madd(p, d, middle)) < 0)
            low = middle;
        else
            high = middle;
    }
    return high;
}

static double turn(const double a[2], const double b[2], const double c[2])
{
    return (b[0] - a[0]) * (c[1] - a[1]) - (b[1] - a[1]) * (c[0] - a[0]);
}

/* Perimeter of the convex hull of points that are ordered around an inner one: corners that turn inwards are taken out
   until none is left. */
static double hull_perimeter(double (*point)[2], int count)
{
    for (bool changed = true; changed && count > 3;) {
        changed = false;
        int kept = 0;
        for (int k = 0; k < count; ++k) {
            const double *before = kept > 0 ? point[kept - 1] : point[count - 1];
            if (turn(before, point[k], point[(k + 1) % count]) > 0) {
                point[kept][0] = point[k][0];
                point[kept++][1] = point[k][1];
            } else {
                changed = true;
            }
        }
        count = kept;
    }
    double sum = 0;
    for (int k = 0; k < count; ++k) {
        const double *a = point[k], *b = point[(k + 1) % count];
        sum += sqrt((b[0] - a[0]) * (b[0] - a[0]) + (b[1] - a[1]) * (b[1] - a[1]));
    }
    return sum;
}

double tl_field_girth(const tl_field *field, tl_point3 centre, tl_point3 u, tl_point3 v)
{
    static const double eighth = 0.70710678118654752440;
    double point[GIRTH_RAYS][2];
    for (int k = 0; k < GIRTH_RAYS; ++k) {
        /* directions by the rational circle, octant by octant */
        int octant = k * 8 / GIRTH_RAYS;
        double t = (double)(k - octant * GIRTH_RAYS / 8) * 8 / GIRTH_RAYS * 0.41421356237309504880;
        double c = (1 - t * t) / (1 + t * t), s = 2 * t / (1 + t * t);
        for (int n = 0; n < octant; ++n) {
            double x = (c - s) * eighth;
            s = (c + s) * eighth;
            c = x;
        }
        double r = tl_field_exit(field, centre, tl_p3_madd(tl_p3_madd(tl_p3(0, 0, 0), u, c), v, s));
        point[k][0] = r * c;
        point[k][1] = r * s;
    }
    return hull_perimeter(point, GIRTH_RAYS);
}
