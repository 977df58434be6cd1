#include "cli/bench/sheet.h"

#include "cli/cli.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

/* Stiff along warp and weft, a hundred times softer in shear, soft in bending. */
static void choose_elements(tl_cloth_def *def)
{
    def->elements.link_structural = (tl_element_def){true, 1000000, 0};
    def->elements.link_shear = (tl_element_def){true, 10000, 0};
    def->elements.link_bend = (tl_element_def){true, 1, 0};
}

#define FRICTION ((tl_real)0.5)

static void add_floor(tl_world *world) { tl_world_add_plane(world, (tl_vec3){0, 0, 0}, (tl_vec3){0, 1, 0}, FRICTION); }

/* ---- a tray ----------------------------------------------------------------------------------------------------- */

#define STEEPEST 1.6   /* rad, slope of a pleat */
#define WIDTH 0.4554   /* of a pleated sheet relative to a flat one: J₀(STEEPEST) */
#define TRAY_START 0.1 /* m, height */
#define TRAY_ROOM 0.01 /* m, clearance on either side */

/* A row of pleats along x: the slope is a sine of the arc length, so nothing is stretched. */
static bool pleat(tl_cloth *cloth, int n, double side)
{
    tl_vec3 *at = malloc((size_t)(n * n) * sizeof *at);
    if (!at)
        return false;
    enum { PARTS = 16 }; /* per cell */
    double x = -WIDTH * side / 2, y = TRAY_START, step = side / (n - 1) / PARTS;
    memcpy(at, tl_cloth_positions(cloth), (size_t)(n * n) * sizeof *at);
    for (int column = 0; column < n; ++column) {
        for (int row = 0; row < n; ++row) {
            at[n * row + column].x = (tl_real)x;
            at[n * row + column].y = (tl_real)y;
        }
        for (int k = 0; k < PARTS; ++k) {
            double cells = column + (k + 0.5) / PARTS, angle = STEEPEST * sin(2 * acos(-1) * cells / SHEET_PLEAT);
            x += step * cos(angle);
            y += step * sin(angle);
        }
    }
    bool done = tl_cloth_set_state(cloth, at, NULL) == TL_OK;
    free(at);
    return done;
}

/* Walls that keep a pleated sheet from unfolding. */
static void add_walls(tl_world *world, double side)
{
    tl_real at = (tl_real)(WIDTH * side / 2 + TRAY_ROOM);
    tl_world_add_plane(world, (tl_vec3){-at, 0, 0}, (tl_vec3){1, 0, 0}, FRICTION);
    tl_world_add_plane(world, (tl_vec3){at, 0, 0}, (tl_vec3){-1, 0, 0}, FRICTION);
}

sheet sheet_create(sheet_case kind, int n, int substeps, const char *lanes, int threads)
{
    sheet s = {0};
    tl_error error;
    tl_world_def world_def = tl_world_def_default();
    world_def.simd = lanes;
    world_def.threads = threads;
    s.world = tl_world_create(&world_def, &error);
    if (!s.world) {
        cli_fail(EXIT_FAILED, "%s", error.message);
        return s;
    }
    double side = kind == SHEET_TRAY ? SHEET_SIDE * (n - 1) / SHEET_CELLS : SHEET_SIDE;
    tl_cloth_def def = tl_cloth_def_grid(n, n, (tl_real)side, (tl_real)side);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    def.stepper = "xpbd";
    def.substeps = substeps;
    def.air = "off";
    def.density = (tl_real)SHEET_DENSITY;
    choose_elements(&def);
    if (kind == SHEET_HANG) {
        def.plane = "vertical";
        def.center = (tl_vec3){0, 0, 0};
        def.ripple = (tl_real)0.001;
        def.pins = pins;
        def.pin_count = 2;
    } else {
        def.center = (tl_vec3){(tl_real)0.01, (tl_real)1.2, (tl_real)0.02};
        add_floor(s.world);
        if (kind == SHEET_TRAY)
            add_walls(s.world, side);
        else
            tl_world_add_sphere(s.world, (tl_vec3){0, (tl_real)0.5, 0}, (tl_real)0.5, FRICTION);
    }
    s.cloth = tl_cloth_create(s.world, &def);
    if (!s.cloth || (kind == SHEET_TRAY && !pleat(s.cloth, n, side))) {
        cli_fail(EXIT_FAILED, "%s", tl_last_error(s.world));
        sheet_destroy(&s);
    }
    return s;
}

void sheet_destroy(sheet *s)
{
    tl_world_destroy(s->world);
    *s = (sheet){0};
}

void sheet_stretch(const sheet *s, int n, double *largest, double *mean)
{
    const tl_vec3 *at = tl_cloth_positions(s->cloth);
    double *x = malloc(3 * (size_t)(n * n) * sizeof *x);
    *largest = *mean = NAN;
    if (!x)
        return;
    for (int a = 0; a < n * n; ++a) {
        x[3 * a] = (double)at[a].x;
        x[3 * a + 1] = (double)at[a].y;
        x[3 * a + 2] = (double)at[a].z;
    }
    sheet_stretch_of(x, n, largest, mean);
    free(x);
}

void sheet_stretch_of(const double *x, int n, double *largest, double *mean)
{
    double rest = SHEET_SIDE / (n - 1), sum = 0;
    int count = 0;
    *largest = 0;
    for (int a = 0; a < n * n; ++a)
        for (int k = 0; k < 2; ++k) {
            if (k ? a % n == n - 1 : a / n == n - 1)
                continue;
            const double *p = x + 3 * a, *q = x + 3 * (a + (k ? 1 : n));
            double stretch = sqrt(pow(q[0] - p[0], 2) + pow(q[1] - p[1], 2) + pow(q[2] - p[2], 2)) / rest - 1;
            stretch = stretch > 0 ? stretch : 0;
            *largest = stretch > *largest ? stretch : *largest;
            sum += stretch;
            ++count;
        }
    *mean = sum / count;
}
