/* Particle order. Solvers are memory-bound: they read and write both ends of every link many times per step.

   Grids: row by row, and inside a row columns 0, 4, 8 …, then 1, 5, 9 …, then 2, 6, …, then 3, 7, … All links from
   columns of one class to the column one or two to the right join consecutive particles to consecutive particles, and
   no two of them share one: they form a run that vectors load, solve and store without gathers or conflicts. Links
   between rows are runs in any order that is the same for all rows.

   Other meshes have no runs in general, so the aim is locality: reverse Cuthill–McKee numbers particles in
   breadth-first layers from a peripheral particle, which keeps the ends of every link near each other and so in cache.
   E. Cuthill, J. McKee, "Reducing the bandwidth of sparse symmetric matrices", ACM 1969; starting particle after A.
   George, J. Liu, "An implementation of a pseudoperipheral node finder", ACM TOMS 5, 1979. */
#include "mesh/order.h"

#include "core/memory.h"

int tl_order_column(int columns, int c)
{
    int before = 0; /* particles in earlier classes */
    for (int k = 0; k < c % TL_COLUMN_CLASSES; ++k)
        before += (columns - k + TL_COLUMN_CLASSES - 1) / TL_COLUMN_CLASSES;
    return before + c / TL_COLUMN_CLASSES;
}

void tl_order_grid(int columns, int rows, int *lattice)
{
    for (int c = 0; c < columns; ++c)
        for (int r = 0, place = tl_order_column(columns, c); r < rows; ++r)
            lattice[r * columns + c] = r * columns + place;
}

/* ---- reverse Cuthill–McKee ------------------------------------------------------------------------------------ */

typedef struct graph {
    int count;
    int *start; /* count + 1; neighbours of p: neighbour[start[p] … start[p+1]-1], by degree, then number */
    int *neighbour;
    int *queue; /* particles in the order they are reached */
    int *seen;  /* number of the last search that reached the particle */
    int search; /* number of the current search, from 1 */
} graph;

static int degree(const graph *g, int p) { return g->start[p + 1] - g->start[p]; }

/* Fills the neighbour lists, unsorted. */
static void link_neighbours(graph *g, int edge_count, const int *edge_a, const int *edge_b)
{
    for (int e = 0; e < edge_count; ++e)
        ++g->start[edge_a[e] + 1], ++g->start[edge_b[e] + 1];
    for (int p = 0; p < g->count; ++p)
        g->start[p + 1] += g->start[p];
    for (int e = 0; e < edge_count; ++e) {
        g->neighbour[g->start[edge_a[e]]++] = edge_b[e];
        g->neighbour[g->start[edge_b[e]]++] = edge_a[e];
    }
    for (int p = g->count; p > 0; --p)
        g->start[p] = g->start[p - 1];
    g->start[0] = 0;
}

/* by_degree: particles sorted by degree, then number. `first` is scratch, count + 1 zeros. */
static void sort_by_degree(const graph *g, int *by_degree, int *first)
{
    for (int p = 0; p < g->count; ++p)
        ++first[degree(g, p) + 1]; /* at most count: no particle has more neighbours than there are others */
    for (int d = 0; d < g->count; ++d)
        first[d + 1] += first[d];
    for (int p = 0; p < g->count; ++p)
        by_degree[first[degree(g, p)]++] = p;
}

/* Sorts every neighbour list by degree in linear time: going through the particles in that order, each one enters
   itself into the lists of its neighbours. `sorted` takes the lists, `fill` is scratch of one zero per particle. */
static void sort_neighbours(const graph *g, const int *by_degree, int *sorted, int *fill)
{
    for (int i = 0; i < g->count; ++i) {
        int p = by_degree[i];
        for (int k = g->start[p]; k < g->start[p + 1]; ++k) {
            int q = g->neighbour[k];
            sorted[g->start[q] + fill[q]++] = p;
        }
    }
}

/* Breadth first from `root` into g->queue[head …]; returns one past the end. *layers is the depth, *last_layer the
   queue index where the last layer starts. */
static int search(graph *g, int root, int head, int *layers, int *last_layer)
{
    int tail = head, layer_end = head + 1;
    ++g->search;
    g->queue[tail++] = root;
    g->seen[root] = g->search;
    *layers = 1;
    *last_layer = head;
    while (head < tail) {
        if (head == layer_end) {
            *last_layer = head;
            layer_end = tail;
            ++*layers;
        }
        int p = g->queue[head++];
        for (int k = g->start[p]; k < g->start[p + 1]; ++k) {
            int q = g->neighbour[k];
            if (g->seen[q] != g->search) {
                g->seen[q] = g->search;
                g->queue[tail++] = q;
            }
        }
    }
    return tail;
}

/* Numbers the component of `root` into g->queue[head …], from a peripheral particle; returns one past the end. */
static int order_part(graph *g, int root, int head)
{
    enum { TRIES = 8 }; /* depth grows two or three times in practice; a bound keeps the cost linear for any graph */
    int layers, last_layer, tail = search(g, root, head, &layers, &last_layer);
    for (int try = 0; try < TRIES; ++try) {
        int far = g->queue[last_layer], deeper;
        for (int i = last_layer + 1; i < tail; ++i)
            if (degree(g, g->queue[i]) < degree(g, far))
                far = g->queue[i];
        search(g, far, head, &deeper, &last_layer);
        if (deeper <= layers)
            break; /* no deeper, but as peripheral as the one before */
        layers = deeper;
    }
    return tail;
}

static void order(graph *g, int *rank)
{
    int head = 0;
    for (int p = 0; p < g->count; ++p)
        if (!g->seen[p])
            head = order_part(g, p, head);
    /* reversed: less fill-in when factorised, same locality */
    for (int i = 0; i < g->count; ++i)
        rank[g->queue[i]] = g->count - 1 - i;
}

tl_result tl_order_by_neighbours(const tl_allocator *allocator, int particle_count, int edge_count, const int *edge_a,
                                 const int *edge_b, int *rank)
{
    size_t count = (size_t)particle_count, ends = 2 * (size_t)edge_count;
    graph g = {.count = particle_count};
    g.start = tl_allocate(allocator, count + 1, sizeof(int));
    g.neighbour = tl_allocate(allocator, ends, sizeof(int));
    g.queue = tl_allocate(allocator, count, sizeof(int));
    g.seen = tl_allocate(allocator, count, sizeof(int));
    int *unsorted = tl_allocate(allocator, ends, sizeof(int));
    int *first = tl_allocate(allocator, count + 1, sizeof(int));
    tl_result result = TL_ERROR_MEMORY;
    if (g.start && g.neighbour && g.queue && g.seen && unsorted && first) {
        int *sorted = g.neighbour;
        g.neighbour = unsorted;
        link_neighbours(&g, edge_count, edge_a, edge_b);
        sort_by_degree(&g, g.queue, first);
        sort_neighbours(&g, g.queue, sorted, g.seen);
        g.neighbour = sorted;
        for (int p = 0; p < particle_count; ++p)
            g.seen[p] = 0;
        order(&g, rank);
        result = TL_OK;
    }
    tl_release(allocator, first);
    tl_release(allocator, unsorted);
    tl_release(allocator, g.seen);
    tl_release(allocator, g.queue);
    tl_release(allocator, g.neighbour);
    tl_release(allocator, g.start);
    return result;
}
