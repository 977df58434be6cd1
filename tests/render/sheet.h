/* Sheets made by formula for the renderer's tests and pictures: a drape without simulation. */
#ifndef TEST_RENDER_SHEET_H
#define TEST_RENDER_SHEET_H

#include <stdint.h>

typedef struct sheet {
    int side; /* particles along an edge */
    int vertex_count, triangle_count, link_count;
    float *positions, *uvs, *values; /* values: a smooth 0..1 field, largest where the sheet hangs */
    uint32_t *triangles, *links;
    uint8_t *kinds;
} sheet;

/* Grid of side × side particles with stretch (0), shear (1) and bend (2) links; positions all zero. */
sheet sheet_create(int side);
void sheet_destroy(sheet *s);

/* Flat square at a height, edge length in m. */
void sheet_flat(sheet *s, float size, float height);

/* Square of `size` thrown over a ball: on it to the equator, below it hanging in folds; phase turns the folds. */
void sheet_drape(sheet *s, float size, const float centre[3], float radius, float phase);

#endif
