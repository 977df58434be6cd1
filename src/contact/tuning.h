/* Every constant that tunes contact, with its unit and its reason. A share is of the quantity named; all others have
   their unit in the comment. None of them changes which state is right: they trade robustness, speed and smoothness. */
#ifndef TL_CONTACT_TUNING_H
#define TL_CONTACT_TUNING_H

#include "core/vec.h"

#define TL_SHARE(value) ((tl_real)(value))

/* ---- particles against convex bodies (contact/body) ----------------------------------------------------------- */

/* Units in the last place by which rounding may leave a particle nearer to a body than the thickness: what it takes to
   go to the body's frame and back. */
#define TL_CONTACT_ULPS 8
/* Share of its distance from the origin or the body that a particle may move for its rounding to stay far below the
   tolerance. */
#define TL_SHORT_DISPLACEMENT TL_SHARE(1.0 / 64)
enum {
    TL_BODY_PASSES = 4,     /* over the bodies: two settle a particle between two at more than 90°, sharper wedges need
                               more */
    TL_MAX_PRIMITIVES = 64, /* spheres and planes solved in vectors; any beyond these go the way of other shapes */
    TL_BODY_BLOCK = 256,    /* particles: six arrays of this many floats stay in the nearest cache over all bodies */
    TL_ESCAPE_PROJECTIONS = 32, /* alternating projections onto the outsides of two bodies */
    TL_ESCAPE_NEWTON = 8,       /* Newton steps to an exit, per body on the line */
    TL_SLIGHT_ULPS = 64,        /* overlaps up to this many tolerances are rounding */
    TL_SLIGHT_PUSHES = 4,       /* that remove them */
    TL_BARRIER_ROUNDS = 3       /* in turn with convex bodies; in the last, what crossed returns to where it started */
};
/* Least cosine between line and normal in a Newton step to an exit: bounds its length. */
#define TL_ESCAPE_COSINE TL_SHARE(0.05)
/* Reach of a contact constraint beyond what the particle's own speed allows, in thicknesses: cloth that slides along a
   curve leaves it by less in a step and is still held to it. */
#define TL_CONSTRAINT_REACH TL_SHARE(1)
/* A gap within this share of the thickness is contact. */
#define TL_CONSTRAINT_ON TL_SHARE(0.02)

/* ---- solve of mesh contacts (contact/cloth) ------------------------------------------------------------------- */

/* A contact within this share of its gap is near: what its neighbours do can bring it inside the gap. */
#define TL_NEAR_SHARE TL_SHARE(1.5)
/* A contact within this share of its gap is too close, and solved again in the same substep. */
#define TL_TOO_CLOSE_SHARE TL_SHARE(0.5)
/* Edges within this sine of being parallel span no plane: the line between them gives the normal. */
#define TL_PARALLEL_SINE TL_SHARE(0.05)
/* Weights beyond the border of a face that still count as hit by a path: rounding must not open seams. */
#define TL_SEAM_TOLERANCE TL_SHARE(1e-4)
/* Share of what is missing to the gap that layers which were too close win back in a substep. All at once would be a
   blow to the links, which hand it on as speed: piles would never come to rest. */
#define TL_GAP_RECOVERY TL_SHARE(0.1)
/* Cloth within this share of the gap of a body rests on it. */
#define TL_RESTING_SHARE TL_SHARE(1.05)
/* Resting speeds up to which a contact that does not bounce is relaxed: cloth is pulled over a body by more than its
   weight. What slides faster keeps the impulse that its friction was computed from. */
#define TL_RESTING_SPEEDS TL_SHARE(4)
enum {
    TL_SOLVE_SWEEPS = 8,    /* at most; one is enough unless layers are driven through each other */
    TL_REQUERY_ROUNDS = 4,  /* of sweeps, while these move particles beyond what candidates bound */
    TL_RELAX_SWEEPS = 8,    /* over resting contacts */
    TL_REVERT_ROUNDS = 8,   /* for contacts that are inverted even then */
    TL_ROLLBACK_ROUNDS = 32 /* for what crossed: each may go one ring farther */
};

/* ---- shock propagation ---------------------------------------------------------------------------------------- */

/* Share of its inverse mass that is left to the layer which carries the other. */
#define TL_CARRIER_SHARE TL_SHARE(0.1)
/* Cosines to the vertical: what leans more than the first is not carried, what leans less than the second wholly. */
#define TL_CARRIED_FROM TL_SHARE(0.5)
#define TL_CARRIED_WHOLLY TL_SHARE(0.8)
enum { TL_STACK_PASSES = 32 }; /* of handing levels on when nothing is known */

/* ---- untangling and rollback ---------------------------------------------------------------------------------- */

/* Displacement per substep as a share of the gap. */
#define TL_PULL_SHARE TL_SHARE(0.5)
/* Least slope between edge and face below which the direction of the pull has no bound. */
#define TL_PULL_SLOPE TL_SHARE(0.1)
enum { TL_MAX_FAN = 12 }; /* faces around a vertex that are looked at */
/* Cosine between the normals of two faces around a vertex below which they may have folded through each other. */
#define TL_FOLDED_COSINE TL_SHARE(-0.5)

/* ---- truncation ----------------------------------------------------------------------------------------------- */

/* CCD pairs may approach to this share of their gap; closer ones lose no more than the second of their distance … */
#define TL_CCD_GAP_SHARE TL_SHARE(0.1)
#define TL_CCD_SMALL_LOSS TL_SHARE(1e-3)
/* … and no pair loses more than this share of its distance in a substep. */
#define TL_CCD_LARGE_LOSS TL_SHARE(0.8)
/* Of the room that is left: rounding must not use it up. */
#define TL_CCD_ROUNDING TL_SHARE(0.99)
/* Of the distance to keep: a little more, so that the push is enough after rounding. */
#define TL_CCD_PUSH TL_SHARE(1.05)
enum {
    TL_CCD_ROUNDS = 24, /* of looking at planes again after displacements were cut; then all planes are fixed */
    TL_CCD_PUSHES = 8,  /* sweeps of pushing apart before that */
    TL_CCD_PASSES = 8,  /* of looking for further planes after that; then nothing moves in this substep */
    TL_CCD_ATTEMPTS = 3 /* of projecting what was stopped out of bodies, and truncating again */
};

/* ---- broad phase ---------------------------------------------------------------------------------------------- */

/* Margin of candidates as a share of the gap and of an edge's length: a small one finds few, a large one seldom. */
#define TL_MARGIN_OF_GAP TL_SHARE(0.35)
#define TL_MARGIN_OF_EDGE TL_SHARE(0.07)
/* Neighbours in the same cloth keep this share of their distance in the rest shape, when that is less than the gap. */
#define TL_NEIGHBOUR_GAP TL_SHARE(0.6)
/* Cosine between faces beside a sharply bent edge: a vertex has a few edges to be folded over by. */
#define TL_BENT_COSINE TL_SHARE(0.2)
/* Height by which an edge may stand out of its surface, as a share of the gap, before it counts: two flat pieces that
   keep their vertices from each other's faces keep all of it. */
#define TL_FLAT_HEIGHT TL_SHARE(0.15)
/* Share of the least height of a face by which its corners may move against each other while it counts as flat. */
#define TL_FOLD_SHARE TL_SHARE(0.5)
/* How far particles sweep on average before candidates expire, as a share of an edge's length and of the gap: beyond
   that, candidates lie mostly layers away. */
#define TL_SWEEP_OF_EDGE TL_SHARE(0.65)
#define TL_SWEEP_OF_GAP TL_SHARE(0.65)
/* Share of that sweep below which cloth is predicted to stay where it is. */
#define TL_STAYS_SHARE TL_SHARE(0.02)
/* Life in substeps below which it follows from speed more weakly: fast cloth mostly moves as a whole, and many queries
   cost more than the candidates that a few find in excess. */
#define TL_SHORT_LIFE TL_SHARE(6)
/* Substeps of its motion that a particle may be off when it oscillates, and when it is stopped. */
#define TL_OSCILLATES TL_SHARE(3)
#define TL_STOPPED TL_SHARE(0.5)
/* Of the last displacement, in the smoothed step. */
#define TL_STEP_SMOOTHING TL_SHARE(0.5)
/* Of the deviation that margins allow: rounding must not lead beyond. */
#define TL_DEVIATION_LIMIT TL_SHARE(0.99)
enum {
    TL_STALE_FRACTION = 4,   /* beyond one in so many particles, all candidates are found from scratch */
    TL_DRIFT_STRIDE = 16,    /* particles; the common motion is sampled: any value is right, a good one saves pairs */
    TL_PARALLEL_FACES = 512, /* from which on handing out work costs less than it saves */
    TL_PARALLEL_STALE = 128, /* the same of stale faces, each of which costs more */
    TL_JOBS_PER_THREAD = 4   /* about: parts of a mesh that are folded more than the rest are shared out, too */
};
/* Cloth against a body of triangles: substeps for which a particle that moves on as it does has room … */
#define TL_ROOM_SUBSTEPS TL_SHARE(4)
/* … and share of the distance from the body's box that one far away gets. */
#define TL_ROOM_SHARE TL_SHARE(0.5)
enum {
    TL_BODY_LIFE = 16,       /* substeps until all candidates are found from scratch: crossings must be found */
    TL_TANGLED_BODY_LIFE = 8 /* the same while something crosses */
};
/* A face of cloth turns while its corners move: the nearest place on it moves by more than they do. */
#define TL_TURN_SHARE TL_SHARE(1.0 / 3)
/* Share of the gap by which the solve of this substep may still bring a contact nearer … */
#define TL_BODY_WAKE TL_SHARE(0.25)
/* … and of which a displacement is a leap, whose path counts. */
#define TL_BODY_LEAP TL_SHARE(0.5)

/* ---- rigid bodies --------------------------------------------------------------------------------------------- */

enum {
    TL_RIGID_PROJECTIONS = 32, /* alternating, between two convex shapes */
    TL_RIGID_SWEEPS = 16       /* over all contact points; four corners on a floor settle in about ten */
};

#endif
