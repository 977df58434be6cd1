/* Line numbers in a JSON text. */
#ifndef TL_IO_JSON_LINE_H
#define TL_IO_JSON_LINE_H

#include <stddef.h>

/* The line, from 1, of the value with this path ("cloth[0].link.shear.stiffness") in a JSON text that is known to be
   well-formed. When the path does not exist, the line of its longest existing prefix. */
int tl_json_line(const char *text, size_t length, const char *path);

#endif
