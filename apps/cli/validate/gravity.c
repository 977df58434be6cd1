/* Gravity as S3 has it: one force for all particles, whatever their masses. */
#include "cli/validate/law.h"

#include <math.h>

/* A loose sheet of random masses 1 : 10 falls for one frame: m v of each particle is the force times the time, the same
   for all, with the weight of the cloth as sum. With equal masses the state is that of plain gravity, bit by bit. */
void law_gravity_as_force(law_report *report)
{
    enum { N = 12 };
    const double dt = 1.0 / 60;
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper) {
        uint64_t hash[2] = {0, 0};
        for (int as_force = 0; as_force < 2; ++as_force) {
            tl_cloth_def def = trial_grid(N, N, 1, 1);
            trial_stepper(&def, stepper->name, 4);
            def.gravity_as_force = as_force != 0;
            trial t;
            if (!trial_make(&t, report, stepper->name, NULL, &def))
                return;
            if (trial_step(&t, dt, 3))
                hash[as_force] = tl_world_hash(t.world);
            trial_end(&t);
        }
        law_within(report, stepper->name, "equal masses: states that differ", 0, hash[0] != hash[1], 0);

        tl_cloth_def def = trial_grid(N, N, 1, 1);
        trial_stepper(&def, stepper->name, 4);
        def.gravity_as_force = true;
        def.particle_mass = (tl_real)0.001;
        def.mass_spread = "random";
        def.mass_ratio = 10;
        trial t;
        if (!trial_make(&t, report, stepper->name, NULL, &def))
            return;
        if (trial_step(&t, dt, 1)) {
            double least = INFINITY, most = 0, mass = 0, sum = 0;
            for (int i = 0; i < t.count; ++i) {
                double momentum = -(double)t.m[i] * (double)t.v[i].y;
                least = fmin(least, momentum);
                most = fmax(most, momentum);
                mass += (double)t.m[i];
                sum += momentum;
            }
            law_within(report, stepper->name, "random masses: largest over smallest m a", 1, most / least,
                       law_pick(1e-12, 1e-5));
            if (!stepper->lags)
                law_near(report, stepper->name, "their sum over the weight", 1, sum / (mass * LAW_GRAVITY * dt),
                         law_pick(1e-6, 1e-5));
        }
        trial_end(&t);
    }
}
