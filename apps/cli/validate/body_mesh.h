/* Mesh bodies for the laws of contact. NULL when memory is short. */
#ifndef TELAR_CLI_VALIDATE_BODY_MESH_H
#define TELAR_CLI_VALIDATE_BODY_MESH_H

#include "telar/telar.h"

/* The rectangle |x| ≤ half_x, |z| ≤ half_z of the plane y = 0 in two triangles, front up: thin. */
tl_mesh *law_mesh_rectangle(double half_x, double half_z);
/* A closed body turned about y: `rings` circles of `around` vertices between two poles. rise[k], radius[k]: of circle
   k, from the top. */
tl_mesh *law_mesh_turned(const double *rise, const double *radius, int rings, int around, double top, double bottom);
/* Ball and cylinder along y, about the origin. */
tl_mesh *law_mesh_ball(double radius, int rings, int around);
tl_mesh *law_mesh_cylinder(double radius, double length, int around);

#endif
