/* Pictures of garments while they are dressed: a clip of all frames, and a strip with the end of each phase side by
   side, a row for each garment. */
#ifndef TELAR_CLI_FILM_H
#define TELAR_CLI_FILM_H

#include "telar/io.h"

typedef struct film film;

/* Either file may be NULL: none. NULL after a message. */
film *film_open(const char *clip, const char *strip);
/* Shows the garment as it is; call it after tl_garment_dress_begin and after every frame. False after a message. */
bool film_frame(film *f, tl_garment *garment);
/* Writes the files and frees everything; false after a message. NULL is allowed. */
bool film_close(film *f);

#endif
