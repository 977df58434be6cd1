/* Candidates of a cloth and a body made of triangles against brute force, substep after substep, while both move,
   through either tree. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "collide/mesh/nearest.h"
#include "contact/broad_phase/broad_phase.h"
#include "core/random.h"

enum { CLOTH = 9, BODY = 24, MAX_POINTS = BODY * BODY, SUBSTEPS = 24 };
#define H ((tl_real)0.001) /* s, a substep */
#define GAP ((tl_real)0.01)
#define ROUNDING ((tl_real)1e-6) /* m */

/* The sheet jitters and leaps over a body that moves; the body deforms under it; the sheet sinks. */
typedef enum motion { JITTERS, DEFORMS, SINKS } motion;

/* A coarse sheet over a fine body with bumps. */
typedef struct scene {
    tl_mesh *mesh[2];
    tl_contact_world set;
    tl_barrier barrier;
    tl_octree *octree;
    motion motion;
    tl_pose pose;
    tl_real x[2][3][MAX_POINTS], x_old[2][3][MAX_POINTS], v[2][3][MAX_POINTS], w[2][MAX_POINTS];
} scene;

static tl_real wobble(int k, int seed) { return (tl_real)(2 * tl_random_unit((uint32_t)seed, (uint32_t)k) - 1); }

static tl_mesh *bumpy(void)
{
    tl_vec3 p[MAX_POINTS];
    int f[6 * (BODY - 1) * (BODY - 1)], count = 0;
    for (int i = 0; i < MAX_POINTS; ++i)
        p[i] = tl_v3((tl_real)(i % BODY) / (BODY - 1) * (tl_real)0.3 - (tl_real)0.15, (tl_real)0.6 * GAP * wobble(i, 3),
                     (tl_real)0.15 - (tl_real)(i / BODY) / (BODY - 1) * (tl_real)0.3);
    for (int r = 0; r + 1 < BODY; ++r)
        for (int c = 0; c + 1 < BODY; ++c) {
            int a = r * BODY + c;
            memcpy(f + count, (int[]){a, a + 1, a + BODY, a + 1, a + BODY + 1, a + BODY}, 6 * sizeof *f);
            count += 6;
        }
    return tl_mesh_create(
        &(tl_mesh_def){.positions = p, .vertex_count = MAX_POINTS, .triangles = f, .triangle_count = count / 3}, NULL,
        NULL);
}

static void point_to(tl_real *const from[3], tl_real *to[3]) { memcpy(to, from, 3 * sizeof *to); }

static scene *create(bool octree)
{
    scene *s = calloc(1, sizeof *s);
    tl_grid_def grid = {.columns = CLOTH, .rows = CLOTH, .width = (tl_real)0.28, .height = (tl_real)0.28};
    s->mesh[0] = tl_mesh_create_grid(&grid, NULL, NULL);
    s->mesh[1] = bumpy();
    s->set.allocator = tl_allocator_or_default(NULL);
    s->pose.rotation = tl_quat_identity();
    for (int k = 0; k < 2; ++k) {
        tl_contact_mesh *mesh = tl_contact_world_add(&s->set, s->mesh[k]);
        point_to((tl_real *[3]){s->x[k][0], s->x[k][1], s->x[k][2]}, mesh->x);
        point_to((tl_real *[3]){s->x_old[k][0], s->x_old[k][1], s->x_old[k][2]}, mesh->x_old);
        point_to((tl_real *[3]){s->v[k][0], s->v[k][1], s->v[k][2]}, mesh->v);
        mesh->w = s->w[k];
        mesh->thickness = GAP;
        mesh->is_cloth = k == 0;
        mesh->bodies = true;
    }
    assert_true(tl_barrier_create(&s->barrier, s->mesh[1], &s->set.allocator));
    s->set.mesh[1]->barrier = &s->barrier;
    if (octree)
        s->set.mesh[1]->octree = s->octree = tl_octree_create(s->mesh[1]->position, s->mesh[1]->face,
                                                              s->mesh[1]->face_count, 5, &s->set.allocator, NULL);
    for (int i = 0; i < s->mesh[0]->particle_count; ++i) { /* the grid stands upright: lay it down over the body */
        tl_vec3 at = s->mesh[0]->position[i];
        tl_put(s->set.mesh[0]->x, i, tl_v3(at.x, (tl_real)1.4 * GAP, at.y));
        s->w[0][i] = 1;
    }
    assert_true(tl_contact_world_pair_up(&s->set));
    return s;
}

static void destroy(scene *s)
{
    tl_contact_world_destroy(&s->set);
    tl_barrier_destroy(&s->barrier, &s->set.allocator);
    tl_octree_destroy(s->octree);
    tl_mesh_destroy(s->mesh[0]);
    tl_mesh_destroy(s->mesh[1]);
    free(s);
}

/* Every point of the body moves at its own speed, one side much faster than the other. */
static void deform(scene *s, int substep)
{
    tl_barrier *barrier = &s->barrier;
    barrier->deforms = true;
    barrier->stir = 0;
    for (int p = 0; p < s->mesh[1]->particle_count; ++p) {
        tl_vec3 rest = s->mesh[1]->position[p];
        tl_real much = (rest.x + (tl_real)0.15) * 3 * GAP, height = (tl_real)0.6 * GAP * wobble(p, 230);
        tl_vec3 step = tl_v3(much * wobble(p, 200), (height - rest.y) / SUBSTEPS, much * wobble(p, 260));
        tl_put(barrier->x_old, p, tl_madd(rest, step, (tl_real)substep));
        tl_put(barrier->x, p, tl_madd(rest, step, (tl_real)(substep + 1)));
        barrier->stir = tl_max(barrier->stir, tl_length(step));
    }
    tl_barrier_moved(barrier);
}

/* Jitter, with a few particles that leap; or a steady motion, which a query foresees. */
static tl_vec3 sheet_step(const scene *s, int i, int substep)
{
    tl_real much = s->motion == JITTERS ? GAP / 10 : GAP / 200;
    much = s->motion == JITTERS && wobble(i, 10 + substep) > (tl_real)0.9 ? GAP : much;
    tl_vec3 step =
        tl_v3(much * wobble(i, 40 + substep), much * wobble(i, 70 + substep), much * wobble(i, 100 + substep));
    step.y = much == GAP ? (tl_real)fabs(step.y) : step.y; /* up: the two stay apart */
    step.y -= s->motion == SINKS ? GAP / 10 : 0;
    return step;
}

static void move(scene *s, int substep)
{
    tl_contact_mesh *cloth = s->set.mesh[0], *body = s->set.mesh[1];
    for (int i = 0; i < s->mesh[0]->particle_count; ++i) {
        tl_real start = s->motion == SINKS && substep == 0 ? 2 * GAP : 0;
        tl_put(cloth->x_old, i, tl_add(tl_at(cloth->x, i), tl_v3(0, start, 0)));
        tl_put(cloth->x, i, tl_add(tl_at(cloth->x_old, i), sheet_step(s, i, substep)));
    }
    s->barrier.from = s->pose;
    if (s->motion == JITTERS) {
        s->pose.position.x += GAP / 20;
        s->pose.position.y = GAP / 4 * (tl_real)sin(substep);
        s->pose.rotation = tl_quat_normalized((tl_quat){0, (tl_real)0.002 * (tl_real)substep, 0, 1});
    }
    s->barrier.to = s->pose;
    if (s->motion == DEFORMS)
        deform(s, substep);
    for (int p = 0; p < s->mesh[1]->particle_count; ++p) {
        tl_put(body->x_old, p, tl_pose_apply(s->barrier.from, tl_at(s->barrier.x_old, p)));
        tl_put(body->x, p, tl_pose_apply(s->barrier.to, tl_at(s->barrier.x, p)));
    }
}

static tl_real distance(const scene *s, int side, int point, const int *face)
{
    const tl_contact_mesh *a = s->set.mesh[side], *b = s->set.mesh[!side];
    tl_vec3 p = tl_at(a->x, point), c[3] = {tl_at(b->x, face[0]), tl_at(b->x, face[1]), tl_at(b->x, face[2])};
    tl_real w[3];
    tl_nearest_on_triangle(p, c[0], c[1], c[2], w);
    return tl_length(tl_sub(p, tl_blend3(c[0], c[1], c[2], w)));
}

/* Marks the points of features that cross: these have no contacts. */
static void mark_tangled(const scene *s, bool tangled[2][MAX_POINTS])
{
    const tl_mesh_pair *g = &s->set.pair[0];
    memset(tangled, 0, sizeof(bool[2][MAX_POINTS]));
    for (int k = 0; k < g->crossing_count; ++k) {
        const tl_crossing *c = &g->crossing[k];
        for (int i = 0; i < 2; ++i)
            tangled[c->edge_mesh][c->edge[i]] = true;
        for (int i = 0; i < 3; ++i)
            tangled[c->face_mesh][c->face[i]] = true;
    }
}

/* Every point of one mesh that is within the gap of the other has an awake contact as near as any face. Returns how
   many there were. */
static int check_points(const scene *s, int side)
{
    const tl_mesh_pair *g = &s->set.pair[0];
    const tl_mesh *other = s->mesh[!side];
    static bool tangled[2][MAX_POINTS];
    int count = 0;
    mark_tangled(s, tangled);
    for (int i = 0; i < s->mesh[side]->particle_count; ++i) {
        tl_real nearest = INFINITY, awake = INFINITY;
        bool crosses = tangled[side][i];
        for (int f = 0; f < other->face_count; ++f) {
            const int *p = other->face + 3 * (size_t)f;
            tl_real d = distance(s, side, i, p);
            bool at = tangled[!side][p[0]] || tangled[!side][p[1]] || tangled[!side][p[2]];
            crosses |= at && d < GAP;
            nearest = tl_min(nearest, d);
        }
        for (int k = 0; k < g->count; ++k)
            if (g->contact[k].near && g->contact[k].kind == TL_VERTEX_FACE && g->contact[k].a == side &&
                g->contact[k].p[0] == i)
                awake = tl_min(awake, distance(s, side, i, g->contact[k].p + 1));
        if (nearest < GAP && !crosses) {
            assert_true(awake <= nearest + ROUNDING);
            ++count;
        }
    }
    return count;
}

static void check_candidates(motion how)
{
    scene *s = create(false);
    int touching[2] = {0};
    s->motion = how;
    tl_contacts_begin_frame(&s->set, SUBSTEPS);
    for (int n = 0; n < SUBSTEPS; ++n) {
        move(s, n);
        tl_broad_phase_find_bodies(&s->set);
        for (int side = 0; side < 2; ++side)
            touching[side] += check_points(s, side);
    }
    assert_true(touching[0] > SUBSTEPS && touching[1] > SUBSTEPS); /* they do touch */
    assert_true(s->set.rebuilds < SUBSTEPS / 2);                   /* and most queries were partial */
    destroy(s);
}

static void candidates_hold_while_cloth_and_body_move(void **state)
{
    (void)state;
    check_candidates(JITTERS);
}

static void candidates_hold_while_the_body_deforms(void **state)
{
    (void)state;
    check_candidates(DEFORMS);
}

static void candidates_hold_while_the_sheet_sinks(void **state)
{
    (void)state;
    check_candidates(SINKS);
}

static tl_vec3 point_of(const scene *s, const tl_contact *contact, int k)
{
    int split = contact->kind == TL_VERTEX_FACE ? 1 : 2;
    return tl_at(s->set.mesh[k < split ? contact->a : contact->b]->x, contact->p[k]);
}

/* Does the vertex face the other within the gap? Beyond its borders contact is left to neighbours; and whether an edge
   is bent is only seen when its face queries. */
static bool touches(const scene *s, const tl_contact *contact)
{
    tl_vec3 x[4];
    tl_real w[3];
    for (int i = 0; i < 4; ++i)
        x[i] = point_of(s, contact, i);
    return contact->kind == TL_VERTEX_FACE && tl_nearest_on_triangle(x[0], x[1], x[2], x[3], w) &&
           tl_length(tl_nearest_features(x, 1)) < GAP;
}

/* The touching contacts that are awake, in their order: how many. */
static int awake(const scene *s, tl_contact *out)
{
    const tl_mesh_pair *g = &s->set.pair[0];
    int count = 0;
    for (int k = 0; k < g->count; ++k)
        if (g->contact[k].near && touches(s, &g->contact[k]))
            out[count++] = g->contact[k];
    return count;
}

/* Two scenes have the same touching contacts awake in the same order. */
static int compare_awake(scene *s[2], bool sides)
{
    enum { MOST = 100000 };
    static tl_contact list[2][MOST];
    int count = awake(s[0], list[0]);
    assert_true(s[0]->set.pair[0].count <= MOST && s[1]->set.pair[0].count <= MOST);
    assert_int_equal(count, awake(s[1], list[1]));
    for (int k = 0; k < count; ++k) {
        const tl_contact *a = &list[0][k], *b = &list[1][k];
        assert_memory_equal(a->p, b->p, sizeof a->p);
        assert_true(a->fast == b->fast && a->kind == b->kind);
        assert_true(!sides || memcmp(&a->side, &b->side, sizeof a->side) == 0);
    }
    return count;
}

static void both_trees_wake_the_same_contacts(void **state)
{
    (void)state;
    scene *s[2] = {create(false), create(true)};
    int count = 0;
    for (int n = 0; n < SUBSTEPS; ++n) {
        for (int k = 0; k < 2; ++k) {
            if (n == 0)
                tl_contacts_begin_frame(&s[k]->set, SUBSTEPS);
            move(s[k], n);
            tl_broad_phase_find_bodies(&s[k]->set);
        }
        count += compare_awake(s, true);
    }
    assert_true(count > SUBSTEPS);
    destroy(s[0]);
    destroy(s[1]);
}

/* Contacts that were found earlier and those found from scratch are the same ones in the same order. */
static void awake_contacts_do_not_tell_when_they_were_found(void **state)
{
    (void)state;
    for (motion how = JITTERS; how <= SINKS; ++how) {
        scene *s[2] = {create(false), create(false)};
        int count = 0;
        for (int n = 0; n < SUBSTEPS; ++n) {
            for (int k = 0; k < 2; ++k) {
                s[k]->motion = how;
                if (n == 0)
                    tl_contacts_begin_frame(&s[k]->set, SUBSTEPS);
                s[k]->set.pair[0].queried &= k == 0;
                move(s[k], n);
                tl_broad_phase_find_bodies(&s[k]->set);
            }
            count += compare_awake(s, false);
        }
        assert_true(count > SUBSTEPS);
        assert_true(s[0]->set.rebuilds < SUBSTEPS / 2 && s[1]->set.rebuilds == SUBSTEPS);
        destroy(s[0]);
        destroy(s[1]);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_hold_while_cloth_and_body_move),
        cmocka_unit_test(candidates_hold_while_the_body_deforms),
        cmocka_unit_test(candidates_hold_while_the_sheet_sinks),
        cmocka_unit_test(both_trees_wake_the_same_contacts),
        cmocka_unit_test(awake_contacts_do_not_tell_when_they_were_found),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
