/* Which particles of a mesh are linked, and how far apart they rest.

   On a grid, links go to fixed offsets on the lattice: structural along rows and columns, shear along both diagonals,
   bend two apart (Provot 1995), disc to the 20 nearest neighbours with weight 1/distance. Elsewhere: structural are the
   edges; shear joins the two particles opposite an edge; bend joins a and c that are nearly collinear with a common
   neighbour b. Rest lengths are those of the flat pattern: faces around an edge or a particle are unfolded into the
   plane, so that a sheet pulls towards flat. */
#include "element/link.h"

#include "core/trig.h"

#include <stdlib.h>

/* Cosine of the smallest angle a–b–c that still counts as straight through b: 120°. Six equilateral triangles around b
   give 180°, a border corner at most 90°. */
static const double STRAIGHT_COSINE = -0.5;

/* lattice */

typedef struct offset {
    int column, row;
} offset;

static const offset STRUCTURAL[] = {{1, 0}, {0, 1}};
static const offset SHEAR[] = {{1, 1}, {-1, 1}};
static const offset BEND[] = {{2, 0}, {0, 2}};
static const offset DISC[] = {{1, 0}, {2, 0}, {-2, 1}, {-1, 1}, {0, 1}, {1, 1}, {2, 1}, {-1, 2}, {0, 2}, {1, 2}};
enum { DISC_COUNT = sizeof DISC / sizeof *DISC };

static const offset *offsets_of(tl_link_kind kind, int *count)
{
    *count = kind == TL_LINK_DISC ? DISC_COUNT : 2;
    switch (kind) {
    case TL_LINK_STRUCTURAL:
        return STRUCTURAL;
    case TL_LINK_SHEAR:
        return SHEAR;
    case TL_LINK_BEND:
        return BEND;
    default:
        return DISC;
    }
}

/* Rest distance between neighbours on the lattice, from its far ends: the same for every link of a kind. */
static double spacing(const tl_mesh *mesh, int last, int steps)
{
    tl_vec3 a = mesh->position[mesh->lattice[0]], b = mesh->position[mesh->lattice[last]];
    double x = (double)b.x - (double)a.x, y = (double)b.y - (double)a.y, z = (double)b.z - (double)a.z;
    return sqrt(x * x + y * y + z * z) / steps;
}

static tl_link make_link(int a, int b, double rest, double weight)
{
    return (tl_link){a < b ? a : b, a < b ? b : a, (tl_real)rest, (tl_real)weight};
}

static bool enumerate_lattice(const tl_mesh *mesh, tl_link_kind kind, const tl_allocator *allocator, tl_link **links,
                              int *count)
{
    int columns = mesh->columns, rows = mesh->rows, offset_count;
    const offset *offsets = offsets_of(kind, &offset_count);
    tl_link *made = tl_allocate(allocator, (size_t)columns * (size_t)rows * (size_t)offset_count, sizeof *made);
    if (!made)
        return false;
    double across = spacing(mesh, columns - 1, columns - 1), down = spacing(mesh, (rows - 1) * columns, rows - 1);
    int n = 0;
    for (int o = 0; o < offset_count; ++o) {
        int dc = offsets[o].column, dr = offsets[o].row;
        double rest = sqrt(dc * across * (dc * across) + dr * down * (dr * down));
        double weight = kind == TL_LINK_DISC ? 1 / sqrt((double)(dc * dc + dr * dr)) : 1;
        for (int r = 0; r + dr < rows; ++r)
            for (int c = dc < 0 ? -dc : 0; c < columns && c + dc < columns; ++c)
                made[n++] =
                    make_link(mesh->lattice[r * columns + c], mesh->lattice[(r + dr) * columns + c + dc], rest, weight);
    }
    *links = made;
    *count = n;
    return true;
}

/* other meshes */

static bool enumerate_edges(const tl_mesh *mesh, const tl_allocator *allocator, tl_link **links, int *count)
{
    tl_link *made = tl_allocate(allocator, (size_t)mesh->edge_count, sizeof *made);
    if (!made)
        return false;
    for (int e = 0; e < mesh->edge_count; ++e)
        made[e] = make_link(mesh->edge_a[e], mesh->edge_b[e], (double)mesh->edge_length[e], 1);
    *links = made;
    *count = mesh->edge_count;
    return true;
}

typedef struct flat {
    double u, v;
} flat;

/* From the origin of half-edge h to another corner of its face, in the face's rest plane. */
static flat rest_difference(const tl_mesh *mesh, int from, int to)
{
    return (flat){(double)mesh->rest_u[to] - (double)mesh->rest_u[from],
                  (double)mesh->rest_v[to] - (double)mesh->rest_v[from]};
}

/* Position of the particle opposite half-edge h: along the edge from its middle, and distance from it. */
static flat opposite_place(const tl_mesh *mesh, int h)
{
    flat edge = rest_difference(mesh, h, tl_half_next(h)), side = rest_difference(mesh, h, tl_half_prev(h));
    double length = sqrt(edge.u * edge.u + edge.v * edge.v);
    if (!(length > 0))
        return (flat){0, sqrt(side.u * side.u + side.v * side.v)};
    return (flat){(edge.u * side.u + edge.v * side.v) / length - length / 2,
                  fabs(edge.u * side.v - edge.v * side.u) / length};
}

static bool enumerate_across(const tl_mesh *mesh, const tl_allocator *allocator, tl_link **links, int *count)
{
    tl_link *made = tl_allocate(allocator, (size_t)mesh->edge_count, sizeof *made);
    if (!made)
        return false;
    int n = 0;
    for (int e = 0; e < mesh->edge_count; ++e) {
        int c = mesh->edge_c[e], d = mesh->edge_d[e], half = mesh->edge_half[e];
        if (d < 0 || c == d || mesh->twin[half] < 0)
            continue;
        /* the second face sees the edge from its other end */
        flat first = opposite_place(mesh, half), second = opposite_place(mesh, mesh->twin[half]);
        double along = first.u + second.u, apart = first.v + second.v;
        made[n++] = make_link(c, d, sqrt(along * along + apart * apart), 1);
    }
    *links = made;
    *count = n;
    return true;
}

/* The edges of one particle, laid out in the plane. */
typedef struct spoke {
    int particle;
    double length; /* m */
    double angle;  /* radians, from the first spoke */
} spoke;

/* The half-edge that starts the fan of faces around particle b: the one with nothing on its right, or any. */
static int fan_start(const tl_mesh *mesh, int b)
{
    int first = mesh->particle_face[mesh->particle_face_start[b]];
    int h = first;
    /* turn clockwise: over this half-edge's twin, whose next starts at b again */
    while (mesh->twin[h] >= 0) {
        h = tl_half_next(mesh->twin[h]);
        if (h == first)
            break;
    }
    return h;
}

static spoke make_spoke(const tl_mesh *mesh, int origin, int to, double angle)
{
    flat side = rest_difference(mesh, origin, to);
    return (spoke){mesh->face[to], sqrt(side.u * side.u + side.v * side.v), angle};
}

/* Of half-edge h's face at the half-edge's origin. */
static double corner_angle(const tl_mesh *mesh, int h)
{
    flat a = rest_difference(mesh, h, tl_half_next(h)), b = rest_difference(mesh, h, tl_half_prev(h));
    return tl_atan2(fabs(a.u * b.v - a.v * b.u), a.u * b.u + a.v * b.v);
}

/* Lays the fan of faces around b flat, one after the other. A closed fan that does not close in the plane (the tip of a
   cone) is spread to a full turn. `spokes` has room for one more than b has faces. */
static int unfold_ring(const tl_mesh *mesh, int b, spoke *spokes)
{
    int start = fan_start(mesh, b), h = start, n = 0;
    double angle = 0;
    do {
        spokes[n++] = make_spoke(mesh, h, tl_half_next(h), angle);
        angle += corner_angle(mesh, h);
        int back = tl_half_prev(h);
        h = mesh->twin[back];
        if (h < 0) /* border: the last spoke has no face behind it */
            spokes[n++] = make_spoke(mesh, tl_half_next(back), back, angle);
    } while (h >= 0 && h != start);
    if (h == start && angle > 0)
        for (int k = 0; k < n; ++k)
            spokes[k].angle *= 2 * TL_PI / angle;
    return n;
}

/* For every spoke the most nearly opposite one, the lower index on a tie; either end may find the pair. */
static int pair_spokes(const spoke *spokes, int n, tl_link *made)
{
    int count = 0;
    for (int a = 0; a < n; ++a) {
        int best = -1;
        double best_cosine = STRAIGHT_COSINE;
        for (int c = 0; c < n; ++c) {
            double cosine = tl_cos(spokes[a].angle - spokes[c].angle);
            if (c != a && cosine < best_cosine) {
                best = c;
                best_cosine = cosine;
            }
        }
        if (best < 0 || spokes[a].particle == spokes[best].particle)
            continue;
        double la = spokes[a].length, lc = spokes[best].length;
        made[count++] = make_link(spokes[a].particle, spokes[best].particle,
                                  sqrt(la * la + lc * lc - 2 * la * lc * best_cosine), 1);
    }
    return count;
}

static bool enumerate_through(const tl_mesh *mesh, const tl_allocator *allocator, tl_link **links, int *count)
{
    /* each particle has at most one spoke more than faces, and each spoke finds at most one partner */
    size_t capacity = 3 * (size_t)mesh->face_count + (size_t)mesh->particle_count;
    tl_link *made = tl_allocate(allocator, capacity, sizeof *made);
    spoke *spokes = tl_allocate(allocator, capacity, sizeof *spokes);
    if (!made || !spokes) {
        tl_release(allocator, made);
        tl_release(allocator, spokes);
        return false;
    }
    int n = 0;
    for (int b = 0; b < mesh->particle_count; ++b)
        if (mesh->particle_face_start[b] < mesh->particle_face_start[b + 1])
            n += pair_spokes(spokes, unfold_ring(mesh, b, spokes), made + n);
    tl_release(allocator, spokes);
    *links = made;
    *count = n;
    return true;
}

static int compare_pairs(const void *a, const void *b)
{
    const tl_link *p = a, *q = b;
    if (p->i != q->i)
        return p->i < q->i ? -1 : 1;
    if (p->j != q->j)
        return p->j < q->j ? -1 : 1;
    return (p->rest > q->rest) - (p->rest < q->rest);
}

/* Keeps the shortest link of every pair of particles. */
static int drop_duplicates(tl_link *links, int count)
{
    qsort(links, (size_t)count, sizeof *links, compare_pairs);
    int kept = 0;
    for (int k = 0; k < count; ++k)
        if (kept == 0 || links[k].i != links[kept - 1].i || links[k].j != links[kept - 1].j)
            links[kept++] = links[k];
    return kept;
}

/* A band of stiffness EA (N) and length L at rest is a spring of EA/L: the weight is 1/L. */
static bool enumerate_elastics(const tl_mesh *mesh, const tl_allocator *allocator, tl_link **links, int *count)
{
    if (mesh->elastic_count == 0)
        return true;
    tl_link *made = tl_allocate(allocator, (size_t)mesh->elastic_count, sizeof *made);
    if (!made)
        return false;
    for (int k = 0; k < mesh->elastic_count; ++k) {
        double rest = (double)mesh->elastic_length[k];
        made[k] = make_link(mesh->elastic_a[k], mesh->elastic_b[k], rest, 1 / rest);
    }
    *links = made;
    *count = mesh->elastic_count;
    return true;
}

bool tl_link_enumerate(const tl_mesh *mesh, tl_link_kind kind, const tl_allocator *allocator, tl_link **links,
                       int *count)
{
    *links = NULL;
    *count = 0;
    if (mesh->lattice && kind != TL_LINK_ELASTIC)
        return enumerate_lattice(mesh, kind, allocator, links, count);
    bool made = true;
    if (kind == TL_LINK_STRUCTURAL)
        made = enumerate_edges(mesh, allocator, links, count);
    else if (kind == TL_LINK_SHEAR)
        made = enumerate_across(mesh, allocator, links, count);
    else if (kind == TL_LINK_BEND)
        made = enumerate_through(mesh, allocator, links, count);
    else if (kind == TL_LINK_ELASTIC)
        made = enumerate_elastics(mesh, allocator, links, count);
    if (*count > 0)
        *count = drop_duplicates(*links, *count);
    return made;
}
