/* Spheres and planes for the vector kernel (contact/body/primitive_kernel.c): the shapes whose distance and first entry
   are short formulas. Everything is relative to the body's position, along the world's axes; a body that turns is
   turned back to how it was at the start of the substep. Internal to src/contact. */
#ifndef TL_CONTACT_SOLID_H
#define TL_CONTACT_SOLID_H

#include "contact/body/prepared_body.h"
#include "core/memory.h"

typedef struct tl_primitive {
    bool round; /* sphere; else a plane */
    bool moves, turns;
    tl_vec3 from, to;   /* m, positions at the start and at the end */
    tl_vec3 shift;      /* m, to − from */
    tl_real size;       /* m, radius of the inflated sphere, or the margin above the plane */
    tl_vec3 up, up_end; /* normal of a plane at the start and at the end */
    tl_matrix3 back;    /* turn from end to start, less the identity: nothing is lost for small turns */
    tl_matrix3 forth;   /* from start to end, less the identity */
    tl_vec3 spin;       /* as in tl_prepared_body */
    tl_real friction, restitution;
    tl_real tolerance; /* m, what rounding of the body's own numbers may cost; that of a particle's is added where it is
                          larger. Never above tl_contact_tolerance. */
    /* Impulse and moment given to it, particle i into lane i mod TL_LANES, so that every vector width adds in the same
       order. */
    tl_real sum[6][TL_LANES];
} tl_primitive;

/* False when the shape has no such form, or when every particle changes the body's velocity. */
bool tl_primitive_prepare(const tl_contact_cloth *cloth, tl_contact_body *body, tl_primitive *solid);

/* Adds up what the solid received into body->impulse and body->moment. */
void tl_primitive_finish(const tl_primitive *solid, tl_contact_body *body);

/* All solids against the particles first … last-1, first a multiple of TL_LANES, as contact/body/convex_contact.c
   explains. Where a particle that was moved is inside a body again, hard[i − first] is set: it takes more than one
   round. Returns how many are in contact. */
typedef int tl_primitives_kernel(int first, int last, const tl_contact_cloth *cloth, tl_primitive *solids, int count,
                                 tl_real dt, bool *hard);
tl_primitives_kernel tl_primitives_contact_w8, tl_primitives_contact_w4, tl_primitives_contact_w1;

#endif
