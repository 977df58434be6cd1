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

/* ---- candidate.c ---------------------------------------------------------------------------------------------- */
/* The two features at the start of the substep. */
void tl_contact_separation(const tl_contact_world *set, const tl_contact *contact, tl_separation *out);
/* Can they come within the gap when their distance shrinks by `soon`, and does no other pair represent them? Sets
   the side of the contact. `own`: what the face represents. */
bool tl_contact_is_candidate(tl_contact *contact, const tl_separation *near, tl_real gap, tl_real soon, unsigned own);
/* False when out of memory. */
bool tl_contact_add(const tl_contact_world *set, tl_mesh_pair *pair, const tl_contact *contact);
/* Reserves so many more of each. False when out of memory. */
bool tl_mesh_pair_reserve(const tl_contact_world *set, tl_mesh_pair *pair, int contacts, int crossings, int ccd,
                          int folded);
/* Drops the contacts of marked particles. */
void tl_mesh_pair_drop_marked(const tl_contact_world *set, tl_mesh_pair *pair, unsigned mark);
/* Puts them aside, or all when no mark is given, because they are found again; once that is done from `first` on, those
   that are the same keep what the solve knows of them. */
void tl_mesh_pair_put_aside(tl_contact_world *set, tl_mesh_pair *pair, unsigned mark);
void tl_mesh_pair_carry_over(tl_contact_world *set, tl_mesh_pair *pair, int first);
/* Drops their CCD pairs. */
void tl_mesh_pair_drop_ccd(const tl_contact_world *set, tl_mesh_pair *pair, unsigned mark);
/* Sides are unreliable where an edge pierces a face: drops such contacts, which untangling handles. */
void tl_mesh_pair_drop_tangled(tl_contact_world *set, tl_mesh_pair *pair);
/* Edges of a face that are bent, or on a border, among those it represents (bits 3–5), at points x. */
unsigned tl_bent_edges(const tl_contact_mesh *s, tl_real *const x[3], int face, tl_real gap);
/* The same, computed on first use after `sharp` was cleared. */
unsigned tl_sharp_edges(tl_contact_mesh *mesh, tl_real *const x[3], int face, tl_real gap);

/* ---- features.c ----------------------------------------------------------------------------------------------- */
enum { TL_BENT_KNOWN = 64 }; /* bit of tl_mesh_query.bent */

/* ---- features.c ----------------------------------------------------------------------------------------------- */

/* A search for features of two meshes, or of one with itself, as their points move from `from` to `to`. */
typedef struct tl_feature_search {
    const tl_contact_world *set;
    const tl_contact_mesh *a, *b;
    tl_real *const *from[2], *const *to[2]; /* m, of a and of b */
    tl_tree_search tree;                    /* fitted to the same motion */
    tl_real gap;                            /* m, of contacts: edges count that are bent relative to it */
    tl_sought seek;
    unsigned only; /* tl_mark: only features with a marked particle; 0: all */
} tl_feature_search;

/* Appends what `count` rows hold to `found`, in their order: listed features, crossings, folded particles. */
void tl_features_list(const tl_feature_search *search, const tl_tree_row *row, int count, tl_mesh_pair *found);
/* Appends those of `count` listed features that can come within reach as contacts or CCD pairs; `known`: all can. */
void tl_features_take(const tl_feature_search *search, bool known, tl_feature_pair *pair, int count,
                      tl_mesh_pair *found);

/* Tests pairs of one kind, compiled once per vector width: which of the pairs at `index`, up to TL_LANES, can come
   within reach as their points move? Two features that stay on their sides of a plane between them by more than the
   reach cannot; nor, unless `anywhere`, two that stay on their sides and end beyond it. Returns bits. */
typedef struct tl_feature_motion {
    tl_real *const *from[2], *const *to[2]; /* m, by mesh of the pair */
    tl_real reach;                          /* m */
    unsigned char kind;
    bool anywhere;
} tl_feature_motion;
typedef unsigned tl_features_near_kernel(const tl_feature_motion *motion, const tl_feature_pair *pair, const int *index,
                                         int count);
tl_features_near_kernel tl_features_near_w8, tl_features_near_w4, tl_features_near_w1;

/* ---- parallel_query.c ----------------------------------------------------------------------------------------- */
/* Lists the rows of faces of two meshes that can come within reach of each other. */
void tl_parallel_rows(tl_contact_world *set, const tl_tree_search *search, tl_tree_rows *rows);
/* tl_features_list, of listed rows. */
void tl_parallel_list(const tl_feature_search *search, const tl_tree_rows *rows, tl_contact_world *set,
                      tl_mesh_pair *pair);
/* tl_features_take, of the listed features of a pair. */
void tl_parallel_take(const tl_feature_search *search, bool known, tl_contact_world *set, tl_mesh_pair *pair);
void tl_parallel_query_release(tl_contact_world *set);

#endif
