/* Spheres and planes for the vector kernel (contact/solid_kernel.c): the shapes whose distance and first entry are
   short formulas. Everything is relative to the body's position, along the world's axes; a body that turns is turned
   back to how it was at the start of the substep. Internal to src/contact. */
#ifndef TL_CONTACT_SOLID_H
#define TL_CONTACT_SOLID_H

#include "contact/frame.h"
#include "core/memory.h"

typedef struct tl_contact_solid {
    bool round; /* sphere; else a plane */
    bool moves, turns;
    tl_vec3 from, to;   /* m, positions at the start and at the end */
    tl_vec3 shift;      /* m, to − from */
    tl_real size;       /* m, radius of the inflated sphere, or the margin above the plane */
    tl_vec3 up, up_end; /* normal of a plane at the start and at the end */
    tl_matrix3 back;    /* turn from end to start, less the identity: nothing is lost for small turns */
    tl_matrix3 forth;   /* from start to end, less the identity */
    tl_vec3 spin;       /* as in tl_contact_frame */
    tl_real friction, restitution;
    tl_real tolerance; /* m, what rounding of the body's own numbers may cost; that of a particle's is added where it is
                          larger. Never above tl_contact_tolerance. */
    /* Impulse and moment given to it, particle i into lane i mod TL_LANES, so that every vector width adds in the same
       order. */
    tl_real sum[6][TL_LANES];
} tl_contact_solid;

/* False when the shape has no such form, or when every particle changes the body's velocity. */
bool tl_contact_solid_prepare(const tl_contact_cloth *cloth, tl_contact_body *body, tl_contact_solid *solid);

/* Adds up what the solid received into body->impulse and body->moment. */
void tl_contact_solid_finish(const tl_contact_solid *solid, tl_contact_body *body);

/* All solids against the particles first … last-1, first a multiple of TL_LANES, as contact/respond.c explains. Where a
   particle that was moved is inside a body again, hard[i − first] is set: it takes more than one round. Returns how
   many are in contact. */
typedef int tl_contact_solids_kernel(int first, int last, const tl_contact_cloth *cloth, tl_contact_solid *solids,
                                     int count, tl_real dt, bool *hard);
tl_contact_solids_kernel tl_contact_solids_w8, tl_contact_solids_w4, tl_contact_solids_w1;

#endif
