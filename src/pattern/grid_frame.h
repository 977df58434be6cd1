/* From metres to the integer grid of the triangulation. */
#ifndef TL_PATTERN_GRID_FRAME_H
#define TL_PATTERN_GRID_FRAME_H

#include "mesh/delaunay.h"

typedef struct tl_grid_frame {
    double low[2];
    double scale; /* grid units per metre, a power of two */
} tl_grid_frame;

/* A frame that holds all points, with a margin. */
static inline tl_grid_frame tl_grid_frame_of(const double (*point)[2], int count)
{
    double low[2] = {point[0][0], point[0][1]}, high[2] = {point[0][0], point[0][1]};
    for (int i = 1; i < count; ++i)
        for (int k = 0; k < 2; ++k) {
            low[k] = point[i][k] < low[k] ? point[i][k] : low[k];
            high[k] = point[i][k] > high[k] ? point[i][k] : high[k];
        }
    double size = high[0] - low[0] > high[1] - low[1] ? high[0] - low[0] : high[1] - low[1];
    tl_grid_frame frame = {{low[0], low[1]}, 1};
    while (frame.scale < (double)(1u << 30) && 2 * frame.scale * size < TL_PLANAR_LIMIT - 16)
        frame.scale *= 2;
    return frame;
}

static inline tl_planar_point tl_grid_place(const tl_grid_frame *frame, const double point[2])
{
    /* half a unit and truncation: coordinates are not negative */
    return (tl_planar_point){(int32_t)((point[0] - frame->low[0]) * frame->scale + 0.5),
                             (int32_t)((point[1] - frame->low[1]) * frame->scale + 0.5)};
}

#endif
