/* The surface is that of surface nets (Gibson 1998, "Constrained elastic surface nets"): a vertex in every cell of a
   grid in which the distance changes its sign, a quad around every such edge. The pose blends the bones' motions. */
#include "cli/bench/figure.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* A bone is a capsule that turns with its parent, and about its own start. */
typedef struct bone {
    double start[3], end[3], radius; /* m, standing */
    int parent;                      /* -1: stands still */
    double swing, lean, phase;       /* rad: about x and about z; 1: of the period */
} bone;

enum { BONES = 11 };
#define PERIOD 1.0   /* s, two steps */
#define BLEND 0.03   /* m, by which neighbouring bones flow into each other */
#define SETTLE 0.5   /* s, from standing to walking */
#define NEAREST 0.01 /* m, keeps weights finite */

static const bone bones[BONES] = {
    {{0, 1.15, 0}, {0, 1.4, 0}, 0.125, -1, 0, 0, 0},             /* chest */
    {{-0.16, 1.4, 0}, {0.16, 1.4, 0}, 0.06, -1, 0, 0, 0},        /* shoulders */
    {{0, 1.5, 0}, {0, 1.6, 0}, 0.09, -1, 0, 0, 0},               /* head */
    {{-0.18, 1.38, 0}, {-0.68, 0.95, 0}, 0.042, -1, 0, 0, 0},    /* arms */
    {{0.18, 1.38, 0}, {0.68, 0.95, 0}, 0.042, -1, 0, 0, 0},      /* */
    {{0, 1.15, 0}, {0, 0.97, 0}, 0.12, -1, 0.12, 0.1, 0.15},     /* waist */
    {{-0.08, 0.93, 0}, {0.08, 0.93, 0}, 0.1, 5, 0, 0, 0},        /* hips */
    {{-0.1, 0.9, 0}, {-0.11, 0.48, 0}, 0.075, 6, 0.35, 0, 0},    /* legs */
    {{0.1, 0.9, 0}, {0.11, 0.48, 0}, 0.075, 6, -0.35, 0, 0},     /* */
    {{-0.11, 0.48, 0}, {-0.11, 0.06, 0}, 0.055, 7, 0.3, 0, 0.2}, /* */
    {{0.11, 0.48, 0}, {0.11, 0.06, 0}, 0.055, 8, -0.3, 0, 0.2},  /* */
};

static double from_bone(const bone *b, const double p[3])
{
    double along = 0, length = 0, square = 0;
    for (int c = 0; c < 3; ++c) {
        along += (p[c] - b->start[c]) * (b->end[c] - b->start[c]);
        length += (b->end[c] - b->start[c]) * (b->end[c] - b->start[c]);
    }
    double t = fmin(fmax(along / length, 0), 1);
    for (int c = 0; c < 3; ++c) {
        double d = p[c] - b->start[c] - t * (b->end[c] - b->start[c]);
        square += d * d;
    }
    return sqrt(square) - b->radius;
}

/* Signed distance, smoothed where bones meet. */
static double distance(const double p[3])
{
    double sum = 0;
    for (int k = 0; k < BONES; ++k)
        sum += exp(-from_bone(&bones[k], p) / BLEND);
    return -BLEND * log(sum);
}

/* ---- the surface ---------------------------------------------------------------------------------------------- */

typedef struct grid {
    int size[3];
    double low[3], edge;
    float *value; /* m, at the corners */
    int *vertex;  /* of each cell; -1: none */
} grid;

static size_t corner_of(const grid *g, int x, int y, int z)
{
    return ((size_t)z * (size_t)g->size[1] + (size_t)y) * (size_t)g->size[0] + (size_t)x;
}

static void place_of(const grid *g, const int cell[3], double p[3])
{
    for (int c = 0; c < 3; ++c)
        p[c] = g->low[c] + g->edge * cell[c];
}

/* Mean of the points where edges of the cell meet the surface. False: there are none. */
static bool cell_vertex(const grid *g, const int cell[3], tl_vec3 *out)
{
    double sum[3] = {0}, low[3];
    int count = 0;
    place_of(g, cell, low);
    for (int a = 0; a < 8; ++a)
        for (int c = 0; c < 3; ++c) {
            if (a >> c & 1)
                continue;
            int b = a | 1 << c;
            float u = g->value[corner_of(g, cell[0] + (a & 1), cell[1] + (a >> 1 & 1), cell[2] + (a >> 2))];
            float v = g->value[corner_of(g, cell[0] + (b & 1), cell[1] + (b >> 1 & 1), cell[2] + (b >> 2))];
            if ((u < 0) == (v < 0))
                continue;
            double t = (double)(u / (u - v));
            for (int k = 0; k < 3; ++k)
                sum[k] += low[k] + g->edge * ((a >> k & 1) + (k == c ? t : 0));
            ++count;
        }
    if (count > 0)
        *out = (tl_vec3){(tl_real)(sum[0] / count), (tl_real)(sum[1] / count), (tl_real)(sum[2] / count)};
    return count > 0;
}

/* The two triangles around the edge from a corner along axis c, front side out. */
static void add_quad(figure *f, const grid *g, const int at[3], int c)
{
    int u = (c + 1) % 3, v = (c + 2) % 3, quad[4];
    for (int k = 0; k < 4; ++k) {
        int cell[3] = {at[0], at[1], at[2]};
        cell[u] -= k == 0 || k == 3;
        cell[v] -= k < 2;
        quad[k] = g->vertex[corner_of(g, cell[0], cell[1], cell[2])];
    }
    bool inside = g->value[corner_of(g, at[0], at[1], at[2])] < 0;
    int first = inside ? 1 : 3, last = inside ? 3 : 1;
    memcpy(f->triangles + 3 * (size_t)f->triangle_count,
           (int[6]){quad[0], quad[first], quad[2], quad[0], quad[2], quad[last]}, 6 * sizeof(int));
    f->triangle_count += 2;
}

static void fill(grid *g)
{
    for (int z = 0; z < g->size[2]; ++z)
        for (int y = 0; y < g->size[1]; ++y)
            for (int x = 0; x < g->size[0]; ++x) {
                double p[3];
                place_of(g, (int[3]){x, y, z}, p);
                g->value[corner_of(g, x, y, z)] = (float)distance(p);
                g->vertex[corner_of(g, x, y, z)] = -1;
            }
}

static void extract(figure *f, grid *g)
{
    for (int z = 0; z + 1 < g->size[2]; ++z)
        for (int y = 0; y + 1 < g->size[1]; ++y)
            for (int x = 0; x + 1 < g->size[0]; ++x)
                if (cell_vertex(g, (int[3]){x, y, z}, &f->rest[f->vertex_count]))
                    g->vertex[corner_of(g, x, y, z)] = f->vertex_count++;
    for (int z = 1; z + 1 < g->size[2]; ++z)
        for (int y = 1; y + 1 < g->size[1]; ++y)
            for (int x = 1; x + 1 < g->size[0]; ++x)
                for (int c = 0; c < 3; ++c) {
                    int at[3] = {x, y, z}, to[3] = {x + (c == 0), y + (c == 1), z + (c == 2)};
                    if ((g->value[corner_of(g, x, y, z)] < 0) != (g->value[corner_of(g, to[0], to[1], to[2])] < 0))
                        add_quad(f, g, at, c);
                }
}

/* ---- the pose ------------------------------------------------------------------------------------------------- */

static void weigh(figure *f)
{
    for (int i = 0; i < f->vertex_count; ++i) {
        const double p[3] = {(double)f->rest[i].x, (double)f->rest[i].y, (double)f->rest[i].z};
        double weight[BONES], sum = 0;
        for (int k = 0; k < BONES; ++k) {
            double d = fmax(from_bone(&bones[k], p), 0) + NEAREST;
            sum += weight[k] = 1 / (d * d * d * d);
        }
        for (int k = 0; k < BONES; ++k)
            f->weight[(size_t)i * BONES + (size_t)k] = (float)(weight[k] / sum);
    }
}

/* Where bone k takes a point. */
static void carry(int k, double time, double p[3])
{
    double amount = fmin(time / SETTLE, 1);
    for (; k >= 0; k = bones[k].parent) {
        const bone *b = &bones[k];
        double phase = 2 * acos(-1) * (time / PERIOD - b->phase);
        double x = amount * b->swing * sin(phase), z = amount * b->lean * sin(phase);
        double d[3] = {p[0] - b->start[0], p[1] - b->start[1], p[2] - b->start[2]};
        double y = cos(x) * d[1] - sin(x) * d[2];
        d[2] = sin(x) * d[1] + cos(x) * d[2];
        p[0] = b->start[0] + cos(z) * d[0] - sin(z) * y;
        p[1] = b->start[1] + sin(z) * d[0] + cos(z) * y;
        p[2] = b->start[2] + d[2];
    }
}

void figure_pose(figure *f, double time)
{
    for (int i = 0; i < f->vertex_count; ++i) {
        double sum[3] = {0};
        for (int k = 0; k < BONES; ++k) {
            double p[3] = {(double)f->rest[i].x, (double)f->rest[i].y, (double)f->rest[i].z};
            carry(k, time, p);
            for (int c = 0; c < 3; ++c)
                sum[c] += (double)f->weight[(size_t)i * BONES + (size_t)k] * p[c];
        }
        f->at[i] = (tl_vec3){(tl_real)sum[0], (tl_real)sum[1], (tl_real)sum[2]};
    }
}

bool figure_create(figure *f, double edge)
{
    const double low[3] = {-0.85, -0.1, -0.3}, high[3] = {0.85, 1.8, 0.3};
    grid g = {.edge = edge};
    size_t corners = 1;
    for (int c = 0; c < 3; ++c) {
        g.low[c] = low[c];
        g.size[c] = (int)((high[c] - low[c]) / edge) + 2;
        corners *= (size_t)g.size[c];
    }
    *f = (figure){.rest = calloc(corners, sizeof *f->rest), .triangles = calloc(18 * corners, sizeof(int))};
    g.value = calloc(corners, sizeof *g.value);
    g.vertex = calloc(corners, sizeof *g.vertex);
    bool made = f->rest && f->triangles && g.value && g.vertex;
    if (made) {
        fill(&g);
        extract(f, &g);
        f->at = calloc((size_t)f->vertex_count, sizeof *f->at);
        f->weight = calloc((size_t)f->vertex_count * BONES, sizeof *f->weight);
        made = f->at && f->weight;
    }
    if (made) {
        weigh(f);
        figure_pose(f, 0);
    }
    free(g.value);
    free(g.vertex);
    return made;
}

void figure_destroy(figure *f)
{
    free(f->rest);
    free(f->at);
    free(f->weight);
    free(f->triangles);
}
