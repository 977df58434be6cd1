/* The table of all laws as a page of Markdown, DIR/report.md, with its curves; scripts/laws makes docs/validation.md
   from it. */
#ifndef TELAR_CLI_VALIDATE_PAGE_H
#define TELAR_CLI_VALIDATE_PAGE_H

#include "cli/validate/law.h"

typedef struct law_page_entry {
    const law *of;
    char name[64], title[128];
} law_page_entry;

typedef struct law_page {
    const law *now; /* whose curves follow */
    law_page_entry curves[96];
    int count;
} law_page;

/* For plot_folder's `drawn`; user is the page. */
void law_page_curve(void *user, const plot_curve *curve);
/* False on error, after a message. */
bool law_page_write(const law_page *page, const law_report *report, const char *folder);

#endif
