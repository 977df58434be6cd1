/* Drawing of patterns, for `telar garment draw`. */
#ifndef TELAR_CLI_GARMENT_H
#define TELAR_CLI_GARMENT_H

#include "cli/cli.h"

/* Writes the panels side by side as SVG: seams in colours with arrows, lengths and mismatch. `checks` of every stitch.
   Returns an exit code. */
int garment_draw(const tl_pattern *pattern, const tl_seam_check *checks, const char *file_name);

#endif
