/* Memory of a pattern or of its meshing: many small pieces with one end. */
#include "pattern/pattern.h"

#include <string.h>

typedef struct tl_store_block {
    struct tl_store_block *before;
    size_t used, size;
} tl_store_block;

enum { BLOCK = 16384, HEAD = 64 }; /* bytes; the head keeps what follows aligned */

void *tl_store_take(tl_store *store, size_t count, size_t size)
{
    const size_t unit = 16;
    if (size != 0 && count > SIZE_MAX / 4 / size)
        return NULL;
    size_t bytes = (count * size + unit - 1) / unit * unit + (count * size == 0 ? unit : 0);
    tl_store_block *block = store->last;
    if (!block || block->size - block->used < bytes) {
        size_t room = bytes > BLOCK ? bytes : BLOCK;
        block = tl_allocate(&store->allocator, 1, HEAD + room);
        if (!block)
            return NULL;
        *block = (tl_store_block){.before = store->last, .size = room};
        store->last = block;
    }
    void *memory = (char *)block + HEAD + block->used;
    block->used += bytes;
    return memory;
}

char *tl_store_text(tl_store *store, const char *text)
{
    size_t size = strlen(text ? text : "") + 1;
    char *copy = tl_store_take(store, size, 1);
    return copy ? memcpy(copy, text ? text : "", size) : NULL;
}

void tl_store_release(tl_store *store)
{
    while (store->last) {
        tl_store_block *block = store->last;
        store->last = block->before;
        tl_release(&store->allocator, block);
    }
}
