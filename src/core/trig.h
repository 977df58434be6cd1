/* Sine, cosine, arc tangent, exponential and logarithm that are bit-identical on every platform, as the simulation must
   be; the C library's differ in the last bit. Accurate to a few ulp of a double for arguments up to about 1e5. */
#ifndef TL_CORE_TRIG_H
#define TL_CORE_TRIG_H

double tl_sin(double x);
double tl_cos(double x);
double tl_atan2(double y, double x);
double tl_exp(double x);
double tl_log(double x); /* of x > 0 */

#endif
