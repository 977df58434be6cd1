#include "step/sewing.h"

void tl_sewing_destroy(tl_system *system)
{
    tl_sewing *sewing = system->sewing;
    if (!sewing)
        return;
    tl_release(&system->allocator, sewing->i);
    tl_release(&system->allocator, sewing->j);
    tl_release(&system->allocator, sewing->length);
    tl_release(&system->allocator, sewing);
    system->sewing = NULL;
}

tl_result tl_sewing_set(tl_system *system, const int (*pairs)[2], int count, tl_real duration, tl_error *error)
{
    const tl_allocator *allocator = &system->allocator;
    tl_sewing *made = tl_allocate(allocator, 1, sizeof *made), *old = system->sewing;
    system->sewing = made;
    if (made) {
        made->i = tl_allocate(allocator, (size_t)count, sizeof *made->i);
        made->j = tl_allocate(allocator, (size_t)count, sizeof *made->j);
        made->length = tl_allocate(allocator, (size_t)count, sizeof *made->length);
    }
    if (!made || !made->i || !made->j || !made->length) {
        tl_sewing_destroy(system);
        system->sewing = old;
        return tl_fail(error, TL_ERROR_MEMORY, "no memory to sew %d pairs", count);
    }
    made->start = system->time;
    made->duration = duration;
    for (int k = 0; k < count; ++k) {
        int i = pairs[k][0], j = pairs[k][1];
        if (i == j)
            continue;
        made->i[made->count] = i;
        made->j[made->count] = j;
        made->length[made->count++] = tl_length(tl_sub(tl_at(system->p.x, j), tl_at(system->p.x, i)));
    }
    system->sewing = old;
    tl_sewing_destroy(system);
    system->sewing = made;
    return TL_OK;
}

void tl_sewing_apply(tl_system *system, tl_real h)
{
    const tl_sewing *sewing = system->sewing;
    if (!sewing)
        return;
    tl_particles *p = &system->p;
    double done = system->time + (double)h - sewing->start;
    tl_real left = done < (double)sewing->duration ? 1 - (tl_real)(done / (double)sewing->duration) : 0;
    for (int k = 0; k < sewing->count; ++k) {
        int i = sewing->i[k], j = sewing->j[k];
        tl_vec3 apart = tl_sub(tl_at(p->x, j), tl_at(p->x, i));
        tl_real length = tl_length(apart), wanted = left * sewing->length[k], weight = p->w[i] + p->w[j];
        if (!(length > wanted) || !(weight > 0))
            continue;
        tl_vec3 pull = tl_scale(apart, (length - wanted) / (length * weight));
        tl_accumulate(p->x, i, tl_scale(pull, p->w[i]));
        tl_accumulate(p->x, j, tl_scale(pull, -p->w[j]));
        tl_accumulate(p->v, i, tl_scale(pull, p->w[i] / h));
        tl_accumulate(p->v, j, tl_scale(pull, -p->w[j] / h));
    }
}

tl_real tl_sewing_gap(const tl_system *system, tl_real *mean)
{
    const tl_sewing *sewing = system->sewing;
    tl_real largest = 0;
    double sum = 0;
    int count = sewing ? sewing->count : 0;
    for (int k = 0; k < count; ++k) {
        tl_real apart = tl_length(tl_sub(tl_at(system->p.x, sewing->j[k]), tl_at(system->p.x, sewing->i[k])));
        largest = tl_max(largest, apart);
        sum += (double)apart;
    }
    if (mean)
        *mean = count > 0 ? (tl_real)(sum / count) : 0;
    return largest;
}
