/* Force of links, vectorised.

   d = x_j − x_i, n = d/|d|; on i acts  w [k (|d| − L) + c (Δv·n)] n  (damping along the link) or
   w [k (|d| − L) n + c Δv]  (full damping), on j the opposite. k, c: stiffness and damping, w: weight of the link,
   L: rest length. Coincident particles have no direction: n = 0, so their link exerts no spring force until they
   separate.

   Provot (1995), "Deformation constraints in a mass-spring model to describe rigid cloth behavior". */
#include "element/link.h"
#include "element/vectors.h"

/* The force on particle i of TL_WIDTH links. `full` is constant wherever this is inlined. */
TL_INLINE tl_vectors link_force(tl_vectors d, tl_vectors dv, tl_vec rest, tl_vec stiffness, tl_vec damping, bool full)
{
    tl_vec zero = tl_vec_set(0), one = tl_vec_set(1);
    tl_vec square = d.x * d.x + d.y * d.y + d.z * d.z;
    tl_vec length = tl_vec_sqrt(square);
    tl_vec inverse = one / tl_select(square > zero, length, one);
    tl_vec elastic = stiffness * (length - rest);
    tl_vectors f;
    if (full) {
        tl_vec scale = elastic * inverse;
        f.x = d.x * scale + dv.x * damping;
        f.y = d.y * scale + dv.y * damping;
        f.z = d.z * scale + dv.z * damping;
    } else {
        tl_vec along = (d.x * dv.x + d.y * dv.y + d.z * dv.z) * inverse;
        tl_vec scale = (elastic + damping * along) * inverse;
        f.x = d.x * scale;
        f.y = d.y * scale;
        f.z = d.z * scale;
    }
    return f;
}

/* Up to TL_WIDTH links between the particles at i[0 …] and j[0 …]. */
TL_INLINE void block(const tl_particles *p, const int *i, const int *j, int count, bool run, tl_vec rest,
                     tl_vec stiffness, tl_vec damping, bool full)
{
    tl_vectors d = tl_vs_sub(tl_vs_read(p->x, j, run), tl_vs_read(p->x, i, run));
    tl_vectors dv = tl_vs_sub(tl_vs_read(p->v, j, run), tl_vs_read(p->v, i, run));
    tl_vectors f = link_force(d, dv, rest, stiffness, damping, full);
    /* i is stored before j is loaded: beyond `count`, the lanes of both may overlap */
    tl_vs_add_to(p->f, i, f, count, run);
    tl_vs_take_from(p->f, j, f, count, run);
}

TL_INLINE void run_force(const tl_link_set *set, const tl_link_piece *run, tl_real stiffness, tl_real damping,
                         bool full, const tl_particles *p)
{
    tl_vec k_weighted = tl_vec_set(stiffness * run->weight), d_weighted = tl_vec_set(damping * run->weight);
    tl_vec rest = tl_vec_set(run->rest);
    const tl_real *rests = set->rest + run->first;
    for (int k = 0; k < run->count; k += TL_WIDTH) {
        int i = run->i0 + k, j = run->j0 + k, left = run->count - k;
        if (!run->equal_rest)
            rest = tl_vec_load(rests + k);
        if (left >= TL_WIDTH)
            block(p, &i, &j, TL_WIDTH, true, rest, k_weighted, d_weighted, full);
        else
            block(p, &i, &j, left, true, rest, k_weighted, d_weighted, full);
    }
}

TL_INLINE void gathered_force(const tl_link_set *set, const tl_link_piece *group, tl_real stiffness, tl_real damping,
                              bool full, const tl_particles *p)
{
    int end = group->first + group->count;
    for (int first = group->first; first < end; first += TL_WIDTH) {
        const int *i = set->i + first, *j = set->j + first;
        tl_vec weight = tl_vec_load(set->weight + first), rest = tl_vec_load(set->rest + first);
        if (first + TL_WIDTH <= end)
            block(p, i, j, TL_WIDTH, false, rest, stiffness * weight, damping * weight, full);
        else
            block(p, i, j, end - first, false, rest, stiffness * weight, damping * weight, full);
    }
}

TL_INLINE void all_forces(const tl_link_set *set, tl_real stiffness, tl_real damping, bool full, const tl_particles *p)
{
    for (int n = 0; n < set->piece_count; ++n) {
        const tl_link_piece *piece = &set->force_order[n];
        if (piece->i0 >= 0)
            run_force(set, piece, stiffness, damping, full, p);
        else
            gathered_force(set, piece, stiffness, damping, full, p);
    }
}

void TL_KERNEL(tl_link_force)(const tl_link_set *set, tl_real stiffness, tl_real damping, bool full, tl_particles *p)
{
    const tl_particles own = *p; /* a local copy that stores cannot alias, so that its pointers stay in registers */
    if (full)
        all_forces(set, stiffness, damping, true, &own);
    else
        all_forces(set, stiffness, damping, false, &own);
}
