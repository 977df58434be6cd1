/* Whole files. */
#define _DEFAULT_SOURCE /* flock */
#include "io/file.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"

enum {
    FIRST_BLOCK = 1 << 16, /* bytes; grows by half */
    MAX_ATTEMPTS = 100     /* at a name or a file that another process takes at the same time */
};

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

/* Pipes that the process was started with: "telar run /dev/stdin", or <(…) of a shell. */
static bool is_inherited(const char *file_name)
{
    return strcmp(file_name, "/dev/stdin") == 0 || strncmp(file_name, "/dev/fd/", 8) == 0 ||
           strncmp(file_name, "/proc/self/fd/", 14) == 0;
}

tl_result tl_file_check(const char *file_name, tl_error *error)
{
    struct stat status;
    if (stat(file_name, &status) != 0)
        return tl_fail(error, TL_ERROR_FILE, "%s: cannot be opened: %s", file_name, strerror(errno));
    if (S_ISDIR(status.st_mode))
        return tl_fail(error, TL_ERROR_FILE, "%s: is a folder, not a file", file_name);
    if (!S_ISREG(status.st_mode) && !is_inherited(file_name))
        return tl_fail(error, TL_ERROR_FILE, "%s: is %s, not a regular file", file_name,
                       S_ISFIFO(status.st_mode)   ? "a pipe"
                       : S_ISSOCK(status.st_mode) ? "a socket"
                                                  : "a device");
    return TL_OK;
}

char *tl_file_read(const char *file_name, size_t limit, size_t *length, tl_error *error)
{
    if (tl_file_check(file_name, error) != TL_OK)
        return NULL;
    FILE *file = fopen(file_name, "rb");
    if (!file) {
        tl_fail(error, TL_ERROR_FILE, "%s: cannot be opened: %s", file_name, strerror(errno));
        return NULL;
    }
    char *text = read_all(file, file_name, limit, length, error);
    fclose(file);
    return text;
}

/* Whether the descriptor still is the file of that name: its last writer may have replaced it. */
static bool is_current(int descriptor, const char *file_name)
{
    struct stat opened, named;
    return fstat(descriptor, &opened) == 0 && stat(file_name, &named) == 0 && opened.st_dev == named.st_dev &&
           opened.st_ino == named.st_ino;
}

bool tl_file_lock(int descriptor)
{
    /* file systems without locks are written to without one */
    return flock(descriptor, LOCK_EX | LOCK_NB) == 0 || errno != EWOULDBLOCK;
}

FILE *tl_file_open_exclusive(const char *file_name, tl_error *error)
{
    for (int k = 0; k < MAX_ATTEMPTS; ++k) {
        struct stat status;
        int descriptor = open(file_name, O_RDWR | O_CREAT | O_CLOEXEC, 0666);
        if (descriptor < 0 || fstat(descriptor, &status) != 0)
            break;
        bool plain = S_ISREG(status.st_mode);
        if (plain && !tl_file_lock(descriptor)) {
            close(descriptor);
            tl_fail(error, TL_ERROR_FILE, "%s: is being written by another program", file_name);
            return NULL;
        }
        if (plain && !is_current(descriptor, file_name)) {
            close(descriptor);
            continue;
        }
        FILE *file = !plain || ftruncate(descriptor, 0) == 0 ? fdopen(descriptor, "w+b") : NULL;
        if (file)
            return file;
        close(descriptor);
        break;
    }
    tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(errno));
    return NULL;
}

FILE *tl_file_create_beside(const char *file_name, char **name)
{
    static int number; /* threads of a process take different ones */
    size_t room = strlen(file_name) + 64;
    *name = malloc(room);
    for (int k = 0; *name && k < MAX_ATTEMPTS; ++k) {
        snprintf(*name, room, "%s.%ld-%d.new", file_name, (long)getpid(),
                 __atomic_add_fetch(&number, 1, __ATOMIC_RELAXED));
        int descriptor = open(*name, O_RDWR | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
        FILE *file = descriptor >= 0 ? fdopen(descriptor, "w+b") : NULL;
        if (file)
            return file;
        if (errno != EEXIST)
            break;
    }
    int reason = *name ? errno : ENOMEM;
    free(*name);
    *name = NULL;
    errno = reason;
    return NULL;
}

bool tl_file_close(FILE *file)
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

static tl_result cannot_write(const char *file_name, int reason, tl_error *error)
{
    return tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(reason));
}

tl_result tl_file_replace(const char *file_name, const char *text, size_t length, tl_error *error)
{
    struct stat status;
    bool there = lstat(file_name, &status) == 0, plain = there ? S_ISREG(status.st_mode) : errno == ENOENT;
    char *temporary = NULL;
    FILE *file = plain ? tl_file_create_beside(file_name, &temporary) : fopen(file_name, "wb");
    if (!file)
        return cannot_write(file_name, errno, error);
    bool written = !(plain && there) || fchmod(fileno(file), status.st_mode & 07777) == 0;
    written = written && fwrite(text, 1, length, file) == length;
    int reason = errno;
    if (!tl_file_close(file) && written) {
        written = false;
        reason = errno;
    }
    tl_result result = written ? TL_OK : cannot_write(file_name, reason, error);
    if (!result && temporary && rename(temporary, file_name) != 0)
        result = cannot_write(file_name, errno, error);
    if (result && temporary)
        remove(temporary);
    free(temporary);
    return result;
}
