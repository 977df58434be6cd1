/* PNG, clips through ffmpeg, and messages when it is missing or fails. */
#define _POSIX_C_SOURCE 200809L
#include <setjmp.h>
#include <signal.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "video.h"
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>
#include <sys/stat.h>
#include <unistd.h>

static char folder[] = "/tmp/telar-video-XXXXXX";

static const char *in_folder(const char *name)
{
    static char path[256];
    snprintf(path, sizeof path, "%s/%s", folder, name);
    return path;
}

static void paint(uint8_t *rgba, int width, int height, int frame)
{
    for (int y = 0; y < height; ++y)
        for (int x = 0; x < width; ++x) {
            uint8_t *p = rgba + 4 * (y * width + x);
            p[0] = (uint8_t)(x * 255 / width);
            p[1] = (uint8_t)(y * 255 / height);
            p[2] = (uint8_t)(frame * 20);
            p[3] = 255;
        }
}

static bool write_clip(const char *path, int width, int height, int frames, render_error *error)
{
    video *clip = video_open(path, width, height, 30, error);
    if (!clip)
        return false;
    uint8_t *rgba = malloc((size_t)(width * height * 4));
    bool good = true;
    for (int i = 0; i < frames && good; ++i) {
        paint(rgba, width, height, i);
        good = video_frame(clip, rgba, error);
    }
    free(rgba);
    return video_close(clip, error) && good;
}

/* Frames in a clip as ffprobe counts them; the name goes through the environment, so the shell never parses it. */
static int count_frames(const char *path)
{
    setenv("CLIP", path, 1);
    FILE *probe = popen("ffprobe -v error -select_streams v -count_frames -show_entries stream=nb_read_frames "
                        "-of default=nokey=1:noprint_wrappers=1 \"file:$CLIP\"",
                        "r");
    int frames = -1;
    if (fscanf(probe, "%d", &frames) != 1)
        frames = -1;
    pclose(probe);
    return frames;
}

static void png_reads_back_the_same_pixels(void **state)
{
    (void)state;
    uint8_t rgba[17 * 9 * 4];
    paint(rgba, 17, 9, 3);
    render_error error;
    assert_true(image_write_png(in_folder("a.png"), 17, 9, rgba, &error));
    int width = 0, height = 0;
    uint8_t *back = image_read(in_folder("a.png"), &width, &height, &error);
    assert_non_null(back);
    assert_int_equal(width, 17);
    assert_int_equal(height, 9);
    assert_memory_equal(back, rgba, sizeof rgba);
    free(back);
}

static void png_errors_name_the_file(void **state)
{
    (void)state;
    uint8_t rgba[4] = {0};
    render_error error = {0};
    assert_false(image_write_png("/nowhere/at/all.png", 1, 1, rgba, &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all.png"));
    int width, height;
    assert_null(image_read("/nowhere/at/all.png", &width, &height, &error));
}

static void clips_have_as_many_frames_as_were_given(void **state)
{
    (void)state;
    if (!video_available())
        skip();
    static const char *const names[] = {"clip.mp4", "clip.webm", "clip.gif"};
    for (int i = 0; i < 3; ++i) {
        render_error error = {0};
        bool good = write_clip(in_folder(names[i]), 64, 48, 7, &error);
        if (!good)
            print_error("%s: %s\n", names[i], error.text);
        assert_true(good);
        assert_int_equal(count_frames(in_folder(names[i])), 7);
    }
}

static void odd_sizes_and_strange_names_are_safe(void **state)
{
    (void)state;
    if (!video_available())
        skip();
    render_error error = {0};
    const char *name = in_folder("a b'; touch \"$HOME\" & :-x.mp4");
    assert_true(write_clip(name, 65, 47, 3, &error));
    assert_int_equal(count_frames(name), 3);
}

static void a_clip_that_cannot_be_opened_says_so(void **state)
{
    (void)state;
    if (!video_available())
        skip();
    render_error error = {0};
    assert_false(write_clip("/nowhere/at/all/clip.mp4", 640, 480, 40, &error));
    assert_non_null(strstr(error.text, "/nowhere/at/all/clip.mp4: cannot write the clip: No such file"));
}

/* Files may not become longer than this, as on a full disk. */
static void limit_files(rlim_t bytes, struct rlimit *before)
{
    assert_int_equal(getrlimit(RLIMIT_FSIZE, before), 0);
    signal(SIGXFSZ, SIG_IGN);
    struct rlimit tight = *before;
    tight.rlim_cur = bytes;
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &tight), 0);
}

static void a_full_disk_fails_in_the_words_of_ffmpeg(void **state)
{
    (void)state;
    if (!video_available())
        skip();
    static const char *const names[] = {"clip.mp4", "clip.webm", "clip.gif"};
    for (int i = 0; i < 3; ++i) {
        render_error error = {0};
        struct rlimit before;
        limit_files(1000, &before);
        bool good = write_clip(in_folder(names[i]), 640, 480, 7, &error);
        assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
        assert_false(good);
        if (!strstr(error.text, names[i]) || !strstr(error.text, "ffmpeg failed") ||
            !strstr(error.text, "File too large"))
            fail_msg("%s: %s", names[i], error.text);
    }
}

static void a_picture_on_a_full_disk_is_reported_and_the_old_one_stays(void **state)
{
    (void)state;
    uint8_t rgba[64 * 64 * 4];
    render_error error = {0};
    struct rlimit before;
    paint(rgba, 64, 64, 3);
    assert_true(image_write_png(in_folder("a.png"), 64, 64, rgba, &error));
    limit_files(100, &before);
    bool written = image_write_png(in_folder("a.png"), 64, 64, rgba, &error);
    assert_int_equal(setrlimit(RLIMIT_FSIZE, &before), 0);
    assert_false(written);
    assert_non_null(strstr(error.text, "a.png: cannot write the picture: File too large"));
    int width = 0, height = 0;
    uint8_t *back = image_read(in_folder("a.png"), &width, &height, &error);
    assert_non_null(back);
    free(back);
    assert_false(image_write_png("/dev/full", 64, 64, rgba, &error));
    assert_non_null(strstr(error.text, "/dev/full: cannot write the picture: No space left"));
}

static void a_clip_has_one_writer(void **state)
{
    (void)state;
    if (!video_available())
        skip();
    uint8_t rgba[64 * 48 * 4] = {0};
    render_error error = {0};
    video *first = video_open(in_folder("clip.mp4"), 64, 48, 30, &error);
    assert_non_null(first);
    assert_null(video_open(in_folder("clip.mp4"), 64, 48, 30, &error));
    assert_non_null(strstr(error.text, "is being written by another telar"));
    assert_true(video_frame(first, rgba, &error));
    assert_true(video_close(first, &error));
    assert_int_equal(count_frames(in_folder("clip.mp4")), 1);
}

static void only_regular_files_are_pictures(void **state)
{
    (void)state;
    render_error error = {0};
    int width, height;
    assert_int_equal(mkfifo(in_folder("a.png.pipe"), 0600), 0);
    alarm(20); // it used to wait for a writer
    assert_null(image_read(in_folder("a.png.pipe"), &width, &height, &error));
    alarm(0);
    assert_non_null(strstr(error.text, "is not a regular file"));
    unlink(in_folder("a.png.pipe"));
    assert_null(image_read(folder, &width, &height, &error));
    assert_non_null(strstr(error.text, "is a folder"));
}

static void unknown_endings_and_sizes_are_refused(void **state)
{
    (void)state;
    render_error error = {0};
    assert_null(video_open(in_folder("clip.avi"), 64, 48, 30, &error));
    assert_non_null(strstr(error.text, video_available() ? ".mp4, .webm or .gif" : "ffmpeg"));
    assert_null(video_open(in_folder("clip.mp4"), 1, 48, 30, &error));
    assert_null(video_open(in_folder("clip.mp4"), 64, 48, 0, &error));
}

static void without_ffmpeg_the_message_says_so(void **state)
{
    (void)state;
    char before[4096];
    snprintf(before, sizeof before, "%s", getenv("PATH") ? getenv("PATH") : "");
    setenv("PATH", folder, 1);
    render_error error = {0};
    assert_false(video_available());
    assert_null(video_open(in_folder("clip.mp4"), 64, 48, 30, &error));
    assert_non_null(strstr(error.text, "ffmpeg was not found"));
    assert_non_null(strstr(error.text, "PNG"));
    unsetenv("PATH");
    assert_null(video_open(in_folder("clip.mp4"), 64, 48, 30, &error));
    setenv("PATH", before, 1);
}

static int make_folder(void **state)
{
    (void)state;
    return mkdtemp(folder) ? 0 : -1;
}

static int remove_folder(void **state)
{
    (void)state;
    static const char *const names[] = {"a.png", "clip.mp4", "clip.webm", "clip.gif",
                                        "a b'; touch \"$HOME\" & :-x.mp4"};
    for (size_t i = 0; i < sizeof names / sizeof *names; ++i)
        unlink(in_folder(names[i]));
    return rmdir(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(png_reads_back_the_same_pixels),
        cmocka_unit_test(png_errors_name_the_file),
        cmocka_unit_test(clips_have_as_many_frames_as_were_given),
        cmocka_unit_test(odd_sizes_and_strange_names_are_safe),
        cmocka_unit_test(a_clip_that_cannot_be_opened_says_so),
        cmocka_unit_test(a_full_disk_fails_in_the_words_of_ffmpeg),
        cmocka_unit_test(a_picture_on_a_full_disk_is_reported_and_the_old_one_stays),
        cmocka_unit_test(a_clip_has_one_writer),
        cmocka_unit_test(only_regular_files_are_pictures),
        cmocka_unit_test(unknown_endings_and_sizes_are_refused),
        cmocka_unit_test(without_ffmpeg_the_message_says_so),
    };
    return cmocka_run_group_tests_name("render video", tests, make_folder, remove_folder);
}
