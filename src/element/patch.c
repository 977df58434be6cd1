/* Patches of six particles and their second derivatives (element/patch.h). */
#include "element/patch.h"

/* Share of the patch's size below which an equation counts as a repetition of the others (six particles near a conic):
   the answer is then the flattest surface that fits, by a ridge of this square. */
#define RIDGE 1e-4
/* A face counts as unstrained in the starting pose when its edges have their rest length to this part; rounding of
   coordinates read from text files stays below it, strain of a pattern that is still to be put on does not. */
#define UNSTRAINED 1e-3

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

/* Rest coordinates of one patch, relative to the face's first corner. */
typedef struct plan {
    double u[TL_PATCH_PARTICLES], v[TL_PATCH_PARTICLES];
    bool inner[3]; /* there is a particle across edge e */
} plan;

/* The corner across half-edge h, unfolded into the plane of its face: each face has rest coordinates of its own. */
static void unfold(const tl_mesh *mesh, int h, double *u, double *v)
{
    int t = mesh->twin[h], apex = tl_half_prev(t), next = tl_half_next(h);
    int t_next = tl_half_next(t); /* origin of h, seen from the other face; t starts where h ends */
    double eu = (double)mesh->rest_u[next] - (double)mesh->rest_u[h];
    double ev = (double)mesh->rest_v[next] - (double)mesh->rest_v[h];
    double fu = (double)mesh->rest_u[t] - (double)mesh->rest_u[t_next];
    double fv = (double)mesh->rest_v[t] - (double)mesh->rest_v[t_next];
    double au = (double)mesh->rest_u[apex] - (double)mesh->rest_u[t_next];
    double av = (double)mesh->rest_v[apex] - (double)mesh->rest_v[t_next];
    double square = fu * fu + fv * fv;
    double along = (au * fu + av * fv) / square, across = (fu * av - fv * au) / square;
    /* across is a share of the edge, turned by 90°; the twin edge of a mirrored chart keeps its side */
    double area = (double)mesh->rest_u[tl_half_prev(h)] - (double)mesh->rest_u[h];
    double side = eu * ((double)mesh->rest_v[tl_half_prev(h)] - (double)mesh->rest_v[h]) - ev * area;
    across = side > 0 ? -fabs(across) : fabs(across);
    *u = (double)mesh->rest_u[h] + along * eu - across * ev;
    *v = (double)mesh->rest_v[h] + along * ev + across * eu;
}

static plan plan_of(const tl_mesh *mesh, int face)
{
    plan out = {0};
    double u0 = (double)mesh->rest_u[3 * face], v0 = (double)mesh->rest_v[3 * face];
    for (int c = 0; c < 3; ++c) {
        int h = 3 * face + c;
        out.u[c] = (double)mesh->rest_u[h] - u0;
        out.v[c] = (double)mesh->rest_v[h] - v0;
        out.inner[c] = mesh->twin[h] >= 0;
        if (!out.inner[c])
            continue;
        unfold(mesh, h, &out.u[3 + c], &out.v[3 + c]);
        out.u[3 + c] -= u0;
        out.v[3 + c] -= v0;
    }
    return out;
}

/* Inverse of a symmetric positive 3 × 3 matrix. */
static void invert(const double a[3][3], double out[3][3])
{
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c) {
            int r1 = (r + 1) % 3, r2 = (r + 2) % 3, c1 = (c + 1) % 3, c2 = (c + 2) % 3;
            out[c][r] = a[r1][c1] * a[r2][c2] - a[r1][c2] * a[r2][c1];
        }
    double determinant = a[0][0] * out[0][0] + a[0][1] * out[1][0] + a[0][2] * out[2][0];
    for (int k = 0; k < 9; ++k)
        out[k / 3][k % 3] /= determinant;
}

/* One equation row · h = Σ share_i x_i for h = (x_uu, √2 x_uv, x_vv). */
typedef struct equation {
    double row[3], share[TL_PATCH_PARTICLES];
} equation;

/* An inner edge: what the particle across sees beyond the plane of the face. A border edge: no curvature along its
   normal. */
static equation equation_of(const plan *p, int edge)
{
    equation out = {0};
    if (!p->inner[edge]) {
        int next = (edge + 1) % 3;
        double eu = p->u[next] - p->u[edge], ev = p->v[next] - p->v[edge], square = eu * eu + ev * ev;
        out.row[0] = ev * ev / square;
        out.row[1] = -sqrt(2.0) * eu * ev / square;
        out.row[2] = eu * eu / square;
        return out;
    }
    int across = 3 + edge;
    double determinant = p->u[1] * p->v[2] - p->u[2] * p->v[1];
    double l1 = (p->u[across] * p->v[2] - p->u[2] * p->v[across]) / determinant;
    double l2 = (p->u[1] * p->v[across] - p->u[across] * p->v[1]) / determinant;
    const double share[3] = {l1 + l2 - 1, -l1, -l2};
    out.share[across] = 1;
    for (int c = 0; c < 3; ++c)
        out.share[c] = share[c];
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        out.row[0] += out.share[i] * p->u[i] * p->u[i] / 2;
        out.row[1] += out.share[i] * p->u[i] * p->v[i] / sqrt(2.0);
        out.row[2] += out.share[i] * p->v[i] * p->v[i] / 2;
    }
    /* as a share of the patch, so that all equations count alike */
    double size = sqrt(out.row[0] * out.row[0] + out.row[1] * out.row[1] + out.row[2] * out.row[2]);
    for (int m = 0; m < 3 && size > 0; ++m)
        out.row[m] /= size;
    for (int i = 0; i < TL_PATCH_PARTICLES && size > 0; ++i)
        out.share[i] /= size;
    return out;
}

/* h = Mᵀ (M Mᵀ + ridge)⁻¹ r: the solution, or the flattest one when the equations nearly repeat each other. */
static void put_weights(tl_patch_set *set, int k, const tl_mesh *mesh, int face)
{
    plan p = plan_of(mesh, face);
    equation e[3];
    double square[3][3] = {{0}}, inverse[3][3];
    for (int r = 0; r < 3; ++r)
        e[r] = equation_of(&p, r);
    for (int r = 0; r < 3; ++r)
        for (int c = 0; c < 3; ++c)
            square[r][c] = e[r].row[0] * e[c].row[0] + e[r].row[1] * e[c].row[1] + e[r].row[2] * e[c].row[2] +
                           (r == c ? RIDGE * RIDGE : 0);
    invert((const double(*)[3])square, inverse);
    double root = sqrt((double)mesh->rest_area[face]);
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m)
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
            double sum = 0;
            for (int r = 0; r < 3; ++r)
                for (int c = 0; c < 3; ++c)
                    sum += e[r].row[m] * inverse[r][c] * e[c].share[i];
            set->weight[m][i][k] = (tl_real)(root * sum);
        }
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i) {
        int h = 3 * face + i % 3;
        bool across = i >= 3 && p.inner[i - 3];
        set->particle[i][k] = mesh->face[across ? tl_half_prev(mesh->twin[h]) : i < 3 ? h : 3 * face];
    }
}

static bool allocate_set(tl_patch_set *set, const tl_allocator *allocator, int count)
{
    size_t padded = (size_t)tl_padded(count);
    bool done = true;
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
        done = (set->particle[i] = tl_allocate(allocator, padded, sizeof(int))) && done;
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            done = (set->weight[m][i] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
        done = (set->rest[m] = tl_allocate(allocator, padded, sizeof(tl_real))) && done;
    }
    return done;
}

static void release_set(tl_patch_set *set, const tl_allocator *allocator)
{
    tl_groups_destroy(&set->groups, allocator);
    for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
        tl_release(allocator, set->particle[i]);
    for (int m = 0; m < TL_PATCH_CONDITIONS; ++m) {
        for (int i = 0; i < TL_PATCH_PARTICLES; ++i)
            tl_release(allocator, set->weight[m][i]);
        tl_release(allocator, set->rest[m]);
    }
    tl_release(allocator, set);
}

/* The particles of every patch, in the order of the faces. */
static void list_particles(const tl_mesh *mesh, int *out)
{
    for (int h = 0; h < 3 * mesh->face_count; ++h) {
        int *own = out + (ptrdiff_t)TL_PATCH_PARTICLES * (h / 3);
        own[h % 3] = mesh->face[h];
        own[3 + h % 3] = mesh->face[mesh->twin[h] >= 0 ? tl_half_prev(mesh->twin[h]) : h - h % 3];
    }
}

tl_result tl_patch_build(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error)
{
    batch->allocator = tl_allocator_or_default(&batch->allocator);
    batch->data = NULL;
    batch->count = 0;
    batch->bytes = 0;
    const tl_allocator *allocator = &batch->allocator;
    int count = mesh->face_count;
    tl_patch_set *set = tl_allocate(allocator, 1, sizeof *set);
    int *particle = tl_allocate(allocator, TL_PATCH_PARTICLES * (size_t)count, sizeof *particle);
    bool done = set && particle && allocate_set(set, allocator, count);
    if (done)
        list_particles(mesh, particle);
    done = done && tl_groups_build(&set->groups, allocator, particle, TL_PATCH_PARTICLES, count, mesh->particle_count);
    tl_release(allocator, particle);
    if (!done) {
        if (set)
            release_set(set, allocator);
        return tl_fail(error, TL_ERROR_MEMORY, "%s: no memory for %d faces", batch->kind->path, count);
    }
    set->count = count;
    for (int k = 0; k < count; ++k)
        put_weights(set, k, mesh, set->groups.order[k]);
    batch->data = set;
    batch->count = count;
    size_t numbers = TL_PATCH_CONDITIONS * (TL_PATCH_PARTICLES + 1) * sizeof(tl_real);
    batch->bytes = sizeof *set + (size_t)tl_padded(count) * (TL_PATCH_PARTICLES * sizeof(int) + numbers) +
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
        /* from differences: the weights sum to 0, and far from the origin the places have few digits left */
        for (int i = 1; i < TL_PATCH_PARTICLES; ++i)
            out.q[m] = tl_madd(out.q[m], tl_sub(out.x[i], out.x[0]), out.weight[m][i]);
    }
    return out;
}
