/* Numbers and names as text, the same under every locale. */
#ifndef TL_CORE_TEXT_H
#define TL_CORE_TEXT_H

#include "telar/types.h"

/* Reads a decimal number ("-1.5e3") at the start of `text`; *end points after its last character. False when there is
   none, or when it has more than a hundred characters. No hexadecimal, no "nan"; infinity on overflow. */
bool tl_text_read_number(const char *text, const char **end, double *number);

/* Writes the shortest text that reads back as the same tl_real; "inf", "-inf" and "nan" otherwise. */
int tl_text_write_number(double number, char *buffer, size_t size);

/* The same for all digits of a double, in both builds. */
int tl_text_write_double(double number, char *buffer, size_t size);

/* A copy of at most size − 1 bytes that is safe to print: control characters become '?', truncated text ends in "…". */
const char *tl_text_printable(const char *text, char *buffer, size_t size);

/* The name of a NULL-terminated list most similar to a mistyped word, NULL when none is similar. */
const char *tl_text_nearest(const char *word, const char *const *names);

/* Edits (insert, delete, replace, swap of neighbours) between two words, 1000 when either is too long to be a name. */
int tl_text_distance(const char *a, const char *b);

/* Maximum edit distance at which a word of this length counts as mistyped. */
int tl_text_tolerance(const char *word);

#endif
