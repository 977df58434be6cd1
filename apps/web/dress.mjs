// node dress.mjs PACKAGE FOLDER: dresses the garments of all scenes, as far as FOLDER and the user's cache do not have them
// yet. They are left in FOLDER, with index.json: the files of each scene. The page puts them on at once.
import { existsSync, mkdirSync, readdirSync, readFileSync, writeFileSync } from 'node:fs';
import { homedir } from 'node:os';
import { join, resolve } from 'node:path';
import { pathToFileURL } from 'node:url';

const [engine, folder] = process.argv.slice(2).map((path) => resolve(path));
const { create } = await import(pathToFileURL(join(engine, 'index.js')));
const telar = await create();
const kept = {};
for (const place of [join(process.env.XDG_CACHE_HOME ?? join(homedir(), '.cache'), 'telar/worn'), folder])
    if (existsSync(place))
        for (const key of readdirSync(place).filter((name) => /^[0-9a-f]{32}$/.test(name))) kept['worn/' + key] = readFileSync(join(place, key));
mkdirSync(folder, { recursive: true });
const index = {};
for (const { name } of telar.list('scenes')) {
    const scene = await telar.scene(name);
    if (!JSON.parse(scene.text).character) continue;
    let last = '';
    const dressing = ({ label }) => {
        if (label !== last) console.log(`dressing ${name}, ${label}`);
        last = label;
    };
    const world = telar.world(scene, { files: kept, dressing });
    index[name] = Object.keys(world.worn).map((file) => file.slice('worn/'.length));
    for (const [file, bytes] of Object.entries(world.worn)) writeFileSync(join(folder, file.slice('worn/'.length)), bytes);
    Object.assign(kept, world.worn);
    world.destroy();
}
writeFileSync(join(folder, 'index.json'), JSON.stringify(index, null, 2) + '\n');
