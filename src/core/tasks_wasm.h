/* Workers that the program around the WebAssembly module starts, and lends to its pools of threads. */
#ifndef TL_CORE_TASKS_WASM_H
#define TL_CORE_TASKS_WASM_H

/* Jobs for worker `number`, from 1; never returns. */
void tl_tasks_serve(int number);
/* So many workers serve, or are about to. */
void tl_tasks_set_workers(int count);

#endif
