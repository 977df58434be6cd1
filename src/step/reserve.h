/* Elastic reserve: how much the cloth stretches under its own weight. Tethers and coarse levels bound distances from
   above to remove the stretch that sweeps leave; they must leave this much, or they would change the rest shape of an
   elastic cloth.

   A path of length d from a pinned particle, at the angle θ to the warp, has the compliance of an orthotropic membrane,
   S = (cos⁴θ + sin⁴θ)/k + cos²θ sin²θ/G with k along warp and weft and G in shear. It grows by two parts: ρ g L S d,
   the load of the cloth of length L that hangs below, and W S (1 + ln(d/e))/n, the weight W of the whole cloth that
   fans out from n particles of spacing e; 1 + ln t ≤ 8 t^⅛ − 7. No path need be longer than the one along warp and
   weft, which does not shear. Cloth that shears more than TL_RESERVE_SHEAR times as easily as it stretches is bounded
   as if it did not: sweeps alone do not hold so loose a lattice. */
#ifndef TL_STEP_RESERVE_H
#define TL_STEP_RESERVE_H

#include "core/particles.h"
#include "mesh/mesh.h"

enum { TL_RESERVE_SHEAR = 4 };

typedef struct tl_reserve {
    tl_real along, shear; /* m/N, 1/k and 1/G; 0: rigid */
    tl_real hung;         /* N/m², ρ g with a margin */
    tl_real weight;       /* N, of the whole cloth */
    tl_real spacing;      /* m, e */
    tl_real high;         /* 1, length ratio up to which no constraint acts: 1, or the upper end of a range */
} tl_reserve;

static inline bool tl_reserve_equal(const tl_reserve *a, const tl_reserve *b)
{
    return a->along == b->along && a->shear == b->shear && a->hung == b->hung && a->weight == b->weight &&
           a->spacing == b->spacing && a->high == b->high;
}

/* Largest length of a path of rest length d and compliance s; `longest` is L, `carried` 1/n, or 0 when nothing is
   pinned. */
static inline tl_real tl_reserve_length(const tl_reserve *r, tl_real d, tl_real s, tl_real longest, tl_real carried)
{
    tl_real fan = 8 * sqrt(sqrt(sqrt(tl_max(d / r->spacing, 1)))) - 7;
    return r->high * (d + s * (r->hung * longest * d + r->weight * carried * fan));
}

/* The same for a path with the components du and dv along warp and weft. */
static inline tl_real tl_reserve_path(const tl_reserve *r, tl_real du, tl_real dv, tl_real longest, tl_real carried)
{
    tl_real square = du * du + dv * dv;
    if (!(square > 0))
        return 0;
    tl_real c = du * du / square, s = dv * dv / square, direct = sqrt(square);
    tl_real straight = tl_reserve_length(r, direct, (c * c + s * s) * r->along + c * s * r->shear, longest, carried);
    return tl_min(straight, tl_reserve_length(r, du + dv, r->along, longest, carried));
}

#endif
