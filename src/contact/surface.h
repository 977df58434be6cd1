/* Contact between surfaces of triangles: cloth with itself, with other cloth, and with bodies made of triangles.

   A surface is the mesh of a cloth, or of a body whose points have no inverse mass and move as they are told. Contact
   is found between vertices and faces and between edges and edges, in lists of close pairs that are made anew when
   their margin is used up (contact/pairs.c), and answered once a substep, whatever the stepper (contact/answer.c). What
   crosses already is pulled apart (contact/untangle.c). The method "safe" bounds each particle's way by the distances
   around it, so that nothing can cross at all (contact/bound.c). */
#ifndef TL_CONTACT_SURFACE_H
#define TL_CONTACT_SURFACE_H

#include "contact/barrier.h"
#include "contact/bvh.h"
#include "core/particles.h"
#include "core/tasks.h"
#include "mesh/mesh.h"
#include "telar/octree.h"

/* Bits of `mark`; the highest is TL_BARRIER_OUTSIDE. */
typedef enum tl_mark {
    TL_TANGLED = 1, /* of an edge that pierces a face, or of that face */
    TL_ASTRAY = 2,  /* not where it was expected */
    TL_PRESSED = 4, /* of a pair that was much too near in this substep, or set back */
    TL_BENT = 8     /* cloth bent back around it when the lists were made */
} tl_mark;

/* A face as lists see it. */
typedef struct tl_tile {
    tl_vec3 corner[3]; /* m, where they were listed */
    tl_vec3 normal;    /* unit */
    tl_real height;    /* m, of its plane along the normal */
    tl_vec3 way;       /* m, mean of its corners' to where they are expected at the end of the lists' life */
    tl_real stray;     /* m, farthest that one of them can be from that, without using up margins */
} tl_tile;

/* Boxes around the ways of particles during the life of the lists, and the tree around these (contact/fit.h). */
typedef struct tl_fit {
    struct tl_surface *surface;
    tl_bvh *tree;               /* with its parts */
    tl_box *box;                /* per particle */
    unsigned char *bent;        /* per face: edges it stands for that are bent or on the border (bits 3–5); or NULL */
    const unsigned char *edges; /* those that count: `bent`, or all that it stands for */
    bool crossings;             /* what crosses is looked for, too */
    tl_real gap, margin;        /* m, that the boxes were made for; the latter below 0: not fitted to the lists */
    tl_real marked;             /* m, the margin of the faces astray, which are marked; below 0: not yet */
} tl_fit;

enum { TL_UNSUPPORTED = 255 };
enum { TL_AT_ONCE = 8 };         /* particles: the compiler makes vectors of them */
enum { TL_SURFACE_BLOCK = 256 }; /* particles of which one flag says whether any was moved */

typedef struct tl_surface {
    /* told by the owner; arrays by particle of the mesh */
    const tl_mesh *mesh;
    tl_real *x[3], *x_old[3]; /* m, at the end and at the start of the substep */
    tl_real *v[3];            /* m/s */
    const tl_real *w;         /* 1/kg; 0: moves as it is told */
    tl_real *pressure;        /* N·s, normal impulses are added; NULL for bodies */
    tl_real thickness;        /* m, kept from bodies */
    tl_real gap;              /* m, kept from layers of cloth */
    tl_real layer_friction;   /* 1, with layers of cloth */
    tl_real friction;         /* 1, with bodies */
    tl_real restitution;      /* 1, of bodies */
    bool is_cloth;
    bool layers;       /* cloth that meets itself and other such cloth */
    bool bodies;       /* cloth that meets bodies; a body that is met */
    bool solved;       /* cloth whose stepper solves contact with bodies itself (contact/touch.h) */
    tl_octree *octree; /* of a body that does not deform, in its own frame, in place of the tree of boxes; NULL: none */
    bool still;        /* body whose points do not move in this substep and did not in the one before */
    bool solid;        /* body with an inside: only its front is met */
    tl_barrier *barrier; /* of a body: nothing goes through it */

    /* out, of one substep */
    tl_vec3 impulse, moment; /* N·s, N·m·s about `pivot`, that a body received */
    tl_vec3 pivot;           /* m */
    unsigned char *touched;  /* per block of particles: something was moved since other bodies had their say */

    /* own */
    unsigned char *owned; /* per face: corners (bits 0–2) and edges (bits 3–5) that no other face stands for */
    unsigned char *sharp; /* per face: edges it stands for that are bent or on the border (bits 3–5), now: for lists of
                             cloth and body */
    tl_real sharp_gap;    /* m, of a body: for which they are known, and the shape it had; below 0: not at all */
    int sharp_shape;
    unsigned char *mark; /* per particle, working memory: tl_mark */
    int *moved; /* per particle: sweep of answers that moved it last (tl_surfaces.sweep); in tl_surfaces.moved */
    int first;  /* place of its particles there */
    unsigned char *level; /* per particle: 0 lies on a body, 1 on cloth that does, …; TL_UNSUPPORTED: on nothing */
    tl_real *pressed;     /* N·s, `pressure` when the last substep ended */
    tl_real *gone;        /* m, that each has moved in this frame, but for the drift: pairs sleep by it */
    tl_real *before[3];   /* m, where they were when `gone` was worked out, working memory */
    int *astray;          /* faces with a particle astray, working memory */
    int astray_count;
    tl_bvh tree;
    tl_real *listed[3]; /* m, where the particles were expected at `since`, less the drift: lists hold from there */
    tl_real *ahead[3];  /* m, where they are expected at the end of the lists' life, less the drift */
    tl_real *pace[3];   /* m, way in a substep of late, as contact left it */
    tl_real *start[3];  /* m, where they were when that was told: at the start of the present substep */
    tl_fit pairs;       /* around the ways to there, for lists of close pairs: cloth only, with the tree above */
    tl_real *slack;     /* m, by which each may be elsewhere than expected without using up margins */
    tl_real *span;      /* m, farthest that each can be from where it was listed, without using up margins */
    tl_tile *tile;      /* per face, where a search came by */
    tl_real *surprise;  /* m, farthest that each has been from where it was expected since then, beyond its slack */
    tl_real used;       /* m, the most of these */
    tl_real mean_edge;  /* m */
    /* for the safe method; NULL until first needed */
    tl_bvh watch_tree;
    tl_fit watch;          /* around the same ways, for what is watched */
    tl_real *share;        /* 1, of its way that each may go */
    unsigned char *lively; /* per face: may change its shape during the life of the lists */
    size_t bytes;
} tl_surface;

/* A pair within this share of its gap is near: what its neighbours do can bring it nearer than the gap. */
#define TL_NEAR_SHARE ((tl_real)1.5)

typedef enum tl_pair_kind { TL_VERTEX_FACE, TL_EDGE_EDGE } tl_pair_kind;

/* Two features that are or may soon be in contact. Sweeps walk over them: the order of these leaves no holes. */
typedef struct tl_pair {
    int p[4];   /* vertex of a, then corners of a face of b; or two ends of an edge of a, two of one of b */
    short a, b; /* surfaces */
    unsigned char kind;
    bool near;      /* in this substep */
    bool fresh;     /* not answered since it was listed */
    bool swift;     /* came with a way longer than the gap: the path counts, not only the end */
    int face;       /* of the cloth, when b or a is a body: the pair belongs to its list */
    int seen;       /* sweep of answers that looked at it last; 0: none */
    tl_real gap;    /* m, to keep */
    tl_real free;   /* m, by which others must use up margins before this pair can touch */
    tl_real wake;   /* m, what its points must have `gone` together before it can be near; two cloths only */
    tl_real calm;   /* m, the same, before it can be much too near in the substep in which it was `seen` */
    tl_vec3 side;   /* unit, from b to a while they were on their right sides */
    tl_real pushed; /* N·s along the normal in this substep; INFINITY: it bounced */
} tl_pair;

/* What threads find (contact/gather.c). */
typedef struct tl_gatherer tl_gatherer;
typedef struct tl_harvest tl_harvest;

/* An edge that pierces a face. */
typedef struct tl_crossing {
    int edge[2], face[3];
    int wing[2]; /* corners opposite to the edge in its faces; the second -1 on a border */
    short edge_surface, face_surface;
    bool beside; /* next to each other in one cloth: it is folded too sharply, and what is around keeps its sides */
} tl_crossing;

/* Two features that could come to cross during the life of the lists. */
typedef struct tl_watch {
    int p[4];   /* as in tl_pair */
    short a, b; /* surfaces */
    unsigned char kind;
    tl_real free; /* m, by which others must use up margins before the two can meet */
} tl_watch;

/* A plane between two features, for one substep (contact/bound.c). */
typedef struct tl_plane tl_plane;

/* A pair at rest, while velocities are evened out (contact/answer.c). */
typedef struct tl_rest tl_rest;

/* A particle of cloth as a body sees it (contact/body_pairs.c). */
typedef struct tl_probe tl_probe;

/* A pair that is near, and its points, as all that sweeps read of most of them. */
typedef struct tl_near_pair {
    int pair;
    int point[4]; /* in tl_surfaces.moved */
} tl_near_pair;

/* Close pairs of two surfaces, or of one with itself. */
typedef struct tl_surface_group {
    int a, b;
    tl_real gap, margin; /* m */
    tl_pair *pair;
    int count, capacity;
    tl_near_pair *near; /* those that were near in the last sweep of answers */
    int near_count;
    tl_crossing *crossing;
    int crossing_count, crossing_capacity;
    tl_probe *probe; /* of a cloth and a body: one per particle */
    bool listed;     /* the same: it has its pairs */
    int age;         /* the same: substeps since all of them were made */
    tl_real stirred; /* m, the same: by which the body's points have moved in its frame since then */
    tl_watch *watch; /* in a safe set */
    int watch_count, watch_capacity;
    bool failed; /* memory ran out while it was filled */
} tl_surface_group;

/* Two layers that are near, as their places are now. */
typedef struct tl_close {
    tl_pair *pair;
    tl_real c[4];     /* 1, weights of the four points */
    tl_vec3 n;        /* unit, out of b */
    tl_real missing;  /* m, by which they are nearer than at the start of the substep or than the gap; below 0: left */
    tl_vec3 way;      /* m, of a along b in this substep */
    tl_real friction; /* 1 */
} tl_close;

typedef struct tl_surfaces {
    tl_allocator allocator;
    tl_surface **surface; /* made by tl_surfaces_add, owned here */
    int count, capacity;
    tl_surface_group *group;
    int group_count, group_capacity;
    tl_face_pairs near;    /* working memory */
    tl_tasks *tasks;       /* lists are made on these threads, told by the owner; NULL: on one */
    tl_gatherer *gatherer; /* working memory of contact/gather.c: one per thread */
    tl_harvest *harvest;   /* one per job */
    tl_bvh_jobs jobs;
    int gatherer_count, harvest_capacity;
    /* Brings particles of blocks that are `touched` out of other bodies, after every sweep of answers: the layer that
       lies on such a body must not give way. */
    void (*settle)(void *user);
    /* Lets layers press on each other before they are answered one by one; NULL: nothing does. */
    void (*press)(void *user);
    void *settle_user; /* of both */
    tl_vec3 up;        /* unit, against gravity, told by the owner; 0: nothing has weight */
    bool layered;      /* there are groups of cloths */
    bool listed;       /* all these have their pairs */
    bool expecting;    /* `listed` and `ahead` of the surfaces are of this frame */
    int age, life;     /* substeps since then, with the present one; for which they were made */
    int since;         /* substeps from then to where `listed` is now: some were listed anew after that */
    int ahead;         /* substeps of the frame that come after the present one */
    int sweep; /* of answers, counted through the frame: a pair whose points rest since it was seen is left alone */
    int first_sweep; /* of the present substep */
    int *moved;      /* of all particles, surface by surface */
    tl_vec3 drift;   /* m, common way of all cloths in a substep, when the lists were made */
    bool safe;       /* bound every particle's way */
    bool watched;    /* all groups have what the safe method watches */
    tl_plane *plane; /* working memory of the safe method */
    int plane_count, plane_capacity;
    tl_rest *rest; /* working memory */
    int rest_capacity;
    tl_close *close; /* working memory */
    int close_capacity;
    int *found; /* working memory: faces of a body */
    int found_capacity;
    bool failed;         /* memory ran out in this frame: some contacts were not found */
    int lists_made, cut; /* statistics of the frame */
    int pairs;
} tl_surfaces;

/* Adds an empty surface for the mesh; the caller fills what is told. NULL when memory is short. */
tl_surface *tl_surfaces_add(tl_surfaces *set, const tl_mesh *mesh);
void tl_surfaces_destroy(tl_surfaces *set);
/* Makes the groups anew; to be called when surfaces were added or what they meet was changed. */
bool tl_surfaces_arrange(tl_surfaces *set);

/* Gives all lists of a group back. */
void tl_group_release(const tl_surfaces *set, tl_surface_group *group);

/* The start of a frame of so many substeps of h seconds: lists and bounds of the frame before are forgotten, so that a
   frame depends on the state alone. */
void tl_surfaces_begin(tl_surfaces *set, int substeps, tl_real h);
/* One substep of h seconds: finds and answers contacts at x, with v. rest_speed: slower impacts do not bounce, m/s. */
void tl_surfaces_answer(tl_surfaces *set, tl_real h, tl_real rest_speed);
/* Shortens the ways of particles so that nothing crosses; only does something in a safe set. */
void tl_surfaces_bound(tl_surfaces *set, tl_real h);
/* Do the lists hold at x? Measures how far from what was expected that is. */
bool tl_surfaces_expected(tl_surfaces *set);
/* How far particles are from `listed` to `ahead` at that age of the lists, 0 to 1. */
tl_real tl_surfaces_part(const tl_surfaces *set, int age);
/* Tells anew where a particle is expected from the start of this substep on. */
void tl_surface_expect(const tl_surfaces *set, tl_surface *surface, int particle);
/* A frame starts, with substeps of h seconds: particles go on with the velocities they have. */
void tl_surface_take_pace(tl_surface *surface, tl_real h);
/* A substep starts: how far they went in the one before tells in their pace. */
void tl_surface_keep_pace(tl_surface *surface);
/* The lists' life starts: tells where all particles are expected (contact/expect.c), for at most so many substeps. */
void tl_surfaces_expect(tl_surfaces *set, int longest);
/* contact/relist.c: lists particles anew that are not where they were expected, and leaves the others as they are.
   False when there are too many of them, or the lists are at their end. */
bool tl_surfaces_relist(tl_surfaces *set);
/* Brings particles back to where the lists hold. */
void tl_surfaces_rein_in(tl_surfaces *set);
/* Two cloths, or one with itself; else a cloth and a body. */
static inline bool tl_group_of_cloths(const tl_surfaces *set, const tl_surface_group *group)
{
    return set->surface[group->b]->is_cloth;
}
/* How far the two of a group can have come nearer to each other than expected, m. */
tl_real tl_group_used(const tl_surfaces *set, const tl_surface_group *group);
/* How far two features can come nearer to each other during the life of the lists if all goes as expected, m. */
tl_real tl_features_sweep(const tl_surface *a, const tl_surface *b, const int p[4], int split);

/* contact/pairs.c: the list of two cloths, from the places at the start of the substep and the ways to its end. */
void tl_group_collect(tl_surfaces *set, tl_surface_group *group);
/* What has a particle astray in it is found anew. */
void tl_group_collect_astray(tl_surfaces *set, tl_surface_group *group);
/* contact/body_pairs.c: brings the list of a cloth and a body up to date, and marks the pairs that can be near. */
void tl_body_list(tl_surfaces *set, tl_surface_group *group);
/* contact/support.c: nothing is known to lie on anything, at the start of a frame. */
void tl_support_forget(tl_surfaces *set);
/* What bodies have pushed since the last substep ended lies on them; `anew`: with all that lies on that. */
void tl_support_find(tl_surfaces *set, bool anew);
/* One of two features lies on the other: passes the level on. Sets the factors of the four inverse masses.
   n: unit, from b to a. */
void tl_support_share(const tl_surfaces *set, const tl_pair *pair, tl_vec3 n, tl_real factor[4]);
/* The substep ends. */
void tl_support_note(tl_surfaces *set);
/* contact/answer.c: answers all pairs that can have come near since they were listed, or those that were in the last
   sweep; `again`: only what is new or still much too near. True when there are such. */
bool tl_group_answer(tl_surfaces *set, tl_surface_group *group, bool all, bool again, tl_real rest_speed);
/* Adds the pairs of two cloths that are near and on their right sides to set->close, behind `count` of them. Returns
   how many there are then. */
int tl_group_close(tl_surfaces *set, const tl_surface_group *group, int count);
/* Evens out the velocities of cloth that rests on a body: pairs that share particles have each pushed too much. */
void tl_group_relax(tl_surfaces *set, tl_surface_group *group, tl_real h, tl_real rest_speed);
/* Takes speed from layers that rest on each other. */
void tl_group_calm(tl_surfaces *set, tl_surface_group *group, tl_real h, tl_real rest_speed);
/* The last resort for pairs that are on their wrong sides. True when there are such. */
bool tl_group_set_back(tl_surfaces *set, tl_surface_group *group);
/* Sets particles back to where the substep began, with their common velocity. */
void tl_set_back(tl_surface *const of[], const int particle[], int count);
/* contact/catch.c: sets back what has come to cross in this substep. True when there was something. */
bool tl_group_catch(tl_surfaces *set, const tl_surface_group *group);

/* One of two faces, of the surface that this is fitted to. */
typedef struct tl_fitted_face {
    const tl_fit *fit;
    int face;
} tl_fitted_face;

/* Features of two faces whose boxes meet that can come within `reach` of each other during the life of the lists, each
   pair once, of what is near (tl_nearness). At most 15. False when the faces as a whole stay apart. `astray`: the two
   may have been listed at different times. */
typedef struct tl_features {
    int count;
    struct {
        int p[4];
        unsigned char kind;
        bool swapped; /* the vertex is of b, the face of a */
    } entry[16];
} tl_features;
bool tl_features_of(const tl_fitted_face *f, const tl_fitted_face *g, unsigned near, bool astray, tl_real reach,
                    tl_features *out);

/* Where the four points of two features are at the start of the substep, or where they were listed. */
static inline void tl_features_place(const tl_surface *a, const tl_surface *b, const int p[4], unsigned char kind,
                                     bool listed, tl_vec3 x[4])
{
    int split = kind == TL_VERTEX_FACE ? 1 : 2;
    for (int k = 0; k < 4; ++k) {
        const tl_surface *s = k < split ? a : b;
        x[k] = tl_at(listed ? s->listed : s->x_old, p[k]);
    }
}

/* Takes a mark from all particles. */
void tl_surface_unmark(tl_surface *s, tl_mark mark);
/* Has any point of two features this mark? */
static inline bool tl_features_marked(const tl_surface *a, const tl_surface *b, const int p[4], unsigned char kind,
                                      tl_mark mark)
{
    unsigned all = a->mark[p[0]] | (kind == TL_VERTEX_FACE ? b : a)->mark[p[1]] | b->mark[p[2]] | b->mark[p[3]];
    return all & mark;
}

/* contact/bound.c: says which faces may turn over during the life of the lists; all, or those astray. */
void tl_watch_lively(tl_surfaces *set, bool astray);
/* What has a particle astray in it is watched anew. */
void tl_group_watch_astray(tl_surfaces *set, tl_surface_group *group);

/* contact/untangle.c: where edges of one of two faces pierce the other; all, or those with a particle astray. */
bool tl_crossing_find(const tl_surfaces *set, tl_surface_group *group, int f, int g, bool astray);
void tl_crossings_drop_astray(const tl_surfaces *set, tl_surface_group *group);
void tl_crossings_pull(tl_surfaces *set, const tl_surface_group *group);

/* Pairs of triangles of surfaces of cloth that intersect, exactly, at x: of all (only = -1), or those with a triangle
   of surface `only`, of which `faces` is set to 1 where it is not NULL. -1 when memory is short. */
int tl_surfaces_count(tl_surfaces *set, int only, unsigned char *faces);

#endif
