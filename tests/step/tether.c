/* Long-range attachments: distances along the cloth against brute force, and a pull that is one-sided. */
#include "step_testing.h"

#include "core/timing.h"
#include "step/tether.h"

static tl_allocator heap;
static const tl_reserve rigid = {.spacing = 1, .high = 1};

static double rest_distance(const tl_mesh *mesh, int a, int b)
{
    return (double)tl_length(tl_sub(mesh->position[a], mesh->position[b]));
}

/* Connected pinned region of each particle, -1 for free ones, by merging until nothing changes. */
static int brute_regions(const tl_mesh *mesh, const tl_particles *p, int *region)
{
    int regions = 0;
    for (int i = 0; i < p->count; ++i)
        region[i] = p->w[i] > 0 ? -1 : i;
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < mesh->edge_count; ++e) {
            int *a = &region[mesh->edge_a[e]], *b = &region[mesh->edge_b[e]];
            if (*a >= 0 && *b >= 0 && *a != *b) {
                *a = *b = *a < *b ? *a : *b;
                changed = true;
            }
        }
    }
    for (int i = 0; i < p->count; ++i)
        regions += region[i] == i;
    return regions;
}

static int anchor_of(const tl_tether *tether, int slot, int particle)
{
    return tether->pinned[tether->anchor[slot][particle]];
}

static bool is_tethered(const tl_tether *tether, int slot, int particle)
{
    return tether->distance[slot][particle] < (tl_real)1e9;
}

static void expect_slots_sorted_and_pinned(const tl_tether *tether, const tl_particles *p, const int *region,
                                           int regions)
{
    int expected = regions < TL_TETHER_SLOTS ? regions : TL_TETHER_SLOTS;
    assert_int_equal(tether->slots, expected);
    for (int i = 0; i < p->count; ++i)
        for (int s = 0; s < tether->slots; ++s) {
            assert_int_equal(is_tethered(tether, s, i), p->w[i] > 0); /* pinned particles are not tethered */
            if (!(p->w[i] > 0))
                continue;
            assert_true(tether->anchor[s][i] >= 0 && tether->anchor[s][i] < tether->pinned_count);
            int anchor = anchor_of(tether, s, i);
            assert_true(anchor >= 0 && anchor < p->count && region[anchor] >= 0);
            for (int r = 0; r < s; ++r) {
                assert_true(tether->distance[r][i] <= tether->distance[s][i]);
                assert_true(region[anchor_of(tether, r, i)] != region[anchor]); /* one tether for each region */
            }
        }
}

static void distances_on_a_grid_are_straight_lines_to_the_nearest_pinned_particle(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(17, 12, 2, 1);
    tl_system system = make_system(mesh, 1);
    tl_particles *p = &system.p;
    /* four single pins, a piece of the top edge, and a block inside: six regions, of which the four nearest count */
    for (int k = 0; k < mesh->particle_count; ++k) {
        int c = k % 17, r = k / 17;
        bool corner = (c == 0 || c == 16) && (r == 0 || r == 11);
        bool edge = r == 0 && c >= 6 && c <= 9, block = c >= 4 && c <= 5 && r >= 5 && r <= 7;
        if (corner || edge || block)
            p->w[mesh->lattice[k]] = 0;
    }
    int *region = malloc((size_t)p->count * sizeof *region);
    assert_int_equal(brute_regions(mesh, p, region), 6);
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, p));
    expect_slots_sorted_and_pinned(&tether, p, region, 6);
    for (int i = 0; i < p->count; ++i) {
        double nearest[6], sorted;
        int regions = 0, label[6];
        if (!(p->w[i] > 0))
            continue;
        for (int j = 0; j < p->count; ++j) {
            if (region[j] < 0)
                continue;
            int k = 0;
            while (k < regions && label[k] != region[j])
                ++k;
            double distance = rest_distance(mesh, i, j);
            if (k == regions) {
                label[regions] = region[j];
                nearest[regions++] = distance;
            } else if (distance < nearest[k]) {
                nearest[k] = distance;
            }
        }
        for (int s = 0; s < TL_TETHER_SLOTS; ++s) {
            int best = 0;
            for (int k = 0; k < regions; ++k)
                best = nearest[k] < nearest[best] ? k : best;
            sorted = nearest[best];
            nearest[best] = 1e9;
            assert_near(sorted, (double)tether.distance[s][i], 1e-5);
            assert_near(rest_distance(mesh, i, anchor_of(&tether, s, i)), (double)tether.distance[s][i], 1e-5);
        }
    }
    free(region);
    tl_tether_destroy(&tether, &heap);
    assert_false(tether.made);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

/* Shortest paths along edges only, by relaxing until nothing changes. */
static void brute_edge_paths(const tl_mesh *mesh, const int *region, int from, double *path)
{
    for (int i = 0; i < mesh->particle_count; ++i)
        path[i] = region[i] == from ? 0 : 1e9;
    for (bool changed = true; changed;) {
        changed = false;
        for (int e = 0; e < mesh->edge_count; ++e) {
            int a = mesh->edge_a[e], b = mesh->edge_b[e];
            double length = (double)mesh->edge_length[e];
            if (path[a] + length < path[b] - 1e-12) {
                path[b] = path[a] + length;
                changed = true;
            }
            if (path[b] + length < path[a] - 1e-12) {
                path[a] = path[b] + length;
                changed = true;
            }
        }
    }
}

static void distances_on_triangles_lie_between_the_straight_line_and_the_path_along_edges(void **state)
{
    (void)state;
    tl_mesh *mesh = triangles(16, 13, 0.1, 0.2);
    assert_null(mesh->lattice);
    tl_system system = make_system(mesh, 1);
    tl_particles *p = &system.p;
    const int pinned[] = {0, 15, 16 * 13 - 1, 8 * 16 + 8};
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; ++k)
        p->w[mesh->particle_of_vertex[pinned[k]]] = 0;
    int *region = malloc((size_t)p->count * sizeof *region);
    double *path = malloc((size_t)p->count * sizeof *path);
    assert_int_equal(brute_regions(mesh, p, region), 4);
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, p));
    expect_slots_sorted_and_pinned(&tether, p, region, 4);
    double worst = 0, sum = 0;
    int measured = 0;
    for (size_t k = 0; k < sizeof pinned / sizeof *pinned; ++k) {
        int anchor = mesh->particle_of_vertex[pinned[k]];
        brute_edge_paths(mesh, region, anchor, path);
        for (int i = 0; i < p->count; ++i)
            for (int s = 0; s < 4 && p->w[i] > 0; ++s)
                if (anchor_of(&tether, s, i) == anchor) {
                    double straight = rest_distance(mesh, i, anchor), found = (double)tether.distance[s][i];
                    assert_true(found >= straight * (1 - 1e-5)); /* the sheet is flat: no path is shorter */
                    assert_true(found <= path[i] * (1 + 1e-5));
                    worst = fmax(worst, found / straight);
                    sum += found / straight;
                    ++measured;
                }
    }
    /* overestimates are harmless, only less tight: a few per cent, more only between close particles */
    if (worst > 1.15 || sum / measured > 1.05)
        fail_msg("distances are %.1f %% too long on average and %.1f %% at worst", 100 * (sum / measured - 1),
                 100 * (worst - 1));
    free(region);
    free(path);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

static void disconnected_regions_get_no_tethers(void **state)
{
    (void)state;
    /* two separate triangles, one corner of the first pinned */
    const tl_vec3 position[6] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}, {5, 0, 0}, {6, 0, 0}, {5, 1, 0}};
    const int triangle[6] = {0, 1, 2, 3, 4, 5};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = position, .vertex_count = 6, .triangles = triangle, .triangle_count = 2}, NULL,
        NULL);
    assert_non_null(mesh);
    tl_system system = make_system(mesh, 1);
    system.p.w[mesh->particle_of_vertex[0]] = 0;
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, &system.p));
    assert_int_equal(tether.slots, 1);
    assert_near(1, (double)tether.distance[0][mesh->particle_of_vertex[1]], 1e-6);
    for (int v = 3; v < 6; ++v) {
        int i = mesh->particle_of_vertex[v];
        assert_false(is_tethered(&tether, 0, i));
        tl_put(system.p.x, i, tl_v3(1000, 1000, (tl_real)v)); /* and is unconstrained */
    }
    tl_tether_limits(&tether, mesh, &system.p, &rigid);
    tl_tether_follow(&tether, &system.p, 0);
    tl_tether_w1(0, system.p.count, &tether, 0, &system.p);
    for (int v = 3; v < 6; ++v)
        assert_near(1000, (double)system.p.x[0][mesh->particle_of_vertex[v]], 0);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

static void without_pinned_particles_nothing_is_tethered(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(6, 6, 1, 1);
    tl_system system = make_system(mesh, 1);
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, &system.p));
    assert_int_equal(tether.slots, 0);
    for (int i = 0; i < system.p.count; ++i)
        system.p.w[i] = 0; /* nor when all are pinned */
    assert_true(tl_tether_build(&tether, &heap, mesh, &system.p));
    assert_int_equal(tether.slots, 0);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

static void a_pull_shortens_what_is_too_long_and_nothing_else(void **state)
{
    (void)state;
    static tl_tether_kernel *const kernels[] = {tl_tether_w1, tl_tether_w4, tl_tether_w8};
    static const int widths[] = {1, 4, 8};
    tl_mesh *mesh = grid(19, 11, 1, 1);
    tl_real *first[3] = {NULL};
    for (int w = 0; w < 3 && widths[w] <= tl_widest_lanes(); ++w) {
        tl_system system = make_system(mesh, widths[w]);
        tl_particles *p = &system.p;
        int pin = mesh->lattice[0];
        p->w[pin] = 0;
        tl_tether tether = {0};
        assert_true(tl_tether_build(&tether, &heap, mesh, p));
        tl_tether_limits(&tether, mesh, p, &rigid);
        assert_near(0, (double)tl_tether_excess(&tether, p), 1e-6);
        /* half of the particles slightly too far, the other half too near, as if folded */
        for (int i = 0; i < p->count; ++i) {
            tl_vec3 out = tl_sub(tl_at(p->x, i), tl_at(p->x, pin));
            double fraction = i % 2 ? 1.05 : 0.3;
            if (i != pin)
                tl_put(p->x, i, tl_add(tl_at(p->x, pin), tl_scale(out, (tl_real)fraction)));
        }
        tl_real *before[3];
        for (int c = 0; c < 3; ++c) {
            before[c] = tl_system_array(&system);
            memcpy(before[c], p->x[c], (size_t)p->count * sizeof(tl_real));
        }
        tl_tether_follow(&tether, p, 0);
        for (int pull = 0; pull < 2; ++pull) /* one pull leaves half the square of the excess */
            kernels[w](0, p->count, &tether, 0, p);
        for (int i = 0; i < p->count; ++i) {
            if (i == pin || i % 2 == 0) {
                for (int c = 0; c < 3; ++c)
                    assert_true(p->x[c][i] == before[c][i]);
                continue;
            }
            tl_vec3 out = tl_sub(tl_at(p->x, i), tl_at(p->x, pin));
            assert_near((double)tether.distance[0][i], (double)tl_length(out), 1e-5);
        }
        for (int c = 0; c < 3; ++c) {
            if (w == 0) {
                first[c] = malloc((size_t)p->count * sizeof(tl_real));
                memcpy(first[c], p->x[c], (size_t)p->count * sizeof(tl_real));
            }
            assert_memory_equal(first[c], p->x[c],
                                (size_t)p->count * sizeof(tl_real)); /* all widths give the same bits */
            tl_release(&heap, before[c]);
        }
        tl_tether_destroy(&tether, &heap);
        tl_system_destroy(&system);
    }
    for (int c = 0; c < 3; ++c)
        free(first[c]);
    tl_mesh_destroy(mesh);
}

/* Pinned at two corners of the upper hem, which sags by `depth` as a parabola, and everything below with it. */
static void sag_between_corners(tl_particles *p, const tl_mesh *mesh, int columns, double depth)
{
    for (int k = 0; k < p->count; ++k) {
        double fraction = (k % columns) / (columns - 1.0);
        p->x[1][mesh->lattice[k]] -= (tl_real)(4 * depth * fraction * (1 - fraction));
    }
}

static void cloth_between_two_anchors_is_pulled_to_the_line_between_them_and_stretched_evenly(void **state)
{
    (void)state;
    static tl_tether_kernel *const kernels[] = {tl_tether_w1, tl_tether_w4, tl_tether_w8};
    static const int widths[] = {1, 4, 8};
    enum { COLUMNS = 21, ROWS = 11, COUNT = COLUMNS * ROWS };
    tl_mesh *mesh = grid(COLUMNS, ROWS, 2, 1);
    tl_real first[3][COUNT];
    for (int w = 0; w < 3 && widths[w] <= tl_widest_lanes(); ++w) {
        tl_system system = make_system(mesh, widths[w]);
        tl_particles *p = &system.p;
        p->w[mesh->lattice[0]] = p->w[mesh->lattice[COLUMNS - 1]] = 0;
        tl_tether tether = {0};
        assert_true(tl_tether_build(&tether, &heap, mesh, p));
        tl_tether_limits(&tether, mesh, p, &rigid);
        assert_int_equal(tether.slots, 2);
        assert_near(0, (double)tl_tether_excess(&tether, p), 1e-5);
        sag_between_corners(p, mesh, COLUMNS, 0.05);
        /* a particle near the line may be anywhere between the anchors within its limits */
        int loose = mesh->lattice[(ROWS - 1) * COLUMNS + COLUMNS / 2];
        tl_put(p->x, loose, tl_v3((tl_real)0.1, p->x[1][mesh->lattice[0]], (tl_real)0.2));
        tl_real before[3] = {p->x[0][loose], p->x[1][loose], p->x[2][loose]};
        tl_tether_follow(&tether, p, 0);
        for (int pull = 0; pull < 12; ++pull)
            kernels[w](0, p->count, &tether, 0, p);
        for (int c = 0; c < 3; ++c)
            assert_true(p->x[c][loose] == before[c]);
        double rest = 2.0 / (COLUMNS - 1), top = (double)p->x[1][mesh->lattice[0]];
        for (int k = 0; k < COUNT; ++k) {
            int i = mesh->lattice[k];
            if (i != loose) /* no lower than in the flat sheet, within hundredths of the sag */
                assert_true((double)p->x[1][i] > top - rest * (double)(k / COLUMNS) - 1e-3);
        }
        for (int k = 0; k + 1 < COLUMNS; ++k) /* the hem is stretched evenly */
            assert_near(rest,
                        (double)tl_length(tl_sub(tl_at(p->x, mesh->lattice[k]), tl_at(p->x, mesh->lattice[k + 1]))),
                        2e-4);
        for (int c = 0; c < 3; ++c) {
            if (w == 0)
                memcpy(first[c], p->x[c], sizeof first[c]);
            assert_memory_equal(first[c], p->x[c], sizeof first[c]); /* all widths give the same bits */
        }
        tl_tether_destroy(&tether, &heap);
        tl_system_destroy(&system);
    }
    tl_mesh_destroy(mesh);
}

/* Slack equal to the excess moves nothing, also between two anchors. */
static void tethers_between_two_anchors_start_slack(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(21, 11, 2, 1);
    tl_system system = make_system(mesh, 1);
    tl_particles *p = &system.p;
    p->w[mesh->lattice[0]] = p->w[mesh->lattice[20]] = 0;
    sag_between_corners(p, mesh, 21, 0.1);
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, p));
    tl_tether_limits(&tether, mesh, p, &rigid);
    tl_real excess = tl_tether_excess(&tether, p), lowest = p->x[1][mesh->lattice[10]];
    assert_true(excess > 1e-3f);
    tl_tether_follow(&tether, p, 0);
    tl_tether_w1(0, p->count, &tether, excess, p);
    assert_near((double)lowest, (double)p->x[1][mesh->lattice[10]], 1e-6);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

static void tethers_of_a_stretched_cloth_start_slack(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(9, 9, 1, 1);
    tl_system system = make_system(mesh, 1);
    system.p.w[mesh->lattice[4]] = 0;
    for (int i = 0; i < system.p.count; ++i)
        system.p.x[1][i] *= (tl_real)1.3;
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, &system.p));
    tl_tether_limits(&tether, mesh, &system.p, &rigid);
    tl_real excess = tl_tether_excess(&tether, &system.p);
    assert_true(excess > 0.1f);
    tl_real lowest = system.p.x[1][mesh->lattice[80]];
    tl_tether_follow(&tether, &system.p, 0);
    tl_tether_w1(0, system.p.count, &tether, excess, &system.p);
    assert_near((double)lowest, (double)system.p.x[1][mesh->lattice[80]], 1e-6);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

static void limits_leave_the_elastic_reserve_along_warp_weft_and_bias(void **state)
{
    (void)state;
    tl_mesh *mesh = grid(9, 9, 1, 1);
    tl_system system = make_system(mesh, 1);
    system.p.w[mesh->lattice[0]] = 0;
    tl_tether tether = {0};
    assert_true(tl_tether_build(&tether, &heap, mesh, &system.p));
    tl_reserve soft = {
        .along = (tl_real)0.01, .shear = (tl_real)0.04, .hung = 2, .weight = 2, .spacing = (tl_real)0.125, .high = 1};
    tl_tether_limits(&tether, mesh, &system.p, &soft);
    double longest = sqrt(2.0);
    int near = mesh->lattice[1], right = mesh->lattice[8], across = mesh->lattice[80];
    assert_near(longest, (double)tether.longest, 1e-6);
    /* the first link carries the full load; a row of eight and the diagonal fan it out */
    assert_near(0.125 + 0.01 * (2 * longest * 0.125 + 2), (double)tether.limit[0][near], 1e-5);
    assert_near(1 + 0.01 * (2 * longest + 2 * (8 * pow(8, 0.125) - 7)), (double)tether.limit[0][right], 1e-5);
    double diagonal =
        longest + (0.5 * 0.01 + 0.25 * 0.04) * (2 * longest * longest + 2 * (8 * pow(longest * 8, 0.125) - 7));
    assert_near(diagonal, (double)tether.limit[0][across], 1e-5);
    /* without shear resistance only the path along warp and weft bounds */
    soft.shear = 1000;
    tl_tether_limits(&tether, mesh, &system.p, &soft);
    assert_near(2 + 0.01 * (2 * longest * 2 + 2 * (8 * pow(16, 0.125) - 7)), (double)tether.limit[0][across], 1e-5);
    /* no force within the range up to its upper end */
    tl_reserve range = {.spacing = 1, .high = (tl_real)1.1};
    tl_tether_limits(&tether, mesh, &system.p, &range);
    assert_near(1.1, (double)tether.limit[0][right], 1e-5);
    tl_tether_destroy(&tether, &heap);
    tl_system_destroy(&system);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    heap = tl_allocator_or_default(NULL);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(limits_leave_the_elastic_reserve_along_warp_weft_and_bias),
        cmocka_unit_test(distances_on_a_grid_are_straight_lines_to_the_nearest_pinned_particle),
        cmocka_unit_test(distances_on_triangles_lie_between_the_straight_line_and_the_path_along_edges),
        cmocka_unit_test(disconnected_regions_get_no_tethers),
        cmocka_unit_test(without_pinned_particles_nothing_is_tethered),
        cmocka_unit_test(a_pull_shortens_what_is_too_long_and_nothing_else),
        cmocka_unit_test(cloth_between_two_anchors_is_pulled_to_the_line_between_them_and_stretched_evenly),
        cmocka_unit_test(tethers_of_a_stretched_cloth_start_slack),
        cmocka_unit_test(tethers_between_two_anchors_start_slack),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
