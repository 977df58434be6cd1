/* What two meshes have in common in a substep: candidate pairs, contacts, crossings and CCD pairs. */
#ifndef TL_CONTACT_CLOTH_CONTACT_PAIR_H
#define TL_CONTACT_CLOTH_CONTACT_PAIR_H

#include "contact/cloth/contact_mesh.h"

typedef enum tl_contact_kind { TL_VERTEX_FACE, TL_EDGE_EDGE } tl_contact_kind;

/* Two features that are or may soon be in contact. Sweeps walk over them: the order of these leaves no holes. */
typedef struct tl_contact {
    int p[4];   /* vertex of a, then corners of a face of b; or two ends of an edge of a, two of one of b */
    short a, b; /* meshes */
    unsigned char kind;
    bool near;         /* in this substep */
    bool is_new;       /* not solved since it was found */
    bool fast;         /* arrived with a displacement longer than the gap: the path counts, not only its end */
    int face;          /* of the cloth, when b or a is a body: the contact belongs to its candidates */
    int seen;          /* sweep that looked at it last; 0: none */
    tl_real gap;       /* m, to keep */
    tl_real clearance; /* m, deviation from the prediction that it takes before the two can touch */
    tl_real wake;      /* m, path length its points need together before it can be near; two cloths only */
    tl_real calm;      /* m, the same, before it can be too close in the substep in which it was `seen` */
    tl_vec3 side;      /* unit, from b to a while they were on their right sides */
    tl_real pushed;    /* N·s along the normal in this substep; INFINITY: it bounced */
} tl_contact;

/* An edge that pierces a face. */
typedef struct tl_crossing {
    int edge[2], face[3];
    int wing[2]; /* corners opposite to the edge in its faces; the second -1 on a border */
    short edge_mesh, face_mesh;
    bool beside; /* next to each other in one cloth: folded too sharply, and what is around keeps its sides */
} tl_crossing;

/* Two features that could come to cross before the candidates expire: continuous collision detection looks at them in
   every substep (truncation.c). */
typedef struct tl_ccd_pair {
    int p[4];   /* as in tl_contact */
    short a, b; /* meshes */
    unsigned char kind;
    tl_real clearance; /* m, deviation from the prediction that it takes before the two can meet */
} tl_ccd_pair;

/* A particle of cloth in a body's frame (broad_phase_body.c). */
typedef struct tl_body_query tl_body_query;

/* A contact that is near, and its points, as all that sweeps read of most of them. */
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
    tl_body_query *probe; /* of a cloth and a body: one per particle */
    bool queried;         /* the same: it has its candidates */
    int age;              /* the same: substeps since all of them were found */
    tl_real stirred;      /* m, the same: by which the body's points have moved in its frame since then */
    tl_ccd_pair *ccd;     /* of a penetration-free world */
    int ccd_count, ccd_capacity;
    bool failed; /* memory ran out while it was filled */
} tl_mesh_pair;

static inline bool tl_has_corner(const int *face, int p) { return face[0] == p || face[1] == p || face[2] == p; }

/* Has any point of two features this mark? */
static inline bool tl_features_marked(const tl_contact_mesh *a, const tl_contact_mesh *b, const int p[4],
                                      unsigned char kind, tl_mark mark)
{
    unsigned all = a->mark[p[0]] | (kind == TL_VERTEX_FACE ? b : a)->mark[p[1]] | b->mark[p[2]] | b->mark[p[3]];
    return all & mark;
}

#endif
