#include "core/rename.h"

#include <stddef.h>
#include <string.h>

const tl_rename tl_renames[] = {
    {"world", "lanes", "simd", "plain", "scalar"},
    {"cloth", "hold.attachments", "tether.on", NULL, NULL},
    {"cloth", "hold.coarse", "multilevel.on", NULL, NULL},
    {"cloth", "hold.repeats", "extra_sweeps", NULL, NULL},
    {"cloth", "limit.on", "strain_limit.on", NULL, NULL},
    {"cloth", "limit.warp", "strain_limit.warp", NULL, NULL},
    {"cloth", "limit.weft", "strain_limit.weft", NULL, NULL},
    {"cloth", "limit.passes", "strain_limit.passes", NULL, NULL},
    {"cloth", "layers.gap", "cloth_gap", NULL, NULL},
    {"cloth", "layers.friction", "cloth_friction", NULL, NULL},
    {"body", "held", "kinematic", NULL, NULL},
    {"body", "release", "release_time", NULL, NULL},
    {NULL, NULL, NULL, NULL, NULL},
};

const tl_rename *tl_rename_find(const char *group, const char *path)
{
    for (const tl_rename *r = tl_renames; r->group; ++r)
        if (strcmp(r->group, group) == 0 && strcmp(r->path, path) == 0)
            return r;
    return NULL;
}

const char *tl_rename_name(const char *new_path, const char *name)
{
    for (const tl_rename *r = tl_renames; r->group; ++r)
        if (r->name && strcmp(r->new_path, new_path) == 0 && strcmp(r->name, name) == 0)
            return r->new_name;
    return NULL;
}
