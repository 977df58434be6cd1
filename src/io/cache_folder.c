/* Files in the user's cache folder. */
#define _XOPEN_SOURCE 700 /* mkdir */
#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "io/file.h"

char *tl_file_in_cache(const char *kind, const char *name)
{
    const char *cache = getenv("XDG_CACHE_HOME"), *home = getenv("HOME");
    /* relative ones are to be ignored, by the XDG base directory specification */
    const char *folder = cache && cache[0] == '/' ? cache : home && home[0] == '/' ? home : NULL;
    if (!folder)
        return NULL;
    const char *inside = folder == cache ? "" : "/.cache";
    size_t size = strlen(folder) + strlen(inside) + strlen(kind) + strlen(name) + sizeof "/telar//";
    char *path = malloc(size);
    if (path)
        snprintf(path, size, "%s%s/telar/%s/%s", folder, inside, kind, name);
    return path;
}

bool tl_file_make_folders(const char *file_name)
{
    char *part = tl_file_copy_text(file_name);
    bool made = part != NULL;
    for (size_t k = 1; made && part[k]; ++k)
        if (part[k] == '/') {
            part[k] = '\0';
            made = mkdir(part, 0777) == 0 || errno == EEXIST;
            part[k] = '/';
        }
    free(part);
    return made;
}
