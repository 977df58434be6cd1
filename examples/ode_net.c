/* Telar coupled with another engine: a box of the Open Dynamics Engine (Debian's libode-dev) is caught in a net.

   ODE moves the box, Telar the net. Before each step Telar gets the target pose of the box; after it, the impulse of
   the net on the box (tl_body_impulse) is passed to ODE as force and torque. Any rigid-body engine can be coupled like
   this.

       cc ode_net.c $(pkg-config --cflags --libs telar ode) -lm -o ode_net && ./ode_net */
#include <math.h>
#include <ode/ode.h>
#include <stdio.h>
#include <telar/telar.h>

#define STEP (1.0 / 240) /* s */

static tl_cloth *make_net(tl_world *world)
{
    static const char *const edges[4] = {"top", "bottom", "left", "right"};
    tl_pin_def pins[4];
    for (int k = 0; k < 4; ++k) {
        pins[k] = tl_pin_def_default();
        pins[k].where = "edge";
        pins[k].name = edges[k];
    }
    tl_cloth_def def = tl_cloth_def_grid(31, 31, 1.5f, 1.5f);
    def.plane = "horizontal";
    def.center = (tl_vec3){0, 0, 0};
    def.density = 0.3f;
    def.stepper = "xpbd";
    def.substeps = 4;
    def.damping = 0.3f;
    def.pins = pins; /* copied by tl_cloth_create */
    def.pin_count = 4;
    return tl_cloth_create(world, &def);
}

static tl_body *make_double(tl_world *world, tl_vec3 size)
{
    tl_body_def def = tl_body_def_default(); /* the box in Telar: kinematic, moved by ODE */
    def.shape = "box";
    def.size = size;
    def.position = (tl_vec3){0.1f, 0.6f, 0.05f};
    def.friction = 0.6f;
    return tl_body_create(world, &def);
}

static void move_telar_body(dBodyID box, tl_body *body)
{
    const dReal *x = dBodyGetPosition(box), *q = dBodyGetQuaternion(box); /* ODE's quaternions begin with w */
    tl_body_move(body, (tl_vec3){(tl_real)x[0], (tl_real)x[1], (tl_real)x[2]},
                 (tl_quat){(tl_real)q[1], (tl_real)q[2], (tl_real)q[3], (tl_real)q[0]});
}

static void push_ode_body(const tl_body *body, dBodyID box)
{
    tl_vec3 impulse, moment;
    tl_body_impulse(body, &impulse, &moment);
    dBodyAddForce(box, (dReal)impulse.x / STEP, (dReal)impulse.y / STEP, (dReal)impulse.z / STEP);
    dBodyAddTorque(box, (dReal)moment.x / STEP, (dReal)moment.y / STEP, (dReal)moment.z / STEP);
}

int main(void)
{
    const tl_vec3 size = {0.4f, 0.2f, 0.3f};
    tl_world_def def = tl_world_def_default();
    tl_world *world = tl_world_create(&def, NULL);
    tl_cloth *net = world ? make_net(world) : NULL;
    tl_body *body = net ? make_double(world, size) : NULL;
    if (!body) {
        fprintf(stderr, "%s\n", world ? tl_last_error(world) : "no memory");
        return 1;
    }
    dInitODE();
    dWorldID other = dWorldCreate();
    dWorldSetGravity(other, 0, -9.81, 0);
    dWorldSetLinearDamping(other, 0.005); /* fraction of its speed per step: the net alone is a trampoline */
    dWorldSetAngularDamping(other, 0.005);
    dBodyID box = dBodyCreate(other);
    dMass mass;
    dMassSetBoxTotal(&mass, 0.8, (dReal)size.x, (dReal)size.y, (dReal)size.z);
    dBodySetMass(box, &mass);
    dBodySetPosition(box, 0.1, 0.6, 0.05);
    dBodySetAngularVel(box, 1, 0.5, 2);

    double lowest = 1, speed = 0;
    for (int step = 0; step < 4 * 240; ++step) {
        move_telar_body(box, body);
        if (tl_world_step(world, (tl_real)STEP) != TL_OK) {
            fprintf(stderr, "%s\n", tl_last_error(world));
            return 1;
        }
        push_ode_body(body, box);
        dWorldStep(other, STEP);
        const dReal *x = dBodyGetPosition(box), *v = dBodyGetLinearVel(box);
        lowest = fmin(lowest, (double)x[1]);
        speed = sqrt((double)(v[0] * v[0] + v[1] * v[1] + v[2] * v[2]));
        if (step % 60 == 59)
            printf("%.2f s: box at %+.3f m, %.3f m/s\n", (step + 1) * STEP, (double)x[1], speed);
    }
    double height = (double)dBodyGetPosition(box)[1];
    int inside = tl_cloth_count_penetrating(net, NULL);
    printf("%s: lowest %.3f m, at rest %.3f m, %d particles inside the box\n",
           height > -0.6 && height < 0.2 ? "caught" : "lost", lowest, height, inside);
    dWorldDestroy(other);
    dCloseODE();
    tl_world_destroy(world);
    return height > -0.6 && height < 0.2 && speed < 0.3 && inside == 0 ? 0 : 1;
}
