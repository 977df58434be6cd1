// Assembles the npm package: node build.mjs BUILD OUT, with the folder that has the modules. The version is that of the CMake project.
import { cp, mkdir, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { dirname, join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const root = join(here, '..', '..');
const [build, out] = process.argv.slice(2);

async function* filesIn(folder) {
  for (const entry of (await readdir(folder, { withFileTypes: true })).sort((a, b) => (a.name < b.name ? -1 : 1)))
    if (entry.isDirectory()) yield* filesIn(join(folder, entry.name));
    else yield join(folder, entry.name);
}

// The scenes that come with Telar and their meshes: { name: JSON text } and { file: text }.
async function readScenes() {
  const folder = join(root, 'scenes');
  const scenes = {}, files = {}, names = [];
  for await (const path of filesIn(folder)) {
    const name = relative(folder, path);
    const text = await readFile(path, 'utf8');
    if (!name.endsWith('.json')) {
      files[name] = text;
      continue;
    }
    const scene = JSON.parse(text);
    scenes[name.slice(0, -5)] = text;
    names.push({ name: name.slice(0, -5), help: scene.scene?.title ?? '' });
  }
  return { scenes, files, names };
}

const version = /project\(telar VERSION (\S+)/.exec(await readFile(join(root, 'CMakeLists.txt'), 'utf8'))[1];
const description = JSON.parse(await readFile(join(here, 'package.json'), 'utf8'));
const { scenes, files, names } = await readScenes();
const bytes = await readFile(join(build, 'telar.wasm'));

await rm(out, { recursive: true, force: true });
await mkdir(out, { recursive: true });
for (const name of ['index.js', 'engine.js', 'host.js', 'threads.js', 'thread.js', 'world.js', 'remote.js', 'worker.js', 'index.d.ts', 'README.md'])
  await cp(join(here, name), join(out, name));
await cp(join(root, 'LICENSE'), join(out, 'LICENSE'));
await writeFile(join(out, 'telar.wasm'), bytes);
await cp(join(build, 'telar-threads.wasm'), join(out, 'telar-threads.wasm'));
await writeFile(join(out, 'package.json'), JSON.stringify({ ...description, version }, null, 2) + '\n');
await writeFile(join(out, 'scene-names.js'), `export const sceneNames = ${JSON.stringify(names)};\n`);
await writeFile(join(out, 'scenes.js'),
  `export const scenes = ${JSON.stringify(scenes)};\nexport const files = ${JSON.stringify(files)};\n`);
await writeFile(join(out, 'inline.js'), `// The module is in here as text: one file less to serve.
import { create as createFrom } from './index.js';
export { TelarError, createInWorker } from './index.js';

const text = '${bytes.toString('base64')}';

export function create(options = {}) {
  return createFrom({ ...options, wasm: options.wasm ?? Uint8Array.from(atob(text), (c) => c.charCodeAt(0)) });
}
`);
