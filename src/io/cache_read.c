/* Reading caches. The header is not trusted: every size is checked against the length of the file before memory is
   allocated. The formats are described in io/cache.h. */
#include "io/cache.h"

#include <limits.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "io/file.h"
#include "telar/io.h"

/* Largest cache that is read into memory at once. */
#define LARGEST_CACHE ((size_t)8 << 30)

typedef struct bytes {
    const char *file_name;
    const unsigned char *at;
    size_t length;
    tl_cache_format format;
} bytes;

static uint32_t get_uint(const bytes *b, size_t place)
{
    uint32_t number = 0;
    for (int i = 0; i < 4; ++i)
        number |= (uint32_t)b->at[place + (size_t)(b->format == TL_CACHE_PC2 ? i : 3 - i)] << (8 * i);
    return number;
}

/* The formats store signed numbers. */
static int32_t get_int(const bytes *b, size_t place)
{
    uint32_t bits = get_uint(b, place);
    int32_t number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

static float get_float(const bytes *b, size_t place)
{
    uint32_t bits = get_uint(b, place);
    float number;
    memcpy(&number, &bits, sizeof number);
    return number;
}

/* Copies the frames, whose presence was checked. */
static tl_result take_frames(const bytes *b, size_t first, int points, int frames, tl_cache_data *data, tl_error *error)
{
    size_t count = (size_t)points * (size_t)frames * 3;
    data->positions = malloc(count > 0 ? count * sizeof(float) : 1);
    if (!data->positions)
        return tl_fail(error, TL_ERROR_MEMORY, "%s: not enough memory", b->file_name);
    for (size_t i = 0; i < count; ++i)
        data->positions[i] = get_float(b, first + 4 * i);
    data->vertex_count = points;
    data->frame_count = frames;
    return TL_OK;
}

static tl_result check_points(const bytes *b, int32_t points, tl_error *error)
{
    if (points < 1 || points > INT_MAX / 12)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: %d vertices per frame, expected 1 to %d", b->file_name,
                       points, INT_MAX / 12);
    return TL_OK;
}

/* Whole frames between `first` and the end of the file. */
static size_t whole_frames(const bytes *b, size_t first, int32_t points)
{
    return b->length > first ? (b->length - first) / (12 * (size_t)points) : 0;
}

static tl_result read_pc2(const bytes *b, tl_cache_data *data, tl_error *error)
{
    if (b->length < TL_PC2_HEADER)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: the file has %zu bytes, a PC2 header has %d", b->file_name,
                       b->length, TL_PC2_HEADER);
    int32_t version = get_int(b, TL_PC2_VERSION_AT), points = get_int(b, TL_PC2_POINTS_AT);
    int32_t samples = get_int(b, TL_PC2_SAMPLES_AT);
    if (version != 1)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: PC2 version %d, expected 1", b->file_name, version);
    tl_result result = check_points(b, points, error);
    if (result)
        return result;
    size_t there = whole_frames(b, TL_PC2_HEADER, points);
    if (samples < 0)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: %d frames", b->file_name, samples);
    if ((size_t)samples > there)
        return tl_fail(error, TL_ERROR_INPUT, "%s: frame %zu: the file ends there, its header says %d frames",
                       b->file_name, there, samples);
    data->fps = 0; /* PC2 counts in frames and stores no rate */
    return take_frames(b, TL_PC2_HEADER, points, samples, data, error);
}

static tl_result read_mdd(const bytes *b, tl_cache_data *data, tl_error *error)
{
    if (b->length < TL_MDD_HEADER)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: the file has %zu bytes, an MDD header has %d", b->file_name,
                       b->length, TL_MDD_HEADER);
    int32_t frames = get_int(b, 0), points = get_int(b, 4);
    tl_result result = check_points(b, points, error);
    if (result)
        return result;
    if (frames < 0)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: %d frames", b->file_name, frames);
    if ((b->length - TL_MDD_HEADER) / 4 < (size_t)frames)
        return tl_fail(error, TL_ERROR_INPUT, "%s: header: %d frames, but the file ends within their times",
                       b->file_name, frames);
    size_t first = TL_MDD_HEADER + 4 * (size_t)frames, there = whole_frames(b, first, points);
    float step = frames > 1 ? get_float(b, TL_MDD_HEADER + 4) - get_float(b, TL_MDD_HEADER) : 0;
    /* frames that an interrupted writer had not counted yet */
    if (there > (size_t)frames)
        frames = there < INT_MAX ? (int32_t)there : INT_MAX;
    if ((size_t)frames > there)
        return tl_fail(error, TL_ERROR_INPUT, "%s: frame %zu: the file ends there, its header says %d frames",
                       b->file_name, there, frames);
    data->fps = frames > 1 && step > 0 && isfinite(step) ? 1.0f / step : 0;
    return take_frames(b, first, points, frames, data, error);
}

tl_result tl_cache_read(const char *file_name, tl_cache_data *data, tl_error *error)
{
    *data = (tl_cache_data){.positions = NULL};
    tl_error reason = {.code = TL_OK};
    bytes b = {.file_name = file_name};
    char *text = tl_file_read(file_name, LARGEST_CACHE, &b.length, &reason);
    if (text) {
        b.at = (const unsigned char *)text;
        bool is_pc2 =
            b.length >= sizeof TL_PC2_SIGNATURE && memcmp(text, TL_PC2_SIGNATURE, sizeof TL_PC2_SIGNATURE) == 0;
        b.format = is_pc2 ? TL_CACHE_PC2 : TL_CACHE_MDD;
        if (is_pc2)
            read_pc2(&b, data, &reason);
        else if (tl_file_has_ending(file_name, "mdd"))
            read_mdd(&b, data, &reason);
        else
            tl_fail(&reason, TL_ERROR_INPUT, "%s: header: neither the signature of PC2 nor a name ending in .mdd",
                    file_name);
        free(text);
    }
    if (reason.code && error)
        *error = reason;
    return reason.code;
}

void tl_cache_free(tl_cache_data *data)
{
    free(data->positions);
    *data = (tl_cache_data){.positions = NULL};
}
