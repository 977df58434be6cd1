/* Files handed over by the program that uses the module. */
#ifndef TELAR_JS_FILES_H
#define TELAR_JS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A copy; false when memory is short. A file of the same name is hidden by it. */
bool js_files_add(const char *name, const char *bytes, size_t length);
void js_files_clear(void);

/* One of the files of worn garments that were read or written since then; NULL: there are fewer. */
const void *js_files_worn(int index, const char **name, size_t *length);

#endif
