/* Whole files and file names. */
#ifndef TL_IO_FILE_H
#define TL_IO_FILE_H

#include <stdio.h>

#include "telar/types.h"

/* Only regular files are read: a pipe or device might never end. Folders, pipes and devices are errors, with "file:
   reason", except the pipes that the process was started with (/dev/stdin, /dev/fd/N). */
tl_result tl_file_check(const char *file_name, tl_error *error);

/* Reads a whole file of at most `limit` bytes into zero-terminated heap memory; the caller frees it. NULL on error,
   with "file: reason". Files are checked by tl_file_check. */
char *tl_file_read(const char *file_name, size_t limit, size_t *length, tl_error *error);

/* Opens an empty file to write and read, locked until it is closed: NULL, with "file: reason", when it cannot be
   written or another process is writing it. Devices and pipes are not locked. */
FILE *tl_file_open_exclusive(const char *file_name, tl_error *error);

/* Locks a file until it is closed; false when another process holds it. */
bool tl_file_lock(int descriptor);

/* Creates a file beside `file_name`, to replace it by rename(); its name, on the heap, goes to *name. No two processes
   or threads get the same one. NULL with errno on error. */
FILE *tl_file_create_beside(const char *file_name, char **name);

/* Closes a file; false, with errno, when not everything that was written has reached it. */
bool tl_file_close(FILE *file);

/* Writes a whole file. A regular file is written to a temporary file and renamed, keeping the permissions: a full disk
   does not destroy the old file, and two processes that write it at once leave one of both, whole. */
tl_result tl_file_replace(const char *file_name, const char *text, size_t length, tl_error *error);

/* Whether the name exists and is not a folder. */
bool tl_file_exists(const char *file_name);

/* The file of a name among those of a kind ("worn") in the user's cache folder, on the heap; NULL without such a
 * folder. */
char *tl_file_in_cache(const char *kind, const char *name);

/* Makes the folders above a file that are missing; false when one cannot be made. */
bool tl_file_make_folders(const char *file_name);

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
