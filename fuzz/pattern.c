/* Fuzzes sewing patterns, JSON or, by the first byte, SVG or DXF: any bytes give a pattern, whose seams can be checked
   and whose panels meshed or refused, or an error with a reason. */
#include <stdlib.h>

#include "telar/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    tl_error error = {TL_OK, ""};
    const char *text = (const char *)data;
    tl_pattern *pattern = size > 0 && text[0] == '<'   ? tl_pattern_parse_svg(text, size, "fuzz.svg", &error)
                          : size > 0 && text[0] == ' ' ? tl_pattern_parse_dxf(text, size, "fuzz.dxf", &error)
                                                       : tl_pattern_parse(text, size, "fuzz.json", &error);
    if (!pattern) {
        if (error.code == TL_OK || !error.message[0])
            abort();
        return 0;
    }
    const tl_pattern_def *def = tl_pattern_get_def(pattern);
    tl_seam_check *checks = malloc((size_t)def->stitch_count * sizeof *checks + 1);
    if (checks)
        tl_pattern_check_seams(pattern, checks);
    free(checks);
    double area = 0;
    for (int p = 0; p < def->panel_count; ++p)
        area += tl_pattern_panel_area(pattern, p);
    /* some thousand triangles at most */
    tl_panel_mesh *mesh =
        area < 2 ? tl_pattern_mesh(pattern, &(tl_panel_mesh_def){(tl_real)0.05, size % 2 ? "squares" : NULL}, &error)
                 : NULL;
    if (mesh) {
        const tl_panel_mesh_arrays *m = tl_panel_mesh_get(mesh);
        for (int h = 0; h < 3 * m->triangle_count; ++h)
            if (m->triangle[h] < 0 || m->triangle[h] >= m->vertex_count)
                abort();
        tl_mesh_destroy(tl_panel_mesh_cloth(mesh, NULL, true, NULL, &error));
    }
    tl_panel_mesh_destroy(mesh);
    tl_pattern_destroy(pattern);
    return 0;
}
