/* Storage and vector widths: links and groups cover every element once without conflicts, and widths 8, 4 and 1 give
   bit-identical results. */
#include "element/bend.h"
#include "element/face.h"
#include "element/link.h"
#include "fixture.h"

enum { MESHES = 7 };
static tl_mesh *make_mesh(int which)
{
    switch (which) {
    case 0:
        return make_grid(5, 7);
    case 1:
        return make_grid(16, 16);
    case 2:
        return make_grid(71, 71);
    case 3:
        return make_grid(2, 2);
    case 4:
        return make_grid(33, 3);
    default:
        return make_irregular(which == 5 ? 13 : 30, which == 6);
    }
}

static bool have_width_8(void)
{
#if defined(__x86_64__)
    return __builtin_cpu_supports("avx2");
#else
    return true;
#endif
}

static void copy_forces(const tl_particles *p, tl_real *out)
{
    for (int c = 0; c < 3; ++c)
        memcpy(out + c * tl_padded(p->count), p->f[c], (size_t)tl_padded(p->count) * sizeof *out);
}

/* Forces of a batch at some width, added to existing forces. */
static void forces_at(tl_element_batch *batch, tl_particles *p, int lanes, tl_real *out)
{
    clear_forces(p);
    for (int k = 0; k < p->count; ++k)
        tl_put(p->f, k, tl_v3((tl_real)uniform(5, k), (tl_real)-0.0, 0));
    batch->lanes = lanes;
    if (lanes == 0)
        batch->kind->force_plain(batch, p);
    else
        batch->kind->force(batch, p);
    copy_forces(p, out);
}

static void all_widths_give_the_same_bits(void **state)
{
    (void)state;
    for (int which = 0; which < MESHES; ++which) {
        tl_mesh *mesh = make_mesh(which);
        tl_particles p = make_particles(mesh);
        deform(&p, 0.3 / sqrt(p.count), 1, 7);
        size_t bytes = 3 * (size_t)tl_padded(p.count) * sizeof(tl_real);
        tl_real *plain = malloc(bytes), *wide = malloc(bytes);
        assert_true(plain && wide);
        for (int kind = 0; kind < TL_ELEMENT_COUNT; ++kind)
            for (int full = 0; full < 2; ++full) {
                tl_element_batch batch = make_batch(kind, mesh);
                batch.settings.full_damping = full;
                forces_at(&batch, &p, 0, plain);
                static const int lanes[] = {1, 4, 8};
                for (int n = 0; n < (have_width_8() ? 3 : 2); ++n) {
                    forces_at(&batch, &p, lanes[n], wide);
                    assert_memory_equal(plain, wide, bytes);
                }
                batch.kind->destroy(&batch);
            }
        free(plain);
        free(wide);
        free_particles(&p);
        tl_mesh_destroy(mesh);
    }
}

/* links */

static int compare_longs(const void *a, const void *b)
{
    long long p = *(const long long *)a, q = *(const long long *)b;
    return (p > q) - (p < q);
}

static void links_match_the_mesh(const tl_link_set *set, const tl_mesh *mesh, tl_link_kind kind)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_link *links;
    int count;
    assert_true(tl_link_enumerate(mesh, kind, &heap, &links, &count));
    assert_int_equal(count, set->count);
    long long *wanted = calloc((size_t)count + 1, sizeof *wanted), *found = calloc((size_t)count + 1, sizeof *found);
    assert_true(wanted && found);
    for (int k = 0; k < count; ++k) {
        assert_true(links[k].i < links[k].j && links[k].j < mesh->particle_count);
        wanted[k] = (long long)links[k].i << 32 | links[k].j;
        found[k] = (long long)set->i[k] << 32 | set->j[k];
    }
    qsort(wanted, (size_t)count, sizeof *wanted, compare_longs);
    qsort(found, (size_t)count, sizeof *found, compare_longs);
    assert_memory_equal(wanted, found, (size_t)count * sizeof *wanted);
    for (int k = 1; k < count; ++k)
        assert_true(wanted[k - 1] < wanted[k]);
    free(wanted);
    free(found);
    tl_release(&heap, links);
}

static void pieces_agree_with_links(const tl_link_set *set)
{
    int next = 0;
    for (int n = 0; n < set->piece_count; ++n) {
        const tl_link_piece *piece = &set->piece[n];
        assert_int_equal(piece->first, next);
        assert_true(piece->count > 0 && (piece->i0 >= 0 || piece->count <= TL_LANES));
        next += piece->count;
        for (int k = 0; k < piece->count && piece->i0 >= 0; ++k) {
            assert_int_equal(set->i[piece->first + k], piece->i0 + k);
            assert_int_equal(set->j[piece->first + k], piece->j0 + k);
            assert_true(!(fabs((double)(set->weight[piece->first + k] - piece->weight)) > 0));
            assert_true(!piece->equal_rest || !(fabs((double)(set->rest[piece->first + k] - piece->rest)) > 0));
        }
    }
    assert_int_equal(next, set->count);
}

static void force_order_holds_every_piece(const tl_link_set *set)
{
    int *seen = calloc((size_t)set->count + 1, sizeof *seen);
    assert_non_null(seen);
    for (int n = 0; n < set->piece_count; ++n)
        for (int k = 0; k < set->force_order[n].count; ++k)
            ++seen[set->force_order[n].first + k];
    for (int k = 0; k < set->count; ++k)
        assert_int_equal(seen[k], 1);
    free(seen);
}

static void colours_share_no_particle(const tl_link_set *set, int particle_count)
{
    int *last = calloc((size_t)particle_count, sizeof *last);
    assert_non_null(last);
    for (int c = 0; c < set->colour_count; ++c)
        for (int n = set->colour_first[c]; n < set->colour_first[c + 1]; ++n)
            for (int k = set->piece[n].first; k < set->piece[n].first + set->piece[n].count; ++k) {
                assert_int_not_equal(last[set->i[k]], c + 1);
                assert_int_not_equal(last[set->j[k]], c + 1);
                last[set->i[k]] = last[set->j[k]] = c + 1;
            }
    assert_int_equal(set->colour_first[set->colour_count], set->piece_count);
    free(last);
}

static void links_are_stored_once_and_colours_are_disjoint(void **state)
{
    (void)state;
    for (int which = 0; which < MESHES; ++which) {
        tl_mesh *mesh = make_mesh(which);
        for (int kind = TL_LINK_STRUCTURAL; kind <= TL_LINK_DISC; ++kind) {
            tl_element_batch batch = make_batch(TL_ELEMENT_link_structural + kind, mesh);
            links_match_the_mesh(batch.data, mesh, (tl_link_kind)kind);
            pieces_agree_with_links(batch.data);
            force_order_holds_every_piece(batch.data);
            colours_share_no_particle(batch.data, mesh->particle_count);
            batch.kind->destroy(&batch);
        }
        tl_mesh_destroy(mesh);
    }
}

static void nearly_all_links_of_a_large_grid_are_runs(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(128, 128);
    tl_element_batch batch = make_batch(TL_ELEMENT_link_disc, mesh);
    const tl_link_set *set = batch.data;
    int in_runs = 0;
    for (int n = 0; n < set->piece_count; ++n)
        in_runs += set->piece[n].i0 >= 0 ? set->piece[n].count : 0;
    assert_true(in_runs > set->count * 99 / 100);
    batch.kind->destroy(&batch);
    tl_mesh_destroy(mesh);
}

/* groups */

static void check_groups(const tl_groups *groups, int *const *particle, int per, int count, int particle_count)
{
    int *last = calloc((size_t)particle_count, sizeof *last), *seen = calloc((size_t)count + 1, sizeof *seen);
    assert_true(last && seen);
    int next = 0;
    for (int c = 0; c < groups->colour_count; ++c)
        for (int g = groups->colour_first[c]; g < groups->colour_first[c + 1]; ++g) {
            assert_int_equal(groups->group[g].first, next);
            assert_in_range(groups->group[g].count, 1, TL_LANES);
            for (int k = 0; k < groups->group[g].count; ++k, ++next)
                for (int q = 0; q < per; ++q) {
                    assert_int_not_equal(last[particle[q][next]], c + 1);
                    last[particle[q][next]] = c + 1;
                }
        }
    assert_int_equal(next, count);
    for (int g = 0; g < groups->group_count; ++g)
        for (int k = 0; k < groups->force_order[g].count; ++k)
            ++seen[groups->force_order[g].first + k];
    for (int k = 0; k < count; ++k)
        assert_int_equal(seen[k], 1);
    free(last);
    free(seen);
}

static void faces_and_hinges_are_grouped_without_conflicts(void **state)
{
    (void)state;
    for (int which = 0; which < MESHES; ++which) {
        tl_mesh *mesh = make_mesh(which);
        tl_element_batch stretch = make_batch(TL_ELEMENT_continuum_stretch, mesh);
        tl_element_batch bend = make_batch(TL_ELEMENT_continuum_bend, mesh);
        const tl_face_set *faces = stretch.data;
        const tl_hinge_set *hinges = bend.data;
        assert_int_equal(faces->count, mesh->face_count);
        check_groups(&faces->groups, faces->particle, 3, faces->count, mesh->particle_count);
        check_groups(&hinges->groups, hinges->particle, 4, hinges->count, mesh->particle_count);
        stretch.kind->destroy(&stretch);
        bend.kind->destroy(&bend);
        tl_mesh_destroy(mesh);
    }
}

/* A fan of 100 faces needs more colours than fit one round of the colouring. */
static void hub_of_a_large_fan_is_coloured(void **state)
{
    (void)state;
    enum { FACES = 100 };
    int particle[3 * FACES];
    for (int k = 0; k < FACES; ++k) {
        particle[3 * k] = 0;
        particle[3 * k + 1] = 1 + k;
        particle[3 * k + 2] = 1 + (k + 1) % FACES;
    }
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_groups groups;
    assert_true(tl_groups_build(&groups, &heap, particle, 3, FACES, FACES + 1));
    assert_int_equal(groups.colour_count, FACES);
    tl_groups_destroy(&groups, &heap);
}

/* numbers of the lattice */

static void disc_links_have_the_weights_of_their_distance(void **state)
{
    (void)state;
    enum { N = 20 };
    tl_error error = {0};
    tl_mesh *mesh =
        tl_mesh_create_grid(&(tl_grid_def){.columns = N, .rows = N, .width = 19, .height = 19}, NULL, &error);
    tl_element_batch batch = make_batch(TL_ELEMENT_link_disc, mesh);
    const tl_link_set *set = batch.data;
    /* 20 neighbours: two each of (1,0), (2,0) and (1,1) kinds … as (N − |dc|)(N − |dr|) summed over ten offsets */
    int expected = 2 * N * (N - 1) + 2 * N * (N - 2) + 2 * (N - 1) * (N - 1) + 4 * (N - 1) * (N - 2);
    assert_int_equal(batch.count, expected);
    for (int k = 0; k < batch.count; ++k) {
        int a = mesh->vertex_of_particle[set->i[k]], b = mesh->vertex_of_particle[set->j[k]];
        int dc = abs(a % N - b % N), dr = abs(a / N - b / N);
        assert_true(dc <= 2 && dr <= 2 && dc + dr <= 3 && dc + dr > 0);
        double distance = sqrt(dc * dc + dr * dr);
        assert_true(fabs((double)set->weight[k] - 1 / distance) < 1e-6);
        assert_true(fabs((double)set->rest[k] - distance) < 1e-5);
    }
    batch.kind->destroy(&batch);
    tl_mesh_destroy(mesh);
}

static void link_pairs_are_enumerated_by_index(void **state)
{
    (void)state;
    tl_mesh *mesh = make_grid(5, 4);
    tl_element_batch batch = make_batch(TL_ELEMENT_link_structural, mesh);
    assert_int_equal(batch.count, 4 * 4 + 5 * 3);
    int i, j;
    tl_real rest;
    for (int k = 0; k < batch.count; ++k) {
        assert_int_equal(tl_link_pair(&batch, k, &i, &j, &rest), 1);
        double length = (double)tl_length(tl_sub(mesh->position[i], mesh->position[j]));
        assert_true(fabs(length - (double)rest) < 1e-5);
    }
    assert_int_equal(tl_link_pair(&batch, batch.count, &i, &j, &rest), 0);
    assert_int_equal(tl_link_pair(&batch, -1, &i, &j, &rest), 0);
    batch.kind->destroy(&batch);
    tl_element_batch bend = make_batch(TL_ELEMENT_continuum_bend, mesh);
    assert_int_equal(tl_link_pair(&bend, 0, &i, &j, &rest), 0);
    bend.kind->destroy(&bend);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(all_widths_give_the_same_bits),
        cmocka_unit_test(links_are_stored_once_and_colours_are_disjoint),
        cmocka_unit_test(nearly_all_links_of_a_large_grid_are_runs),
        cmocka_unit_test(faces_and_hinges_are_grouped_without_conflicts),
        cmocka_unit_test(hub_of_a_large_fan_is_coloured),
        cmocka_unit_test(disc_links_have_the_weights_of_their_distance),
        cmocka_unit_test(link_pairs_are_enumerated_by_index),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
