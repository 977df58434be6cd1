/* Internals of a scene: definitions on the heap, and the table of sections that drives files, paths, panels and the
   schema. */
#ifndef TL_IO_SCENE_H
#define TL_IO_SCENE_H

#include "io/json.h"
#include "telar/io.h"

/* Maximum size of a scene file. Meshes are separate files, so real ones have kilobytes. */
#define TL_SCENE_LARGEST_FILE ((size_t)64 << 20)

enum {
    TL_SCENE_LINE_WIDTH = 100,   /* of files that are written */
    TL_SCENE_PATH = 160,         /* bytes of a path to an object, "cloth[12].pin[3]" */
    TL_SCENE_MAX_ENTRIES = 65536 /* in one list; far more than any world could run */
};

typedef struct tl_scene_cloth {
    tl_cloth_def def; /* first: the entry is its own definition */
    tl_mesh_source_def mesh;
} tl_scene_cloth;

typedef struct tl_scene_body {
    tl_body_def def; /* first: the entry is its own definition */
    tl_mesh_source_def mesh;
} tl_scene_body;

typedef struct tl_scene_character {
    tl_scene_character_def def; /* first: the entry is its own definition */
    tl_measures measures;
} tl_scene_character;

struct tl_scene {
    tl_scene_def info;
    tl_world_def world;
    tl_scene_cloth *cloths;
    int cloth_count;
    tl_scene_body *bodies;
    int body_count;
    tl_scene_character *characters;
    int character_count;
    tl_camera_def camera;
    tl_light_def light;
    tl_look_def look;

    char *file_name; /* as passed to tl_scene_load, "" when not loaded */
    char *folder;    /* of that file, with its closing slash; mesh files are relative to it */

    tl_world *built;
    tl_mesh **meshes; /* of the built world, one per cloth, per body, then per garment; NULL where there is none */
    int mesh_count;
    tl_character **dressed; /* of the built world, one per character */
    int dressed_count;
    bool entry_removed; /* a cloth or body, since the build: indices no longer match the world */

    tl_scene_progress *progress; /* of dressing; NULL: none */
    void *progress_user;
    bool no_cache; /* of worn garments */
};

/* What a scene file holds, as a value of the document. */
tl_json *tl_scene_to_json(tl_json_document *document, const tl_scene *scene);

/* A part of a scene: one object, or a list of them. */
typedef struct tl_scene_section {
    const char *name; /* NULL ends a table */
    const tl_param_group *group;
    size_t offset; /* of the object, or of the pointer to the list, in the enclosing struct */
    bool is_list;
    size_t count_offset, stride;          /* of lists */
    const struct tl_scene_section *inner; /* objects inside each object; NULL when there are none */
} tl_scene_section;

extern const tl_scene_section tl_scene_sections[];

/* A list on the heap, of a section or of a TL_PARAM_LIST parameter. */
typedef struct tl_scene_entries {
    void *field; /* the pointer to the first entry, of any type */
    int *count;
    size_t stride;
    const tl_param_group *group;
    const tl_scene_section *inner;
} tl_scene_entries;

tl_scene_entries tl_scene_section_entries(const tl_scene_section *section, void *around);
tl_scene_entries tl_scene_param_entries(const tl_param *param, void *object);
void *tl_scene_entry_at(const tl_scene_entries *entries, int index);

/* Appends an entry with defaults; NULL when memory or TL_SCENE_MAX_ENTRIES is exhausted. */
void *tl_scene_append(const tl_scene_entries *entries);

/* Defaults of an object and its inner objects. Its lists must be empty or uninitialised. */
void tl_scene_object_defaults(const tl_param_group *group, const tl_scene_section *inner, void *object);

/* What a path refers to: an object, and the rest of the path inside it. */
typedef struct tl_scene_place {
    const tl_scene_section *section; /* at the top */
    int index;                       /* in the section's list; 0 when it is not a list */
    bool nested;                     /* the object is inside the section's own */
    const tl_param_group *group;
    const tl_scene_section *inner;
    void *object;             /* NULL when the path is only the name of a section's list */
    char path[TL_SCENE_PATH]; /* to the object */
    const char *rest;         /* path inside the object, "" when the path is the object's own */
} tl_scene_place;

tl_result tl_scene_find(tl_scene *scene, const char *path, tl_scene_place *place, tl_error *error);

/* Applies a changed parameter to the running world. *rebuild is set when that is not possible. */
tl_result tl_scene_forward(tl_scene *scene, const tl_scene_place *place, const tl_param *param, const tl_value *value,
                           bool *rebuild, tl_error *error);

/* Adds a character to a world: its body, and a cloth for each garment, dressed. `meshes` has one per garment of it;
   these and the character belong to the caller, also after an error. `before` garments of the scene were dressed. */
tl_result tl_scene_dress(const tl_scene *scene, int index, int before, tl_world *world, tl_character **character,
                         tl_mesh **meshes, tl_error *error);
int tl_scene_garment_count(const tl_scene *scene); /* of all characters */
bool tl_scene_is_draft(const char *pattern);       /* the name of a draft, not of a file */

/* Destroys the world that was built. */
void tl_scene_discard_world(tl_scene *scene);

#endif
