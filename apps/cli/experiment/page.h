/* Results of a study as Markdown, FOLDER/report.md; `scripts/experiments` joins them into docs/experiments.md. */
#ifndef TELAR_CLI_EXPERIMENT_PAGE_H
#define TELAR_CLI_EXPERIMENT_PAGE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum { PAGE_TABLE, PAGE_OUTCOMES, PAGE_NOTES, PAGE_CURVES, PAGE_PICTURES, PAGE_PARTS };

/* The parts grow in parallel while the study runs and are written in order at its end. */
typedef struct page {
    FILE *part[PAGE_PARTS]; /* NULL: out of memory */
    char *text[PAGE_PARTS];
    size_t length[PAGE_PARTS];
    int pictures;
} page;

page *page_start(void); /* NULL without memory; all functions accept that */
void page_row(page *to, const char *what, const char *published, double ours, const char *unit);
void page_outcome(page *to, bool holds, const char *outcome);
void page_note(page *to, const char *note);
void page_curve(page *to, const char *name, const char *title);
void page_picture(page *to, const char *name);
/* Writes the file under a heading and frees the page; false when that did not work. */
bool page_end(page *from, const char *file, const char *heading, const char *sentence);

#endif
