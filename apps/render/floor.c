/* The floor in two parts, because shading it is most of a picture's pixels: an inner grid under everything that can
   cast on it, with shadow look-ups and sky visibility at its vertices, and plain quads from there to where the floor
   has faded. */
#include "render_internal.h"
#include <math.h>
#include <stdlib.h>

enum {
    GRID = 40, /* cells along the inner part: below the blur of the sky map */
    INNER_VERTICES = (GRID + 1) * (GRID + 1),
    INNER_TRIANGLES = 2 * GRID * GRID,
    OUTER_VERTICES = 8, /* inner rectangle, outer rectangle */
    OUTER_TRIANGLES = 8,
    ALL_TRIANGLES = 2,
    RECTANGLE_TRIANGLES = 2,
    TRIANGLES = INNER_TRIANGLES + OUTER_TRIANGLES + ALL_TRIANGLES + RECTANGLE_TRIANGLES
};

render_mesh *floor_mesh_create(render *r, render_error *error)
{
    static float positions[3 * (INNER_VERTICES + OUTER_VERTICES)], normals[3 * (INNER_VERTICES + OUTER_VERTICES)];
    static uint32_t triangles[3 * TRIANGLES];
    uint32_t *t = triangles;
    for (uint32_t j = 0; j < GRID; ++j)
        for (uint32_t i = 0; i < GRID; ++i) {
            uint32_t a = j * (GRID + 1) + i, c = a + GRID + 1;
            const uint32_t quad[6] = {a, c, c + 1, a, c + 1, a + 1};
            for (int k = 0; k < 6; ++k)
                *t++ = quad[k];
        }
    // corners run (−x, −z), (−x, +z), (+x, +z), (+x, −z); side k lies between corner k and the next
    uint32_t in = INNER_VERTICES, out = in + 4;
    for (uint32_t k = 0; k < 4; ++k) {
        uint32_t next = (k + 1) % 4;
        const uint32_t quad[6] = {out + k, out + next, in + next, out + k, in + next, in + k};
        for (int i = 0; i < 6; ++i)
            *t++ = quad[i];
    }
    for (uint32_t first = out;; first = in) {
        const uint32_t whole[6] = {first, first + 1, first + 2, first, first + 2, first + 3};
        for (int i = 0; i < 6; ++i)
            *t++ = whole[i];
        if (first == in)
            break;
    }
    for (int i = 0; i < INNER_VERTICES + OUTER_VERTICES; ++i)
        normals[3 * i + 1] = 1.0f;
    return render_mesh_create(r,
                              &(render_mesh_def){.vertex_count = INNER_VERTICES + OUTER_VERTICES,
                                                 .triangle_count = TRIANGLES,
                                                 .positions = positions,
                                                 .normals = normals,
                                                 .triangles = triangles},
                              error);
}

/* What the scene's box can darken on the floor: its outline from above with a margin for the sky map's blur, and its
   shadow. */
static void shaded_area(vec3s low, vec3s high, vec3s toward_light, float height, float area[4])
{
    float room = 0.25f * fmaxf(high.x - low.x, high.z - low.z), rim = 0.04f * glms_vec3_distance(low, high);
    area[0] = low.x - room, area[1] = low.z - room, area[2] = high.x + room, area[3] = high.z + room;
    float climb = fmaxf(high.y - height, 0.0f) / fmaxf(toward_light.y, 0.05f);
    float dx = -toward_light.x * climb, dz = -toward_light.z * climb;
    area[0] = fminf(area[0], low.x + dx - rim), area[2] = fmaxf(area[2], high.x + dx + rim);
    area[1] = fminf(area[1], low.z + dz - rim), area[3] = fmaxf(area[3], high.z + dz + rim);
}

/* Where the floor ends. */
static void find_end(const vec4s *fade, float end[4])
{
    end[0] = fade->x - fade->w, end[1] = fade->y - fade->w, end[2] = fade->x + fade->w, end[3] = fade->y + fade->w;
}

/* False when there is no inner part: the shaded area lies where the floor has faded. */
bool floor_find_inner(vec3s low, vec3s high, vec3s toward_light, float height, const vec4s *fade, float area[4])
{
    float end[4];
    find_end(fade, end);
    shaded_area(low, high, toward_light, height, area);
    for (int k = 0; k < 4; ++k)
        area[k] = fminf(fmaxf(area[k], end[k % 2]), end[2 + k % 2]);
    return area[0] < area[2] && area[1] < area[3];
}

/* Moves the vertices for this frame. */
void floor_mesh_place(render_mesh *mesh, const float area[4], float height, const vec4s *fade)
{
    float positions[3 * (INNER_VERTICES + OUTER_VERTICES)], normals[3 * (INNER_VERTICES + OUTER_VERTICES)], end[4];
    find_end(fade, end);
    for (int i = 0; i < INNER_VERTICES + OUTER_VERTICES; ++i) {
        float *p = positions + 3 * i, *n = normals + 3 * i;
        if (i < INNER_VERTICES) {
            p[0] = area[0] + (area[2] - area[0]) * (float)(i % (GRID + 1)) / GRID;
            p[2] = area[1] + (area[3] - area[1]) * (float)(i / (GRID + 1)) / GRID;
        } else {
            int corner = (i - INNER_VERTICES) % 4;
            const float *box = i - INNER_VERTICES < 4 ? area : end;
            p[0] = box[corner >= 2 ? 2 : 0];
            p[2] = box[corner == 1 || corner == 2 ? 3 : 1];
        }
        p[1] = height;
        n[0] = n[2] = 0.0f;
        n[1] = 1.0f;
    }
    render_mesh_update(mesh, positions, normals, 0);
}

void floor_mesh_draw(const render_mesh *mesh, floor_part part)
{
    static const int first[] = {INNER_TRIANGLES + OUTER_TRIANGLES, 0, INNER_TRIANGLES, TRIANGLES - RECTANGLE_TRIANGLES};
    static const int count[] = {ALL_TRIANGLES, INNER_TRIANGLES, OUTER_TRIANGLES, RECTANGLE_TRIANGLES};
    glBindVertexArray(mesh->array);
    glDrawElements(GL_TRIANGLES, 3 * count[part], GL_UNSIGNED_INT,
                   (const void *)(3 * (size_t)first[part] * sizeof(uint32_t)));
}
