/* Parameters that had another name in an earlier version. Old names are refused with the new one, and
   tl_scene_upgrade rewrites them in scene files. */
#ifndef TL_CORE_RENAME_H
#define TL_CORE_RENAME_H

/* `path` inside the group became `new_path`; of a parameter with names, the value `name` became `new_name`. */
typedef struct tl_rename {
    const char *group; /* NULL ends the table */
    const char *path, *new_path;
    const char *name, *new_name; /* NULL: its values are the same */
} tl_rename;

extern const tl_rename tl_renames[];

/* The row of a path of an earlier version, NULL when there is none. */
const tl_rename *tl_rename_find(const char *group, const char *path);

/* What a value of the parameter that is now at `new_path` is called, NULL when it was not renamed. */
const char *tl_rename_name(const char *new_path, const char *name);

#endif
