/* An element is an energy on a few particles. Each kind is one class below, working on whole batches: its energy, its
   force, its Hessian and its constraint form. A cloth holds one batch per kind that its mesh supports.

   Energy of one element: E = ½ k Σ C_j², force −k ∇C_j C_j − d ∇C_j Ċ_j (for "full" link damping −d Δv), summed over
   the C_j of the element (stretch has two). The classes are listed in <telar/elements.h>. */
#ifndef TL_ELEMENT_ELEMENT_H
#define TL_ELEMENT_ELEMENT_H

#include "core/particles.h"
#include "mesh/mesh.h"
#include "telar/elements.h"

enum {
    TL_ELEMENT_MAX_PARTICLES = 9, /* of one element with a dense Hessian */
    TL_ELEMENT_MAX_CONDITIONS = 3 /* C_j of one element */
};

typedef struct tl_element_batch tl_element_batch;

/* What an element resists, as bits. Bending alone does not hold a sheet together. */
typedef enum tl_resists {
    TL_RESISTS_WARP = 1, /* stretch along warp */
    TL_RESISTS_WEFT = 2,
    TL_RESISTS_STRETCH = TL_RESISTS_WARP | TL_RESISTS_WEFT,
    TL_RESISTS_SHEAR = 4,
    TL_RESISTS_IN_PLANE = TL_RESISTS_STRETCH | TL_RESISTS_SHEAR,
    TL_RESISTS_BEND = 8
} tl_resists;

/* Settings of a class besides stiffness and damping. */
typedef struct tl_element_settings {
    bool full_damping;            /* links: damp all relative motion, not only along the link */
    tl_real stretch_u, stretch_v; /* continuum: rest stretch b_u, b_v */
    bool definite; /* drop the parts of Hessians that could make them indefinite, for implicit steppers */
    tl_real step;  /* s, of explicit integration of the force: bending limits its damping by it. 0: no limit */
} tl_element_settings;

/* Dense results of one element: rows in the order of its particles. */
typedef struct tl_element_hessian {
    int particle[TL_ELEMENT_MAX_PARTICLES];
    tl_real stiffness[TL_ELEMENT_MAX_PARTICLES][TL_ELEMENT_MAX_PARTICLES][3][3]; /* ∂²E/∂x∂x, N/m */
    tl_real damping[TL_ELEMENT_MAX_PARTICLES][TL_ELEMENT_MAX_PARTICLES][3][3];   /* −∂f/∂v, N·s/m */
} tl_element_hessian;

/* A 3 × 3 matrix between two particles, row by row, of TL_LANES elements side by side. */
typedef tl_real tl_element_pair[9][TL_LANES];

typedef struct tl_element_constraint {
    int particle[TL_ELEMENT_MAX_PARTICLES];
    tl_real value[TL_ELEMENT_MAX_CONDITIONS];
    tl_vec3 gradient[TL_ELEMENT_MAX_CONDITIONS][TL_ELEMENT_MAX_PARTICLES];
} tl_element_constraint;

typedef struct tl_element_class {
    const char *path; /* "link.structural" */
    const char *help;
    const char *unit;
    int particles;    /* of one element */
    int conditions;   /* C_j of one element */
    unsigned resists; /* tl_resists */
    bool link; /* joins two particles: `data` is a tl_link_set (element/link.h), solved in sweeps over all links */
    bool structural; /* a link along the threads, swept `extra_sweeps` more times in cloth without tethers
                        (step/sweep.h) */
    /* N/m, stiffness of a sheet of these elements alone in the directions it resists, with edges of `spacing` metres.
       NULL: the element's stiffness; not used for bending. */
    tl_real (*sheet_stiffness)(tl_real stiffness, tl_real spacing);
    /* Builds the batch for a mesh. A mesh without elements of this class gives a batch of count 0, not an error. */
    tl_result (*build)(tl_element_batch *batch, const tl_mesh *mesh, tl_error *error);
    void (*destroy)(tl_element_batch *batch);
    double (*energy)(const tl_element_batch *batch, const tl_particles *p);
    /* Adds elastic and damping forces to p->f. `force` uses `lanes`, `force_plain` is scalar; both give bit-identical
       results. */
    void (*force)(const tl_element_batch *batch, tl_particles *p);
    void (*force_plain)(const tl_element_batch *batch, tl_particles *p);
    /* Elements first … first+count-1 into out[0 … count-1]. */
    void (*hessian)(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                    tl_element_hessian *out);
    /* Many at once: adds by_position × ∂²E/∂x_i∂x_j − by_velocity × ∂f_i/∂v_j of elements first … first+count-1, both
       multiples of TL_LANES, to out, in the definite form: per TL_LANES elements the pairs i < j of their particles,
       (0, 1), (0, 2), …, (1, 2), …. Uses `lanes`, all with the same bits; elements past the last give finite numbers.
       NULL: by `hessian`. */
    void (*pairs)(const tl_element_batch *batch, const tl_particles *p, int first, int count, tl_real by_position,
                  tl_real by_velocity, tl_element_pair *out);
    void (*constraint)(const tl_element_batch *batch, const tl_particles *p, int first, int count,
                       tl_element_constraint *out);
    /* Vectorised solver of the constraint form (element/solve.h). NULL: solved one element at a time. */
    const struct tl_solve_kernels *solve;
    /* The particles of element k, in the order of the Hessian. */
    void (*members)(const tl_element_batch *batch, int k, int particle[TL_ELEMENT_MAX_PARTICLES]);
    /* True when ∂²E/∂x_i∂x_j of element k is stiffness × weight[i][j] × I in every state; sets those weights, which
       also bound −∂f/∂v / damping from above. NULL: never. */
    bool (*constant)(const tl_element_batch *batch, int k,
                     tl_real weight[TL_ELEMENT_MAX_PARTICLES][TL_ELEMENT_MAX_PARTICLES]);
} tl_element_class;

struct tl_element_batch {
    const tl_element_class *kind;
    tl_allocator allocator;
    int count;                  /* elements */
    tl_real stiffness, damping; /* from the cloth's definition, may change between steps */
    tl_element_settings settings;
    int lanes;    /* 8, 4 or 1: which kernels `force` uses */
    void *data;   /* the class's own arrays */
    size_t bytes; /* of data */
};

/* `force` and `force_plain` of a class whose kernels are kernel##_w8, _w4 and _w1. */
#define TL_FORCE_BY_LANES(kernel)                                                                                      \
    static void force_plain(const tl_element_batch *batch, tl_particles *p)                                            \
    {                                                                                                                  \
        if (batch->count > 0)                                                                                          \
            kernel##_w1(batch, batch->data, p);                                                                        \
    }                                                                                                                  \
    static void force(const tl_element_batch *batch, tl_particles *p)                                                  \
    {                                                                                                                  \
        if (batch->count > 0 && batch->lanes == 8)                                                                     \
            TL_W8(kernel)(batch, batch->data, p);                                                                      \
        else if (batch->count > 0 && batch->lanes == 4)                                                                \
            kernel##_w4(batch, batch->data, p);                                                                        \
        else                                                                                                           \
            force_plain(batch, p);                                                                                     \
    }

/* In the order of TL_ELEMENTS. */
extern const tl_element_class *const tl_element_classes[TL_ELEMENT_COUNT];

/* Particles i and j of links k = first … of a link batch, for drawing and strain; other classes have none. */
int tl_link_pair(const tl_element_batch *batch, int index, int *i, int *j, tl_real *rest_length);

#endif
