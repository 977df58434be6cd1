/* Patches of a particle and its ring, and their second derivatives (element/patch.h). */
#include "element/patch.h"

#include "core/trig.h"

#include <string.h>

/* A face counts as unstrained in the initial pose when its edges have their rest length within this relative error:
   above the rounding of coordinates in text files, below the strain of a garment that is not draped yet. */
#define UNSTRAINED 1e-3
/* Cosine of the angle between the two border edges of a particle above which it is a corner: less than 135° of
 cloth. */
#define CORNER -0.7071
/* Pivot below which a ring does not determine all second derivatives, in units of its size. */
#define SINGULAR 1e-6

bool tl_starts_unstrained(const tl_mesh *mesh)
{
    for (int h = 0; h < 3 * mesh->face_count; ++h) {
        int next = tl_half_next(h);
        double du = (double)mesh->rest_u[next] - (double)mesh->rest_u[h];
        double dv = (double)mesh->rest_v[next] - (double)mesh->rest_v[h];
        double rest = sqrt(du * du + dv * dv);
        double length = (double)tl_length(tl_sub(mesh->position[mesh->face[next]], mesh->position[mesh->face[h]]));
        if (fabs(length - rest) > UNSTRAINED * rest)
            return false;
    }
    return true;
}

/* ---- the ring, unfolded into a plane ---------------------------------------------------------------------------- */

enum { MAX_RING = 64 };  /* maximum number of neighbours */
enum { SMALL_RING = 4 }; /* neighbours of a closed ring up to which it is widened */

typedef struct ring {
    int count;   /* neighbours */
    int inner;   /* of them, those that share an edge with the middle */
    bool closed; /* no border */
    int particle[MAX_RING];
    double u[MAX_RING], v[MAX_RING]; /* m, from the middle */
} ring;

/* Side vectors of a face in its own rest coordinates, from the origin of half-edge h. */
static void side(const tl_mesh *mesh, int from, int to, double *u, double *v)
{
    *u = (double)mesh->rest_u[to] - (double)mesh->rest_u[from];
    *v = (double)mesh->rest_v[to] - (double)mesh->rest_v[from];
}

/* Angle of a face at the origin of h and the lengths of its two sides there. */
static double angle_at(const tl_mesh *mesh, int h, double *first, double *second)
{
    double au, av, bu, bv;
    side(mesh, h, tl_half_next(h), &au, &av);
    side(mesh, h, tl_half_prev(h), &bu, &bv);
    *first = sqrt(au * au + av * av);
    *second = sqrt(bu * bu + bv * bv);
    return fabs(tl_atan2(au * bv - av * bu, au * bu + av * bv));
}

static void add_neighbour(ring *r, int particle, double length, double angle)
{
    if (r->count == MAX_RING)
        return;
    r->particle[r->count] = particle;
    r->u[r->count] = length * tl_cos(angle);
    r->v[r->count++] = length * tl_sin(angle);
}

/* The half-edge at which circulation around the particle starts: on the border, the one with nothing before it. */
static int first_half(const tl_mesh *mesh, int particle, bool *closed)
{
    int start = mesh->particle_face[mesh->particle_face_start[particle]], h = start;
    *closed = true;
    for (int k = 0; k < MAX_RING; ++k) {
        if (mesh->twin[h] < 0) {
            *closed = false;
            return h;
        }
        h = tl_half_next(mesh->twin[h]);
        if (h == start)
            break;
    }
    return start;
}

/* Unfolds the faces around the middle with their own angles; on a sheet that is curved at rest, the angle defect is
   distributed evenly. */
static ring ring_of(const tl_mesh *mesh, int particle)
{
    ring r = {0};
    int start = first_half(mesh, particle, &r.closed), h = start;
    double total = 0, first, second, unit = 1;
    for (int k = 0; k < MAX_RING && r.closed; ++k) {
        total += angle_at(mesh, h, &first, &second);
        h = mesh->twin[tl_half_prev(h)];
        if (h == start)
            break;
    }
    if (r.closed && total > 0)
        unit = 2 * TL_PI / total;
    double angle = 0;
    h = start;
    for (int k = 0; k < MAX_RING; ++k) {
        double turn = angle_at(mesh, h, &first, &second);
        add_neighbour(&r, mesh->face[tl_half_next(h)], first, angle);
        angle += unit * turn;
        int next = mesh->twin[tl_half_prev(h)];
        if (next < 0)
            add_neighbour(&r, mesh->face[tl_half_prev(h)], second, angle);
        if (next < 0 || next == start)
            break;
        h = next;
    }
    return r;
}

/* Thins to at most eight, evenly; on the border the first and the last stay. */
static void thin_out(ring *r)
{
    enum { MOST = TL_PATCH_PARTICLES - 1 };
    if (r->count <= MOST)
        return;
    for (int k = 0; k < MOST; ++k) {
        int from = r->closed ? k * r->count / MOST : k * (r->count - 1) / (MOST - 1);
        r->particle[k] = r->particle[from];
        r->u[k] = r->u[from];
        r->v[k] = r->v[from];
    }
    r->count = MOST;
}

/* Adds the vertex opposite the ring's edge from a to b, with its face unfolded next to the ring's; no duplicates. */
static void add_across(const tl_mesh *mesh, ring *r, int twin, int a, int b)
{
    double bu, bv, cu, cv;
    side(mesh, twin, tl_half_next(twin), &bu, &bv); /* from b to a in the face's own coordinates */
    side(mesh, twin, tl_half_prev(twin), &cu, &cv);
    double square = bu * bu + bv * bv, along = (bu * cu + bv * cv) / square, beside = (bu * cv - bv * cu) / square;
    double eu = r->u[a] - r->u[b], ev = r->v[a] - r->v[b];
    for (int k = 0; k < r->count; ++k)
        if (r->particle[k] == mesh->face[tl_half_prev(twin)])
            return;
    r->particle[r->count] = mesh->face[tl_half_prev(twin)];
    r->u[r->count] = r->u[b] + along * eu - beside * ev;
    r->v[r->count++] = r->v[b] + along * ev + beside * eu;
}

/* A ring of four or fewer does not determine all second derivatives: on a grid with alternating diagonals every other
   particle would have no twist. So the vertices opposite its edges are added. */
static void widen(const tl_mesh *mesh, int particle, ring *r)
{
    int inner = r->count;
    r->inner = inner;
    if (!r->closed || inner > SMALL_RING)
        return;
    bool closed;
    int h = first_half(mesh, particle, &closed);
    for (int k = 0; k < inner; ++k) {
        int twin = mesh->twin[tl_half_next(h)];
        if (twin >= 0)
            add_across(mesh, r, twin, k, (k + 1) % inner);
        h = mesh->twin[tl_half_prev(h)];
    }
}

static ring patch_ring(const tl_mesh *mesh, int particle)
{
    ring r = ring_of(mesh, particle);
    thin_out(&r);
    widen(mesh, particle, &r);
    return r;
}

/* ---- weights ---------------------------------------------------------------------------------------------------- */

/* Sums over the faces of a ring, per particle of the patch: derivatives (uu, uv, vv) before the division by the cell,
   tangents before the division by all faces. */
typedef struct sums {
    double second[3][TL_PATCH_PARTICLES], first[2][TL_PATCH_PARTICLES];
    double area, cell; /* m², of the faces, of the cell */
} sums;

/* Adds g ⊗ (du, dv) for the linear function on one face; gradient[j] are its corners' ∇φ, slot[j] their places. */
static void add_flux(sums *s, const int slot[3], double gradient[3][2], double du, double dv)
{
    for (int j = 0; j < 3; ++j) {
        s->second[0][slot[j]] += gradient[j][0] * du;
        s->second[1][slot[j]] += (gradient[j][0] * dv + gradient[j][1] * du) / 2;
        s->second[2][slot[j]] += gradient[j][1] * dv;
    }
}

/* Area a face contributes to the cell of its corner at the origin: the Voronoi part, or for an obtuse face a half or a
   quarter (Meyer, Desbrun, Schröder and Barr 2003, "Discrete differential-geometry operators"). */
static double cell_area(double au, double av, double bu, double bv)
{
    double area = (au * bv - bu * av) / 2, aa = au * au + av * av, bb = bu * bu + bv * bv, ab = au * bu + av * bv;
    double at_a = aa - ab, at_b = bb - ab; /* cosines at the other corners, times sides */
    if (ab <= 0)
        return area / 2;
    if (at_a <= 0 || at_b <= 0)
        return area / 4;
    return (aa * at_b + bb * at_a) / (16 * area); /* cot = cosine part over twice the area */
}

/* One face of the ring: the middle and neighbours a and b. `outer` tells which of its two sides there are border. */
static void add_face(sums *s, const ring *r, int a, int b, bool outer_a, bool outer_b)
{
    double determinant = r->u[a] * r->v[b] - r->u[b] * r->v[a], area = determinant / 2;
    if (!(area > 0))
        return;
    double gradient[3][2] = {{(r->v[a] - r->v[b]) / determinant, (r->u[b] - r->u[a]) / determinant},
                             {r->v[b] / determinant, -r->u[b] / determinant},
                             {-r->v[a] / determinant, r->u[a] / determinant}};
    const int slot[3] = {0, a + 1, b + 1};
    add_flux(s, slot, gradient, -area * gradient[0][0], -area * gradient[0][1]);
    if (outer_a) /* the half edge towards a, whose outside is to its right */
        add_flux(s, slot, gradient, r->v[a] / 2, -r->u[a] / 2);
    if (outer_b)
        add_flux(s, slot, gradient, -r->v[b] / 2, r->u[b] / 2);
    for (int j = 0; j < 3; ++j) {
        s->first[0][slot[j]] += area * gradient[j][0];
        s->first[1][slot[j]] += area * gradient[j][1];
    }
    s->area += area;
    s->cell += cell_area(r->u[a], r->v[a], r->u[b], r->v[b]);
}

/* On the border: removes the curvature across it; at a corner all of it. */
static void free_border(sums *s, const ring *r)
{
    int last = r->count - 1;
    double la = sqrt(r->u[0] * r->u[0] + r->v[0] * r->v[0]),
           lb = sqrt(r->u[last] * r->u[last] + r->v[last] * r->v[last]);
    bool corner = (r->u[0] * r->u[last] + r->v[0] * r->v[last]) / (la * lb) > CORNER;
    double tu = r->u[last] - r->u[0], tv = r->v[last] - r->v[0], square = tu * tu + tv * tv;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        double uu = s->second[0][i], uv = s->second[1][i], vv = s->second[2][i];
        double across = (tv * tv * uu - 2 * tu * tv * uv + tu * tu * vv) / square; /* n = (−tv, tu)/|t| */
        s->second[0][i] = corner ? 0 : uu - across * tv * tv / square;
        s->second[1][i] = corner ? 0 : uv + across * tu * tv / square;
        s->second[2][i] = corner ? 0 : vv - across * tu * tu / square;
    }
}

/* The five functions that second derivatives must be exact for, in units of the ring's size. */
enum { POLYNOMIALS = 5 };
static void polynomials(double u, double v, double out[POLYNOMIALS])
{
    const double values[POLYNOMIALS] = {u, v, u * u / 2, u * v, v * v / 2};
    memcpy(out, values, sizeof values);
}

/* Solves a x = b for all three columns of b by elimination; false when a is singular. */
static bool eliminate(double a[POLYNOMIALS][POLYNOMIALS], double b[POLYNOMIALS][3])
{
    for (int c = 0; c < POLYNOMIALS; ++c) { /* a is symmetric and definite: no pivoting */
        if (!(a[c][c] > SINGULAR))
            return false;
        for (int r = 0; r < POLYNOMIALS; ++r) {
            double factor = r == c ? 0 : a[r][c] / a[c][c];
            for (int k = c; k < POLYNOMIALS; ++k)
                a[r][k] -= factor * a[c][k];
            for (int m = 0; m < 3; ++m)
                b[r][m] -= factor * b[c][m];
        }
    }
    for (int c = 0; c < POLYNOMIALS; ++c)
        for (int m = 0; m < 3; ++m)
            b[c][m] /= a[c][c];
    return true;
}

/* Makes the derivatives of a closed ring exact for every quadratic surface, by the least-squares change of its weights:
   the sums above are only exact on average over many cells. */
static void make_exact(sums *s, const ring *r)
{
    double value[TL_PATCH_PARTICLES][POLYNOMIALS], matrix[POLYNOMIALS][POLYNOMIALS] = {{0}},
                                                   missing[POLYNOMIALS][3] = {{0}};
    double unit = sqrt(s->cell);
    for (int i = 0; i < r->count; ++i) {
        polynomials(r->u[i] / unit, r->v[i] / unit, value[i]);
        for (int f = 0; f < POLYNOMIALS; ++f) {
            for (int g = 0; g < POLYNOMIALS; ++g)
                matrix[f][g] += value[i][f] * value[i][g];
            for (int m = 0; m < 3; ++m)
                missing[f][m] -= s->second[m][i + 1] * value[i][f];
        }
    }
    for (int m = 0; m < 3; ++m)
        missing[2 + m][m] += 1; /* the cell over the square of the unit */
    if (!eliminate(matrix, missing))
        return;
    for (int i = 0; i < r->count; ++i)
        for (int m = 0; m < 3; ++m) {
            double change = 0;
            for (int f = 0; f < POLYNOMIALS; ++f)
                change += value[i][f] * missing[f][m];
            s->second[m][i + 1] += change;
            s->second[m][0] -= change;
        }
}

/* Bending stiffness around a particle in that of the batch: the mean of its faces, by their area. */
static double factor_at(const tl_mesh *mesh, int particle)
{
    double sum = 0, area = 0;
    for (int k = mesh->particle_face_start[particle]; k < mesh->particle_face_start[particle + 1] && mesh->part; ++k) {
        int face = tl_half_face(mesh->particle_face[k]);
        sum += (double)mesh->rest_area[face] * (double)tl_mesh_part_at(mesh, face)->bend;
        area += (double)mesh->rest_area[face];
    }
    return area > 0 ? sum / area : 1;
}

static void put_patch(tl_patch_set *set, int k, const tl_mesh *mesh, int particle)
{
    ring r = patch_ring(mesh, particle);
    sums s = {0};
    int faces = r.closed ? r.inner : r.inner - 1;
    for (int f = 0; f < faces; ++f)
        add_face(&s, &r, f, (f + 1) % r.inner, !r.closed && f == 0, !r.closed && f == faces - 1);
    if (!r.closed)
        free_border(&s, &r);
    else if (s.cell > 0)
        make_exact(&s, &r);
    double scale = s.cell > 0 ? 1 / sqrt(s.cell) : 0; /* √A_v / A_v */
    if (mesh->part)                                   /* E = ½ B C²: r times as stiff is √r in C */
        scale *= sqrt(factor_at(mesh, particle));
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        set->particle[i][k] = i > 0 && i <= r.count ? r.particle[i - 1] : particle;
        set->weight[0][i][k] = (tl_real)(scale * s.second[0][i]);
        set->weight[1][i][k] = (tl_real)(scale * sqrt(2.0) * s.second[1][i]);
        set->weight[2][i][k] = (tl_real)(scale * s.second[2][i]);
        for (int t = 0; t < 2 && set->tangent[t][i]; ++t)
            set->tangent[t][i][k] = (tl_real)(s.area > 0 ? s.first[t][i] / s.area : 0);
    }
}

/* ---- the set ---------------------------------------------------------------------------------------------------- */

static bool allocate_set(tl_patch_set *set, const tl_allocator *allocator, int count, bool tangents)
{
    size_t padded = (size_t)tl_padded(count);
    bool done = true;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        done = (set->particle[i] = tl_allocate(allocator, padded, sizeof(int))) && done;
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            done = (set->weight[m][i] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
        for (int t = 0; t < 2 && tangents; ++t)
            done = (set->tangent[t][i] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    }
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
        done = (set->rest[m] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    return done;
}

static void release_set(tl_patch_set *set, const tl_allocator *allocator)
{
    tl_groups_destroy(&set->groups, allocator);
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        tl_release(allocator, set->particle[i]);
        for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
            tl_release(allocator, set->weight[m][i]);
        for (int t = 0; t < 2; ++t)
            tl_release(allocator, set->tangent[t][i]);
    }
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
        tl_release(allocator, set->rest[m]);
    tl_release(allocator, set);
}

/* The particles of every patch, in the order of their middles. */
static void list_particles(const tl_mesh *mesh, int *out)
{
    for (int p = 0; p < mesh->particle_count; ++p) {
        ring r = patch_ring(mesh, p);
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            *out++ = i > 0 && i <= r.count ? r.particle[i - 1] : p;
    }
}

tl_result tl_patch_build(tl_element_batch *batch, const tl_mesh *mesh, bool tangents, tl_error *error)
{
    batch->allocator = tl_allocator_or_default(&batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
    const tl_allocator *allocator = &batch->allocator;
    int count = mesh->particle_count;
    tl_patch_set *set = tl_allocate(allocator, 1, sizeof *set);
    int *particle = tl_allocate(allocator, TL_PATCH_PARTICLES * (size_t)count, sizeof *particle);
    bool done = set && particle && allocate_set(set, allocator, count, tangents);
    if (done)
        list_particles(mesh, particle);
    done = done && tl_groups_build(&set->groups, allocator, particle, TL_PATCH_PARTICLES, count, count);
    tl_release(allocator, particle);
    if (!done) {
        if (set)
            release_set(set, allocator);
        return tl_fail(error, TL_ERROR_MEMORY, "%s: no memory for %d particles", batch->kind->path, count);
    }
    set->count = count;
    for (int k = 0; k < count; ++k)
        put_patch(set, k, mesh, set->groups.order[k]);
    batch->data = set;
    batch->count = count;
    size_t numbers = TL_PATCH_CONDITIONS + TL_PATCH_PARTICLES * (TL_PATCH_CONDITIONS + (tangents ? 2 : 0));
    batch->bytes = sizeof *set +
                   (size_t)tl_padded(count) * (TL_PATCH_PARTICLES * sizeof(int) + numbers * sizeof(tl_real)) +
                   tl_groups_bytes(&set->groups, count);
    return TL_OK;
}

void tl_patch_destroy(tl_element_batch *batch)
{
    if (batch->data)
        release_set(batch->data, &batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
}

const tl_groups *tl_patch_groups(const tl_element_batch *batch) { return &((const tl_patch_set *)batch->data)->groups; }

void tl_patch_members(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES])
{
    const tl_patch_set *set = batch->data;
    for (int c = 0; c < TL_PATCH_PARTICLES; ++c)
        particle[c] = set->particle[c][k];
}

tl_patch_state tl_patch_at(const tl_patch_set *set, int k, const tl_particles *p)
{
    tl_patch_state out;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        out.particle[i] = set->particle[i][k];
        out.x[i] = tl_at(p->x, out.particle[i]);
    }
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        out.q[m] = tl_v3(0, 0, 0);
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            out.weight[m][i] = set->weight[m][i][k];
        /* from differences: the weights sum to 0, and far from the origin positions have few digits left */
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
            out.q[m] = tl_madd(out.q[m], tl_sub(out.x[i], out.x[0]), out.weight[m][i]);
    }
    return out;
}
