#include "cli/validate/page.h"

#include "cli/cli.h"

#include <errno.h>
#include <math.h>
#include <string.h>

static bool is_of_law(const law_row *row, const law *one)
{
    return strcmp(row->section, one->section) == 0 && strcmp(row->law, one->name) == 0;
}

/* Subjects are "stepper, material". */
static bool is_of_stepper(const law_row *row, const char *stepper)
{
    size_t length = strlen(stepper);
    return strncmp(row->subject, stepper, length) == 0 && (row->subject[length] == 0 || row->subject[length] == ',');
}

/* Verdicts of a law's rows: of one stepper, or of all with NULL. */
typedef struct tally {
    int count[LAW_NOTE + 1];
} tally;

static tally count_rows(const law_report *report, const law *one, const char *stepper)
{
    tally found = {{0}};
    for (int k = 0; k < report->count; ++k)
        if ((!one || is_of_law(&report->rows[k], one)) && (!stepper || is_of_stepper(&report->rows[k], stepper)))
            ++found.count[report->rows[k].verdict];
    return found;
}

/* Verdicts of a section, or of all with NULL, and how many of its laws were measured. */
static tally count_section(const law_report *report, const char *section, int *laws)
{
    tally all = {{0}};
    *laws = 0;
    for (int k = 0; k < law_count; ++k) {
        if (section && strcmp(law_list[k].section, section) != 0)
            continue;
        tally found = count_rows(report, &law_list[k], NULL);
        bool measured = false;
        for (int verdict = 0; verdict <= LAW_NOTE; ++verdict) {
            all.count[verdict] += found.count[verdict];
            measured = measured || found.count[verdict] > 0;
        }
        *laws += measured;
    }
    return all;
}

static void write_summary_row(const law_report *report, const char *section, FILE *out)
{
    int laws;
    tally found = count_section(report, section, &laws);
    if (laws > 0)
        fprintf(out, "| %s%s | %s | %d | %d | %d | %d |\n", law_is_double() ? "double" : "single",
                report->quick ? ", quick" : "", section ? section : "all", laws, found.count[LAW_PASS],
                found.count[LAW_FAIL], found.count[LAW_NOTE]);
}

/* One row per section that was measured, and their sum; scripts/laws puts those of several reports together. */
static void write_summary(const law_report *report, FILE *out)
{
    const char *section = "";
    fputs("| precision | section | laws | passed | failed | noted |\n|---|---|---|---|---|---|\n", out);
    for (int k = 0; k < law_count; ++k)
        if (strcmp(section, law_list[k].section) != 0)
            write_summary_row(report, section = law_list[k].section, out);
    write_summary_row(report, NULL, out);
    fputs("\nPassed, failed and noted are counts of figures; what is noted is shown without a claim, with the "
          "reason.\n\n",
          out);
}

static const char *tally_text(tally found)
{
    if (found.count[LAW_FAIL])
        return "**fails**";
    if (found.count[LAW_PASS])
        return found.count[LAW_NOTE] ? "pass, in part not claimed" : "pass";
    return found.count[LAW_NOTE] ? "not claimed" : "";
}

/* Is a stepper in any row? NULL: is any? */
static bool has_rows(const law_report *report, const char *stepper)
{
    for (const char *const *name = tl_stepper_names(); *name; ++name)
        if ((!stepper || strcmp(stepper, *name) == 0) && tally_text(count_rows(report, NULL, *name))[0])
            return true;
    return false;
}

static void write_matrix(const law_report *report, FILE *out)
{
    if (!has_rows(report, NULL))
        return;
    fputs("## Which stepper keeps which law\n\nEmpty: the law has nothing to measure there. Laws of elements, gas and "
          "meshes, whose rows do not name a "
          "stepper, stand below only.\n\n| law |",
          out);
    for (const char *const *name = tl_stepper_names(); *name; ++name)
        if (has_rows(report, *name))
            fprintf(out, " %s |", *name);
    fputs("\n|---|", out);
    for (const char *const *name = tl_stepper_names(); *name; ++name)
        if (has_rows(report, *name))
            fputs("---|", out);
    fputc('\n', out);
    for (int k = 0; k < law_count; ++k) {
        bool any = false;
        for (const char *const *name = tl_stepper_names(); *name; ++name)
            any = any || tally_text(count_rows(report, &law_list[k], *name))[0];
        if (!any)
            continue;
        fprintf(out, "| %s.%s |", law_list[k].section, law_list[k].name);
        for (const char *const *name = tl_stepper_names(); *name; ++name)
            if (has_rows(report, *name))
                fprintf(out, " %s |", tally_text(count_rows(report, &law_list[k], *name)));
        fputc('\n', out);
    }
}

/* Steppers of which nothing was measured in this run. */
static void write_missing(const law_report *report, FILE *out)
{
    int count = 0;
    for (const char *const *name = tl_stepper_names(); *name && has_rows(report, NULL); ++name)
        if (!has_rows(report, *name))
            fprintf(out, "%s%s", count++ ? ", " : "\nNot measured in this run: ", *name);
    fputs(count ? ".\n" : "", out);
}

static void write_number(FILE *out, const char *format, double number)
{
    fputs(" ", out);
    if (isfinite(number))
        fprintf(out, format, number);
    else if (!isnan(number))
        fputs("inf", out);
    fputs(" |", out);
}

static void write_row(const law_row *row, FILE *out)
{
    static const char *const verdicts[] = {"pass", "**fails**", "not claimed"};
    fprintf(out, "| %s | %s | %s |", row->subject, row->quantity, row->expected);
    write_number(out, "%.5g", row->measured);
    write_number(out, "%.1e", row->error);
    write_number(out, "%.0e", row->tolerance);
    fprintf(out, " %s%s%s |\n", verdicts[row->verdict], row->remark[0] ? ": " : "", row->remark);
}

static void write_law(const law_page *page, const law_report *report, const law *one, FILE *out)
{
    fprintf(out,
            "\n### %s.%s\n\n%s\n\n| of | quantity | expected | measured | error | allowed | verdict "
            "|\n|---|---|---|---|---|---|---|\n",
            one->section, one->name, one->help);
    for (int k = 0; k < report->count; ++k)
        if (is_of_law(&report->rows[k], one))
            write_row(&report->rows[k], out);
    for (int k = 0; k < page->count; ++k)
        if (page->curves[k].of == one)
            fprintf(out, "\n![%s](%s.png)\n", page->curves[k].title, page->curves[k].name);
}

void law_page_curve(void *user, const plot_curve *curve)
{
    law_page *page = user;
    if (page->count == (int)(sizeof page->curves / sizeof *page->curves))
        return;
    law_page_entry *entry = &page->curves[page->count++];
    entry->of = page->now;
    snprintf(entry->name, sizeof entry->name, "%s", curve->name);
    snprintf(entry->title, sizeof entry->title, "%s", curve->title);
}

bool law_page_write(const law_page *page, const law_report *report, const char *folder)
{
    char path[4200];
    snprintf(path, sizeof path, "%s/report.md", folder);
    FILE *out = fopen(path, "w");
    if (!out)
        return cli_fail(EXIT_FAILED, "%s: %s", path, strerror(errno)) == EXIT_DONE;
    fprintf(out,
            "# Laws\n\nWritten by `telar validate` in %s precision, not by hand: `make validate` regenerates it.\n\n",
            law_is_double() ? "double" : "single");
    write_summary(report, out);
    write_matrix(report, out);
    write_missing(report, out);
    const char *section = "";
    for (int k = 0; k < law_count; ++k) {
        tally found = count_rows(report, &law_list[k], NULL);
        if (!tally_text(found)[0])
            continue;
        if (strcmp(section, law_list[k].section) != 0)
            fprintf(out, "\n## %s\n", section = law_list[k].section);
        write_law(page, report, &law_list[k], out);
    }
    return cli_close(out, path);
}
