/* Writing JSON, laid out for reading. */
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/text.h"
#include "io/json.h"

enum { INDENT = 2 };

/* A growing text buffer. */
typedef struct output {
    char *text;
    size_t length, capacity;
    size_t limit; /* of a trial: what is longer does not matter; 0: none */
    int line_width;
    bool exact; /* all digits of doubles */
    bool failed;
} output;

static void emit_bytes(output *out, const char *text, size_t length)
{
    if (out->limit && out->length + length > out->limit)
        out->failed = true;
    if (out->length + length + 1 > out->capacity && !out->failed) {
        size_t capacity = 2 * out->capacity + length + 256;
        char *grown = realloc(out->text, capacity);
        if (grown) {
            out->text = grown;
            out->capacity = capacity;
        } else {
            out->failed = true;
        }
    }
    if (out->failed)
        return;
    memcpy(out->text + out->length, text, length);
    out->length += length;
    out->text[out->length] = '\0';
}

static void emit(output *out, const char *text) { emit_bytes(out, text, strlen(text)); }

static void emit_text(output *out, const char *text)
{
    static const char names[] = "\"\\bfnrt", meanings[] = "\"\\\b\f\n\r\t";
    emit(out, "\"");
    for (; *text; ++text) {
        char escape[8] = {*text, '\0'};
        const char *meaning = strchr(meanings, *text);
        if (meaning)
            snprintf(escape, sizeof escape, "\\%c", names[meaning - meanings]);
        else if ((unsigned char)*text < 0x20)
            snprintf(escape, sizeof escape, "\\u%04x", (unsigned)*text);
        emit(out, escape);
    }
    emit(out, "\"");
}

static void emit_newline(output *out, int indent)
{
    emit(out, "\n");
    for (int i = 0; i < indent * INDENT; ++i)
        emit(out, " ");
}

static void emit_value(output *out, const tl_json *json, int indent, bool on_one_line);

/* Whether an object or list fits on what is left of the line. */
static bool fits_on_line(const output *out, const tl_json *json, int indent)
{
    size_t line = 0;
    while (line < out->length && out->text[out->length - 1 - line] != '\n')
        ++line;
    if (line >= (size_t)out->line_width)
        return false;
    output trial = {.limit = (size_t)out->line_width - line, .exact = out->exact};
    emit_value(&trial, json, indent, true);
    free(trial.text);
    return !trial.failed;
}

static void emit_parts(output *out, const tl_json *json, int indent, bool on_one_line)
{
    /* the root always has one line per member */
    if (!on_one_line && indent > 0)
        on_one_line = fits_on_line(out, json, indent);
    const char *separator = "";
    emit(out, json->kind == TL_JSON_OBJECT ? "{" : "[");
    for (const tl_json *part = json->first; part && !out->failed; part = part->next) {
        emit(out, separator);
        separator = on_one_line ? ", " : ",";
        if (!on_one_line)
            emit_newline(out, indent + 1);
        if (json->kind == TL_JSON_OBJECT) {
            emit_text(out, part->key);
            emit(out, ": ");
        }
        emit_value(out, part, indent + 1, on_one_line);
    }
    if (!on_one_line && json->count > 0)
        emit_newline(out, indent);
    emit(out, json->kind == TL_JSON_OBJECT ? "}" : "]");
}

static void emit_value(output *out, const tl_json *json, int indent, bool on_one_line)
{
    char number[64];
    switch (json->kind) {
    case TL_JSON_OBJECT:
    case TL_JSON_LIST:
        emit_parts(out, json, indent, on_one_line);
        break;
    case TL_JSON_TEXT:
        emit_text(out, json->text);
        break;
    case TL_JSON_NUMBER:
        if (json->whole)
            snprintf(number, sizeof number, "%.0f", json->number);
        else if (out->exact)
            tl_text_write_double(json->number, number, sizeof number);
        else
            tl_text_write_number(json->number, number, sizeof number);
        emit(out, number);
        break;
    case TL_JSON_BOOL:
        emit(out, json->number != 0 ? "true" : "false");
        break;
    case TL_JSON_NULL:
        emit(out, "null");
        break;
    }
}

static char *write_value(const tl_json *json, int line_width, bool exact, size_t *length)
{
    output out = {.line_width = line_width, .exact = exact};
    emit_value(&out, json, 0, false);
    emit(&out, "\n");
    if (out.failed) {
        free(out.text);
        return NULL;
    }
    *length = out.length;
    return out.text;
}

char *tl_json_write(const tl_json *json, int line_width, size_t *length)
{
    return write_value(json, line_width, false, length);
}

char *tl_json_write_exact(const tl_json *json, int line_width, size_t *length)
{
    return write_value(json, line_width, true, length);
}
