/* Collision of one particle with one ball, and of a ball with static bodies: momentum, energy,
 restitution. */
#include "cli/validate/body_mesh.h"
#include "cli/validate/law.h"

#include <math.h>
#include <string.h>

enum {
    PARTICLES = 4
}; /* the smallest sheet; without elements its particles move independently, and one hits the ball */
static const double PARTICLE = 0.02, BALL = 0.08, RADIUS = 0.25; /* kg, kg, m: S1's ball */

typedef struct outcome {
    double momentum[3];     /* kg·m/s */
    double energy;          /* J */
    tl_vec3 particle, ball; /* m/s */
} outcome;

static outcome measure(const trial *t, const tl_body *ball)
{
    outcome o = {.particle = t->v[0]};
    tl_body_velocity(ball, &o.ball, NULL);
    const tl_vec3 v[2] = {o.particle, o.ball};
    const double m[2] = {PARTICLE, BALL};
    for (int k = 0; k < 2; ++k) {
        o.momentum[0] += m[k] * (double)v[k].x;
        o.momentum[1] += m[k] * (double)v[k].y;
        o.momentum[2] += m[k] * (double)v[k].z;
        o.energy += 0.5 * m[k] * law_dot(v[k], v[k]);
    }
    return o;
}

/* The particle falls on the ball, `aside` radii off its centre. */
static void collide(law_report *report, const char *stepper, double restitution, double aside)
{
    char subject[56];
    snprintf(subject, sizeof subject, "%s, e = %g, %g r aside", stepper, restitution, aside);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(2, 2, 4, 4);
    tl_body_def ball = tl_body_def_default();
    def.contact = "bodies-only";
    def.thickness = 0;
    def.particle_mass = (tl_real)PARTICLE;
    trial_stepper(&def, stepper, 4);
    def.friction = 0;
    ball.shape = "sphere";
    ball.size = law_v3(RADIUS, 0, 0);
    ball.mass = (tl_real)BALL;
    ball.restitution = (tl_real)restitution;
    trial t;
    if (!trial_make(&t, report, subject, &world, &def))
        return;
    tl_vec3 x[PARTICLES], v[PARTICLES];
    for (int i = 0; i < PARTICLES; ++i) {
        x[i] = i == 0 ? law_v3(aside * RADIUS, 0.5, 0) : law_v3(10 + i, 0, 0);
        v[i] = i == 0 ? law_v3(0, -2, 0) : law_v3(0, 0, 0);
    }
    tl_body *body = trial_body(&t, &ball);
    if (body && trial_state(&t, x, v)) {
        outcome before = measure(&t, body);
        if (trial_step(&t, 1.0 / 60, 20)) {
            outcome after = measure(&t, body);
            double lost = 0, scale = PARTICLE * 2;
            for (int c = 0; c < 3; ++c)
                lost = fmax(lost, fabs(after.momentum[c] - before.momentum[c]));
            law_below(report, subject, "momentum lost, of all", lost / scale, law_pick(1e-14, 1e-6));
            if (restitution == 1)
                law_near(report, subject, "energy, of all", 1, after.energy / before.energy, law_pick(1e-13, 1e-6));
            if (aside == 0) /* head-on: the normal is the direction of motion */
                law_within(report, subject, "normal speed of parting, m/s", restitution * 2,
                           (double)(after.particle.y - after.ball.y), law_pick(1e-12, 1e-5));
        }
    }
    trial_end(&t);
}

/* Without gravity, a ball hits a floor and leaves with e times its normal speed. */
static void bounce(law_report *report, const char *shape, double restitution)
{
    char subject[56];
    snprintf(subject, sizeof subject, "ball on %s, e = %g", shape, restitution);
    tl_world_def world = trial_vacuum(0);
    tl_cloth_def def = trial_grid(2, 2, 1, 1);
    tl_body_def ball = tl_body_def_default(), floor = tl_body_def_default();
    def.center = law_v3(50, 0, 0); /* far away: bodies collide in worlds without cloth as well */
    tl_mesh *mesh = law_mesh_rectangle(5, 5);
    ball.size = law_v3(RADIUS, 0, 0);
    ball.mass = (tl_real)BALL;
    ball.velocity = law_v3(0.5, -3, 0.2);
    ball.position = law_v3(0.1, 0.6, 0.2);
    ball.restitution = (tl_real)restitution;
    ball.friction = 0;
    floor.shape = shape;
    floor.size = law_v3(10, 0.01, 10);
    floor.mesh = strcmp(shape, "mesh") == 0 ? mesh : NULL;
    floor.solid = false;
    trial t;
    if (mesh && trial_make(&t, report, subject, &world, &def)) {
        tl_body *body = trial_body(&t, &ball);
        if (trial_body(&t, &floor) && body && trial_step(&t, 1.0 / 240, 120)) {
            tl_vec3 v;
            tl_body_velocity(body, &v, NULL);
            law_within(report, subject, "normal speed afterwards, m/s", 3 * restitution, (double)v.y,
                       law_pick(1e-12, 1e-5));
            law_within(report, subject, "speed along it, m/s", 0.5, (double)v.x, law_pick(1e-12, 1e-5));
        }
        trial_end(&t);
    }
    tl_mesh_destroy(mesh);
}

void law_friction_collision(law_report *report)
{
    static const double restitutions[] = {1, 0.5, 0};
    for (const law_stepper *stepper = law_steppers; stepper->name; ++stepper)
        for (size_t k = 0; k < 3; ++k)
            for (int aside = 0; aside < 2; ++aside)
                collide(report, stepper->name, restitutions[k], 0.6 * aside);
    for (size_t k = 0; k < 3; ++k) {
        bounce(report, "plane", restitutions[k]);
        bounce(report, "box", restitutions[k]);
        bounce(report, "mesh", restitutions[k]);
    }
}
