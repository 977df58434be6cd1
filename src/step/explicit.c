#include "step/explicit.h"

#include "core/trig.h"

void tl_explicit_model(tl_system *system, tl_real h)
{
    (void)h;
    tl_system_forces(system, system->time);
}

typedef struct move_job {
    tl_system *system;
    tl_integration numbers;
    tl_real *const *low; /* NULL: positions are one word */
} move_job;

static void move_part(void *user, int part, int parts)
{
    const move_job *job = user;
    const tl_particles *p = &job->system->p;
    tl_integrate_kernel *integrate = TL_PICK_KERNEL(tl_integrate, job->system->lanes);
    int first = tl_part_bound(p->count, part, parts, TL_LANES),
        last = tl_part_bound(p->count, part + 1, parts, TL_LANES);
    for (int c = 0; c < 3; ++c)
        integrate(last - first, &job->numbers, p->w + first, p->f[c] + first, p->v[c] + first, p->x[c] + first,
                  job->low ? job->low[c] + first : NULL);
}

void tl_explicit_move(tl_system *system, tl_integration numbers, tl_real lag, tl_real *const *low)
{
    numbers.keep = (tl_real)tl_exp(-(double)system->damping * (double)numbers.h);
    numbers.before += system->lag;
    system->lag = lag;
    move_job job = {system, numbers, low};
    tl_tasks_run(system->tasks, move_part, &job);
}
