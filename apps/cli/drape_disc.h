/* Cusick's drape test: a disc of cloth, 30 cm wide, is held between two discs of 18 cm, and its shadow S from above
   gives the drape coefficient (S − 254)/(707 − 254), in cm².

   The disc is a mesh of rings around the middle. The last clamped ring is half a spacing beyond the edge of the two
   discs: curvature belongs to a ring and to half a spacing on both sides of it, so that the cloth starts to bend at the
   edge itself, as in the cantilever law. */
#ifndef TELAR_CLI_DRAPE_DISC_H
#define TELAR_CLI_DRAPE_DISC_H

#include "telar/telar.h"

/* Vertices and triangles of a disc of so many rings, in the plane y = 0, front up; its flat pattern is (x, −z). */
int drape_disc_vertices(int rings);
int drape_disc_triangles(int rings);
void drape_disc_fill(int rings, tl_vec3 *vertices, int *triangles);

/* Pins what is between the discs and bends the rest by a tenth of a millimetre, differently for every `start`, so that
   folds can form. False when memory is short. */
bool drape_disc_mount(tl_cloth *cloth, int rings, int start);

/* The drape coefficient of the cloth as it hangs. */
double drape_disc_coefficient(tl_cloth *cloth);

#endif
