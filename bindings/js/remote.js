// Telar in a worker: the same calls, answered with promises.
import { TelarError } from './engine.js';

// A worker of the page, or a thread of node.
async function startWorker() {
  if (typeof Worker !== 'undefined') return new Worker(new URL('./worker.js', import.meta.url), { type: 'module' });
  const { Worker: Thread } = await import(/* @vite-ignore */ 'node:worker_threads');
  return new Thread(new URL('./worker.js', import.meta.url));
}

class Line {
  #worker;
  #waiting = new Map();
  #last = 0;

  constructor(worker) {
    this.#worker = worker;
    const receive = ({ id, answer, error, progress }) => {
      const { resolve, reject, follow } = this.#waiting.get(id);
      if (progress) return follow?.(progress);
      this.#waiting.delete(id);
      if (error) reject(error.faults ? new TelarError(error.message, error.code, error.faults) : new Error(error.message));
      else resolve(answer);
    };
    const stop = (error) => {
      for (const { reject } of this.#waiting.values()) reject(new TelarError(`the worker stopped: ${error.message}`, 'fatal'));
      this.#waiting.clear();
    };
    if (worker.on) worker.on('message', receive).on('error', stop);
    else {
      worker.onmessage = (event) => receive(event.data);
      worker.onerror = stop;
    }
  }

  ask(what, a, transfer = [], follow = undefined) {
    return new Promise((resolve, reject) => {
      const id = ++this.#last;
      this.#waiting.set(id, { resolve, reject, follow });
      this.#worker.postMessage({ id, what, a }, transfer);
    });
  }

  // Without an answer.
  tell(what, a, transfer) {
    this.#worker.postMessage({ id: 0, what, a }, transfer);
  }

  end() {
    this.#worker.terminate();
  }
}

class RemoteTelar {
  #line;

  constructor(line, { version, threads, parameters }) {
    this.#line = line;
    this.version = version;
    this.threads = threads;
    this.parameters = parameters;
  }

  list(kind) {
    return this.#line.ask('list', [kind]);
  }

  scene(name) {
    return this.#line.ask('scene', [name]);
  }

  async world(scene, { dressing, ...options } = {}) {
    return new RemoteWorld(this.#line, await this.#line.ask('world', [scene, options, Boolean(dressing)], [], dressing));
  }

  terminate() {
    this.#line.end();
  }
}

class RemoteWorld {
  #line;
  #number;

  constructor(line, { number, cloths, bodies, worn }) {
    this.#line = line;
    this.#number = number;
    this.cloths = cloths;
    this.bodies = bodies;
    this.worn = worn;
  }

  step(dt, count = 1) {
    return this.#line.ask('step', [this.#number, dt, count]);
  }

  state() {
    return this.#line.ask('step', [this.#number, 0, 0]);
  }

  recycle(state) {
    const buffers = state.cloths.flatMap(({ positions, normals }) => [positions.buffer, normals.buffer]);
    this.#line.tell('recycle', [this.#number, buffers], buffers);
  }

  call(method, ...a) {
    return this.#line.ask('call', [this.#number, method, a]);
  }

  set(path, value) {
    return this.call('set', path, value);
  }

  get(path) {
    return this.call('get', path);
  }

  hash() {
    return this.call('hash');
  }

  async reset() {
    const { cloths, bodies } = await this.#line.ask('reset', [this.#number]);
    this.cloths = cloths;
    this.bodies = bodies;
  }

  destroy() {
    return this.#line.ask('destroy', [this.#number]);
  }
}

export async function createInWorker({ worker, wasm, threads } = {}) {
  const line = new Line(worker ?? (await startWorker()));
  return new RemoteTelar(line, await line.ask('create', [{ wasm: wasm instanceof URL ? wasm.href : wasm, threads }]));
}
