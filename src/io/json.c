/* Trees of JSON values. Everything comes from blocks of the document, so that nothing is released on its own. */
#include "io/json.h"

#include <stdlib.h>
#include <string.h>

enum {
    FIRST_BLOCK = 4096, /* bytes; doubles up to the largest */
    LARGEST_BLOCK = 1 << 20,
    FEW_MEMBERS = 8 /* are searched one by one */
};

typedef struct tl_json_block {
    struct tl_json_block *next;
    size_t used, size;
    max_align_t bytes[];
} tl_json_block;

void *tl_json_room(tl_json_document *document, size_t size)
{
    size = (size + sizeof(max_align_t) - 1) / sizeof(max_align_t) * sizeof(max_align_t);
    tl_json_block *block = document->blocks;
    if (!block || block->size - block->used < size) {
        size_t room = !block ? FIRST_BLOCK : block->size < LARGEST_BLOCK ? 2 * block->size : block->size;
        room = room < size ? size : room;
        block = malloc(sizeof *block + room);
        if (!block) {
            document->failed = true;
            return NULL;
        }
        *block = (tl_json_block){.next = document->blocks, .size = room};
        document->blocks = block;
    }
    void *taken = (char *)block->bytes + block->used;
    block->used += size;
    return taken;
}

void tl_json_release(tl_json_document *document)
{
    for (tl_json_block *block = document->blocks, *next; block; block = next) {
        next = block->next;
        free(block);
    }
    *document = (tl_json_document){.root = NULL};
}

/* ---- values ------------------------------------------------------------------------------------------------- */

tl_json *tl_json_new(tl_json_document *document, tl_json_kind kind)
{
    tl_json *json = tl_json_room(document, sizeof *json);
    if (json) {
        memset(json, 0, sizeof *json);
        json->kind = kind;
    }
    return json;
}

tl_json *tl_json_number(tl_json_document *document, double number)
{
    tl_json *json = tl_json_new(document, TL_JSON_NUMBER);
    if (json)
        json->number = number;
    return json;
}

tl_json *tl_json_integer(tl_json_document *document, long number)
{
    tl_json *json = tl_json_number(document, (double)number);
    if (json)
        json->whole = true;
    return json;
}

tl_json *tl_json_bool(tl_json_document *document, bool on)
{
    tl_json *json = tl_json_new(document, TL_JSON_BOOL);
    if (json)
        json->number = on ? 1 : 0;
    return json;
}

static const char *copy(tl_json_document *document, const char *text)
{
    size_t size = strlen(text) + 1;
    char *taken = tl_json_room(document, size);
    return taken ? memcpy(taken, text, size) : NULL;
}

tl_json *tl_json_text(tl_json_document *document, const char *text)
{
    tl_json *json = tl_json_new(document, TL_JSON_TEXT);
    if (json)
        json->text = copy(document, text);
    return json && json->text ? json : NULL;
}

tl_json *tl_json_numbers(tl_json_document *document, const double *numbers, size_t count)
{
    tl_json *list = tl_json_new(document, TL_JSON_LIST);
    for (size_t i = 0; i < count; ++i)
        tl_json_append(document, list, tl_json_number(document, numbers[i]));
    return list;
}

static void append(tl_json *parent, tl_json *value)
{
    if (parent->last)
        parent->last->next = value;
    else
        parent->first = value;
    parent->last = value;
    ++parent->count;
}

void tl_json_append(tl_json_document *document, tl_json *list, tl_json *value)
{
    if (list && value)
        append(list, value);
    else
        document->failed = true;
}

/* ---- members ------------------------------------------------------------------------------------------------ */

/* FNV-1a */
static size_t hash(const char *key)
{
    uint32_t h = 2166136261u;
    for (; *key; ++key)
        h = (h ^ (unsigned char)*key) * 16777619u;
    return h;
}

/* The slot of the key, or the free one where it belongs. */
static tl_json **slot_of(const tl_json *object, const char *key)
{
    size_t at = hash(key) & (object->slot_count - 1);
    while (object->slots[at] && strcmp(object->slots[at]->key, key) != 0)
        at = (at + 1) & (object->slot_count - 1);
    return &object->slots[at];
}

/* Room for one member more: at most half of the slots are taken. */
static bool grow_slots(tl_json_document *document, tl_json *object)
{
    if (object->count < FEW_MEMBERS || 2 * (object->count + 1) <= object->slot_count)
        return true;
    size_t slot_count = object->slot_count ? 2 * object->slot_count : 4 * FEW_MEMBERS;
    tl_json **slots = tl_json_room(document, slot_count * sizeof(tl_json *));
    if (!slots)
        return false;
    memset(slots, 0, slot_count * sizeof(tl_json *));
    object->slots = slots;
    object->slot_count = slot_count;
    for (tl_json *m = object->first; m; m = m->next)
        *slot_of(object, m->key) = m;
    return true;
}

tl_json *tl_json_get(const tl_json *json, const char *key)
{
    if (!tl_json_is(json, TL_JSON_OBJECT))
        return NULL;
    if (json->slots)
        return *slot_of(json, key);
    for (tl_json *m = json->first; m; m = m->next)
        if (strcmp(m->key, key) == 0)
            return m;
    return NULL;
}

/* A member takes the value, not the key and the place, of another. */
static void replace(tl_json *member, const tl_json *value)
{
    tl_json old = *member;
    *member = *value;
    member->key = old.key;
    member->next = old.next;
}

void tl_json_put(tl_json_document *document, tl_json *object, const char *key, tl_json *value)
{
    tl_json *old = object && value ? tl_json_get(object, key) : NULL;
    if (old) {
        replace(old, value);
        return;
    }
    const char *kept = object && value ? copy(document, key) : NULL;
    if (kept)
        tl_json_put_kept(document, object, kept, value);
    else
        document->failed = true;
}

void tl_json_put_kept(tl_json_document *document, tl_json *object, const char *key, tl_json *value)
{
    if (!grow_slots(document, object))
        return;
    value->key = key;
    if (object->slots)
        *slot_of(object, key) = value;
    append(object, value);
}

tl_json *tl_json_first(const tl_json *json)
{
    return tl_json_is(json, TL_JSON_LIST) || tl_json_is(json, TL_JSON_OBJECT) ? json->first : NULL;
}

size_t tl_json_count(const tl_json *json)
{
    return tl_json_is(json, TL_JSON_LIST) || tl_json_is(json, TL_JSON_OBJECT) ? json->count : 0;
}

bool tl_json_is(const tl_json *json, tl_json_kind kind) { return json && json->kind == kind; }

/* ---- lines -------------------------------------------------------------------------------------------------- */

/* The member whose key starts the path; *used is the length of the key. */
static const tl_json *member_of_path(const tl_json *object, const char *path, size_t *used)
{
    for (const tl_json *m = object->first; m; m = m->next) {
        *used = strlen(m->key);
        if (*used > 0 && strncmp(path, m->key, *used) == 0 && memchr(".[", path[*used], 3))
            return m;
    }
    return NULL;
}

int tl_json_line(const tl_json *root, const char *path)
{
    const tl_json *json = root;
    int line = root ? root->line : 0;
    while (json && *path) {
        size_t used = 0;
        char *close = NULL;
        if (json->kind == TL_JSON_OBJECT) {
            json = member_of_path(json, path, &used);
            path += used;
        } else if (json->kind == TL_JSON_LIST && *path == '[') {
            long index = strtol(path + 1, &close, 10);
            const tl_json *entry = *close == ']' && index >= 0 ? json->first : NULL;
            for (; entry && index > 0; --index)
                entry = entry->next;
            json = entry;
            path = close + (*close == ']');
        } else {
            break;
        }
        line = json ? json->line : line;
        path += *path == '.';
    }
    return line;
}
