/* Every constant that tunes contact, with its unit and its reason. Ratios and fractions are of the quantity named;
   all others have their unit in the comment. They trade robustness, speed and smoothness; the contact laws hold for
   any of them. */
#ifndef TL_CONTACT_TUNING_H
#define TL_CONTACT_TUNING_H

#include "core/vec.h"

#define TL_CONSTANT(value) ((tl_real)(value))

/* ---- particles against convex bodies (contact/body) ----------------------------------------------------------- */

/* Units in the last place by which rounding may leave a particle closer to a body than the thickness: a transform to
   the body's frame and back. */
#define TL_CONTACT_ULPS 8
/* Fraction of its distance from the origin or the body that a particle may move for its rounding to stay far below
   the tolerance. */
#define TL_SHORT_DISPLACEMENT TL_CONSTANT(1.0 / 64)
enum {
    TL_BODY_PASSES = 4,     /* over the bodies: two suffice for a particle between two bodies at more than 90°, sharper
                               wedges need more */
    TL_MAX_PRIMITIVES = 64, /* spheres and planes solved in vectors; any more are solved as other shapes */
    TL_BODY_BLOCK = 256,    /* particles: six arrays of this many floats stay in the L1 cache over all bodies */
    TL_BODY_PATCH = 32,     /* particles, a part of a block: far from a body, they are left out together */
    TL_MAX_PREPARED = 64,   /* bodies prepared once for all particles; any more are prepared for every block */
    TL_ESCAPE_PROJECTIONS = 32, /* alternating projections onto the outsides of bodies */
    TL_ESCAPE_NEWTON = 8,       /* Newton steps to an exit, per body on the line */
    TL_SLIGHT_ULPS = 64,        /* overlaps up to this many tolerances are rounding … */
    TL_SLIGHT_PUSHES = 4,       /* … removed by this many pushes */
    TL_BARRIER_ROUNDS = 3       /* alternating with convex bodies; in the last, what crossed is reverted */
};
/* Minimum cosine between line and normal in a Newton step to an exit: bounds its length. */
#define TL_ESCAPE_COSINE TL_CONSTANT(0.05)
/* Fraction of the tolerance by which escaping particles are pushed beyond the surface: clear of rounding. */
#define TL_ESCAPE_OVERSHOOT TL_CONSTANT(0.25)
/* Reach of a contact constraint beyond what the particle's own speed allows, in thicknesses: cloth that slides along
   a curve separates by less in a step and stays constrained. */
#define TL_CONSTRAINT_REACH TL_CONSTANT(1)
/* A gap within this fraction of the thickness is contact. */
#define TL_CONSTRAINT_ON TL_CONSTANT(0.02)

/* ---- solve of mesh contacts (contact/cloth) ------------------------------------------------------------------- */

/* A contact closer than this ratio of its gap is near: the solve of its neighbours can bring it inside the gap. */
#define TL_NEAR_RATIO TL_CONSTANT(1.5)
/* A contact closer than this ratio of its gap is too close, and solved again in the same substep. */
#define TL_TOO_CLOSE_RATIO TL_CONSTANT(0.5)
/* Edges within this sine of being parallel span no plane: the line between their nearest points gives the normal. */
#define TL_PARALLEL_SINE TL_CONSTANT(0.05)
/* Barycentric weights outside a face that still count as hit by a path: rounding must not open seams. */
#define TL_SEAM_TOLERANCE TL_CONSTANT(1e-4)
/* Fraction of the missing gap that layers which were too close recover per substep. All at once would be an impulse
   on the links, which turn it into velocity: piles would never come to rest. */
#define TL_GAP_RECOVERY TL_CONSTANT(0.1)
/* Cloth within this ratio of the gap of a body rests on it. */
#define TL_RESTING_RATIO TL_CONSTANT(1.05)
/* Resting speeds up to which a contact that does not bounce is relaxed: cloth is pulled over a body by more than its
   weight. Faster sliding keeps the impulse that its friction was computed from. */
#define TL_RESTING_SPEEDS TL_CONSTANT(4)
enum {
    TL_SOLVE_SWEEPS = 8,         /* at most; one is enough unless layers are driven through each other */
    TL_REQUERY_ROUNDS = 4,       /* of sweeps, while these move particles beyond what candidates bound */
    TL_RELAX_SWEEPS = 8,         /* over resting contacts */
    TL_REVERT_ROUNDS = 8,        /* for contacts that are still inverted */
    TL_ROLLBACK_ROUNDS = 32,     /* for crossings: each round can reach one ring farther */
    TL_CONTACT_MESH_BLOCK = 256, /* particles per flag of what moved: a TL_BODY_BLOCK, projected at once */
    TL_BATCH = 8                 /* particles per inner loop of fixed length, which compilers vectorise */
};

/* Reach of a search for faces that cross at present, as a fraction of the gap: that within which faces are found to
   pierce planes is far more than rounding. */
#define TL_PRESENT_REACH TL_CONSTANT(1.0 / 8)

/* ---- shock propagation ---------------------------------------------------------------------------------------- */

/* Fraction of its inverse mass that the lower of two layers keeps: it carries the other. */
#define TL_CARRIER_FRACTION TL_CONSTANT(0.1)
/* Cosines between contact normal and vertical: below the first the upper layer is not carried, above the second
   fully. */
#define TL_CARRIED_FROM TL_CONSTANT(0.5)
#define TL_CARRIED_FULLY TL_CONSTANT(0.8)
enum { TL_STACK_PASSES = 32 }; /* of propagating levels when none are known */

/* ---- untangling and rollback ---------------------------------------------------------------------------------- */

/* Displacement per substep as a fraction of the gap: several substeps per gap keep it smooth. */
#define TL_PULL_FRACTION TL_CONSTANT(0.5)
/* Minimum slope between edge and face: bounds the direction of the pull. */
#define TL_PULL_SLOPE TL_CONSTANT(0.1)
enum { TL_MAX_FAN = 12 }; /* faces tested around a vertex: bounds the cost of irregular meshes */
/* Cosine between the normals of two faces around a vertex below which they may have folded through each other. */
#define TL_FOLDED_COSINE TL_CONSTANT(-0.5)

/* ---- truncation ----------------------------------------------------------------------------------------------- */

/* CCD pairs may approach to this fraction of their gap; closer ones lose at most the second fraction of their
   distance … */
#define TL_CCD_GAP_FRACTION TL_CONSTANT(0.1)
#define TL_CCD_SMALL_LOSS TL_CONSTANT(1e-3)
/* … and no pair loses more than this fraction of its distance in a substep. */
#define TL_CCD_LARGE_LOSS TL_CONSTANT(0.8)
/* … except that this fraction of the gap is always near enough: fast layers that contact has stopped a gap apart need
   no more. */
#define TL_CCD_GAP_KEPT TL_CONSTANT(0.4)
/* Neighbours in one cloth, whose distance at rest counts instead of the gap where it is less, keep at least this
   fraction of the gap: clear of rounding … */
#define TL_CCD_FLOOR TL_CONSTANT(1e-3)
/* … and it counts when they are nearer than this many times what others keep. */
#define TL_CCD_NARROW TL_CONSTANT(4)
/* Fraction of the remaining room that may be used: the rest covers rounding. */
#define TL_CCD_ROUNDING TL_CONSTANT(0.99)
/* Ratio to the distance to keep that a push aims at: enough after rounding. */
#define TL_CCD_PUSH TL_CONSTANT(1.05)
enum {
    TL_CCD_ROUNDS = 24, /* of checking planes after displacements were truncated; then all planes are fixed */
    TL_CCD_PUSHES = 8,  /* sweeps of pushing apart before that */
    TL_CCD_PASSES = 8,  /* of finding further planes after that; then what still crosses one is held */
    TL_CCD_ATTEMPTS = 3 /* of projecting truncated particles out of bodies, and truncating again */
};

/* ---- broad phase ---------------------------------------------------------------------------------------------- */

/* Margin of candidates as a fraction of the gap and of an edge's length: a small one gives few candidates, a large
   one rare queries. */
#define TL_MARGIN_OF_GAP TL_CONSTANT(0.35)
#define TL_MARGIN_OF_EDGE TL_CONSTANT(0.07)
/* Neighbours in the same cloth keep this fraction of their distance at rest, when that is less than the gap. */
#define TL_NEIGHBOUR_GAP TL_CONSTANT(0.6)
/* Cosine between the faces of a sharply bent edge: cloth may be folded back around its vertices. */
#define TL_BENT_COSINE TL_CONSTANT(0.2)
/* Height by which an edge may stand out of its mesh, as a fraction of the gap, before edge-edge contacts count: two
   flat pieces whose vertices keep clear of each other keep clear as a whole. */
#define TL_FLAT_HEIGHT TL_CONSTANT(0.15)
/* Sweep in edge lengths, RMS over all particles, that candidates may bound: each has about its square of features in
   its way. A longer one is taken in parts or slowed down (world/contacts.c). */
#define TL_MAX_SWEEP TL_CONSTANT(4)
/* Slack of listed features, as a fraction of the gap … */
#define TL_SLACK_OF_GAP TL_CONSTANT(1)
/* … and substeps of the present motion that it must last: lists with slack are longer. */
#define TL_LIST_SUBSTEPS TL_CONSTANT(2)
/* Fraction of the motion that slack and margins bound: the rest covers rounding. */
#define TL_ROOM_OF_SLACK TL_CONSTANT(0.99)
enum {
    TL_STALE_FRACTION = 4,   /* if contact moved more than one in so many particles, all candidates are found again */
    TL_DRIFT_STRIDE = 16,    /* particles between samples of the common motion: any value is correct */
    TL_PARALLEL_FACES = 512, /* minimum faces for which threads pay off */
    TL_JOB_LEVEL = 2,        /* of trees: a search is cut into pairs of up to 512 faces */
    TL_JOB_ROWS = 64,        /* rows of faces whose features are tested together */
    TL_JOB_FEATURES = 512,   /* listed features that are taken together */
    TL_BEYOND_SLACK_FRACTION = 8, /* if more than one in so many left its slack, all features are listed again */
    TL_TANGLED_LIFE = 4,          /* substeps until all features are listed again while cloth crosses cloth */
    TL_CALM_FRACTION = 32         /* cloth is calm if at most one in so many particles leaves its slack too soon */
};
/* Cloth against a body of triangles: substeps of its present motion for which a particle gets room, … */
#define TL_ROOM_SUBSTEPS TL_CONSTANT(4)
/* … of which it may leave its prediction where the body deforms, … */
#define TL_ROOM_DEVIATION TL_CONSTANT(1)
/* … and fraction of the distance from the body's box that a distant one gets. */
#define TL_ROOM_FRACTION TL_CONSTANT(0.5)
enum {
    TL_BODY_LIFE = 16,         /* substeps until all candidates are found again: crossings must be found */
    TL_TANGLED_BODY_LIFE = 8,  /* the same while something crosses */
    TL_BODY_STALE_FRACTION = 2 /* beyond one in so many particles, all candidates are found from scratch */
};
/* Fraction of the distance to a Voronoi border that counts for a face of cloth: it turns, so that the nearest point
   on it moves by more than its corners. */
#define TL_TURN_FRACTION TL_CONSTANT(1.0 / 3)
/* Of the gap, by which rounding may misplace a face when crossings are looked for. */
#define TL_CROSSING_ROUNDING TL_CONSTANT(1.0 / 64)
/* Fraction of the gap by which the solve of this substep may still bring a contact closer … */
#define TL_BODY_WAKE TL_CONSTANT(0.25)
/* … and beyond which a displacement is fast: its path is tested. */
#define TL_BODY_LEAP TL_CONSTANT(0.5)

/* ---- rigid bodies --------------------------------------------------------------------------------------------- */

enum {
    TL_MAX_MANIFOLD_POINTS = 32, /* two boxes have at most 16; of a mesh the deepest stay */
    TL_RIGID_PROJECTIONS = 32,   /* alternating projections between two convex shapes */
    TL_RIGID_SWEEPS = 16         /* over all contact points; four corners on a floor converge in about ten */
};

#endif
