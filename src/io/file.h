/* Whole files and file names. */
#ifndef TL_IO_FILE_H
#define TL_IO_FILE_H

#include "telar/types.h"

/* Reads a whole file of at most `limit` bytes into zero-terminated heap memory; the caller frees it. NULL on error,
   with "file: reason". Folders are errors, pipes are read to their end. */
char *tl_file_read(const char *file_name, size_t limit, size_t *length, tl_error *error);

/* Writes a whole file. A regular file is written to a temporary file and renamed, keeping the permissions: a full disk
   does not destroy the old file. */
tl_result tl_file_replace(const char *file_name, const char *text, size_t length, tl_error *error);

/* Whether the name exists and is not a folder. */
bool tl_file_exists(const char *file_name);

/* The folder part of a file name with its closing slash, "" when it has none; on the heap. */
char *tl_file_folder(const char *file_name);

/* folder + name, or the name alone when it starts at the root; on the heap. */
char *tl_file_join(const char *folder, const char *name);

/* A copy of a text on the heap. */
char *tl_file_copy_text(const char *text);

/* Whether the name has this extension ("obj"), ignoring case. */
bool tl_file_has_ending(const char *file_name, const char *ending);

/* Prepends "file: " to a message. */
void tl_error_prefix(tl_error *error, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 2, 3)))
#endif
    ;

#endif
