#define _POSIX_C_SOURCE 200809L /* open_memstream */
#include "cli/experiment/page.h"

#include "cli/cli.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

page *page_start(void)
{
    page *made = calloc(1, sizeof *made);
    for (int k = 0; made && k < PAGE_PARTS; ++k)
        made->part[k] = open_memstream(&made->text[k], &made->length[k]);
    return made;
}

static FILE *part_of(page *to, int part) { return to ? to->part[part] : NULL; }

void page_row(page *to, const char *what, const char *published, double ours, const char *unit)
{
    FILE *out = part_of(to, PAGE_TABLE);
    if (out)
        fprintf(out, "| %s | %s | %.4g%s%s |\n", what, published, ours, unit[0] ? " " : "", unit);
}

void page_outcome(page *to, bool holds, const char *outcome)
{
    FILE *out = part_of(to, PAGE_OUTCOMES);
    if (out)
        fprintf(out, "- %s %s\n", holds ? "holds:" : "**fails:**", outcome);
}

void page_note(page *to, const char *note)
{
    FILE *out = part_of(to, PAGE_NOTES);
    if (out)
        fprintf(out, "%s\n\n", note);
}

void page_curve(page *to, const char *name, const char *title)
{
    FILE *out = part_of(to, PAGE_CURVES);
    if (out)
        fprintf(out, "![%s](%s.png)\n\n", title, name);
}

enum { PICTURES_A_ROW = 4 };

void page_picture(page *to, const char *name)
{
    FILE *out = part_of(to, PAGE_PICTURES);
    if (!out)
        return;
    if (to->pictures == 0)
        fputs("| | | | |\n|---|---|---|---|\n", out);
    fprintf(out, "%s ![%s](%s.png)<br>%s |", to->pictures % PICTURES_A_ROW == 0 ? "|" : "", name, name, name);
    if (++to->pictures % PICTURES_A_ROW == 0)
        fputc('\n', out);
}

bool page_end(page *from, const char *file, const char *heading, const char *sentence)
{
    if (!from)
        return cli_fail(EXIT_FAILED, "%s: not enough memory", file) == EXIT_DONE;
    FILE *out = fopen(file, "w");
    if (!out)
        cli_fail(EXIT_FAILED, "%s: %s", file, strerror(errno));
    bool whole = true;
    if (part_of(from, PAGE_PICTURES) && from->pictures % PICTURES_A_ROW != 0)
        fputc('\n', from->part[PAGE_PICTURES]);
    for (int k = 0; k < PAGE_PARTS; ++k)
        whole = from->part[k] && fclose(from->part[k]) == 0 && whole;
    if (!whole)
        cli_fail(EXIT_FAILED, "%s: not enough memory", file);
    if (whole && out) {
        fprintf(out, "## %s\n\n%s\n\n| | published | ours |\n|---|---|---|\n%s\n", heading, sentence,
                from->text[PAGE_TABLE]);
        for (int k = PAGE_OUTCOMES; k < PAGE_PARTS; ++k)
            if (from->length[k])
                fprintf(out, "%s%s", from->text[k], k == PAGE_OUTCOMES ? "\n" : "");
    }
    for (int k = 0; k < PAGE_PARTS; ++k)
        free(from->text[k]);
    free(from);
    return out && cli_close(out, file) && whole;
}
