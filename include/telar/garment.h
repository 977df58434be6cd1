/* Garments: a sewing pattern on a character, from open panels to worn. Dressing runs in a world of its own; what comes
   out is a mesh with positions, from which cloths are made. Same input, same bits: nothing depends on time or chance.
 */
#ifndef TELAR_GARMENT_H
#define TELAR_GARMENT_H

#include "telar/character.h"
#include "telar/pattern.h"
#include "telar/world.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_garment tl_garment;

typedef struct tl_garment_def {
    char label[64];
    tl_real edge;        /* m, of the triangles; 0: 20 mm */
    const char *lattice; /* as tl_panel_mesh_def */
    const char *fabric;  /* tl_fabric_names(); NULL: "interlock" */
    tl_real thickness;   /* m, distance kept from the body; 0: 4 mm */
    tl_real gap;         /* m, distance between layers of cloth; 0: half the thickness */
} tl_garment_def;

/* The phases of dressing, in order. */
typedef enum tl_dress_phase {
    TL_DRESS_PLACE,  /* panels around the body, as the pattern places them, checked and moved apart */
    TL_DRESS_SEW,    /* seams close */
    TL_DRESS_MERGE,  /* sewn vertices become one particle */
    TL_DRESS_GROW,   /* a body that was thinned gets its flesh back */
    TL_DRESS_SETTLE, /* gravity, until nothing moves */
    TL_DRESS_DONE,
    TL_DRESS_PHASES
} tl_dress_phase;
const char *tl_dress_phase_name(tl_dress_phase phase);

typedef struct tl_dress_report {
    tl_dress_phase phase;  /* where it is, or was when it failed */
    bool done;             /* nothing is left to do; look at `result` */
    tl_result result;      /* TL_OK, or why it ended */
    char message[320];     /* of a failure: phase, seam or panels, particle; else "" */
    char note[320];        /* what was done besides: panels moved, body thinned; "" */
    int particles, frames; /* of the garment; of all phases so far */
    int frames_of[TL_DRESS_PHASES];
    double seconds_of[TL_DRESS_PHASES]; /* s */
    double seconds;
    int attempts;       /* from the start, 0 and 1: it worked at once */
    int crossings;      /* pairs of triangles of this and inner garments */
    int inside;         /* particles inside the body */
    int body_crossings; /* pairs of triangles of garments and body */
    tl_real seam_gap;   /* m, largest just before the merge; mean: */
    tl_real seam_gap_mean;
    tl_real stretch_p99, stretch_max; /* 1, of edges */
    tl_real rms_speed;                /* m/s, of the vertices over the last ten frames or so */
    bool merged, thinned;
} tl_dress_report;

/* 0 … 1, for a bar: how much of a usual dressing is done. It may go back when dressing starts again. */
tl_real tl_dress_progress(const tl_dress_report *report);

typedef struct tl_dress_def {
    tl_real body_friction; /* 1; 0: 0.5 */
    int most_frames;       /* of settling; 0: 240 */
    tl_dress_phase until;  /* ends when this phase begins, to look at what was reached; 0: when it is worn */
    int threads;           /* as tl_world_def; 0: one */
    /* Called after every frame; false stops it. May be NULL. */
    bool (*progress)(void *user, const tl_dress_report *report);
    void *user;
} tl_dress_def;

/* Meshes the panels of a pattern to be put on a character, over another garment that is dressed (NULL: on the skin),
   and that over its own inner one. The pattern may be destroyed, character and inner garments must outlive it. */
tl_garment *tl_garment_create(const tl_pattern *pattern, const tl_character *character, tl_garment *inner,
                              const tl_garment_def *def, const tl_allocator *allocator, tl_error *error);
void tl_garment_destroy(tl_garment *garment); /* NULL is allowed */

/* All phases. Inner garments are held while this one is sewn and settle with it. `def` and `report` may be NULL. What
   was reached remains in the garment on failure. */
tl_result tl_garment_dress(tl_garment *garment, const tl_dress_def *def, tl_dress_report *report);
/* The same frame by frame: begin once, then step until report.done. */
tl_result tl_garment_dress_begin(tl_garment *garment, const tl_dress_def *def, tl_error *error);
void tl_garment_dress_step(tl_garment *garment, tl_dress_report *report);

/* For programs that keep what was dressed. The key is the same for garments that dressing brings to the same bits: it
   depends on panels, body, settings, inner garments as they are now, and the version of the library. TL_ERROR_MEMORY
   when memory is short. */
enum { TL_GARMENT_KEY = 33 }; /* bytes: hexadecimal digits and a zero */
tl_result tl_garment_key(const tl_garment *garment, const tl_dress_def *def, char key[TL_GARMENT_KEY]);
/* Positions of its vertices, and then those of its inner garments from the outermost, which dressing moves too. */
int tl_garment_state_count(const tl_garment *garment);
void tl_garment_state(const tl_garment *garment, tl_vec3 *positions);
/* Puts a garment into the state that dressing one with the same key left, instead of dressing it. TL_ERROR_INPUT: not
   tl_garment_state_count positions, or of a dressing that was not done. */
tl_result tl_garment_wear(tl_garment *garment, const tl_vec3 *positions, int count, const tl_dress_report *report);

/* Of the last dressing. */
const tl_dress_report *tl_garment_report(const tl_garment *garment);
/* The panels' mesh, and positions of its vertices as they are now, m. */
const tl_panel_mesh *tl_garment_panels(const tl_garment *garment);
const tl_vec3 *tl_garment_positions(const tl_garment *garment);
/* World in which it is being dressed, for drawing; NULL before and after. */
tl_world *tl_garment_world(tl_garment *garment);
/* The mesh with these positions, its seams sewn once they are merged and open before: for cloths, to which it is not
   copied. The caller owns it. */
tl_mesh *tl_garment_mesh(const tl_garment *garment, const tl_allocator *allocator, tl_error *error);
/* Settings for cloths of it: fabric, thickness, stepper and contact as it was settled with; without the mesh. */
tl_cloth_def tl_garment_cloth_def(const tl_garment *garment);

#ifdef __cplusplus
}
#endif

#endif
