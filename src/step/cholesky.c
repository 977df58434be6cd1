#include "step/cholesky.h"

#include "step/cholesky_kernels.h"
#include "step/dissection.h"

#include <string.h>

/* Multiplications of a factorisation above which it is not made: a sixth of a second on a desktop, sheets of some 230 ×
   230. */
#define MOST_OPERATIONS 1e9

struct tl_cholesky {
    tl_allocator allocator;
    tl_dissection d;
    int lanes;
    bool worthwhile;
    size_t *panel;    /* parts + 1: where each part's panel starts in `entry` */
    double *entry;    /* of all panels */
    double *inverse;  /* per rank: of L's diagonal */
    double *diagonal; /* per rank: A's */
    int *local;       /* per rank: its row in the present panel, or in the one it was last in */
    double *stack;    /* updates of parts whose own part is still to come */
    size_t *top;      /* per part on the stack: where its update starts */
    int *waiting;     /* the same: which part it is */
    double *vector;   /* TL_SIDES numbers per rank */
    double *window;   /* the same for the rows of one panel */
    size_t bytes;
};

static int width_of(const tl_dissection *d, int s) { return d->first[s + 1] - d->first[s]; }
static int rows_beyond(const tl_dissection *d, int s) { return d->row_start[s + 1] - d->row_start[s]; }

/* ---- memory ----------------------------------------------------------------------------------------------------- */

typedef struct needs {
    size_t stack, window;
    double operations;
} needs;

/* Places of the panels, and what factoring takes. `waiting` and `top` serve as they do there. */
static needs count_needs(tl_cholesky *f)
{
    const tl_dissection *d = &f->d;
    needs n = {0};
    int height = 0;
    size_t used = 0;
    for (int s = 0; s < d->parts; ++s) {
        size_t width = (size_t)width_of(d, s), beyond = (size_t)rows_beyond(d, s), rows = width + beyond;
        f->panel[s + 1] = f->panel[s] + width * rows;
        n.stack = used + beyond * beyond > n.stack ? used + beyond * beyond : n.stack;
        n.window = rows > n.window ? rows : n.window;
        for (size_t j = 0; j < width; ++j)
            n.operations += 0.5 * (double)(rows - j) * (double)(rows - j);
        height -= d->pieces[s];
        used = d->pieces[s] > 0 ? f->top[height] : used;
        f->top[height++] = used;
        used += beyond * beyond;
    }
    return n;
}

static void *make(tl_cholesky *f, size_t count, size_t size)
{
    f->bytes += count * size;
    return tl_allocate(&f->allocator, count, size);
}

static bool allocate(tl_cholesky *f)
{
    const tl_dissection *d = &f->d;
    size_t parts = (size_t)d->parts, count = (size_t)d->count;
    f->panel = make(f, parts + 1, sizeof *f->panel);
    f->top = make(f, parts, sizeof *f->top);
    f->waiting = make(f, parts, sizeof *f->waiting);
    if (!f->panel || !f->top || !f->waiting)
        return false;
    needs n = count_needs(f);
    f->worthwhile = n.operations <= MOST_OPERATIONS;
    if (!f->worthwhile)
        return true;
    f->entry = make(f, f->panel[d->parts], sizeof *f->entry);
    f->inverse = make(f, count, sizeof *f->inverse);
    f->diagonal = make(f, count, sizeof *f->diagonal);
    f->local = make(f, count, sizeof *f->local);
    f->stack = make(f, n.stack, sizeof *f->stack);
    f->vector = make(f, TL_SIDES * count, sizeof *f->vector);
    f->window = make(f, TL_SIDES * n.window, sizeof *f->window);
    return f->entry && f->inverse && f->diagonal && f->local && f->stack && f->vector && f->window;
}

tl_cholesky *tl_cholesky_create(const tl_sparse *sparse, const tl_vec3 *position, const tl_allocator *allocator)
{
    tl_cholesky *f = tl_allocate(allocator, 1, sizeof *f);
    if (!f)
        return NULL;
    f->allocator = *allocator;
    f->lanes = sparse->lanes;
    if (tl_dissect(&f->d, &sparse->constant_rows, sparse->count, position, allocator) && allocate(f)) {
        f->bytes += sizeof *f + tl_dissection_bytes(&f->d);
        return f;
    }
    tl_cholesky_destroy(f);
    return NULL;
}

void tl_cholesky_destroy(tl_cholesky *f)
{
    if (!f)
        return;
    tl_allocator allocator = f->allocator;
    tl_dissection_destroy(&f->d, &allocator);
    tl_release(&allocator, f->panel);
    tl_release(&allocator, f->entry);
    tl_release(&allocator, f->inverse);
    tl_release(&allocator, f->diagonal);
    tl_release(&allocator, f->local);
    tl_release(&allocator, f->stack);
    tl_release(&allocator, f->top);
    tl_release(&allocator, f->waiting);
    tl_release(&allocator, f->vector);
    tl_release(&allocator, f->window);
    tl_release(&allocator, f);
}

size_t tl_cholesky_bytes(const tl_cholesky *f) { return f->bytes; }
size_t tl_cholesky_entries(const tl_cholesky *f) { return f->panel[f->d.parts]; }
bool tl_cholesky_is_worthwhile(const tl_cholesky *f) { return f->worthwhile; }

/* ---- factor ----------------------------------------------------------------------------------------------------- */

/* One part while it is factored: its panel, and below it what it leaves to later ones. */
typedef struct front {
    int width, rows;
    double *panel, *update;
} front;

static double *entry_of(const front *at, int row, int column)
{
    if (column < at->width)
        return at->panel + (ptrdiff_t)column * at->rows + row;
    ptrdiff_t size = at->rows - at->width;
    return at->update + (column - at->width) * size + (row - at->width);
}

/* The mass less all couplings, each of which counts for both of its particles: rows sum to the mass exactly. */
static void sum_diagonal(tl_cholesky *f, const tl_sparse *sparse, const tl_real *mass)
{
    const tl_dissection *d = &f->d;
    const tl_rows *rows = &sparse->constant_rows;
    for (int r = 0; r < d->count; ++r)
        f->diagonal[r] = (double)mass[d->order[r]];
    for (int r = 0; r < d->count; ++r)
        for (int i = d->order[r], k = rows->start[i] + 1; k < rows->start[i + 1]; ++k) {
            int other = d->rank[rows->column[k]];
            if (other > r) {
                f->diagonal[r] -= (double)sparse->constant[k];
                f->diagonal[other] -= (double)sparse->constant[k];
            }
        }
}

/* Adds the columns of A that a part eliminates. */
static void add_matrix(const tl_cholesky *f, int s, const front *at, const tl_sparse *sparse, const unsigned char *held)
{
    const tl_dissection *d = &f->d;
    const tl_rows *rows = &sparse->constant_rows;
    for (int r = d->first[s]; r < d->first[s + 1]; ++r) {
        int i = d->order[r], column = r - d->first[s];
        *entry_of(at, column, column) += held[i] ? 1 : f->diagonal[r];
        for (int k = rows->start[i] + 1; k < rows->start[i + 1] && !held[i]; ++k) {
            int j = rows->column[k], other = d->rank[j];
            if (other > r && !held[j])
                *entry_of(at, f->local[other], column) += (double)sparse->constant[k];
        }
    }
}

/* Adds the update of a piece. */
static void add_update(const tl_cholesky *f, const front *at, int piece, const double *update)
{
    const tl_dissection *d = &f->d;
    const int *row = d->row + d->row_start[piece];
    int size = rows_beyond(d, piece);
    for (int j = 0; j < size; ++j) {
        int first = f->local[row[j]];
        double *column = entry_of(at, first, first);
        for (int i = j; i < size; ++i)
            column[f->local[row[i]] - first] += update[(ptrdiff_t)j * size + i];
    }
}

/* Where a panel's rows are. */
static void number_rows(tl_cholesky *f, int s)
{
    const tl_dissection *d = &f->d;
    int n = 0;
    for (int r = d->first[s]; r < d->first[s + 1]; ++r)
        f->local[r] = n++;
    for (int k = d->row_start[s]; k < d->row_start[s + 1]; ++k)
        f->local[d->row[k]] = n++;
}

bool tl_cholesky_factor(tl_cholesky *f, const tl_sparse *sparse, const tl_real *mass, const unsigned char *held)
{
    const tl_dissection *d = &f->d;
    int height = 0;
    size_t used = 0;
    memset(f->entry, 0, f->panel[d->parts] * sizeof *f->entry);
    sum_diagonal(f, sparse, mass);
    for (int s = 0; s < d->parts; ++s) {
        size_t beyond = (size_t)rows_beyond(d, s), size = beyond * beyond;
        front at = {width_of(d, s), width_of(d, s) + (int)beyond, f->entry + f->panel[s], f->stack + used};
        memset(at.update, 0, size * sizeof *at.update);
        number_rows(f, s);
        add_matrix(f, s, &at, sparse, held);
        for (int n = d->pieces[s]; n > 0; --n)
            add_update(f, &at, f->waiting[height - n], f->stack + f->top[height - n]);
        if (!TL_PICK_KERNEL(tl_panel_factor, f->lanes)(at.panel, at.rows, at.width, f->inverse + d->first[s]))
            return false;
        TL_PICK_KERNEL(tl_panel_update, f->lanes)(at.panel, at.rows, at.width, at.update);
        /* the update takes the place of those that went into it */
        height -= d->pieces[s];
        used = d->pieces[s] > 0 ? f->top[height] : used;
        memmove(f->stack + used, at.update, size * sizeof *at.update);
        f->top[height] = used;
        f->waiting[height++] = s;
        used += size;
    }
    return true;
}

/* ---- solve ------------------------------------------------------------------------------------------------------ */

/* Copies the rows of a part between the vector and the window. */
static void open_window(const tl_cholesky *f, int s)
{
    const tl_dissection *d = &f->d;
    int width = width_of(d, s);
    memcpy(f->window, f->vector + TL_SIDES * (ptrdiff_t)d->first[s], (size_t)width * TL_SIDES * sizeof *f->window);
    double *to = f->window + TL_SIDES * (ptrdiff_t)width;
    for (int k = d->row_start[s]; k < d->row_start[s + 1]; ++k, to += TL_SIDES)
        memcpy(to, f->vector + TL_SIDES * (ptrdiff_t)d->row[k], TL_SIDES * sizeof *to);
}

static void close_window(const tl_cholesky *f, int s, bool beyond)
{
    const tl_dissection *d = &f->d;
    int width = width_of(d, s);
    memcpy(f->vector + TL_SIDES * (ptrdiff_t)d->first[s], f->window, (size_t)width * TL_SIDES * sizeof *f->window);
    const double *from = f->window + TL_SIDES * (ptrdiff_t)width;
    for (int k = d->row_start[s]; k < d->row_start[s + 1] && beyond; ++k, from += TL_SIDES)
        memcpy(f->vector + TL_SIDES * (ptrdiff_t)d->row[k], from, TL_SIDES * sizeof *from);
}

void tl_cholesky_solve(tl_cholesky *f, const tl_real *in, tl_real *out)
{
    const tl_dissection *d = &f->d;
    tl_panel_forward_kernel *forward = TL_PICK_KERNEL(tl_panel_forward, f->lanes);
    tl_panel_backward_kernel *backward = TL_PICK_KERNEL(tl_panel_backward, f->lanes);
    for (int r = 0; r < d->count; ++r)
        for (int c = 0; c < TL_SIDES; ++c)
            f->vector[TL_SIDES * r + c] = (double)in[TL_SIDES * d->order[r] + c];
    for (int s = 0; s < d->parts; ++s) {
        int width = width_of(d, s);
        open_window(f, s);
        forward(f->entry + f->panel[s], width + rows_beyond(d, s), width, f->inverse + d->first[s], f->window);
        close_window(f, s, true);
    }
    for (int s = d->parts - 1; s >= 0; --s) {
        int width = width_of(d, s);
        open_window(f, s);
        backward(f->entry + f->panel[s], width + rows_beyond(d, s), width, f->inverse + d->first[s], f->window);
        close_window(f, s, false);
    }
    for (int r = 0; r < d->count; ++r)
        for (int c = 0; c < TL_SIDES; ++c)
            out[TL_SIDES * d->order[r] + c] = (tl_real)f->vector[TL_SIDES * r + c];
}
