/* JSON: reading with line and column of every fault, trees to build, text to write. All values of a tree belong to its
   document and are released with it. */
#ifndef TL_IO_JSON_H
#define TL_IO_JSON_H

#include "telar/types.h"

/* Depth of objects and lists inside each other; a scene needs eight. */
enum { TL_JSON_MAX_DEPTH = 256 };

typedef enum tl_json_kind {
    TL_JSON_NULL,
    TL_JSON_BOOL,
    TL_JSON_NUMBER,
    TL_JSON_TEXT,
    TL_JSON_LIST,
    TL_JSON_OBJECT
} tl_json_kind;

typedef struct tl_json tl_json;
struct tl_json {
    tl_json_kind kind;
    bool whole;      /* a number to be written without a point or an exponent */
    int line;        /* where it starts in the text, that of its key for a member; 0 when it was built */
    const char *key; /* of a member of an object, zero-terminated UTF-8; else NULL */
    tl_json *next;   /* in its list or object, in the order of the text */
    union {
        double number; /* 0 or 1 for TL_JSON_BOOL */
        const char *text;
        struct {
            tl_json *first, *last;
            tl_json **slots; /* of an object with many members, by the hash of the key; NULL with few */
            size_t count, slot_count;
        };
    };
};

/* Zeroed is empty. */
typedef struct tl_json_document {
    struct tl_json_block *blocks;
    tl_json *root; /* what was read */
    bool failed;   /* memory was short at some point: what was built is incomplete */
} tl_json_document;

typedef struct tl_json_fault {
    int line, column; /* from 1; 0: memory is short */
    char reason[128]; /* safe to print */
} tl_json_fault;

/* Reads one value into an empty document; false with the fault (may be NULL). Keys of an object must differ. With
   `more`, text may follow the value. */
bool tl_json_read(tl_json_document *document, const char *text, size_t length, bool more, tl_json_fault *fault);
void tl_json_release(tl_json_document *document);

/* NULL when the value is not an object or does not have the key; `json` may be NULL. */
tl_json *tl_json_get(const tl_json *json, const char *key);
/* The first entry of a list or member of an object, to go on with `next`; NULL for other values and for NULL. */
tl_json *tl_json_first(const tl_json *json);
/* Entries of a list or members of an object, 0 for other values and for NULL. */
size_t tl_json_count(const tl_json *json);
/* Whether it is a value of this kind; NULL is none. */
bool tl_json_is(const tl_json *json, tl_json_kind kind);
/* The line of the value with this path ("cloth[0].link.shear"), or of its longest existing part. */
int tl_json_line(const tl_json *root, const char *path);

/* New values of a document; NULL when memory is short. Texts are copied. */
tl_json *tl_json_new(tl_json_document *document, tl_json_kind kind);
tl_json *tl_json_number(tl_json_document *document, double number);
tl_json *tl_json_integer(tl_json_document *document, long number);
tl_json *tl_json_bool(tl_json_document *document, bool on);
tl_json *tl_json_text(tl_json_document *document, const char *text);
tl_json *tl_json_numbers(tl_json_document *document, const double *numbers, size_t count);
/* Appends to a list, or puts a member into an object, in place of one with the same key. Object or value may be NULL
   when memory was short. */
void tl_json_append(tl_json_document *document, tl_json *list, tl_json *value);
void tl_json_put(tl_json_document *document, tl_json *object, const char *key, tl_json *value);

/* For the reader: memory of the document, and tl_json_put of a new member whose key is already there. */
void *tl_json_room(tl_json_document *document, size_t size);
void tl_json_put_kept(tl_json_document *document, tl_json *object, const char *key, tl_json *value);

/* The text of a value and a closing line feed, on the heap; NULL when memory is short. Objects and lists that fit into
   `line_width` columns stay on one line, except the root; 0: none do. */
char *tl_json_write(const tl_json *json, int line_width, size_t *length);

/* As tl_json_write, with numbers that read back as the same doubles: tl_json_write has the digits of a tl_real. */
char *tl_json_write_exact(const tl_json *json, int line_width, size_t *length);

bool tl_text_is_utf8(const char *text);
/* Length of the UTF-8 character at the start of `text`, 0 when there is none. */
size_t tl_utf8_length(const char *text, size_t length);

#endif
