/* Candidates of cloths. Faces whose boxes, swept along the motion of the substep, come within the gap and the margin of
   each other stand in rows (collide/mesh/face_tree.h); their features that can come as near are listed, and those are
   the candidates (features.c). Fast cloth is searched in every substep. While cloth is calm, lists are made with
   some slack and serve the next substeps, in which their features are only tested again; where a particle leaves the
   slack, its faces are searched again.

   Contact moves particles within the substep. Up to half of the margin each, candidates bound that; those of particles
   that move farther are found again, and all others stay. */
#include "contact/broad_phase/broad_phase.h"

#include "collide/mesh/whole_parts.h"
#include "contact/broad_phase/candidate.h"
#include "core/particles.h"

#include <string.h>

/* ---- memory --------------------------------------------------------------------------------------------------- */

bool tl_mesh_query_create(tl_contact_mesh *s, const tl_allocator *allocator)
{
    s->query.sharp_gap = -1;
    s->query.sharp = tl_allocate(allocator, (size_t)s->mesh->face_count, 1);
    s->bytes += (size_t)s->mesh->face_count;
    return s->query.sharp;
}

void tl_mesh_query_release(tl_contact_mesh *s, const tl_allocator *allocator)
{
    tl_mesh_query *q = &s->query;
    tl_face_tree_destroy(&q->tree, allocator);
    tl_release(allocator, q->sharp);
    tl_release(allocator, q->own);
    tl_release(allocator, q->lanes);
    tl_release(allocator, q->bent);
    for (int c = 0; c < 3; ++c) {
        tl_release(allocator, q->sought[c]);
        tl_release(allocator, q->from[c]);
        tl_release(allocator, q->to[c]);
    }
    *q = (tl_mesh_query){0};
}

/* What faces represent, in the order of the tree. */
static bool make_own(tl_contact_mesh *s, const tl_allocator *allocator)
{
    tl_mesh_query *q = &s->query;
    size_t faces = (size_t)s->mesh->face_count, groups = (size_t)q->tree.groups[0];
    q->own = tl_allocate(allocator, faces, sizeof *q->own);
    q->lanes = q->lanes ? q->lanes : tl_allocate(allocator, groups, sizeof *q->lanes);
    if (!q->own || !q->lanes) {
        tl_release(allocator, q->own);
        q->own = NULL;
        return false;
    }
    for (int k = 0; k < s->mesh->face_count; ++k) {
        q->own[k] = s->owned[q->tree.order[k]];
        for (int i = 0; i < 6; ++i)
            q->lanes[k / TL_TREE_WIDTH][i] |= (unsigned char)((q->own[k] >> i & 1) << k % TL_TREE_WIDTH);
    }
    s->bytes += faces * sizeof *q->own + groups * sizeof *q->lanes;
    return true;
}

static bool prepare_mesh(tl_contact_mesh *s, const tl_allocator *allocator)
{
    tl_mesh_query *q = &s->query;
    const tl_mesh *mesh = s->mesh;
    size_t points = (size_t)mesh->particle_count, faces = (size_t)mesh->face_count;
    if (q->bent)
        return true;
    bool made = true;
    for (int c = 0; c < 3; ++c) {
        made = (q->sought[c] || (q->sought[c] = tl_allocate(allocator, points, sizeof(tl_real)))) && made;
        made = (q->from[c] || (q->from[c] = tl_allocate(allocator, points, sizeof(tl_real)))) && made;
        made = (q->to[c] || (q->to[c] = tl_allocate(allocator, points, sizeof(tl_real)))) && made;
    }
    if (!made ||
        (!q->tree.order && !tl_face_tree_build(&q->tree, allocator, mesh->face, mesh->face_count, mesh->position)) ||
        !tl_face_tree_find_whole(&q->tree, mesh, allocator))
        return false;
    if (!q->own && !make_own(s, allocator))
        return false;
    q->bent = tl_allocate(allocator, faces, sizeof *q->bent);
    s->bytes += q->tree.bytes + faces * sizeof *q->bent + 9 * points * sizeof(tl_real);
    return q->bent;
}

bool tl_broad_phase_prepare(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides && !prepare_mesh(set->mesh[k], &set->allocator))
            return false;
    return true;
}

void tl_broad_phase_release(tl_contact_world *set)
{
    tl_parallel_query_release(set);
    tl_release(&set->allocator, set->rows.row);
    tl_release(&set->allocator, set->aside);
    tl_release(&set->allocator, set->aside_place);
    tl_release(&set->allocator, set->near.pair);
    tl_release(&set->allocator, set->found);
}

/* ---- frame and substep ---------------------------------------------------------------------------------------- */

void tl_broad_phase_begin_frame(tl_contact_world *set, int substeps)
{
    set->substeps_left = substeps;
    set->slack = 0;
    for (int k = 0; k < set->pair_count; ++k)
        set->pair[k].queried = false;
    set->rebuilds = 0;
}

void tl_broad_phase_begin_substep(tl_contact_world *set)
{
    set->searched = set->ccd_searched = false;
    --set->substeps_left;
}

/* ---- motion --------------------------------------------------------------------------------------------------- */

static void copy(const tl_contact_mesh *s, tl_real *const to[3], tl_real *const from[3])
{
    for (int c = 0; c < 3; ++c)
        memcpy(to[c], from[c], (size_t)s->mesh->particle_count * sizeof(tl_real));
}

/* Candidates are found for motion to the present positions. */
static void seek_present(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            copy(set->mesh[k], set->mesh[k]->query.sought, set->mesh[k]->x);
}

/* Mean displacement of all cloths in this substep, m. Any value is correct. */
static tl_vec3 common_displacement(const tl_contact_world *set)
{
    tl_vec3 sum = {0, 0, 0};
    int count = 0;
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; i += TL_DRIFT_STRIDE, ++count)
            sum = tl_add(sum, tl_sub(tl_at(s->query.sought, i), tl_at(s->x_old, i)));
    }
    return tl_scale(sum, count > 0 ? 1 / (tl_real)count : 0);
}

/* Does slack last for so many substeps of the present motion, for nearly all particles? */
static bool lasts(const tl_contact_world *set, tl_vec3 common, tl_real slack, tl_real substeps)
{
    tl_real most = slack / (2 * substeps);
    for (int k = 0; k < set->count; ++k) {
        const tl_contact_mesh *s = set->mesh[k];
        tl_real *const *from = s->x_old, *const *to = s->query.sought;
        int fast = 0, count = s->self_collides ? s->mesh->particle_count : 0;
        for (int i = 0; i < count; ++i) {
            tl_real u = to[0][i] - from[0][i] - common.x, v = to[1][i] - from[1][i] - common.y,
                    w = to[2][i] - from[2][i] - common.z;
            fast += u * u + v * v + w * w > most * most;
        }
        if (TL_CALM_FRACTION * fast > count)
            return false;
    }
    return true;
}

/* Slack with which features are listed, m; 0 for fast cloth, whose lists would not last. */
static tl_real choose_slack(const tl_contact_world *set)
{
    tl_real slack = 0;
    for (int k = 0; k < set->pair_count; ++k)
        if (tl_is_cloth_pair(set, &set->pair[k]))
            slack = tl_max(slack, TL_SLACK_OF_GAP * set->pair[k].gap);
    return set->substeps_left > 0 && lasts(set, common_displacement(set), slack, TL_LIST_SUBSTEPS) ? slack : 0;
}

/* Marks particles that left the slack at the start or at the end of the substep, and returns how many there are. */
static int mark_beyond_slack(const tl_contact_world *set, tl_contact_mesh *s)
{
    const tl_vec3 *drift = set->drift;
    const tl_real *a = s->query.from[0], *b = s->query.from[1], *c = s->query.from[2];
    tl_real room = TL_ROOM_OF_SLACK * set->slack / 2, square = room * room;
    int count = 0;
    for (int i = 0; i < s->mesh->particle_count; ++i) {
        tl_real u = s->x_old[0][i] - a[i] - drift[0].x, v = s->x_old[1][i] - b[i] - drift[0].y,
                w = s->x_old[2][i] - c[i] - drift[0].z;
        tl_real l = s->query.sought[0][i] - a[i] - drift[1].x, m = s->query.sought[1][i] - b[i] - drift[1].y,
                n = s->query.sought[2][i] - c[i] - drift[1].z;
        bool beyond = u * u + v * v + w * w > square || l * l + m * m + n * n > square;
        s->mark[i] |= beyond ? TL_BEYOND_SLACK : 0;
        count += beyond;
    }
    return count;
}

/* ---- lists of features ---------------------------------------------------------------------------------------- */

/* Reach of the features that are sought, m: what comes as near is found, beside the motion that the margin allows. */
static tl_real reach_of(const tl_mesh_pair *g, tl_sought seek)
{
    return (seek == TL_SEEK_CCD_PAIRS ? tl_ccd_gap(g) : g->gap) + g->margin;
}

/* Motion besides that of the substep, m, after which faces may have folded over; negative: this is not asked. Only
   penetration-free contact needs to know. */
static tl_real fold_of(const tl_contact_world *set)
{
    tl_real most = 0;
    for (int k = 0; k < set->pair_count; ++k)
        most = tl_max(most, reach_of(&set->pair[k], TL_SEEK_CCD_PAIRS));
    return set->penetration_free ? most + set->slack : -1;
}

/* Fits trees to the motion for which features are listed; `marked`: only where faces are marked. */
static void fit(tl_contact_world *set, bool marked)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        tl_mesh_query *q = &s->query;
        if (!s->self_collides)
            continue;
        bool calm = set->slack > 0;
        TL_PICK_KERNEL(tl_face_tree_fit, set->lanes)
        (&q->tree, calm ? q->from : s->x_old, calm ? q->to : q->sought, 0, q->tree.groups[0], fold_of(set), marked);
        TL_PICK_KERNEL(tl_face_tree_fit_nodes, set->lanes)(&q->tree, marked);
    }
}

void tl_broad_phase_fit_present(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        tl_face_tree *tree = &s->query.tree;
        if (!s->self_collides)
            continue;
        TL_PICK_KERNEL(tl_face_tree_fit, set->lanes)(tree, s->x, s->x, 0, tree->groups[0], -1, false);
        TL_PICK_KERNEL(tl_face_tree_fit_nodes, set->lanes)(tree, false);
    }
}

const tl_tree_rows *tl_broad_phase_present_rows(tl_contact_world *set, const tl_mesh_pair *g)
{
    tl_tree_search all = {
        .a = &set->mesh[g->a]->query.tree, .b = &set->mesh[g->b]->query.tree, .reach = TL_PRESENT_REACH * g->gap};
    tl_parallel_rows(set, &all, &set->rows);
    return &set->rows;
}

static tl_feature_search search_for(const tl_contact_world *set, const tl_mesh_pair *g, tl_sought seek, bool listing,
                                    unsigned only)
{
    tl_contact_mesh *a = set->mesh[g->a], *b = set->mesh[g->b];
    bool calm = listing && set->slack > 0;
    return (tl_feature_search){.set = set,
                               .a = a,
                               .b = b,
                               .from = {calm ? a->query.from : a->x_old, calm ? b->query.from : b->x_old},
                               .to = {calm ? a->query.to : a->query.sought, calm ? b->query.to : b->query.sought},
                               .tree = {.a = &a->query.tree,
                                        .b = &b->query.tree,
                                        .reach = reach_of(g, seek) + (calm ? set->slack : 0),
                                        .marked = only,
                                        .neighbours = a == b && seek == TL_SEEK_CONTACTS},
                               .gap = g->gap,
                               .seek = seek,
                               .only = only};
}

/* Appends features of all pairs to their lists. */
static void search_for_all(tl_contact_world *set, tl_sought seek, unsigned only)
{
    for (int k = 0; k < set->pair_count; ++k) {
        tl_mesh_pair *g = &set->pair[k];
        if (!tl_is_cloth_pair(set, g))
            continue;
        tl_feature_search search = search_for(set, g, seek, true, only);
        tl_parallel_rows(set, &search.tree, &set->rows);
        tl_parallel_list(&search, &set->rows, set, g);
    }
}

/* Contacts or CCD pairs; in calm cloth both, for all that follows. */
static void search(tl_contact_world *set, tl_sought seek, unsigned only)
{
    bool both = set->slack > 0 && set->penetration_free;
    if (seek == TL_SEEK_CONTACTS || both)
        search_for_all(set, TL_SEEK_CONTACTS, only);
    if (seek == TL_SEEK_CCD_PAIRS || both)
        search_for_all(set, TL_SEEK_CCD_PAIRS, only);
}

static void clear_lists(tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        set->pair[k].listed[TL_SEEK_CONTACTS].count = set->pair[k].listed[TL_SEEK_CCD_PAIRS].count = 0;
}

/* Drops all that was found. */
static void forget(tl_contact_world *set, tl_sought seek)
{
    clear_lists(set);
    for (int k = 0; k < set->pair_count && seek == TL_SEEK_CONTACTS; ++k)
        if (tl_is_cloth_pair(set, &set->pair[k]))
            set->pair[k].crossing_count = set->pair[k].folded_count = 0;
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            memset(set->mesh[k]->query.bent, 0, (size_t)set->mesh[k]->mesh->face_count);
}

static void mark_folded(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            tl_contact_mesh_unmark(set->mesh[k], TL_FOLDED);
    for (int k = 0; k < set->pair_count; ++k)
        for (int i = 0; i < set->pair[k].folded_count; ++i)
            set->mesh[set->pair[k].a]->mark[set->pair[k].folded[i]] |= TL_FOLDED;
}

static void list_all(tl_contact_world *set, tl_sought seek)
{
    set->slack = seek == TL_SEEK_CONTACTS ? choose_slack(set) : 0;
    set->drift[0] = tl_v3(0, 0, 0);
    set->drift[1] = common_displacement(set);
    for (int k = 0; k < set->count && set->slack > 0; ++k)
        if (set->mesh[k]->self_collides) {
            copy(set->mesh[k], set->mesh[k]->query.from, set->mesh[k]->x_old);
            copy(set->mesh[k], set->mesh[k]->query.to, set->mesh[k]->x_old);
        }
    set->list_age = 0;
    ++set->rebuilds;
    forget(set, seek);
    fit(set, false);
    search(set, seek, 0);
    if (seek == TL_SEEK_CONTACTS)
        mark_folded(set);
}

/* Marks the faces of marked particles. */
static void mark_faces(tl_contact_mesh *s, tl_mark mark)
{
    const tl_mesh *mesh = s->mesh;
    for (int i = 0; i < mesh->particle_count; ++i)
        for (int k = mesh->particle_face_start[i]; s->mark[i] & mark && k < mesh->particle_face_start[i + 1]; ++k)
            tl_face_tree_mark(&s->query.tree, tl_half_face(mesh->particle_face[k]));
}

/* Lists the features of marked particles again. */
static void list_marked(tl_contact_world *set, tl_sought seek, tl_mark mark)
{
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            mark_faces(set->mesh[k], mark);
    fit(set, true); /* trees are fitted to the motion of all others */
    search(set, seek, mark);
    for (int k = 0; k < set->count; ++k)
        if (set->mesh[k]->self_collides)
            tl_face_tree_clear_marks(&set->mesh[k]->query.tree);
}

static void drop_beyond_slack(const tl_contact_world *set, tl_mesh_pair *g)
{
    for (int seek = 0; seek < TL_SOUGHT; ++seek) {
        tl_feature_list *list = &g->listed[seek];
        int kept = 0;
        for (int k = 0; k < list->count; ++k) {
            const tl_feature_pair *w = &list->pair[k];
            if (!tl_features_marked(set->mesh[w->swapped ? g->b : g->a], set->mesh[w->swapped ? g->a : g->b], w->p,
                                    w->kind, TL_BEYOND_SLACK))
                list->pair[kept++] = *w;
        }
        list->count = kept;
    }
}

/* Does cloth cross cloth? Crossings are found with the lists, and pulling them apart moves them. */
static bool is_tangled(const tl_contact_world *set)
{
    for (int k = 0; k < set->pair_count; ++k)
        for (int n = 0; n < set->pair[k].crossing_count && tl_is_cloth_pair(set, &set->pair[k]); ++n)
            if (!set->pair[k].crossing[n].beside)
                return true;
    return false;
}

/* Lists features again where particles left the slack; all when there are many. */
static void update_lists(tl_contact_world *set, tl_sought seek)
{
    int beyond = 0, total = 0;
    for (int k = 0; k < set->count && set->slack > 0; ++k)
        if (set->mesh[k]->self_collides) {
            beyond += mark_beyond_slack(set, set->mesh[k]);
            total += set->mesh[k]->mesh->particle_count;
        }
    bool all = !(set->slack > 0) || (set->list_age >= TL_TANGLED_LIFE && is_tangled(set)) ||
               beyond > total / TL_BEYOND_SLACK_FRACTION;
    for (int k = 0; k < set->count && beyond > 0 && !all; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i)
            if (s->mark[i] & TL_BEYOND_SLACK) {
                tl_put(s->query.from, i, tl_sub(tl_at(s->x_old, i), set->drift[0]));
                tl_put(s->query.to, i, tl_sub(tl_at(s->query.sought, i), set->drift[1]));
            }
    }
    for (int k = 0; k < set->pair_count && beyond > 0 && !all; ++k)
        drop_beyond_slack(set, &set->pair[k]);
    if (all)
        list_all(set, seek);
    else if (beyond > 0)
        list_marked(set, seek, TL_BEYOND_SLACK);
    for (int k = 0; k < set->count && beyond > 0; ++k)
        if (set->mesh[k]->self_collides)
            tl_contact_mesh_unmark(set->mesh[k], TL_BEYOND_SLACK);
}

/* ---- candidates ----------------------------------------------------------------------------------------------- */

/* Takes candidates from the lists, all or those of marked particles. */
static void take(tl_contact_world *set, tl_sought seek, unsigned only)
{
    bool known = !(set->slack > 0); /* the search that made the lists has tested them */
    for (int k = 0; k < set->pair_count; ++k) {
        tl_mesh_pair *g = &set->pair[k];
        if (!tl_is_cloth_pair(set, g))
            continue;
        if (seek == TL_SEEK_CONTACTS && set->searched)
            tl_mesh_pair_put_aside(set, g, only);
        else if (seek == TL_SEEK_CONTACTS)
            g->count = 0;
        else if (only)
            tl_mesh_pair_drop_ccd(set, g, only);
        else
            g->ccd_count = 0;
        int first = g->count;
        tl_feature_search features = search_for(set, g, seek, false, only);
        tl_parallel_take(&features, known, set, g);
        if (seek == TL_SEEK_CONTACTS && set->searched)
            tl_mesh_pair_carry_over(set, g, first);
        if (seek == TL_SEEK_CONTACTS)
            tl_mesh_pair_drop_tangled(set, g);
    }
}

/* Finds all candidates for the motion to the present positions. */
static void find_all(tl_contact_world *set, tl_sought seek)
{
    seek_present(set);
    update_lists(set, seek);
    take(set, seek, 0);
}

/* Distance that a particle may move from where its candidates were found, m: half of the smallest margin. */
static tl_real allowance(const tl_contact_world *set, int mesh)
{
    tl_real least = INFINITY;
    for (int k = 0; k < set->pair_count; ++k)
        if ((set->pair[k].a == mesh || set->pair[k].b == mesh) && tl_is_cloth_pair(set, &set->pair[k]))
            least = tl_min(least, set->pair[k].margin);
    return TL_ROOM_OF_SLACK * least / 2;
}

/* Marks particles that moved farther, and returns how many there are. */
static int mark_stale(tl_contact_mesh *s, tl_real most)
{
    int count = 0;
    const tl_real *x = s->x[0], *y = s->x[1], *z = s->x[2];
    const tl_real *a = s->query.sought[0], *b = s->query.sought[1], *c = s->query.sought[2];
    for (int i = 0; i < s->mesh->particle_count; ++i) {
        tl_real u = x[i] - a[i], v = y[i] - b[i], w = z[i] - c[i];
        bool stale = u * u + v * v + w * w > most * most;
        s->mark[i] |= stale ? TL_STALE : 0;
        count += stale;
    }
    return count;
}

/* Finds the candidates of stale particles again, for the motion to their present positions. */
static void find_stale(tl_contact_world *set, tl_sought seek)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i)
            if (s->mark[i] & TL_STALE)
                tl_put(s->query.sought, i, tl_at(s->x, i));
    }
    if (set->slack > 0) {
        update_lists(set, seek);
    } else {
        clear_lists(set);
        list_marked(set, seek, TL_STALE);
    }
    take(set, seek, TL_STALE);
}

/* Finds again what the margins do not bound. True when there was anything. */
static bool follow(tl_contact_world *set, tl_sought seek)
{
    bool any = false, many = false;
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        int stale = s->self_collides ? mark_stale(s, allowance(set, k)) : 0;
        any |= stale > 0;
        many |= stale > s->mesh->particle_count / TL_STALE_FRACTION;
    }
    if (many)
        find_all(set, seek);
    else if (any)
        find_stale(set, seek);
    for (int k = 0; k < set->count && any; ++k)
        if (set->mesh[k]->self_collides)
            tl_contact_mesh_unmark(set->mesh[k], TL_STALE);
    return any;
}

bool tl_broad_phase_update(tl_contact_world *set)
{
    if (!set->has_layers)
        return false;
    if (set->searched)
        return follow(set, TL_SEEK_CONTACTS);
    seek_present(set);
    ++set->list_age;
    set->drift[0] = set->drift[1];
    set->drift[1] = tl_add(set->drift[1], common_displacement(set));
    find_all(set, TL_SEEK_CONTACTS);
    set->searched = true;
    return true;
}

void tl_broad_phase_update_ccd(tl_contact_world *set)
{
    if (set->ccd_searched) {
        follow(set, TL_SEEK_CCD_PAIRS);
        return;
    }
    tl_real sweep = tl_broad_phase_sweep(set);
    if (sweep > 1) /* the solve moved particles too far */
        tl_broad_phase_slow_down(set, sweep);
    find_all(set, TL_SEEK_CCD_PAIRS);
    set->ccd_searched = true;
}

void tl_broad_phase_clamp(tl_contact_world *set)
{
    for (int k = 0; k < set->count; ++k) {
        tl_contact_mesh *s = set->mesh[k];
        tl_real most = TL_ROOM_OF_SLACK * allowance(set, k);
        for (int i = 0; s->self_collides && i < s->mesh->particle_count; ++i) {
            tl_vec3 from = tl_at(s->query.sought, i), off = tl_sub(tl_at(s->x, i), from);
            tl_real distance = tl_length(off);
            if (distance > most && s->w[i] > 0) {
                tl_put(s->x, i, tl_madd(from, off, most / distance));
                s->touched[i / TL_CONTACT_MESH_BLOCK] = 1;
            }
        }
    }
}
