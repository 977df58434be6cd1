/* Numbers and names as text, the same under every locale. */
#ifndef TL_CORE_TEXT_H
#define TL_CORE_TEXT_H

#include "telar/types.h"

/* Reads a decimal number ("-1.5e3") at the start of `text`; *end is behind its last character. False when there is
   none, or when it has more than a hundred characters. No hexadecimal, no "nan"; infinite when it is too large. */
bool tl_text_read_number(const char *text, const char **end, double *number);

/* Writes the shortest text that reads back as the same tl_real; "inf", "-inf" and "nan" for what is not finite. */
int tl_text_write_number(double number, char *buffer, size_t size);

/* A copy of at most size − 1 bytes that is safe to print: control characters become '?', cut text ends in "…". */
const char *tl_text_printable(const char *text, char *buffer, size_t size);

/* The name of a NULL-terminated list nearest to a mistyped word, NULL when none is near. */
const char *tl_text_nearest(const char *word, const char *const *names);

/* Edits (insert, delete, replace, swap of neighbours) between two words, 1000 when either is too long to be a name. */
int tl_text_distance(const char *a, const char *b);

/* How many edits a word of this length may be away to count as mistyped. */
int tl_text_tolerance(const char *word);

#endif
