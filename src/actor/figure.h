/* Figures: the implicit surface and the joints of a body. */
#ifndef TL_ACTOR_FIGURE_H
#define TL_ACTOR_FIGURE_H

#include "actor/field.h"
#include "telar/character.h"

enum { TL_FIGURE_JOINTS = 32 };

typedef struct tl_figure {
    tl_field field;
    tl_joint joint[TL_FIGURE_JOINTS];
    int joint_count;
    tl_measures achieved;
} tl_figure;

extern const char *const tl_figure_name_list[]; /* NULL-terminated */

/* A person of complete measures. The girths of the surface are solved to them. */
void tl_figure_human(tl_figure *figure, const tl_measures *measures);
/* A dog as high at the shoulder as `height`. */
void tl_figure_dog(tl_figure *figure, double height);

#endif
