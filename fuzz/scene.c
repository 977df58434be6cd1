/* Fuzzes scene files: any bytes give a scene or an error, and a scene survives saving and loading. The corpus is
   scenes/ and tests/data/ (scripts/fuzz). */
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
    char name[64]; /* unique per process */
    snprintf(name, sizeof name, "telar-fuzz-%ld.json", (long)getpid());
    if (tl_scene_save(scene, name, &error) == TL_OK) {
        tl_scene *again = tl_scene_load(name, &error);
        remove(name);
        if (!again || tl_scene_object_count(again) != tl_scene_object_count(scene))
            abort(); /* saved scenes must load */
        tl_scene_destroy(again);
    }
    tl_scene_destroy(scene);
    return 0;
}
