// A worker in the memory of a module with threads: it waits inside the engine for parts of its work, and never returns.
import { hostOf } from './host.js';

const port = typeof self === 'undefined' ? (await import(/* @vite-ignore */ 'node:worker_threads')).parentPort : self;

function serve({ module, memory, stack, number }) {
  let exports;
  exports = new WebAssembly.Instance(module, hostOf(module, memory, () => exports)).exports;
  exports.stackRestore(stack);
  exports._emscripten_thread_init(exports.emscripten_main_browser_thread_id(), 0, 0, 1);
  exports.emscripten_tls_init();
  port.postMessage('ready');
  exports.telar_serve(number);
}

if (port.on) port.on('message', serve);
else port.onmessage = (event) => serve(event.data);
