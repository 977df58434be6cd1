/* Closed surfaces to fill with gas: ball, ring, cushion and Mylar balloon. Each makes vertices and outward triangles
   and hands them to tl_mesh_create.

   A ball is a geodesic one: the icosahedron's faces subdivided into n² triangles each and projected onto the sphere, so
   that all faces are nearly equal. A cushion is two rectangles, a balloon two discs, lying on one another and sewn
   together along their rim: the flat pieces are their rest shape (as texture coordinates, in metres), and `bulge`
   separates their middles so that the initial volume is positive. */
#include "core/trig.h"
#include "mesh/build.h"

#include <string.h>

#define PI 3.14159265358979323846

const char *const tl_surface_name_list[] = {"sheet", "ball", "ring", "cushion", "balloon", NULL};
const char *const *tl_surface_names(void) { return tl_surface_name_list; }

/* The mesh under construction. Its size is known in advance. */
typedef struct draft {
    tl_vec3 *position;
    tl_real *uv;
    int *triangle;
    int vertex_count, triangle_count;
} draft;

static void add_vertex(draft *d, double x, double y, double z, double u, double v)
{
    d->position[d->vertex_count] = tl_v3((tl_real)x, (tl_real)y, (tl_real)z);
    d->uv[2 * d->vertex_count] = (tl_real)u;
    d->uv[2 * d->vertex_count + 1] = (tl_real)v;
    ++d->vertex_count;
}

static void add_face(draft *d, int a, int b, int c, bool flipped)
{
    int *out = d->triangle + 3 * d->triangle_count++;
    out[0] = a;
    out[1] = flipped ? c : b;
    out[2] = flipped ? b : c;
}

/* ---- ball -------------------------------------------------------------------------------------------------------- */

static const int icosahedron[20][3] = {{0, 11, 5}, {0, 5, 1},  {0, 1, 7},   {0, 7, 10}, {0, 10, 11},
                                       {1, 5, 9},  {5, 11, 4}, {11, 10, 2}, {10, 7, 6}, {7, 1, 8},
                                       {3, 9, 4},  {3, 4, 2},  {3, 2, 6},   {3, 6, 8},  {3, 8, 9},
                                       {4, 9, 5},  {2, 4, 11}, {6, 2, 10},  {8, 6, 7},  {9, 8, 1}};

/* Triangles along an edge of the icosahedron; five edges go once around the ball. */
static int ball_cuts(const tl_surface_def *def) { return def->columns < 10 ? 1 : (def->columns + 2) / 5; }

static void corner_of_icosahedron(int k, double out[3])
{
    const double g = 1.6180339887498948482; /* golden ratio: the corners of three rectangles of sides 2 and 2 g */
    double s = k % 2 ? 1 : -1, t = k % 4 < 2 ? g : -g;
    double x = k < 4 ? s : k < 8 ? 0 : t, y = k < 4 ? t : k < 8 ? s : 0, z = k < 4 ? 0 : k < 8 ? t : s;
    /* the usual numbering: (∓1, ±g, 0), (0, ∓1, ±g), (±g, 0, ∓1) */
    out[0] = x;
    out[1] = y;
    out[2] = z;
}

/* Index of the point at fraction i/n from corner a to corner b; both faces of an edge share its points. */
static int edge_point(int edge[12][12], int n, int a, int b, int i)
{
    if (i == 0)
        return a;
    if (i == n)
        return b;
    int first = 12 + edge[a < b ? a : b][a < b ? b : a] * (n - 1);
    return first + (a < b ? i : n - i) - 1;
}

/* Point of face f that is i/n towards its second and j/n towards its third corner. */
static int face_point(int edge[12][12], int n, int f, int i, int j)
{
    const int *c = icosahedron[f];
    if (j == 0)
        return edge_point(edge, n, c[0], c[1], i);
    if (i == 0)
        return edge_point(edge, n, c[0], c[2], j);
    if (i + j == n)
        return edge_point(edge, n, c[1], c[2], j);
    /* inner points row by row: row j has n − 1 − j of them */
    int before = (j - 1) * (n - 1) - j * (j - 1) / 2;
    return 12 + 30 * (n - 1) + f * ((n - 1) * (n - 2) / 2) + before + i - 1;
}

static void make_ball(draft *d, const tl_surface_def *def)
{
    int n = ball_cuts(def), edge[12][12] = {{0}}, edges = 0;
    double radius = (double)def->width / 2, corner[12][3];
    for (int k = 0; k < 12; ++k)
        corner_of_icosahedron(k, corner[k]);
    for (int f = 0; f < 20; ++f)
        for (int k = 0; k < 3; ++k) {
            int a = icosahedron[f][k], b = icosahedron[f][(k + 1) % 3];
            if (a < b) /* every edge once */
                edge[a][b] = edges++;
        }
    d->vertex_count = 10 * n * n + 2;
    for (int f = 0; f < 20; ++f)
        for (int j = 0; j <= n; ++j)
            for (int i = 0; i + j <= n; ++i) {
                int v = face_point(edge, n, f, i, j);
                double x[3], length = 0;
                for (int c = 0; c < 3; ++c) {
                    x[c] = ((n - i - j) * corner[icosahedron[f][0]][c] + i * corner[icosahedron[f][1]][c] +
                            j * corner[icosahedron[f][2]][c]) /
                           n;
                    length += x[c] * x[c];
                }
                double scale = radius / sqrt(length);
                d->position[v] = tl_v3((tl_real)(x[0] * scale), (tl_real)(x[1] * scale), (tl_real)(x[2] * scale));
                if (i + j < n)
                    add_face(d, v, face_point(edge, n, f, i + 1, j), face_point(edge, n, f, i, j + 1), false);
                if (i + j + 1 < n)
                    add_face(d, face_point(edge, n, f, i + 1, j), face_point(edge, n, f, i + 1, j + 1),
                             face_point(edge, n, f, i, j + 1), false);
            }
}

/* ---- ring -------------------------------------------------------------------------------------------------------- */

/* Lies flat; `columns` around it, `rows` around its tube of diameter `height`. */
static void make_ring(draft *d, const tl_surface_def *def)
{
    double tube = (double)def->height / 2, radius = (double)def->width / 2 - tube;
    for (int c = 0; c < def->columns; ++c)
        for (int r = 0; r < def->rows; ++r) {
            double a = 2 * PI * c / def->columns, b = 2 * PI * r / def->rows, out = radius + tube * tl_cos(b);
            add_vertex(d, out * tl_cos(a), tube * tl_sin(b), -out * tl_sin(a), 0, 0);
        }
    for (int c = 0; c < def->columns; ++c)
        for (int r = 0; r < def->rows; ++r) {
            int next = (c + 1) % def->columns, up = (r + 1) % def->rows;
            int p = c * def->rows + r, q = next * def->rows + r, s = next * def->rows + up, t = c * def->rows + up;
            add_face(d, p, q, s, false);
            add_face(d, p, s, t, false);
        }
}

/* ---- cushion ----------------------------------------------------------------------------------------------------- */

static void cushion_side(draft *d, const tl_surface_def *def, double bulge, bool below)
{
    int first = d->vertex_count, columns = def->columns, rows = def->rows;
    for (int r = 0; r < rows; ++r)
        for (int c = 0; c < columns; ++c) {
            double s = (double)c / (columns - 1), t = (double)r / (rows - 1);
            double x = (s - 0.5) * (double)def->width, z = (t - 0.5) * (double)def->height;
            double lift = 16 * s * (1 - s) * t * (1 - t) * bulge;
            add_vertex(d, x, below ? -lift : lift, z, x, below ? z : -z);
        }
    for (int r = 0; r + 1 < rows; ++r)
        for (int c = 0; c + 1 < columns; ++c) {
            int a = first + r * columns + c, b = a + 1, e = a + columns, f = e + 1;
            /* diagonals point from the corners to the middle: one that cut a corner off would join the same two rim
               particles above and below */
            if ((2 * c + 1 < columns - 1) == (2 * r + 1 < rows - 1)) {
                add_face(d, a, e, f, below);
                add_face(d, a, f, b, below);
            } else {
                add_face(d, a, e, b, below);
                add_face(d, b, e, f, below);
            }
        }
}

/* ---- balloon ----------------------------------------------------------------------------------------------------- */

static int balloon_rings(const tl_surface_def *def) { return def->columns < 5 ? 2 : (def->columns - 1) / 2; }

/* Rings of 6 k particles around the middle, all triangles nearly equilateral. */
static void balloon_side(draft *d, const tl_surface_def *def, double bulge, bool below)
{
    int n = balloon_rings(def), first = d->vertex_count;
    for (int k = 0; k <= n; ++k)
        for (int j = 0; j < (k ? 6 * k : 1); ++j) {
            double fraction = (double)k / n, a = k ? 2 * PI * j / (6 * k) : 0, r = fraction * (double)def->width / 2;
            double x = r * tl_cos(a), z = -r * tl_sin(a), lift = (1 - fraction * fraction) * bulge;
            add_vertex(d, x, below ? -lift : lift, z, x, below ? z : -z);
        }
    for (int k = 1; k <= n; ++k) {
        int inner = first + (k == 1 ? 0 : 1 + 3 * (k - 1) * (k - 2)), outer = first + 1 + 3 * k * (k - 1);
        int inner_count = k == 1 ? 1 : 6 * (k - 1), outer_count = 6 * k;
        for (int sector = 0; sector < 6; ++sector)
            for (int j = 0; j < k; ++j) {
                int o = sector * k + j, i = sector * (k - 1) + j;
                int p = outer + o, q = outer + (o + 1) % outer_count, r = inner + i % inner_count;
                add_face(d, p, q, r, below);
                if (j + 1 < k)
                    add_face(d, q, inner + (i + 1) % inner_count, r, below);
            }
    }
}

/* ---- all --------------------------------------------------------------------------------------------------------- */

enum { BALL = 1, RING, CUSHION, BALLOON }; /* indices into the list of names */

static int kind_of(const char *name)
{
    for (int k = 1; name && tl_surface_name_list[k]; ++k)
        if (strcmp(tl_surface_name_list[k], name) == 0)
            return k;
    return 0;
}

/* Vertices and faces that a definition needs; 64 bits, to detect what is too many. */
static void sizes_of(const tl_surface_def *def, int kind, int64_t *vertices, int64_t *faces)
{
    int64_t c = def->columns, r = def->rows, n = kind == BALL ? ball_cuts(def) : balloon_rings(def);
    *vertices = kind == BALL      ? 10 * n * n + 2
                : kind == RING    ? c * r
                : kind == CUSHION ? 2 * c * r
                                  : 2 * (1 + 3 * n * (n + 1));
    *faces = kind == BALL      ? 20 * n * n
             : kind == RING    ? 2 * c * r
             : kind == CUSHION ? 4 * (c - 1) * (r - 1)
                               : 12 * n * n;
}

static tl_result check(const tl_surface_def *def, int kind, tl_error *error)
{
    const tl_grid_def grid = {def->columns, def->rows, def->width, def->height, false};
    if (!kind)
        return tl_fail(error, TL_ERROR_INPUT, "shape: there is no \"%s\"", def->kind ? def->kind : "");
    tl_result result = tl_check_grid_def(&grid, error);
    if (result != TL_OK)
        return result;
    if ((kind == CUSHION || kind == BALLOON) && !(def->bulge > 0 && def->bulge < def->width))
        return tl_fail(error, TL_ERROR_INPUT, "bulge: %g m must be above 0 and below the width", (double)def->bulge);
    if (kind == CUSHION && (def->columns < 3 || def->rows < 3))
        return tl_fail(error, TL_ERROR_INPUT,
                       "cushion: %d × %d particles leave none between the seams, at least 3 × 3 are needed",
                       def->columns, def->rows);
    if (kind == RING && (def->columns < 3 || def->rows < 3))
        return tl_fail(error, TL_ERROR_INPUT, "ring: %d × %d particles do not close a ring, at least 3 × 3 are needed",
                       def->columns, def->rows);
    if (kind == RING && !(2 * def->height < def->width))
        return tl_fail(error, TL_ERROR_INPUT, "ring: a tube of %g m leaves no hole in %g m", (double)def->height,
                       (double)def->width);
    int64_t vertices, faces;
    sizes_of(def, kind, &vertices, &faces);
    if (vertices > TL_MESH_MAX_PARTICLES)
        return tl_fail(error, TL_ERROR_INPUT, "%s: %lld particles, more than %d", def->kind, (long long)vertices,
                       (int)TL_MESH_MAX_PARTICLES);
    return TL_OK;
}

static void draw(draft *d, const tl_surface_def *def, int kind)
{
    double bulge = (double)def->bulge;
    if (kind == BALL)
        make_ball(d, def);
    else if (kind == RING)
        make_ring(d, def);
    for (int below = 0; below < 2 && kind == CUSHION; ++below)
        cushion_side(d, def, bulge, below != 0);
    for (int below = 0; below < 2 && kind == BALLOON; ++below)
        balloon_side(d, def, bulge, below != 0);
}

tl_mesh *tl_mesh_create_surface(const tl_surface_def *def, const tl_allocator *allocator, tl_error *error)
{
    int kind = kind_of(def->kind);
    if (check(def, kind, error) != TL_OK)
        return NULL;
    int64_t vertices, faces;
    sizes_of(def, kind, &vertices, &faces);
    tl_allocator own = tl_allocator_or_default(allocator);
    draft d = {.position = tl_allocate(&own, (size_t)vertices, sizeof *d.position),
               .uv = tl_allocate(&own, 2 * (size_t)vertices, sizeof *d.uv),
               .triangle = tl_allocate(&own, 3 * (size_t)faces, sizeof *d.triangle)};
    tl_mesh *mesh = NULL;
    if (!d.position || !d.uv || !d.triangle) {
        tl_mesh_no_memory(error);
    } else {
        draw(&d, def, kind);
        bool sewn = kind == CUSHION || kind == BALLOON;
        mesh = tl_mesh_create(&(tl_mesh_def){.positions = d.position,
                                             .uv = sewn ? d.uv : NULL,
                                             .vertex_count = d.vertex_count,
                                             .triangles = d.triangle,
                                             .triangle_count = d.triangle_count,
                                             .rest = sewn ? TL_REST_UV : TL_REST_SHAPE},
                              allocator, error);
    }
    tl_release(&own, d.position);
    tl_release(&own, d.uv);
    tl_release(&own, d.triangle);
    return mesh;
}
