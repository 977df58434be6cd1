/* Reading Wavefront OBJ: v, vt, vn and f; polygons become fans of triangles around their first corner; names, groups,
   materials, lines and points are skipped, anything else is an error with its line.

   Vertices: the file's v lines in their order. OBJ gives texture coordinates to corners, not to vertices: the first vt
   seen with a v becomes the vertex's own, and every further vt of the same v (a texture seam) makes one more vertex at
   the same position, appended after the file's own in the order of first use. They weld to one particle again. */
#include <ctype.h>
#include <limits.h>
#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/memory.h"
#include "core/text.h"
#include "io/mesh_file.h"

enum { NONE = -1 };

/* One vertex of the result: which vt it has, and the next vertex at the same v. */
typedef struct use {
    int texture; /* index of the vt, NONE when not used yet or without */
    int next;    /* NONE ends the chain */
} use;

typedef struct obj {
    const char *file_name;
    char *line;      /* current line, zero-terminated, continuations joined */
    int line_number; /* of its first part */
    tl_vec3 *v;
    int v_count;
    tl_real *vt; /* two each */
    int vt_count;
    int vn_count;
    use *uses; /* one per v, then the seams */
    int use_count, use_capacity;
    int *seam_of; /* v of each seam vertex */
    int seam_count;
    int *corners; /* two per corner: v, vt */
    int corner_count;
    int *face_lines;
    tl_error *error;
} obj;

static tl_result wrong(const obj *o, const char *reason, const char *token)
{
    char shown[48];
    return tl_fail(o->error, TL_ERROR_INPUT, "%s:%d: %s%s%s%s", o->file_name, o->line_number, reason, token ? " '" : "",
                   token ? tl_text_printable(token, shown, sizeof shown) : "", token ? "'" : "");
}

static tl_result no_memory(const obj *o)
{
    return tl_fail(o->error, TL_ERROR_MEMORY, "%s:%d: not enough memory", o->file_name, o->line_number);
}

/* ---- tokens ------------------------------------------------------------------------------------------------- */

/* The next word of the line, zero-terminated; NULL at its end. */
static char *next_token(char **at)
{
    char *token = *at + strspn(*at, " \t\v\f\r");
    if (*token == '\0')
        return NULL;
    *at = token + strcspn(token, " \t\v\f\r");
    if (**at != '\0')
        *(*at)++ = '\0';
    return token;
}

/* Up to `most` numbers of the rest of a line; anything after them is ignored. */
static tl_result read_numbers(obj *o, char *rest, const char *keyword, int least, int most, tl_real *numbers)
{
    for (int i = 0; i < most; ++i) {
        char *token = next_token(&rest);
        if (!token && i >= least)
            return TL_OK;
        if (!token)
            return tl_fail(o->error, TL_ERROR_INPUT, "%s:%d: %s needs %d numbers, found %d", o->file_name,
                           o->line_number, keyword, least, i);
        double number;
        const char *end;
        if (!tl_text_read_number(token, &end, &number) || *end != '\0')
            return wrong(o, "expected a number, found", token);
        numbers[i] = (tl_real)number;
        if (!isfinite(numbers[i]))
            return wrong(o, "the number is too large:", token);
    }
    return TL_OK;
}

/* ---- v, vt, vn ---------------------------------------------------------------------------------------------- */

static tl_result read_vertex(obj *o, char *rest)
{
    tl_real number[3];
    tl_result result = read_numbers(o, rest, "v", 3, 3, number);
    if (result)
        return result;
    if (!tl_triangles_grow(&o->v, o->v_count, sizeof *o->v))
        return no_memory(o);
    o->v[o->v_count++] = (tl_vec3){number[0], number[1], number[2]};
    return TL_OK;
}

static tl_result read_texture(obj *o, char *rest)
{
    tl_real number[2] = {0, 0};
    tl_result result = read_numbers(o, rest, "vt", 1, 2, number);
    if (result)
        return result;
    if (!tl_triangles_grow(&o->vt, o->vt_count, 2 * sizeof *o->vt))
        return no_memory(o);
    memcpy(o->vt + 2 * (size_t)o->vt_count++, number, sizeof number);
    return TL_OK;
}

static tl_result read_normal(obj *o, char *rest)
{
    tl_real number[3];
    ++o->vn_count;
    return read_numbers(o, rest, "vn", 3, 3, number); /* cloth makes its own normals */
}

/* ---- faces -------------------------------------------------------------------------------------------------- */

/* One index of a corner: from 1, or negative from the end of what was read so far. */
static tl_result read_index(obj *o, const char **at, const char *token, const char *what, int count, int *index)
{
    const char *digits = **at == '-' ? *at + 1 : *at;
    if (!isdigit((unsigned char)*digits))
        return wrong(o, "expected an index, found", token);
    char *end;
    long number = strtol(*at, &end, 10);
    *at = end;
    if (number == 0)
        return wrong(o, "indices count from 1, found 0 in", token);
    long place = number > 0 ? number - 1 : (long)count + number;
    if (place < 0 || place >= count)
        return tl_fail(o->error, TL_ERROR_INPUT, "%s:%d: %s %ld does not exist, there are %d so far", o->file_name,
                       o->line_number, what, number, count);
    *index = (int)place;
    return TL_OK;
}

/* "v", "v/vt", "v//vn" or "v/vt/vn". */
static tl_result read_corner(obj *o, const char *token, int corner[2])
{
    const char *at = token;
    int normal;
    corner[1] = NONE;
    tl_result result = read_index(o, &at, token, "vertex", o->v_count, &corner[0]);
    if (!result && *at == '/') {
        ++at;
        if (*at != '/' && *at != '\0')
            result = read_index(o, &at, token, "texture coordinate", o->vt_count, &corner[1]);
        if (!result && *at == '/') {
            ++at;
            if (*at != '\0')
                result = read_index(o, &at, token, "normal", o->vn_count, &normal);
        }
    }
    if (!result && *at != '\0')
        result = wrong(o, "a corner is v, v/vt, v//vn or v/vt/vn, found", token);
    return result;
}

static tl_result add_triangle(obj *o, int a[2], int b[2], int c[2])
{
    if (o->corner_count > INT_MAX - 3)
        return wrong(o, "there are too many faces", NULL);
    int *all[3] = {a, b, c};
    if (!tl_triangles_grow(&o->face_lines, o->corner_count / 3, sizeof *o->face_lines))
        return no_memory(o);
    o->face_lines[o->corner_count / 3] = o->line_number;
    for (int i = 0; i < 3; ++i) {
        if (!tl_triangles_grow(&o->corners, o->corner_count, 2 * sizeof *o->corners))
            return no_memory(o);
        memcpy(o->corners + 2 * (size_t)o->corner_count++, all[i], 2 * sizeof(int));
    }
    return TL_OK;
}

static tl_result read_face(obj *o, char *rest)
{
    int first[2], last[2], corner[2], count = 0;
    char *token;
    while ((token = next_token(&rest))) {
        tl_result result = read_corner(o, token, corner);
        if (!result && count >= 2)
            result = add_triangle(o, first, last, corner);
        if (result)
            return result;
        memcpy(count == 0 ? first : last, corner, sizeof corner);
        ++count;
    }
    if (count < 3)
        return tl_fail(o->error, TL_ERROR_INPUT, "%s:%d: a face needs 3 corners or more, found %d", o->file_name,
                       o->line_number, count);
    return TL_OK;
}

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* Keywords that do not affect the triangles. */
static bool is_skipped(const char *keyword)
{
    static const char *const skipped[] = {
        "o",     "g",     "s",    "mg",       "usemtl",   "mtllib",     "usemap", "maplib", "l",
        "p",     "vp",    "lod",  "bevel",    "deg",      "bmat",       "step",   "cstype", "curv",
        "curv2", "surf",  "parm", "trim",     "hole",     "scrv",       "sp",     "end",    "con",
        "ctech", "stech", "call", "c_interp", "d_interp", "shadow_obj", "csh",    "fo",     "trace_obj"};
    for (size_t i = 0; i < sizeof skipped / sizeof *skipped; ++i)
        if (strcmp(keyword, skipped[i]) == 0)
            return true;
    return false;
}

static tl_result read_line(obj *o)
{
    char *rest = o->line;
    rest[strcspn(rest, "#")] = '\0';
    char *keyword = next_token(&rest);
    if (!keyword || is_skipped(keyword))
        return TL_OK;
    if (strcmp(keyword, "v") == 0)
        return read_vertex(o, rest);
    if (strcmp(keyword, "vt") == 0)
        return read_texture(o, rest);
    if (strcmp(keyword, "vn") == 0)
        return read_normal(o, rest);
    if (strcmp(keyword, "f") == 0)
        return read_face(o, rest);
    return wrong(o, "not an OBJ keyword:", keyword);
}

/* Walks over the lines of the text; a backslash at the end of a line joins the next one to it. */
static tl_result read_lines(obj *o, const char *text, size_t length)
{
    const char *end = text + length;
    int number = 0;
    tl_result result = TL_OK;
    while (text < end && !result) {
        size_t used = 0;
        bool continues = true;
        o->line_number = number + 1;
        while (continues && text < end) {
            const char *newline = memchr(text, '\n', (size_t)(end - text));
            const char *stop = newline ? newline : end;
            size_t part = (size_t)(stop - text);
            ++number;
            if (part > 0 && text[part - 1] == '\r')
                --part;
            continues = part > 0 && text[part - 1] == '\\';
            memcpy(o->line + used, text, part); /* the buffer has the size of the whole text */
            used += part;
            if (continues)
                o->line[used - 1] = ' ';
            text = newline ? newline + 1 : end;
        }
        o->line[used] = '\0';
        if (memchr(o->line, '\0', used))
            result = wrong(o, "there is a zero byte; this is not an OBJ text", NULL);
        else
            result = read_line(o);
    }
    return result;
}

/* ---- from corners to vertices ------------------------------------------------------------------------------- */

/* Room for one more vertex. */
static bool grow_uses(obj *o)
{
    if (o->use_count < o->use_capacity)
        return true;
    if (o->use_capacity > INT_MAX / 2)
        return false;
    use *grown = realloc(o->uses, 2 * (size_t)o->use_capacity * sizeof *grown);
    if (!grown)
        return false;
    o->uses = grown;
    o->use_capacity *= 2;
    return true;
}

/* The vertex for a corner, made when its pair of v and vt is new; NONE when memory is short. */
static int vertex_of(obj *o, int v, int texture)
{
    int at = v;
    if (o->uses[at].texture == NONE) {
        o->uses[at].texture = texture;
        return at;
    }
    while (o->uses[at].texture != texture) {
        if (o->uses[at].next != NONE) {
            at = o->uses[at].next;
            continue;
        }
        if (!tl_triangles_grow(&o->seam_of, o->seam_count, sizeof *o->seam_of) || !grow_uses(o))
            return NONE;
        o->uses[at].next = o->use_count;
        o->uses[o->use_count] = (use){texture, NONE};
        o->seam_of[o->seam_count++] = v;
        return o->use_count++;
    }
    return at;
}

/* Whether all corners have texture coordinates; remembers the first face without. */
static bool all_have_texture(const obj *o, int *line)
{
    int without = 0, first = NONE;
    for (int i = 0; i < o->corner_count; ++i)
        if (o->corners[2 * (size_t)i + 1] == NONE) {
            ++without;
            if (first == NONE)
                first = i;
        }
    *line = without > 0 ? o->face_lines[first / 3] : 0;
    return without == 0;
}

static tl_result finish(obj *o, tl_triangles *t)
{
    if (o->corner_count == 0)
        return tl_fail(o->error, TL_ERROR_INPUT, "%s: the file has no faces (and %d vertices)", o->file_name,
                       o->v_count);
    t->has_uv = all_have_texture(o, &t->no_uv_line);
    o->uses = malloc((size_t)o->v_count * sizeof *o->uses);
    t->corners = malloc((size_t)o->corner_count * sizeof *t->corners);
    if (!o->uses || !t->corners)
        return no_memory(o);
    for (int i = 0; i < o->v_count; ++i)
        o->uses[i] = (use){NONE, NONE};
    o->use_count = o->use_capacity = o->v_count;
    for (int i = 0; i < o->corner_count; ++i) {
        int v = o->corners[2 * (size_t)i], texture = o->corners[2 * (size_t)i + 1];
        t->corners[i] = t->has_uv ? vertex_of(o, v, texture) : v;
        if (t->corners[i] == NONE)
            return no_memory(o);
    }
    t->triangle_count = o->corner_count / 3;
    t->vertex_count = o->use_count;
    t->positions = malloc((size_t)o->use_count * sizeof *t->positions);
    t->uv = calloc((size_t)o->use_count, 2 * sizeof *t->uv);
    if (!t->positions || !t->uv)
        return no_memory(o);
    for (int i = 0; i < o->use_count; ++i) {
        t->positions[i] = o->v[i < o->v_count ? i : o->seam_of[i - o->v_count]];
        if (o->uses[i].texture != NONE)
            memcpy(t->uv + 2 * (size_t)i, o->vt + 2 * (size_t)o->uses[i].texture, 2 * sizeof *t->uv);
    }
    return TL_OK;
}

tl_result tl_obj_read(const char *text, size_t length, const char *file_name, tl_triangles *triangles, tl_error *error)
{
    *triangles = (tl_triangles){.positions = NULL};
    obj o = {.file_name = file_name, .error = error, .line = malloc(length + 1)};
    tl_result result = o.line ? read_lines(&o, text, length) : no_memory(&o);
    if (!result)
        result = finish(&o, triangles);
    free(o.line);
    free(o.v);
    free(o.vt);
    free(o.uses);
    free(o.seam_of);
    free(o.corners);
    free(o.face_lines);
    if (result)
        tl_triangles_free(triangles);
    return result;
}
