/* The scenes that come with Telar, with a picture of each. A thread of its own lists them, finds pictures made before
   (in the user's cache) and otherwise lets each scene run for a moment; the window draws it and keeps the picture. */
#ifndef STUDIO_BROWSER_H
#define STUDIO_BROWSER_H

#include "render/stage.h"

typedef struct browser browser;

browser *browser_create(void (*wake)(void)); /* starts listing; NULL when memory or threads are short */
void browser_destroy(browser *b);            /* the renderer's context is current; NULL is allowed */

/* Does a slice of the window's work: at most one picture drawn or loaded. True when there is something new to show. */
bool browser_pump(browser *b, render *r);

typedef struct browser_scene {
    const char *name, *title, *description;
    unsigned texture; /* GL name, first row at the top; 0: not yet */
} browser_scene;

bool browser_listed(browser *b); /* the list is complete; only then may it be read */
int browser_count(const browser *b);
browser_scene browser_at(const browser *b, int index);
int browser_pictures(const browser *b); /* how many are there */

#endif
