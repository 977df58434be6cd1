#include "studio/settings.h"

#include "render/output.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

enum { LONGEST_PATH = 1024 };

settings settings_default(void)
{
    return (settings){.width = 1280,
                      .height = 720,
                      .left = 262,
                      .right = 318,
                      .bottom = 196,
                      .controls = 196,
                      .right_split = 0.36f,
                      .panels = true,
                      .speed = 1};
}

/* One row per setting, with its valid range. */
typedef struct row {
    const char *name;
    int *whole;
    float *number;
    double low, high;
} row;

enum { ROWS = 8 };

static void rows_of(settings *s, int *panels, row rows[ROWS])
{
    const row table[ROWS] = {{"window.width", &s->width, NULL, 640, 16384},
                             {"window.height", &s->height, NULL, 400, 16384},
                             {"layout.left", NULL, &s->left, 180, 900},
                             {"layout.right", NULL, &s->right, 220, 900},
                             {"layout.bottom", NULL, &s->bottom, 90, 900},
                             {"layout.controls", NULL, &s->controls, 90, 900},
                             {"layout.right_split", NULL, &s->right_split, 0.1, 0.9},
                             {"layout.panels", panels, NULL, 0, 1}};
    memcpy(rows, table, sizeof table);
}

bool settings_folder(bool cache, char *path, int size)
{
    const char *base = getenv(cache ? "XDG_CACHE_HOME" : "XDG_CONFIG_HOME"), *home = getenv("HOME");
    int length;
    if (base && base[0] == '/')
        length = snprintf(path, (size_t)size, "%s/telar", base);
    else if (home && home[0])
        length = snprintf(path, (size_t)size, "%s/%s/telar", home, cache ? ".cache" : ".config");
    else
        return false;
    if (length >= size)
        return false;
    for (char *at = path + 1; *at; ++at)
        if (*at == '/') {
            *at = 0;
            mkdir(path, 0755);
            *at = '/';
        }
    return mkdir(path, 0755) == 0 || errno == EEXIST;
}

static bool file_name(char path[LONGEST_PATH])
{
    if (!settings_folder(false, path, LONGEST_PATH - 16))
        return false;
    strcat(path, "/studio.ini");
    return true;
}

void settings_read(settings *s)
{
    char path[LONGEST_PATH], line[256];
    FILE *file = file_name(path) ? fopen(path, "r") : NULL;
    row rows[ROWS];
    int panels = s->panels;
    rows_of(s, &panels, rows);
    while (file && fgets(line, sizeof line, file)) {
        char name[64];
        double value;
        if (sscanf(line, "%63[a-z._]=%lf", name, &value) != 2)
            continue;
        for (int k = 0; k < ROWS; ++k)
            if (strcmp(rows[k].name, name) == 0 && value >= rows[k].low && value <= rows[k].high) {
                if (rows[k].whole)
                    *rows[k].whole = (int)value;
                else
                    *rows[k].number = (float)value;
            }
    }
    s->panels = panels != 0;
    if (file)
        fclose(file);
}

void settings_write(const settings *s)
{
    char path[LONGEST_PATH], text[ROWS * 64] = "";
    settings copy = *s;
    row rows[ROWS];
    int panels = s->panels, length = 0;
    rows_of(&copy, &panels, rows);
    for (int k = 0; k < ROWS; ++k)
        length += snprintf(text + length, sizeof text - (size_t)length, "%s=%g\n", rows[k].name,
                           rows[k].whole ? *rows[k].whole : (double)*rows[k].number);
    if (file_name(path))
        output_replace(path, text, (size_t)length);
}
