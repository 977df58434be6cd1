/* The gas: exact volumes, force and Hessian against differences, bit-identical for all widths, the constraint form,
   pump and leak, and surfaces that cannot hold gas. */
#include "fixture.h"

#include <stdio.h>

#include "core/trig.h"
#include "element/gas.h"

static const double STEP = DOUBLE_BUILD ? 1e-6 : 2e-3;
static const double TOLERANCE = DOUBLE_BUILD ? 1e-6 : 0.03;
static const double ROUNDING = DOUBLE_BUILD ? 1e-13 : 2e-6;

static tl_mesh *make_surface(const char *kind, int columns, int rows, double width, double height)
{
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create_surface(
        &(tl_surface_def){kind, columns, rows, (tl_real)width, (tl_real)height, (tl_real)0.1}, NULL, &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

/* A box of the given edges, one corner at the origin. `inwards`: its faces point inwards. */
static tl_mesh *make_box(double x, double y, double z, bool inwards)
{
    static const int side[12][3] = {{0, 2, 1}, {1, 2, 3}, {4, 5, 6}, {5, 7, 6}, {0, 1, 4}, {1, 5, 4},
                                    {2, 6, 3}, {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    tl_vec3 corner[8];
    int triangle[12][3];
    for (int k = 0; k < 8; ++k)
        corner[k] = tl_v3((tl_real)(k & 1 ? x : 0), (tl_real)(k & 2 ? y : 0), (tl_real)(k & 4 ? z : 0));
    for (int f = 0; f < 12; ++f)
        for (int c = 0; c < 3; ++c)
            triangle[f][inwards ? 2 - c : c] = side[f][c];
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = corner, .vertex_count = 8, .triangles = triangle[0], .triangle_count = 12}, NULL,
        &error);
    if (!mesh)
        fail_msg("%s", error.message);
    return mesh;
}

static tl_gas_def gas_def(const char *process, double nrt, double outside)
{
    return (tl_gas_def){.on = true,
                        .nrt = (tl_real)nrt,
                        .outside = (tl_real)outside,
                        .process = process,
                        .gamma = (tl_real)1.4,
                        .temperature = 300,
                        .molar_mass = (tl_real)0.029,
                        .pump_stop = 1000,
                        .leak_vertex = -1};
}

static tl_gas make_gas(const tl_mesh *mesh, const tl_particles *p, tl_gas_def def)
{
    tl_gas gas = {0};
    tl_error error = {0};
    tl_allocator heap = tl_allocator_or_default(NULL);
    if (tl_gas_build(&gas, mesh, &heap, &def, &error) != TL_OK)
        fail_msg("%s", error.message);
    tl_gas_configure(&gas, mesh, p, &def, 1);
    return gas;
}

static void free_gas(tl_gas *gas)
{
    tl_allocator heap = tl_allocator_or_default(NULL);
    tl_gas_destroy(gas, &heap);
}

static void near(double value, double expected, double tolerance)
{
    if (!(fabs(value - expected) <= tolerance * fabs(expected)))
        fail_msg("%.17g is not %.17g", value, expected);
}

/* ---- volume ------------------------------------------------------------------------------------------------------ */

static void volume_is_exact_wherever_the_surface_is(void **state)
{
    (void)state;
    for (int inwards = 0; inwards < 2; ++inwards) {
        tl_mesh *mesh = make_box(1.5, 0.75, 1.25, inwards != 0);
        tl_particles p = make_particles(mesh);
        tl_gas gas = make_gas(mesh, &p, gas_def("isothermal", 1, 0));
        near(tl_gas_measure(&gas, &p, 1), 1.5 * 0.75 * 1.25, ROUNDING);
        move_rigidly(&p);
        near(tl_gas_measure(&gas, &p, 1), 1.5 * 0.75 * 1.25, ROUNDING);
        free_gas(&gas);
        free_particles(&p);
        tl_mesh_destroy(mesh);
    }
}

static void volumes_of_fine_surfaces_approach_the_formulas(void **state)
{
    (void)state;
    tl_mesh *ball = make_surface("ball", 160, 2, 2, 2), *ring = make_surface("ring", 200, 100, 2, 0.5);
    tl_particles p = make_particles(ball), q = make_particles(ring);
    tl_gas inside = make_gas(ball, &p, gas_def("isothermal", 1, 0)),
           tube = make_gas(ring, &q, gas_def("isothermal", 1, 0));
    near(inside.volume, 4 * 3.14159265358979 / 3, 2e-3);
    near(tube.volume, 2 * 3.14159265358979 * 3.14159265358979 * 0.75 * 0.0625, 2e-3);
    free_gas(&inside);
    free_gas(&tube);
    free_particles(&p);
    free_particles(&q);
    tl_mesh_destroy(ball);
    tl_mesh_destroy(ring);
}

/* A tube, open at both ends, with lids flush: the second rim's lid has faces of its own. */
static void lids_and_walls_close_open_ends(void **state)
{
    (void)state;
    enum { AROUND = 40, ALONG = 5 };
    tl_vec3 position[AROUND * ALONG];
    int triangle[2 * AROUND * (ALONG - 1)][3], count = 0;
    for (int k = 0; k < ALONG; ++k)
        for (int j = 0; j < AROUND; ++j)
            position[k * AROUND + j] = tl_v3((tl_real)(3 + tl_cos(2 * 3.14159265358979 * j / AROUND)), (tl_real)k,
                                             (tl_real)-tl_sin(2 * 3.14159265358979 * j / AROUND));
    for (int k = 0; k + 1 < ALONG; ++k)
        for (int j = 0; j < AROUND; ++j) {
            int a = k * AROUND + j, b = k * AROUND + (j + 1) % AROUND,
                one[6] = {a, b, b + AROUND, a, b + AROUND, a + AROUND};
            memcpy(triangle[count++], one, 3 * sizeof(int));
            memcpy(triangle[count++], one + 3, 3 * sizeof(int));
        }
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){
            .positions = position, .vertex_count = AROUND * ALONG, .triangles = triangle[0], .triangle_count = count},
        NULL, &error);
    assert_non_null(mesh);
    tl_particles p = make_particles(mesh);
    tl_gas_def def = gas_def("isothermal", 1, 0);
    def.depth = (tl_real)0.5;
    tl_gas gas = make_gas(mesh, &p, def);
    double base = AROUND * 0.5 * tl_sin(2 * 3.14159265358979 / AROUND);
    near(gas.volume, base * (ALONG - 1) + 2 * 0.5 * base, 10 * ROUNDING);
    assert_int_equal(gas.rim_count, 2 * AROUND);
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
}

/* A sheet with rigid walls behind its rim has the volume of the same box with faces all around. */
static void walls_act_as_rigid_faces_do(void **state)
{
    (void)state;
    enum { N = 5 };
    tl_mesh *sheet = make_grid(N, N); /* 1 × 1.3 m */
    tl_particles p = make_particles(sheet);
    for (int r = 1; r < N - 1; ++r)
        for (int c = 1; c < N - 1; ++c)
            p.x[2][sheet->lattice[r * N + c]] = (tl_real)(0.1 * uniform(3, r * N + c));
    tl_gas_def def = gas_def("isothermal", 17, 0);
    def.depth = (tl_real)0.75;
    tl_gas gas = make_gas(sheet, &p, def);

    /* the box: the sheet's vertices and faces, four corners below, and a fan from each rim edge to a corner below */
    tl_vec3 position[N * N + 4];
    int triangle[2 * (N - 1) * (N - 1) + 4 * (N - 1) + 4 + 2][3], count = 0;
    for (int v = 0; v < N * N; ++v)
        position[v] = tl_at(p.x, sheet->particle_of_vertex[v]);
    static const int corner[4] = {0, N - 1, N * N - 1, N * N - N};
    for (int k = 0; k < 4; ++k)
        position[N * N + k] = tl_sub(position[corner[k]], tl_v3(0, 0, (tl_real)0.75));
    for (; count < sheet->triangle_count; ++count)
        memcpy(triangle[count], sheet->triangle + 3 * count, 3 * sizeof(int));
    static const int from[4] = {0, N - 1, N * N - 1, N * N - N}, along[4] = {1, N, -1, -N};
    for (int k = 0; k < 4; ++k) { /* sides: rim runs clockwise seen from the front, so a → b is an outer face's edge */
        int low = N * N + k, next = N * N + (k + 1) % 4;
        for (int j = 0; j < N - 1; ++j, ++count) {
            int a = from[k] + j * along[k];
            triangle[count][0] = a, triangle[count][1] = a + along[k], triangle[count][2] = low;
        }
        triangle[count][0] = corner[(k + 1) % 4], triangle[count][1] = next, triangle[count++][2] = low;
    }
    const int floor[2][3] = {{N * N, N * N + 1, N * N + 2}, {N * N, N * N + 2, N * N + 3}};
    memcpy(triangle[count], floor, sizeof floor);
    count += 2;
    tl_error error = {0};
    tl_mesh *box = tl_mesh_create(
        &(tl_mesh_def){
            .positions = position, .vertex_count = N * N + 4, .triangles = triangle[0], .triangle_count = count},
        NULL, &error);
    if (!box)
        fail_msg("%s", error.message);
    tl_particles q = make_particles(box);
    tl_gas whole = make_gas(box, &q, gas_def("isothermal", 17, 0));
    near(whole.volume, gas.volume, 10 * ROUNDING);
    tl_gas_force(&gas, &p, 1);
    tl_gas_force(&whole, &q, 1);
    for (int r = 1; r < N - 1; ++r)
        for (int c = 1; c < N - 1; ++c) {
            tl_vec3 d = tl_sub(tl_at(p.f, sheet->particle_of_vertex[r * N + c]),
                               tl_at(q.f, box->particle_of_vertex[r * N + c]));
            assert_true((double)tl_length(d) <= 10 * ROUNDING);
        }
    free_gas(&gas);
    free_gas(&whole);
    free_particles(&p);
    free_particles(&q);
    tl_mesh_destroy(sheet);
    tl_mesh_destroy(box);
}

/* ---- energy, force, Hessian -------------------------------------------------------------------------------------- */

static const char *const processes[2] = {"isothermal", "adiabatic"};

static void force_is_the_slope_of_energy(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tl_mesh *mesh = make_surface("ball", 10, 2, 1, 1);
        tl_particles p = make_particles(mesh);
        tl_gas gas = make_gas(mesh, &p, gas_def(processes[k], 50, 30));
        deform(&p, 0.1, 0, 5);
        clear_forces(&p);
        tl_gas_force(&gas, &p, 1);
        double largest = largest_force(&p);
        for (int i = 0; i < p.count; ++i)
            for (int c = 0; c < 3; ++c) {
                tl_real at = p.x[c][i];
                p.x[c][i] = at + (tl_real)STEP;
                double high = (double)p.x[c][i], above = tl_gas_energy(&gas, &p, 1);
                p.x[c][i] = at - (tl_real)STEP;
                double low = (double)p.x[c][i], below = tl_gas_energy(&gas, &p, 1);
                p.x[c][i] = at;
                assert_true(fabs((double)p.f[c][i] + (above - below) / (high - low)) <= TOLERANCE * largest);
            }
        free_gas(&gas);
        free_particles(&p);
        tl_mesh_destroy(mesh);
    }
}

static void product_is_the_slope_of_force(void **state)
{
    (void)state;
    for (int k = 0; k < 2; ++k) {
        tl_mesh *mesh = make_surface("ball", 10, 2, 1, 1);
        tl_particles p = make_particles(mesh), direction = make_particles(mesh), product = make_particles(mesh),
                     above = make_particles(mesh);
        tl_gas gas = make_gas(mesh, &p, gas_def(processes[k], 50, 30));
        deform(&p, 0.1, 0, 5);
        deform(&direction, 1, 0, 6);
        for (int c = 0; c < 3; ++c)
            memset(product.x[c], 0, (size_t)p.count * sizeof(tl_real));
        tl_gas_measure(&gas, &p, 1);
        tl_gas_product(&gas, &p, direction.x, product.x, true);
        tl_real *const x[3] = {p.x[0], p.x[1], p.x[2]};
        double h = STEP;
        for (int sign = 1; sign >= -1; sign -= 2) {
            for (int c = 0; c < 3; ++c)
                for (int i = 0; i < p.count; ++i)
                    x[c][i] += (tl_real)(sign * h * (sign < 0 ? 2 : 1)) * direction.x[c][i];
            clear_forces(&p);
            tl_gas_force(&gas, &p, 1);
            for (int c = 0; c < 3 && sign > 0; ++c)
                memcpy(above.f[c], p.f[c], (size_t)p.count * sizeof(tl_real));
        }
        double largest = 0;
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < p.count; ++i)
                largest = fmax(largest, fabs((double)product.x[c][i]));
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < p.count; ++i) {
                double slope = -((double)above.f[c][i] - (double)p.f[c][i]) / (2 * h);
                assert_true(fabs(slope - (double)product.x[c][i]) <= 10 * TOLERANCE * largest);
            }
        free_gas(&gas);
        free_particles(&p);
        free_particles(&direction);
        free_particles(&product);
        free_particles(&above);
        tl_mesh_destroy(mesh);
    }
}

static void all_widths_give_the_same_bits(void **state)
{
    (void)state;
    static const int lanes[3] = {1, 4, 8};
    tl_mesh *meshes[3] = {make_surface("ball", 35, 2, 1, 1), make_surface("cushion", 14, 11, 1, 1), make_grid(22, 22)};
    for (int m = 0; m < 3; ++m) {
        tl_particles p[3];
        double volume[3];
        for (int k = 0; k < 3; ++k) {
            p[k] = make_particles(meshes[m]);
            tl_gas_def def = gas_def("isothermal", 17, 0);
            def.depth = (tl_real)0.75;
            tl_gas gas = make_gas(meshes[m], &p[k], def);
            deform(&p[k], 0.02, 0, 9);
            clear_forces(&p[k]);
            tl_gas_force(&gas, &p[k], lanes[k]);
            volume[k] = gas.volume;
            tl_gas_solve(&gas, &p[k], p[k].x, (tl_real)0.002, lanes[k]);
            free_gas(&gas);
            assert_true(volume[k] == volume[0]);
            for (int c = 0; c < 3; ++c) {
                assert_memory_equal(p[k].f[c], p[0].f[c], (size_t)p[0].count * sizeof(tl_real));
                assert_memory_equal(p[k].x[c], p[0].x[c], (size_t)p[0].count * sizeof(tl_real));
            }
        }
        for (int k = 0; k < 3; ++k)
            free_particles(&p[k]);
        tl_mesh_destroy(meshes[m]);
    }
}

static void net_force_and_torque_vanish(void **state)
{
    (void)state;
    tl_mesh *mesh = make_surface("ring", 24, 12, 2, 0.5);
    tl_particles p = make_particles(mesh);
    tl_gas gas = make_gas(mesh, &p, gas_def("isothermal", 50, 0));
    deform(&p, 0.05, 0, 2);
    tl_gas_force(&gas, &p, 8);
    double sum[6] = {0};
    for (int i = 0; i < p.count; ++i) {
        tl_vec3 f = tl_at(p.f, i), t = tl_cross(tl_at(p.x, i), f);
        double part[6] = {(double)f.x, (double)f.y, (double)f.z, (double)t.x, (double)t.y, (double)t.z};
        for (int k = 0; k < 6; ++k)
            sum[k] += part[k];
    }
    for (int k = 0; k < 6; ++k)
        assert_true(fabs(sum[k]) <= 100 * ROUNDING * largest_force(&p));
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
}

/* ---- constraint form --------------------------------------------------------------------------------------------- */

/* With λ accumulated over sweeps, the solver's force is the gas's at the volume it leaves; neither a higher pressure
   outside nor a long step makes the volume negative. */
static void solving_balances_volume_and_force(void **state)
{
    (void)state;
    tl_mesh *mesh = make_surface("ball", 25, 2, 1, 1);
    const double outside[2] = {0, 1e5}, nrt[2] = {100, 20000};
    for (int k = 0; k < 2; ++k) {
        tl_particles p = make_particles(mesh);
        tl_gas gas = make_gas(mesh, &p, gas_def("isothermal", nrt[k], outside[k]));
        double h = k ? 0.05 : 0.01;
        for (int sweep = 0; sweep < 30; ++sweep) {
            tl_gas_solve(&gas, &p, p.x, (tl_real)h, 8);
            assert_true(tl_gas_measure(&gas, &p, 8) > 0);
        }
        near(gas.lambda, h * h * (tl_gas_pressure(&gas, gas.volume) - outside[k]), 1e-3);
        free_particles(&p);
        free_gas(&gas);
    }
    tl_mesh_destroy(mesh);
}

/* ---- pump, leak, process ----------------------------------------------------------------------------------------- */

static void adiabatic_gas_keeps_p_v_to_the_gamma(void **state)
{
    (void)state;
    tl_mesh *mesh = make_box(1, 1, 1, false);
    tl_particles p = make_particles(mesh);
    tl_gas gas = make_gas(mesh, &p, gas_def("adiabatic", 100, 0));
    near(tl_gas_pressure(&gas, 1), 100, 1e-12);
    near(tl_gas_pressure(&gas, 0.5), 100 * 2.6390158215457884, 1e-7); /* 2^1.4 */
    near(tl_gas_temperature(&gas, 0.5), 300 * 1.3195079107728942, 1e-7);
    /* to the other process and back: the pressure does not jump */
    tl_gas_def def = gas.def;
    for (int k = 0; k < p.count; ++k)
        p.x[0][k] *= (tl_real)0.5;
    double before = tl_gas_pressure(&gas, tl_gas_measure(&gas, &p, 1));
    def.process = "isothermal";
    tl_gas_configure(&gas, mesh, &p, &def, 1);
    near(gas.pressure, before, 1e-12);
    def.process = "adiabatic";
    tl_gas_configure(&gas, mesh, &p, &def, 1);
    near(gas.pressure, before, 1e-12);
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
}

/* Filled by an overpressure, pumped for a while, then leaking: it ends at the ambient pressure and stays there. */
static void pump_and_leak_change_the_amount(void **state)
{
    (void)state;
    tl_mesh *mesh = make_box(1, 1, 1, false);
    tl_particles p = make_particles(mesh);
    tl_gas_def def = gas_def("isothermal", 0, 1e5);
    def.overpressure = 5000;
    def.pump = 10000;
    def.pump_start = (tl_real)0.5;
    def.pump_stop = 1;
    def.leak = (tl_real)1e-3;
    def.leak_start = 2;
    tl_gas gas = make_gas(mesh, &p, def);
    near(gas.pressure, 105000, 1e-6);
    double last = 0;
    for (int k = 0; k < 10000; ++k) {
        double time = k * 0.001;
        gas.pressure = tl_gas_pressure(&gas, gas.volume);
        if (k == 1500)
            near(gas.nrt, 110000, 1e-4);
        if (k > 2000)
            assert_true(gas.pressure <= last && gas.pressure >= 1e5 * (1 - 1e-9));
        if (k == 2001) { /* Bernoulli: speed √(2 Δp/ρ), ρ = p₀ M/(R T) */
            double density = 1e5 * 0.029 / (TL_GAS_CONSTANT * 300);
            near((last - gas.pressure) / 0.001, 1e-3 * 1e5 * sqrt(2 * 1e4 / density), 0.01);
        }
        last = gas.pressure;
        tl_gas_flow(&gas, time, 0.001);
    }
    near(gas.pressure, 1e5, 1e-6);
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
}

/* Mass through a hole of a rigid box of 1 m³ in a second, kg; positive inwards. */
static double mass_flow(double inside, double outside, double leak)
{
    tl_mesh *mesh = make_box(1, 1, 1, false);
    tl_particles p = make_particles(mesh);
    tl_gas_def def = gas_def("isothermal", inside, outside);
    def.leak = (tl_real)leak;
    tl_gas gas = make_gas(mesh, &p, def);
    double before = gas.nrt, h = 1e-3;
    tl_gas_flow(&gas, 0, h);
    double flow = (gas.nrt - before) / h * 0.029 / (TL_GAS_CONSTANT * 300);
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
    return flow;
}

/* The jet chokes where the lower pressure is less than about half of the higher: the flow no longer depends on it.
   Isentropic flow of γ = 1.4: C A p √(γ M/(R T)) (2/(γ + 1))^3, within the error of the formula used. */
static void choked_flow_does_not_feel_the_lower_pressure(void **state)
{
    (void)state;
    const double high = 2e5, area = 1e-4, lower[] = {0.45, 0.3, 0.1, 0.01};
    double choked = area * high * sqrt(1.4 * 0.029 / (TL_GAS_CONSTANT * 300)) * pow(2 / 2.4, 3);
    for (int k = 0; k < 4; ++k) {
        near(mass_flow(high, lower[k] * high, area), -choked, 0.04);
        near(mass_flow(high, lower[k] * high, area), mass_flow(high, lower[0] * high, area), 1e-6);
        near(mass_flow(lower[k] * high, high, area), choked, 0.04); /* inwards as well */
    }
    near(mass_flow(high, 0.45 * high, 2 * area), -2 * choked, 0.04);
    near(mass_flow(high / 2, 0.1 * high, area), -choked / 2, 0.04);
    /* the flow is continuous at the onset of choking, and falls as the pressures approach each other */
    near(mass_flow(high, 0.501 * high, area), mass_flow(high, 0.499 * high, area), 1e-3);
    assert_true(-mass_flow(high, 0.7 * high, area) < 0.95 * choked);
    assert_true(-mass_flow(high, 0.9 * high, area) < 0.7 * choked);
}

/* Thrust of a jet out of a ball, N; *out, when not NULL, is its component along the jet. */
static double jet(double outside, double overpressure, double leak, double *out)
{
    tl_mesh *mesh = make_surface("ball", 20, 2, 1, 1);
    tl_particles p = make_particles(mesh);
    tl_gas_def def = gas_def("isothermal", 0, outside);
    def.overpressure = (tl_real)overpressure;
    def.leak = (tl_real)leak;
    def.leak_vertex = 3;
    tl_gas gas = make_gas(mesh, &p, def);
    clear_forces(&p);
    tl_gas_jet(&gas, mesh, &p, 0, 1);
    tl_vec3 sum = {0, 0, 0};
    for (int i = 0; i < p.count; ++i)
        sum = tl_add(sum, tl_at(p.f, i));
    if (out)
        *out = (double)tl_dot(sum, tl_normalized(mesh->vertex[3]));
    free_gas(&gas);
    free_particles(&p);
    tl_mesh_destroy(mesh);
    return (double)tl_length(sum);
}

static void jet_pushes_against_the_way_it_leaves(void **state)
{
    (void)state;
    double out;
    near(jet(1e5, 2000, 1e-4, &out), 2 * 1e-4 * 2000, 1e-3);
    near(out, -2 * 1e-4 * 2000, 0.01);
}

/* A choked jet no longer changes: a lower ambient pressure only acts through the missing pressure on the hole. */
static void choked_jet_feels_the_outside_on_the_hole_alone(void **state)
{
    (void)state;
    const double inside = 2e5, leak = 1e-4, half = jet(inside / 2, inside / 2, leak, NULL);
    for (int tenth = 1; tenth < 5; ++tenth) {
        double outside = 0.1 * tenth * inside;
        near(jet(outside, inside - outside, leak, NULL) - half, leak * (inside / 2 - outside), 1e-3);
    }
    near(jet(0.501 * inside, 0.499 * inside, leak, NULL), half, 0.01);
}

/* ---- invalid surfaces ---------------------------------------------------------------------------------------------
 */

static void refused(const tl_mesh *mesh, tl_gas_def def, const char *words)
{
    tl_gas gas = {0};
    tl_error error = {0};
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_gas_build(&gas, mesh, &heap, &def, &error), TL_ERROR_INPUT);
    if (!strstr(error.message, words))
        fail_msg("\"%s\" lacks \"%s\"", error.message, words);
}

static void open_surfaces_are_refused_with_the_edge(void **state)
{
    (void)state;
    static const int lid_missing[10][3] = {{0, 2, 1}, {1, 2, 3}, {0, 1, 4}, {1, 5, 4}, {2, 6, 3},
                                           {3, 6, 7}, {0, 4, 2}, {2, 4, 6}, {1, 3, 5}, {3, 7, 5}};
    tl_vec3 corner[8];
    for (int k = 0; k < 8; ++k)
        corner[k] = tl_v3((tl_real)(k & 1), (tl_real)(k >> 1 & 1), (tl_real)(k >> 2 & 1));
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = corner, .vertex_count = 8, .triangles = lid_missing[0], .triangle_count = 10}, NULL,
        &error);
    assert_non_null(mesh);
    tl_gas gas = {0};
    tl_gas_def def = gas_def("isothermal", 1, 0);
    tl_allocator heap = tl_allocator_or_default(NULL);
    assert_int_equal(tl_gas_build(&gas, mesh, &heap, &def, &error), TL_ERROR_INPUT);
    int a = -1, b = -1;
    assert_int_equal(sscanf(strstr(error.message, "vertices"), "vertices %d and %d", &a, &b), 2);
    assert_true(a >= 4 && b >= 4 && a != b && (a ^ b) != 3); /* an edge of the missing lid, not a diagonal */
    tl_mesh_destroy(mesh);
}

static void surfaces_around_nothing_are_refused(void **state)
{
    (void)state;
    static const int both[2][3] = {{0, 1, 2}, {0, 2, 1}};
    const tl_vec3 corner[3] = {{0, 0, 0}, {1, 0, 0}, {0, 1, 0}};
    tl_error error = {0};
    tl_mesh *mesh = tl_mesh_create(
        &(tl_mesh_def){.positions = corner, .vertex_count = 3, .triangles = both[0], .triangle_count = 2}, NULL,
        &error);
    if (mesh) /* the mesh may already be rejected */
        refused(mesh, gas_def("isothermal", 1, 0), "no volume");
    tl_mesh_destroy(mesh);
    tl_mesh *flat = make_surface("cushion", 5, 5, 1, 1);
    for (int k = 0; k < flat->particle_count; ++k)
        flat->position[k].y = 0;
    refused(flat, gas_def("isothermal", 1, 0), "no volume");
    tl_mesh_destroy(flat);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(volume_is_exact_wherever_the_surface_is),
        cmocka_unit_test(volumes_of_fine_surfaces_approach_the_formulas),
        cmocka_unit_test(lids_and_walls_close_open_ends),
        cmocka_unit_test(walls_act_as_rigid_faces_do),
        cmocka_unit_test(force_is_the_slope_of_energy),
        cmocka_unit_test(product_is_the_slope_of_force),
        cmocka_unit_test(all_widths_give_the_same_bits),
        cmocka_unit_test(net_force_and_torque_vanish),
        cmocka_unit_test(solving_balances_volume_and_force),
        cmocka_unit_test(adiabatic_gas_keeps_p_v_to_the_gamma),
        cmocka_unit_test(pump_and_leak_change_the_amount),
        cmocka_unit_test(choked_flow_does_not_feel_the_lower_pressure),
        cmocka_unit_test(jet_pushes_against_the_way_it_leaves),
        cmocka_unit_test(choked_jet_feels_the_outside_on_the_hole_alone),
        cmocka_unit_test(open_surfaces_are_refused_with_the_edge),
        cmocka_unit_test(surfaces_around_nothing_are_refused),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
