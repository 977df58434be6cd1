/* Shared by the kernels on faces: their edges, and matrices between their corners (tl_element_class.pairs). */
#ifndef TL_ELEMENT_FACE_PAIRS_H
#define TL_ELEMENT_FACE_PAIRS_H

#include "element/face.h"
#include "element/vectors.h"

/* The corners of each pair. */
static const int FIRST[3] = {0, 0, 1}, SECOND[3] = {1, 2, 2};

/* From corner 0 to the other two. */
typedef struct face_edges {
    tl_vectors x1, x2;
} face_edges;

TL_INLINE face_edges edges_at(const tl_face_set *set, const tl_particles *p, int k)
{
    tl_vectors x0 = tl_vs_read(p->x, set->particle[0] + k, false);
    return (face_edges){tl_vs_sub(tl_vs_read(p->x, set->particle[1] + k, false), x0),
                        tl_vs_sub(tl_vs_read(p->x, set->particle[2] + k, false), x0)};
}

/* Adds a bᵀ + more I from `lane` on. */
TL_INLINE void add_outer(tl_element_pair *pair, int lane, tl_vectors a, tl_vectors b, tl_vec more)
{
    const tl_vec row[3] = {a.x, a.y, a.z}, column[3] = {b.x, b.y, b.z};
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            tl_real *out = (*pair)[3 * r + c] + lane;
            tl_vec sum = tl_vec_load(out) + row[r] * column[c];
            tl_vec_store(out, r == c ? sum + more : sum);
        }
}

#endif
