/* Fuzzing that fits into a test run: valid files with random damage, through the entry points of fuzz/, with a fixed
   seed. Any crash, sanitizer report or failed assertion of the entry points fails it. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

/* each entry point under a separate name */
#define LLVMFuzzerTestOneInput fuzz_scene
#include "../../fuzz/scene.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_obj
#include "../../fuzz/obj.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_cache
#include "../../fuzz/cache.c"
#undef LLVMFuzzerTestOneInput
#define LLVMFuzzerTestOneInput fuzz_pattern
#include "../../fuzz/pattern.c"
#undef LLVMFuzzerTestOneInput

enum { ROUNDS = 2000, LARGEST = 1 << 16 };

static uint32_t random_state = 12345;

static uint32_t random_below(uint32_t limit)
{
    random_state ^= random_state << 13;
    random_state ^= random_state >> 17;
    random_state ^= random_state << 5;
    return limit ? random_state % limit : 0;
}

/* One to four random mutations: a byte changed, a piece removed, duplicated, or replaced by an awkward token. */
static size_t damage(char *text, size_t length)
{
    static const char *const awkward[] = {"-1",          "1e999", "null", "{}", "[]", "\"\"", "[[[[", "\xff",
                                          "99999999999", "-0",    ",",    "//", "f",  "inf",  "true", "\\\n"};
    for (uint32_t n = 1 + random_below(4); n > 0 && length > 0; --n) {
        uint32_t at = random_below((uint32_t)length), size = random_below(20);
        if (size > length - at)
            size = (uint32_t)length - at;
        switch (random_below(4)) {
        case 0:
            text[at] = (char)random_below(256);
            break;
        case 1:
            memmove(text + at, text + at + size, length - at - size);
            length -= size;
            break;
        case 2:
            if (length + size < LARGEST) {
                memmove(text + at + size, text + at, length - at);
                length += size;
            }
            break;
        default: {
            const char *word = awkward[random_below(sizeof awkward / sizeof *awkward)];
            size_t word_length = strlen(word);
            if (at + word_length < length)
                memcpy(text + at, word, word_length);
        }
        }
    }
    return length;
}

static void survive(const char *file_name, int (*entry)(const uint8_t *, size_t))
{
    static char original[LARGEST], text[LARGEST];
    FILE *file = fopen(file_name, "rb");
    assert_non_null(file);
    size_t length = fread(original, 1, sizeof original, file);
    fclose(file);
    for (int i = 0; i < ROUNDS; ++i) {
        memcpy(text, original, length);
        size_t damaged = damage(text, length);
        uint8_t *exact = malloc(damaged + 1); /* an exact allocation, so that sanitizers detect reads beyond it */
        assert_non_null(exact);
        memcpy(exact, text, damaged);
        entry(exact, damaged);
        free(exact);
    }
}

static void damaged_scenes_never_crash(void **state)
{
    (void)state;
    survive(TL_TEST_DATA "/full.json", fuzz_scene);
}

static void damaged_meshes_never_crash(void **state)
{
    (void)state;
    survive(TL_TEST_DATA "/meshes/quads.obj", fuzz_obj);
    survive(TL_TEST_DATA "/meshes/seam.obj", fuzz_obj);
}

static void damaged_patterns_never_crash(void **state)
{
    (void)state;
    survive(TL_TEST_DATA "/patterns/kinds.json", fuzz_pattern);
    survive(TL_TEST_DATA "/patterns/sleeve.json", fuzz_pattern);
    survive(TL_TEST_DATA "/patterns/bag.svg", fuzz_pattern);
    survive(TL_TEST_DATA "/patterns/pieces.dxf", fuzz_pattern);
}

static void damaged_caches_never_crash(void **state)
{
    (void)state;
    char folder[] = "/tmp/telar-mutate-XXXXXX", path[64];
    assert_non_null(mkdtemp(folder));
    snprintf(path, sizeof path, "%s/cache", folder);
    for (int format = TL_CACHE_PC2; format <= TL_CACHE_MDD; ++format) {
        tl_cache *cache = tl_cache_create(path, (tl_cache_format)format, 3, 4, 60, NULL);
        for (int i = 0; i < 4; ++i)
            tl_cache_add(cache, (tl_vec3[3]){{1, 2, 3}, {4, 5, 6}, {7, 8, 9}}, NULL);
        tl_cache_close(cache, NULL);
        survive(path, fuzz_cache);
    }
    remove(path);
    remove(folder);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(damaged_scenes_never_crash),
        cmocka_unit_test(damaged_meshes_never_crash),
        cmocka_unit_test(damaged_patterns_never_crash),
        cmocka_unit_test(damaged_caches_never_crash),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
