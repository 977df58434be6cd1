// The npm package in node: node --test, with TELAR_PACKAGE (the folder of the package) and TELAR (the native program).
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { test } from 'node:test';
import { pathToFileURL } from 'node:url';

const folder = process.env.TELAR_PACKAGE;
const native = process.env.TELAR;
const { create, createInWorker, TelarError } = await import(pathToFileURL(join(folder, 'index.js')));
const telar = await create();

const sheet = (more = {}) => ({ cloth: [{ columns: 12, rows: 12, width: 1, height: 1, center: [0, 1, 0], ...more }] });

function refused(use, check) {
  assert.throws(use, (error) => {
    assert(error instanceof TelarError, error);
    check(error);
    return true;
  });
}

test('scenes give the hashes of the native program', async (t) => {
  if (!native) return t.skip('no native program');
  const frames = 20;
  for (const name of ['default', 's3/flag', 's2/sphere', 's1/box', 'gas/mylar', 'hang/hang-three', 'mesh/wave',
    'showcase/towel', 'stress/pinch', 's2/cube', 'implicit/denim-ball', 'stress/funnel']) {
    const expected = execFileSync(native, ['run', name, '--frames', String(frames), '--hash', '--quiet'], { encoding: 'utf8' });
    const world = telar.world(await telar.scene(name));
    for (let k = 0; k < frames; ++k) world.step(1 / world.fps);
    assert.equal(world.hash(), expected.trim().split(/\s+/).pop(), name);
    world.destroy();
  }
});

test('the version is the project’s', () => {
  const { version } = JSON.parse(readFileSync(join(folder, 'package.json')));
  assert.equal(telar.version, version);
});

test('the table of parameters is whole', () => {
  const density = telar.parameters.find(({ path }) => path === 'cloth[0].density');
  assert.equal(density.unit, 'kg/m²');
  assert.equal(density.default, 0.2);
  assert.equal(density.type, 'real');
  assert(density.max > density.min && density.help.endsWith('.'));
  const kind = telar.parameters.find(({ path }) => path === 'wind.kind');
  assert.deepEqual(kind.choices.slice(0, 4), ['still', 'uniform', 'gusts', 'turbulent']);
  assert(kind.live);
  assert(telar.parameters.some(({ path, live }) => path === 'cloth[0].columns' && !live));
  assert.equal(telar.parameters.find(({ path }) => path === 'cloth[0].friction').max, Infinity);
  for (const kind of ['steppers', 'fabrics', 'contacts', 'materials', 'elements', 'shapes', 'surfaces', 'scenes'])
    assert(telar.list(kind).length > 1, kind);
  assert(telar.list('steppers').every(({ help }) => help.length > 10));
});

test('parameters are set, read and refused as on the command line', () => {
  const world = telar.world(sheet());
  assert.equal(world.set('wind.velocity', [1, 2.5, -3]), 'live');
  assert.deepEqual(world.get('wind.velocity'), [1, 2.5, -3]);
  assert.equal(world.set('cloth[0].friction', Infinity), 'live');
  assert.equal(world.get('cloth[0].friction'), Infinity);
  assert.equal(world.set('cloth[0].columns', 20), 'rebuild');
  assert.equal(world.cloths[0].vertexCount, 144);
  world.reset();
  assert.equal(world.cloths[0].vertexCount, 240);
  assert.equal(world.get('cloth[0].stepper'), 'automatic');
  assert.equal(world.get('cloth[0].gas.on'), false);
  assert.equal(world.isLive('cloth[0].columns'), false);
  assert.equal(world.isLive('cloth[0].friction'), true);
  refused(() => world.set('cloth[0].density', -1), ({ message, path, code }) => {
    assert.match(message, /cloth\[0\]\.density: -1 is below/);
    assert.equal(path, 'cloth[0].density');
    assert.equal(code, 'input');
  });
  refused(() => world.get('cloth[0].densty'), ({ message }) => assert.match(message, /did you mean 'density'/));
  assert.equal(world.get('cloth[0].density') > 0, true);
  assert.deepEqual(JSON.parse(world.json()).cloth[0].columns, 20);
  world.destroy();
});

test('a broken scene is refused with every fault and its place', () => {
  const text = '{"world": {"gravty": 1},\n "cloth": [{"columns": 1},\n  {"pin": [{"name": 3}]}]}';
  refused(() => telar.world(text, { name: 'my.json' }), (error) => {
    assert.equal(error.message.split(':').slice(0, 3).join(':'), 'my.json:1: world.gravty');
    assert.deepEqual(error.faults.map(({ line, path }) => [line, path]),
      [[1, 'world.gravty'], [2, 'cloth[0].columns'], [3, 'cloth[1].pin[0].name']]);
  });
  refused(() => telar.world('{"cloth": [1, }'), ({ message, line }) => {
    assert.match(message, /^scene:1:15: not well-formed JSON: /);
    assert.equal(line, 1);
  });
  refused(() => telar.world({ cloth: [{ mesh: { file: 'none.obj' } }] }), ({ message, path }) => {
    assert.match(message, /cloth\[0\]\.mesh\.file: none\.obj: cannot be opened/);
    assert.equal(path, 'cloth[0].mesh.file');
  });
  refused(() => telar.world({ cloth: [{ mesh: { file: 'bad.obj' } }] }, { files: { 'bad.obj': 'v 0 0\nf 1 2 3\n' } }),
    ({ message }) => assert.match(message, /bad\.obj:1: v needs 3 numbers/));
  telar.world(sheet()).destroy(); // the module lives on
});

test('meshes come from the files handed over, also when the world is built again', () => {
  const obj = 'v 0 1 0\nv 1 1 0\nv 0 1 1\nv 1 1 1\nf 1 2 3\nf 2 4 3\n';
  const scene = { cloth: [{ mesh: { file: 'a/quad.obj' } }] };
  const world = telar.world(scene, { files: { 'a/quad.obj': new TextEncoder().encode(obj) } });
  assert.equal(world.cloths[0].vertexCount, 4);
  assert.deepEqual([...world.cloths[0].triangles], [0, 1, 2, 1, 3, 2]);
  world.reset();
  assert.equal(world.cloths[0].vertexCount, 4);
  world.destroy();
});

test('views survive growth of the heap', () => {
  const world = telar.world(sheet());
  const cloth = world.cloths[0];
  world.step(1 / 60);
  const before = cloth.positions;
  const copy = [...before];
  const memory = telar.memory;
  const large = telar.world({ cloth: [{ columns: 400, rows: 400 }] });
  assert(telar.memory > memory);
  assert.equal(before.length, 0); // the old buffer is gone
  assert.deepEqual([...cloth.positions], copy);
  assert.equal(cloth.positions, cloth.positions); // the same object while nothing has changed
  large.destroy();
  world.destroy();
});

test('arrays are those of the cloth', () => {
  const world = telar.world(sheet({ pin: [{ where: 'edge', name: 'top' }] }));
  const cloth = world.cloths[0];
  for (let k = 0; k < 5; ++k) world.step(1 / 60);
  const { positions, velocities, speeds, normals, strains, uv, masses } = cloth;
  assert.equal(positions.length, 3 * 144);
  assert.equal(strains.length, 144);
  assert.equal(uv.length, 288);
  assert.equal(cloth.contactForces.length, 144);
  assert(Math.abs(masses.reduce((a, b) => a + b) - 0.2) < 1e-3);
  for (let v = 0; v < 144; ++v) {
    assert(Math.abs(Math.hypot(...normals.subarray(3 * v, 3 * v + 3)) - 1) < 1e-5);
    assert(Math.abs(Math.hypot(...velocities.subarray(3 * v, 3 * v + 3)) - speeds[v]) < 1e-5);
  }
  assert(cloth.pinned(0) && !cloth.pinned(143));
  assert.equal(cloth.links().length % 2, 0);
  assert.equal(cloth.statistics.particles, 144);
  assert.equal(cloth.intersections().length, 2 * 11 * 11);
  assert.equal(world.countIntersections(), 0);
  assert.equal(world.stages().length, 4);
  assert(cloth.energies().kinetic > 0);
  world.destroy();
  refused(() => cloth.positions, ({ message }) => assert.match(message, /destroyed/));
  refused(() => world.step(1 / 60), ({ message }) => assert.match(message, /destroyed/));
});

test('a vertex is grabbed, moved and let go', () => {
  const world = telar.world(sheet());
  const cloth = world.cloths[0];
  const grab = cloth.grab(7);
  const at = [...cloth.positions.subarray(21, 24)];
  grab.move([at[0], at[1] + 0.01, at[2]]);
  world.step(1 / 60);
  assert(Math.abs(cloth.positions[22] - at[1] - 0.01) < 1e-6);
  grab.release();
  assert(!cloth.pinned(7));
  refused(() => cloth.pin(144), ({ message }) => assert.match(message, /144/));
  world.destroy();
});

test('bodies are added to the running world, moved, and kept by a reset', () => {
  const world = telar.world(sheet());
  world.step(1 / 60);
  const ball = world.addSphere([0, 0.5, 0], 0.3);
  assert.equal(world.frame, 1);
  assert.deepEqual(ball.size.map((x) => Math.round(10 * x)), [3, 3, 3]);
  refused(() => world.addBody({ shape: 'spher' }), ({ message }) => assert.match(message, /did you mean 'sphere'/));
  assert.equal(world.bodies.length, 1);
  assert.equal(world.set('body[0].friction', 0.7), 'live');
  ball.move([0, 0.4, 0]);
  world.step(1 / 60);
  assert(Math.abs(ball.position[1] - 0.4) < 1e-6);
  for (let k = 0; k < 60; ++k) world.step(1 / 60);
  assert.equal(world.cloths[0].countPenetrating(), 0);
  assert(world.cloths[0].statistics.contacts > 0);
  const { positions, triangles, normals } = ball.mesh(16);
  assert(triangles.length > 0 && normals.length === positions.length);
  world.reset();
  assert.equal(world.bodies.length, 1);
  refused(() => ball.position, ({ message }) => assert.match(message, /built again/));
  world.destroy();
});

test('a reset and a restored state repeat the same bits', () => {
  const world = telar.world(sheet());
  const run = () => {
    for (let k = 0; k < 10; ++k) world.step(1 / 60);
    return world.hash();
  };
  const first = run();
  const state = world.save();
  const second = run();
  world.restore(state);
  assert.equal(world.hash(), first);
  assert.equal(run(), second);
  world.reset();
  assert.equal(run(), first);
  refused(() => world.restore(state.slice(10)), ({ code }) => assert.equal(code, 'input'));
  world.destroy();
});

test('an unstable frame is told and the world goes on', () => {
  const world = telar.world(sheet({ stepper: 'explicit-euler', substeps: 1, stable: { on: false }, link: { structural: { stiffness: 1e6 } } }));
  let told = '';
  for (let k = 0; k < 60; ++k) told ||= world.step(1 / 60).message;
  assert.match(told, /cloth\[0\]|cloth 0|substeps/);
  world.set('cloth[0].stepper', 'xpbd');
  world.reset();
  assert(world.step(1 / 60).ok);
  world.destroy();
});

test('memory that runs out is an error and the module lives on', async () => {
  const own = await create(); // its heap goes with it
  refused(() => own.world({ cloth: [{ columns: 4000, rows: 3999 }] }), ({ code, message }) => {
    assert.equal(code, 'memory', message);
    assert.match(message, /memory/);
  });
  const world = own.world(sheet());
  assert(world.step(1 / 60).ok);
  world.destroy();
});

test('memory stays flat over fifty rebuilds', async () => {
  const own = await create();
  const world = own.world({ ...sheet({ contact: 'self-collision', columns: 40, rows: 40 }), body: [{ shape: 'sphere' }] });
  const cycle = (k) => {
    world.set('cloth[0].columns', 30 + (k % 10));
    world.reset();
    for (let n = 0; n < 3; ++n) world.step(1 / 60);
    assert(world.cloths[0].speeds.length > 0);
  };
  for (let k = 0; k < 10; ++k) cycle(k);
  const memory = own.memory;
  for (let k = 0; k < 50; ++k) cycle(k);
  assert.equal(own.memory, memory);
});

test('a worker gives the same world', async () => {
  const remote = await createInWorker();
  try {
    const world = await remote.world(sheet());
    assert.equal(world.cloths[0].vertexCount, 144);
    assert.equal(await world.set('wind.velocity', [1, 0, 0]), 'live');
    let state = await world.step(1 / 60, 3);
    assert.equal(state.frame, 3);
    const here = telar.world(sheet());
    here.set('wind.velocity', [1, 0, 0]);
    for (let k = 0; k < 3; ++k) here.step(1 / 60);
    assert.deepEqual([...state.cloths[0].positions], [...here.cloths[0].positions]);
    assert.equal(await world.hash(), here.hash());
    world.recycle(state);
    assert.equal(state.cloths[0].positions.length, 0); // given back
    state = await world.step(1 / 60);
    assert.equal(state.cloths[0].positions.length, 432);
    assert.equal((await world.call('cloths[0].statistics')).particles, 144);
    await assert.rejects(remote.world('{"cloth": 1}'), (error) => error instanceof TelarError && error.line === 1);
    await world.destroy();
    here.destroy();
  } finally {
    remote.terminate();
  }
});

test('the inlined form needs no file', async () => {
  const inline = await import(pathToFileURL(join(folder, 'inline.js')));
  const own = await inline.create();
  assert.equal(own.version, telar.version);
  own.world(sheet()).step(1 / 60);
});

test('threads share the work and give the same bits', async () => {
  const several = await create({ threads: 3 });
  try {
    assert.equal(several.threads, 3);
    assert.equal(telar.threads, 1);
    const scene = (threads) => ({
      world: { threads },
      cloth: [{ columns: 100, rows: 100, width: 2, height: 2, center: [0, 1.2, 0], stepper: 'xpbd', contact: 'self-collision' }],
      body: [{ shape: 'sphere', size: [0.5, 0.5, 0.5], position: [0, 0.5, 0] }],
    });
    const run = (engine, threads) => {
      const world = engine.world(scene(threads));
      for (let k = 0; k < 8; ++k) world.step(1 / 60);
      const hash = world.hash();
      world.destroy();
      return hash;
    };
    const one = run(telar, 1);
    for (const threads of [1, 2, 3, 0]) assert.equal(run(several, threads), one, `${threads} threads`);
  } finally {
    several.terminate();
  }
  refused(() => several.world(sheet()), ({ code }) => assert.equal(code, 'fatal'));
});

/* A tube of two panels, sewn around a ball. */
function tube() {
  const rings = 14, around = 28, lines = ['v 0 0.7 0'];
  for (let i = 1; i < rings; ++i)
    for (let j = 0; j < around; ++j) {
      const r = 0.3 * Math.sin((Math.PI * i) / rings), a = (2 * Math.PI * j) / around;
      lines.push(`v ${(r * Math.sin(a)).toFixed(6)} ${(1 - 0.3 * Math.cos((Math.PI * i) / rings)).toFixed(6)} ${(r * Math.cos(a)).toFixed(6)}`);
    }
  lines.push('v 0 1.3 0');
  const last = 2 + (rings - 1) * around;
  for (let j = 0; j < around; ++j) {
    const k = (j + 1) % around;
    lines.push(`f 1 ${2 + k} ${2 + j}`, `f ${last - around + j} ${last - around + k} ${last}`);
    for (let i = 0; i < rings - 2; ++i) {
      const below = 2 + i * around, above = below + around;
      lines.push(`f ${below + j} ${below + k} ${above + k}`, `f ${below + j} ${above + k} ${above + j}`);
    }
  }
  const edges = [[0, 1], [1, 2], [2, 3], [3, 0]].map((endpoints) => ({ endpoints }));
  const pattern = {
    pattern: {
      panels: {
        front: { vertices: [[-40, 0], [40, 0], [40, 40], [-40, 40]], edges, translation: [0, 105, 40], rotation: [0, 0, 0] },
        back: { vertices: [[-40, 0], [-40, 40], [40, 40], [40, 0]], edges, translation: [0, 105, -40], rotation: [0, 0, 0] },
      },
      stitches: [[{ panel: 'front', edge: 1 }, { panel: 'back', edge: 2 }], [{ panel: 'front', edge: 3 }, { panel: 'back', edge: 0 }]],
    },
    properties: { units_in_meter: 100, curvature_coords: 'relative' },
  };
  return {
    scene: { character: [{ label: 'ball', mesh: 'ball.obj', garment: [{ pattern: 'tube.json', edge: 0.07 }] }] },
    files: { 'ball.obj': lines.join('\n') + '\n', 'tube.json': JSON.stringify(pattern) },
  };
}

test('garments of a scene are dressed, told of, kept, and stopped', () => {
  const { scene, files } = tube();
  const told = [];
  const world = telar.world(scene, { files, dressing: (now) => void told.push(now) });
  assert(told.length > 100);
  assert.deepEqual([told[0].label, told[0].garment, told[0].count], ['ball: tube', 0, 1]);
  assert(told.some(({ phase }) => phase === 'sew') && told.at(-1).share > told[0].share);
  assert.equal(world.cloths.length, 1);
  assert.equal(world.bodies.length, 1);
  const worn = [...world.cloths[0].positions];
  const frames = told.length;
  world.reset(); // it is kept
  assert.equal(told.length, frames);
  assert.deepEqual([...world.cloths[0].positions], worn);
  const [name] = Object.keys(world.worn);
  assert.match(name, /^worn\/[0-9a-f]{32}$/);
  const again = telar.world(scene, { files: { ...files, ...world.worn }, dressing: () => assert.fail('it is worn already') });
  assert.deepEqual([...again.cloths[0].positions], worn);
  assert.deepEqual(Object.keys(again.worn), [name]);
  for (const stop of [() => false, () => { throw new Error('enough'); }])
    assert.throws(() => telar.world(scene, { files, dressing: stop }), /stopped|ended|enough|progress/);
  assert(world.step(1 / 60).ok); // the engine lives on
  world.destroy();
  again.destroy();
});

test('worn garments of the native program fit', (t) => {
  if (!native) return t.skip('no native program');
  const { scene, files } = tube();
  const folder = mkdtempSync(join(tmpdir(), 'telar-worn-'));
  for (const [name, text] of Object.entries({ ...files, 'scene.json': JSON.stringify(scene) })) writeFileSync(join(folder, name), text);
  const hash = execFileSync(native, ['run', join(folder, 'scene.json'), '--frames', '3', '--hash', '--quiet'],
    { encoding: 'utf8', env: { ...process.env, XDG_CACHE_HOME: folder } }).trim().split(/\s+/).pop();
  const [key] = readdirSync(join(folder, 'telar/worn'));
  const bytes = readFileSync(join(folder, 'telar/worn', key));
  const world = telar.world(scene, { files: { ...files, ['worn/' + key]: bytes }, dressing: () => assert.fail('it is worn already') });
  for (let k = 0; k < 3; ++k) world.step(1 / world.fps);
  assert.equal(world.hash(), hash);
  world.destroy();
  rmSync(folder, { recursive: true });
});
