/* PNG through stb, clips through a pipe to ffmpeg. No shell is involved: the program is found on the PATH and started
   with an argument array, so any file name is safe. ffmpeg's messages go to an unnamed file and are quoted when it
   fails. */
#define _POSIX_C_SOURCE 200809L
#include "video.h"
#include "output.h"
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <signal.h>
#include <spawn.h>
#include <stb/stb_image.h>
#include <stb/stb_image_write.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

typedef struct png_file {
    const char *path;
    bool written;
    int reason; /* errno */
} png_file;

/* Takes the whole PNG at once. */
static void write_png(void *user, void *bytes, int size)
{
    png_file *file = user;
    file->written = output_replace(file->path, bytes, (size_t)size);
    file->reason = errno;
}

bool image_write_png(const char *path, int width, int height, const uint8_t *rgba, render_error *error)
{
    png_file file = {.path = path, .reason = ENOMEM};
    if (stbi_write_png_to_func(write_png, &file, width, height, 4, rgba, width * 4) && file.written)
        return true;
    errno = file.reason;
    render_error_set(error, "%s: cannot write the picture: %s", path, output_reason());
    return false;
}

uint8_t *image_read(const char *path, int *width, int *height, render_error *error)
{
    int channels = 0;
    const char *reason;
    if (!input_is_regular(path, &reason)) {
        render_error_set(error, "%s: cannot read the image: %s", path, reason);
        return NULL;
    }
    uint8_t *rgba = stbi_load(path, width, height, &channels, 4);
    if (!rgba)
        render_error_set(error, "%s: cannot read the image: %s", path, stbi_failure_reason());
    return rgba;
}

/* ---- ffmpeg ------------------------------------------------------------------------------------------------------ */

struct video {
    pid_t process;
    int pipe;       /* write end */
    FILE *messages; /* what ffmpeg says */
    char *output;   /* "file:" and the path */
    int lock;       /* on the clip */
    size_t frame_size;
    bool broken; /* the pipe is closed */
};

/* Full path of the first executable ffmpeg on the PATH. */
static bool find_ffmpeg(char *found, size_t size)
{
    const char *path = getenv("PATH");
    while (path && *path) {
        size_t length = strcspn(path, ":");
        int written = snprintf(found, size, "%.*s/ffmpeg", (int)length, path);
        if (length > 0 && written > 0 && (size_t)written < size && access(found, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

bool video_available(void)
{
    char found[PATH_MAX];
    return find_ffmpeg(found, sizeof found);
}

enum { ARGUMENT_LIMIT = 48 };

static void push(char **arguments, int *count, const char *const *more)
{
    while (*more)
        arguments[(*count)++] = (char *)(uintptr_t)*more++; // posix_spawn's array is not const; nothing writes to it
}

/* Codec by the file's extension; false when it is not supported. Even sizes for yuv420p by cropping the odd last
   line. */
static bool push_codec(char **arguments, int *count, const char *path, int frames_per_second)
{
    static const char *const yuv[] = {
        "-vf",
        "crop=trunc(iw/2)*2:trunc(ih/2)*2:0:0,scale=out_color_matrix=bt709:out_range=tv,format=yuv420p",
        "-colorspace",
        "bt709",
        "-color_primaries",
        "bt709",
        "-color_trc",
        "bt709",
        NULL};
    static const char *const mp4[] = {"-c:v", "libx264",   "-preset",    "medium", "-crf",
                                      "18",   "-movflags", "+faststart", NULL};
    static const char *const webm[] = {"-c:v", "libvpx-vp9", "-crf", "30",      "-b:v", "0", "-deadline",
                                       "good", "-cpu-used",  "4",    "-row-mt", "1",    NULL};
    static const char *const gif[] = {
        "-filter_complex", "split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4",
        "-loop", "0", NULL};
    // gif counts hundredths of a second and players slow down below two of them
    static const char *const gif_fast[] = {
        "-filter_complex",
        "fps=50,split[a][b];[a]palettegen=stats_mode=diff[p];[b][p]paletteuse=dither=bayer:bayer_scale=4", "-loop", "0",
        NULL};
    const char *ending = strrchr(path, '.');
    if (ending && strcmp(ending, ".gif") == 0) {
        push(arguments, count, frames_per_second > 50 ? gif_fast : gif);
        return true;
    }
    bool is_mp4 = ending && strcmp(ending, ".mp4") == 0, is_webm = ending && strcmp(ending, ".webm") == 0;
    if (!is_mp4 && !is_webm)
        return false;
    push(arguments, count, yuv);
    push(arguments, count, is_mp4 ? mp4 : webm);
    return true;
}

/* Pipe whose ends do not leak into other programs we start. */
static bool make_pipe(int ends[2])
{
    if (pipe(ends) != 0)
        return false;
    fcntl(ends[0], F_SETFD, FD_CLOEXEC);
    fcntl(ends[1], F_SETFD, FD_CLOEXEC);
    return true;
}

/* Starts ffmpeg with our pipe as input, nothing as output and the message file as errors. 0 or an errno. */
static int start(video *clip, const char *program, char **arguments)
{
    int ends[2];
    if (!make_pipe(ends))
        return errno;
    posix_spawn_file_actions_t actions;
    int failure = posix_spawn_file_actions_init(&actions);
    if (failure) {
        close(ends[0]);
        close(ends[1]);
        return failure;
    }
    posix_spawn_file_actions_adddup2(&actions, ends[0], STDIN_FILENO);
    posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
    posix_spawn_file_actions_adddup2(&actions, fileno(clip->messages), STDERR_FILENO);
    /* a group of its own: Ctrl-C is for us, and ffmpeg ends with the last frame */
    posix_spawnattr_t attributes;
    failure = posix_spawnattr_init(&attributes);
    if (!failure) {
        posix_spawnattr_setflags(&attributes, POSIX_SPAWN_SETPGROUP);
        failure = posix_spawn(&clip->process, program, &actions, &attributes, arguments, environ);
        posix_spawnattr_destroy(&attributes);
    }
    posix_spawn_file_actions_destroy(&actions);
    close(ends[0]);
    if (failure)
        close(ends[1]);
    else
        clip->pipe = ends[1];
    return failure;
}

video *video_open(const char *path, int width, int height, int frames_per_second, render_error *error)
{
    char program[PATH_MAX], size[32], rate[16];
    if (width < 2 || height < 2 || frames_per_second < 1) {
        render_error_set(error, "%s: a clip of %d × %d pixels at %d frames a second cannot be written", path, width,
                         height, frames_per_second);
        return NULL;
    }
    if (!find_ffmpeg(program, sizeof program)) {
        render_error_set(error,
                         "%s: the program ffmpeg was not found on the PATH; it makes the clip (Debian: apt install "
                         "ffmpeg). PNG frames work without it",
                         path);
        return NULL;
    }
    // "file:" keeps a name with a colon or a leading dash from being taken for something else
    char *output = malloc(strlen(path) + sizeof "file:");
    video *clip = calloc(1, sizeof *clip);
    FILE *messages = tmpfile();
    if (!output || !clip || !messages) {
        render_error_set(error, "%s: out of memory or no temporary file", path);
        goto fail;
    }
    *clip = (video){.pipe = -1, .lock = -1, .messages = messages, .frame_size = (size_t)width * (size_t)height * 4};
    strcpy(output, "file:");
    strcat(output, path);
    clip->output = output;
    snprintf(size, sizeof size, "%dx%d", width, height);
    snprintf(rate, sizeof rate, "%d", frames_per_second);
    char *arguments[ARGUMENT_LIMIT];
    int count = 0;
    push(arguments, &count,
         (const char *const[]){"ffmpeg", "-y", "-hide_banner", "-loglevel", "error", "-xerror", "-f", "rawvideo",
                               "-pix_fmt", "rgba", "-s", size, "-r", rate, "-i", "pipe:0", "-an", NULL});
    if (!push_codec(arguments, &count, path, frames_per_second)) {
        render_error_set(error, "%s: the ending of a clip must be .mp4, .webm or .gif", path);
        goto fail;
    }
    if (!output_lock(path, &clip->lock)) {
        render_error_set(error, "%s: cannot write the clip: %s", path, output_reason());
        goto fail;
    }
    arguments[count++] = output;
    arguments[count] = NULL;
    int failure = start(clip, program, arguments);
    if (failure) {
        render_error_set(error, "%s: cannot start %s: %s", path, program, strerror(failure));
        goto fail;
    }
    return clip;
fail:
    if (clip)
        output_unlock(&clip->lock);
    free(output);
    free(clip);
    if (messages)
        fclose(messages);
    return NULL;
}

/* Writes everything; a closed reader shows as EPIPE, and its SIGPIPE is consumed before it is delivered. */
static bool write_all(int pipe_end, const uint8_t *data, size_t size)
{
    sigset_t only_pipe, before, waiting;
    sigemptyset(&only_pipe);
    sigaddset(&only_pipe, SIGPIPE);
    sigpending(&waiting);
    bool was_waiting = sigismember(&waiting, SIGPIPE) == 1;
    pthread_sigmask(SIG_BLOCK, &only_pipe, &before);
    bool good = true;
    while (good && size > 0) {
        ssize_t done = write(pipe_end, data, size);
        if (done > 0) {
            data += done;
            size -= (size_t)done;
        } else if (errno != EINTR) {
            good = false;
        }
    }
    if (!good && !was_waiting) {
        int taken;
        sigpending(&waiting);
        if (sigismember(&waiting, SIGPIPE) == 1)
            sigwait(&only_pipe, &taken);
    }
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    return good;
}

bool video_frame(video *clip, const uint8_t *rgba, render_error *error)
{
    if (!clip->broken && write_all(clip->pipe, rgba, clip->frame_size))
        return true;
    clip->broken = true;
    render_error_set(error, "%s: ffmpeg stopped taking frames", clip->output + strlen("file:"));
    return false;
}

/* The end of ffmpeg's messages, on one line. */
static void last_words(FILE *messages, char *text, size_t size)
{
    fseek(messages, 0, SEEK_END);
    long length = ftell(messages), from = length > (long)size - 1 ? length - (long)size + 1 : 0;
    fseek(messages, from, SEEK_SET);
    size_t got = fread(text, 1, size - 1, messages);
    while (got > 0 && (text[got - 1] == '\n' || text[got - 1] == ' '))
        --got;
    text[got] = '\0';
    for (size_t i = 0; i < got; ++i)
        if (text[i] == '\n' || text[i] == '\r')
            text[i] = ' ';
}

bool video_close(video *clip, render_error *error)
{
    if (!clip)
        return true;
    close(clip->pipe);
    int status = 0;
    pid_t ended;
    do
        ended = waitpid(clip->process, &status, 0);
    while (ended < 0 && errno == EINTR);
    char words[400];
    last_words(clip->messages, words, sizeof words);
    /* ffmpeg 5.1 exits with 0 when closing the file fails on a full disk */
    bool good = ended == clip->process && WIFEXITED(status) && WEXITSTATUS(status) == 0 && !clip->broken &&
                !strstr(words, "Error");
    if (!good) {
        render_error_set(error, "%s: ffmpeg failed (%s %d): %s", clip->output + strlen("file:"),
                         WIFSIGNALED(status) ? "signal" : "exit code",
                         WIFSIGNALED(status) ? WTERMSIG(status) : WEXITSTATUS(status), words[0] ? words : "no message");
    }
    fclose(clip->messages);
    output_unlock(&clip->lock);
    free(clip->output);
    free(clip);
    return good;
}
