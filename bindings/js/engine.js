// The WebAssembly module and its memory: texts and arrays in and out, errors, growth. Nothing here knows cloth.
import { hostOf, sharedMemory, sharesMemory } from './host.js';
import { startThreads } from './threads.js';

const decoder = new TextDecoder();
const encoder = new TextEncoder();
const codes = ['', 'input', 'memory', 'file', 'unsupported', 'unstable'];

export class TelarError extends Error {
  constructor(message, code, faults) {
    super(message);
    this.name = 'TelarError';
    this.code = code;
    this.faults = faults ?? [{ message, line: 0, path: '' }];
    this.line = this.faults[0].line;
    this.path = this.faults[0].path;
  }
}

// Line and parameter of a message "file:12: cloth[0].density: reason" or "file:12:7: not well-formed JSON: reason".
export function placeOf(message, file) {
  const rest = message.startsWith(file + ':') ? message.slice(file.length + 1) : message;
  const line = /^(\d+):(?:\d+:)?\s*/.exec(rest);
  const path = /^\s*([a-z_]+(?:\[\d+\])*(?:\.[\w$]+(?:\[\d+\])*)*): /.exec(line ? rest.slice(line[0].length) : rest);
  return { message, line: line ? Number(line[1]) : 0, path: path ? path[1] : '' };
}

// Bytes of the module: a compiled module, bytes, or where they are. In node, files are read from the disk.
async function compile(source) {
  if (source instanceof WebAssembly.Module) return source;
  if (source instanceof ArrayBuffer || ArrayBuffer.isView(source)) return WebAssembly.compile(source);
  const base = typeof location === 'undefined' ? undefined : location.href;
  const url = source instanceof URL ? source : new URL(source, base);
  if (url.protocol === 'file:' && typeof process !== 'undefined') {
    const { readFile } = await import(/* @vite-ignore */ 'node:fs/promises');
    return WebAssembly.compile(await readFile(url));
  }
  const answer = await fetch(url);
  if (!answer.ok) throw new TelarError(`${url}: cannot be loaded: ${answer.status} ${answer.statusText}`, 'file');
  // servers that do not know .wasm send another type, which compileStreaming refuses
  if (answer.headers.get('content-type')?.startsWith('application/wasm')) return WebAssembly.compileStreaming(answer);
  return WebAssembly.compile(await answer.arrayBuffer());
}

export class Engine {
  // `threads` in total; more than one needs the module that is made for them.
  static async load(source, threads = 1) {
    const engine = new Engine();
    const module = await compile(source);
    engine.memory = sharesMemory(module) ? sharedMemory() : undefined;
    const instance = await WebAssembly.instantiate(module, hostOf(module, engine.memory, () => engine.exports,
      (label, garment, count, phase, share) => engine.tellDressing(engine.text(label), garment, count, engine.text(phase), share)));
    engine.exports = instance.exports;
    engine.memory ??= engine.exports.memory;
    (engine.exports._initialize ?? engine.exports.__wasm_call_ctors)();
    // every call goes through a guard: after a trap the heap cannot be trusted
    engine.call = {};
    engine.broken = null;
    for (const [name, f] of Object.entries(instance.exports))
      if (name.startsWith('telar_')) engine.call[name.slice(6)] = (...a) => engine.guarded(f, a);
    engine.workers = sharesMemory(module) && threads > 1 ? await startThreads(engine, module, engine.memory, threads - 1) : [];
    return engine;
  }

  // Calls `build`, telling `dressing` of every frame in which a garment is dressed; false from it, or an error, ends that.
  withDressing(dressing, build) {
    this.dressing = dressing;
    this.thrown = null;
    try {
      return build();
    } finally {
      this.dressing = undefined;
      if (this.thrown) throw this.thrown.error;
    }
  }

  tellDressing(label, garment, count, phase, share) {
    try {
      return this.dressing?.({ label, garment, count, phase, share }) === false ? 0 : 1;
    } catch (error) {
      this.thrown = { error }; // not through the engine, which would be lost
      return 0;
    }
  }

  // Files of garments that the last build dressed, or found.
  worn() {
    const files = {};
    for (let k = 0, address; (address = this.call.worn(k) >>> 0); ++k)
      files[this.text(this.call.worn_name())] ??= this.bytes(address, this.call.worn_length()).slice();
    return files;
  }

  end() {
    this.broken ??= new TelarError('the engine was ended', 'fatal');
    for (const worker of this.workers) worker.terminate();
  }

  guarded(f, a) {
    if (this.broken) throw this.broken;
    try {
      return f(...a);
    } catch (error) {
      this.broken = new TelarError(`the engine stopped: ${error.message}; create another`, 'fatal');
      throw this.broken;
    }
  }

  get buffer() {
    return this.memory.buffer;
  }

  // A DataView of the present buffer.
  get heap() {
    if (this.view?.buffer !== this.buffer) this.view = new DataView(this.buffer);
    return this.view;
  }

  floats(address, count) {
    return new Float32Array(this.buffer, address, count);
  }

  doubles(address, count) {
    return new Float64Array(this.buffer, address, count);
  }

  bytes(address, count) {
    return new Uint8Array(this.buffer, address, count);
  }

  words(address, count) {
    return new Uint32Array(this.buffer, address, count);
  }

  // The zero-terminated text at an address.
  text(address) {
    const all = new Uint8Array(this.buffer);
    const end = all.indexOf(0, address);
    return decoder.decode(all.slice(address, end));
  }

  // Room on the heap; throws when there is none.
  allocate(size) {
    const address = this.call.allocate(Math.max(size, 1)) >>> 0;
    if (!address) throw new TelarError(`not enough memory for ${size} bytes`, 'memory');
    return address;
  }

  // Calls `use` with the addresses of zero-terminated copies of the texts (or of bytes) and frees them.
  with(values, use) {
    const addresses = [];
    try {
      for (const value of values) {
        const bytes = typeof value === 'string' ? encoder.encode(value) : value;
        const address = this.allocate(bytes.length + 1);
        addresses.push(address);
        this.bytes(address, bytes.length).set(bytes);
        this.bytes(address + bytes.length, 1)[0] = 0;
      }
      return use(...addresses);
    } finally {
      if (!this.broken) for (const address of addresses) this.call.free(address);
    }
  }

  // Hands what was logged to the program.
  flushLog() {
    const text = this.text(this.call.log());
    if (!text) return;
    if (this.log) for (const line of text.split('\n').filter(Boolean)) this.log(line);
    this.call.log_clear();
  }

  // Throws the engine's last error.
  fail() {
    const message = this.text(this.call.error());
    throw new TelarError(message, codes[this.call.error_code()], [placeOf(message, '')]);
  }

  // Throws all faults of a scene, or the last error when there are none.
  failWithFaults(file) {
    const messages = this.text(this.call.faults()).split('\n').filter(Boolean);
    if (messages.length === 0) this.fail();
    const faults = messages.map((message) => placeOf(message, file));
    throw new TelarError(messages[0], codes[this.call.error_code()], faults);
  }
}

export const bytesOf = (value) =>
  typeof value === 'string' ? encoder.encode(value)
  : value instanceof ArrayBuffer ? new Uint8Array(value)
  : new Uint8Array(value.buffer, value.byteOffset, value.byteLength);
