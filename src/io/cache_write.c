/* Writing caches: every frame is in the file when tl_cache_add returns, and the file stays readable when the run is
   interrupted. The formats are described in io/cache.h. */
#define _XOPEN_SOURCE 700 /* realpath */
#include "io/cache.h"

#include <errno.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "core/memory.h"
#include "io/file.h"
#include "telar/io.h"

enum {
    COPY_BLOCK = 1 << 16, /* bytes */
    MDD_RECOUNTS = 4      /* over the expected frames; each copies the file */
};

struct tl_cache {
    FILE *file;
    char *file_name;
    tl_cache_format format;
    int vertex_count, frame_count;
    int times;          /* MDD: entries of the table of times, the frames that the header counts */
    int most_uncounted; /* MDD: frames */
    double fps;
    unsigned char *bytes; /* one frame, encoded */
    size_t frame_size;
};

/* ---- numbers as bytes --------------------------------------------------------------------------------------- */

static void put_uint(unsigned char *at, uint32_t number, tl_cache_format format)
{
    for (int i = 0; i < 4; ++i)
        at[format == TL_CACHE_PC2 ? i : 3 - i] = (unsigned char)(number >> (8 * i));
}

static void put_float(unsigned char *at, float number, tl_cache_format format)
{
    uint32_t bits;
    memcpy(&bits, &number, sizeof bits);
    put_uint(at, bits, format);
}

/* ---- the file ----------------------------------------------------------------------------------------------- */

static tl_result failed(const tl_cache *cache, tl_error *error)
{
    int reason = errno;
    return tl_fail(error, TL_ERROR_FILE, "%s: frame %d cannot be written: %s", cache->file_name, cache->frame_count,
                   strerror(reason));
}

static bool write_at(const tl_cache *cache, off_t place, const unsigned char *bytes, size_t size)
{
    return fseeko(cache->file, place, SEEK_SET) == 0 && fwrite(bytes, 1, size, cache->file) == size;
}

static off_t first_frame_at(const tl_cache *cache)
{
    return cache->format == TL_CACHE_PC2 ? TL_PC2_HEADER : TL_MDD_HEADER + 4 * (off_t)cache->times;
}

static off_t end_of_frames(const tl_cache *cache)
{
    return first_frame_at(cache) + (off_t)cache->frame_count * (off_t)cache->frame_size;
}

static float time_of(const tl_cache *cache, int frame) { return (float)(frame / cache->fps); }

static bool write_pc2_header(const tl_cache *cache)
{
    unsigned char header[TL_PC2_HEADER] = TL_PC2_SIGNATURE;
    put_uint(header + TL_PC2_VERSION_AT, 1, TL_CACHE_PC2);
    put_uint(header + TL_PC2_POINTS_AT, (uint32_t)cache->vertex_count, TL_CACHE_PC2);
    put_float(header + TL_PC2_START_AT, 0, TL_CACHE_PC2);
    put_float(header + TL_PC2_RATE_AT, 1, TL_CACHE_PC2);
    put_uint(header + TL_PC2_SAMPLES_AT, (uint32_t)cache->frame_count, TL_CACHE_PC2);
    return write_at(cache, 0, header, sizeof header);
}

static bool write_mdd_header(FILE *file, const tl_cache *cache, int frames)
{
    unsigned char bytes[TL_MDD_HEADER];
    put_uint(bytes, (uint32_t)frames, TL_CACHE_MDD);
    put_uint(bytes + 4, (uint32_t)cache->vertex_count, TL_CACHE_MDD);
    bool written = fwrite(bytes, 1, sizeof bytes, file) == sizeof bytes;
    for (int i = 0; i < frames && written; ++i) {
        put_float(bytes, time_of(cache, i), TL_CACHE_MDD);
        written = fwrite(bytes, 1, 4, file) == 4;
    }
    return written;
}

static bool copy_frames(const tl_cache *cache, FILE *to)
{
    static const size_t most = COPY_BLOCK;
    size_t left = (size_t)cache->frame_count * cache->frame_size;
    unsigned char *block = malloc(COPY_BLOCK);
    bool copied = block && fseeko(cache->file, first_frame_at(cache), SEEK_SET) == 0;
    while (copied && left > 0) {
        size_t size = left < most ? left : most;
        copied = fread(block, 1, size, cache->file) == size && fwrite(block, 1, size, to) == size;
        left -= size;
    }
    free(block);
    return copied;
}

/* Counts all frames in the header of an MDD. The file is replaced by a copy, never changed in place: whoever is
   interrupted here leaves the old one. */
static bool recount(tl_cache *cache)
{
    char *target = realpath(cache->file_name, NULL), *name = NULL; /* of a symbolic link, the file it points to */
    FILE *copy = target ? tl_file_create_beside(target, &name) : NULL;
    struct stat status;
    bool written = copy && tl_file_lock(fileno(copy)) && fstat(fileno(cache->file), &status) == 0 &&
                   fchmod(fileno(copy), status.st_mode & 07777) == 0 &&
                   write_mdd_header(copy, cache, cache->frame_count) && copy_frames(cache, copy) && fflush(copy) == 0 &&
                   rename(name, target) == 0;
    int reason = errno;
    if (written) {
        fclose(cache->file);
        cache->file = copy;
        cache->times = cache->frame_count;
    } else if (copy) {
        fclose(copy);
        remove(name);
    }
    free(name);
    free(target);
    errno = reason;
    return written;
}

/* ---- interface ---------------------------------------------------------------------------------------------- */

static void release(tl_cache *cache)
{
    if (cache->file)
        fclose(cache->file);
    free(cache->file_name);
    free(cache->bytes);
    free(cache);
}

tl_cache *tl_cache_create(const char *file_name, tl_cache_format format, int vertex_count, int expected_frames,
                          tl_real fps, tl_error *error)
{
    if (vertex_count < 1 || vertex_count > INT_MAX / 12 || !(fps > 0)) {
        tl_fail(error, TL_ERROR_INPUT, "%s: a cache needs vertices and frames per second above 0, got %d and %g",
                file_name, vertex_count, (double)fps);
        return NULL;
    }
    tl_cache *cache = calloc(1, sizeof *cache);
    if (!cache) {
        tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
        return NULL;
    }
    cache->format = format;
    cache->vertex_count = vertex_count;
    cache->most_uncounted = expected_frames > 0 ? expected_frames / MDD_RECOUNTS + 1 : INT_MAX;
    cache->fps = (double)fps;
    cache->frame_size = 12 * (size_t)vertex_count;
    cache->bytes = malloc(cache->frame_size);
    cache->file_name = tl_file_copy_text(file_name);
    if (!cache->bytes || !cache->file_name) {
        tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", file_name);
        release(cache);
        return NULL;
    }
    cache->file = tl_file_open_exclusive(file_name, error);
    if (!cache->file) {
        release(cache);
        return NULL;
    }
    bool written = (format == TL_CACHE_PC2 ? write_pc2_header(cache) : write_mdd_header(cache->file, cache, 0)) &&
                   fflush(cache->file) == 0;
    if (!written) {
        tl_fail(error, TL_ERROR_FILE, "%s: cannot be written: %s", file_name, strerror(errno));
        release(cache);
        return NULL;
    }
    return cache;
}

/* Counts the frame just written in the header: in an MDD when the uncounted ones are as many as the counted, or a part
   of those expected. */
static bool count_frame(tl_cache *cache)
{
    unsigned char bytes[4];
    if (cache->format == TL_CACHE_MDD) {
        int uncounted = ++cache->frame_count - cache->times;
        bool due = uncounted >= cache->times || uncounted >= cache->most_uncounted;
        if (due && !recount(cache)) {
            --cache->frame_count;
            return false;
        }
        return true;
    }
    put_uint(bytes, (uint32_t)cache->frame_count + 1, TL_CACHE_PC2);
    if (!write_at(cache, TL_PC2_SAMPLES_AT, bytes, 4) || fflush(cache->file) != 0)
        return false;
    ++cache->frame_count;
    return true;
}

tl_result tl_cache_add(tl_cache *cache, const tl_vec3 *positions, tl_error *error)
{
    for (int i = 0; i < cache->vertex_count; ++i) {
        unsigned char *at = cache->bytes + 12 * (size_t)i;
        put_float(at, (float)positions[i].x, cache->format);
        put_float(at + 4, (float)positions[i].y, cache->format);
        put_float(at + 8, (float)positions[i].z, cache->format);
    }
    if (cache->frame_count == INT_MAX)
        return tl_fail(error, TL_ERROR_INPUT, "%s: no more than %d frames fit", cache->file_name, INT_MAX);
    /* first the frame, then the count: counted frames are always complete */
    off_t end = end_of_frames(cache);
    if (!write_at(cache, end, cache->bytes, cache->frame_size) || fflush(cache->file) != 0 || !count_frame(cache)) {
        tl_result result = failed(cache, error);
        clearerr(cache->file);
        int ignored =
            ftruncate(fileno(cache->file), end); /* a partial frame after the last complete one does no harm */
        (void)ignored;
        return result;
    }
    return TL_OK;
}

tl_result tl_cache_close(tl_cache *cache, tl_error *error)
{
    if (!cache)
        return TL_OK;
    tl_result result = TL_OK;
    if (cache->format == TL_CACHE_MDD && cache->times != cache->frame_count && !recount(cache))
        result = failed(cache, error);
    if (!tl_file_close(cache->file) && !result)
        result = failed(cache, error);
    cache->file = NULL;
    release(cache);
    return result;
}
