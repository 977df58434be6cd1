/* One sentence for the user about what went wrong; every failing function of apps/render fills it when it is given. */
#ifndef RENDER_ERROR_H
#define RENDER_ERROR_H

typedef struct render_error {
    char text[512];
} render_error;

/* printf into error->text; error may be NULL. */
void render_error_set(render_error *error, const char *format, ...);

#endif
