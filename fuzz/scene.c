/* Fuzzing of scene files: any bytes give a scene or an error, and a scene can be saved and read again.
   clang -fsanitize=fuzzer,address,undefined … fuzz/scene.c; the corpus is scenes/ and tests/data/. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "telar/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_error error;
    tl_scene *scene = tl_scene_parse((const char *)data, size, "fuzz.json", &error);
    if (!scene)
        return 0;
    char name[64]; /* one per process: several may run at once */
    snprintf(name, sizeof name, "telar-fuzz-%ld.json", (long)getpid());
    if (tl_scene_save(scene, name, &error) == TL_OK) {
        tl_scene *again = tl_scene_load(name, &error);
        remove(name);
        if (!again || tl_scene_object_count(again) != tl_scene_object_count(scene))
            abort(); /* what we write we can read */
        tl_scene_destroy(again);
    }
    tl_scene_destroy(scene);
    return 0;
}
