/* The set of surfaces: what each needs beside its mesh, which ones meet, and one substep as a table of contents. */
#include "contact/fit.h"
#include "contact/gather.h"

#include <string.h>

/* ---- surfaces ------------------------------------------------------------------------------------------------- */

/* Every particle and every edge belongs to exactly one of its faces, so that pairs of faces give every pair of features
   once (Curtis, Tamstorf and Manocha 2008, "Fast collision detection for deformable models using
   representative-triangles"). */
static void assign_features(tl_surface *s)
{
    const tl_mesh *mesh = s->mesh;
    for (int p = 0; p < mesh->particle_count; ++p)
        if (mesh->particle_face_start[p] < mesh->particle_face_start[p + 1]) {
            int half = mesh->particle_face[mesh->particle_face_start[p]];
            s->owned[tl_half_face(half)] |= (unsigned char)(1 << half % 3);
        }
    for (int e = 0; e < mesh->edge_count; ++e) {
        int half = mesh->edge_half[e];
        s->owned[tl_half_face(half)] |= (unsigned char)(8 << half % 3);
    }
}

static tl_real mean_edge(const tl_mesh *mesh)
{
    double sum = 0;
    for (int e = 0; e < mesh->edge_count; ++e)
        sum += (double)mesh->edge_length[e];
    return mesh->edge_count > 0 ? (tl_real)(sum / mesh->edge_count) : 0;
}

/* The shape of the tree comes from the mesh, not from the present state: a world that is restored has the same. */
static bool build_tree(tl_surface *s, const tl_allocator *allocator)
{
    const tl_mesh *mesh = s->mesh;
    tl_real *x[3] = {0};
    bool made = true;
    for (int c = 0; c < 3; ++c)
        made = (x[c] = tl_allocate(allocator, (size_t)mesh->particle_count, sizeof(tl_real))) && made;
    for (int p = 0; made && p < mesh->particle_count; ++p)
        tl_put(x, p, mesh->position[p]);
    made = made && tl_bvh_build(&s->tree, allocator, mesh->face, mesh->face_count, x);
    for (int c = 0; c < 3; ++c)
        tl_release(allocator, x[c]);
    return made;
}

static void release(tl_surface *s, const tl_allocator *allocator)
{
    if (!s)
        return;
    tl_fit_release(&s->pairs, allocator);
    tl_fit_release(&s->watch, allocator);
    tl_bvh_destroy(&s->watch_tree, allocator);
    tl_bvh_destroy(&s->tree, allocator);
    tl_release(allocator, s->owned);
    tl_release(allocator, s->sharp);
    tl_release(allocator, s->mark);
    tl_release(allocator, s->level);
    tl_release(allocator, s->pressed);
    tl_release(allocator, s->gone);
    tl_release(allocator, s->astray);
    tl_release(allocator, s->touched);
    tl_release(allocator, s->slack);
    tl_release(allocator, s->span);
    tl_release(allocator, s->surprise);
    tl_release(allocator, s->tile);
    tl_release(allocator, s->share);
    tl_release(allocator, s->lively);
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, s->before[c]);
        tl_release(allocator, s->listed[c]);
        tl_release(allocator, s->ahead[c]);
        tl_release(allocator, s->pace[c]);
        tl_release(allocator, s->start[c]);
    }
    tl_release(allocator, s);
}

tl_surface *tl_surfaces_add(tl_surfaces *set, const tl_mesh *mesh)
{
    const tl_allocator *allocator = &set->allocator;
    tl_surface *s = tl_allocate(allocator, 1, sizeof *s);
    if (!s)
        return NULL;
    s->mesh = mesh;
    s->sharp_gap = -1;
    s->mean_edge = mean_edge(mesh);
    size_t points = (size_t)mesh->particle_count, blocks = points / TL_SURFACE_BLOCK + 1;
    s->owned = tl_allocate(allocator, (size_t)mesh->face_count, 1);
    s->sharp = tl_allocate(allocator, (size_t)mesh->face_count, 1);
    s->mark = tl_allocate(allocator, points, 1);
    s->level = tl_allocate(allocator, points, 1);
    s->pressed = tl_allocate(allocator, points, sizeof(tl_real));
    s->gone = tl_allocate(allocator, points, sizeof(tl_real));
    s->astray = tl_allocate(allocator, (size_t)mesh->face_count, sizeof *s->astray);
    s->touched = tl_allocate(allocator, blocks, 1);
    s->slack = tl_allocate(allocator, points, sizeof(tl_real));
    s->span = tl_allocate(allocator, points, sizeof(tl_real));
    s->surprise = tl_allocate(allocator, points, sizeof(tl_real));
    s->tile = tl_allocate(allocator, (size_t)mesh->face_count, sizeof *s->tile);
    bool made = s->owned && s->sharp && s->mark && s->level && s->pressed && s->gone && s->astray && s->touched &&
                s->slack && s->span && s->surprise && s->tile;
    for (int c = 0; c < 3; ++c) {
        made = (s->before[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (s->listed[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (s->ahead[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (s->pace[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
        made = (s->start[c] = tl_allocate(allocator, points, sizeof(tl_real))) && made;
    }
    if (!made || !build_tree(s, allocator) ||
        !tl_grow(allocator, &set->surface, set->count, &set->capacity, sizeof *set->surface)) {
        release(s, allocator);
        return NULL;
    }
    s->bytes = sizeof *s + (2 + sizeof(int) + sizeof(tl_tile)) * (size_t)mesh->face_count +
               points * (2 + sizeof(int) + 20 * sizeof(tl_real)) + blocks + s->tree.bytes;
    assign_features(s);
    set->surface[set->count++] = s;
    return s;
}

/* ---- groups --------------------------------------------------------------------------------------------------- */

void tl_group_release(const tl_surfaces *set, tl_surface_group *g)
{
    tl_release(&set->allocator, g->pair);
    tl_release(&set->allocator, g->near);
    tl_release(&set->allocator, g->crossing);
    tl_release(&set->allocator, g->watch);
    tl_release(&set->allocator, g->probe);
    *g = (tl_surface_group){0};
}

static void forget_groups(tl_surfaces *set)
{
    for (int k = 0; k < set->group_count; ++k)
        tl_group_release(set, &set->group[k]);
    set->group_count = 0;
}

void tl_surfaces_destroy(tl_surfaces *set)
{
    forget_groups(set);
    tl_gather_release(set);
    for (int s = 0; s < set->count; ++s)
        release(set->surface[s], &set->allocator);
    tl_release(&set->allocator, set->surface);
    tl_release(&set->allocator, set->group);
    tl_release(&set->allocator, set->near.pair);
    tl_release(&set->allocator, set->plane);
    tl_release(&set->allocator, set->rest);
    tl_release(&set->allocator, set->close);
    tl_release(&set->allocator, set->found);
    tl_release(&set->allocator, set->moved);
    *set = (tl_surfaces){.allocator = set->allocator};
}

/* Margin of a list as a share of the gap and of an edge's length: a small one makes short lists, a large one makes them
 * seldom. */
#define MARGIN_OF_GAP ((tl_real)0.35)
#define MARGIN_OF_EDGE ((tl_real)0.07)

static bool add_group(tl_surfaces *set, int a, int b)
{
    if (!tl_grow(&set->allocator, &set->group, set->group_count, &set->group_capacity, sizeof *set->group))
        return false;
    const tl_surface *s = set->surface[a], *other = set->surface[b];
    tl_real gap = other->is_cloth ? (s->gap + other->gap) / 2 : s->thickness;
    tl_real edge = tl_min(s->mean_edge, other->mean_edge);
    tl_real margin = tl_max(MARGIN_OF_GAP * gap, MARGIN_OF_EDGE * edge);
    set->group[set->group_count++] = (tl_surface_group){.a = a, .b = b, .gap = gap, .margin = margin};
    return true;
}

/* One array for all surfaces. */
static bool make_moved(tl_surfaces *set)
{
    size_t total = 0;
    for (int k = 0; k < set->count; ++k)
        total += (size_t)set->surface[k]->mesh->particle_count;
    tl_release(&set->allocator, set->moved);
    set->moved = tl_allocate(&set->allocator, total, sizeof *set->moved);
    int first = 0;
    for (int k = 0; set->moved && k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        s->first = first;
        s->moved = set->moved + first;
        first += s->mesh->particle_count;
    }
    return set->moved;
}

bool tl_surfaces_arrange(tl_surfaces *set)
{
    forget_groups(set);
    set->layered = false;
    if (!make_moved(set))
        return false;
    for (int a = 0; a < set->count; ++a) {
        tl_surface *s = set->surface[a];
        if (s->layers && !s->pairs.edges && !tl_fit_make(&s->pairs, s, &s->tree, TL_EDGES_BENT, &set->allocator))
            return false;
    }
    for (int a = 0; a < set->count; ++a)
        for (int b = a; b < set->count; ++b) {
            int cloth = set->surface[a]->is_cloth ? a : b, other = cloth == a ? b : a;
            const tl_surface *s = set->surface[cloth], *o = set->surface[other];
            bool meet = s->is_cloth && (o->is_cloth ? s->layers && o->layers : s->bodies && o->bodies);
            if (meet && !add_group(set, cloth, other))
                return false;
            set->layered |= meet && o->is_cloth;
        }
    return true;
}

/* ---- one substep ---------------------------------------------------------------------------------------------- */

static tl_barrier_cloth held_back(tl_surface *s)
{
    return (tl_barrier_cloth){.mesh = s->mesh,
                              .count = s->mesh->particle_count,
                              .x = s->x,
                              .x_old = s->x_old,
                              .v = s->v,
                              .w = s->w,
                              .pressure = s->pressure,
                              .touched = s->touched,
                              .mark = s->mark,
                              .thickness = s->thickness,
                              .friction = s->friction};
}

/* Brings what is inside of solid bodies out of them: of all of them, or of those whose shape changes. */
static void expel(tl_surfaces *set, bool only_deforming)
{
    for (int k = 0; k < set->group_count; ++k) {
        tl_barrier *barrier = set->surface[set->group[k].b]->barrier;
        tl_barrier_cloth cloth = held_back(set->surface[set->group[k].a]);
        if (barrier && (barrier->deforms || !only_deforming))
            tl_barrier_expel(barrier, &cloth);
    }
}

void tl_surfaces_begin(tl_surfaces *set, int substeps, tl_real h)
{
    expel(set, false);
    set->ahead = substeps;
    set->listed = set->watched = set->expecting = set->failed = false;
    for (int k = 0; k < set->group_count; ++k)
        set->group[k].listed = false;
    for (int k = 0; k < set->count; ++k) {
        tl_surface *s = set->surface[k];
        memset(s->moved, 0, (size_t)s->mesh->particle_count * sizeof *s->moved);
        memset(s->gone, 0, (size_t)s->mesh->particle_count * sizeof *s->gone);
        if (s->layers)
            tl_surface_take_pace(s, h);
    }
    set->sweep = 0;
    tl_support_forget(set);
    set->lists_made = set->cut = 0;
}

static void make_lists(tl_surfaces *set)
{
    tl_surfaces_expect(set, set->ahead + 1);
    for (int k = 0; k < set->group_count; ++k)
        if (tl_group_of_cloths(set, &set->group[k]))
            tl_group_collect(set, &set->group[k]);
    set->listed = true;
    set->watched = false;
    ++set->lists_made;
}

/* Makes the lists hold for where everything is now. False when they did. */
static bool renew_lists(tl_surfaces *set)
{
    if (!set->layered || (set->listed && tl_surfaces_expected(set)))
        return false;
    if (!tl_surfaces_relist(set))
        make_lists(set);
    return true;
}

enum {
    LIST_ROUNDS = 4,     /* of answers, while these move something to where the lists do not hold */
    ANSWER_SWEEPS = 8,   /* at the most; one is enough unless layers are driven through each other */
    SET_BACK_ROUNDS = 8, /* for what is on its wrong side even then */
    CATCH_ROUNDS = 32    /* for what slipped through: each may go one ring farther */
};

enum { BARRIER_ROUNDS = 3 }; /* in turn with the other bodies; in the last what crossed goes back to where it started */

/* The last word: no particle goes through a body, whatever moved it. */
static void hold_back(tl_surfaces *set, tl_real h, tl_real rest_speed)
{
    bool any = true;
    for (int round = 0; round < BARRIER_ROUNDS && any; ++round) {
        any = false;
        for (int k = 0; k < set->group_count; ++k) {
            tl_surface *body = set->surface[set->group[k].b];
            tl_barrier_cloth cloth = held_back(set->surface[set->group[k].a]);
            if (!body->barrier || !tl_barrier_hold(body->barrier, &cloth, h, rest_speed, round == BARRIER_ROUNDS - 1))
                continue;
            any = true;
            body->impulse = tl_add(body->impulse, body->barrier->impulse);
            body->moment = tl_add(body->moment, body->barrier->moment);
        }
        if (any && round < BARRIER_ROUNDS - 1)
            set->settle(set->settle_user);
    }
    expel(set, true);
}

void tl_surface_unmark(tl_surface *s, tl_mark mark)
{
    unsigned char *bits = s->mark, keep = (unsigned char)~mark;
    for (int i = 0, count = s->mesh->particle_count; i < count; ++i)
        bits[i] &= keep;
}

/* Remembers where particles are. */
static void remember(tl_surface *s, int first, int count)
{
    for (int c = 0; c < 3; ++c)
        memcpy(s->before[c] + first, s->x[c] + first, (size_t)count * sizeof(tl_real));
}

/* Counts how far they have gone since, but for the way that all have in common. */
static void count_ways(tl_surface *s, int first, int count, tl_vec3 common)
{
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2], *a = s->before[0], *b = s->before[1], *c = s->before[2];
    tl_real *restrict gone = s->gone;
    for (int i = first; i < first + count; ++i) {
        tl_real u = x[i] - a[i] - common.x, v = y[i] - b[i] - common.y, w = z[i] - c[i] - common.z;
        gone[i] += sqrt(u * u + v * v + w * w);
    }
}

/* What is elsewhere than it was remembered was moved by this sweep. */
static void note_moved(tl_surface *s, int first, int count, int sweep)
{
    for (int i = first; i < first + count; ++i)
        if (s->x[0][i] != s->before[0][i] || s->x[1][i] != s->before[1][i] || s->x[2][i] != s->before[2][i])
            s->moved[i] = sweep;
}

static void clear_touched(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k)
        memset(set->surface[k]->touched, 0, (size_t)set->surface[k]->mesh->particle_count / TL_SURFACE_BLOCK + 1);
}

typedef enum moment { BEFORE, AFTER } moment;

/* Before and after other bodies bring out particles of touched blocks. */
static void watch_settling(tl_surface *s, int sweep, moment when)
{
    int total = s->mesh->particle_count;
    for (int first = 0; first < total; first += TL_SURFACE_BLOCK) {
        int left = total - first, count = left < TL_SURFACE_BLOCK ? left : TL_SURFACE_BLOCK;
        if (!s->touched[first / TL_SURFACE_BLOCK])
            continue;
        if (when == BEFORE) {
            remember(s, first, count);
        } else {
            note_moved(s, first, count, sweep);
            count_ways(s, first, count, tl_v3(0, 0, 0));
        }
    }
}

/* Other bodies bring out what was moved into them. */
static void settle(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->is_cloth)
            watch_settling(set->surface[k], set->sweep, BEFORE);
    set->settle(set->settle_user);
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->is_cloth)
            watch_settling(set->surface[k], set->sweep, AFTER);
    clear_touched(set);
}

/* Answers until nothing is much too near; `again`: only what is so. True when something still is. */
static bool answer_all(tl_surfaces *set, bool again, tl_real rest_speed)
{
    bool wrong = true;
    for (int sweep = 0; sweep < ANSWER_SWEEPS && wrong; ++sweep) {
        wrong = false;
        ++set->sweep;
        for (int k = 0; k < set->group_count; ++k)
            wrong |= tl_group_answer(set, &set->group[k], sweep == 0, again || sweep > 0, rest_speed);
        settle(set);
    }
    return wrong;
}

/* What came between two substeps counts as way, too. */
static void count_all_ways(tl_surfaces *set)
{
    for (int k = 0; k < set->count && set->listed; ++k)
        if (set->surface[k]->layers)
            count_ways(set->surface[k], 0, set->surface[k]->mesh->particle_count, set->drift);
}

static void remember_all(tl_surfaces *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers)
            remember(set->surface[k], 0, set->surface[k]->mesh->particle_count);
}

/* Lets layers press on each other as whole sheets; the lists hold where that leads. */
static void press_layers(tl_surfaces *set)
{
    remember_all(set);
    set->press(set->settle_user);
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers)
            count_ways(set->surface[k], 0, set->surface[k]->mesh->particle_count, tl_v3(0, 0, 0));
    renew_lists(set);
}

/* Answers, and renews the lists, until these hold where the answers led. True when something is still too near. */
static bool answer_where_listed(tl_surfaces *set, tl_real rest_speed)
{
    bool anew = !set->listed;
    count_all_ways(set);
    renew_lists(set);
    if (set->layered)
        tl_support_find(set, anew);
    if (set->layered && set->press)
        press_layers(set);
    bool wrong = answer_all(set, false, rest_speed), hold = set->safe; /* bounds look after what was not expected */
    for (int round = 1; round < LIST_ROUNDS && !hold; ++round) {
        hold = !renew_lists(set);
        if (!hold)
            wrong = answer_all(set, true, rest_speed);
    }
    remember_all(set);
    if (hold)
        return wrong;
    tl_surfaces_rein_in(set);
    set->settle(set->settle_user);
    return true;
}

/* Sets back what slipped through all answers; the bounds of the safe method let nothing through. */
static void catch_slipped(tl_surfaces *set)
{
    bool any = !set->safe;
    for (int round = 0; round < CATCH_ROUNDS && any; ++round) {
        any = false;
        for (int k = 0; k < set->group_count; ++k)
            any |= tl_group_of_cloths(set, &set->group[k]) && tl_group_catch(set, &set->group[k]);
        if (any)
            set->settle(set->settle_user);
    }
    for (int k = 0; k < set->count; ++k)
        tl_surface_unmark(set->surface[k], TL_PRESSED);
}

void tl_surfaces_answer(tl_surfaces *set, tl_real h, tl_real rest_speed)
{
    for (int k = 0; k < set->count; ++k)
        set->surface[k]->impulse = set->surface[k]->moment = tl_v3(0, 0, 0);
    clear_touched(set);
    for (int k = 0; k < set->group_count; ++k)
        for (int n = 0; n < set->group[k].count; ++n)
            set->group[k].pair[n].pushed = 0;
    for (int k = 0; k < set->count; ++k)
        if (set->surface[k]->layers)
            tl_surface_keep_pace(set->surface[k]);
    ++set->age;
    --set->ahead;
    set->first_sweep = set->sweep + 1;
    for (int k = 0; k < set->group_count; ++k)
        if (!tl_group_of_cloths(set, &set->group[k]))
            tl_body_list(set, &set->group[k]);
    bool wrong = answer_where_listed(set, rest_speed);
    for (int round = 0; round < SET_BACK_ROUNDS && wrong; ++round) {
        wrong = false;
        for (int k = 0; k < set->group_count; ++k)
            wrong |= tl_group_set_back(set, &set->group[k]);
        set->settle(set->settle_user);
    }
    set->pairs = 0;
    bool pulled = false;
    for (int k = 0; k < set->group_count; ++k) {
        tl_crossings_pull(set, &set->group[k]);
        pulled |= set->group[k].crossing_count > 0;
        set->pairs += set->group[k].count;
    }
    if (pulled)
        set->settle(set->settle_user);
    catch_slipped(set);
    hold_back(set, h, rest_speed);
    for (int k = 0; k < set->group_count; ++k)
        (tl_group_of_cloths(set, &set->group[k]) ? tl_group_calm : tl_group_relax)(set, &set->group[k], h, rest_speed);
    tl_support_note(set);
}
