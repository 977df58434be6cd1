/* The two cache formats, shared by writer and reader.

   PC2 (POINTCACHE2, little endian): 32 bytes of header, then frame after frame of float x, y, z:
     char signature[12], int32 version = 1, int32 points, float first frame, float frames per sample, int32 samples
   The number of samples is updated after every frame.

   MDD (big endian): int32 frames, int32 points, float time[frames], then frame after frame of float x, y, z. The table
   of times precedes the frames, so a longer one moves them all. While a file is being written, later frames are
   appended without being counted, and from time to time a copy whose header counts all of them takes its place. At any
   moment the header is true of the frames that it counts, for any reader; ours takes the others from the length of the
   file. */
#ifndef TL_IO_CACHE_H
#define TL_IO_CACHE_H

#include <stdint.h>

#define TL_PC2_SIGNATURE "POINTCACHE2" /* with its closing zero */

enum {
    TL_PC2_HEADER = 32, /* bytes */
    TL_PC2_VERSION_AT = 12,
    TL_PC2_POINTS_AT = 16,
    TL_PC2_START_AT = 20,
    TL_PC2_RATE_AT = 24,
    TL_PC2_SAMPLES_AT = 28,
    TL_MDD_HEADER = 8 /* bytes, without the times */
};

#endif
