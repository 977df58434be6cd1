/* The table of parameters of a world: the one place where every settable quantity of the engine is declared, with unit,
   default, range and help. Definitions take their defaults from here. */
#include "contact/body/convex_contact.h"
#include "contact/contact_method.h"
#include "step/stepper.h"
#include "world/definition.h"
#include "world/fabric.h"
#include "world/material.h"
#include "world/nurbs.h"
#include "world/world.h"

#define LARGE 1e6 /* m, kg, s …: beyond this, single precision has too few digits left for cloth */

#define FIELD(type, field) offsetof(type, field), sizeof(((type *)0)->field), 0
#define REAL(type, field, path, unit, standard, low, high, when, help)                                                 \
    {                                                                                                                  \
        path, TL_PARAM_REAL, when, unit, {standard, 0, 0}, low, high, NULL, NULL, NULL, NULL, help, FIELD(type, field) \
    }
#define INT(type, field, path, standard, low, high, when, help)                                                        \
    {                                                                                                                  \
        path, TL_PARAM_INT, when, "", {standard, 0, 0}, low, high, NULL, NULL, NULL, NULL, help, FIELD(type, field)    \
    }
#define BOOL(type, field, path, standard, when, help)                                                                  \
    {                                                                                                                  \
        path, TL_PARAM_BOOL, when, "", {standard, 0, 0}, 0, 1, NULL, NULL, NULL, NULL, help, FIELD(type, field)        \
    }
#define VEC3(type, field, path, unit, x, y, z, low, high, when, help)                                                  \
    {                                                                                                                  \
        path, TL_PARAM_VEC3, when, unit, {x, y, z}, low, high, NULL, NULL, NULL, NULL, help, FIELD(type, field)        \
    }
#define NAME(type, field, path, standard, list, when, help) ALIASED(type, field, path, standard, list, NULL, when, help)
#define ALIASED(type, field, path, standard, list, aliases, when, help)                                                \
    {                                                                                                                  \
        path, TL_PARAM_NAME, when, "", {0, 0, 0}, 0, 0, standard, list, aliases, NULL, help, FIELD(type, field)        \
    }
#define TEXT(type, field, path, standard, when, help)                                                                  \
    {                                                                                                                  \
        path, TL_PARAM_TEXT, when, "", {0, 0, 0}, 0, 0, standard, NULL, NULL, NULL, help, FIELD(type, field)           \
    }
#define LIST(type, field, count, path, group, when, help)                                                              \
    {                                                                                                                  \
        path, TL_PARAM_LIST, when, "", {0, 0, 0}, 0, 0, NULL, NULL, NULL, group, help, offsetof(type, field),          \
            sizeof(((type *)0)->field), offsetof(type, count)                                                          \
    }
#define COUNT(table) ((int)(sizeof(table) / sizeof *(table)))
#define LIVE TL_PARAM_LIVE
#define REBUILD TL_PARAM_REBUILD

static const char *const wind_kinds[] = {"still", "uniform", "gusts", "turbulent", "veering", "wandering", NULL};
static const char *const simd_names[] = {"auto", "avx2", "sse", "scalar", NULL};
static const char *const diagonal_names[] = {"one", "alternating", NULL};
static const char *const plane_names[] = {"horizontal", "vertical", NULL};
static const char *const spread_names[] = {"equal", "random", "sinusoidal", NULL};
static const char *const damping_names[] = {"along", "full", NULL};
static const char *const surface_names[] = {"particles", "nurbs", "hybrid", NULL};
static const char *const air_names[] = {"off", "particle", "face", "load", NULL};
static const char *const preconditioner_names[] = {"multigrid", "sweep", "blocks", NULL};
static const char *const gas_processes[] = {"isothermal", "adiabatic", NULL};
static const char *const tree_names[] = {"bvh", "octree", NULL};
static const char *const pin_kinds[] = {"corner", "edge", "index", "region", NULL};
static const char *const pin_names[] = {"top-left", "top-right", "bottom-left", "bottom-right", "top", "bottom",
                                        "left",     "right",     NULL};

#define T tl_wind_def
static const tl_param wind_table[] = {
    NAME(
        T, kind, "kind", "still", wind_kinds, LIVE,
        "How the air moves: not at all, evenly, in gusts, in gusts and eddies, or as S3 has it: veering about the mean "
        "velocity, or wandering through all directions at its speed."),
    VEC3(T, velocity, "velocity", "m/s", 0, 0, 0, -200, 200, LIVE, "Mean velocity of the air."),
    REAL(T, air_density, "air_density", "kg/m³", 1.225, 0, 1000, LIVE, "Density of the air; 0 is a vacuum."),
    REAL(T, gust_strength, "gust_strength", "", 0.4, 0, 10, LIVE, "Size of gusts as a fraction of the mean speed."),
    REAL(T, gust_period, "gust_period", "s", 2, 0.01, 1000, LIVE, "Time between gusts."),
    REAL(T, eddy_strength, "eddy_strength", "", 0.3, 0, 10, LIVE, "Size of eddies as a fraction of the mean speed."),
    REAL(T, eddy_size, "eddy_size", "m", 0.8, 0.01, 1000, LIVE, "Width of the largest eddies."),
    INT(T, seed, "seed", 1, 0, 1e9, LIVE,
        "Number that chooses the gusts and eddies; the same seed gives the same wind on every machine."),
};
#undef T
const tl_param_group tl_wind_params = {"wind", "The air.", wind_table, COUNT(wind_table), sizeof(tl_wind_def),
                                       NULL,   NULL};

#define T tl_world_def
static const tl_param world_table[] = {
    VEC3(T, gravity, "gravity", "m/s²", 0, -9.81, 0, -1000, 1000, LIVE, "Acceleration of free fall."),
    INT(T, threads, "threads", 1, 0, 64, REBUILD,
        "Threads for cloths of 8192 particles and more, and for the broad phase between layers; 0 takes one per core. "
        "Any number gives the same bits."),
    NAME(T, simd, "simd", "auto", simd_names, REBUILD, "Instruction set of the SIMD kernels; all give the same bits."),
    REAL(T, runaway_speed, "runaway_speed", "m/s", 1000, 1, LARGE, LIVE,
         "A faster particle makes the step unstable, and the frame is rejected."),
    REAL(
        T, leap_speed, "leap_speed", "m/s", 50, 0.1, INFINITY, LIVE,
        "Pins and kinematic bodies whose velocity changes by more than this from one frame to the next have leapt: the "
        "body pushes nothing on its way, and cloth all of whose pins leapt is carried along."),
};
#undef T
static void complete_world(void *object)
{
    tl_world_def *def = object;
    def->mark = tl_def_mark_of(TL_DEF_WORLD, sizeof *def);
    tl_param_defaults(&tl_wind_params, &def->wind);
    def->allocator = (tl_allocator){NULL, NULL, NULL};
    def->log = NULL;
    def->log_user = NULL;
}

const tl_param_group tl_world_params = {
    "world",       "Settings of the whole world.", world_table, COUNT(world_table), sizeof(tl_world_def), NULL,
    complete_world};

#define T tl_pin_def
static const tl_param pin_table[] = {
    NAME(T, where, "where", "corner", pin_kinds, REBUILD,
         "Which particles are pinned: a corner or edge by name, one vertex, or a region."),
    NAME(T, name, "name", "top-left", pin_names, REBUILD, "The corner or edge."),
    INT(T, index, "index", 0, 0, 1e9, REBUILD, "The vertex, for pins by index."),
    VEC3(T, low, "low", "m", 0, 0, 0, -LARGE, LARGE, REBUILD, "Lower corner of the region, in the starting pose."),
    VEC3(T, high, "high", "m", 0, 0, 0, -LARGE, LARGE, REBUILD, "Upper corner of the region, in the starting pose."),
    INT(T, body, "body", -1, -1, 1e6, REBUILD, "Body that the pinned particles follow; -1 pins them where they are."),
};
#undef T
static void complete_pin(void *object)
{
    tl_pin_def *def = object;
    def->mark = tl_def_mark_of(TL_DEF_PIN, sizeof *def);
}

const tl_param_group tl_pin_params = {"pin", "Pinned particles.", pin_table, COUNT(pin_table), sizeof(tl_pin_def),
                                      NULL,  complete_pin};

#define T tl_cloth_def
#define ELEMENT(field, path, unit, damping_unit, stiffness_, damping_, help_)                                          \
    BOOL(T, elements.field.on, path ".on", 0, LIVE, help_),                                                            \
        REAL(T, elements.field.stiffness, path ".stiffness", unit, stiffness_, 0, 1e9, LIVE, "Stiffness."),            \
        REAL(T, elements.field.damping, path ".damping", damping_unit, damping_, 0, 1e6, LIVE,                         \
             "Damping of the rate of change."),
static const tl_param cloth_table[] = {
    TEXT(T, label, "label", "cloth", LIVE, "Name shown to people."),
    NAME(T, shape, "shape", "sheet", tl_surface_name_list, REBUILD,
         "Starting shape of the cloth: a sheet, or a closed surface for gas: ball, ring, two sewn "
         "rectangles (cushion) or discs (balloon)."),
    INT(T, columns, "columns", 71, 2, 4096, REBUILD,
        "Particles along the width of a sheet or cushion, around a ball or ring, or across a balloon."),
    INT(T, rows, "rows", 71, 2, 4096, REBUILD,
        "Particles along the height of a sheet or cushion, or around a ring's tube."),
    REAL(T, width, "width", "m", 2, 1e-4, LARGE, REBUILD,
         "Width of a sheet or cushion, diameter of a ball, balloon or ring."),
    REAL(T, height, "height", "m", 2, 1e-4, LARGE, REBUILD, "Height of a sheet or cushion, diameter of a ring's tube."),
    NAME(
        T, surface, "surface", "particles", surface_names, LIVE,
        "What is simulated of a sheet: its particles, the control points of a NURBS surface that they lie on, or these "
        "only while no body is near (hybrid)."),
    INT(T, nurbs_columns, "nurbs.columns", 14, 4, TL_NURBS_MOST, REBUILD, "Control points along the width."),
    INT(T, nurbs_rows, "nurbs.rows", 14, 4, TL_NURBS_MOST, REBUILD, "Control points along the height."),
    REAL(T, bulge, "bulge", "m", 0.05, 0, LARGE, REBUILD,
         "Distance of the middle of either side of a cushion or balloon from the plane of its seam at the start."),
    NAME(T, diagonals, "diagonals", "one", diagonal_names, REBUILD,
         "Whether a grid's diagonals all run one way or alternate."),
    NAME(T, plane, "plane", "horizontal", plane_names, REBUILD, "Frame in which the sheet starts."),
    VEC3(T, center, "center", "m", 0, 0, 0, -LARGE, LARGE, REBUILD,
         "Offset of the cloth: where a sheet's middle starts; meshes stay where their file has them."),
    VEC3(T, rotation, "rotation", "°", 0, 0, 0, -3600, 3600, REBUILD, "Turn of the sheet about x, then y, then z."),
    REAL(T, ripple, "ripple", "m", 0, 0, 1, REBUILD, "Height of a ripple in the start shape that breaks its symmetry."),
    NAME(T, fabric, "fabric", "custom", tl_fabric_name_list, LIVE,
         "Measured fabric that sets density, material and elements; custom leaves them as they are."),
    REAL(T, density, "density", "kg/m²", 0.2, 1e-6, 1000, REBUILD, "Mass per area."),
    REAL(T, particle_mass, "particle_mass", "kg", 0, 0, 1e6, REBUILD,
         "Above 0, every particle has this mass and density is ignored."),
    NAME(T, mass_spread, "mass_spread", "equal", spread_names, REBUILD, "How masses differ from particle to particle."),
    REAL(T, mass_ratio, "mass_ratio", "", 1, 1, 1000, REBUILD, "Heaviest over lightest particle of the spread."),
    INT(T, seed, "seed", 1, 0, 1e9, REBUILD, "Number that chooses the random masses."),
    NAME(T, material, "material", "springs", tl_material_name_list, LIVE,
         "Which elements the cloth is made of; custom leaves it to their switches."),
    TL_ELEMENTS(ELEMENT) NAME(T, link_damping, "link.damping_form", "along", damping_names, LIVE,
                              "Links damp the relative motion along them, or all of it."),
    REAL(T, stretch_u, "continuum.stretch_u", "", 1, 0.01, 100, LIVE,
         "Rest stretch along warp, as a fraction of the pattern."),
    REAL(T, stretch_v, "continuum.stretch_v", "", 1, 0.01, 100, LIVE,
         "Rest stretch along weft, as a fraction of the pattern."),
    BOOL(T, gas.on, "gas.on", 0, LIVE, "Whether the closed surface is filled with gas."),
    REAL(T, gas.nrt, "gas.nrt", "J", 0, 0, 1e9, LIVE,
         "Amount of gas as n R T, pressure times volume; 0 takes what gas.overpressure needs in the "
         "starting shape."),
    REAL(T, gas.overpressure, "gas.overpressure", "Pa", 1000, -1e7, 1e7, LIVE,
         "Pressure above the outside in the starting shape, when gas.nrt is 0."),
    REAL(T, gas.outside, "gas.outside", "Pa", 0, 0, 1e7, LIVE,
         "Pressure of the surroundings: 101325 at sea level, 0 in a vacuum."),
    NAME(T, gas.process, "gas.process", "isothermal", gas_processes, LIVE,
         "Whether the gas keeps its temperature or its heat."),
    REAL(T, gas.gamma, "gas.gamma", "", 1.4, 1.01, 2, LIVE, "Ratio of specific heats, for the adiabatic process."),
    REAL(T, gas.temperature, "gas.temperature", "K", 293.15, 1, 10000, LIVE,
         "Temperature with which the gas is filled in."),
    REAL(T, gas.molar_mass, "gas.molar_mass", "kg/mol", 0.028965, 0.001, 1, LIVE,
         "Molar mass of the gas; it decides how fast a leak empties it."),
    REAL(T, gas.depth, "gas.depth", "m", 0, 0, LARGE, REBUILD,
         "Above 0, rigid walls of this depth behind the cloth's pinned rim close the surface to a box."),
    REAL(T, gas.pump, "gas.pump", "W", 0, -1e9, 1e9, LIVE, "Gas pumped in per second as n R T; negative lets it out."),
    REAL(T, gas.pump_start, "gas.pump_start", "s", 0, 0, LARGE, LIVE, "When the pump starts."),
    REAL(T, gas.pump_stop, "gas.pump_stop", "s", LARGE, 0, LARGE, LIVE, "When the pump stops."),
    REAL(T, gas.leak, "gas.leak", "m²", 0, 0, 1, LIVE,
         "Area of a hole times its discharge coefficient (about 0.6); gas leaves by pressure difference."),
    REAL(T, gas.leak_start, "gas.leak_start", "s", 0, 0, LARGE, LIVE, "When the hole opens."),
    INT(T, gas.leak_vertex, "gas.leak_vertex", -1, -1, 1e9, LIVE,
        "Vertex at the hole, which the jet pushes; -1 for pores that push nowhere."),
    NAME(T, stepper, "stepper", TL_STEPPER_AUTOMATIC, tl_stepper_choices, LIVE,
         "How the cloth is moved through time; automatic goes by the material."),
    ALIASED(
        T, contact, "contact", "bodies-only", tl_contact_name_list, tl_contact_aliases, LIVE,
        "What the cloth collides with. Its self-collision is off with none and bodies-only, where its own layers and "
        "other cloth pass through each other, on with self-collision, and guaranteed with penetration-free."),
    TEXT(T, schedule, "schedule", "", LIVE, "Stages of a substep in their order; empty is the stepper's own."),
    /* before substeps: a saved scene has both, and setting the rate clears the count */
    REAL(T, substep_rate, "substep_rate", "1/s", 0, 0, 600000, LIVE,
         "Substeps per second: a frame has as many as keep each within 1/substep_rate, so that the frame rate does not "
         "change the motion; with adaptive on, the fewest. 0 is the stepper's own: 60 for implicit-euler, bdf2 and "
         "constant-jacobian; for xpbd on cloth that is no measured fabric 180 up to 71² "
         "particles, more for finer ones; else 2400. Setting it sets substeps to 0."),
    INT(T, substeps, "substeps", 0, 0, 10000, LIVE,
        "Above 0, substeps per frame, whatever its length, instead of substep_rate."),
    BOOL(
        T, stable, "stable.on", 1, LIVE,
        "Explicit steppers take the substeps that mesh, masses and stiffness need for them to be stable, where that is "
        "more than was asked for; explicit-euler and kinematic, which gain energy in any substep, are damped by as "
        "much. Off takes what was asked for."),
    INT(T, iterations, "iterations", 1, 1, 1000, LIVE, "Repeats of what the schedule repeats."),
    BOOL(T, tether, "tether.on", 1, LIVE,
         "Position-based steppers: long-range attachments keep every particle within its distance along the cloth from "
         "the pinned ones. Not used where pins move among bodies other than planes, which get in between."),
    BOOL(T, multilevel, "multilevel.on", 1, LIVE,
         "Position-based steppers on grids without tethers: a coarse-to-fine sweep takes out stretch over long "
         "distances."),
    INT(T, extra_sweeps, "extra_sweeps", 4, 0, 16, LIVE,
        "Position-based steppers without tethers: extra sweeps over the structural links in every iteration."),
    REAL(T, range_low, "range.low", "", 0.95, 0, 1, LIVE,
         "Range stepper: shortest length of a link, as a fraction of its rest length."),
    REAL(T, range_high, "range.high", "", 1.02, 1, 10, LIVE,
         "Range stepper: longest length of a link, as a fraction of its rest length."),
    REAL(T, projection_loss, "projection.loss", "", 0, 0, 0.99, LIVE,
         "Projection stepper: fraction of each correction left out."),
    BOOL(T, projection_halves, "projection.halves", 0, LIVE,
         "Projection stepper: corrections go by halves to both ends of a link, as S3 has it; off, by inverse mass, "
         "which "
         "keeps momentum."),
    INT(T, newton, "implicit.newton", 1, 1, 100, LIVE,
        "Implicit steppers: Newton iterations per substep; one is the linear step."),
    INT(T, solver_iterations, "implicit.iterations", 500, 1, 100000, LIVE,
        "Implicit steppers: maximum conjugate gradient iterations."),
    REAL(T, solver_tolerance, "implicit.tolerance", "", 0.01, 1e-15, 1, LIVE,
         "Implicit steppers: residual at which the conjugate gradients stop, as a fraction of what the step has to "
         "change."),
    NAME(T, preconditioner, "implicit.preconditioner", "multigrid", preconditioner_names, LIVE,
         "Implicit steppers: preconditioner of the conjugate gradients: a multigrid cycle, a symmetric sweep over all "
         "blocks, or the inverse of every diagonal block."),
    REAL(T, damping, "damping", "1/s", 0, 0, 1e5, LIVE, "Rate at which all motion dies away."),
    BOOL(T, strain_limit, "strain_limit.on", 0, LIVE,
         "Strain limiting: after every step, links along warp and weft that are longer than the two limits are "
         "shortened to them."),
    REAL(T, strain_limit_warp, "strain_limit.warp", "", 0.1, 0, 10, LIVE,
         "Largest stretch along the warp, the rows of a grid."),
    REAL(T, strain_limit_weft, "strain_limit.weft", "", 0.1, 0, 10, LIVE,
         "Largest stretch along the weft, the columns of a grid."),
    INT(T, strain_limit_passes, "strain_limit.passes", 5, 1, 1000, LIVE, "Passes over the links per substep."),
    BOOL(T, adaptive, "adaptive.on", 0, LIVE, "Choose substeps so that strain and motion stay within the two bounds."),
    REAL(T, adaptive_strain, "adaptive.strain", "", 0.02, 1e-5, 10, LIVE, "Largest change of strain in a substep."),
    REAL(T, adaptive_motion, "adaptive.motion", "", 0.25, 1e-4, 100, LIVE,
         "Largest motion in a substep, in edge lengths."),
    REAL(T, thickness, "thickness", "m", 0.005, 0, 1, LIVE, "Distance the cloth keeps from bodies."),
    REAL(T, friction, "friction", "", 1, 0, INFINITY, LIVE, "Friction of the cloth, multiplied with the body's."),
    REAL(T, cloth_gap, "cloth_gap", "m", 0, 0, 1, LIVE,
         "Distance between layers of cloth, for contact self-collision and penetration-free; 0 is the thickness. "
         "At most four edge lengths of the mesh."),
    REAL(T, cloth_friction, "cloth_friction", "", 0.3, 0, INFINITY, LIVE,
         "Friction between layers of cloth; two cloths use their mean."),
    NAME(T, air, "air.model", "face", air_names, LIVE,
         "Force of the air: none, per particle, per face, or as a load that is the same for every face whatever its "
         "size and motion."),
    REAL(T, drag, "air.drag", "", 1, 0, 1000, LIVE, "Drag coefficient."),
    REAL(T, lift, "air.lift", "", 0, 0, 1000, LIVE, "Lift coefficient, for the force per face."),
    REAL(T, load_area, "air.load_area", "m²", 0.00125, 0, LARGE, LIVE, "Area that every face counts as, for the load."),
    BOOL(T, gravity_as_force, "gravity.as_force", 0, LIVE,
         "Gravity is the same force for every particle, that of the cloth's mean mass, so that light ones fall faster; "
         "off, all fall alike."),
    LIST(T, pins, pin_count, "pin", &tl_pin_params, REBUILD, "Pinned particles."),
};
#undef T
static void complete_cloth(void *object)
{
    tl_cloth_def *def = object;
    def->mark = tl_def_mark_of(TL_DEF_CLOTH, sizeof *def);
    def->mesh = NULL;
    tl_material_choose(def, def->material);
}

const tl_param_group tl_cloth_params = {
    "cloth",       "A simulated sheet.", cloth_table, COUNT(cloth_table), sizeof(tl_cloth_def), tl_material_changed,
    complete_cloth};

#define T tl_key_def
static const tl_param key_table[] = {
    REAL(T, time, "time", "s", 0, 0, LARGE, REBUILD, "Time of the key."),
    VEC3(T, position, "position", "m", 0, 0, 0, -LARGE, LARGE, REBUILD, "Position, relative to the body's own."),
    VEC3(T, rotation, "rotation", "°", 0, 0, 0, -36000, 36000, REBUILD,
         "Turn about x, then y, then z, before the body's own."),
};
#undef T
static void complete_key(void *object)
{
    tl_key_def *def = object;
    def->mark = tl_def_mark_of(TL_DEF_KEY, sizeof *def);
}

const tl_param_group tl_key_params = {
    "key", "A keyframe of a body.", key_table, COUNT(key_table), sizeof(tl_key_def), NULL, complete_key};

#define TL_SHAPE(name, size) #name " (" size "), "
static const char size_help[] = "By shape: "
#include "collide/shapes/shape_list.inl"
    TL_SHAPE_MESH " (" TL_SHAPE_MESH_SIZE ").";
#undef TL_SHAPE

#define T tl_body_def
static const tl_param body_table[] = {
    TEXT(T, label, "label", "body", LIVE, "Name shown to people."),
    NAME(T, shape, "shape", "sphere", tl_shape_name_list, REBUILD, "The body's shape."),
    VEC3(T, position, "position", "m", 0, 0, 0, -LARGE, LARGE, LIVE, "Position of the body."),
    VEC3(T, rotation, "rotation", "°", 0, 0, 0, -36000, 36000, LIVE, "Turn about x, then y, then z."),
    VEC3(T, size, "size", "m", 0.5, 0.5, 0.5, 0, LARGE, LIVE, size_help),
    REAL(T, friction, "friction", "", 0.4, 0, INFINITY, LIVE, "Coulomb friction; inf never slips."),
    REAL(T, restitution, "restitution", "", 0, 0, 1, LIVE, "Fraction of the normal speed kept in a bounce."),
    NAME(T, tree, "tree", "bvh", tree_names, REBUILD,
         "How faces of a mesh are found: a bounding volume hierarchy, or an octree while it does not deform."),
    INT(T, octree_height, "octree_height", 8, 1, 10, REBUILD, "Times that the octree halves its cube."),
    BOOL(T, solid, "solid", 1, LIVE,
         "A mesh has an inside and collides on its front only; else it is thin and two-sided."),
    REAL(T, shape_rate, "shape_rate", "1/s", 25, 0, 1e4, LIVE,
         "Shapes per second of a mesh animated from a sequence of files."),
    BOOL(T, on, "on", 1, LIVE, "Whether it is there: cloth collides with it, and it is drawn."),
    REAL(T, mass, "mass", "kg", 0, 0, LARGE, LIVE,
         "Above 0, a sphere or box is a dynamic body: it falls and is moved by cloth and other bodies. At 0 it "
         "is static, or kinematic when it has keys or is moved."),
    VEC3(T, velocity, "velocity", "m/s", 0, 0, 0, -200, 200, REBUILD, "Velocity of a dynamic body at the start."),
    BOOL(T, kinematic, "kinematic", 0, LIVE,
         "Keeps a dynamic body kinematic: it stays where it is until this is switched off, which drops it."),
    REAL(T, release_time, "release_time", "s", 0, 0, LARGE, LIVE,
         "When a dynamic body is dropped; it is kinematic until then."),
    BOOL(T, loop, "loop", 0, REBUILD, "Whether its keys and its shapes repeat after the last."),
    LIST(T, keys, key_count, "key", &tl_key_params, REBUILD, "The body's keyframes."),
};
#undef T
static void complete_body(void *object)
{
    tl_body_def *def = object;
    def->mark = tl_def_mark_of(TL_DEF_BODY, sizeof *def);
    def->mesh = NULL;
    def->shapes = NULL;
    def->shape_count = 0;
}

const tl_param_group tl_body_params = {
    "body", "Something cloth collides with.", body_table, COUNT(body_table), sizeof(tl_body_def), NULL, complete_body};

void tl_world_def_init(tl_world_def *def, size_t size) { tl_def_init(def, size, &tl_world_params); }
void tl_cloth_def_init(tl_cloth_def *def, size_t size) { tl_def_init(def, size, &tl_cloth_params); }
void tl_body_def_init(tl_body_def *def, size_t size) { tl_def_init(def, size, &tl_body_params); }
void tl_pin_def_init(tl_pin_def *def, size_t size) { tl_def_init(def, size, &tl_pin_params); }
void tl_key_def_init(tl_key_def *def, size_t size) { tl_def_init(def, size, &tl_key_params); }
