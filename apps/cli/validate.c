/* `telar validate`: measures the laws of physics that Telar claims to obey against their tolerances. */
#include "cli/cli.h"
#include "cli/validate/page.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>

typedef struct validate {
    const char *name; /* section or law, by prefix; NULL: all */
    bool json, list;
    law_report report;
    law_page page; /* DIR/report.md */
} validate;

static const char *verdict_text(law_verdict verdict)
{
    return verdict == LAW_PASS ? "pass" : verdict == LAW_FAIL ? "FAIL" : "note";
}

static void number_text(double number, char text[16])
{
    snprintf(text, 16, isfinite(number) ? "%.6g" : isnan(number) ? "" : "inf", number);
}

static void print_header(void)
{
    printf("%-22s %-38s %-36s %-12s %-12s %-9s %-9s\n", "law", "stepper, material", "quantity", "expected", "measured",
           "error", "tolerance");
}

static void print_row(const law_row *row)
{
    char name[64], measured[16], error[16] = "", tolerance[16] = "";
    snprintf(name, sizeof name, "%s.%s", row->section, row->law);
    number_text(row->measured, measured);
    if (!isnan(row->error))
        snprintf(error, sizeof error, "%.2e", row->error);
    if (!isnan(row->tolerance))
        snprintf(tolerance, sizeof tolerance, "%.1e", row->tolerance);
    printf("%-22s %-38s %-36s %-12s %-12s %-9s %-9s %s%s%s\n", name, row->subject, row->quantity, row->expected,
           measured, error, tolerance, verdict_text(row->verdict), row->remark[0] ? ": " : "", row->remark);
    fflush(stdout);
}

static void print_number(const char *key, double number)
{
    if (isfinite(number))
        printf(", \"%s\": %.9g", key, number);
    else
        printf(", \"%s\": null", key);
}

static void print_json(const law_report *report, double seconds)
{
    printf("{\"version\": \"%s\", \"precision\": \"%s\", \"quick\": %s, \"seconds\": %.3f, \"failed\": %d, \"rows\": [",
           tl_version(), law_is_double() ? "double" : "single", report->quick ? "true" : "false", seconds,
           report->failed);
    for (int k = 0; k < report->count; ++k) {
        const law_row *row = &report->rows[k];
        printf("%s\n  {\"section\": \"%s\", \"law\": \"%s\", \"subject\": ", k ? "," : "", row->section, row->law);
        cli_json_text(row->subject);
        fputs(", \"quantity\": ", stdout);
        cli_json_text(row->quantity);
        fputs(", \"expected\": ", stdout);
        cli_json_text(row->expected);
        print_number("measured", row->measured);
        print_number("error", row->error);
        print_number("tolerance", row->tolerance);
        printf(", \"verdict\": \"%s\", \"remark\": ", verdict_text(row->verdict));
        cli_json_text(row->remark);
        putchar('}');
    }
    puts("\n]}");
}

/* Laws of everyday are judged as users run Telar, in single precision; a double build tries them only by name. */
static bool is_chosen(const law *one, const char *name)
{
    char full[64];
    if (!name)
        return sizeof(tl_real) == sizeof(float) || strcmp(one->section, "everyday") != 0;
    snprintf(full, sizeof full, "%s.%s", one->section, one->name);
    return strncmp(one->section, name, strlen(name)) == 0 || strncmp(one->name, name, strlen(name)) == 0 ||
           strncmp(full, name, strlen(name)) == 0;
}

static void list_laws(FILE *to)
{
    char full[64];
    for (int k = 0; k < law_count; ++k) {
        snprintf(full, sizeof full, "%s.%s", law_list[k].section, law_list[k].name);
        fprintf(to, "%-22s %s\n", full, law_list[k].help);
    }
}

int cli_list_laws(void)
{
    list_laws(stdout);
    return EXIT_DONE;
}

static int unknown_law(const char *name)
{
    enum { MAX_LAWS = 128 };
    static char full[MAX_LAWS][64];
    const char *names[2 * MAX_LAWS + 1] = {NULL};
    for (int k = 0; k < law_count && k < MAX_LAWS; ++k) {
        snprintf(full[k], sizeof full[k], "%s.%s", law_list[k].section, law_list[k].name);
        names[2 * k] = strchr(name, '.') ? full[k] : law_list[k].section;
        names[2 * k + 1] = strchr(name, '.') ? full[k] : law_list[k].name;
    }
    cli_fail_nearest(name, names, "there is no law '%s'", name);
    list_laws(stderr);
    return EXIT_USAGE;
}

static int run_laws(validate *v)
{
    law_report *report = &v->report;
    bool any = false;
    for (int k = 0; k < law_count; ++k)
        any = any || is_chosen(&law_list[k], v->name);
    if (!any)
        return unknown_law(v->name);
    if (!cli_claim_folder(report->plots.path))
        return EXIT_FAILED;
    cli_catch_interrupt();
    if (!v->json) {
        printf("Telar %s, %s precision\n", tl_version(), law_is_double() ? "double" : "single");
        print_header();
        report->added = print_row;
    }
    if (report->quick || !law_is_double())
        law_leave_out_implicit();
    report->plots.drawn = law_page_curve;
    report->plots.user = &v->page;
    double start = cli_seconds();
    for (int k = 0; k < law_count && !cli_interrupted; ++k)
        if (is_chosen(&law_list[k], v->name)) {
            report->section = law_list[k].section;
            report->law = law_list[k].name;
            v->page.now = &law_list[k];
            law_list[k].run(report);
        }
    double seconds = cli_seconds() - start;
    int noted = 0;
    for (int k = 0; k < report->count; ++k)
        noted += report->rows[k].verdict == LAW_NOTE;
    if (v->json)
        print_json(report, seconds);
    else {
        for (int k = 0; law_unclaimed_stepper(k); ++k)
            printf("%s%s", k ? ", " : "\nno claims are made for ", law_unclaimed_stepper(k));
        printf("\n%d passed, %d failed, %d noted; %d curves in %s; %.1f s\n", report->count - report->failed - noted,
               report->failed, noted, report->plots.curves, report->plots.path, seconds);
    }
    if (cli_interrupted)
        return cli_fail(EXIT_FAILED, "interrupted: not all laws were measured");
    if (!law_page_write(&v->page, report, report->plots.path))
        return EXIT_FAILED;
    return report->failed || report->plots.failed ? EXIT_FAILED : EXIT_DONE;
}

static int command(int count, char **arguments)
{
    validate v = {.report = {.plots = {.path = "out/validate", .pictures = true}}};
    cli_options options = {.count = count, .arguments = arguments};
    while (cli_next(&options)) {
        if (!options.name) {
            if (v.name)
                return cli_unknown(&options, &cli_validate);
            v.name = options.word;
        } else if (strcmp(options.name, "json") == 0) {
            v.json = true;
        } else if (strcmp(options.name, "quick") == 0) {
            v.report.quick = true;
        } else if (strcmp(options.name, "list") == 0) {
            v.list = true;
        } else if (strcmp(options.name, "out") == 0) {
            if (!(v.report.plots.path = cli_value(&options)))
                return EXIT_USAGE;
        } else {
            return cli_unknown(&options, &cli_validate);
        }
    }
    if (v.list) {
        list_laws(stdout);
        return EXIT_DONE;
    }
    int code = run_laws(&v);
    free(v.report.rows);
    return code;
}

const cli_command cli_validate = {
    .name = "validate",
    .arguments = "[NAME] [--json] [--out DIR] [--quick] [--list]",
    .summary = "Measures the laws of physics that Telar claims to obey.",
    .help =
        "NAME selects sections or laws by prefix (--list shows them). Each row gives the expected and the measured "
        "value,\n"
        "the error and its tolerance; 'note' rows make no claim. Curves go to DIR (out/validate) as CSV and, with\n"
        "gnuplot, as PNG, the table to DIR/report.md. --quick takes shorter runs, for CI. A double build leaves out\n"
        "everyday, which is about single precision, unless it is named.\n"
        "Exit code 1 if a law does not hold.",
    .run = command,
};
