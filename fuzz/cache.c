/* Fuzzes cache files: any bytes give the frames in the file, or an error. Without a signature the extension decides the
   format. */
#include <stdio.h>
#include <unistd.h>

#include "telar/io.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    char name[64]; /* unique per process */
    snprintf(name, sizeof name, "telar-fuzz-%ld.mdd", (long)getpid());
    FILE *file = fopen(name, "wb");
    if (!file)
        return 0;
    fwrite(data, 1, size, file);
    fclose(file);
    tl_error error;
    tl_cache_data cache;
    if (tl_cache_read(name, &cache, &error) == TL_OK)
        tl_cache_free(&cache);
    remove(name);
    return 0;
}
