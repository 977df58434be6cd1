#include "sheet.h"
#include <math.h>
#include <stdlib.h>

static void add_link(sheet *s, int a, int b, uint8_t kind)
{
    s->links[2 * s->link_count] = (uint32_t)a;
    s->links[2 * s->link_count + 1] = (uint32_t)b;
    s->kinds[s->link_count++] = kind;
}

static void fill_links(sheet *s)
{
    int n = s->side;
    for (int j = 0; j < n; ++j)
        for (int i = 0; i < n; ++i) {
            int at = j * n + i;
            if (i + 1 < n)
                add_link(s, at, at + 1, 0);
            if (j + 1 < n)
                add_link(s, at, at + n, 0);
            if (i + 1 < n && j + 1 < n) {
                add_link(s, at, at + n + 1, 1);
                add_link(s, at + 1, at + n, 1);
            }
        }
}

sheet sheet_create(int side)
{
    sheet s = {.side = side, .vertex_count = side * side, .triangle_count = 2 * (side - 1) * (side - 1)};
    size_t n = (size_t)s.vertex_count;
    s.positions = calloc(3 * n, sizeof *s.positions);
    s.uvs = calloc(2 * n, sizeof *s.uvs);
    s.values = calloc(n, sizeof *s.values);
    s.triangles = calloc(3 * (size_t)s.triangle_count, sizeof *s.triangles);
    s.links = calloc(8 * n, sizeof *s.links);
    s.kinds = calloc(4 * n, sizeof *s.kinds);
    uint32_t *t = s.triangles;
    for (int j = 0; j < side; ++j)
        for (int i = 0; i < side; ++i) {
            uint32_t a = (uint32_t)(j * side + i), b = a + 1, c = a + (uint32_t)side, d = c + 1;
            s.uvs[2 * a] = (float)i / (float)(side - 1);
            s.uvs[2 * a + 1] = (float)j / (float)(side - 1);
            if (i + 1 == side || j + 1 == side)
                continue;
            // diagonals alternate, and z grows with v, so this order faces up
            const uint32_t even[6] = {a, c, d, a, d, b}, odd[6] = {a, c, b, b, c, d};
            for (int k = 0; k < 6; ++k)
                *t++ = (i + j) % 2 ? odd[k] : even[k];
        }
    fill_links(&s);
    return s;
}

void sheet_destroy(sheet *s)
{
    free(s->positions);
    free(s->uvs);
    free(s->values);
    free(s->triangles);
    free(s->links);
    free(s->kinds);
}

void sheet_flat(sheet *s, float size, float height)
{
    for (int i = 0; i < s->vertex_count; ++i) {
        s->positions[3 * i] = (s->uvs[2 * i] - 0.5f) * size;
        s->positions[3 * i + 1] = height;
        s->positions[3 * i + 2] = (s->uvs[2 * i + 1] - 0.5f) * size;
        s->values[i] = s->uvs[2 * i];
    }
}

static float smooth(float a, float b, float x)
{
    float t = fminf(fmaxf((x - a) / (b - a), 0.0f), 1.0f);
    return t * t * (3.0f - 2.0f * t);
}

void sheet_drape(sheet *s, float size, const float centre[3], float radius, float phase)
{
    for (int i = 0; i < s->vertex_count; ++i) {
        float u = (s->uvs[2 * i] - 0.5f) * size, v = (s->uvs[2 * i + 1] - 0.5f) * size;
        float rho = sqrtf(u * u + v * v), angle = atan2f(v, u);
        float arc = rho / radius, quarter = 1.5707963f;
        float on = fminf(arc, quarter), hang = fmaxf(rho - quarter * radius, 0.0f);
        // folds open below the shoulder and deepen towards the hem, with some irregularity
        float depth = radius * (0.2f * smooth(0.75f, 2.2f, arc) + 0.10f * smooth(1.4f, 3.2f, arc));
        float wave = sinf(8.0f * angle + phase + 0.9f * sinf(2.0f * angle + 1.0f));
        float out = radius * sinf(on) + depth * (wave + 0.75f) * 0.62f + 0.10f * hang;
        float y = centre[1] + radius * cosf(on) - 0.93f * hang;
        s->positions[3 * i] = centre[0] + out * cosf(angle);
        s->positions[3 * i + 1] = y;
        s->positions[3 * i + 2] = centre[2] + out * sinf(angle);
        s->values[i] = smooth(0.5f, 2.6f, arc) * (0.6f + 0.4f * wave);
    }
}
