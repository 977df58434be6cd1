/* Worn garments kept in the user's cache folder, one file for each, named by the key of what made it. A file is: a
   line that names the format, the sizes of numbers, the report, the positions, and a digest of all that. */
#include <stdlib.h>
#include <string.h>

#include "core/digest.h"
#include "core/memory.h"
#include "io/file.h"
#include "telar/io.h"

#define LARGEST_FILE ((size_t)256 << 20)

typedef struct head {
    char format[16];
    char key[TL_GARMENT_KEY];
    int real_size, report_size, count;
} head;

static const char format_name[16] = "telar worn 1\n";

static size_t file_size(int count)
{
    return sizeof(head) + sizeof(tl_dress_report) + (size_t)count * sizeof(tl_vec3) + sizeof(tl_digest);
}

static head head_of(const char *key, int count)
{
    head h;
    memset(&h, 0, sizeof h);
    memcpy(h.format, format_name, sizeof h.format);
    memcpy(h.key, key, sizeof h.key);
    h.real_size = (int)sizeof(tl_real);
    h.report_size = (int)sizeof(tl_dress_report);
    h.count = count;
    return h;
}

static tl_digest digest_of(const char *bytes, size_t size)
{
    tl_digest digest = tl_digest_start();
    tl_digest_add(&digest, bytes, size);
    return digest;
}

/* Whether the garment is now as the file says; it is untouched when the file is missing or damaged. */
static bool put_on(tl_garment *garment, const char *path, const char *key)
{
    int count = tl_garment_state_count(garment);
    size_t length = 0, size = file_size(count), body = size - sizeof(tl_digest);
    tl_error ignored;
    char *text = tl_file_exists(path) ? tl_file_read(path, LARGEST_FILE, &length, &ignored) : NULL;
    head expected = head_of(key, count);
    tl_digest digest = {{0, 0}};
    bool sound = text && length == size && memcmp(text, &expected, sizeof expected) == 0;
    if (sound) {
        digest = digest_of(text, body);
        sound = memcmp(text + body, &digest, sizeof digest) == 0;
    }
    tl_vec3 *positions = sound ? malloc((size_t)count * sizeof *positions) : NULL;
    if (positions) {
        tl_dress_report report;
        memcpy(&report, text + sizeof(head), sizeof report);
        memcpy(positions, text + sizeof(head) + sizeof report, (size_t)count * sizeof *positions);
        sound = tl_garment_wear(garment, positions, count, &report) == TL_OK;
    }
    sound = sound && positions;
    free(positions);
    free(text);
    return sound;
}

/* Nothing depends on its success. */
static void keep(const tl_garment *garment, const char *path, const char *key)
{
    int count = tl_garment_state_count(garment);
    size_t size = file_size(count), body = size - sizeof(tl_digest);
    char *text = tl_file_make_folders(path) ? malloc(size) : NULL;
    tl_vec3 *positions = text ? malloc((size_t)count * sizeof *positions) : NULL;
    if (positions) {
        head h = head_of(key, count);
        tl_garment_state(garment, positions);
        memcpy(text, &h, sizeof h);
        memcpy(text + sizeof h, tl_garment_report(garment), sizeof(tl_dress_report));
        memcpy(text + sizeof h + sizeof(tl_dress_report), positions, (size_t)count * sizeof *positions);
        tl_digest digest = digest_of(text, body);
        memcpy(text + body, &digest, sizeof digest);
        tl_error ignored;
        tl_file_replace(path, text, size, &ignored);
    }
    free(positions);
    free(text);
}

tl_result tl_garment_dress_kept(tl_garment *garment, const tl_dress_def *def, tl_dress_report *report, bool *kept)
{
    char key[TL_GARMENT_KEY];
    char *path = tl_garment_key(garment, def, key) == TL_OK ? tl_file_in_cache("worn", key) : NULL;
    bool found = path && put_on(garment, path, key);
    tl_result result = found ? tl_garment_report(garment)->result : tl_garment_dress(garment, def, NULL);
    const tl_dress_report *now = tl_garment_report(garment);
    bool clean = now->merged && now->crossings == 0 && now->inside == 0 && now->body_crossings == 0;
    if (path && !found && clean && (result == TL_OK || now->phase == TL_DRESS_SETTLE))
        keep(garment, path, key);
    free(path);
    if (report)
        *report = *now;
    if (kept)
        *kept = found;
    return result;
}
