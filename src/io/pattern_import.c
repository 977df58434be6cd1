/* Patterns of other formats, by the ending of the file. */
#include <stdlib.h>

#include "core/memory.h"
#include "io/file.h"
#include "telar/io.h"

#define LARGEST_FILE ((size_t)32 << 20)

tl_pattern *tl_pattern_import(const char *file_name, tl_error *error)
{
    bool svg = tl_file_has_ending(file_name, "svg"), dxf = tl_file_has_ending(file_name, "dxf");
    if (!svg && !dxf) {
        tl_fail(error, TL_ERROR_INPUT, "%s: patterns are imported from .svg and .dxf files", file_name);
        return NULL;
    }
    size_t length;
    char *text = tl_file_read(file_name, LARGEST_FILE, &length, error);
    if (!text)
        return NULL;
    tl_pattern *pattern = svg ? tl_pattern_parse_svg(text, length, file_name, error)
                              : tl_pattern_parse_dxf(text, length, file_name, error);
    free(text);
    return pattern;
}
