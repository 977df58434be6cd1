/* Strips cut out of a mesh at an angle, for the laws of bending. */
#ifndef TELAR_CLI_VALIDATE_STRIP_MESH_H
#define TELAR_CLI_VALIDATE_STRIP_MESH_H

#include "telar/telar.h"

typedef enum strip_kind {
    STRIP_EQUILATERAL,
    STRIP_ONE_DIAGONAL,
    STRIP_ALTERNATING,
    STRIP_JITTERED,
    STRIP_KINDS
} strip_kind;
extern const char *const strip_kind_names[STRIP_KINDS];

/* The rectangle low_x ≤ x ≤ high_x, |z| ≤ width/2 of the plane y = 0, cut from an infinite mesh of cells of about
   `cell` metres rotated by `degrees`. Its front is up; warp is x. NULL when memory is short. */
tl_mesh *strip_mesh(strip_kind kind, double degrees, double cell, double low_x, double high_x, double width);

#endif
