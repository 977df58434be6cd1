/* Bounds around the predicted motion of particles during the life of candidates (contact/broad_phase/mesh_query.h). */
#ifndef TL_CONTACT_BROAD_PHASE_SWEPT_BOUNDS_H
#define TL_CONTACT_BROAD_PHASE_SWEPT_BOUNDS_H

#include "contact/cloth/contact_world.h"

/* Active edges: those that are bent or on the border, which vertex contacts do not cover; or all. */
typedef enum tl_bounds_edges { TL_EDGES_BENT, TL_EDGES_ALL } tl_bounds_edges;

/* Edges of a face that are bent, or on a border, among those it represents (bits 3–5), at points x. */
unsigned tl_bent_edges(const tl_contact_mesh *s, tl_real *const x[3], int face, tl_real gap);

/* Mesh and tree are borrowed. False when out of memory. */
bool tl_swept_bounds_create(tl_swept_bounds *bounds, tl_contact_mesh *s, tl_bvh *tree, tl_bounds_edges edges,
                            const tl_allocator *allocator);
void tl_swept_bounds_release(tl_swept_bounds *bounds, const tl_allocator *allocator);

/* Fits boxes with this margin around the predicted motion of every particle and its tolerance; edges are bent
   relative to this gap. Does nothing when that was done since the last query. */
void tl_swept_bounds_fit(tl_swept_bounds *bounds, tl_real gap, tl_real margin);
/* The same after faces went stale, which are marked: boxes and bounds of normals only grow. `may_fold`, per face,
   may be NULL (tl_bvh_bound_normals). */
void tl_swept_bounds_fit_stale(tl_swept_bounds *bounds, tl_real gap, tl_real margin, const unsigned char *may_fold);

#endif
