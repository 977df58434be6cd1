/* Worlds, cloths, bodies and wind: the simulation itself.

   Threading: a world and everything in it may be used by one thread at a time; different worlds are independent.
   Ownership: what a create call returns belongs to the world and is destroyed with it. Pointers to running state are
   valid until the next call that changes the same object. Pointers must not be NULL unless a comment allows it. Strings
   in definitions must be names the library lists, or NULL for the default; they are not kept. */
#ifndef TELAR_WORLD_H
#define TELAR_WORLD_H

#include "telar/elements.h"
#include "telar/mesh.h"
#include "telar/param.h"
#include "telar/shapes.h"
#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_world tl_world;
typedef struct tl_cloth tl_cloth;
typedef struct tl_body tl_body;

/* ---- definitions -------------------------------------------------------------------------------------------- */

/* First member of the definitions below. Their `…_default()` sets it; leave it as it is. It says which definition this
   is and how large the program knows it to be, so that a library with more members finds the defaults for the others. A
   definition that `…_default()` did not make is refused. */
typedef struct tl_def_mark {
    uint16_t kind;
    uint8_t version;
    uint8_t fabric; /* of a cloth: whose numbers it has, as index into tl_fabric_names() */
    uint32_t size;  /* bytes */
} tl_def_mark;

typedef struct tl_wind_def {
    const char *kind;      /* "still", "uniform", "gusts", "turbulent", "veering", "wandering" */
    tl_vec3 velocity;      /* m/s, mean */
    tl_real air_density;   /* kg/m³ */
    tl_real gust_strength; /* 1; fraction of the mean speed */
    tl_real gust_period;   /* s */
    tl_real eddy_strength; /* 1; fraction of the mean speed */
    tl_real eddy_size;     /* m */
    int seed;
} tl_wind_def;

typedef struct tl_world_def {
    tl_def_mark mark; /* set by tl_world_def_default() */
    tl_vec3 gravity;  /* m/s² */
    tl_wind_def wind;
    int threads; /* for cloths large enough to profit; 0: one per core. Results are bit-identical for any number. With a
                    custom allocator, small cloths and the cloth broad phase run on one thread */
    const char *simd;      /* "auto", "avx2", "sse", "scalar"; results are bit-identical */
    tl_real runaway_speed; /* m/s; a particle faster than this makes the step unstable */
    tl_real
        leap_speed;         /* m/s; pins and kinematic bodies whose velocity changes by more from one frame to the next
                               have leapt: bodies push nothing on the way, and cloth is carried along if all its pins leap */
    tl_allocator allocator; /* zeroed: the C library's heap */
    void (*log)(void *user, const char *message); /* NULL: silent */
    void *log_user;
} tl_world_def;

/* Which particles are pinned, and to what. */
typedef struct tl_pin_def {
    tl_def_mark mark;  /* set by tl_pin_def_default() */
    const char *where; /* "index", "corner", "edge", "region" */
    const char *name;  /* corners: "top-left" …; edges: "top", "bottom", "left", "right" */
    int index;         /* vertex, for "index" */
    tl_vec3 low, high; /* m; box in the starting pose, for "region" */
    int body;          /* index of the body the pins follow; -1: fixed in space */
} tl_pin_def;

typedef struct tl_cloth_def {
    tl_def_mark mark;      /* set by tl_cloth_def_default() */
    char label[64];        /* shown to people */
    const tl_mesh *mesh;   /* NULL: the shape below; not copied, must outlive the cloth */
    const char *shape;     /* tl_surface_names(): "sheet", "ball", "ring", "cushion", "balloon" */
    int columns, rows;     /* particles, as tl_grid_def and tl_surface_def say */
    tl_real width, height; /* m */
    tl_real bulge;         /* m; as tl_surface_def.bulge */
    const char *diagonals; /* "one", "alternating" */
    const char *plane;     /* "horizontal", "vertical": frame before `rotation` */
    tl_vec3 center;        /* m; offset of the cloth, 0 by default: a sheet's middle, a mesh stays where it is */
    tl_vec3 rotation;      /* degrees, about x, then y, then z */
    tl_real ripple;        /* m; height of an initial ripple that breaks symmetry */

    const char *fabric;      /* tl_fabric_names(): density and elements that still have their defaults take the fabric's
                                numbers, those changed here stay; the material becomes "fabric" unless it or the `on` of an
                                element was changed. "custom": the values below are used as given */
    tl_real density;         /* kg/m² */
    tl_real particle_mass;   /* kg; above 0: every particle has this mass and `density` is ignored */
    const char *mass_spread; /* "equal", "random", "sinusoidal" */
    tl_real mass_ratio;      /* 1; mass of the heaviest particle over the lightest */
    int seed;

    const char *material; /* "springs", "springs20", "continuum", "fabric", "custom" */
    tl_elements_def elements;
    const char *link_damping;     /* "along", "full" */
    tl_real stretch_u, stretch_v; /* 1; rest stretch b_u, b_v of the continuum */
    tl_gas_def gas;               /* inside, when the surface is closed */

    const char *stepper;           /* tl_stepper_names(), or "automatic": by the material */
    const char *contact;           /* tl_contact_names() */
    char schedule[128];            /* stages of a substep; "": the stepper's default */
    tl_real substep_rate;          /* 1/s; substeps per second where `substeps` is 0; 0: the stepper's own */
    int substeps;                  /* above 0: per frame, whatever its length */
    bool stable;                   /* explicit steppers take as many substeps as they need to be stable, when that is
                                      more; explicit-euler and kinematic are damped by what they gain */
    int iterations;                /* of what the schedule repeats */
    bool tether;                   /* long-range attachments to pinned particles, for position-based steppers */
    bool multilevel;               /* coarse-to-fine sweep, for position-based steppers on grids */
    int extra_sweeps;              /* over structural links in every iteration, for cloth without tethers */
    tl_real range_low, range_high; /* 1; lengths the range stepper leaves alone, relative to the rest length */
    tl_real projection_loss;       /* 1; fraction of each correction the projection stepper omits */
    int newton;                    /* implicit steppers: Newton iterations per substep */
    int solver_iterations;         /* implicit steppers: maximum conjugate gradient iterations */
    tl_real solver_tolerance;      /* 1; implicit steppers: relative residual to stop at */
    const char *preconditioner;    /* "multigrid", "sweep", "blocks" */
    tl_real damping;               /* 1/s; decay rate of all velocities */
    bool strain_limit;             /* keeps links from stretching beyond the two limits */
    tl_real strain_limit_warp, strain_limit_weft; /* 1; maximum stretch */
    int strain_limit_passes;                      /* per substep */
    bool adaptive;                                /* choose the number of substeps from the two bounds below */
    tl_real adaptive_strain;                      /* 1; maximum change of strain per substep */
    tl_real adaptive_motion;                      /* 1; maximum displacement per substep, in edge lengths */

    tl_real thickness;      /* m; distance kept from bodies */
    tl_real friction;       /* 1; multiplied with the body's */
    tl_real cloth_gap;      /* m; distance kept between layers of cloth; 0: `thickness` */
    tl_real cloth_friction; /* 1; between layers of cloth */
    const char *air;        /* "off", "particle", "face", "load" */
    tl_real drag, lift;     /* 1; coefficients */

    const tl_pin_def *pins; /* copied on create */
    int pin_count;

    const char *surface;           /* of a sheet: "particles", "nurbs", "hybrid" */
    int nurbs_columns, nurbs_rows; /* control points of a NURBS surface */
    tl_real load_area;             /* m²; of every face, for air "load" */
    bool gravity_as_force;         /* gravity pulls each particle as if masses were not spread (mass_spread) */
    bool projection_halves;        /* projection stepper: corrections by halves instead of by inverse mass */
} tl_cloth_def;

/* A keyframe of a body's path. */
typedef struct tl_key_def {
    tl_def_mark mark; /* set by tl_key_def_default() */
    tl_real time;     /* s */
    tl_vec3 position; /* m, relative to the body's own */
    tl_vec3 rotation; /* degrees, about x, then y, then z, before the body's own */
} tl_key_def;

typedef struct tl_body_def {
    tl_def_mark mark; /* set by tl_body_def_default() */
    char label[64];
    const char *shape;   /* "sphere" …, one of tl_shape_names() */
    const tl_mesh *mesh; /* triangles of shape "mesh", in the body's frame; not copied, must outlive the body; NULL for
                            other shapes */
    const char *tree;    /* broad phase of a mesh: "bvh", "octree"; deforming meshes always use the bvh */
    int octree_height;   /* levels of the octree */
    bool solid;          /* a mesh has an inside and collides on its front only; otherwise it is thin and two-sided */
    const tl_vec3 *shapes; /* m; shape_count sets of positions of all vertices, played in order from the first; copied
                              on create; NULL: the mesh keeps its shape */
    int shape_count;
    tl_real shape_rate;  /* 1/s; shapes per second */
    tl_vec3 position;    /* m */
    tl_vec3 rotation;    /* degrees, about x, then y, then z */
    tl_vec3 size;        /* m; tl_shape_size_help says what it means for each shape */
    tl_real friction;    /* 1 */
    tl_real restitution; /* 1 */
    bool on;             /* takes part in contact */
    tl_real mass; /* kg; above 0: a dynamic body (spheres and boxes only), moved by gravity, cloth and other bodies. 0:
                     static, or kinematic with keys, shapes or tl_body_move */
    tl_vec3 velocity;       /* m/s, of a dynamic body at the start */
    bool kinematic;         /* holds a dynamic body in place until switched off */
    tl_real release_time;   /* s; a dynamic body is kinematic before this time */
    bool loop;              /* keys and shapes repeat from the first after the last */
    const tl_key_def *keys; /* copied on create, ascending in time */
    int key_count;
} tl_body_def;

/* Fills a definition of `size` bytes with the defaults. The calls below do that for C and C++; other languages call it
   themselves. */
void tl_world_def_init(tl_world_def *def, size_t size);
void tl_cloth_def_init(tl_cloth_def *def, size_t size);
void tl_body_def_init(tl_body_def *def, size_t size);
void tl_pin_def_init(tl_pin_def *def, size_t size);
void tl_key_def_init(tl_key_def *def, size_t size);

/* Definitions with all defaults, to be changed and passed to a create call. Inline, so that their size is the one that
   the program was compiled with. */
static inline tl_world_def tl_world_def_default(void)
{
    tl_world_def def;
    tl_world_def_init(&def, sizeof def);
    return def;
}

static inline tl_cloth_def tl_cloth_def_default(void)
{
    tl_cloth_def def;
    tl_cloth_def_init(&def, sizeof def);
    return def;
}

/* A sheet of columns × rows particles, width × height m, one metre above the origin: its `center` is (0, 1, 0). */
static inline tl_cloth_def tl_cloth_def_grid(int columns, int rows, tl_real width, tl_real height)
{
    tl_cloth_def def = tl_cloth_def_default();
    def.columns = columns;
    def.rows = rows;
    def.width = width;
    def.height = height;
    def.center.y = 1;
    return def;
}

static inline tl_body_def tl_body_def_default(void)
{
    tl_body_def def;
    tl_body_def_init(&def, sizeof def);
    return def;
}

static inline tl_pin_def tl_pin_def_default(void)
{
    tl_pin_def def;
    tl_pin_def_init(&def, sizeof def);
    return def;
}

static inline tl_key_def tl_key_def_default(void)
{
    tl_key_def def;
    tl_key_def_init(&def, sizeof def);
    return def;
}

/* A measured fabric. Setting `fabric` in a definition fills in these values where the definition has the defaults;
   setting the parameter overwrites what was there, and numbers set afterwards stay. Static data. */
typedef struct tl_fabric {
    const char *name, *use, *source;
    tl_real density;           /* kg/m² */
    tl_real warp, weft, shear; /* N/m, membrane moduli */
    tl_real bend[3];           /* N·m, bending stiffness along warp, the diagonal and weft */
    tl_vec3 color;             /* sRGB, for drawing */
    tl_real sheen;             /* 0…1, glow of fibres at grazing angles */
} tl_fabric;
const tl_fabric *tl_fabric_named(const char *name); /* NULL for unknown names and for "custom" */
tl_real tl_fabric_bend(const tl_fabric *fabric); /* N·m, mean over all directions, as used by the bending elements */

/* The parameter groups behind the definitions, for scene files and panels. */
extern const tl_param_group tl_world_params, tl_wind_params, tl_cloth_params, tl_pin_params, tl_body_params,
    tl_key_params;

/* NULL-terminated lists of all names; shapes are in <telar/shapes.h>. */
const char *const *tl_stepper_names(void);
const char *const *tl_contact_names(void);
const char *const *tl_element_names(void); /* "link.structural" … in the order of TL_ELEMENTS */
const char *const *tl_material_names(void);
const char *const *tl_fabric_names(void);  /* the first is "custom": no fabric */
const char *tl_describe(const char *name); /* one sentence on a stepper, contact method, shape, element or material */
const char *tl_version(void);

/* ---- worlds ------------------------------------------------------------------------------------------------- */

/* NULL when memory is short or the definition is invalid. `def` comes from tl_world_def_default() and is copied.
   `error` may be NULL. NULL names mean the defaults. */
tl_world *tl_world_create(const tl_world_def *def, tl_error *error);
void tl_world_destroy(tl_world *world); /* NULL is allowed */

/* Advances the world by dt seconds (one frame); 0 is a pause and changes nothing. TL_ERROR_UNSTABLE: the frame was
   rejected for the cloth named in tl_last_error, with the cause; everything else advanced. A cloth that is rejected
   three frames in a row is stopped, one that is six times is brought back to its starting shape: it goes on. */
tl_result tl_world_step(tl_world *world, tl_real dt);

/* One stage of a cloth's schedule, or one phase of the world. Stages of cloths on different threads overlap. */
typedef struct tl_trace_entry {
    const char *name;      /* such as "integrate" or "solve"; static */
    int cloth;             /* its index during the frame; -1: the world */
    int substep;           /* from 0, of the cloth or the world; an adaptive substep that is retried keeps its number.
                              -1: outside of substeps */
    double start, seconds; /* s; start is on a monotonic clock */
    int count;             /* of what `counts` names, such as "sweeps" */
    const char *counts;    /* static; NULL: nothing was counted */
} tl_trace_entry;

/* Whether frames are recorded from now on; off by default. Drops what was recorded. */
void tl_world_set_trace(tl_world *world, bool on);
/* Entry k of the last frame, in order of start; NULL beyond the last. Valid until the next step or tl_world_set_trace.
   Entries for which there was no memory are missing. */
const tl_trace_entry *tl_world_trace(const tl_world *world, int k);

double tl_world_time(const tl_world *world);      /* s */
const char *tl_last_error(const tl_world *world); /* "" when there was none */
tl_result tl_last_result(const tl_world *world);  /* its code; TL_OK when there was none */

int tl_world_cloth_count(const tl_world *world);
tl_cloth *tl_world_cloth(const tl_world *world, int index);
int tl_world_body_count(const tl_world *world);
tl_body *tl_world_body(const tl_world *world, int index);

/* Changes "gravity", "wind.kind" … of a running world; TL_PARAM_REBUILD parameters fail with a message. */
tl_result tl_world_set(tl_world *world, const char *path, const tl_value *value);
const tl_world_def *tl_world_get_def(const tl_world *world);

/* Velocity of the air at a position at the current time, m/s. */
tl_vec3 tl_world_wind_at(const tl_world *world, tl_vec3 position);

/* Subtracts `shift`, m, from every pose of the world: cloths, pins, bodies and their targets, the wind. Local positions
   keep their bits, and motion goes on as if nothing had happened. For programs that keep the camera near 0. */
tl_result tl_world_shift_origin(tl_world *world, tl_vec3 shift);

/* Number of intersecting pairs of triangles of all cloths, by exact predicates; triangles that only share a vertex or
   edge do not count. -1 when memory is short. Cost: a broad phase over all triangles, not for every frame. */
int tl_world_count_intersections(tl_world *world);

/* ---- cloths ------------------------------------------------------------------------------------------------- */

tl_cloth *tl_cloth_create(tl_world *world, const tl_cloth_def *def); /* NULL on error: tl_last_error(world) */
void tl_cloth_destroy(tl_world *world, tl_cloth *cloth);             /* nothing happens when NULL or of another world */

/* Changes any TL_PARAM_LIVE parameter of a running cloth; the state continues without a jump. */
tl_result tl_cloth_set(tl_cloth *cloth, const char *path, const tl_value *value);
/* As it is now, with the numbers of the fabric filled in; a cloth created from it is the same but for its pins. */
const tl_cloth_def *tl_cloth_get_def(const tl_cloth *cloth);
const char *
tl_cloth_stepper(const tl_cloth *cloth); /* the stepper at work, also where the definition has "automatic" */
const tl_mesh *tl_cloth_mesh(const tl_cloth *cloth);

/* State per vertex, in the order of the mesh's vertices; valid until the next step. Converted on the first call after a
   step, O(vertices); forces and strains are evaluated then. NULL when memory is short. */
int tl_cloth_vertex_count(const tl_cloth *cloth);
const tl_vec3 *tl_cloth_positions(tl_cloth *cloth); /* m */
/* m, relative to tl_cloth_origin: the coordinates of the simulation, as precise far away as near the world's origin */
const tl_vec3 *tl_cloth_local_positions(tl_cloth *cloth);
/* m, between the start (blend 0) and the end (1) of the last frame: what to draw between two fixed steps
   (<telar/clock.h>). Without a jump where the cloth was teleported or set. */
const tl_vec3 *tl_cloth_blended_positions(tl_cloth *cloth, tl_real blend);
const tl_vec3 *tl_cloth_velocities(tl_cloth *cloth);     /* m/s */
const tl_vec3 *tl_cloth_normals(tl_cloth *cloth);        /* unit, area-weighted */
const tl_vec3 *tl_cloth_forces(tl_cloth *cloth);         /* N, sum of elements, gravity and air */
const tl_real *tl_cloth_strains(tl_cloth *cloth);        /* 1, largest strain of the vertex's edges */
const tl_real *tl_cloth_contact_forces(tl_cloth *cloth); /* N, normal contact force averaged over the last frame */
const tl_real *tl_cloth_masses(tl_cloth *cloth);         /* kg */

/* Where local positions start, m: near the cloth, a multiple of 16 m, less what tl_world_shift_origin subtracted. 0 for
   cloth created within 8 m of the world's origin; follows between frames once the cloth is more than 16 m away. Cloths
   in contact with each other or with mesh bodies share one: the log names a cloth that is too far away from most of
   them to be simulated right. */
tl_vec3 tl_cloth_origin(const tl_cloth *cloth);

/* Pairs of vertices joined by enabled links, for drawing. Returns the count, of which at most `capacity` are written;
   `pairs` may be NULL when it is 0. */
int tl_cloth_links(const tl_cloth *cloth, int (*pairs)[2], int capacity);

/* Pins and external forces. A pinned particle moves only with the body of its pin or by tl_cloth_move_pin, which
   detaches it from the body. */
tl_result tl_cloth_pin(tl_cloth *cloth, int vertex, bool held);
bool tl_cloth_pinned(const tl_cloth *cloth, int vertex);
/* Reached at the end of the next step; where it is a leap (leap_speed) that other pins do not take part in, later. */
tl_result tl_cloth_move_pin(tl_cloth *cloth, int vertex, tl_vec3 position);
tl_result tl_cloth_add_force(tl_cloth *cloth, int vertex, tl_vec3 force); /* N, during the next step */
tl_result tl_cloth_set_state(tl_cloth *cloth, const tl_vec3 *positions,
                             const tl_vec3 *velocities); /* either may be NULL */
/* Sews: draws the two vertices of each pair together by a rigid thread that only pulls, and whose length shrinks evenly
   from their present distance to 0 within `seconds`, then stays 0. Replaces earlier pairs; a count of 0 ends it,
   `pairs` may then be NULL. Not part of snapshots: sew again after restoring one. */
tl_result tl_cloth_sew(tl_cloth *cloth, const int (*pairs)[2], int count, tl_real seconds);
/* Largest distance of two vertices that are being sewn, m, and the mean (may be NULL); 0 when there are none. */
tl_real tl_cloth_sew_gap(const tl_cloth *cloth, tl_real *mean);
/* Moves the cloth rigidly between two frames, to pivot + turn (x − pivot) + shift, m, with its shape, its pins and its
   velocities, which turn along, or else become 0. Pins that follow a body return to it: move the body too. */
tl_result tl_cloth_teleport(tl_cloth *cloth, tl_vec3 pivot, tl_quat turn, tl_vec3 shift, bool keep_velocities);

/* As tl_world_count_intersections, for pairs with at least one triangle of this cloth. `faces` may be NULL, else has
   one byte per triangle of the mesh, set to 1 for intersecting triangles and to 0 for the others. */
int tl_cloth_count_intersections(tl_cloth *cloth, unsigned char *faces);

/* Number of pairs of a triangle of this cloth and one of a body of shape "mesh" that is on, by exact predicates. 0
   where the cloth lies on its bodies; particles that are outside may still stand on triangles that a corner of a body
   pierces. -1 when memory is short. */
int tl_cloth_count_body_intersections(tl_cloth *cloth);

/* Unpinned particles inside a body: 0 unless the cloth's contact is "none" or it is squeezed between bodies. Bodies of
   shape "mesh" have an inside when they are solid and closed. `deepest` (may be NULL) is the largest penetration, m.
   Cost: particles × bodies. */
int tl_cloth_count_penetrating(const tl_cloth *cloth, tl_real *deepest);

typedef struct tl_energies {
    double kinetic, gravity, elastic; /* J; gravity is 0 at the origin */
    double gas; /* J, of the gas and the ambient air it displaces; only differences are meaningful */
} tl_energies;
tl_energies tl_cloth_energies(tl_cloth *cloth);
tl_vec3 tl_cloth_momentum(tl_cloth *cloth);         /* kg·m/s */
tl_vec3 tl_cloth_angular_momentum(tl_cloth *cloth); /* kg·m²/s about the origin */

/* A share of forces above which a cloth's stretch and drape are not those of its material. */
#define TL_MATERIAL_ERROR 0.1

/* Counters and times of the last frame. */
typedef struct tl_cloth_stats {
    int particles, links, faces, edges;
    int substeps;           /* taken in the last frame */
    int parts;              /* 1; above: each substep was divided, too long for what turned or met in it */
    int contacts;           /* particles in contact with a body of any shape at its end, each once */
    int solver_iterations;  /* of conjugate gradients in the last frame, implicit steppers only */
    int pairs;              /* candidate pairs of features at its end, over all cloths in cloth contact */
    int rebuilds;           /* of the candidate pairs in the broad phase */
    int truncated;          /* displacements that contact shortened: penetration-free, or too long to follow */
    int guarded;            /* 1: self-collision left new crossings, and the frame was taken again without any */
    int held;               /* particles that penetration-free contact could not move, the most in a substep: 0 */
    int rejected_frames;    /* since creation, rejected as unstable */
    int recoveries;         /* since creation, stopped or brought back after rejected frames in a row */
    tl_real largest_strain; /* 1 */
    tl_real largest_speed;  /* m/s */
    /* 1, how far the method is from the material in the last substep: forces that its stiffness does not explain over
       those that act on it. Near 0 where the method follows the material; above TL_MATERIAL_ERROR cloth is visibly
       softer (or stiffer) than its numbers say: more substeps or another stepper. 0 when nothing can be judged. */
    tl_real material_error;
    double volume;                                                        /* m³ enclosed; 0 without gas */
    double pressure;                                                      /* Pa, of the gas; 0 without it */
    double nrt;                                                           /* J, n R T of the enclosed gas */
    double seconds_forces, seconds_step, seconds_contact, seconds_finish; /* s */
    double seconds_model; /* within the step: constraint projection of position-based steppers */
    double seconds_gravity, seconds_elements, seconds_volume,
        seconds_gas; /* within forces; seconds_gas includes seconds_volume */
    size_t bytes;    /* memory of the cloth, including its mesh */
    int simulated;   /* particles in the last frame, or control points of a NURBS surface */
} tl_cloth_stats;
tl_cloth_stats tl_cloth_get_stats(tl_cloth *cloth);
/* One line for the user about a material_error, best averaged over some frames: what it means and what to do. "" up to
   TL_MATERIAL_ERROR. Returns `text`. */
const char *tl_cloth_material_advice(const tl_cloth *cloth, double share, char *text, size_t size);

/* ---- bodies ------------------------------------------------------------------------------------------------- */

tl_body *tl_body_create(tl_world *world, const tl_body_def *def); /* NULL on error: tl_last_error(world) */
/* Pins that follow the body stay where they are, as if they had none. Later bodies move down by one index, and pins
   that follow them with them; a snapshot from before has one body more and is refused. Nothing happens when `body` is
   NULL or of another world. */
void tl_body_destroy(tl_world *world, tl_body *body);
tl_body *tl_world_add_sphere(tl_world *world, tl_vec3 center, tl_real radius, tl_real friction);
tl_body *tl_world_add_plane(tl_world *world, tl_vec3 point, tl_vec3 normal, tl_real friction);
tl_result tl_body_set(tl_body *body, const char *path, const tl_value *value);
const tl_body_def *tl_body_get_def(const tl_body *body);

/* Current pose (either may be NULL), and the target pose of a kinematic body at the end of the next step. */
void tl_body_pose(const tl_body *body, tl_vec3 *position, tl_quat *rotation);
tl_result tl_body_move(tl_body *body, tl_vec3 position, tl_quat rotation);
/* The pose between the start (blend 0) and the end (1) of the last frame; as tl_cloth_blended_positions. */
void tl_body_blended_pose(const tl_body *body, tl_real blend, tl_vec3 *position, tl_quat *rotation);

/* Vertices of a body of shape "mesh", in its own frame and the order of its mesh: current positions (NULL: only returns
   their number), and target positions at the end of the next step. m */
int tl_body_vertices(const tl_body *body, tl_vec3 *positions);
tl_result tl_body_move_vertices(tl_body *body, const tl_vec3 *positions);
bool tl_body_deformed(const tl_body *body); /* its vertices were moved, or it has shapes */

/* Impulse of cloth on the body in the last step, N·s, and its moment about the body's position, N·m·s. Either may be
   NULL. */
void tl_body_impulse(const tl_body *body, tl_vec3 *impulse, tl_vec3 *moment);

/* Linear velocity, m/s, and angular velocity, rad/s, of a dynamic body. Either may be NULL. */
void tl_body_velocity(const tl_body *body, tl_vec3 *velocity, tl_vec3 *spin);

/* Signed distance of a point from the surface, m, negative inside; `normal` (may be NULL) receives the outward normal
   there. */
tl_real tl_body_distance(const tl_body *body, tl_vec3 point, tl_vec3 *normal);

/* ---- snapshots ---------------------------------------------------------------------------------------------- */

/* The complete state of a running world as bytes, restored exactly into a world built from the same definitions on the
   same machine by the same build. The caller owns `bytes`. */
size_t tl_world_snapshot_size(const tl_world *world);
tl_result tl_world_save(tl_world *world, void *bytes, size_t size);
tl_result tl_world_restore(tl_world *world, const void *bytes, size_t size);

/* Hash of the state: equal for bit-identical states, whatever the number of threads and SIMD width. */
uint64_t tl_world_hash(const tl_world *world);

#ifdef __cplusplus
}
#endif

#endif
