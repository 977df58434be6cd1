/* Shared by the files of the broad phase; private to this folder. */
#ifndef TL_CONTACT_BROAD_PHASE_CANDIDATE_H
#define TL_CONTACT_BROAD_PHASE_CANDIDATE_H

#include "contact/broad_phase/broad_phase.h"

/* Separation of two features. */
typedef struct tl_separation {
    tl_vec3 x[4];     /* m, of their points */
    tl_vec3 apart;    /* m, from b's nearest point to a's */
    tl_real distance; /* m */
    unsigned feature; /* nearest feature of a face: 0 interior, bit 3+k edge k, bit k corner k */
} tl_separation;

/* ---- motion_predict.c ----------------------------------------------------------------------------------------- */
/* Starts a frame with substeps of h seconds: predicts motion from velocities. */
void tl_predict_begin_frame(tl_contact_mesh *mesh, tl_real h);
/* Starts a substep: the last displacement enters the smoothed step. */
void tl_predict_begin_substep(tl_contact_mesh *mesh);
/* Predicts all particles for at most so many substeps, before a full query. */
void tl_predict_all(tl_contact_world *set, int longest);
/* Predicts one particle again, from the start of this substep on. */
void tl_predict_particle(const tl_contact_world *set, tl_contact_mesh *mesh, int particle);
/* Fraction of the predicted motion from query.start to query.predicted_end at that age of the candidates, 0 to 1. */
tl_real tl_predicted_part(const tl_contact_world *set, int age);
/* Do the candidates bound x? Measures the deviation from the prediction. */
bool tl_broad_phase_holds(tl_contact_world *set);

/* ---- broad_phase_update.c: re-queries stale particles and keeps the candidates of the others. False when too many
   are stale, or the candidates have expired. */
bool tl_broad_phase_requery(tl_contact_world *set);

/* ---- broad_phase.c -------------------------------------------------------------------------------------------- */
/* The candidates of two cloths, from the start of the substep and the predicted motion. */
void tl_broad_phase_find(tl_contact_world *set, tl_mesh_pair *pair);
/* Only those with a stale particle. */
void tl_broad_phase_find_stale(tl_contact_world *set, tl_mesh_pair *pair);
/* The two features at the start of the substep, or at the query. */
void tl_contact_separation(const tl_contact_world *set, const tl_contact *contact, bool at_query, tl_separation *out);
/* Can they come within the gap when their distance shrinks by `soon`, and does no other pair represent them? Sets
   the side of the contact. `own`: what the face represents. */
bool tl_contact_is_candidate(tl_contact *contact, const tl_separation *near, tl_real gap, tl_real soon, unsigned own);
/* False when out of memory. */
bool tl_contact_add(const tl_contact_world *set, tl_mesh_pair *pair, const tl_contact *contact);
/* Reserves so many more of each. False when out of memory. */
bool tl_mesh_pair_reserve(const tl_contact_world *set, tl_mesh_pair *pair, int contacts, int crossings, int ccd);
/* Sides are unreliable where an edge pierces a face: drops such contacts, which untangling handles. */
void tl_mesh_pair_drop_tangled(tl_contact_world *set, tl_mesh_pair *pair);
/* tl_bent_edges, computed on first use after `sharp` was cleared. */
unsigned tl_sharp_edges(tl_contact_mesh *mesh, tl_real *const x[3], int face, tl_real gap);
/* How far two features can approach before the candidates expire, if the prediction holds, m. */
tl_real tl_features_closing(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4], int split);

/* A face and the bounds of its mesh. */
typedef struct tl_bounded_face {
    const tl_swept_bounds *fit;
    int face;
} tl_bounded_face;

/* Features of two faces with overlapping boxes that can come within `reach` of each other before the candidates
   expire, each pair once, of what is near (tl_nearness). At most 15. False when the faces as a whole stay apart.
   `stale`: the two may have been queried at different times. */
typedef struct tl_features {
    int count;
    struct {
        int p[4];
        unsigned char kind;
        bool swapped; /* the vertex is of b, the face of a */
    } entry[16];
} tl_features;
bool tl_features_of(const tl_bounded_face *f, const tl_bounded_face *g, unsigned near, bool stale, tl_real reach,
                    tl_features *out);

/* ---- broad_phase_ccd.c ---------------------------------------------------------------------------------------- */
/* Finds faces that may fold over before the candidates expire; all, or the stale ones. */
void tl_ccd_mark_may_fold(tl_contact_world *set, bool stale);
/* Finds CCD pairs with a stale particle again. */
void tl_ccd_find_stale(tl_contact_world *set, tl_mesh_pair *pair);

#endif
