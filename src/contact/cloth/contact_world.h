/* Contact between triangle meshes: cloth with itself, with other cloth, and with bodies made of triangles.

   Contacts are found between vertices and faces and between edges, by their motion in the substep
   (contact/broad_phase), and solved once a substep, whatever the stepper. A contact method is a
   list of phases (contact/contact_method.c); the world runs them in order (world/contacts.c). */
#ifndef TL_CONTACT_CLOTH_CONTACT_WORLD_H
#define TL_CONTACT_CLOTH_CONTACT_WORLD_H

#include "contact/cloth/contact_pair.h"
#include "core/particles.h"
#include "core/tasks.h"

/* Two layers in contact, as a row of the layer solve (contact_solve.c makes it, world/layer_solve.c reads it). */
typedef struct tl_contact_row {
    tl_contact *contact;
    tl_real c[4];         /* 1, weights of the four points */
    tl_vec3 n;            /* unit, out of b */
    tl_real missing;      /* m, closer than the smaller of gap and distance at the start; negative: room left */
    tl_vec3 displacement; /* m, of a along b in this substep */
    tl_real friction;     /* 1 */
} tl_contact_row;

/* Query results of threads (broad_phase/parallel_query.c). */
typedef struct tl_query_worker tl_query_worker;
typedef struct tl_query_result tl_query_result;

/* A plane between two features, for one substep (truncation.c). */
typedef struct tl_separating_plane tl_separating_plane;

/* A contact at rest, while velocities are relaxed (contact_solve.c). */
typedef struct tl_resting_contact tl_resting_contact;

typedef struct tl_contact_world {
    tl_allocator allocator;
    tl_contact_mesh **mesh; /* made by tl_contact_world_add, owned here */
    int count, capacity;
    tl_mesh_pair *pair;
    int pair_count, pair_capacity;
    bool has_layers; /* some pair is of two cloths, or of one with itself */

    /* the world binds these */
    tl_tasks *tasks;       /* threads for queries; NULL: one thread */
    int lanes;             /* of vectors: 8, 4 or 1, bit-identical */
    tl_vec3 up;            /* unit, against gravity; 0: no gravity */
    bool penetration_free; /* CCD bounds every particle's displacement */

    /* of the present substep */
    tl_real h;          /* s */
    tl_real rest_speed; /* m/s; slower impacts do not bounce */
    bool fresh;         /* it is the first of the frame */
    bool too_close;     /* the solve left something far inside its gap */
    bool expels;        /* the first of a frame of penetration-free contact: particles inside any body are put out */

    /* contact_solve.c */
    int sweep;             /* counted through the frame: a contact whose points rest since it was `seen` is skipped */
    int first_sweep;       /* of the present substep */
    int *last_moved_sweep; /* of all particles, mesh by mesh */
    tl_resting_contact *resting;
    int resting_capacity;
    tl_contact_row *row;
    int row_capacity;

    /* contact/broad_phase */
    bool searched;     /* all cloth pairs have the candidates of this substep */
    bool ccd_searched; /* and CCD pairs */
    int substeps_left; /* of the frame, after the present one */
    tl_real slack;     /* m, with which features are listed; 0: lists are of one search only */
    int list_age;      /* substeps since they were */
    tl_vec3 drift[2];  /* m, common displacement since then, at the start and at the end of the substep */
    tl_tree_rows rows; /* working memory */
    tl_contact *aside; /* contacts that are being found again, and places by their hash, from 1; 0: none */
    int *aside_place;
    int aside_count, aside_capacity, aside_places;
    tl_face_pairs near;      /* the same, in intersection_count.c */
    tl_query_worker *worker; /* one per thread */
    tl_query_result *result; /* one per job */
    tl_tree_jobs jobs;
    int worker_count, result_capacity;
    int *found; /* faces of a body */
    int found_capacity;

    /* truncation.c */
    tl_separating_plane *plane;
    int plane_count, plane_capacity;
    int held;        /* particles that could not move at all in this substep */
    tl_vec3 held_at; /* m, the first of them */

    bool failed;   /* out of memory in this frame: some contacts were not found */
    bool troubled; /* in this frame the solve did not separate something at once, or something crossed */
    /* statistics of the frame */
    int rebuilds;  /* searches of all faces */
    int truncated; /* truncated displacements */
    int most_held; /* the most particles `held` in a substep */
    tl_real cut;   /* m, the largest part of a displacement that truncation removed in the last substep */
    int contacts;  /* candidates in the last substep */
} tl_contact_world;

/* Adds a mesh; the caller binds the fields named so. NULL when out of memory. */
tl_contact_mesh *tl_contact_world_add(tl_contact_world *set, const tl_mesh *mesh);
void tl_contact_world_destroy(tl_contact_world *set);
/* Pairs up the meshes that collide; to be called after meshes were added or their settings changed. False when out
   of memory. */
bool tl_contact_world_pair_up(tl_contact_world *set);
/* Frees all memory of a pair. */
void tl_mesh_pair_release(const tl_contact_world *set, tl_mesh_pair *pair);

/* Starts a frame of so many substeps: candidates of the last frame are dropped, so that a
   frame depends on the state alone. */
void tl_contacts_begin_frame(tl_contact_world *set, int substeps);

/* Moves particles out of solid bodies made of triangles: of all, or of those that deform. */
void tl_contacts_expel(tl_contact_world *set, bool only_deforming);
/* Stops particles whose path crosses a body made of triangles; `revert`: they return to where they started. True
   when there were any. */
bool tl_contacts_hold_back(tl_contact_world *set, bool revert);

/* Two cloths, or one with itself; else a cloth and a body. */
static inline bool tl_is_cloth_pair(const tl_contact_world *set, const tl_mesh_pair *pair)
{
    return set->mesh[pair->b]->is_cloth;
}

static inline bool tl_contact_is_marked(const tl_contact_world *set, const tl_contact *contact, unsigned mark)
{
    return tl_features_marked(set->mesh[contact->a], set->mesh[contact->b], contact->p, contact->kind, mark);
}

#endif
