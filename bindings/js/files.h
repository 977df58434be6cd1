/* Files handed over by the program that uses the module. */
#ifndef TELAR_JS_FILES_H
#define TELAR_JS_FILES_H

#include <stdbool.h>
#include <stddef.h>

/* A copy; false when memory is short. A file of the same name is hidden by it. */
bool js_files_add(const char *name, const char *bytes, size_t length);
void js_files_clear(void);

#endif
