#include "answers.h"

#include <stdlib.h>
#include <string.h>

#include "core/memory.h"

static char *faults; /* one per line */
static char *logged;
static char *answer;

tl_error js_error;

void js_faults_clear(void)
{
    free(faults);
    faults = NULL;
}

/* One line more. */
static void add_line(char **text, const char *line)
{
    size_t used = *text ? strlen(*text) : 0, length = strlen(line);
    char *grown = realloc(*text, used + length + 2);
    if (!grown)
        return;
    *text = grown;
    memcpy(grown + used, line, length);
    memcpy(grown + used + length, "\n", 2);
}

void js_faults_add(void *user, const char *message)
{
    (void)user;
    add_line(&faults, message);
}

void js_log_add(void *user, const char *message)
{
    (void)user;
    add_line(&logged, message);
}

const char *js_answer(char *text)
{
    free(answer);
    answer = text;
    if (!text)
        tl_fail(&js_error, TL_ERROR_MEMORY, "not enough memory for an answer");
    return text ? text : "";
}

const char *js_answer_json(tl_json_document *document, const tl_json *root)
{
    size_t length = 0;
    char *text = document->failed ? NULL : tl_json_write(root, 0, &length);
    tl_json_release(document);
    return js_answer(text);
}

EXPORT const char *telar_faults(void) { return faults ? faults : ""; }
EXPORT const char *telar_log(void) { return logged ? logged : ""; }
EXPORT void telar_log_clear(void)
{
    free(logged);
    logged = NULL;
}
EXPORT const char *telar_error(void) { return js_error.message; }
EXPORT int telar_error_code(void) { return (int)js_error.code; }
EXPORT void *telar_allocate(size_t size) { return malloc(size); }
EXPORT void telar_free(void *memory) { free(memory); }
