#include "step/plan.h"

#include <string.h>

/* Particles a block should have: seven arrays of them fit the first-level cache twice over. */
enum { BLOCK_PARTICLES = 1024 };

/* First and last particle that solving a piece may write, the whole last vector included. */
static void reach(const tl_link_set *set, const tl_link_piece *piece, int *low, int *high)
{
    if (piece->i0 >= 0) {
        int whole = (piece->count + TL_LANES - 1) / TL_LANES * TL_LANES;
        *low = piece->i0 < piece->j0 ? piece->i0 : piece->j0;
        *high = (piece->i0 < piece->j0 ? piece->j0 : piece->i0) + whole - 1;
        return;
    }
    *low = *high = set->i[piece->first];
    for (int k = piece->first; k < piece->first + piece->count; ++k) {
        const int ends[2] = {set->i[k], set->j[k]};
        for (int e = 0; e < 2; ++e) {
            *low = ends[e] < *low ? ends[e] : *low;
            *high = ends[e] > *high ? ends[e] : *high;
        }
    }
}

static int longest_reach(const tl_link_set *const *sets, int set_count)
{
    int longest = 1;
    for (int f = 0; f < set_count; ++f)
        for (int n = 0; n < sets[f]->piece_count; ++n) {
            int low, high;
            reach(sets[f], &sets[f]->piece[n], &low, &high);
            longest = high - low + 1 > longest ? high - low + 1 : longest;
        }
    return longest;
}

/* Place of a piece in the plan: block b is b, border b is block_count + b. */
static int place_of(const tl_link_set *set, const tl_link_piece *piece, int block, int block_count)
{
    int low, high;
    reach(set, piece, &low, &high);
    int first = low / block, last = high / block;
    if (last >= block_count)
        last = block_count - 1; /* the padding behind the last particle */
    return first == last ? first : block_count + first;
}

static bool sort_family(tl_plan_family *family, const tl_allocator *allocator, const tl_link_set *set, int block,
                        int block_count)
{
    int places = 2 * block_count;
    int *first = tl_allocate(allocator, (size_t)places + 2, sizeof *first);
    family->set = set;
    family->piece = tl_allocate(allocator, (size_t)set->piece_count, sizeof *family->piece);
    family->block_first = tl_allocate(allocator, (size_t)block_count + 1, sizeof *family->block_first);
    family->border_first = tl_allocate(allocator, (size_t)block_count + 1, sizeof *family->border_first);
    if (!first || !family->piece || !family->block_first || !family->border_first) {
        tl_release(allocator, first);
        return false;
    }
    /* counting sort, stable: inside a place pieces keep the order of their particles */
    for (int n = 0; n < set->piece_count; ++n)
        ++first[place_of(set, &set->force_order[n], block, block_count) + 1];
    for (int k = 0; k < places; ++k)
        first[k + 1] += first[k];
    memcpy(family->block_first, first, ((size_t)block_count + 1) * sizeof *first);
    memcpy(family->border_first, first + block_count, ((size_t)block_count + 1) * sizeof *first);
    for (int n = 0; n < set->piece_count; ++n)
        family->piece[first[place_of(set, &set->force_order[n], block, block_count)]++] = set->force_order[n];
    tl_release(allocator, first);
    return true;
}

bool tl_plan_build(tl_plan *plan, const tl_allocator *allocator, const tl_link_set *const *sets, int set_count,
                   int particle_count, int row)
{
    *plan = (tl_plan){0};
    int block = 2 * longest_reach(sets, set_count);
    block = block < BLOCK_PARTICLES ? BLOCK_PARTICLES : block;
    block = (block + row - 1) / row * row;
    plan->block_count = (particle_count + block - 1) / block;
    if (plan->block_count > 1 && particle_count % block != 0 && particle_count % block < block / 2)
        --plan->block_count; /* a short rest joins the last block, so that borders stay apart */
    for (int f = 0; f < set_count && f < TL_PLAN_FAMILIES; ++f) {
        ++plan->family_count;
        if (!sort_family(&plan->family[f], allocator, sets[f], block, plan->block_count)) {
            tl_plan_destroy(plan, allocator);
            return false;
        }
    }
    return true;
}

void tl_plan_destroy(tl_plan *plan, const tl_allocator *allocator)
{
    for (int f = 0; f < plan->family_count; ++f) {
        tl_release(allocator, plan->family[f].piece);
        tl_release(allocator, plan->family[f].block_first);
        tl_release(allocator, plan->family[f].border_first);
    }
    *plan = (tl_plan){0};
}
