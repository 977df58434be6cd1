/* The broad phase, as the rest of contact sees it: candidate pairs that bound the swept motion of the coming substeps.

   Candidates of two cloths are found for several substeps at once and re-queried where particles move beyond what they
   bound; candidates of a cloth and a body follow every particle by itself. CCD pairs come from the same queries, with
   nothing left out. All else in this folder is private to it. */
#ifndef TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H
#define TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H

#include "contact/cloth/contact_world.h"

/* ---- memory: false when it is short --------------------------------------------------------------------------- */
bool tl_mesh_query_create(tl_contact_mesh *mesh, const tl_allocator *allocator);
void tl_mesh_query_release(tl_contact_mesh *mesh, const tl_allocator *allocator);
/* For all cloths that self-collide. */
bool tl_broad_phase_prepare(tl_contact_world *set);
bool tl_broad_phase_prepare_ccd(tl_contact_world *set);
void tl_broad_phase_release(tl_contact_world *set);

/* ---- frame and substep ---------------------------------------------------------------------------------------- */
/* A frame of so many substeps of h seconds starts: candidates are dropped, particles go on with their velocities. */
void tl_broad_phase_begin_frame(tl_contact_world *set, int substeps, tl_real h);
/* A substep starts: the displacement of the last one enters the prediction. */
void tl_broad_phase_begin_substep(tl_contact_world *set);

/* ---- candidates ----------------------------------------------------------------------------------------------- */
/* Brings the candidates of cloths and bodies up to date, and wakes those that can be near. */
void tl_broad_phase_find_bodies(tl_contact_world *set);
/* Makes the candidates of cloths bound where everything is now. False when they did. */
bool tl_broad_phase_update(tl_contact_world *set);
/* Brings particles back to where the candidates bound them. */
void tl_broad_phase_clamp(tl_contact_world *set);
/* Deviation from the prediction by which the two of a pair can have come closer, m. */
tl_real tl_mesh_pair_deviation(const tl_contact_world *set, const tl_mesh_pair *pair);

/* ---- CCD pairs ------------------------------------------------------------------------------------------------ */
/* Makes the CCD pairs bound where everything is now. */
void tl_broad_phase_update_ccd(tl_contact_world *set);
/* Distance that CCD lets the two of a pair approach to, m. */
static inline tl_real tl_ccd_gap(const tl_mesh_pair *pair) { return TL_CCD_GAP_FRACTION * pair->gap; }
/* tl_mesh_pair_deviation for one CCD pair. */
tl_real tl_ccd_deviation(const tl_contact_world *set, const tl_ccd_pair *pair);
/* Where the four points of two features are at the start of the substep, or at the query. */
void tl_features_points(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], unsigned char kind,
                        bool at_query, tl_vec3 x[4]);

#endif
