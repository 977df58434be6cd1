/* Traits of an element class that steppers use: what it resists, the stiffness of a sheet, and whether it is a link. */
#include "fixture.h"

#include "element/link.h"

enum { CELLS = 24 }; /* along each side of the sheet: its rim adds 1/CELLS to the stiffness of links */
#define STRAIN 1e-2
#define STIFFNESS ((tl_real)30) /* of make_batch */

/* A square sheet of 1 m, warp along x and weft along y, strained in its plane or rolled without strain onto a cylinder
   of RADIUS. */
#define RADIUS 0.5
static void strain(const tl_mesh *mesh, tl_particles *p, tl_resists direction)
{
    for (int k = 0; k < p->count; ++k) {
        tl_vec3 x = mesh->position[k], by = {0, 0, 0};
        if (direction == TL_RESISTS_WARP)
            by.x = x.x;
        else if (direction == TL_RESISTS_WEFT)
            by.y = x.y;
        else if (direction == TL_RESISTS_SHEAR)
            by = tl_v3(x.y / 2, x.x / 2, 0);
        else
            x = tl_v3((tl_real)(RADIUS * sin((double)x.x / RADIUS)), x.y,
                      (tl_real)(RADIUS * cos((double)x.x / RADIUS)));
        tl_put(p->x, k, tl_madd(x, by, (tl_real)STRAIN));
    }
}

static tl_mesh *square_sheet(void)
{
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create_grid(
        &(tl_grid_def){.columns = CELLS + 1, .rows = CELLS + 1, .width = 1, .height = 1}, NULL, &error);
    assert_non_null(mesh);
    return mesh;
}

/* The energy of a square metre is half its stiffness times the strain squared. */
static double measured_stiffness(int element, const tl_mesh *mesh, tl_resists direction)
{
    tl_particles p = make_particles(mesh);
    tl_element_batch batch = make_batch(element, mesh);
    strain(mesh, &p, direction);
    double energy = batch.kind->energy(&batch, &p);
    batch.kind->destroy(&batch);
    free_particles(&p);
    return 2 * energy / (STRAIN * STRAIN);
}

static double stiffness_said(int element)
{
    const tl_element_class *kind = tl_element_classes[element];
    tl_real spacing = (tl_real)1 / CELLS;
    return (double)(kind->sheet_stiffness ? kind->sheet_stiffness(STIFFNESS, spacing) : STIFFNESS);
}

/* Triangles resist what they declare and nothing else. Links overlap in direction, so a sheet of them is at least as
   stiff as declared. */
static void a_sheet_is_as_stiff_as_its_elements_say(void **state)
{
    (void)state;
    static const tl_resists directions[] = {TL_RESISTS_WARP, TL_RESISTS_WEFT, TL_RESISTS_SHEAR};
    tl_mesh *mesh = square_sheet();
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e)
        for (int d = 0; d < 3; ++d) {
            const tl_element_class *kind = tl_element_classes[e];
            double measured = measured_stiffness(e, mesh, directions[d]), said = stiffness_said(e);
            if (kind->resists & directions[d])
                assert_true(measured > 0.99 * said && (kind->link || measured < (1 + 2 * STRAIN) * said));
            else if (!kind->link)
                assert_true(measured < STRAIN * STRAIN * said);
        }
    tl_mesh_destroy(mesh);
}

/* The chords of a rolled sheet are shorter than its arcs by this fraction, which is the only strain of in-plane
   elements. */
static void only_elements_of_bending_resist_it(void **state)
{
    (void)state;
    double chord = pow(1.0 / CELLS / RADIUS, 2) / 24, least = pow(2 * chord / STRAIN, 2);
    tl_mesh *mesh = square_sheet();
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        double measured = measured_stiffness(e, mesh, TL_RESISTS_BEND) / stiffness_said(e);
        assert_true(tl_element_classes[e]->resists & TL_RESISTS_BEND ? measured > 2 * least : measured < least);
    }
    tl_mesh_destroy(mesh);
}

/* Steppers cast the data of links to tl_link_set. */
static void links_are_the_elements_of_two_particles(void **state)
{
    (void)state;
    tl_mesh *mesh = square_sheet();
    int structural = 0;
    for (int e = 0; e < TL_ELEMENT_COUNT; ++e) {
        const tl_element_class *kind = tl_element_classes[e];
        tl_element_batch batch = make_batch(e, mesh);
        int i, j, member[TL_ELEMENT_MAX_PARTICLES];
        tl_real rest;
        assert_int_equal(kind->link, kind->particles == 2);
        bool bands = e == TL_ELEMENT_link_elastic; /* of which a sheet has none */
        assert_int_equal(batch.count > 0, !bands);
        assert_int_equal(tl_link_pair(&batch, 0, &i, &j, &rest), kind->link && !bands);
        if (kind->link && !bands) {
            kind->members(&batch, 0, member);
            assert_int_equal(((const tl_link_set *)batch.data)->count, batch.count);
            assert_true(member[0] == i && member[1] == j);
        }
        assert_true(kind->link || !kind->structural);
        structural += kind->structural;
        batch.kind->destroy(&batch);
    }
    assert_true(structural > 0);
    tl_mesh_destroy(mesh);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(a_sheet_is_as_stiff_as_its_elements_say),
        cmocka_unit_test(only_elements_of_bending_resist_it),
        cmocka_unit_test(links_are_the_elements_of_two_particles),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
