/* The order of particles in memory; order.c says why it matters. */
#ifndef TL_MESH_ORDER_H
#define TL_MESH_ORDER_H

#include "telar/types.h"

/* Column classes of a grid: links to the next column or the one after never share a particle inside a class. */
enum { TL_COLUMN_CLASSES = 4 };

/* Index of column c inside its row: class c mod 4 first, ascending inside the class. */
int tl_order_column(int columns, int c);

/* lattice[r·columns + c] becomes the particle at column c of row r. */
void tl_order_grid(int columns, int rows, int *lattice);

/* rank[p] becomes the new index of particle p; neighbours over the given edges end up close together. Every edge once,
   in any order, no loops. Deterministic. TL_OK or TL_ERROR_MEMORY; time and memory linear in particles + edges. */
tl_result tl_order_by_neighbours(const tl_allocator *allocator, int particle_count, int edge_count, const int *edge_a,
                                 const int *edge_b, int *rank);

#endif
