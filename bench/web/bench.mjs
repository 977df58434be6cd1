// node bench.mjs PACKAGE TELAR [--json]: the WebAssembly package beside the native program on one thread, and beside the
// soft bodies of Bullet (ammojs-typed) and Jolt (jolt-physics) where those npm packages are installed here. Processor time,
// in turns, of one run; compare ratios only.
import { execFileSync } from 'node:child_process';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';
import { peers } from './peers.mjs';

const [folder, native] = process.argv.slice(2);
const json = process.argv.includes('--json');
const { create } = await import(pathToFileURL(join(resolve(folder), 'index.js')));
const telar = await create();
const ROUNDS = 2;

const median = (list) => list.slice().sort((a, b) => a - b)[list.length >> 1];

// Milliseconds of processor time of the program's child, from the shell's own count.
function nativeTime(scene, frames) {
  const script = '"$0" run "$1" --frames "$2" --set world.threads=1 --quiet >/dev/null; times';
  const lines = execFileSync('sh', ['-c', script, native, scene, String(frames)], { encoding: 'utf8' }).trim().split('\n');
  return [...lines.pop().matchAll(/(\d+)m([\d.]+)s/g)].reduce((sum, [, m, s]) => sum + 6e4 * m + 1e3 * s, 0);
}

async function wasmTime(scene, frames) {
  const world = telar.world(await telar.scene(scene));
  const start = process.cpuUsage();
  for (let k = 0; k < frames; ++k) world.step(1 / world.fps);
  const { user, system } = process.cpuUsage(start);
  world.destroy();
  return (user + system) / 1e3;
}

async function beside(scene, frames) {
  const ours = [], theirs = [];
  await wasmTime(scene, 10); // compiled
  for (let round = 0; round < ROUNDS; ++round) {
    ours.push((await wasmTime(scene, frames)) / frames);
    theirs.push((nativeTime(scene, frames) - nativeTime(scene, 1)) / (frames - 1));
  }
  return { scene, frames, wasm_ms: median(ours), native_ms: median(theirs), ratio: median(ours) / median(theirs) };
}

const result = { native: [], peers: [] };
for (const [scene, frames] of [['default', 300], ['showcase/towel', 120], ['stress/folding', 60]])
  result.native.push(await beside(scene, frames));
result.peers = await peers(telar, ROUNDS);

if (json) console.log(JSON.stringify(result, null, 2));
else {
  console.log('scene                 WebAssembly      native    ratio');
  for (const { scene, wasm_ms, native_ms, ratio } of result.native)
    console.log(`${scene.padEnd(20)} ${wasm_ms.toFixed(2).padStart(9)} ms ${native_ms.toFixed(2).padStart(8)} ms ${ratio.toFixed(2).padStart(8)}`);
  console.log('\nhanging sheet                    ms a frame   largest stretch');
  for (const { name, setting, ms, stretch } of result.peers)
    console.log(`${`${name}, ${setting}`.padEnd(32)} ${ms.toFixed(2).padStart(10)} ${(100 * stretch).toFixed(1).padStart(14)} %`);
}
