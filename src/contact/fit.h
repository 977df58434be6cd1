/* Boxes around the ways that particles may go during the life of the lists (contact/surface.h). */
#ifndef TL_CONTACT_FIT_H
#define TL_CONTACT_FIT_H

#include "contact/surface.h"

/* Edges that count: those that are bent or on the border, which vertices do not stand for; or all. */
typedef enum tl_fit_edges { TL_EDGES_BENT, TL_EDGES_ALL } tl_fit_edges;

/* Edges of a face that are bent, or on a border, among those it stands for (bits 3–5), at points x. */
unsigned tl_bent_edges(const tl_surface *s, tl_real *const x[3], int face, tl_real gap);

/* Surface and tree are borrowed. False when memory is short. */
bool tl_fit_make(tl_fit *fit, tl_surface *s, tl_bvh *tree, tl_fit_edges edges, const tl_allocator *allocator);
void tl_fit_release(tl_fit *fit, const tl_allocator *allocator);

/* Boxes with this margin on all sides, around every way from listed to ahead with its slack; edges are bent for this
   gap. Does nothing when that was done since the lists were made. */
void tl_fit_all(tl_fit *fit, tl_real gap, tl_real margin);
/* The same after faces went astray, which are marked: where all was fitted before, boxes only grow, and with them the
   bounds of normals. `lively`, per face, may be NULL (tl_bvh_bound_normals). */
void tl_fit_astray(tl_fit *fit, tl_real gap, tl_real margin, const unsigned char *lively);

#endif
