/* Spheres and planes for the vector kernel (contact/body/primitive_kernel.c, compiled once per vector width and
   declared here): the shapes whose distance and first entry are short formulas. Everything is relative to the body's
   position, along world axes; a turning body is rotated back to its orientation at the start of the substep.
   Internal to src/contact. */
#ifndef TL_CONTACT_BODY_PRIMITIVE_SIMD_H
#define TL_CONTACT_BODY_PRIMITIVE_SIMD_H

#include "contact/body/prepared_body.h"
#include "core/memory.h"

typedef struct tl_primitive {
    bool round; /* sphere; else a plane */
    bool moves, turns;
    tl_vec3 from, to;   /* m, positions at the start and at the end */
    tl_vec3 shift;      /* m, to − from */
    tl_real size;       /* m, radius of the inflated sphere, or the margin above the plane */
    tl_vec3 up, up_end; /* normal of a plane at the start and at the end */
    tl_matrix3 back;    /* rotation from end to start, less the identity: exact for small angles */
    tl_matrix3 forth;   /* from start to end, less the identity */
    tl_vec3 spin;       /* as in tl_prepared_body */
    tl_real friction, restitution;
    tl_real tolerance; /* m, rounding of the body's own numbers; that of a particle's is added where it is larger. Never
                          above tl_contact_tolerance. */
    /* Impulse and moment it received, particle i into lane i mod TL_LANES, so that every vector width sums in the
       same order. */
    tl_real sum[6][TL_LANES];
} tl_primitive;

/* False when the shape is not a primitive or the body is dynamic. */
bool tl_primitive_prepare(const tl_contact_cloth *cloth, tl_contact_body *body, tl_primitive *primitive);

/* Sums what the primitive received into body->impulse and body->moment. */
void tl_primitive_finish(const tl_primitive *primitive, tl_contact_body *body);

/* All primitives against the particles first … last-1, first a multiple of TL_LANES, as
   contact/body/convex_contact.c explains. Where a particle that was moved is inside a body again, hard[i − first] is
   set: it takes more than one pass. Returns how many are in contact. */
typedef int tl_primitives_kernel(int first, int last, const tl_contact_cloth *cloth, tl_primitive *primitives,
                                 int count, tl_real dt, bool *hard);
tl_primitives_kernel tl_primitives_contact_w8, tl_primitives_contact_w4, tl_primitives_contact_w1;

#endif
