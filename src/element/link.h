/* Links between two particles, stored for SIMD: coloured, and inside a colour as runs where possible.

   A colour is a set of links of which no two share a particle. It is a list of pieces, and a piece is either - a run:
   link k joins particles i0 + k and j0 + k, so that eight links are plain vector loads and stores, or - a gathered
   group of at most TL_LANES links, whose particles are looked up in i[] and j[]. Runs are found by the difference of
   indices j − i: links of equal difference and weight are sorted by i, coloured along their chains i → j → … (two
   colours alternate) and cut where i jumps. The particle order of grids (mesh/mesh.h) makes those runs a quarter of a
   row or longer. The rest is coloured greedily and gathered.

   Position-based solvers visit the pieces in the order of step/sweep.h; the last vector of a run rewrites the lanes
   past its end unchanged, so parts of different threads stay a vector apart. Forces are sums: they follow
   `force_order`, the same pieces sorted by lowest particle, which is cache-friendly. The links of a piece are disjoint,
   so every particle receives its forces piece by piece and all vector widths give bit-identical results.

   Links are numbered piece by piece, colour by colour: the arrays i, j, rest and weight have that order too, padded by
   one vector. */
#ifndef TL_ELEMENT_LINK_H
#define TL_ELEMENT_LINK_H

#include "core/memory.h"
#include "core/particles.h"
#include "mesh/mesh.h"

enum { TL_LINK_MIN_RUN = 4 }; /* links; shorter runs cost more than gathering */

typedef struct tl_link {
    int i, j;       /* i < j */
    tl_real rest;   /* m */
    tl_real weight; /* of stiffness and damping */
} tl_link;

typedef struct tl_link_piece {
    int first;      /* link */
    int count;      /* links: 1 … TL_LANES when gathered, any number in a run */
    int i0, j0;     /* first particles of a run; i0 = -1 when gathered */
    int slot;       /* start index in arrays that pad every piece to whole vectors */
    tl_real weight; /* of a run */
    tl_real rest;   /* m, of a run whose links are all equally long */
    int equal_rest; /* 1 when `rest` holds for the whole run, else rest[first + k] */
} tl_link_piece;

typedef struct tl_link_set {
    int count;
    int *i, *j;
    tl_real *rest; /* m */
    tl_real *weight;
    int colour_count;
    int *colour_first; /* colour_count + 1: pieces of colour c are colour_first[c] … colour_first[c+1]-1 */
    int piece_count, slot_count;
    tl_link_piece *piece;       /* colour by colour */
    tl_link_piece *force_order; /* the same pieces by lowest particle */
} tl_link_set;

/* Sorts `count` links without duplicates into a set; reorders the caller's array. False when memory ran out; the set is
   then empty. */
bool tl_link_set_build(tl_link_set *set, const tl_allocator *allocator, tl_link *links, int count, int particle_count);
void tl_link_set_destroy(tl_link_set *set, const tl_allocator *allocator);
size_t tl_link_set_bytes(const tl_link_set *set);

typedef enum tl_link_kind {
    TL_LINK_STRUCTURAL,
    TL_LINK_SHEAR,
    TL_LINK_BEND,
    TL_LINK_DISC,
    TL_LINK_ELASTIC
} tl_link_kind;

/* The links of a kind that a mesh has, in *links (released by the caller), *count of them. False when memory ran
 out. */
bool tl_link_enumerate(const tl_mesh *mesh, tl_link_kind kind, const tl_allocator *allocator, tl_link **links,
                       int *count);

/* Adds the forces of all links: stiffness in N/m, damping in N·s/m, both times the link's weight. */
void tl_link_force_w8(const tl_link_set *set, tl_real stiffness, tl_real damping, bool full, tl_particles *p);
void tl_link_force_w4(const tl_link_set *set, tl_real stiffness, tl_real damping, bool full, tl_particles *p);
void tl_link_force_w1(const tl_link_set *set, tl_real stiffness, tl_real damping, bool full, tl_particles *p);

#endif
