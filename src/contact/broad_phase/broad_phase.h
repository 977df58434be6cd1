/* The broad phase: candidate pairs that bound the swept motion of the coming substeps.

   Candidates of two cloths are found for several substeps at once and re-queried where particles move beyond what
   they bound; candidates of a cloth and a body are tracked per particle. CCD pairs come from the same queries, with
   nothing left out. Everything else in this folder is private to it. */
#ifndef TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H
#define TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H

#include "contact/cloth/contact_world.h"

/* ---- memory: false when out of it ----------------------------------------------------------------------------- */
bool tl_mesh_query_create(tl_contact_mesh *mesh, const tl_allocator *allocator);
void tl_mesh_query_release(tl_contact_mesh *mesh, const tl_allocator *allocator);
/* For all self-colliding cloths. */
bool tl_broad_phase_prepare(tl_contact_world *set);
bool tl_broad_phase_prepare_ccd(tl_contact_world *set);
void tl_broad_phase_release(tl_contact_world *set);

/* ---- frame and substep ---------------------------------------------------------------------------------------- */
/* Starts a frame of so many substeps of h seconds: drops candidates, predicts motion from velocities. */
void tl_broad_phase_begin_frame(tl_contact_world *set, int substeps, tl_real h);
/* Starts a substep: the displacement of the last one enters the prediction. */
void tl_broad_phase_begin_substep(tl_contact_world *set);

/* How far the cloths moved in this substep, relative to their common motion and to what candidates may bound: above
   1, the substep is too long to find contacts in it. */
tl_real tl_broad_phase_sweep(const tl_contact_world *set);
/* Shortens displacements and velocities beside the common motion to that part, and counts them as truncated. */
void tl_broad_phase_slow_down(tl_contact_world *set, tl_real sweep);

/* ---- candidates ----------------------------------------------------------------------------------------------- */
/* Allocates what a pair of a cloth and a body needs. False when out of memory. */
bool tl_broad_phase_prepare_body(tl_contact_world *set, tl_mesh_pair *pair);
/* Updates the candidates of cloths and bodies, and wakes those that can be near. */
void tl_broad_phase_find_bodies(tl_contact_world *set);
/* Makes the candidates of cloths bound the present positions. False when they already did. */
bool tl_broad_phase_update(tl_contact_world *set);
/* Moves particles back to where the candidates bound them. */
void tl_broad_phase_clamp(tl_contact_world *set);
/* Deviation from the predictions by which the features of a pair can have come closer, m. */
tl_real tl_mesh_pair_deviation(const tl_contact_world *set, const tl_mesh_pair *pair);

/* ---- CCD pairs ------------------------------------------------------------------------------------------------ */
/* Makes the CCD pairs bound the present positions. */
void tl_broad_phase_update_ccd(tl_contact_world *set);
/* Distance to which CCD lets the features of a pair approach, m. */
static inline tl_real tl_ccd_gap(const tl_mesh_pair *pair) { return TL_CCD_GAP_FRACTION * pair->gap; }
/* tl_mesh_pair_deviation for one CCD pair. */
tl_real tl_ccd_deviation(const tl_contact_world *set, const tl_ccd_pair *pair);
/* The four points of two features at the start of the substep, or at the query. */
void tl_features_points(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], unsigned char kind,
                        bool at_query, tl_vec3 x[4]);

#endif
