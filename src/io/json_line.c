/* Line numbers in a JSON text. The JSON library does not keep positions of values, so when a value is invalid the text
   is scanned again along its path. */
#include "io/json_line.h"

#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

typedef struct walker {
    const char *at, *end;
    int line;
} walker;

static bool done(const walker *w) { return w->at >= w->end; }

static void advance(walker *w)
{
    if (*w->at == '\n')
        ++w->line;
    ++w->at;
}

static void skip_space(walker *w)
{
    while (!done(w) && strchr(" \t\r\n", *w->at) && *w->at)
        advance(w);
}

/* From the opening quote to after the closing one. */
static void skip_string(walker *w)
{
    advance(w);
    while (!done(w) && *w->at != '"') {
        if (*w->at == '\\')
            advance(w);
        if (!done(w))
            advance(w);
    }
    if (!done(w))
        advance(w);
}

/* Skips one value of any kind. Brackets are only counted: the text is known to be well-formed. */
static void skip_value(walker *w)
{
    int depth = 0;
    skip_space(w);
    while (!done(w)) {
        char c = *w->at;
        if (depth == 0 && (c == ',' || c == '}' || c == ']'))
            return;
        if (c == '"') {
            skip_string(w);
        } else {
            if (c == '{' || c == '[')
                ++depth;
            if (c == '}' || c == ']')
                --depth;
            advance(w);
        }
        if (depth == 0 && (c == '"' || c == '}' || c == ']'))
            return;
    }
}

/* In an object, after '{': moves to the value whose key starts the path. Returns the length of the key in the path, 0
   when no key matches; *key_line is the line of the key. */
static size_t enter_member(walker *w, const char *path, int *key_line)
{
    for (;;) {
        skip_space(w);
        if (done(w) || *w->at != '"')
            return 0;
        *key_line = w->line;
        const char *key = w->at + 1;
        skip_string(w);
        size_t length = (size_t)(w->at - key) - 1;
        skip_space(w);
        if (!done(w))
            advance(w); /* the colon */
        skip_space(w);
        char after = strlen(path) >= length ? path[length] : 'x';
        if (length > 0 && strncmp(path, key, length) == 0 && (after == '.' || after == '[' || after == '\0'))
            return length;
        skip_value(w);
        skip_space(w);
        if (!done(w) && *w->at == ',')
            advance(w);
    }
}

/* In a list, after '[': moves to the entry of this index. */
static bool enter_entry(walker *w, long index)
{
    for (long i = 0;; ++i) {
        skip_space(w);
        if (done(w) || *w->at == ']')
            return false;
        if (i == index)
            return true;
        skip_value(w);
        skip_space(w);
        if (!done(w) && *w->at == ',')
            advance(w);
    }
}

int tl_json_line(const char *text, size_t length, const char *path)
{
    walker w = {text, text + length, 1};
    skip_space(&w);
    int line = w.line;
    while (*path && !done(&w)) {
        if (*w.at == '{') {
            advance(&w);
            int key_line = line;
            size_t used = enter_member(&w, path, &key_line);
            if (used == 0)
                break;
            line = key_line;
            path += used;
        } else if (*w.at == '[' && *path == '[') {
            advance(&w);
            char *close = NULL;
            long index = strtol(path + 1, &close, 10);
            if (*close != ']' || !enter_entry(&w, index))
                break;
            line = w.line;
            path = close + 1;
        } else {
            break;
        }
        if (*path == '.')
            ++path;
    }
    return line;
}
