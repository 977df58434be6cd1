// What runs in the worker (or thread of node) of createInWorker.
import { create } from './index.js';

const port = typeof self === 'undefined' ? (await import(/* @vite-ignore */ 'node:worker_threads')).parentPort : self;
const worlds = new Map();
let telar;
let last = 0;

const describe = (world) => ({
  cloths: world.cloths.map((cloth) => ({
    vertexCount: cloth.vertexCount,
    triangles: cloth.triangles.slice(),
    uv: cloth.uv?.slice() ?? null,
    label: cloth.label,
  })),
  bodies: world.bodies.map(({ shape, size, label }) => ({ shape, size, label })),
  worn: world.worn,
});

// A copy of a view, in a buffer that came back when there is one of its size.
function copied(entry, view) {
  const at = entry.spare.findIndex((buffer) => buffer.byteLength === view.byteLength);
  const copy = new Float32Array(at < 0 ? new ArrayBuffer(view.byteLength) : entry.spare.splice(at, 1)[0]);
  copy.set(view);
  return copy;
}

// The value at a path such as "cloths[0].pin" of the world, called when it is a function. Views are copied: sent as they
// are they would take the whole heap along.
function reach(world, path, a) {
  const steps = path.replace(/\[(\d+)\]/g, '.$1').split('.');
  const name = steps.pop();
  const owner = steps.reduce((value, step) => value[step], world);
  const value = typeof owner[name] === 'function' ? owner[name](...a) : owner[name];
  return ArrayBuffer.isView(value) ? value.slice() : value;
}

const answers = {
  async create([options]) {
    telar = await create(options);
    return [{ version: telar.version, threads: telar.threads, parameters: telar.parameters }];
  },
  list: ([kind]) => [telar.list(kind)],
  scene: async ([name]) => [await telar.scene(name)],
  world([scene, options, told], progress) {
    const world = telar.world(scene, told ? { ...options, dressing: progress } : options);
    worlds.set(++last, { world, spare: [] });
    return [{ number: last, ...describe(world) }];
  },
  step([number, dt, count]) {
    const entry = worlds.get(number);
    const { world } = entry;
    let result = { ok: true, message: '' };
    for (let k = 0; k < count; ++k) {
      const step = world.step(dt);
      if (!step.ok) result = step;
    }
    const cloths = world.cloths.map((cloth) => ({
      positions: copied(entry, cloth.positions),
      normals: copied(entry, cloth.normals),
    }));
    const bodies = world.bodies.map(({ position, rotation }) => ({ position, rotation }));
    const buffers = cloths.flatMap(({ positions, normals }) => [positions.buffer, normals.buffer]);
    return [{ time: world.time, frame: world.frame, result, cloths, bodies }, buffers];
  },
  recycle([number, buffers]) {
    const entry = worlds.get(number);
    if (entry && entry.spare.length < 16) entry.spare.push(...buffers);
    return [];
  },
  call: ([number, path, a]) => [reach(worlds.get(number).world, path, a)],
  reset([number]) {
    const { world } = worlds.get(number);
    world.reset();
    return [describe(world)];
  },
  destroy([number]) {
    worlds.get(number)?.world.destroy();
    worlds.delete(number);
    return [];
  },
};

async function receive({ id, what, a }) {
  try {
    const [answer, transfer] = await answers[what](a, (progress) => port.postMessage({ id, progress }));
    if (id) port.postMessage({ id, answer }, transfer ?? []);
  } catch ({ message, code, faults }) {
    if (id) port.postMessage({ id, error: { message, code, faults } });
  }
}

if (port.on) port.on('message', receive);
else port.onmessage = (event) => receive(event.data);
