/* The two cache formats, shared by writer and reader.

   PC2 (POINTCACHE2, little endian): 32 bytes of header, then frame after frame of float x, y, z:
     char signature[12], int32 version = 1, int32 points, float first frame, float frames per sample, int32 samples
   The number of samples is updated after every frame.

   MDD (big endian): int32 frames, int32 points, float time[frames], then frame after frame of float x, y, z. The table
   of times precedes the frames, so its length fixes where they start: while a file is being written it is the expected
   number of frames, and the times of missing frames are 0. Closing makes it exact; in a file that was never closed
   every frame is in place, and the zero times mark the missing ones. */
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
