/* The table of parameters: every settable quantity is declared once, with path, type, unit, default, range and one
   sentence of help. Scene files, `--set`, the studio's panels, the reference page and error messages are made from it.
   Pointers must not be NULL unless a comment allows it; `error` may always be NULL. */
#ifndef TELAR_PARAM_H
#define TELAR_PARAM_H

#include "telar/types.h"

#ifdef __cplusplus
extern "C" {
#endif

typedef enum tl_param_type {
    TL_PARAM_REAL, /* tl_real */
    TL_PARAM_INT,  /* int */
    TL_PARAM_BOOL, /* bool */
    TL_PARAM_VEC3, /* tl_vec3 */
    TL_PARAM_NAME, /* const char *, one of a list of names or an alias; the field points to the list's string */
    TL_PARAM_TEXT, /* char[size], free text */
    TL_PARAM_LIST  /* pointer + int count: an array of structs described by `child` */
} tl_param_type;

typedef enum tl_param_when {
    TL_PARAM_LIVE,   /* takes effect at the next step of a running world */
    TL_PARAM_REBUILD /* takes effect when the world is built again */
} tl_param_when;

typedef struct tl_param_group tl_param_group;

typedef struct tl_param {
    const char *path; /* inside its group, "link.structural.stiffness" */
    tl_param_type type;
    tl_param_when when;
    const char *unit;            /* "N/m", "" when it has none */
    double value[3];             /* default (names: index into the list) */
    double min, max;             /* accepted range of numbers, per component of a vector */
    const char *text;            /* default of names and texts; NULL: first name, empty text */
    const char *const *names;    /* NULL-terminated, only for TL_PARAM_NAME */
    const char *const *aliases;  /* pairs "alias", "name", … NULL; NULL: no aliases */
    const tl_param_group *child; /* only for TL_PARAM_LIST */
    const char *help;            /* one sentence */
    size_t offset;               /* of the field in the group's struct */
    size_t size;                 /* of the field; texts: including the closing zero */
    size_t count_offset;         /* of the int that holds a list's length */
} tl_param;

/* One struct of the interface (world, wind, cloth, pin, body, key …) and its parameters, in the order of the table. */
struct tl_param_group {
    const char *name;
    const char *help;
    const tl_param *params;
    int count;
    size_t size; /* of the struct */
    /* Called after a field was set, to keep dependent fields consistent; may be NULL. */
    void (*changed)(void *object, const tl_param *param);
    /* Called by tl_param_defaults at its end, for members without a row in the table; may be NULL. */
    void (*complete)(void *object);
};

/* A value of any parameter type. */
typedef struct tl_value {
    tl_param_type type;
    double number[3]; /* real, int, bool (0 or 1), vec3 */
    const char *text; /* name, text; not owned */
} tl_value;

/* Writes every default of the group into `object`, whatever it held; lists become empty. Definitions of <telar/world.h>
   are complete afterwards, as their `…_default()` makes them. `changed` is not called: the defaults of a table are
   consistent. */
void tl_param_defaults(const tl_param_group *group, void *object);

/* The default of one parameter. */
tl_value tl_param_default(const tl_param *param);

/* The parameter with this path inside the group, NULL when there is none. */
const tl_param *tl_param_find(const tl_param_group *group, const char *path);

/* Sets the error for a path that tl_param_find does not know: its new name when it was renamed, else the most similar
   path. `where` as in tl_param_set. */
tl_result tl_param_unknown(const tl_param_group *group, const char *path, const char *where, tl_error *error);

/* The name of a NULL-terminated list most similar to a mistyped word, for "did you mean"; NULL when none is similar. */
const char *tl_nearest_name(const char *word, const char *const *names);

/* Reads a field; for a list, its length. The text of the value belongs to the object. */
tl_value tl_param_get(const tl_param *param, const void *object);

/* Checks type and range, then writes. On error nothing changes and the message reads "cloth[0].density: -1 is below 0
   kg/m²"; `where` is the prefix of the path ("cloth[0]"), may be "". An infinite real is accepted only where `max` is
   INFINITY. Whole reals serve as ints, ints as reals, names as texts. */
tl_result tl_param_set(const tl_param_group *group, const tl_param *param, void *object, const tl_value *value,
                       const char *where, tl_error *error);

/* Parses command-line text ("0.5", "true", "[0, 1, 0]" or "0,1,0", "verlet") into a value of the parameter's type. The
   value's text may point into `text`. */
tl_result tl_param_parse(const tl_param *param, const char *text, tl_value *value, const char *where, tl_error *error);

/* Inverse of tl_param_parse; returns the length as snprintf does. */
int tl_param_format(const tl_value *value, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
