/* Characters: figures generated from measures, or any closed mesh, in one pose, to put garments on. A character is
   immutable and may be shared by any number of worlds and threads; the caller owns it. */
#ifndef TELAR_CHARACTER_H
#define TELAR_CHARACTER_H

#include "telar/measures.h"
#include "telar/mesh.h"
#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef struct tl_character tl_character;

/* What a vertex belongs to. */
typedef enum tl_body_part {
    TL_BODY_PART_TORSO,
    TL_BODY_PART_HEAD,
    TL_BODY_PART_LEFT_ARM, /* the character's own left, +x */
    TL_BODY_PART_RIGHT_ARM,
    TL_BODY_PART_LEFT_LEG,
    TL_BODY_PART_RIGHT_LEG,
    TL_BODY_PART_COUNT
} tl_body_part;

/* A joint of the rest pose, and the bone from it to `tip`. */
typedef struct tl_joint {
    const char *name;      /* static */
    int parent;            /* index of an earlier joint; -1: the root */
    tl_vec3 position, tip; /* m */
    int part;              /* tl_body_part */
} tl_joint;

/* Figures stand at the origin with their feet at y 0, face +z and hold their arms 45° below the horizontal. */
typedef struct tl_character_def {
    const char *figure;          /* tl_figure_names(): "human", "child", "dog" */
    const tl_measures *measures; /* NULL: those of the figure; missing ones are derived */
    tl_real edge;                /* m, of the triangles of the skin; 0: 25 mm */
} tl_character_def;

/* NULL-terminated. */
const char *const *tl_figure_names(void);
/* Measures of a figure where none are given, complete; those of a person for unknown names. */
tl_measures tl_figure_measures(const char *figure);

/* NULL on error. `allocator` (copied) and `error` may be NULL. Cost: about 0.5 s. */
tl_character *tl_character_create(const tl_character_def *def, const tl_allocator *allocator, tl_error *error);
/* From a closed mesh, of which positions and triangles are copied; without joints, parts or measures. */
tl_character *tl_character_create_mesh(const tl_mesh *mesh, const tl_allocator *allocator, tl_error *error);
void tl_character_destroy(tl_character *character); /* NULL is allowed */

/* The skin: closed and manifold, one vertex per particle. Belongs to the character. */
const tl_mesh *tl_character_mesh(const tl_character *character);
/* One tl_body_part per vertex; NULL without joints. */
const unsigned char *tl_character_parts(const tl_character *character);
int tl_character_joint_count(const tl_character *character); /* 0 for a mesh */
const tl_joint *tl_character_joint(const tl_character *character, int index);
int tl_character_find_joint(const tl_character *character, const char *name); /* -1 when there is none */
/* As asked for and completed, and as the surface has them; zeroed for other figures than people. */
const tl_measures *tl_character_measures(const tl_character *character);
const tl_measures *tl_character_achieved(const tl_character *character);

/* Vertices with the flesh at a share of its thickness (1: all, 0: none) around the bones, whose length stays: `out` has
   one per vertex. The same vertices for a mesh without joints. */
void tl_character_thin(const tl_character *character, tl_real share, tl_vec3 *out);

#ifdef __cplusplus
}
#endif

#endif
