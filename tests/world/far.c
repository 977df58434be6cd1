/* The same motion far from the origin (world/origin.h): every stepper, at rest and carried along, through a change of
   origin, a snapshot and a rejected frame; and what is said where coordinates are too coarse. */
#include "world_testing.h"

#include <time.h>

static const double KM_10 = 10000;       /* m */
static const double STEP = 32.0 / 1024; /* m per frame: beyond 16 m, where the origin follows, after 9 s */
static const double TOLERANCE = 1e-4;    /* m */
enum { SIDE = 5, FRAMES = 600 };

typedef enum kind { HUNG, DRAPED, KINDS } kind;

typedef struct run {
    kind kind;
    const char *stepper, *contact;
    tl_vec3 offset;
    bool carried;
    void (*log)(void *user, const char *message);
    void *log_user;
} run;

typedef struct place {
    run run;
    tl_world *world;
    tl_cloth *cloth;
    tl_mesh *mesh; /* of the body */
    tl_vec3 travelled;
} place;

static tl_vec3 sum(tl_vec3 a, tl_vec3 b) { return (tl_vec3){a.x + b.x, a.y + b.y, a.z + b.z}; }

/* A wedge with a ridge along x. */
static tl_mesh *wedge(void)
{
    tl_vec3 p[6] = {v3(-0.25, 0, -0.125), v3(0.25, 0, -0.125), v3(0.25, 0, 0.125),
                    v3(-0.25, 0, 0.125),  v3(-0.25, 0.25, 0),  v3(0.25, 0.25, 0)};
    static const int f[24] = {0, 1, 2, 0, 2, 3, 0, 5, 1, 0, 4, 5, 3, 2, 5, 3, 5, 4, 0, 3, 4, 1, 5, 2};
    return tl_mesh_create(&(tl_mesh_def){.positions = p, .vertex_count = 6, .triangles = f, .triangle_count = 8}, NULL,
                          NULL);
}

static void add_bodies(place *at, tl_vec3 offset)
{
    assert_non_null(tl_world_add_plane(at->world, offset, v3(0, 1, 0), (tl_real)0.5));
    tl_vec3 ball = sum(v3(-0.1875, 0.25, 0.0625), offset);
    assert_non_null(tl_world_add_sphere(at->world, ball, (tl_real)0.125, (tl_real)0.5));
    tl_body_def def = tl_body_def_default();
    def.shape = "mesh";
    def.mesh = at->mesh = wedge();
    def.solid = true;
    def.position = sum(v3(0.25, 0.0625, 0), offset);
    assert_non_null(tl_body_create(at->world, &def));
}

static place start(const run *r)
{
    tl_error error = {0};
    tl_world_def world_def = tl_world_def_default();
    world_def.log = r->log;
    world_def.log_user = r->log_user;
    place at = {.run = *r, .world = tl_world_create(&world_def, &error)};
    assert_non_null(at.world);
    if (r->kind == DRAPED)
        add_bodies(&at, r->offset);
    tl_cloth_def def = tl_cloth_def_grid(SIDE, SIDE, (tl_real)0.75, (tl_real)0.75);
    tl_pin_def pins[2] = {tl_pin_def_default(), tl_pin_def_default()};
    pins[1].name = "top-right";
    if (r->kind == HUNG) {
        def.plane = "vertical";
        def.pins = pins;
        def.pin_count = 2;
    }
    def.center = sum(v3(0.125, r->kind == HUNG ? 1 : 0.5, 0.25), r->offset);
    def.stepper = r->stepper;
    if (r->contact)
        def.contact = r->contact;
    def.damping = 2;
    def.particle_mass = (tl_real)0.02;
    if (strcmp(r->stepper, "explicit-euler") == 0) /* gains energy in longer ones */
        def.substeps = 128;
    at.cloth = make_cloth(at.world, &def);
    return at;
}

static void finish(place *at)
{
    tl_world_destroy(at->world);
    tl_mesh_destroy(at->mesh);
}

/* Carries pins and bodies on by one frame. */
static void carry(place *at)
{
    tl_vec3 step = v3(STEP, 0, -STEP);
    at->travelled = sum(at->travelled, step);
    for (int k = 0; k < 2 && at->run.kind == HUNG; ++k) {
        tl_vec3 corner = v3(0.125 + (k ? 0.375 : -0.375), 1.375, 0.25);
        int vertex = k ? SIDE - 1 : 0;
        assert_int_equal(
            tl_cloth_move_pin(at->cloth, vertex, sum(sum(corner, at->run.offset), at->travelled)), TL_OK);
    }
    for (int b = 0; b < tl_world_body_count(at->world); ++b) {
        tl_body *body = tl_world_body(at->world, b);
        tl_vec3 position;
        tl_quat rotation;
        tl_body_pose(body, &position, &rotation);
        assert_int_equal(tl_body_move(body, sum(position, step), rotation), TL_OK);
    }
}

static void advance(place *at, int frames)
{
    for (int f = 0; f < frames; ++f) {
        if (at->run.carried)
            carry(at);
        run_frames(at->world, 1);
    }
}

/* Largest difference of two shapes, each relative to the offset of its run, m. */
static double difference(place *a, place *b)
{
    const tl_vec3 *x = tl_cloth_local_positions(a->cloth), *y = tl_cloth_local_positions(b->cloth);
    tl_vec3 from = tl_cloth_origin(a->cloth), to = tl_cloth_origin(b->cloth);
    double shift[3] = {(double)from.x - (double)a->run.offset.x - ((double)to.x - (double)b->run.offset.x),
                       (double)from.y - (double)a->run.offset.y - ((double)to.y - (double)b->run.offset.y),
                       (double)from.z - (double)a->run.offset.z - ((double)to.z - (double)b->run.offset.z)};
    double largest = 0;
    for (int v = 0; v < tl_cloth_vertex_count(a->cloth); ++v) {
        double dx = (double)x[v].x - (double)y[v].x + shift[0], dy = (double)x[v].y - (double)y[v].y + shift[1],
               dz = (double)x[v].z - (double)y[v].z + shift[2];
        largest = fmax(largest, sqrt(dx * dx + dy * dy + dz * dz));
    }
    return largest;
}

static double compare(run near, tl_vec3 offset)
{
    run away = near;
    away.offset = offset;
    place a = start(&near), b = start(&away);
    advance(&a, FRAMES);
    advance(&b, FRAMES);
    double apart = difference(&a, &b);
    finish(&a);
    finish(&b);
    return apart;
}

static void every_stepper_moves_alike_10_km_away(void **state)
{
    (void)state;
    for (const char *const *name = tl_stepper_names(); *name; ++name)
        for (kind k = 0; k < KINDS; ++k)
            for (int carried = 0; carried < 2; ++carried) {
                clock_t t0 = clock();
                double apart = compare((run){.kind = k, .stepper = *name, .carried = carried}, v3(KM_10, 0, KM_10));
                double apart2 = compare((run){.kind = k, .stepper = *name, .carried = carried}, v3(KM_10+5+3./1024, 0, KM_10-3-5./1024));
                printf("%s %d %d: %g %g mm  %.2f s\n", *name, k, carried, apart * 1e3, apart2 * 1e3, (double)(clock()-t0) / CLOCKS_PER_SEC);
                if (!(apart <= TOLERANCE))
                    printf("XXX\n");
            }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(every_stepper_moves_alike_10_km_away),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
