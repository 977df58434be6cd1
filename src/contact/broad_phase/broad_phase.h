/* The broad phase: which features can touch in a substep.

   Candidates of two cloths are found in every substep, from where all points are before contact and where they
   would be without it; candidates of a cloth and a body are tracked per particle (broad_phase_body.c). CCD pairs come
   from the same search, with nothing left out. Which candidates there are, and in what order, depends on the positions
   alone. Everything else in this folder is private to it. */
#ifndef TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H
#define TL_CONTACT_BROAD_PHASE_BROAD_PHASE_H

#include "contact/cloth/contact_world.h"

/* ---- memory: false when out of it ----------------------------------------------------------------------------- */
bool tl_mesh_query_create(tl_contact_mesh *mesh, const tl_allocator *allocator);
void tl_mesh_query_release(tl_contact_mesh *mesh, const tl_allocator *allocator);
/* For all self-colliding cloths. */
bool tl_broad_phase_prepare(tl_contact_world *set);
void tl_broad_phase_release(tl_contact_world *set);

/* ---- frame and substep ---------------------------------------------------------------------------------------- */
/* Starts a frame of so many substeps: drops all lists, so that a frame depends on the state alone. */
void tl_broad_phase_begin_frame(tl_contact_world *set, int substeps);
/* Starts a substep. */
void tl_broad_phase_begin_substep(tl_contact_world *set);

/* How far the cloths moved in this substep, relative to their common motion and to what the search can bound: above 1,
   the substep is too long to find contacts in it. */
tl_real tl_broad_phase_sweep(const tl_contact_world *set);
/* Shortens displacements and velocities beside the common motion to that part, and counts them as truncated. */
void tl_broad_phase_slow_down(tl_contact_world *set, tl_real sweep);

/* ---- candidates ----------------------------------------------------------------------------------------------- */
/* Allocates what a pair of a cloth and a body needs. False when out of memory. */
bool tl_broad_phase_prepare_body(tl_contact_world *set, tl_mesh_pair *pair);
/* Updates the candidates of cloths and bodies, and wakes those that can be near. */
void tl_broad_phase_find_bodies(tl_contact_world *set);
/* Finds the candidates of cloths for the motion to the present positions, or, later in the substep, those of particles
   that contact moved away from where candidates were found. False when none had to be found. */
bool tl_broad_phase_update(tl_contact_world *set);
/* Moves particles back to where the candidates were found. */
void tl_broad_phase_clamp(tl_contact_world *set);

/* ---- CCD pairs ------------------------------------------------------------------------------------------------ */
/* Makes the CCD pairs bound the motion to the present positions. */
void tl_broad_phase_update_ccd(tl_contact_world *set);
/* Distance to which CCD lets the features of a pair approach, m. */
static inline tl_real tl_ccd_gap(const tl_mesh_pair *pair) { return TL_CCD_GAP_FRACTION * pair->gap; }
/* The four points of two features at the start of the substep. */
void tl_features_points(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], unsigned char kind,
                        tl_vec3 x[4]);

/* ---- present positions ---------------------------------------------------------------------------------------- */
/* Fits the trees of all cloths to the present positions, for tl_broad_phase_present_rows; what was listed stays. */
void tl_broad_phase_fit_present(tl_contact_world *set);
/* Faces of a pair of cloths that may cross at present; working memory of the set. */
const tl_tree_rows *tl_broad_phase_present_rows(tl_contact_world *set, const tl_mesh_pair *pair);

#endif
