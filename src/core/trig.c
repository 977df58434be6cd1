/* Range reduction to |r| <= pi/4 (Cody and Waite 1980, two-part pi/2) and Taylor polynomials in Horner form, whose
   truncation error is below 1e-17 on that range; the arc tangent is reduced twice by atan x = 2
 atan(x/(1+sqrt(1+x²))). */
#include "core/trig.h"

#include <math.h>

#define HALF_PI_HIGH 1.57079632673412561417e+00 /* first 33 bits of pi/2: products with small integers are exact */
#define HALF_PI_LOW 6.07710050650619224932e-11  /* the rest */
#define PI 3.14159265358979323846
#define LN2_HIGH 6.93147180369123816490e-01
#define LN2_LOW 1.90821492927058770002e-10

static double sine_poly(double r)
{
    double s = r * r;
    return r * (1 + s * (-1.0 / 6 +
                         s * (1.0 / 120 +
                              s * (-1.0 / 5040 +
                                   s * (1.0 / 362880 + s * (-1.0 / 39916800 + s * (1.0 / 6227020800.0 +
                                                                                   s * (-1.0 / 1307674368000.0))))))));
}

static double cosine_poly(double r)
{
    double s = r * r;
    return 1 + s * (-0.5 + s * (1.0 / 24 +
                                s * (-1.0 / 720 + s * (1.0 / 40320 + s * (-1.0 / 3628800 +
                                                                          s * (1.0 / 479001600.0 +
                                                                               s * (-1.0 / 87178291200.0 +
                                                                                    s * (1.0 / 20922789888000.0))))))));
}

/* sin(x + quadrant · pi/2) */
static double sine_quadrant(double x, int shift)
{
    double turns = floor(x * (2 / PI) + 0.5);
    double r = (x - turns * HALF_PI_HIGH) - turns * HALF_PI_LOW;
    int quadrant = (int)(turns - 4 * floor(turns / 4)) + shift;
    double value = (quadrant & 1) ? cosine_poly(r) : sine_poly(r);
    return (quadrant & 2) ? -value : value;
}

double tl_sin(double x) { return sine_quadrant(x, 0); }
double tl_cos(double x) { return sine_quadrant(x, 1); }

/* atan of 0 <= x <= 1 */
static double atan_unit(double x)
{
    x = x / (1 + sqrt(1 + x * x));
    x = x / (1 + sqrt(1 + x * x)); /* now below tan(pi/16) = 0.199 */
    double s = x * x, sum = 0;
    for (int k = 12; k >= 0; --k)
        sum = sum * -s + 1.0 / (2 * k + 1);
    return 4 * x * sum;
}

double tl_atan2(double y, double x)
{
    double ay = fabs(y), ax = fabs(x);
    if (ay == 0 && ax == 0)
        return 0;
    double angle = ay <= ax ? atan_unit(ay / ax) : PI / 2 - atan_unit(ax / ay);
    if (x < 0)
        angle = PI - angle;
    return y < 0 ? -angle : angle;
}

double tl_exp(double x)
{
    double n = floor(x / (LN2_HIGH + LN2_LOW) + 0.5);
    double r = (x - n * LN2_HIGH) - n * LN2_LOW;
    double sum = 1;
    for (int k = 14; k >= 1; --k)
        sum = 1 + sum * r / k;
    return ldexp(sum, (int)n);
}

/* x = m 2^n with m in √½ … √2, and log m = 2 atanh(t), t = (m − 1)/(m + 1), |t| < 0.172 */
double tl_log(double x)
{
    int n;
    double m = frexp(x, &n);
    if (m < 0.70710678118654752) {
        m *= 2;
        --n;
    }
    double t = (m - 1) / (m + 1), s = t * t, sum = 0;
    for (int k = 11; k >= 0; --k)
        sum = sum * s + 1.0 / (2 * k + 1);
    return n * LN2_HIGH + (n * LN2_LOW + 2 * t * sum);
}
