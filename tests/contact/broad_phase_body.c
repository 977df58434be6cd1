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

/* A coarse sheet over a fine body with bumps. */
typedef struct scene {
    tl_mesh *mesh[2];
    tl_contact_world set;
    tl_barrier barrier;
    tl_octree *octree;
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
    s->set.penetration_free = true; /* crossing features keep their contacts: only distances count here */
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

/* The sheet jitters, a few particles leap, and the body moves and turns. */
static void move(scene *s, int substep)
{
    tl_contact_mesh *cloth = s->set.mesh[0], *body = s->set.mesh[1];
    for (int i = 0; i < s->mesh[0]->particle_count; ++i) {
        tl_real much = wobble(i, 10 + substep) > (tl_real)0.9 ? GAP : GAP / 10;
        tl_vec3 displacement =
            tl_v3(much * wobble(i, 40 + substep), much * wobble(i, 70 + substep), much * wobble(i, 100 + substep));
        tl_put(cloth->x_old, i, tl_at(cloth->x, i));
        tl_put(cloth->x, i, tl_add(tl_at(cloth->x, i), displacement));
    }
    s->barrier.from = s->pose;
    s->pose.position.x += GAP / 20;
    s->pose.position.y = GAP / 4 * (tl_real)sin(substep);
    s->pose.rotation = tl_quat_normalized((tl_quat){0, (tl_real)0.002 * (tl_real)substep, 0, 1});
    s->barrier.to = s->pose;
    for (int p = 0; p < s->mesh[1]->particle_count; ++p) {
        tl_put(body->x_old, p, tl_pose_apply(s->barrier.from, s->mesh[1]->position[p]));
        tl_put(body->x, p, tl_pose_apply(s->barrier.to, s->mesh[1]->position[p]));
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

/* Every point of one mesh that is within the gap of the other has an awake contact as near as any face. Returns how
   many there were. */
static int check_points(const scene *s, int side)
{
    const tl_mesh_pair *g = &s->set.pair[0];
    const tl_mesh *other = s->mesh[!side];
    int count = 0;
    for (int i = 0; i < s->mesh[side]->particle_count; ++i) {
        tl_real nearest = INFINITY, awake = INFINITY;
        for (int f = 0; f < other->face_count; ++f)
            nearest = tl_min(nearest, distance(s, side, i, other->face + 3 * (size_t)f));
        for (int k = 0; k < g->count; ++k)
            if (g->contact[k].near && g->contact[k].kind == TL_VERTEX_FACE && g->contact[k].a == side &&
                g->contact[k].p[0] == i)
                awake = tl_min(awake, distance(s, side, i, g->contact[k].p + 1));
        if (nearest < GAP) {
            assert_true(awake <= nearest + ROUNDING);
            ++count;
        }
    }
    return count;
}

static void candidates_hold_while_cloth_and_body_move(void **state)
{
    (void)state;
    scene *s = create(false);
    int touching[2] = {0};
    tl_contacts_begin_frame(&s->set, SUBSTEPS, H);
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

static void both_trees_find_the_same_candidates(void **state)
{
    (void)state;
    scene *s[2] = {create(false), create(true)};
    for (int n = 0; n < SUBSTEPS; ++n) {
        for (int k = 0; k < 2; ++k) {
            if (n == 0)
                tl_contacts_begin_frame(&s[k]->set, SUBSTEPS, H);
            move(s[k], n);
            tl_broad_phase_find_bodies(&s[k]->set);
        }
        const tl_mesh_pair *a = &s[0]->set.pair[0], *b = &s[1]->set.pair[0];
        assert_true(a->count > 0);
        assert_int_equal(a->count, b->count);
        for (int k = 0; k < a->count; ++k) {
            assert_memory_equal(a->contact[k].p, b->contact[k].p, sizeof a->contact[k].p);
            assert_true(a->contact[k].near == b->contact[k].near && a->contact[k].clearance == b->contact[k].clearance);
        }
    }
    destroy(s[0]);
    destroy(s[1]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(candidates_hold_while_cloth_and_body_move),
        cmocka_unit_test(both_trees_find_the_same_candidates),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
