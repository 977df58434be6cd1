/* Winding: the two faces of an edge must run along it in opposite directions, so that the sheet has one front.

   A mesh that violates this is rejected, or repaired with `repair`: a flood fill over each connected component finds
   which faces to flip, and of the two solutions takes the one with fewer flips (on a tie the component's first face
   stays). A component without a solution is non-orientable and always rejected. */
#include "mesh/build.h"

enum { UNSEEN, KEEP, FLIP };

/* Both half-edges leave the same particle: their faces have opposite winding. */
static bool disagree(const tl_mesh *mesh, int half, int mate) { return mesh->face[half] == mesh->face[mate]; }

static tl_result fail_at(const tl_mesh_build *build, int half, int mate, bool one_sided)
{
    const tl_mesh *mesh = build->mesh;
    int a = mesh->triangle[half], b = mesh->triangle[tl_half_next(half)];
    int low = a < b ? a : b, high = a < b ? b : a;
    int f = build->file_face[tl_half_face(half)], g = build->file_face[tl_half_face(mate)];
    if (one_sided)
        return tl_fail(
            build->error, TL_ERROR_INPUT,
            "edge %d–%d: faces %d and %d cannot be oriented consistently; the surface has only one side, like a "
            "Möbius strip",
            low, high, f < g ? f : g, f < g ? g : f);
    return tl_fail(build->error, TL_ERROR_INPUT,
                   "edge %d–%d: faces %d and %d run along it in the same direction; flip one, or set repair", low, high,
                   f < g ? f : g, f < g ? g : f);
}

/* Decides for the component of `seed`, whose faces end up in `queue`. Returns the half-edge where no choice works, or
   -1. */
static int flood(const tl_mesh *mesh, const tl_pairing *pairing, int seed, unsigned char *turn, int *queue, int *count)
{
    int head = 0, tail = 0;
    turn[seed] = KEEP;
    queue[tail++] = seed;
    while (head < tail) {
        int f = queue[head++];
        for (int h = 3 * f; h < 3 * f + 3; ++h) {
            int mate = pairing->mate[h];
            if (mate < 0)
                continue;
            unsigned char same = turn[f], other = same == KEEP ? FLIP : KEEP;
            unsigned char wanted = disagree(mesh, h, mate) ? other : same;
            int g = tl_half_face(mate);
            if (turn[g] == UNSEEN) {
                turn[g] = wanted;
                queue[tail++] = g;
            } else if (turn[g] != wanted) {
                return h;
            }
        }
    }
    *count = tail;
    return -1;
}

static void flip_face(tl_mesh *mesh, int f)
{
    int *face = mesh->face + 3 * f, *triangle = mesh->triangle + 3 * f;
    int particle = face[1], vertex = triangle[1];
    face[1] = face[2], face[2] = particle;
    triangle[1] = triangle[2], triangle[2] = vertex;
}

static tl_result repair(const tl_mesh_build *build, const tl_pairing *pairing, unsigned char *turn, int *queue)
{
    tl_mesh *mesh = build->mesh;
    for (int seed = 0; seed < mesh->face_count; ++seed) {
        if (turn[seed] != UNSEEN)
            continue;
        int count = 0, flips = 0;
        int stuck = flood(mesh, pairing, seed, turn, queue, &count);
        if (stuck >= 0)
            return fail_at(build, stuck, pairing->mate[stuck], true);
        for (int i = 0; i < count; ++i)
            flips += turn[queue[i]] == FLIP;
        unsigned char fewer = 2 * (int64_t)flips > count ? KEEP : FLIP;
        for (int i = 0; i < count; ++i)
            turn[queue[i]] = turn[queue[i]] == fewer ? FLIP : KEEP;
    }
    /* only now: the pairing refers to half-edges before any flip */
    for (int f = 0; f < mesh->face_count; ++f)
        if (turn[f] == FLIP)
            flip_face(mesh, f);
    return TL_OK;
}

tl_result tl_orient_faces(tl_mesh_build *build, const tl_pairing *pairing)
{
    const tl_mesh *mesh = build->mesh;
    int wrong = -1;
    for (int e = 0; e < pairing->edge_count && wrong < 0; ++e) {
        int h = pairing->first[e], mate = pairing->mate[h];
        if (mate >= 0 && disagree(mesh, h, mate))
            wrong = h;
    }
    if (wrong < 0)
        return TL_OK;
    if (!build->def->repair)
        return fail_at(build, wrong, pairing->mate[wrong], false);

    unsigned char *turn = tl_allocate(&mesh->allocator, (size_t)mesh->face_count, 1);
    int *queue = tl_mesh_ints(mesh, (size_t)mesh->face_count);
    tl_result result = turn && queue ? repair(build, pairing, turn, queue) : tl_mesh_no_memory(build->error);
    tl_release(&mesh->allocator, queue);
    tl_release(&mesh->allocator, turn);
    return result;
}
