/* Reading JSON (RFC 8259): recursive descent over the bytes. Stricter than the standard in one thing, keys of an object
   must differ, and texts cannot hold U+0000. Any bytes give a tree or a fault with its place. */
#include <ctype.h>
#include <math.h>
#include <stdarg.h>
#include <stdio.h>
#include <string.h>

#include "core/text.h"
#include "io/json.h"

enum { SHOWN = 40 /* bytes of the text in a fault */ };

typedef struct reader {
    tl_json_document *document;
    const char *at, *end;
    const char *line_start;
    int line, depth;
    bool failed;
    tl_json_fault fault;
} reader;

/* ---- faults ------------------------------------------------------------------------------------------------- */

/* The first one stays. `place` may be anywhere on the current line. Returns NULL. */
static tl_json *refuse(reader *r, const char *place, const char *format, ...)
#if defined(__GNUC__)
    __attribute__((format(printf, 3, 4)))
#endif
    ;
static tl_json *refuse(reader *r, const char *place, const char *format, ...)
{
    if (r->failed)
        return NULL;
    char reason[sizeof r->fault.reason];
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(reason, sizeof reason, format, arguments);
    va_end(arguments);
    tl_text_printable(reason, r->fault.reason, sizeof r->fault.reason);
    r->failed = true;
    r->fault.line = r->line;
    r->fault.column = 1;
    for (const char *c = r->line_start; c < place; ++c)
        r->fault.column += ((unsigned char)*c & 0xC0) != 0x80; /* characters, as editors count */
    return NULL;
}

static void *no_memory(reader *r)
{
    if (!r->failed)
        r->fault = (tl_json_fault){.reason = "not enough memory"};
    r->failed = true;
    return NULL;
}

/* The word, text or character at the reader's place, for a fault. */
static const char *found(const reader *r, char shown[SHOWN + 8])
{
    if (r->at >= r->end)
        return "the end of file";
    size_t rest = (size_t)(r->end - r->at), length = tl_utf8_length(r->at, rest);
    bool is_text = *r->at == '"', is_word = isalnum((unsigned char)*r->at) || *r->at == '-' || is_text;
    while (is_word && length < rest && length < SHOWN &&
           (isalnum((unsigned char)r->at[length]) || memchr("+-._", r->at[length], 4)))
        ++length;
    length += is_text && length < rest && r->at[length] == '"';
    if (length == 0)
        snprintf(shown, SHOWN + 8, "byte 0x%02x", (unsigned)(unsigned char)*r->at);
    else
        snprintf(shown, SHOWN + 8, "'%.*s'", (int)length, r->at);
    return shown;
}

/* ---- characters --------------------------------------------------------------------------------------------- */

static void skip_space(reader *r)
{
    for (; r->at < r->end; ++r->at) {
        if (*r->at == '\n') {
            ++r->line;
            r->line_start = r->at + 1;
        } else if (*r->at != ' ' && *r->at != '\t' && *r->at != '\r') {
            return;
        }
    }
}

static bool is_next(const reader *r, char c) { return r->at < r->end && *r->at == c; }

size_t tl_utf8_length(const char *text, size_t length)
{
    if (length == 0)
        return 0;
    unsigned char first = (unsigned char)text[0];
    size_t count = first < 0x80 ? 1 : first >= 0xC2 && first < 0xE0 ? 2 : first >= 0xE0 && first < 0xF0 ? 3 : 4;
    if (count == 1)
        return 1;
    if (first < 0xC2 || first > 0xF4 || count > length)
        return 0;
    unsigned long code = first & (0x7Fu >> count);
    for (size_t k = 1; k < count; ++k) {
        unsigned char byte = (unsigned char)text[k];
        if ((byte & 0xC0) != 0x80)
            return 0;
        code = code << 6 | (byte & 0x3Fu);
    }
    /* neither longer than needed, nor a half of a surrogate pair, nor beyond the last character */
    bool valid = code >= (count == 2 ? 0x80u : count == 3 ? 0x800u : 0x10000u) && (code < 0xD800 || code > 0xDFFF);
    return valid && code <= 0x10FFFF ? count : 0;
}

bool tl_text_is_utf8(const char *text)
{
    size_t length = strlen(text);
    for (size_t at = 0, used; at < length; at += used) {
        used = tl_utf8_length(text + at, length - at);
        if (used == 0)
            return false;
    }
    return true;
}

/* ---- texts -------------------------------------------------------------------------------------------------- */

/* Four hexadecimal digits; -1 when there are none. */
static long hexadecimal(const char *at, const char *end)
{
    long code = 0;
    for (int k = 0; k < 4; ++k) {
        const char *digits = "0123456789abcdefABCDEF", *digit = at + k < end && at[k] ? strchr(digits, at[k]) : NULL;
        if (!digit)
            return -1;
        long value = digit - digits;
        code = code << 4 | (value > 15 ? value - 6 : value);
    }
    return code;
}

static char *put_utf8(char *out, unsigned long code)
{
    if (code < 0x80) {
        *out++ = (char)code;
        return out;
    }
    int more = code < 0x800 ? 1 : code < 0x10000 ? 2 : 3;
    static const unsigned char leads[] = {0, 0xC0, 0xE0, 0xF0};
    *out++ = (char)(leads[more] | (code >> (6 * more)));
    while (more-- > 0)
        *out++ = (char)(0x80 | ((code >> (6 * more)) & 0x3F));
    return out;
}

/* After "\u", at its digits; r->at goes to the last of them. */
static char *read_unicode(reader *r, char *out)
{
    long code = hexadecimal(r->at, r->end);
    if (code < 0) {
        refuse(r, r->at - 2, "invalid escape: \\u takes four hexadecimal digits");
    } else if (code == 0) {
        refuse(r, r->at - 2, "\\u0000 is not allowed in a text");
    } else if (code >= 0xDC00 && code <= 0xDFFF) {
        refuse(r, r->at - 2, "\\u%04lx is the second half of a character without the first", code);
    } else if (code >= 0xD800 && code <= 0xDBFF) {
        bool escape = r->end - r->at > 6 && r->at[4] == '\\' && r->at[5] == 'u';
        long low = escape ? hexadecimal(r->at + 6, r->end) : -1;
        if (low < 0xDC00 || low > 0xDFFF)
            refuse(r, r->at - 2, "\\u%04lx is the first half of a character without the second", code);
        else
            out = put_utf8(out, 0x10000 + ((unsigned long)(code - 0xD800) << 10) + (unsigned long)(low - 0xDC00));
        r->at += 6;
    } else {
        out = put_utf8(out, (unsigned long)code);
    }
    r->at += 3;
    return out;
}

/* After the backslash. */
static char *read_escape(reader *r, char *out)
{
    static const char names[] = "\"\\/bfnrt", meanings[] = "\"\\/\b\f\n\r\t";
    const char *name = r->at < r->end && *r->at ? strchr(names, *r->at) : NULL;
    if (is_next(r, 'u')) {
        ++r->at;
        out = read_unicode(r, out);
    } else if (name) {
        *out++ = meanings[name - names];
    } else {
        refuse(r, r->at - 1, "invalid escape");
    }
    return out;
}

/* Bytes up to the closing quote; the text that they mean is never longer. */
static size_t room_needed(const reader *r)
{
    const char *at = r->at;
    while (at < r->end && *at != '"' && *at != '\n')
        at += at[0] == '\\' && r->end - at > 1 ? 2 : 1;
    return (size_t)(at - r->at) + 1;
}

/* At the opening quote. */
static const char *read_text(reader *r)
{
    char shown[SHOWN + 8];
    const char *start = r->at++;
    tl_json_document *document = r->document;
    char *text = tl_json_room(document, room_needed(r)), *out = text;
    if (!text)
        return no_memory(r);
    while (!r->failed && !is_next(r, '"')) {
        size_t length = tl_utf8_length(r->at, (size_t)(r->end - r->at));
        if (r->at >= r->end || *r->at == '\n')
            refuse(r, start, "a text without closing quote");
        else if ((unsigned char)*r->at < 0x20)
            refuse(r, r->at, "control character 0x%02x in a text", (unsigned)*r->at);
        else if (length == 0)
            refuse(r, r->at, "unable to decode %s: not UTF-8", found(r, shown));
        else if (*r->at == '\\') {
            ++r->at;
            out = read_escape(r, out);
            r->at += r->at < r->end;
        } else {
            memcpy(out, r->at, length);
            out += length;
            r->at += length;
        }
    }
    *out = '\0';
    r->at += !r->failed;
    return r->failed ? NULL : text;
}

/* ---- values ------------------------------------------------------------------------------------------------- */

static tl_json *read_value(reader *r);

static const char *skip_digits(const char *at, const char *end)
{
    while (at < end && *at >= '0' && *at <= '9')
        ++at;
    return at;
}

/* End of the number that starts at `at`, NULL when it does not follow the grammar. */
static const char *number_end(const char *at, const char *end)
{
    at += *at == '-';
    const char *digits = at;
    at = skip_digits(at, end);
    if (at == digits || (*digits == '0' && at > digits + 1))
        return NULL;
    if (at < end && *at == '.') {
        digits = ++at;
        at = skip_digits(at, end);
        if (at == digits)
            return NULL;
    }
    if (at < end && (*at == 'e' || *at == 'E')) {
        ++at;
        at += at < end && (*at == '+' || *at == '-');
        digits = at;
        at = skip_digits(at, end);
        if (at == digits)
            return NULL;
    }
    return at;
}

static tl_json *read_number(reader *r)
{
    char shown[SHOWN + 8], copy[128];
    const char *end = number_end(r->at, r->end);
    double number = 0;
    if (!end)
        return refuse(r, r->at, "invalid number %s", found(r, shown));
    size_t length = (size_t)(end - r->at);
    memcpy(copy, r->at, length < sizeof copy ? length : 0);
    copy[length < sizeof copy ? length : 0] = '\0';
    if (!tl_text_read_number(copy, NULL, &number))
        return refuse(r, r->at, "a number with %zu characters", length);
    if (isinf(number))
        return refuse(r, r->at, "real number overflow: %s", copy);
    r->at = end;
    tl_json *json = tl_json_number(r->document, number);
    return json ? json : no_memory(r);
}

static tl_json *read_word(reader *r)
{
    static const char *const words[] = {"null", "false", "true"};
    char shown[SHOWN + 8];
    for (int k = 0; k < 3; ++k) {
        size_t length = strlen(words[k]), rest = (size_t)(r->end - r->at);
        if (rest < length || memcmp(r->at, words[k], length) != 0)
            continue;
        r->at += length;
        tl_json *json = k == 0 ? tl_json_new(r->document, TL_JSON_NULL) : tl_json_bool(r->document, k == 2);
        return json ? json : no_memory(r);
    }
    if (r->at >= r->end)
        return refuse(r, r->at, "a value expected, found the end of file");
    return refuse(r, r->at, "invalid token %s", found(r, shown));
}

/* The comma or the closing bracket after an entry; false at the end. */
static bool goes_on(reader *r, char close)
{
    char shown[SHOWN + 8];
    skip_space(r);
    if (is_next(r, close)) {
        ++r->at;
        return false;
    }
    if (!is_next(r, ',')) {
        refuse(r, r->at, "'%c' expected, or a comma before %s", close, found(r, shown));
        return false;
    }
    ++r->at;
    skip_space(r);
    return true;
}

static tl_json *read_list(reader *r)
{
    tl_json *list = tl_json_new(r->document, TL_JSON_LIST);
    if (!list)
        return no_memory(r);
    ++r->at;
    skip_space(r);
    if (is_next(r, ']')) {
        ++r->at;
        return list;
    }
    do {
        tl_json *entry = read_value(r);
        if (entry)
            tl_json_append(r->document, list, entry);
    } while (!r->failed && goes_on(r, ']'));
    return r->failed ? NULL : list;
}

static void read_member(reader *r, tl_json *object)
{
    char shown[SHOWN + 8];
    if (!is_next(r, '"')) {
        refuse(r, r->at, "a key in quotes or '}' expected, found %s", found(r, shown));
        return;
    }
    int line = r->line;
    const char *start = r->at, *key = read_text(r);
    if (key && tl_json_get(object, key))
        refuse(r, start, "duplicate object key \"%.60s\"", key);
    if (!key || r->failed)
        return;
    skip_space(r);
    if (!is_next(r, ':')) {
        refuse(r, r->at, "':' expected after a key, found %s", found(r, shown));
        return;
    }
    ++r->at;
    skip_space(r);
    tl_json *value = read_value(r);
    if (!value)
        return;
    value->line = line;
    tl_json_put_kept(r->document, object, key, value);
    if (r->document->failed)
        no_memory(r);
}

static tl_json *read_object(reader *r)
{
    tl_json *object = tl_json_new(r->document, TL_JSON_OBJECT);
    if (!object)
        return no_memory(r);
    ++r->at;
    skip_space(r);
    if (is_next(r, '}')) {
        ++r->at;
        return object;
    }
    do
        read_member(r, object);
    while (!r->failed && goes_on(r, '}'));
    return r->failed ? NULL : object;
}

static tl_json *read_value(reader *r)
{
    int line = r->line;
    char first = '\0';
    if (r->at < r->end)
        first = *r->at;
    tl_json *json = NULL;
    if (r->depth >= TL_JSON_MAX_DEPTH)
        return refuse(r, r->at, "maximum parsing depth of %d reached", TL_JSON_MAX_DEPTH);
    ++r->depth;
    if (first == '{') {
        json = read_object(r);
    } else if (first == '[') {
        json = read_list(r);
    } else if (first == '"') {
        const char *text = read_text(r);
        json = text ? tl_json_new(r->document, TL_JSON_TEXT) : NULL;
        if (json)
            json->text = text;
        else if (text)
            no_memory(r);
    } else if (first == '-' || (first >= '0' && first <= '9')) {
        json = read_number(r);
    } else {
        json = read_word(r);
    }
    --r->depth;
    if (json)
        json->line = line;
    return json;
}

bool tl_json_read(tl_json_document *document, const char *text, size_t length, bool more, tl_json_fault *fault)
{
    char shown[SHOWN + 8];
    reader r = {.document = document, .at = text, .end = text + length, .line_start = text, .line = 1};
    skip_space(&r);
    document->root = read_value(&r);
    skip_space(&r);
    if (!r.failed && !more && r.at < r.end)
        refuse(&r, r.at, "end of file expected, found %s", found(&r, shown));
    if (r.failed)
        document->root = NULL;
    if (r.failed && fault)
        *fault = r.fault;
    return !r.failed;
}
