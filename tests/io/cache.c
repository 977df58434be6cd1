/* Caches: what is written reads back, interrupted files are readable, invalid ones are rejected. */
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cmocka.h>

#include "telar/io.h"

enum { VERTICES = 7 };

static char folder[64], path[128];

static int make_folder(void **state)
{
    (void)state;
    strcpy(folder, "/tmp/telar-cache-XXXXXX");
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    return rmdir(folder);
}

static const char *file_of(tl_cache_format format)
{
    snprintf(path, sizeof path, "%s/cache.%s", folder, format == TL_CACHE_PC2 ? "pc2" : "mdd");
    return path;
}

static void fill(tl_vec3 *positions, int frame)
{
    for (int i = 0; i < VERTICES; ++i)
        positions[i] = (tl_vec3){(tl_real)frame, (tl_real)i, (tl_real)-0.25 * (tl_real)(i + frame)};
}

static tl_cache *start(tl_cache_format format, int expected_frames, int frames)
{
    tl_error error = {.code = TL_OK};
    tl_cache *cache = tl_cache_create(file_of(format), format, VERTICES, expected_frames, 25, &error);
    if (!cache)
        fail_msg("%s", error.message);
    for (int i = 0; i < frames; ++i) {
        tl_vec3 positions[VERTICES];
        fill(positions, i);
        assert_int_equal(tl_cache_add(cache, positions, &error), TL_OK);
    }
    return cache;
}

static void expect_frames(int frames, float fps)
{
    tl_error error = {.code = TL_OK};
    tl_cache_data data;
    if (tl_cache_read(path, &data, &error) != TL_OK)
        fail_msg("%s", error.message);
    assert_int_equal(data.vertex_count, VERTICES);
    assert_int_equal(data.frame_count, frames);
    assert_true(data.fps > fps - 0.01f && data.fps < fps + 0.01f);
    for (int f = 0; f < frames; ++f) {
        tl_vec3 positions[VERTICES];
        fill(positions, f);
        for (int i = 0; i < VERTICES; ++i) {
            const float *p = data.positions + 3 * (f * VERTICES + i);
            assert_true(p[0] == (float)positions[i].x && p[1] == (float)positions[i].y &&
                        p[2] == (float)positions[i].z);
        }
    }
    tl_cache_free(&data);
    assert_null(data.positions);
}

static void frames_read_back(void **state)
{
    (void)state;
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        float fps = format == TL_CACHE_MDD ? 25 : 0;
        static const int expected[] = {10, 30, 3, 0}; /* as many as written, more, fewer, unknown */
        for (size_t i = 0; i < sizeof expected / sizeof *expected; ++i) {
            tl_cache *cache = start((tl_cache_format)format, expected[i], 10);
            assert_int_equal(tl_cache_close(cache, NULL), TL_OK);
            expect_frames(10, fps);
            FILE *file = fopen(path, "rb");
            fseek(file, 0, SEEK_END);
            assert_int_equal(ftell(file), (format == TL_CACHE_PC2 ? 32 : 8 + 10 * 4) + 10 * VERTICES * 12);
            fclose(file);
        }
        assert_int_equal(tl_cache_close(start((tl_cache_format)format, 5, 0), NULL), TL_OK);
        expect_frames(0, 0);
        remove(path);
    }
}

static void an_interrupted_file_is_readable(void **state)
{
    (void)state;
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format)
        for (int frames = 0; frames < 12; ++frames) { /* 8 were expected */
            tl_cache *cache = start((tl_cache_format)format, 8, frames);
            expect_frames(frames, format == TL_CACHE_MDD && frames > 1 ? 25 : 0); /* not closed yet */
            /* half a frame more, as after a power cut */
            FILE *file = fopen(path, "ab");
            fwrite("0123456789", 1, 10, file);
            fclose(file);
            expect_frames(frames, format == TL_CACHE_MDD && frames > 1 ? 25 : 0);
            tl_cache_close(cache, NULL);
            remove(path);
        }
}

/* Frames as a reader takes them that trusts the header and knows nothing of interrupted files. */
static int frames_by_header(void)
{
    unsigned char bytes[4096];
    FILE *file = fopen(path, "rb");
    size_t size = fread(bytes, 1, sizeof bytes, file);
    fclose(file);
    assert_true(size >= 8);
    int frames = bytes[2] << 8 | bytes[3];
    assert_true(size >= 8 + (size_t)frames * (4 + 12 * VERTICES));
    for (int f = 0; f < frames; ++f) {
        unsigned char *at = bytes + 8 + 4 * frames + f * 12 * VERTICES, number[4] = {at[3], at[2], at[1], at[0]};
        float x;
        memcpy(&x, number, sizeof x);
        assert_true(x == (float)f);
    }
    return frames;
}

static void the_header_of_an_mdd_is_true_at_any_time(void **state)
{
    (void)state;
    static const int expected[] = {40, 1000, 0};
    for (size_t k = 0; k < sizeof expected / sizeof *expected; ++k)
        for (int frames = 0; frames < 40; ++frames) {
            tl_cache *cache = start(TL_CACHE_MDD, expected[k], frames);
            int counted = frames_by_header();
            assert_in_range(counted, (frames + 1) / 2, frames);
            if (expected[k] == 40)
                assert_true(frames - counted <= 10);
            assert_int_equal(tl_cache_close(cache, NULL), TL_OK);
            assert_int_equal(frames_by_header(), frames);
            remove(path);
        }
}

static void a_cache_has_one_writer(void **state)
{
    (void)state;
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        tl_error error = {.code = TL_OK};
        tl_cache *cache = start((tl_cache_format)format, 8, 5);
        assert_null(tl_cache_create(path, (tl_cache_format)format, VERTICES, 8, 25, &error));
        assert_int_equal(error.code, TL_ERROR_FILE);
        assert_non_null(strstr(error.message, "is being written by another program"));
        expect_frames(5, format == TL_CACHE_MDD ? 25 : 0);
        assert_int_equal(tl_cache_close(cache, NULL), TL_OK);
        assert_int_equal(tl_cache_close(start((tl_cache_format)format, 8, 2), NULL), TL_OK);
        expect_frames(2, format == TL_CACHE_MDD ? 25 : 0);
        remove(path);
    }
}

static void headers_have_the_layout_of_the_format(void **state)
{
    (void)state;
    static const unsigned char pc2[32] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0,  1, 0, 0, 0,
                                          7,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 63, 2, 0, 0, 0};
    static const unsigned char mdd[16] = {0, 0, 0, 2, 0, 0, 0, 7, 0, 0, 0, 0, 0x3d, 0x23, 0xd7, 0x0a}; /* 0.04 s */
    unsigned char header[32];
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        tl_cache_close(start((tl_cache_format)format, 2, 2), NULL);
        FILE *file = fopen(path, "rb");
        assert_int_equal(fread(header, 1, sizeof header, file), sizeof header);
        fclose(file);
        if (format == TL_CACHE_PC2)
            assert_memory_equal(header, pc2, sizeof pc2);
        else
            assert_memory_equal(header, mdd, sizeof mdd);
        remove(path);
    }
}

static void refuses(const char *name, const void *bytes, size_t size, const char *place, const char *reason)
{
    snprintf(path, sizeof path, "%s/%s", folder, name);
    FILE *file = fopen(path, "wb");
    assert_non_null(file);
    fwrite(bytes, 1, size, file);
    fclose(file);
    tl_error error = {.code = TL_OK};
    tl_cache_data data;
    assert_int_equal(tl_cache_read(path, &data, &error), TL_ERROR_INPUT);
    assert_null(data.positions);
    if (!strstr(error.message, name) || !strstr(error.message, place) || !strstr(error.message, reason))
        fail_msg("%s: %s", name, error.message);
    assert_int_equal(tl_cache_read(path, &data, NULL), TL_ERROR_INPUT);
    remove(path);
}

static void broken_caches_are_refused(void **state)
{
    (void)state;
    unsigned char pc2[32 + 24] = {'P', 'O', 'I', 'N', 'T', 'C', 'A', 'C', 'H', 'E', '2', 0,  1, 0, 0, 0,
                                  1,   0,   0,   0,   0,   0,   0,   0,   0,   0,   128, 63, 2, 0, 0, 0};
    refuses("empty.pc2", pc2, 0, "header", "neither");
    refuses("cut.pc2", pc2, 20, "header", "20 bytes");
    refuses("cut.pc2", pc2, sizeof pc2 - 1, "frame 1", "header says 2 frames");
    pc2[12] = 2;
    refuses("version.pc2", pc2, sizeof pc2, "header", "version 2");
    pc2[12] = 1;
    memset(pc2 + 28, 0xff, 4);
    refuses("frames.pc2", pc2, sizeof pc2, "header", "header: -1 frames");
    memset(pc2 + 16, 0xff, 4);
    refuses("points.pc2", pc2, sizeof pc2, "header", "-1 vertices");
    memset(pc2 + 16, 0, 4);
    refuses("none.pc2", pc2, sizeof pc2, "header", "0 vertices");
    pc2[0] = 'p';
    refuses("signature.pc2", pc2, sizeof pc2, "header", "signature");
    unsigned char mdd[8 + 8 + 24] = {0, 0, 0, 2, 0, 0, 0, 1, 0, 0, 0, 0, 0x3d, 0x23, 0xd7, 0x0a};
    refuses("cut.mdd", mdd, 5, "header", "5 bytes");
    refuses("cut.mdd", mdd, sizeof mdd - 1, "frame 1", "header says 2 frames");
    refuses("times.mdd", mdd, 12, "header", "times");
    memset(mdd, 0xff, 4);
    refuses("frames.mdd", mdd, sizeof mdd, "header", "-1 frames");
    memset(mdd + 4, 0, 4);
    refuses("points.mdd", mdd, sizeof mdd, "header", "0 vertices");
    tl_error error;
    tl_cache_data data;
    assert_int_equal(tl_cache_read("/nowhere/cache.pc2", &data, &error), TL_ERROR_FILE);
}

static void a_full_disk_is_reported(void **state)
{
    (void)state;
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        tl_error error = {.code = TL_OK};
        assert_null(tl_cache_create("/dev/full", (tl_cache_format)format, VERTICES, 5, 25, &error));
        assert_int_equal(error.code, TL_ERROR_FILE);
        assert_non_null(strstr(error.message, "/dev/full: cannot be written: No space left"));
        assert_null(tl_cache_create("/nowhere/x", (tl_cache_format)format, VERTICES, 5, 25, &error));
        assert_int_equal(error.code, TL_ERROR_FILE);
        assert_null(tl_cache_create("/tmp/x", (tl_cache_format)format, 0, 5, 25, &error));
        assert_int_equal(error.code, TL_ERROR_INPUT);
    }
    assert_int_equal(tl_cache_close(NULL, NULL), TL_OK);
}

/* Frames larger than what is copied at once, in a table of times that grows again and again. */
static void large_frames_survive_a_longer_table_of_times(void **state)
{
    (void)state;
    enum { MANY = 9000, FRAMES = 5 };
    static tl_vec3 positions[MANY];
    tl_cache *cache = tl_cache_create(file_of(TL_CACHE_MDD), TL_CACHE_MDD, MANY, 1, 25, NULL);
    tl_cache_data data;
    assert_non_null(cache);
    for (int f = 0; f < FRAMES; ++f) {
        for (int i = 0; i < MANY; ++i)
            positions[i] = (tl_vec3){(tl_real)f, (tl_real)i, (tl_real)(i * f)};
        assert_int_equal(tl_cache_add(cache, positions, NULL), TL_OK);
    }
    assert_int_equal(tl_cache_close(cache, NULL), TL_OK);
    assert_int_equal(tl_cache_read(path, &data, NULL), TL_OK);
    assert_int_equal(data.frame_count, FRAMES);
    for (int f = 0; f < FRAMES; ++f)
        for (int i = 0; i < MANY; ++i) {
            const float *p = data.positions + 3 * ((size_t)f * MANY + (size_t)i);
            assert_true(p[0] == (float)f && p[1] == (float)i && p[2] == (float)(i * f));
        }
    tl_cache_free(&data);
    remove(path);
}

static long length_of_file(void)
{
    struct stat status;
    assert_int_equal(stat(path, &status), 0);
    return (long)status.st_size;
}

/* Files may not become longer than a frame and a half: what was written of the second frame is taken back. */
static void a_frame_that_does_not_fit_leaves_none_of_it_behind(void **state)
{
    (void)state;
    enum { MANY = 1000 };
    static tl_vec3 positions[MANY];
    struct rlimit before, tight;
    assert_int_equal(getrlimit(RLIMIT_FSIZE, &before), 0);
    void (*usual)(int) = signal(SIGXFSZ, SIG_IGN);
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        tl_error error = {.code = TL_OK};
        tl_cache *cache = tl_cache_create(file_of((tl_cache_format)format), (tl_cache_format)format, MANY, 4, 25, NULL);
        assert_non_null(cache);
        assert_int_equal(tl_cache_add(cache, positions, NULL), TL_OK);
        long whole = length_of_file();
        tight = before;
        tight.rlim_cur = (rlim_t)whole + 6 * MANY;
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
        tl_result result = tl_cache_add(cache, positions, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_int_equal(result, TL_ERROR_FILE);
        assert_int_equal(length_of_file(), whole);
        assert_int_equal(tl_cache_add(cache, positions, NULL), TL_OK); /* there is room again */
        assert_int_equal(tl_cache_close(cache, NULL), TL_OK);
        tl_cache_data data;
        assert_int_equal(tl_cache_read(path, &data, NULL), TL_OK);
        assert_int_equal(data.frame_count, 2);
        tl_cache_free(&data);
        remove(path);
    }
    signal(SIGXFSZ, usual);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(frames_read_back),
        cmocka_unit_test(an_interrupted_file_is_readable),
        cmocka_unit_test(the_header_of_an_mdd_is_true_at_any_time),
        cmocka_unit_test(a_cache_has_one_writer),
        cmocka_unit_test(headers_have_the_layout_of_the_format),
        cmocka_unit_test(broken_caches_are_refused),
        cmocka_unit_test(a_full_disk_is_reported),
        cmocka_unit_test(large_frames_survive_a_longer_table_of_times),
        cmocka_unit_test(a_frame_that_does_not_fit_leaves_none_of_it_behind),
    };
    return cmocka_run_group_tests(tests, make_folder, remove_folder);
}
