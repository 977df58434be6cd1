/* Output files: whole, or reported as not written; one process at a time. */
#ifndef RENDER_OUTPUT_H
#define RENDER_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

/* Every function sets errno on failure; this is the reason in words, for "file: reason". */
const char *output_reason(void);

/* Opens an empty file for writing that no other process can open this way until it is closed. Pipes and devices are
   not locked. NULL on failure. */
FILE *output_open(const char *path);

/* Closes a stream; false when not everything that was written has reached the file. */
bool output_close(FILE *file);

/* Replaces a file through a temporary one: it is the old or the new one at any time. Links, pipes and devices are
   written in place. */
bool output_replace(const char *path, const void *bytes, size_t size);

/* Locks an existing folder, or a file that is created where there is none, until output_unlock or the end of the
   process. False when another process holds it or it cannot be opened; *lock is then -1. */
bool output_lock(const char *path, int *lock);
void output_unlock(int *lock);

/* Only regular files are read: a pipe or device might never end. False for others, with the reason as text. */
bool input_is_regular(const char *path, const char **reason);

#endif
