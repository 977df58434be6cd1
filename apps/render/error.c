#include "render_error.h"
#include <stdarg.h>
#include <stdio.h>

void render_error_set(render_error *error, const char *format, ...)
{
    if (!error)
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(error->text, sizeof error->text, format, arguments);
    va_end(arguments);
}
