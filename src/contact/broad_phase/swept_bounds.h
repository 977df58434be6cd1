/* Boxes around the ways that particles may go during the life of the lists (contact/cloth/contact_world.h). */
#ifndef TL_CONTACT_FIT_H
#define TL_CONTACT_FIT_H

#include "contact/cloth/contact_world.h"

/* Edges that count: those that are bent or on the border, which vertices do not stand for; or all. */
typedef enum tl_bounds_edges { TL_EDGES_BENT, TL_EDGES_ALL } tl_bounds_edges;

/* Edges of a face that are bent, or on a border, among those it stands for (bits 3–5), at points x. */
unsigned tl_bent_edges(const tl_contact_mesh *s, tl_real *const x[3], int face, tl_real gap);

/* Surface and tree are borrowed. False when memory is short. */
bool tl_swept_bounds_create(tl_swept_bounds *fit, tl_contact_mesh *s, tl_bvh *tree, tl_bounds_edges edges,
                            const tl_allocator *allocator);
void tl_swept_bounds_release(tl_swept_bounds *fit, const tl_allocator *allocator);

/* Boxes with this margin on all sides, around every way from listed to ahead with its slack; edges are bent for this
   gap. Does nothing when that was done since the lists were made. */
void tl_swept_bounds_fit(tl_swept_bounds *fit, tl_real gap, tl_real margin);
/* The same after faces went stale, which are marked: where all was fitted before, boxes only grow, and with them the
   bounds of normals. `lively`, per face, may be NULL (tl_bvh_bound_normals). */
void tl_swept_bounds_fit_stale(tl_swept_bounds *fit, tl_real gap, tl_real margin, const unsigned char *lively);

#endif
