/* Numbers and names as text. The C library's conversions follow the host program's locale, so the decimal point is
   replaced on reading and writing. */
#include "core/text.h"

#include <ctype.h>
#include <locale.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum {
    LONGEST_NUMBER = 100, /* characters; no sensible file has longer ones */
    LONGEST_NAME = 63     /* bytes of a word that is compared with names */
};

/* Length of the decimal number at the start of `text`, 0 when there is none. */
static size_t number_length(const char *text)
{
    size_t i = 0;
    if (text[i] == '+' || text[i] == '-')
        ++i;
    size_t digits = 0;
    for (; isdigit((unsigned char)text[i]); ++i)
        ++digits;
    if (text[i] == '.')
        for (++i; isdigit((unsigned char)text[i]); ++i)
            ++digits;
    if (digits == 0)
        return 0;
    if (text[i] == 'e' || text[i] == 'E') {
        size_t j = i + 1;
        if (text[j] == '+' || text[j] == '-')
            ++j;
        if (isdigit((unsigned char)text[j])) {
            while (isdigit((unsigned char)text[j]))
                ++j;
            i = j;
        }
    }
    return i;
}

bool tl_text_read_number(const char *text, const char **end, double *number)
{
    size_t length = number_length(text);
    if (length == 0 || length > LONGEST_NUMBER)
        return false;
    const char *point = localeconv()->decimal_point;
    char copy[LONGEST_NUMBER + 32];
    size_t used = 0;
    for (size_t i = 0; i < length; ++i) {
        if (text[i] == '.' && strlen(point) < 16) {
            memcpy(copy + used, point, strlen(point));
            used += strlen(point);
        } else {
            copy[used++] = text[i];
        }
    }
    copy[used] = '\0';
    *number = strtod(copy, NULL);
    if (end)
        *end = text + length;
    return true;
}

/* The shortest text that reads back as the same number, of single precision when `is_float`. */
static int write_shortest(double number, bool is_float, char *buffer, size_t size)
{
    if (isnan(number))
        return snprintf(buffer, size, "nan");
    if (isinf(number))
        return snprintf(buffer, size, number > 0 ? "inf" : "-inf");
    int max_digits = is_float ? 9 : 17; /* enough for every value of the type */
    /* "100", not "1e+02": numbers of everyday size show all digits before the point */
    int min_digits = 1;
    if (fabs(number) < 1e6)
        for (double power = 10; power <= fabs(number); power *= 10)
            ++min_digits;
    char text[64];
    for (int digits = min_digits; digits <= max_digits; ++digits) {
        snprintf(text, sizeof text, "%.*g", digits, number);
        double back = strtod(text, NULL);
        if (is_float ? (float)back == (float)number : back == number)
            break;
    }
    const char *point = localeconv()->decimal_point;
    char *place = strcmp(point, ".") == 0 ? NULL : strstr(text, point);
    if (place) {
        *place = '.';
        memmove(place + 1, place + strlen(point), strlen(place + strlen(point)) + 1);
    }
    return snprintf(buffer, size, "%s", text);
}

int tl_text_write_number(double number, char *buffer, size_t size)
{
    return write_shortest(number, sizeof(tl_real) == sizeof(float), buffer, size);
}

int tl_text_write_double(double number, char *buffer, size_t size)
{
    return write_shortest(number, false, buffer, size);
}

const char *tl_text_printable(const char *text, char *buffer, size_t size)
{
    static const char cut[] = "…";
    size_t length = strlen(text);
    bool too_long = length >= size;
    if (too_long) {
        length = size - sizeof cut;
        while (length > 0 && ((unsigned char)text[length] & 0xC0) == 0x80) /* not inside a UTF-8 character */
            --length;
    }
    for (size_t i = 0; i < length; ++i)
        buffer[i] = iscntrl((unsigned char)text[i]) ? '?' : text[i];
    memcpy(buffer + length, too_long ? cut : "", too_long ? sizeof cut : 1);
    return buffer;
}

static int smaller(int a, int b) { return a < b ? a : b; }

/* Edit distance with swaps of neighbours (optimal string alignment), three rows of the table at a time. */
int tl_text_distance(const char *a, const char *b)
{
    size_t a_length = strlen(a), b_length = strlen(b);
    if (a_length > LONGEST_NAME || b_length > LONGEST_NAME)
        return 1000;
    int rows[3][LONGEST_NAME + 1];
    int *before = rows[0], *last = rows[1], *row = rows[2];
    for (size_t j = 0; j <= b_length; ++j)
        last[j] = (int)j;
    for (size_t i = 1; i <= a_length; ++i) {
        row[0] = (int)i;
        for (size_t j = 1; j <= b_length; ++j) {
            bool same = tolower((unsigned char)a[i - 1]) == tolower((unsigned char)b[j - 1]);
            int edits = smaller(last[j - 1] + (same ? 0 : 1), 1 + smaller(last[j], row[j - 1]));
            if (i > 1 && j > 1 && a[i - 1] == b[j - 2] && a[i - 2] == b[j - 1])
                edits = smaller(edits, before[j - 2] + 1);
            row[j] = edits;
        }
        int *free_row = before;
        before = last;
        last = row;
        row = free_row;
    }
    return last[b_length];
}

int tl_text_tolerance(const char *word) { return 1 + (int)strlen(word) / 3; }

const char *tl_text_nearest(const char *word, const char *const *names)
{
    const char *best = NULL;
    int best_edits = tl_text_tolerance(word) + 1;
    for (int i = 0; names[i]; ++i) {
        int edits = tl_text_distance(word, names[i]);
        /* the start of a name is as good as a word mistyped by one letter */
        if (strlen(word) >= 3 && strncmp(word, names[i], strlen(word)) == 0)
            edits = smaller(edits, 1);
        if (edits < best_edits) {
            best_edits = edits;
            best = names[i];
        }
    }
    return best;
}
