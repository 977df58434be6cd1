/* Constrained Delaunay triangulation. Points are inserted one by one: a walk from the last triangle finds the one that
   holds the point, which is split, and edges are flipped until all circles are empty (Lawson 1977). Segments are then
   forced by flipping the edges that cross them (Sloan, "A fast algorithm for generating constrained Delaunay
   triangulations", 1993), what lies outside the borders is removed, and the inside made Delaunay again wherever it is
   free to be. Coordinates are integers, so both predicates are exact in 128 bits and no case needs a tolerance. */
#include "mesh/delaunay.h"

#include "core/memory.h"

enum { CORNERS = 3, NONE = -1 };

typedef struct triangle {
    int vertex[3];
    int next[3];    /* triangle across the edge opposite to each vertex */
    bool forced[3]; /* that edge is a segment */
    bool border[3]; /* of the border */
    int8_t inside;  /* −1 unknown */
} triangle;

typedef struct triangulation {
    const tl_planar_def *def;
    triangle *all; /* 2 n + 1 of n points and the three far corners */
    int count;
    int *of_vertex; /* one triangle of each point */
    int *stack;     /* triangles × 3 + corner: edges to be examined */
    int stack_count, stack_size;
    const tl_allocator *allocator;
} triangulation;

__extension__ typedef __int128 wide;

typedef struct place {
    int64_t x, y;
} place;

/* ---- predicates ------------------------------------------------------------------------------------------------ */

static place place_of(const triangulation *t, int v)
{
    /* far enough to hold all points, near enough for 128 bits */
    static const int64_t far = (int64_t)1 << 28;
    int corner = v - t->def->point_count;
    if (corner < 0)
        return (place){t->def->point[v].x, t->def->point[v].y};
    return (place){corner == 1 ? 2 * far : -far, corner == 2 ? 2 * far : -far};
}

static int orientation(place a, place b, place c)
{
    int64_t left = (b.x - a.x) * (c.y - a.y), right = (b.y - a.y) * (c.x - a.x);
    return (left > right) - (left < right);
}

int tl_planar_orientation(tl_planar_point a, tl_planar_point b, tl_planar_point c)
{
    return orientation((place){a.x, a.y}, (place){b.x, b.y}, (place){c.x, c.y});
}

static int turn(const triangulation *t, int a, int b, int c)
{
    return orientation(place_of(t, a), place_of(t, b), place_of(t, c));
}

/* Whether d is strictly inside the circle through the counter-clockwise a, b, c. */
static bool in_circle(const triangulation *t, int a, int b, int c, int d)
{
    place o = place_of(t, d), p[3] = {place_of(t, a), place_of(t, b), place_of(t, c)};
    wide sum = 0;
    for (int k = 0; k < CORNERS; ++k) {
        p[k].x -= o.x;
        p[k].y -= o.y;
    }
    for (int k = 0; k < CORNERS; ++k) {
        place u = p[(k + 1) % 3], v = p[(k + 2) % 3];
        wide square = (wide)p[k].x * p[k].x + (wide)p[k].y * p[k].y;
        sum += square * ((wide)u.x * v.y - (wide)u.y * v.x);
    }
    return sum > 0;
}

/* ---- links ------------------------------------------------------------------------------------------------------ */

static int corner_of(const triangulation *t, int at, int vertex)
{
    const int *v = t->all[at].vertex;
    return v[0] == vertex ? 0 : v[1] == vertex ? 1 : 2;
}

/* The corner of triangle `at` whose opposite edge leads to triangle `to`. */
static int corner_towards(const triangulation *t, int at, int to)
{
    const int *n = t->all[at].next;
    return n[0] == to ? 0 : n[1] == to ? 1 : 2;
}

static void set_triangle(triangulation *t, int at, int a, int b, int c)
{
    t->all[at] = (triangle){.vertex = {a, b, c}, .next = {NONE, NONE, NONE}, .inside = -1};
    t->of_vertex[a] = t->of_vertex[b] = t->of_vertex[c] = at;
}

/* Joins the edge at corner i of triangle `at` to whatever `from`'s edge at corner j led to before. */
static void take_edge(triangulation *t, int at, int i, const triangle *from, int from_index, int j)
{
    int other = from->next[j];
    t->all[at].next[i] = other;
    t->all[at].forced[i] = from->forced[j];
    t->all[at].border[i] = from->border[j];
    if (other != NONE) {
        int k = corner_towards(t, other, from_index);
        t->all[other].next[k] = at;
    }
}

static void join(triangulation *t, int a, int i, int b, int j)
{
    t->all[a].next[i] = b;
    t->all[b].next[j] = a;
}

static bool push(triangulation *t, int at, int corner)
{
    if (!tl_grow(t->allocator, &t->stack, t->stack_count, &t->stack_size, sizeof *t->stack))
        return false;
    t->stack[t->stack_count++] = 3 * at + corner;
    return true;
}

/* Exchanges the edge at corner i of `at` for the other diagonal. Afterwards `at` is (apex, b, opposite) and its old
   neighbour (apex, opposite, c), where b c was the edge: in both, the apex is corner 0 and the outer edge opposite to
   it was the neighbour's. */
static void flip(triangulation *t, int at, int i)
{
    int other = t->all[at].next[i], j = corner_towards(t, other, at);
    triangle p = t->all[at], q = t->all[other];
    int apex = p.vertex[i], b = p.vertex[(i + 1) % 3], c = p.vertex[(i + 2) % 3], opposite = q.vertex[j];
    int8_t inside = p.inside;
    set_triangle(t, at, apex, b, opposite);
    set_triangle(t, other, apex, opposite, c);
    t->all[at].inside = t->all[other].inside = inside;
    take_edge(t, at, 0, &q, other, (j + 1) % 3); /* b – opposite */
    take_edge(t, other, 0, &q, other, (j + 2) % 3);
    take_edge(t, at, 2, &p, at, (i + 2) % 3); /* apex – b */
    take_edge(t, other, 1, &p, at, (i + 1) % 3);
    join(t, at, 1, other, 2);
}

/* ---- points ------------------------------------------------------------------------------------------------------ */

/* Flips edges on the stack, all opposite to the point that was just inserted, until they are Delaunay. */
static bool settle_point(triangulation *t)
{
    while (t->stack_count > 0) {
        int edge = t->stack[--t->stack_count], at = edge / 3, i = edge % 3, other = t->all[at].next[i];
        if (other == NONE)
            continue;
        const int *v = t->all[at].vertex;
        int opposite = t->all[other].vertex[corner_towards(t, other, at)];
        if (!in_circle(t, v[0], v[1], v[2], opposite))
            continue;
        flip(t, at, i);
        if (!push(t, at, 0) || !push(t, other, 0))
            return false;
    }
    return true;
}

/* The triangle that holds the point; on an edge, *edge is the corner opposite to it, else NONE. */
static int locate(const triangulation *t, int point, int start, int *edge)
{
    int at = start;
    for (;;) {
        int out = NONE;
        *edge = NONE;
        for (int i = 0; i < CORNERS && out == NONE; ++i) {
            int side = turn(t, t->all[at].vertex[(i + 1) % 3], t->all[at].vertex[(i + 2) % 3], point);
            if (side < 0)
                out = t->all[at].next[i];
            else if (side == 0)
                *edge = i;
        }
        if (out == NONE)
            return at;
        at = out;
    }
}

static bool split_triangle(triangulation *t, int at, int point)
{
    triangle old = t->all[at];
    int b = t->count++, c = t->count++;
    set_triangle(t, at, point, old.vertex[0], old.vertex[1]);
    set_triangle(t, b, point, old.vertex[1], old.vertex[2]);
    set_triangle(t, c, point, old.vertex[2], old.vertex[0]);
    take_edge(t, at, 0, &old, at, 2);
    take_edge(t, b, 0, &old, at, 0);
    take_edge(t, c, 0, &old, at, 1);
    join(t, at, 1, b, 2);
    join(t, b, 1, c, 2);
    join(t, c, 1, at, 2);
    return push(t, at, 0) && push(t, b, 0) && push(t, c, 0);
}

static bool split_edge(triangulation *t, int at, int i, int point)
{
    int other = t->all[at].next[i], j = corner_towards(t, other, at);
    triangle p = t->all[at], q = t->all[other];
    int apex = p.vertex[i], u = p.vertex[(i + 1) % 3], v = p.vertex[(i + 2) % 3], opposite = q.vertex[j];
    int c = t->count++, d = t->count++;
    set_triangle(t, at, point, apex, u);
    set_triangle(t, c, point, v, apex);
    set_triangle(t, other, point, opposite, v);
    set_triangle(t, d, point, u, opposite);
    take_edge(t, at, 0, &p, at, (i + 2) % 3);
    take_edge(t, c, 0, &p, at, (i + 1) % 3);
    take_edge(t, other, 0, &q, other, (j + 2) % 3);
    take_edge(t, d, 0, &q, other, (j + 1) % 3);
    join(t, at, 2, c, 1);
    join(t, c, 2, other, 1);
    join(t, other, 2, d, 1);
    join(t, d, 2, at, 1);
    return push(t, at, 0) && push(t, c, 0) && push(t, other, 0) && push(t, d, 0);
}

static tl_result insert_points(triangulation *t, tl_planar_result *result)
{
    int n = t->def->point_count, at = 0, edge;
    set_triangle(t, t->count++, n, n + 1, n + 2);
    for (int v = 0; v < n; ++v) {
        at = locate(t, v, at, &edge);
        for (int k = 0; k < CORNERS; ++k) {
            int w = t->all[at].vertex[k];
            if (w < n && t->def->point[w].x == t->def->point[v].x && t->def->point[w].y == t->def->point[v].y) {
                *result = (tl_planar_result){.fault = TL_PLANAR_SAME_POINT, .at = {w, v}};
                return TL_ERROR_INPUT;
            }
        }
        bool split = edge == NONE ? split_triangle(t, at, v) : split_edge(t, at, edge, v);
        if (!split || !settle_point(t))
            return TL_ERROR_MEMORY;
    }
    return TL_OK;
}

/* ---- segments ---------------------------------------------------------------------------------------------------- */

/* The triangle and corner of the edge from a to b as seen from its left; false when there is none. */
static bool find_edge(const triangulation *t, int a, int b, int *at, int *corner)
{
    int start = t->of_vertex[a], now = start;
    do {
        int k = corner_of(t, now, a);
        if (t->all[now].vertex[(k + 1) % 3] == b) {
            *at = now;
            *corner = (k + 2) % 3;
            return true;
        }
        now = t->all[now].next[(k + 1) % 3];
    } while (now != start && now != NONE);
    return false;
}

static void mark_edge(triangulation *t, int at, int corner, bool border)
{
    int other = t->all[at].next[corner], k = corner_towards(t, other, at);
    t->all[at].forced[corner] = t->all[other].forced[k] = true;
    t->all[at].border[corner] |= border;
    t->all[other].border[k] |= border;
}

static tl_result fail_at(tl_planar_result *result, tl_planar_fault fault, int first, int second)
{
    *result = (tl_planar_result){.fault = fault, .at = {first, second}};
    return TL_ERROR_INPUT;
}

/* The triangle at `a` through which the way to b leaves; a point on the way is an error. */
static tl_result first_crossed(const triangulation *t, int segment, int *at, tl_planar_result *result)
{
    int a = t->def->segment[segment].a, b = t->def->segment[segment].b, start = t->of_vertex[a];
    int now = start;
    do {
        int k = corner_of(t, now, a), u = t->all[now].vertex[(k + 1) % 3], v = t->all[now].vertex[(k + 2) % 3];
        int right = turn(t, a, b, u), left = turn(t, a, b, v);
        if (right < 0 && left > 0) {
            *at = now;
            return TL_OK;
        }
        place pa = place_of(t, a), pb = place_of(t, b), pu = place_of(t, u);
        bool ahead = (pb.x - pa.x) * (pu.x - pa.x) + (pb.y - pa.y) * (pu.y - pa.y) > 0;
        if (right == 0 && ahead && u < t->def->point_count)
            return fail_at(result, TL_PLANAR_ON_SEGMENT, u, segment);
        now = t->all[now].next[(k + 1) % 3];
    } while (now != start && now != NONE);
    return fail_at(result, TL_PLANAR_CROSSING, segment, NONE);
}

/* Pushes the edges that cross the segment, as pairs of points. */
static tl_result list_crossed(triangulation *t, int segment, int *pairs, int room, int *count, tl_planar_result *result)
{
    int a = t->def->segment[segment].a, b = t->def->segment[segment].b, at = NONE;
    tl_result found = first_crossed(t, segment, &at, result);
    if (found)
        return found;
    int corner = corner_of(t, at, a);
    for (*count = 0;;) {
        int u = t->all[at].vertex[(corner + 1) % 3], v = t->all[at].vertex[(corner + 2) % 3];
        if (t->all[at].forced[corner])
            return fail_at(result, TL_PLANAR_CROSSING, segment, NONE);
        if (*count >= room)
            return fail_at(result, TL_PLANAR_MEMORY, segment, NONE);
        pairs[2 * *count] = u;
        pairs[2 * *count + 1] = v;
        ++*count;
        int other = t->all[at].next[corner], k = corner_towards(t, other, at), w = t->all[other].vertex[k];
        if (w == b)
            return TL_OK;
        int side = turn(t, a, b, w);
        if (side == 0)
            return fail_at(result, TL_PLANAR_ON_SEGMENT, w, segment);
        /* the way goes on through the edge of w that straddles it */
        at = other;
        corner = corner_of(t, at, side > 0 ? v : u);
    }
}

/* Whether the edge at this corner is the diagonal of a strictly convex quadrilateral. */
static bool is_convex(const triangulation *t, int at, int corner)
{
    int other = t->all[at].next[corner], opposite = t->all[other].vertex[corner_towards(t, other, at)];
    int apex = t->all[at].vertex[corner], u = t->all[at].vertex[(corner + 1) % 3],
        v = t->all[at].vertex[(corner + 2) % 3];
    return turn(t, apex, u, opposite) > 0 && turn(t, apex, opposite, v) > 0;
}

static tl_result force_segment(triangulation *t, int segment, int *pairs, int room, tl_planar_result *result)
{
    const tl_planar_segment *s = &t->def->segment[segment];
    int at, corner, count = 0;
    if (find_edge(t, s->a, s->b, &at, &corner)) {
        mark_edge(t, at, corner, s->border);
        return TL_OK;
    }
    tl_result crossed = list_crossed(t, segment, pairs, room, &count, result);
    if (crossed)
        return crossed;
    /* a ring of edges that still cross; every round of it flips at least one */
    int64_t tries = 0, most = (int64_t)count * count + 64;
    for (int first = 0, left = count; left > 0; first = (first + 1) % count) {
        int u = pairs[2 * first], v = pairs[2 * first + 1];
        if (u == NONE)
            continue;
        if (++tries > 4 * most || !find_edge(t, u, v, &at, &corner))
            return fail_at(result, TL_PLANAR_CROSSING, segment, NONE);
        if (!is_convex(t, at, corner))
            continue;
        int other = t->all[at].next[corner];
        int x = t->all[at].vertex[corner], y = t->all[other].vertex[corner_towards(t, other, at)];
        flip(t, at, corner);
        bool ends = x == s->a || x == s->b || y == s->a || y == s->b;
        bool crosses = !ends && turn(t, s->a, s->b, x) * turn(t, s->a, s->b, y) < 0;
        pairs[2 * first] = crosses ? x : NONE;
        pairs[2 * first + 1] = crosses ? y : NONE;
        left -= !crosses;
    }
    if (!find_edge(t, s->a, s->b, &at, &corner))
        return fail_at(result, TL_PLANAR_CROSSING, segment, NONE);
    mark_edge(t, at, corner, s->border);
    return TL_OK;
}

static tl_result force_segments(triangulation *t, tl_planar_result *result)
{
    int room = t->count + 8;
    int *pairs = tl_allocate(t->allocator, 2 * (size_t)room, sizeof *pairs);
    tl_result done = pairs ? TL_OK : TL_ERROR_MEMORY;
    for (int s = 0; s < t->def->segment_count && !done; ++s)
        done = force_segment(t, s, pairs, room, result);
    tl_release(t->allocator, pairs);
    return done;
}

/* ---- inside ------------------------------------------------------------------------------------------------------ */

/* Triangles by the number of borders between them and infinity, odd or even. */
static bool flood(triangulation *t)
{
    int *queue = tl_allocate(t->allocator, (size_t)t->count, sizeof *queue);
    if (!queue)
        return false;
    int head = 0, tail = 0;
    queue[tail++] = t->of_vertex[t->def->point_count];
    t->all[queue[0]].inside = 0;
    while (head < tail) {
        const triangle *now = &t->all[queue[head++]];
        for (int k = 0; k < CORNERS; ++k) {
            int next = now->next[k];
            if (next == NONE || t->all[next].inside >= 0)
                continue;
            t->all[next].inside = now->border[k] ? !now->inside : now->inside;
            queue[tail++] = next;
        }
    }
    tl_release(t->allocator, queue);
    return true;
}

/* Makes free edges on the inside Delaunay: forcing segments left others behind. */
static bool settle_inside(triangulation *t)
{
    for (int at = 0; at < t->count; ++at)
        for (int k = 0; k < CORNERS; ++k)
            if (t->all[at].inside == 1 && t->all[at].next[k] > at && !push(t, at, k))
                return false;
    while (t->stack_count > 0) {
        int edge = t->stack[--t->stack_count], at = edge / 3, k = edge % 3, other = t->all[at].next[k];
        if (other == NONE || t->all[at].forced[k] || t->all[other].inside != 1)
            continue;
        const int *v = t->all[at].vertex;
        if (!in_circle(t, v[0], v[1], v[2], t->all[other].vertex[corner_towards(t, other, at)]))
            continue;
        flip(t, at, k); /* strictly convex: the fourth point is inside the circle */
        if (!push(t, at, 0) || !push(t, at, 2) || !push(t, other, 0) || !push(t, other, 1))
            return false;
    }
    return true;
}

static bool collect(const triangulation *t, tl_planar_result *result)
{
    result->triangle = tl_allocate(t->allocator, 3 * (size_t)t->count, sizeof *result->triangle);
    if (!result->triangle)
        return false;
    result->triangle_count = 0;
    for (int at = 0; at < t->count; ++at) {
        if (t->all[at].inside != 1)
            continue;
        for (int k = 0; k < CORNERS; ++k)
            result->triangle[3 * result->triangle_count + k] = t->all[at].vertex[k];
        ++result->triangle_count;
    }
    return true;
}

tl_result tl_triangulate(const tl_planar_def *def, const tl_allocator *allocator, tl_planar_result *result)
{
    size_t points = (size_t)def->point_count + 3;
    *result = (tl_planar_result){.fault = TL_PLANAR_MEMORY, .at = {NONE, NONE}};
    triangulation t = {.def = def, .allocator = allocator};
    t.all = tl_allocate(allocator, 2 * points, sizeof *t.all);
    t.of_vertex = tl_allocate(allocator, points, sizeof *t.of_vertex);
    tl_result done = t.all && t.of_vertex ? TL_OK : TL_ERROR_MEMORY;
    if (!done)
        done = insert_points(&t, result);
    if (!done)
        done = force_segments(&t, result);
    if (!done && !(flood(&t) && settle_inside(&t) && collect(&t, result)))
        done = TL_ERROR_MEMORY;
    tl_release(allocator, t.stack);
    tl_release(allocator, t.of_vertex);
    tl_release(allocator, t.all);
    return done;
}
