/* One cloth against the bodies of one substep. The world binds it; used by the contact stage of every schedule,
   implicit steppers and the phases of contact/cloth. */
#ifndef TL_CONTACT_BODY_BODY_CONTACTS_H
#define TL_CONTACT_BODY_BODY_CONTACTS_H

#include "contact/body/contact_constraint.h"
#include "contact/body/convex_contact.h"

/* A body made of triangles. */
typedef struct tl_mesh_body {
    tl_contact_mesh *mesh;
    tl_received *received; /* out: added to */
} tl_mesh_body;

struct tl_body_contacts {
    bool on;             /* the cloth's contact method includes bodies */
    bool solves_contact; /* its stepper solves contact with bodies itself */
    tl_contact_cloth cloth;
    tl_real rest_rate; /* m/s²; normal speeds below this times the substep do not bounce */
    tl_contact_body *convex;
    int convex_count;
    tl_mesh_body *mesh;
    int mesh_count;
};

/* The contact stage of a substep of h seconds; returns how many particles are in contact with a convex body. */
int tl_body_contacts_solve(tl_body_contacts *all, tl_real h);
/* Particles in contact with a body of any kind at the end of the substep, each once. Cost: a query per particle. */
int tl_body_contacts_count(const tl_body_contacts *all);
/* Is a particle inside a body at the end of the substep that was outside at its start, and that goes its own way? Only
   convex bodies are asked; those made of triangles have a barrier. */
bool tl_body_contacts_any_overrun(const tl_body_contacts *all);
/* Solves convex bodies again in that substep, for the marked blocks of TL_CONTACT_MESH_BLOCK particles. */
void tl_body_contacts_project(tl_body_contacts *all, tl_real h, const unsigned char *blocks);
/* Contact constraints for an implicit step of h seconds; `out` has room for one per particle; `ended`: at the end of
   the substep (contact_constraint.h). Returns how many there are. */
int tl_body_contacts_constraints(tl_body_contacts *all, tl_real h, bool ended, tl_contact_constraint *out);
/* Adds to what a body made of triangles received, with the moment about its pivot. */
void tl_body_contacts_receive(tl_body_contacts *all, const tl_contact_mesh *body, tl_vec3 impulse, tl_vec3 moment);
/* Applies the impulses found by the step to pressure and bodies. */
void tl_body_contacts_report(tl_body_contacts *all, const tl_contact_constraint *constraints, int count);

#endif
