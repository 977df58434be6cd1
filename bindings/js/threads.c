/* Workers of JavaScript in the module's memory: threads.js starts them, each is in telar_serve for good. */
#include "answers.h"
#include "core/tasks_wasm.h"

EXPORT void telar_serve(int number) { tl_tasks_serve(number); }
EXPORT void telar_workers(int count) { tl_tasks_set_workers(count); }
