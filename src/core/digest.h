/* Digest of what a result was made from, as a name for it: two FNV-1a hashes of 64 bits. The same on every machine of
   one byte order; not for secrets. */
#ifndef TL_CORE_DIGEST_H
#define TL_CORE_DIGEST_H

#include <stddef.h>
#include <stdint.h>

typedef struct tl_digest {
    uint64_t half[2];
} tl_digest;

static inline tl_digest tl_digest_start(void) { return (tl_digest){{0xcbf29ce484222325u, 0x6c62272e07bb0142u}}; }

static inline void tl_digest_add(tl_digest *digest, const void *bytes, size_t size)
{
    const unsigned char *at = bytes;
    for (size_t k = 0; k < size; ++k) {
        digest->half[0] = (digest->half[0] ^ at[k]) * 0x100000001b3u;
        digest->half[1] = (digest->half[1] ^ (digest->half[0] >> 32) ^ at[k]) * 0x100000001b3u;
    }
}

#endif
