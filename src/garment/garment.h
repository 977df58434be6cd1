/* A garment inside the engine. */
#ifndef TL_GARMENT_GARMENT_H
#define TL_GARMENT_GARMENT_H

#include "core/memory.h"
#include "core/vec.h"
#include "telar/garment.h"

enum { TL_GARMENT_LAYERS = 8 }; /* of garments over one another */

struct tl_garment {
    tl_allocator allocator;
    const tl_character *character;
    tl_garment *inner; /* NULL: on the skin */
    tl_garment_def def;
    tl_panel_mesh *panels;
    const tl_panel_mesh_arrays *arrays; /* of panels */
    char (*panel_name)[48];
    const tl_fabric **panel_fabric; /* static data */
    tl_real *elastic;               /* 1, per seam: sewn over cut length; 0: it is not elastic */
    tl_vec3 *x;                     /* m, per vertex, as it is now */
    int *open;                      /* particle of each vertex while seams are open */
    bool *limb;                     /* per seam: it joins a limb to the trunk, and closes after the others */
    int limb_seams;
    bool worn;

    /* while it is being dressed */
    tl_dress_def how;
    tl_dress_report report;
    tl_world *world;
    tl_body *body;
    tl_mesh *mesh[2];                   /* open, sewn */
    tl_cloth *cloth;                    /* of mesh[0], later of mesh[1] */
    tl_cloth *layer[TL_GARMENT_LAYERS]; /* of inner garments, the nearest first */
    tl_mesh *layer_mesh[TL_GARMENT_LAYERS];
    int layers;
    tl_vec3 *skin;     /* m, work: vertices of the body */
    tl_real share;     /* 1, of the body's flesh */
    int frame;         /* of this phase */
    int round;         /* of attempts from the start */
    bool tangled;      /* the merged garment still crosses itself somewhere */
    int attempts;      /* to merge */
    tl_real gap;       /* m, at the last of them */
    tl_real speed[10]; /* m/s, rms in the last frames of settling, in turn */
};

/* meshing.c: meshes of the garment with its present positions, sewn or open. */
tl_mesh *tl_garment_build(const tl_garment *garment, bool sewn, tl_error *error);
/* The map of the open garment: vertices that are sewn and at the same place already are one particle. */
bool tl_garment_open_map(tl_garment *garment);
/* All vertices of a particle of the sewn garment go to their mean; largest way of one, m. */
void tl_garment_join(tl_garment *garment);

/* place.c: moves panels apart that cross each other or the body. */
tl_result tl_garment_place(tl_garment *garment, tl_error *error);
/* Names of up to three panels with marked triangles, as text. */
void tl_garment_name_panels(const tl_garment *garment, const unsigned char *faces, char *text, size_t size);

/* rings.c: whether a panel goes around the trunk: it reaches the middle of the body. */
bool tl_garment_is_of_trunk(const tl_garment *garment, int panel);
/* limbs.c: moves sleeves so that the arm is in the middle between their seams. */
bool tl_garment_centre_limbs(tl_garment *garment, char *note, size_t size);

/* rings.c: the body's share of flesh to sew on: 1, or less where the garment is narrower than the body at its height.
 */
tl_real tl_garment_sewing_share(const tl_garment *garment, char *note, size_t size);

/* phases.c: one frame. */
tl_result tl_dress_start(tl_garment *garment, tl_error *error);
void tl_dress_frame(tl_garment *garment);
void tl_dress_end(tl_garment *garment); /* releases the world */

/* judge.c: m/s, rms of its vertices in the last frame. */
tl_real tl_dress_speed(const tl_garment *garment);
/* judge.c: numbers of the present state into the report. */
void tl_dress_measure(tl_garment *garment);
tl_result tl_dress_judge(tl_garment *garment);

/* Positions of the cloth become those of the garment. */
void tl_garment_take(tl_garment *garment);

#endif
