// Starts the workers that share the memory of a module with threads.

const STACK = 1 << 20; // bytes for each

export const MOST_THREADS = 64; // of the parameter world.threads

/** Whether memory can be shared here: in node, and in pages that are cross-origin isolated. */
export const canShare = () =>
  typeof SharedArrayBuffer !== 'undefined' && (typeof crossOriginIsolated === 'undefined' || crossOriginIsolated);

async function startThread() {
  if (typeof Worker !== 'undefined') return new Worker(new URL('./thread.js', import.meta.url), { type: 'module' });
  const { Worker: Thread } = await import(/* @vite-ignore */ 'node:worker_threads');
  const thread = new Thread(new URL('./thread.js', import.meta.url));
  thread.unref(); // a program may end without ending them
  return thread;
}

async function serve(engine, module, memory, number) {
  const thread = await startThread();
  await new Promise((ready, fail) => {
    if (thread.on) thread.once('message', ready).once('error', fail);
    else {
      thread.onmessage = ready;
      thread.onerror = (event) => fail(new Error(event.message || 'a thread could not be started'));
    }
    const stack = (engine.allocate(STACK) + STACK) & ~15; // its upper end, aligned as compiled code takes for granted
    thread.postMessage({ module, memory, stack, number });
  });
  return thread;
}

/** Starts `count` workers; gives the functions that end them. */
export async function startThreads(engine, module, memory, count) {
  const threads = await Promise.all(Array.from({ length: count }, (_, k) => serve(engine, module, memory, k + 1)));
  engine.call.workers(count);
  return threads;
}
