/* Evening out a closed surface: long edges are split, short ones collapsed, edges flipped towards equal angles,
   vertices centred among their neighbours and put back on the surface (Botsch and Kobbelt 2004, "A remeshing approach
   to multiresolution modeling"). A collapse is allowed only where the two ends have exactly the two neighbours in
   common that the edge's triangles have, which keeps the surface closed and manifold. */
#include "actor/isosurface.h"

#include <math.h>
#include <string.h>

enum { ROUNDS = 8, ROUGH_ROUNDS = 2, MOST_AROUND = 24, MOST_AFTER = 10 };
/* 1; edges longer or shorter than these fractions of the wanted length are split or collapsed. */
static const double LONGEST = 1.35, SHORTEST = 0.75, TINY = 0.4;
/* 1; cosine of the angle between a triangle and the surface; of two triangles across an edge that may flip.
   Height of a sound triangle over its longest edge. */
static const double LEAST_FACING = 0.35, LEAST_HEIGHT = 0.3, FLAT = 0.8;

typedef struct ring {
    int face[MOST_AROUND], count;
} ring;

typedef struct remesh {
    tl_skin *skin;
    const tl_field *field;
    double edge;
    ring *around; /* faces around each vertex */
    int around_capacity;
    double *wanted; /* m, edge length at each vertex */
    int wanted_capacity;
    bool rough, failed;
} remesh;

static double distance(tl_point3 a, tl_point3 b)
{
    tl_point3 d = tl_p3_sub(a, b);
    return sqrt(tl_p3_dot(d, d));
}

static double wanted_at(const remesh *r, tl_point3 p)
{
    double sum = 0, weights = 0;
    for (int k = 0; k < r->field->count; ++k) {
        const tl_primitive *primitive = &r->field->primitive[k];
        double off = fmax(tl_primitive_at(primitive, p), 0) + 0.004, weight = 1 / (off * off);
        sum += weight * primitive->detail;
        weights += weight;
    }
    return r->edge * sum / weights;
}

static bool dead(const remesh *r, int f) { return r->skin->face[f][0] < 0; }

static bool has(const int face[3], int v) { return face[0] == v || face[1] == v || face[2] == v; }

static void ring_add(remesh *r, int v, int f)
{
    ring *around = &r->around[v];
    if (around->count < MOST_AROUND)
        around->face[around->count++] = f;
    else
        r->failed = true; /* MOST_AFTER keeps far below */
}

static void ring_remove(remesh *r, int v, int f)
{
    ring *around = &r->around[v];
    for (int n = 0; n < around->count; ++n)
        if (around->face[n] == f) {
            memmove(around->face + n, around->face + n + 1, (size_t)(around->count - n - 1) * sizeof(int));
            --around->count;
            return;
        }
}

/* Room for so many vertices. */
static bool reserve(remesh *r, int count)
{
    const tl_allocator *allocator = &r->skin->allocator;
    while (r->around_capacity < count)
        if (!tl_grow(allocator, &r->around, r->around_capacity, &r->around_capacity, sizeof *r->around))
            return false;
    while (r->wanted_capacity < count)
        if (!tl_grow(allocator, &r->wanted, r->wanted_capacity, &r->wanted_capacity, sizeof *r->wanted))
            return false;
    return true;
}

static bool build_rings(remesh *r)
{
    tl_skin *skin = r->skin;
    if (!reserve(r, skin->count))
        return false;
    for (int v = 0; v < skin->count; ++v) {
        r->around[v].count = 0;
        r->wanted[v] = wanted_at(r, skin->x[v]);
    }
    for (int f = 0; f < skin->face_count; ++f)
        for (int c = 0; c < 3; ++c)
            ring_add(r, skin->face[f][c], f);
    return true;
}

/* The other neighbours of a along faces that contain b too: the corners opposite the edge. Returns their number. */
static int opposite(const remesh *r, int a, int b, int face[2], int corner[2])
{
    int count = 0;
    for (int n = 0; n < r->around[a].count; ++n) {
        int f = r->around[a].face[n];
        const int *t = r->skin->face[f];
        if (!has(t, b))
            continue;
        if (count == 2)
            return 3;
        face[count] = f;
        corner[count++] = t[0] + t[1] + t[2] - a - b;
    }
    return count;
}

static bool neighbours(const remesh *r, int a, int b)
{
    for (int n = 0; n < r->around[a].count; ++n)
        if (has(r->skin->face[r->around[a].face[n]], b))
            return true;
    return false;
}

static int common_neighbours(const remesh *r, int a, int b)
{
    int seen[2 * MOST_AROUND], count = 0, common = 0;
    for (int n = 0; n < r->around[a].count; ++n)
        for (int c = 0; c < 3; ++c) {
            int v = r->skin->face[r->around[a].face[n]][c];
            bool known = v == a || v == b;
            for (int k = 0; k < count; ++k)
                known |= seen[k] == v;
            if (known)
                continue;
            seen[count++] = v;
            common += neighbours(r, b, v);
        }
    return common;
}

static tl_point3 normal_of(tl_point3 a, tl_point3 b, tl_point3 c)
{
    return tl_p3_cross(tl_p3_sub(b, a), tl_p3_sub(c, a));
}

/* Twice the area over the square of the longest edge: 0.87 for equal edges, 0 for a sliver. */
static double height_of(tl_point3 a, tl_point3 b, tl_point3 c)
{
    tl_point3 normal = normal_of(a, b, c);
    double longest = fmax(distance(a, b), fmax(distance(b, c), distance(c, a)));
    return longest > 0 ? sqrt(tl_p3_dot(normal, normal)) / (longest * longest) : 0;
}

/* Whether faces around v, but for those with `but`, face outwards when v moves to x, and do not become slimmer than
   sound ones are; in a rough mesh, fresh from the grid, any shape may follow. */
static bool may_move(const remesh *r, int v, int but, tl_point3 x)
{
    tl_point3 out = tl_field_gradient(r->field, x);
    double steep = sqrt(tl_p3_dot(out, out));
    for (int n = 0; n < r->around[v].count; ++n) {
        const int *t = r->skin->face[r->around[v].face[n]];
        if (but >= 0 && has(t, but))
            continue;
        tl_point3 then[3];
        for (int c = 0; c < 3; ++c)
            then[c] = t[c] == v ? x : r->skin->x[t[c]];
        tl_point3 normal = normal_of(then[0], then[1], then[2]);
        double area = sqrt(tl_p3_dot(normal, normal)), height = height_of(then[0], then[1], then[2]);
        const tl_point3 *now = r->skin->x;
        if (!(tl_p3_dot(normal, out) > LEAST_FACING * area * steep) &&
            tl_p3_dot(normal_of(now[t[0]], now[t[1]], now[t[2]]), out) > 0)
            return false;
        if (!r->rough && height < LEAST_HEIGHT && height <= height_of(now[t[0]], now[t[1]], now[t[2]]))
            return false;
    }
    return true;
}

static void collapse(remesh *r, int a, int b)
{
    int face[2], corner[2];
    tl_skin *skin = r->skin;
    double least = SHORTEST * (r->wanted[a] + r->wanted[b]) / 2, length = distance(skin->x[a], skin->x[b]);
    bool tiny = length < TINY * least;
    if (length >= least || opposite(r, a, b, face, corner) != 2 || common_neighbours(r, a, b) != 2 ||
        r->around[a].count + r->around[b].count - 4 > (tiny ? MOST_AROUND : MOST_AFTER) ||
        r->around[corner[0]].count <= 3 || r->around[corner[1]].count <= 3)
        return;
    tl_point3 middle = tl_p3_madd(tl_p3_madd(tl_p3(0, 0, 0), skin->x[a], 0.5), skin->x[b], 0.5);
    middle = tl_field_project(r->field, middle);
    bool rough = r->rough;
    r->rough |= tiny;
    bool may = may_move(r, a, b, middle) && may_move(r, b, a, middle);
    r->rough = rough;
    if (!may)
        return;
    for (int n = 0; n < 2; ++n) {
        ring_remove(r, a, face[n]);
        ring_remove(r, b, face[n]);
        ring_remove(r, corner[n], face[n]);
        skin->face[face[n]][0] = -1;
    }
    for (int n = 0; n < r->around[b].count; ++n) {
        int *t = skin->face[r->around[b].face[n]];
        for (int c = 0; c < 3; ++c)
            t[c] = t[c] == b ? a : t[c];
        ring_add(r, a, r->around[b].face[n]);
    }
    r->around[b].count = 0;
    skin->x[a] = middle;
}

static bool split(remesh *r, int a, int b)
{
    int face[2], corner[2];
    tl_skin *skin = r->skin;
    if (distance(skin->x[a], skin->x[b]) <= LONGEST * (r->wanted[a] + r->wanted[b]) / 2 ||
        opposite(r, a, b, face, corner) != 2 || r->around[corner[0]].count >= MOST_AFTER ||
        r->around[corner[1]].count >= MOST_AFTER)
        return true;
    if (!tl_grow(&skin->allocator, &skin->x, skin->count, &skin->capacity, sizeof *skin->x) ||
        !reserve(r, skin->count + 1))
        return false;
    int m = skin->count++;
    skin->x[m] = tl_field_project(r->field, tl_p3_madd(tl_p3_madd(tl_p3(0, 0, 0), skin->x[a], 0.5), skin->x[b], 0.5));
    r->around[m].count = 0;
    r->wanted[m] = wanted_at(r, skin->x[m]);
    for (int n = 0; n < 2; ++n) {
        if (!tl_grow(&skin->allocator, &skin->face, skin->face_count, &skin->face_capacity, sizeof *skin->face))
            return false;
        int added = skin->face_count++;
        memcpy(skin->face[added], skin->face[face[n]], sizeof *skin->face);
        for (int c = 0; c < 3; ++c) { /* the old face keeps a, the new one b */
            skin->face[face[n]][c] = skin->face[face[n]][c] == b ? m : skin->face[face[n]][c];
            skin->face[added][c] = skin->face[added][c] == a ? m : skin->face[added][c];
        }
        ring_remove(r, b, face[n]);
        ring_add(r, b, added);
        ring_add(r, corner[n], added);
        ring_add(r, m, face[n]);
        ring_add(r, m, added);
    }
    return true;
}

/* Cosine of the angle at p between q and s. */
static double cosine(tl_point3 p, tl_point3 q, tl_point3 s)
{
    tl_point3 a = tl_p3_sub(q, p), b = tl_p3_sub(s, p);
    return tl_p3_dot(a, b) / sqrt(tl_p3_dot(a, a) * tl_p3_dot(b, b));
}

/* Delaunay: the angles opposite an edge that stays add up to at most half a turn. */
static void flip(remesh *r, int a, int b)
{
    int face[2], corner[2];
    tl_skin *skin = r->skin;
    if (opposite(r, a, b, face, corner) != 2 || neighbours(r, corner[0], corner[1]) || r->around[a].count <= 4 ||
        r->around[b].count <= 4 || r->around[corner[0]].count >= MOST_AFTER || r->around[corner[1]].count >= MOST_AFTER)
        return;
    const tl_point3 *x = skin->x;
    int c = corner[0], d = corner[1];
    if (cosine(x[c], x[a], x[b]) + cosine(x[d], x[a], x[b]) >= -1e-3)
        return;
    tl_point3 one = normal_of(x[skin->face[face[0]][0]], x[skin->face[face[0]][1]], x[skin->face[face[0]][2]]);
    tl_point3 two = normal_of(x[skin->face[face[1]][0]], x[skin->face[face[1]][1]], x[skin->face[face[1]][2]]);
    if (tl_p3_dot(one, two) < FLAT * sqrt(tl_p3_dot(one, one) * tl_p3_dot(two, two)))
        return;
    /* the face that runs from a to b becomes (a, d, c) or its turn: replace b by d in it, and a by c in the other */
    tl_point3 sum = tl_p3_madd(one, two, 1);
    for (int n = 0; n < 2; ++n) {
        int t[3], from = n == 0 ? b : a, to = n == 0 ? d : c;
        memcpy(t, skin->face[face[n]], sizeof t);
        for (int k = 0; k < 3; ++k)
            t[k] = t[k] == from ? to : t[k];
        if (tl_p3_dot(normal_of(x[t[0]], x[t[1]], x[t[2]]), sum) <= 0)
            return;
    }
    for (int n = 0; n < 2; ++n) {
        int from = n == 0 ? b : a, to = n == 0 ? d : c;
        for (int k = 0; k < 3; ++k)
            skin->face[face[n]][k] = skin->face[face[n]][k] == from ? to : skin->face[face[n]][k];
        ring_remove(r, from, face[n]);
        ring_add(r, to, face[n]);
    }
}

/* Towards the mean of the neighbours, weighted by area, along the surface. */
static void relax(remesh *r)
{
    tl_skin *skin = r->skin;
    for (int v = 0; v < skin->count; ++v) {
        tl_point3 sum = tl_p3(0, 0, 0);
        double weights = 0;
        for (int n = 0; n < r->around[v].count; ++n) {
            const int *t = skin->face[r->around[v].face[n]];
            tl_point3 normal = normal_of(skin->x[t[0]], skin->x[t[1]], skin->x[t[2]]);
            double area = sqrt(tl_p3_dot(normal, normal)), size = r->wanted[t[0]] + r->wanted[t[1]] + r->wanted[t[2]];
            double weight = area / (size * size);
            for (int c = 0; c < 3; ++c)
                sum = tl_p3_madd(sum, skin->x[t[c]], weight / 3);
            weights += weight;
        }
        if (!(weights > 0))
            continue;
        tl_point3 x = tl_field_project(r->field, tl_p3_madd(tl_p3(0, 0, 0), sum, 1 / weights));
        if (may_move(r, v, -1, x))
            skin->x[v] = x;
    }
}

/* Calls `operation` on each edge as it is when its turn comes. */
static bool over_edges(remesh *r, int kind)
{
    tl_skin *skin = r->skin;
    int faces = skin->face_count;
    for (int f = 0; f < faces; ++f)
        for (int c = 0; c < 3; ++c) {
            if (dead(r, f))
                break;
            int a = skin->face[f][c], b = skin->face[f][(c + 1) % 3];
            if (a > b)
                continue;
            if (kind == 0 && !split(r, a, b))
                return false;
            if (kind == 1)
                collapse(r, a, b);
            if (kind == 2)
                flip(r, a, b);
        }
    return !r->failed;
}

/* Drops dead faces and the vertices no face has. */
static bool compact(tl_skin *skin)
{
    int *renamed = tl_allocate(&skin->allocator, (size_t)skin->count, sizeof *renamed);
    if (!renamed)
        return false;
    int faces = 0, count = 0;
    for (int f = 0; f < skin->face_count; ++f)
        if (skin->face[f][0] >= 0)
            memmove(skin->face[faces++], skin->face[f], sizeof *skin->face);
    skin->face_count = faces;
    for (int f = 0; f < faces; ++f)
        for (int c = 0; c < 3; ++c)
            renamed[skin->face[f][c]] = 1;
    for (int v = 0; v < skin->count; ++v)
        if (renamed[v]) {
            skin->x[count] = skin->x[v];
            renamed[v] = ++count;
        }
    skin->count = count;
    for (int f = 0; f < faces; ++f)
        for (int c = 0; c < 3; ++c)
            skin->face[f][c] = renamed[skin->face[f][c]] - 1;
    tl_release(&skin->allocator, renamed);
    return true;
}

bool tl_remesh(tl_skin *skin, const tl_field *field, double edge)
{
    remesh r = {.skin = skin, .field = field, .edge = edge};
    bool made = true;
    for (int round = 0; round < ROUNDS && made; ++round) {
        r.rough = round < ROUGH_ROUNDS;
        made = build_rings(&r) && over_edges(&r, 0) && over_edges(&r, 1) && over_edges(&r, 2);
        if (made)
            relax(&r);
        made = made && compact(skin);
    }
    tl_release(&skin->allocator, r.around);
    tl_release(&skin->allocator, r.wanted);
    return made;
}
