/* What two meshes share in a substep: candidate pairs, contacts, crossings and CCD pairs. */
#ifndef TL_CONTACT_CLOTH_CONTACT_PAIR_H
#define TL_CONTACT_CLOTH_CONTACT_PAIR_H

#include "contact/cloth/contact_mesh.h"

typedef enum tl_contact_kind { TL_VERTEX_FACE, TL_EDGE_EDGE } tl_contact_kind;

/* Two features that are or may soon be in contact. Ordered to leave no padding: sweeps walk over many. */
typedef struct tl_contact {
    int p[4];   /* vertex of a, then corners of a face of b; or two ends of an edge of a, two of one of b */
    short a, b; /* meshes */
    unsigned char kind;
    bool near;         /* in this substep */
    bool fast;         /* closes in by more than the gap: the path is tested, not only its end */
    int face;          /* of the cloth, when a or b is a body: whose candidates it belongs to */
    int seen;          /* last sweep that solved it; 0: none */
    tl_real gap;       /* m, to keep */
    tl_real clearance; /* m, motion before the two can touch; of a cloth and a body */
    tl_vec3 side;      /* unit, from b to a when they were last on their proper sides */
    tl_real pushed;    /* N·s along the normal in this substep; INFINITY: it bounced */
} tl_contact;

/* An edge that pierces a face. */
typedef struct tl_crossing {
    int edge[2], face[3];
    int wing[2]; /* vertices opposite the edge in its faces; the second -1 on a border */
    short edge_mesh, face_mesh;
    bool beside; /* neighbours in one cloth: folded too sharply; contacts around it keep their sides */
} tl_crossing;

/* Two features that could cross in the substep: tested by continuous collision detection (truncation.c). */
typedef struct tl_ccd_pair {
    int p[4];   /* as in tl_contact */
    short a, b; /* meshes */
    unsigned char kind;
} tl_ccd_pair;

/* Two features of near faces. */
typedef struct tl_feature_pair {
    int p[4]; /* as in tl_contact */
    unsigned char kind;
    unsigned char own; /* what the face represents */
    bool swapped;      /* the vertex is of b, the face of a */
    bool near;         /* passed the last test */
} tl_feature_pair;

typedef struct tl_feature_list {
    tl_feature_pair *pair;
    int count, capacity;
} tl_feature_list;

/* What is sought among them. */
typedef enum tl_sought { TL_SEEK_CONTACTS, TL_SEEK_CCD_PAIRS, TL_SOUGHT } tl_sought;

/* A particle of cloth in a body's frame (broad_phase_body.c). */
typedef struct tl_body_query tl_body_query;

/* A contact that is near and its points: all that most sweeps read. */
typedef struct tl_near_contact {
    int contact;
    int point[4]; /* in tl_contact_world.last_moved_sweep */
} tl_near_contact;

/* Contact of two meshes, or of one with itself. */
typedef struct tl_mesh_pair {
    int a, b;
    tl_real gap, margin; /* m */
    tl_contact *contact;
    int count, capacity;
    tl_near_contact *near; /* those that were near in the last sweep */
    int near_count;
    tl_crossing *crossing;
    int crossing_count, crossing_capacity;
    int *folded; /* particles around which cloth is folded back */
    int folded_count, folded_capacity;
    tl_feature_list listed[TL_SOUGHT]; /* of two cloths: features that may be near (broad_phase.c) */
    tl_body_query *probe;              /* of a cloth and a body: one per particle */
    bool queried;                      /* the same: its candidates are valid */
    int age, life;                     /* the same: substeps since the last full query; for which it bounds motion */
    tl_contact *kept;                  /* the same: working memory as large as `contact` */
    int kept_capacity;
    tl_barrier_clearance *clearance; /* the same: one per particle (barrier.c) */
    tl_ccd_pair *ccd;                /* of a penetration-free world */
    int ccd_count, ccd_capacity;
    bool failed; /* out of memory while it was filled */
} tl_mesh_pair;

static inline bool tl_has_corner(const int *face, int p) { return face[0] == p || face[1] == p || face[2] == p; }

/* Does any point of two features have this mark? */
static inline bool tl_features_marked(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4],
                                      unsigned char kind, unsigned mark)
{
    unsigned all = a->mark[p[0]] | (kind == TL_VERTEX_FACE ? b : a)->mark[p[1]] | b->mark[p[2]] | b->mark[p[3]];
    return all & mark;
}

#endif
