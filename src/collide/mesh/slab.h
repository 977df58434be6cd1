/* A conservative bound on everything within some distance of a face, for tree queries: a box around it, cut to a
   slab along its plane. */
#ifndef TL_COLLIDE_MESH_SLAB_H
#define TL_COLLIDE_MESH_SLAB_H

#include "collide/mesh/bvh.h"

typedef struct tl_slab {
    tl_box box;
    tl_real up[4], down[4]; /* positive and negative parts of the unit normal */
    tl_real low, high;      /* m along the normal */
} tl_slab;

/* Around the triangle, within `reach`. A degenerate one gets the whole box. */
static inline tl_slab tl_slab_around(const tl_vec3 corner[3], tl_real reach)
{
    tl_vec3 normal = tl_triangle_normal(corner);
    const tl_real n[3] = {normal.x, normal.y, normal.z};
    const tl_real x[3][3] = {{corner[0].x, corner[1].x, corner[2].x},
                             {corner[0].y, corner[1].y, corner[2].y},
                             {corner[0].z, corner[1].z, corner[2].z}};
    tl_slab slab = {.low = tl_dot(normal, corner[0]) - reach, .high = tl_dot(normal, corner[0]) + reach};
    for (int c = 0; c < 3; ++c) {
        slab.box.low[c] = tl_min(tl_min(x[c][0], x[c][1]), x[c][2]) - reach;
        slab.box.high[c] = tl_max(tl_max(x[c][0], x[c][1]), x[c][2]) + reach;
        slab.up[c] = tl_max(n[c], 0);
        slab.down[c] = tl_min(n[c], 0);
    }
    return slab;
}

/* Range of the box along the normal. */
static inline void tl_slab_range(const tl_slab *slab, const tl_box *box, tl_real *least, tl_real *most)
{
    *least = *most = 0;
    for (int c = 0; c < 3; ++c) {
        *least += slab->up[c] * box->low[c] + slab->down[c] * box->high[c];
        *most += slab->up[c] * box->high[c] + slab->down[c] * box->low[c];
    }
}

/* Does the box overlap the slab? If a box does, so does every box around it, to the last bit. */
static inline bool tl_slab_overlaps(const tl_slab *slab, const tl_box *box)
{
    if (!tl_boxes_overlap(&slab->box, box))
        return false;
    tl_real least, most;
    tl_slab_range(slab, box, &least, &most);
    return least <= slab->high && most >= slab->low;
}

#endif
