#include "step/spin.h"

typedef struct whole {
    double mass, centre[3], velocity[3];
} whole;

static whole whole_of(const tl_particles *p)
{
    whole w = {0};
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->m[i];
        w.mass += m;
        for (int c = 0; c < 3; ++c) {
            w.centre[c] += m * (double)p->x[c][i];
            w.velocity[c] += m * (double)p->v[c][i];
        }
    }
    for (int c = 0; c < 3; ++c) {
        w.centre[c] /= w.mass;
        w.velocity[c] /= w.mass;
    }
    return w;
}

/* Σ m (y − c) × (v − V), with y the given positions. */
static void spin_of(const tl_particles *p, tl_real *const y[3], const whole *w, double momentum[3])
{
    for (int c = 0; c < 3; ++c)
        momentum[c] = 0;
    for (int i = 0; i < p->count; ++i)
        for (int c = 0; c < 3; ++c) {
            int a = (c + 1) % 3, b = (c + 2) % 3;
            double va = (double)p->v[a][i] - w->velocity[a], vb = (double)p->v[b][i] - w->velocity[b];
            double ya = (double)y[a][i] - w->centre[a], yb = (double)y[b][i] - w->centre[b];
            momentum[c] += (double)p->m[i] * (ya * vb - yb * va);
        }
}

/* Σ m (y (1·x) − x yᵀ): a rotation ω of v about the centre, ω × x, adds this matrix times ω to Σ m y × v. */
static void lever_of(const tl_particles *p, tl_real *const y[3], const whole *w, double lever[3][3])
{
    for (int k = 0; k < 9; ++k)
        lever[k / 3][k % 3] = 0;
    for (int i = 0; i < p->count; ++i)
        for (int r = 0; r < 3; ++r)
            for (int c = 0; c < 3; ++c) {
                double xr = (double)p->x[r][i] - w->centre[r], yc = (double)y[c][i] - w->centre[c];
                double part = (double)p->m[i] * xr * yc;
                lever[r][c] -= part;
                if (r == c)
                    for (int k = 0; k < 3; ++k)
                        lever[k][k] += part;
            }
}

/* The rotation ω with lever ω = momentum, by the adjugate; false when the particles lie on a line. */
static bool turn_for(double l[3][3], const double momentum[3], double turn[3])
{
    double a[3][3];
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            a[c][r] = l[r1][c1] * l[r2][c2] - l[r1][c2] * l[r2][c1];
        }
    double determinant = l[0][0] * a[0][0] + l[0][1] * a[1][0] + l[0][2] * a[2][0], size = l[0][0] + l[1][1] + l[2][2];
    if (!(determinant > 1e-12 * size * size * size))
        return false;
    for (int r = 0; r < 3; ++r)
        turn[r] = (a[r][0] * momentum[0] + a[r][1] * momentum[1] + a[r][2] * momentum[2]) / determinant;
    return true;
}

void tl_spin_record(tl_spin *spin, const tl_particles *p)
{
    spin->known = true;
    for (int i = 0; i < p->count && spin->known; ++i)
        spin->known = p->w[i] > 0;
    if (!spin->known)
        return;
    whole w = whole_of(p);
    spin_of(p, p->x, &w, spin->momentum);
}

void tl_spin_restore(const tl_spin *spin, tl_particles *p, tl_real *const x_old[3], tl_real h)
{
    double momentum[3], lever[3][3], turn[3];
    whole w = whole_of(p);
    spin_of(p, x_old, &w, momentum); /* independent of the centre, since Σ m (v − V) is 0 */
    lever_of(p, x_old, &w, lever);
    for (int c = 0; c < 3; ++c)
        momentum[c] = spin->momentum[c] - momentum[c];
    if (!turn_for(lever, momentum, turn))
        return;
    tl_vec3 spun = tl_v3((tl_real)turn[0], (tl_real)turn[1], (tl_real)turn[2]);
    tl_vec3 centre = tl_v3((tl_real)w.centre[0], (tl_real)w.centre[1], (tl_real)w.centre[2]);
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 change = tl_cross(spun, tl_sub(tl_at(p->x, i), centre));
        tl_accumulate(p->v, i, change);
        tl_accumulate(p->x, i, tl_scale(change, h));
    }
}
