/* Whole files and file names. */
#include "io/file.h"

#include <ctype.h>
#include <errno.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "core/memory.h"

enum { FIRST_BLOCK = 1 << 16 /* bytes; grows by half */ };

bool tl_file_exists(const char *file_name)
{
    struct stat status;
    return stat(file_name, &status) == 0 && !S_ISDIR(status.st_mode);
}

/* Reads to the end, growing the buffer: the size a file system reports is not trusted. */
static char *read_all(FILE *file, const char *file_name, size_t limit, size_t *length, tl_error *error)
{
    size_t capacity = FIRST_BLOCK, used = 0;
    char *text = malloc(capacity + 1);
    while (text) {
        used += fread(text + used, 1, capacity - used, file);
        if (ferror(file)) {
            tl_fail(error, TL_ERROR_FILE, "%s: cannot be read: %s", file_name, strerror(errno));
            free(text);
            return NULL;
        }
        if (used > limit) {
            tl_fail(error, TL_ERROR_INPUT, "%s: is larger than the limit of %zu MB", file_name, limit >> 20);
            free(text);
            return NULL;
        }
        if (used < capacity) {
            text[used] = '\0';
            *length = used;
            return text;
        }
        capacity += capacity / 2;
        char *grown = realloc(text, capacity + 1);
        if (!grown)
            free(text);
        text = grown;
    }
    tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory to read it", file_name);
    return NULL;
}

char *tl_file_read(const char *file_name, size_t limit, size_t *length, tl_error *error)
{
    struct stat status;
    if (stat(file_name, &status) == 0 && S_ISDIR(status.st_mode)) {
        tl_fail(error, TL_ERROR_FILE, "%s: is a folder", file_name);
        return NULL;
    }
    FILE *file = fopen(file_name, "rb");
    if (!file) {
        tl_fail(error, TL_ERROR_FILE, "%s: cannot be opened: %s", file_name, strerror(errno));
        return NULL;
    }
    char *text = read_all(file, file_name, limit, length, error);
    fclose(file);
    return text;
}

char *tl_file_copy_text(const char *text)
{
    size_t size = strlen(text) + 1;
    char *copy = malloc(size);
    return copy ? memcpy(copy, text, size) : NULL;
}

char *tl_file_folder(const char *file_name)
{
    char *folder = tl_file_copy_text(file_name);
    if (!folder)
        return NULL;
    char *slash = strrchr(folder, '/');
    folder[slash ? slash - folder + 1 : 0] = '\0';
    return folder;
}

char *tl_file_join(const char *folder, const char *name)
{
    if (name[0] == '/')
        folder = "";
    size_t folder_length = strlen(folder), size = folder_length + strlen(name) + 1;
    char *joined = malloc(size);
    if (!joined)
        return NULL;
    memcpy(joined, folder, folder_length);
    memcpy(joined + folder_length, name, size - folder_length);
    return joined;
}

static tl_result write_text(const char *file_name, const char *text, size_t length, mode_t mode, tl_error *error)
{
    FILE *file = fopen(file_name, "wb");
    if (!file)
        return tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(errno));
    bool written = (mode == 0 || fchmod(fileno(file), mode) == 0) && fwrite(text, 1, length, file) == length;
    int reason = errno;
    if (fclose(file) != 0 && written) {
        written = false;
        reason = errno;
    }
    return written ? TL_OK : tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(reason));
}

tl_result tl_file_replace(const char *file_name, const char *text, size_t length, tl_error *error)
{
    struct stat status;
    bool there = lstat(file_name, &status) == 0, plain = there ? S_ISREG(status.st_mode) : errno == ENOENT;
    char *temporary = plain ? malloc(strlen(file_name) + sizeof ".new") : NULL;
    if (!temporary)
        return write_text(file_name, text, length, 0, error);
    strcpy(temporary, file_name);
    strcat(temporary, ".new");
    tl_result result = write_text(temporary, text, length, there ? status.st_mode & 07777 : 0, error);
    if (!result && rename(temporary, file_name) != 0)
        result = tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(errno));
    if (result)
        remove(temporary);
    free(temporary);
    return result;
}

bool tl_file_has_ending(const char *file_name, const char *ending)
{
    const char *dot = strrchr(file_name, '.');
    if (!dot || strlen(dot + 1) != strlen(ending))
        return false;
    for (size_t i = 0; ending[i]; ++i)
        if (tolower((unsigned char)dot[1 + i]) != ending[i])
            return false;
    return true;
}

void tl_error_prefix(tl_error *error, const char *format, ...)
{
    if (!error)
        return;
    char message[TL_ERROR_LENGTH];
    va_list arguments;
    va_start(arguments, format);
    int used = vsnprintf(message, sizeof message, format, arguments);
    va_end(arguments);
    if (used >= 0 && (size_t)used < sizeof message)
        snprintf(message + used, sizeof message - (size_t)used, "%s", error->message);
    memcpy(error->message, message, sizeof message);
}
