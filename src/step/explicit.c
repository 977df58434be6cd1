#include "step/explicit.h"

#include "core/trig.h"

void tl_explicit_model(tl_system *system, tl_real h)
{
    (void)h;
    tl_system_forces(system, system->time);
}

void tl_explicit_move(tl_system *system, tl_integration numbers, tl_real lag)
{
    numbers.keep = (tl_real)tl_exp(-(double)system->damping * (double)numbers.h);
    numbers.before += system->lag;
    system->lag = lag;
    tl_particles *p = &system->p;
    tl_integrate_kernel *integrate = TL_PICK_KERNEL(tl_integrate, system->lanes);
    for (int c = 0; c < 3; ++c)
        integrate(p->count, &numbers, p->w, p->f[c], p->v[c], p->x[c]);
}
