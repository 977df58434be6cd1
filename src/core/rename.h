/* Parameters renamed since an earlier version. Old names are rejected with a message that gives the new one;
   tl_scene_upgrade rewrites them in scene files. */
#ifndef TL_CORE_RENAME_H
#define TL_CORE_RENAME_H

/* `path` inside the group became `new_path`; for TL_PARAM_NAME parameters, the value `name` became `new_name`. */
typedef struct tl_rename {
    const char *group; /* NULL ends the table */
    const char *path, *new_path;
    const char *name, *new_name; /* NULL: values were not renamed */
} tl_rename;

extern const tl_rename tl_renames[];

/* The row of an old path, NULL when there is none. */
const tl_rename *tl_rename_find(const char *group, const char *path);

/* The new name of a value of the parameter now at `new_path`, NULL when it was not renamed. */
const char *tl_rename_name(const char *new_path, const char *name);

#endif
