/* Files of WebAssembly: those that the program handed over, by name. Takes the place of src/io/file.c. */
#include "io/file.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "files.h"

typedef struct entry {
    struct entry *next;
    char *name, *bytes;
    size_t length;
    bool used; /* read or written by the engine */
} entry;

static entry *first;

static const char worn_folder[] = "worn/";

static entry *find(const char *name)
{
    for (entry *e = first; e; e = e->next)
        if (strcmp(e->name, name) == 0)
            return e;
    return NULL;
}

bool js_files_add(const char *name, const char *bytes, size_t length)
{
    entry *e = calloc(1, sizeof *e);
    char *kept = e ? tl_file_copy_text(name) : NULL, *copy = kept ? malloc(length + 1) : NULL;
    if (!copy) {
        free(kept);
        free(e);
        return false;
    }
    memcpy(copy, bytes, length);
    copy[length] = '\0';
    *e = (entry){.next = first, .name = kept, .bytes = copy, .length = length};
    first = e;
    return true;
}

void js_files_clear(void)
{
    while (first) {
        entry *e = first;
        first = e->next;
        free(e->name);
        free(e->bytes);
        free(e);
    }
}

bool tl_file_exists(const char *file_name) { return find(file_name) != NULL; }

tl_result tl_file_check(const char *file_name, tl_error *error)
{
    return find(file_name)
               ? TL_OK
               : tl_fail(error, TL_ERROR_FILE, "%s: cannot be opened: no such file was handed over", file_name);
}

char *tl_file_read(const char *file_name, size_t limit, size_t *length, tl_error *error)
{
    if (tl_file_check(file_name, error) != TL_OK)
        return NULL;
    entry *e = find(file_name);
    if (e->length > limit) {
        tl_fail(error, TL_ERROR_INPUT, "%s: is larger than the limit of %zu MB", file_name, limit >> 20);
        return NULL;
    }
    char *copy = malloc(e->length + 1);
    if (!copy) {
        tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to read it", file_name);
        return NULL;
    }
    memcpy(copy, e->bytes, e->length + 1);
    *length = e->length;
    e->used = true;
    return copy;
}

/* ---- worn garments: the user's cache folder is the program's, which hands its files over and fetches them
 * ------------- */

char *tl_file_in_cache(const char *kind, const char *name)
{
    size_t size = strlen(kind) + strlen(name) + 2;
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s/%s", kind, name);
    return path;
}

bool tl_file_make_folders(const char *file_name)
{
    (void)file_name;
    return true;
}

tl_result tl_file_replace(const char *file_name, const char *text, size_t length, tl_error *error)
{
    if (!js_files_add(file_name, text, length))
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to write it", file_name);
    first->used = true;
    return TL_OK;
}

const void *js_files_worn(int index, const char **name, size_t *length)
{
    for (const entry *e = first; e; e = e->next)
        if (e->used && strncmp(e->name, worn_folder, sizeof worn_folder - 1) == 0 && index-- == 0) {
            *name = e->name;
            *length = e->length;
            return e->bytes;
        }
    return NULL;
}
