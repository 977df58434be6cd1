/* One cloth against the bodies of one substep. The world binds it; the contact stage of every schedule, implicit
   steppers and the phases of contact/cloth use it. */
#ifndef TL_CONTACT_BODY_BODY_CONTACTS_H
#define TL_CONTACT_BODY_BODY_CONTACTS_H

#include "contact/body/contact_constraint.h"
#include "contact/body/convex_contact.h"

/* A body made of triangles. */
typedef struct tl_met_mesh {
    tl_contact_mesh *mesh;
    tl_received *received; /* out: added to */
} tl_met_mesh;

struct tl_body_contacts {
    bool on;             /* the cloth's contact method meets bodies */
    bool solves_contact; /* its stepper solves contact with bodies itself */
    tl_contact_cloth cloth;
    tl_real rest_rate; /* m/s²; slower than this times the substep is resting, not bouncing */
    tl_contact_body *convex;
    int convex_count;
    tl_met_mesh *mesh;
    int mesh_count;
};

/* The contact stage of a substep of h seconds; returns how many particles touch a convex body. */
int tl_body_contacts_solve(tl_body_contacts *all, tl_real h);
/* Convex bodies once more in that substep, for the blocks of TL_CONTACT_MESH_BLOCK particles that are marked. */
void tl_body_contacts_project(tl_body_contacts *all, tl_real h, const unsigned char *blocks);
/* Constraints for an implicit step of h seconds, with room for one per particle; `ended`: at the end of the substep
   (contact_constraint.h). Returns how many there are. */
int tl_body_contacts_constraints(tl_body_contacts *all, tl_real h, bool ended, tl_contact_constraint *out);
/* Takes the impulses that the step found. */
void tl_body_contacts_report(tl_body_contacts *all, const tl_contact_constraint *constraints, int count);

#endif
