// Telar for JavaScript: the table of parameters, lists of names, worlds. index.d.ts describes it.
import { Engine, TelarError } from './engine.js';
import { canShare, MOST_THREADS } from './threads.js';
import { World } from './world.js';

export { TelarError };
export { createInWorker } from './remote.js';

const infinite = (x) => (x === 'inf' ? Infinity : x === '-inf' ? -Infinity : x);

class Telar {
  #engine;
  #rows;
  #lists = new Map();

  constructor(engine) {
    this.#engine = engine;
    this.version = engine.text(engine.call.version());
    this.parameters = JSON.parse(engine.text(engine.call.parameters()));
    for (const row of this.parameters) {
      if ('min' in row) [row.min, row.max] = [infinite(row.min), infinite(row.max)];
      if (row.type === 'real') row.default = infinite(row.default);
    }
    this.#rows = new Map(this.parameters.map((row) => [row.path, row]));
  }

  list(kind) {
    if (kind === 'scenes') return sceneNames;
    if (!this.#lists.has(kind)) {
      const text = this.#engine.with([kind], (k) => this.#engine.text(this.#engine.call.list(k)));
      if (!text) throw new TelarError(`there is no list of '${kind}'`, 'input');
      this.#lists.set(kind, JSON.parse(text));
    }
    return this.#lists.get(kind);
  }

  async scene(name) {
    const { scenes, files } = await import('./scenes.js');
    const scene = scenes[name];
    if (!scene) throw new TelarError(`there is no scene '${name}'`, 'input');
    return { name, text: scene, files: Object.fromEntries(filesOf(name, scene, files)) };
  }

  world(scene, options = {}) {
    let { name, files, dressing } = options;
    let text = scene;
    if (typeof scene === 'object' && typeof scene.text === 'string') {
      text = scene.text;
      name ??= scene.name;
      files = { ...scene.files, ...files };
    } else if (typeof scene === 'object') {
      text = JSON.stringify(scene, (key, value) => (value === Infinity ? 'inf' : value), 2);
    }
    return new World(this.#engine, this.#rows, text, name ?? 'scene', files ?? {}, dressing);
  }

  get memory() {
    return this.#engine.buffer.byteLength;
  }

  get threads() {
    return this.#engine.workers.length + 1;
  }

  terminate() {
    this.#engine.end();
  }
}

// Names and titles of the scenes that come with Telar; filled by the build (scenes.js has their texts).
import { sceneNames } from './scene-names.js';

// The mesh files of a scene that comes with Telar, under the names that the scene uses.
function* filesOf(name, text, files) {
  const folder = name.includes('/') ? name.slice(0, name.lastIndexOf('/') + 1) : '';
  for (const file of Object.keys(files))
    if (file.startsWith(folder) && text.includes(file.slice(folder.length).replace(/-?\d*\.obj$/, '')))
      yield [file.slice(folder.length), files[file]];
}

export async function create({ wasm, log, threads = 1 } = {}) {
  const several = threads > 1 && canShare();
  const here = () => (several ? new URL('./telar-threads.wasm', import.meta.url) : new URL('./telar.wasm', import.meta.url));
  const engine = await Engine.load(wasm ?? here(), several ? Math.min(threads, MOST_THREADS) : 1);
  engine.log = log;
  return new Telar(engine);
}
