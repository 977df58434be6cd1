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

/* Spin about the centre, and the tensor of inertia: xx, yy, zz, xy, xz, yz. */
static void spin_of(const tl_particles *p, const whole *w, double momentum[3], double inertia[6])
{
    for (int k = 0; k < 6; ++k)
        inertia[k] = momentum[k / 2] = 0;
    for (int i = 0; i < p->count; ++i) {
        double m = (double)p->m[i], x[3], v[3];
        for (int c = 0; c < 3; ++c) {
            x[c] = (double)p->x[c][i] - w->centre[c];
            v[c] = (double)p->v[c][i] - w->velocity[c];
        }
        for (int c = 0; c < 3; ++c) {
            int a = (c + 1) % 3, b = (c + 2) % 3;
            momentum[c] += m * (x[a] * v[b] - x[b] * v[a]);
            inertia[c] += m * (x[a] * x[a] + x[b] * x[b]);
        }
        inertia[3] -= m * x[0] * x[1];
        inertia[4] -= m * x[0] * x[2];
        inertia[5] -= m * x[1] * x[2];
    }
}

/* The turn ω with I ω = momentum, by the adjugate; false when the particles lie on a line. */
static bool turn_for(const double i[6], const double momentum[3], double turn[3])
{
    double a[3][3] = {{i[1] * i[2] - i[5] * i[5], i[4] * i[5] - i[3] * i[2], i[3] * i[5] - i[4] * i[1]},
                      {i[4] * i[5] - i[3] * i[2], i[0] * i[2] - i[4] * i[4], i[3] * i[4] - i[0] * i[5]},
                      {i[3] * i[5] - i[4] * i[1], i[3] * i[4] - i[0] * i[5], i[0] * i[1] - i[3] * i[3]}};
    double determinant = i[0] * a[0][0] + i[3] * a[1][0] + i[4] * a[2][0], size = i[0] + i[1] + i[2];
    if (!(determinant > 1e-12 * size * size * size))
        return false;
    for (int r = 0; r < 3; ++r)
        turn[r] = (a[r][0] * momentum[0] + a[r][1] * momentum[1] + a[r][2] * momentum[2]) / determinant;
    return true;
}

void tl_spin_note(tl_spin *spin, const tl_particles *p)
{
    spin->known = true;
    for (int i = 0; i < p->count && spin->known; ++i)
        spin->known = p->w[i] > 0;
    if (!spin->known)
        return;
    double inertia[6];
    whole w = whole_of(p);
    spin_of(p, &w, spin->momentum, inertia);
}

void tl_spin_restore(const tl_spin *spin, tl_particles *p, tl_real h)
{
    double momentum[3], inertia[6], turn[3];
    whole w = whole_of(p);
    spin_of(p, &w, momentum, inertia);
    for (int c = 0; c < 3; ++c)
        momentum[c] = spin->momentum[c] - momentum[c];
    if (!turn_for(inertia, momentum, turn))
        return;
    tl_vec3 spun = tl_v3((tl_real)turn[0], (tl_real)turn[1], (tl_real)turn[2]);
    tl_vec3 centre = tl_v3((tl_real)w.centre[0], (tl_real)w.centre[1], (tl_real)w.centre[2]);
    for (int i = 0; i < p->count; ++i) {
        tl_vec3 change = tl_cross(spun, tl_sub(tl_at(p->x, i), centre));
        tl_accumulate(p->v, i, change);
        tl_accumulate(p->x, i, tl_scale(change, h));
    }
}
