/* Edges of panels as curves by arc length. Bézier curves have no length in closed form: it is tabled over their
   parameter by Gauss's rule of three points, exact to 1e-9 of the length for the curves that tailors draw, and inverted
   by linear interpolation, which spaces points evenly to a thousandth. */
#include "pattern/pattern.h"

#include <math.h>

#include "core/trig.h"

#define PI 3.14159265358979323846

void tl_turn_of(double degrees, double *cosine, double *sine)
{
    double turns = floor(degrees / 90 + 0.5), rest = (degrees - 90 * turns) * (PI / 180);
    double c = tl_cos(rest), s = tl_sin(rest);
    int quadrant = (int)(turns - 4 * floor(turns / 4));
    const double cosines[4] = {c, -s, -c, s}, sines[4] = {s, c, -s, -c};
    *cosine = cosines[quadrant];
    *sine = sines[quadrant];
}

static void make_circle(tl_edge_curve *curve, const tl_pattern_edge_def *edge)
{
    const double *a = curve->point[0], *b = curve->point[1];
    double along[2] = {b[0] - a[0], b[1] - a[1]}, chord = sqrt(along[0] * along[0] + along[1] * along[1]);
    double r = fmax(edge->radius, chord / 2), height = sqrt(fmax(r * r - chord * chord / 4, 0));
    /* counter-clockwise along the smaller arc, the centre is on the left */
    double side = (edge->right != edge->large_arc ? height : -height) / chord;
    for (int k = 0; k < 2; ++k)
        curve->center[k] = (a[k] + b[k]) / 2 + (k == 0 ? -along[1] : along[0]) * side;
    double angle = 2 * tl_atan2(chord / 2, height);
    angle = edge->large_arc ? 2 * PI - angle : angle;
    curve->radius = r;
    curve->from = tl_atan2(a[1] - curve->center[1], a[0] - curve->center[0]);
    curve->sweep = edge->right ? angle : -angle;
    curve->length = r * angle;
}

/* Speed of a Bézier curve at a parameter. */
static double speed_at(const tl_edge_curve *curve, double t)
{
    const double(*p)[2] = (const double(*)[2])curve->point;
    double v[2], s = 1 - t;
    for (int k = 0; k < 2; ++k)
        v[k] = curve->kind == TL_CURVE_QUADRATIC
                   ? 2 * (s * (p[1][k] - p[0][k]) + t * (p[2][k] - p[1][k]))
                   : 3 * (s * s * (p[1][k] - p[0][k]) + 2 * s * t * (p[2][k] - p[1][k]) + t * t * (p[3][k] - p[2][k]));
    return sqrt(v[0] * v[0] + v[1] * v[1]);
}

static void table_length(tl_edge_curve *curve)
{
    const double width = 1.0 / TL_CURVE_STEPS, offset = 0.38729833462074168852 * width; /* √(3/5) / 2 */
    curve->until[0] = 0;
    for (int k = 0; k < TL_CURVE_STEPS; ++k) {
        double middle = (k + 0.5) * width;
        double sum =
            5 * speed_at(curve, middle - offset) + 8 * speed_at(curve, middle) + 5 * speed_at(curve, middle + offset);
        curve->until[k + 1] = curve->until[k] + sum / 18 * width;
    }
    curve->length = curve->until[TL_CURVE_STEPS];
}

void tl_edge_curve_make(const tl_panel_def *panel, int index, tl_edge_curve *curve)
{
    const tl_pattern_edge_def *edge = &panel->edge[index];
    const double *a = panel->vertex[edge->start], *b = panel->vertex[edge->end];
    double along[2] = {b[0] - a[0], b[1] - a[1]};
    int controls = edge->curve == TL_CURVE_QUADRATIC ? 1 : edge->curve == TL_CURVE_CUBIC ? 2 : 0;
    curve->kind = edge->curve;
    for (int k = 0; k < 2; ++k) {
        curve->point[0][k] = a[k];
        curve->point[controls + 1][k] = b[k];
    }
    for (int c = 0; c < controls; ++c) {
        const double *r = edge->control[c];
        curve->point[c + 1][0] = a[0] + r[0] * along[0] - r[1] * along[1];
        curve->point[c + 1][1] = a[1] + r[0] * along[1] + r[1] * along[0];
    }
    if (edge->curve == TL_CURVE_LINE)
        curve->length = sqrt(along[0] * along[0] + along[1] * along[1]);
    else if (edge->curve == TL_CURVE_CIRCLE)
        make_circle(curve, edge);
    else
        table_length(curve);
}

/* The parameter at a length from the start. */
static double parameter_at(const tl_edge_curve *curve, double length)
{
    int low = 0, high = TL_CURVE_STEPS;
    while (high - low > 1) {
        int middle = (low + high) / 2;
        if (curve->until[middle] <= length)
            low = middle;
        else
            high = middle;
    }
    double part = curve->until[high] - curve->until[low];
    return (low + (part > 0 ? (length - curve->until[low]) / part : 0)) / TL_CURVE_STEPS;
}

void tl_edge_curve_at(const tl_edge_curve *curve, double fraction, double point[2])
{
    const double(*p)[2] = (const double(*)[2])curve->point;
    int last = curve->kind == TL_CURVE_QUADRATIC ? 2 : curve->kind == TL_CURVE_CUBIC ? 3 : 1;
    if (fraction <= 0 || fraction >= 1) { /* exactly the vertices */
        for (int k = 0; k < 2; ++k)
            point[k] = p[fraction <= 0 ? 0 : last][k];
        return;
    }
    if (curve->kind == TL_CURVE_CIRCLE) {
        double angle = curve->from + fraction * curve->sweep;
        point[0] = curve->center[0] + curve->radius * tl_cos(angle);
        point[1] = curve->center[1] + curve->radius * tl_sin(angle);
        return;
    }
    double t = curve->kind == TL_CURVE_LINE ? fraction : parameter_at(curve, fraction * curve->length), s = 1 - t;
    for (int k = 0; k < 2; ++k)
        point[k] = last == 1 ? s * p[0][k] + t * p[1][k]
                   : last == 2
                       ? s * s * p[0][k] + 2 * s * t * p[1][k] + t * t * p[2][k]
                       : s * s * s * p[0][k] + 3 * s * s * t * p[1][k] + 3 * s * t * t * p[2][k] + t * t * t * p[3][k];
}
