#define _DEFAULT_SOURCE /* flock */
#include "render/output.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

enum { MAX_ATTEMPTS = 100 }; /* at a temporary name that is taken */

const char *output_reason(void) { return errno == EWOULDBLOCK ? "is being written by another telar" : strerror(errno); }

/* Closes without changing errno. */
static void drop(int descriptor)
{
    int reason = errno;
    close(descriptor);
    errno = reason;
}

/* File systems without locks are written to without one. */
static bool lock_file(int descriptor) { return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK; }

FILE *output_open(const char *path)
{
    struct stat status;
    int descriptor = open(path, O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (descriptor < 0)
        return NULL;
    bool plain = fstat(descriptor, &status) == 0 && S_ISREG(status.st_mode);
    FILE *file = !plain || (lock_file(descriptor) && ftruncate(descriptor, 0) == 0) ? fdopen(descriptor, "wb") : NULL;
    if (!file)
        drop(descriptor);
    return file;
}

bool output_close(FILE *file)
{
    /* a stream that failed once may close without complaint */
    bool whole = fflush(file) == 0 && !ferror(file);
    int reason = errno;
    if (fclose(file) != 0 && whole) {
        whole = false;
        reason = errno;
    }
    errno = reason;
    return whole;
}

/* A new file beside `path`; its name goes to *name, on the heap. */
static FILE *create_beside(const char *path, char **name)
{
    static int number; /* threads take different ones */
    size_t room = strlen(path) + 64;
    *name = malloc(room);
    for (int k = 0; *name && k < MAX_ATTEMPTS; ++k) {
        snprintf(*name, room, "%s.%ld-%d.new", path, (long)getpid(), __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
        int descriptor = open(*name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        if (descriptor >= 0)
            return fdopen(descriptor, "wb");
        if (errno != EEXIST)
            break;
    }
    return NULL;
}

bool output_replace(const char *path, const void *bytes, size_t size)
{
    struct stat status;
    bool plain = lstat(path, &status) == 0 ? S_ISREG(status.st_mode) : errno == ENOENT;
    char *temporary = NULL;
    FILE *file = plain ? create_beside(path, &temporary) : fopen(path, "wb");
    bool written = file != NULL;
    if (file) {
        fwrite(bytes, 1, size, file);
        written = output_close(file) && (!temporary || rename(temporary, path) == 0);
    }
    int reason = errno;
    if (file && temporary && !written)
        remove(temporary);
    free(temporary);
    errno = reason;
    return written;
}

bool output_lock(const char *path, int *lock)
{
    struct stat status;
    bool folder = stat(path, &status) == 0 && S_ISDIR(status.st_mode);
    *lock = open(path, folder ? O_RDONLY | O_CLOEXEC : O_WRONLY | O_CREAT | O_CLOEXEC, 0666);
    if (*lock < 0)
        return false;
    bool plain = fstat(*lock, &status) == 0 && (S_ISREG(status.st_mode) || S_ISDIR(status.st_mode));
    if (!plain || lock_file(*lock))
        return true;
    drop(*lock);
    *lock = -1;
    return false;
}

void output_unlock(int *lock)
{
    if (*lock >= 0)
        close(*lock);
    *lock = -1;
}

bool input_is_regular(const char *path, const char **reason)
{
    struct stat status;
    bool there = stat(path, &status) == 0;
    *reason = !there ? strerror(errno) : S_ISDIR(status.st_mode) ? "is a folder, not a file" : "is not a regular file";
    return there && S_ISREG(status.st_mode);
}
