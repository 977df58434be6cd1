/* Files of WebAssembly: those that the program handed over, by name. Takes the place of src/io/file.c. */
#include "io/file.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "files.h"

typedef struct entry {
    struct entry *next;
    char *name, *bytes;
    size_t length;
} entry;

static entry *first;

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
    const entry *e = find(file_name);
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
    return copy;
}
