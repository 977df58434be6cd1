/* What the readers of pattern files collect: panels, stitches and the rest, in memory that is released at once. */
#ifndef TL_IO_PATTERN_FILE_H
#define TL_IO_PATTERN_FILE_H

#include "pattern/pattern.h"

typedef struct tl_read_panel {
    tl_panel_def def;
    int *loop_end; /* edges before the end of each loop */
    int loop_count;
    bool
        reversed; /* its edges were reversed, as a mirrored part's are, so that the right side remains the right side */
} tl_read_panel;

typedef struct tl_read_set {
    tl_store store;
    tl_read_panel *panels;
    tl_stitch_def *stitches;
    tl_pattern_anchor_def *anchors;
    tl_pattern_closure_def *closures;
    int panel_count, stitch_count, anchor_count, closure_count;
    int panel_room, stitch_room, anchor_room, closure_room;
    double units;
    const char *kept, *kept_properties;
} tl_read_set;

tl_read_set tl_read_set_empty(void);

/* NULL and false: no memory. A panel's address is valid until the next is added. */
tl_read_panel *tl_read_set_add_panel(tl_read_set *set);
bool tl_read_set_add_stitch(tl_read_set *set, const tl_stitch_def *stitch);
bool tl_read_set_add_anchor(tl_read_set *set, const tl_pattern_anchor_def *anchor); /* the first of a label is kept */
bool tl_read_set_add_closure(tl_read_set *set, const tl_pattern_closure_def *closure);

/* The panel prefix + name, from `first` on; −1: none. */
int tl_read_set_find(const tl_read_set *set, int first, const char *prefix, const char *name);

/* Ends a loop of the panel's edges. */
bool tl_read_panel_add_loop(tl_read_set *set, tl_read_panel *panel, int end);
/* Puts the origin of the panel into the middle of its vertices, without moving it otherwise unless it is rotated. */
void tl_read_panel_normalize(tl_read_panel *panel);
/* From edges as in the file to edges as they are now. */
void tl_read_panel_turn_side(const tl_read_panel *panel, tl_stitch_side *side);

/* Mirrors left and right, then moves, what was added since the mark. */
typedef struct tl_read_mark {
    int panels, stitches, anchors, closures;
} tl_read_mark;
tl_read_mark tl_read_set_mark(const tl_read_set *set);
bool tl_read_set_move(tl_read_set *set, tl_read_mark since, bool mirror, const double translation[3]);

/* Panels of formats that do not say where panels are: fronts before the figure, backs behind it, by their names. */
void tl_read_set_spread(tl_read_set *set);

tl_pattern *tl_read_set_pattern(const tl_read_set *set, const char *name, tl_error *error);

#endif
