/* The table of parameters: every settable quantity is declared once, with path, type, unit, default, range and one
   sentence. Scene files, `--set`, the panels of the studio, the reference page and error messages come from it. */
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
    TL_PARAM_NAME, /* const char *, one of a list of names or an alias of one; set to the list's own string */
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
    const char *const *aliases;  /* other words for names, in pairs "word", "name", … NULL; NULL: there are none */
    const tl_param_group *child; /* only for TL_PARAM_LIST */
    const char *help;            /* one sentence */
    size_t offset;               /* of the field in the group's struct */
    size_t size;                 /* of the field; of texts: with the closing zero */
    size_t count_offset;         /* of the int that holds a list's length */
} tl_param;

/* One struct of the interface (world, wind, cloth, pin, body, key …) and its parameters, in the order of the table. */
struct tl_param_group {
    const char *name;
    const char *help;
    const tl_param *params;
    int count;
    size_t size; /* of the struct */
    /* Called after a field was set, to keep fields that belong together in step; may be NULL. */
    void (*changed)(void *object, const tl_param *param);
};

/* A value on its way in or out. */
typedef struct tl_value {
    tl_param_type type;
    double number[3]; /* real, int, bool (0 or 1), vec3 */
    const char *text; /* name, text */
} tl_value;

/* Writes every default of the group into `object`; lists become empty. `changed` is not called: a table's defaults
   belong together. */
void tl_param_defaults(const tl_param_group *group, void *object);

/* The default of one parameter. */
tl_value tl_param_default(const tl_param *param);

/* The parameter with this path inside the group, NULL when there is none. */
const tl_param *tl_param_find(const tl_param_group *group, const char *path);

/* The error for a path that tl_param_find does not know, with its new name when it was renamed, else with the nearest
   one that exists. */
tl_result tl_param_unknown(const tl_param_group *group, const char *path, const char *where, tl_error *error);

/* The name of a NULL-terminated list nearest to a mistyped word, NULL when none is near: "did you mean". */
const char *tl_nearest_name(const char *word, const char *const *names);

/* Reads a field; of a list its length. The text of the value belongs to the object. */
tl_value tl_param_get(const tl_param *param, const void *object);

/* Checks type and range, then writes. On error nothing changes and the message reads
   "cloth[0].density: -1 is below 0 kg/m²"; `where` is the part before the path ("cloth[0]"), may be "". An infinite
   real is accepted only where `max` is INFINITY. Whole reals serve as ints, ints as reals, names as texts. */
tl_result tl_param_set(const tl_param_group *group, const tl_param *param, void *object, const tl_value *value,
                       const char *where, tl_error *error);

/* Turns the text of a command line ("0.5", "true", "[0, 1, 0]" or "0,1,0", "verlet") into a value of the parameter's
 * type. */
tl_result tl_param_parse(const tl_param *param, const char *text, tl_value *value, const char *where, tl_error *error);

/* Writes a value as that same text; returns the length as snprintf does. */
int tl_param_format(const tl_value *value, char *buffer, size_t size);

#ifdef __cplusplus
}
#endif

#endif
