// What the module asks of the program around it: clocks, room to grow, and for the module with threads its memory.

// Pages of 64 kB, as CMakeLists.txt has them.
const SHARED = { initial: 256, maximum: 32768, shared: true };

export const sharesMemory = (module) => WebAssembly.Module.imports(module).some(({ kind }) => kind === 'memory');
export const sharedMemory = () => new WebAssembly.Memory(SHARED);

// Imports of a module. `memory` is undefined where the module has its own; `exported` gives the exports once there are any;
// `dressing` is told how far a garment is.
export function hostOf(module, memory, exported, dressing) {
  // one thread may not have seen yet that another has let the memory grow
  const buffer = (end) => {
    if (memory && memory.buffer.byteLength < end) memory.grow(0);
    return (memory ?? exported().memory).buffer;
  };
  const mayWait = typeof window === 'undefined'; // the page's own thread may not
  const known = {
    memory,
    dressing,
    emscripten_notify_memory_growth() {},
    clock_time_get(clock, precision, out) {
      new DataView(buffer(out + 8)).setBigUint64(out, BigInt(Math.round(performance.now() * 1e6)), true);
      return 0;
    },
    // with threads
    emscripten_get_now: () => performance.now(),
    clock_gettime(clock, out) {
      const now = performance.now();
      new Int32Array(buffer(out + 8), out, 2).set([now / 1e3, (now % 1e3) * 1e6]);
      return 0;
    },
    emscripten_memcpy_big(to, from, count) {
      new Uint8Array(buffer(Math.max(to, from) + count)).copyWithin(to, from, from + count);
    },
    emscripten_resize_heap(size) {
      try {
        memory.grow(Math.max(Math.ceil((size >>> 0) / 65536) - memory.grow(0), 0));
        return 1;
      } catch {
        return 0;
      }
    },
    __emscripten_init_main_thread_js(self) {
      exported()._emscripten_thread_init(self, !mayWait, 1, mayWait);
      exported().emscripten_tls_init();
    },
  };
  const imports = {};
  for (const { module: space, name } of WebAssembly.Module.imports(module)) {
    imports[space] ??= {};
    imports[space][name] = known[name] ?? (() => {
      throw new Error(`${name} is not there`);
    });
  }
  return imports;
}
