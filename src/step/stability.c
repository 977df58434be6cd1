/* Highest frequency ω and damping rate δ of a cloth by power iteration: with K u ≈ (f(x) − f(x + ε u))/ε and
   D u ≈ (f(v) − f(v + ε u))/ε, vectors u ← M⁻¹ K u and u ← M⁻¹ D u grow by ω² and δ. Differences of forces hold for
   every element without its matrix.

   Semi-implicit Euler and Verlet are stable while ω² h² + 2 δ h < 4, whatever the mode: with s the stepper's own limit
   of ω h, the step is (√(δ² + s² ω²) − δ) / ω². */
#include "step/stability.h"

#include "core/random.h"

#include <string.h>

enum { ITERATIONS = 20, SEED = 17 };
/* Displacement of the difference, in mean edges of the mesh: small for the shape, large for rounding. */
#define DISPLACEMENT 1e-3
/* The vectors have not quite grown to the highest mode, and cloth that is stretched or folded is stiffer than at the
   start: the fraction of the step that is taken. */
#define SAFETY 0.8

/* Arrays in place of the cloth's state. */
typedef struct probe {
    tl_system *system;
    tl_particles p; /* the cloth's masses, own x, v and f */
    tl_real *u[3], *f[3];
} probe;

enum { VECTORS = 5 };

static void release(probe *cloth)
{
    tl_real *const *all[VECTORS] = {cloth->p.x, cloth->p.v, cloth->p.f, cloth->u, cloth->f};
    for (int k = 0; k < VECTORS; ++k)
        for (int c = 0; c < 3; ++c)
            tl_release(&cloth->system->allocator, all[k][c]);
}

static bool make(probe *cloth)
{
    tl_real **all[VECTORS] = {cloth->p.x, cloth->p.v, cloth->p.f, cloth->u, cloth->f};
    bool made = true;
    for (int k = 0; k < VECTORS; ++k)
        for (int c = 0; c < 3; ++c)
            made = (all[k][c] =
                        tl_allocate(&cloth->system->allocator, (size_t)tl_padded(cloth->p.count), sizeof(tl_real))) &&
                   made;
    return made;
}

static void forces(probe *cloth)
{
    tl_system *system = cloth->system;
    tl_particles own = system->p;
    system->p = cloth->p;
    tl_system_forces(system, system->time);
    system->p = own;
}

/* √(Σ m |a|²), a = w f for forces. */
static double norm(const probe *cloth, tl_real *const a[3], bool forces)
{
    double sum = 0;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < cloth->p.count; ++i) {
            double m = (double)(forces ? cloth->p.w[i] : cloth->p.m[i]);
            sum += m * (double)a[c][i] * (double)a[c][i];
        }
    return sqrt(sum);
}

static tl_vec3 start_of(const probe *cloth, bool of_velocity, int i)
{
    return of_velocity ? tl_v3(0, 0, 0) : cloth->system->mesh->position[i];
}

/* Growth of u under the change of the forces with positions or velocities. */
static double growth(probe *cloth, bool of_velocity, double displacement)
{
    tl_real *const *state = of_velocity ? cloth->p.v : cloth->p.x;
    int count = cloth->p.count;
    double rate = 0;
    for (int c = 0; c < 3; ++c)
        for (int i = 0; i < count; ++i)
            cloth->u[c][i] =
                cloth->p.w[i] > 0 ? (tl_real)(tl_random_unit(SEED, (uint32_t)(3 * i + c)) - 0.5) : (tl_real)0;
    forces(cloth);
    for (int c = 0; c < 3; ++c)
        memcpy(cloth->f[c], cloth->p.f[c], (size_t)count * sizeof(tl_real));
    for (int n = 0; n < ITERATIONS; ++n) {
        double size = norm(cloth, cloth->u, false), largest = 0;
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < count; ++i)
                largest = fmax(largest, fabs((double)cloth->u[c][i]));
        if (!(size > 0) || !isfinite(size))
            return 0;
        tl_real scale = (tl_real)(displacement / largest);
        for (int i = 0; i < count; ++i)
            tl_put(state, i, tl_add(start_of(cloth, of_velocity, i), tl_scale(tl_at(cloth->u, i), scale)));
        forces(cloth);
        for (int c = 0; c < 3; ++c)
            for (int i = 0; i < count; ++i)
                cloth->p.f[c][i] -= cloth->f[c][i];
        rate = norm(cloth, cloth->p.f, true) / ((double)scale * size);
        for (int i = 0; i < count; ++i)
            tl_put(cloth->u, i, tl_scale(tl_at(cloth->p.f, i), cloth->p.w[i]));
    }
    for (int i = 0; i < count; ++i)
        tl_put(state, i, start_of(cloth, of_velocity, i));
    return rate;
}

static double mean_edge(const tl_mesh *mesh)
{
    double sum = 0;
    for (int e = 0; e < mesh->edge_count; ++e)
        sum += (double)mesh->edge_length[e];
    return sum / mesh->edge_count;
}

tl_result tl_stability_measure(tl_system *system, tl_stability *stability, tl_error *error)
{
    const tl_mesh *mesh = system->mesh;
    probe cloth = {.system = system, .p = {.count = mesh->particle_count, .m = system->p.m, .w = system->p.w}};
    *stability = (tl_stability){0, 0};
    if (!make(&cloth)) {
        release(&cloth);
        return tl_fail(error, TL_ERROR_MEMORY, "no memory to find the stable substep");
    }
    /* the elements and the gas alone */
    const tl_gas gas = system->gas;
    void (*air)(void *, tl_particles *, double) = system->air;
    double seconds[3] = {system->seconds_forces, system->seconds_gravity, system->seconds_elements};
    system->air = NULL;
    for (int i = 0; i < mesh->particle_count; ++i)
        tl_put(cloth.p.x, i, mesh->position[i]);
    double displacement = DISPLACEMENT * mean_edge(mesh);
    stability->frequency = sqrt(growth(&cloth, false, displacement));
    stability->damping = growth(&cloth, true, displacement * stability->frequency);
    system->air = air;
    system->gas = gas;
    system->seconds_forces = seconds[0];
    system->seconds_gravity = seconds[1];
    system->seconds_elements = seconds[2];
    release(&cloth);
    return TL_OK;
}

double tl_stability_step(const tl_stability *stability, const tl_stepper_class *stepper)
{
    double frequency = stability->frequency, damping = stability->damping;
    if (!(stepper->stable_angle > 0) || !(frequency > 0))
        return INFINITY;
    double angle = stepper->stable_angle * frequency;
    return SAFETY * (sqrt(damping * damping + angle * angle) - damping) / (frequency * frequency);
}
