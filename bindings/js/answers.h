/* What calls from JavaScript answer besides numbers: the last error, the faults of a scene, texts. */
#ifndef TELAR_JS_ANSWERS_H
#define TELAR_JS_ANSWERS_H

#include "io/json.h"

/* Exported under its own name. */
#define EXPORT __attribute__((used, visibility("default")))

extern tl_error js_error;

/* Forgets the faults of the last scene. */
void js_faults_clear(void);
/* Keeps a fault; a tl_scene_fault. */
void js_faults_add(void *user, const char *message);

/* Keeps a message of a world for telar_log. */
void js_log_add(void *user, const char *message);

/* Keeps a text in place of the last one, which is freed; "" for NULL, with js_error. */
const char *js_answer(char *text);
/* The value as text, in the same place; releases the document. */
const char *js_answer_json(tl_json_document *document, const tl_json *root);

#endif
