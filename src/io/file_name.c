/* File names, and messages that start with one. */
#include <ctype.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include "io/file.h"

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
