/* Marching tetrahedra (Doi and Koide 1991, "An efficient method of triangulating equi-valued surfaces by using
   tetrahedral cells"). Each cube of a grid is six tetrahedra around the same diagonal, so that neighbours match; a
   tetrahedron has no ambiguous case, and the surface is closed and manifold by construction. */
#include "actor/isosurface.h"

#include <math.h>
#include <string.h>

/* Cubes along an edge of a block whose middle decides whether the surface may pass through it, and how much steeper
   than a distance the field may be there. */
enum { BLOCK = 6 };
static const double STEEPNESS = 2;
enum { BISECTIONS = 24 };

/* Corner c of a cube is at (c & 1, c >> 1 & 1, c >> 2 & 1). A tetrahedron runs from 0 to 7 by adding one axis after the
   other; an edge between corners a ⊂ b is owned by the grid point of a, in direction b − a (1 … 7). */
static const int tetrahedron[6][4] = {{0, 1, 3, 7}, {0, 3, 2, 7}, {0, 2, 6, 7},
                                      {0, 6, 4, 7}, {0, 4, 5, 7}, {0, 5, 1, 7}};

typedef struct march {
    tl_skin *skin;
    const tl_field *field;
    double spacing;
    int size[3]; /* grid points */
    float *value;
    int *id[2]; /* of two layers: vertex + 1 on each of 8 directions of every grid point */
} march;

static tl_point3 place(const march *m, int i, int j, int k)
{
    return tl_p3(m->field->low.x + i * m->spacing, m->field->low.y + j * m->spacing, m->field->low.z + k * m->spacing);
}

static size_t index_of(const march *m, int i, int j, int k)
{
    return ((size_t)k * (size_t)m->size[1] + (size_t)j) * (size_t)m->size[0] + (size_t)i;
}

/* Values at grid points; where a block is all inside or all outside only its sign. */
static void sample(march *m)
{
    double reach = STEEPNESS * 0.9 * BLOCK * m->spacing; /* half the diagonal is 0.87 of the edge */
    for (int k0 = 0; k0 < m->size[2]; k0 += BLOCK)
        for (int j0 = 0; j0 < m->size[1]; j0 += BLOCK)
            for (int i0 = 0; i0 < m->size[0]; i0 += BLOCK) {
                tl_point3 half = tl_p3(1, 1, 1);
                double middle = tl_field_at(m->field, tl_p3_madd(place(m, i0, j0, k0), half, 0.5 * BLOCK * m->spacing));
                for (int k = k0; k < k0 + BLOCK && k < m->size[2]; ++k)
                    for (int j = j0; j < j0 + BLOCK && j < m->size[1]; ++j)
                        for (int i = i0; i < i0 + BLOCK && i < m->size[0]; ++i)
                            m->value[index_of(m, i, j, k)] =
                                (float)(fabs(middle) > reach ? middle : tl_field_at(m->field, place(m, i, j, k)));
            }
}

static bool add_vertex(tl_skin *skin, tl_point3 x)
{
    if (!tl_grow(&skin->allocator, &skin->x, skin->count, &skin->capacity, sizeof *skin->x))
        return false;
    skin->x[skin->count++] = x;
    return true;
}

static bool add_face(tl_skin *skin, int a, int b, int c)
{
    if (!tl_grow(&skin->allocator, &skin->face, skin->face_count, &skin->face_capacity, sizeof *skin->face))
        return false;
    int face[3] = {a, b, c};
    memcpy(skin->face[skin->face_count++], face, sizeof face);
    return true;
}

/* The vertex on the edge between corners a and b of the cube at i, j, k, one of which is inside; −1 without memory. */
static int vertex_on(march *m, const int cube[3], int a, int b)
{
    int low = a & b, direction = a ^ b; /* one of the two contains the other */
    int i = cube[0] + (low & 1), j = cube[1] + (low >> 1 & 1), layer = low >> 2 & 1;
    int *id = &m->id[layer][((size_t)j * (size_t)m->size[0] + (size_t)i) * 8 + (size_t)direction];
    if (*id > 0)
        return *id - 1;
    tl_point3 p = place(m, i, j, cube[2] + layer);
    tl_point3 q = place(m, i + (direction & 1), j + (direction >> 1 & 1), cube[2] + layer + (direction >> 2 & 1));
    bool inside = m->value[index_of(m, i, j, cube[2] + layer)] < 0;
    double from = 0, to = 1;
    for (int n = 0; n < BISECTIONS; ++n) {
        double middle = (from + to) / 2;
        if ((tl_field_at(m->field, tl_p3_madd(p, tl_p3_sub(q, p), middle)) < 0) == inside)
            from = middle;
        else
            to = middle;
    }
    if (!add_vertex(m->skin, tl_p3_madd(p, tl_p3_sub(q, p), (from + to) / 2)))
        return -1;
    *id = m->skin->count;
    return *id - 1;
}

/* Triangles of one tetrahedron. `turned`: its corners are ordered the other way round. */
static bool march_tetrahedron(march *m, const int cube[3], const int corner[4], unsigned inside)
{
    int in[4], out[4], ins = 0, outs = 0;
    for (int n = 0; n < 4; ++n)
        if (inside >> corner[n] & 1)
            in[ins++] = n;
        else
            out[outs++] = n;
    if (ins == 0 || outs == 0)
        return true;
    /* an even permutation (in…, out…) of a tetrahedron with its normals outwards has the same sense */
    int order[4], inversions = 0;
    for (int n = 0; n < 4; ++n)
        order[n] = n < ins ? in[n] : out[n - ins];
    for (int a = 0; a < 4; ++a)
        for (int b = a + 1; b < 4; ++b)
            inversions += order[a] > order[b];
    bool even = inversions % 2 == 0;
    int v[4], count = 0;
    static const int pairs[3][4][2] = {
        {{0, 1}, {0, 2}, {0, 3}, {0, 0}}, {{0, 2}, {0, 3}, {1, 3}, {1, 2}}, {{0, 3}, {1, 3}, {2, 3}, {0, 0}}};
    for (int n = 0; n < (ins == 2 ? 4 : 3); ++n) {
        const int *pair = pairs[ins - 1][n];
        v[n] = vertex_on(m, cube, corner[order[pair[0]]], corner[order[pair[1]]]);
        if (v[n] < 0)
            return false;
        ++count;
    }
    for (int n = 2; n < count; ++n)
        if (!(even ? add_face(m->skin, v[0], v[n - 1], v[n]) : add_face(m->skin, v[0], v[n], v[n - 1])))
            return false;
    return true;
}

static bool march_layer(march *m, int k)
{
    for (int j = 0; j + 1 < m->size[1]; ++j)
        for (int i = 0; i + 1 < m->size[0]; ++i) {
            unsigned inside = 0;
            for (int c = 0; c < 8; ++c)
                inside |= (unsigned)(m->value[index_of(m, i + (c & 1), j + (c >> 1 & 1), k + (c >> 2))] < 0) << c;
            if (inside == 0 || inside == 255)
                continue;
            int cube[3] = {i, j, k};
            for (int t = 0; t < 6; ++t)
                if (!march_tetrahedron(m, cube, tetrahedron[t], inside))
                    return false;
        }
    return true;
}

bool tl_isosurface(tl_skin *skin, const tl_field *field, double spacing, const tl_allocator *allocator)
{
    *skin = (tl_skin){.allocator = *allocator};
    march m = {.skin = skin, .field = field, .spacing = spacing};
    m.size[0] = (int)((field->high.x - field->low.x) / spacing) + 2;
    m.size[1] = (int)((field->high.y - field->low.y) / spacing) + 2;
    m.size[2] = (int)((field->high.z - field->low.z) / spacing) + 2;
    size_t layer = (size_t)m.size[0] * (size_t)m.size[1];
    m.value = tl_allocate(allocator, layer * (size_t)m.size[2], sizeof *m.value);
    m.id[0] = tl_allocate(allocator, layer * 8, sizeof *m.id[0]);
    m.id[1] = tl_allocate(allocator, layer * 8, sizeof *m.id[1]);
    bool made = m.value && m.id[0] && m.id[1];
    if (made)
        sample(&m);
    for (int k = 0; made && k + 1 < m.size[2]; ++k) {
        made = march_layer(&m, k);
        int *done = m.id[0];
        m.id[0] = m.id[1];
        m.id[1] = done;
        memset(done, 0, layer * 8 * sizeof *done);
    }
    tl_release(allocator, m.value);
    tl_release(allocator, m.id[0]);
    tl_release(allocator, m.id[1]);
    return made;
}

void tl_skin_destroy(tl_skin *skin)
{
    tl_release(&skin->allocator, skin->x);
    tl_release(&skin->allocator, skin->face);
    skin->x = NULL;
    skin->face = NULL;
}
