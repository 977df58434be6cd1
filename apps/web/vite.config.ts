// Builds the page into out/web: a static folder that any file server can hand out. Scenes, their meshes and the pictures of
// the cards are copied beside it and fetched when they are needed.
import { createHash } from 'node:crypto';
import { existsSync, readFileSync, readdirSync, statSync } from 'node:fs';
import { dirname, join, relative, resolve } from 'node:path';
import { defineConfig, type Plugin } from 'vite';

const root = resolve(__dirname, '../..');
const scenesFolder = join(root, 'scenes');
const engine = process.env.TELAR_PACKAGE ?? join(root, 'out/npm');

function filesBelow(folder: string): string[] {
    return readdirSync(folder)
        .flatMap((name) => {
            const path = join(folder, name);
            return statSync(path).isDirectory() ? filesBelow(path) : [path];
        })
        .sort();
}

type Scene = {
    scene?: { title?: string; description?: string };
    cloth?: { mesh?: { file?: string } }[];
    body?: { mesh?: { file?: string } }[];
    character?: { mesh?: string; garment?: { pattern?: string }[] }[];
};

/** Worn garments of scenes, which dress.mjs has made; a scene without is dressed in the page. */
const wornFolder = join(root, 'build/worn');
const worn: Record<string, string[]> = existsSync(join(wornFolder, 'index.json')) ? JSON.parse(readFileSync(join(wornFolder, 'index.json'), 'utf8')) : {};

/** Mesh and pattern files of a scene that lie beside it; `#` stands for the numbers of a sequence. */
function meshesOf(file: string, scene: Scene): string[] {
    const folder = dirname(file);
    const wanted = [
        ...[...(scene.cloth ?? []), ...(scene.body ?? [])].map((part) => part.mesh?.file ?? ''),
        ...(scene.character ?? []).flatMap(({ mesh, garment }) => [mesh ?? '', ...(garment ?? []).map(({ pattern }) => pattern ?? '')]),
    ].filter(Boolean);
    const found = new Set<string>();
    for (const name of wanted) {
        const pattern = new RegExp('^' + name.replace(/[.*+?^${}()|[\]\\]/g, '\\$&').replace(/#+/g, '\\d+') + '$');
        for (const path of filesBelow(folder)) if (pattern.test(relative(folder, path))) found.add(relative(folder, path));
    }
    return [...found];
}

function scenes(): Plugin {
    const id = 'virtual:scenes';
    return {
        name: 'telar-scenes',
        resolveId: (name) => (name === id ? '\0' + id : undefined),
        load(name) {
            if (name !== '\0' + id) return undefined;
            const list = [];
            const emitted = new Set<string>();
            const own = join(__dirname, 'scenes');
            for (const [folder, files] of [[own, filesBelow(own)], [scenesFolder, filesBelow(scenesFolder)]] as const)
                for (const file of files.filter((path) => path.endsWith('.json'))) {
                    const name = relative(folder, file).replace(/\.json$/, '');
                    const text = readFileSync(file, 'utf8');
                    const scene = JSON.parse(text) as Scene;
                    const page = folder === own;
                    const target = (page ? 'page/' : '') + name;
                    this.emitFile({ type: 'asset', fileName: `scenes/${target}.json`, source: JSON.stringify(scene) });
                    const meshes = meshesOf(file, scene);
                    for (const mesh of meshes) {
                        const fileName = `scenes/${dirname(target) === '.' ? '' : dirname(target) + '/'}${mesh}`;
                        if (!emitted.has(fileName)) this.emitFile({ type: 'asset', fileName, source: readFileSync(join(dirname(file), mesh)) });
                        emitted.add(fileName); // several scenes may share a mesh
                    }
                    for (const key of worn[target] ?? []) {
                        if (!emitted.has(key)) this.emitFile({ type: 'asset', fileName: `scenes/worn/${key}`, source: readFileSync(join(wornFolder, key)) });
                        emitted.add(key);
                    }
                    const picture = join(__dirname, 'pictures', target.replaceAll('/', '-') + '.jpg');
                    const stamp = existsSync(picture) ? createHash('sha256').update(readFileSync(picture)).digest('hex').slice(0, 8) : '';
                    if (stamp) this.emitFile({ type: 'asset', fileName: `pictures/${target.replaceAll('/', '-')}.jpg`, source: readFileSync(picture) });
                    list.push({ name: target, title: scene.scene?.title ?? name, description: scene.scene?.description ?? '', meshes, worn: worn[target] ?? [], picture: stamp !== '' });
                }
            return `export default ${JSON.stringify(list)}`;
        },
    };
}

/** What the page does not use of the package: its bundle of scenes, its own worker, the ways of node. */
function leaner(): Plugin {
    const stubs: Record<string, string> = {
        'scenes.js': 'export const scenes = {}, files = {};',
        'scene-names.js': 'export const sceneNames = [];',
        'remote.js': 'export const createInWorker = () => Promise.reject(new Error("not in this page"));',
    };
    return {
        name: 'telar-leaner',
        enforce: 'pre',
        resolveId: (name) => (name.startsWith('node:') ? '\0telar-node' : undefined),
        load(name) {
            if (name === '\0telar-node') return 'export const readFile = undefined, Worker = undefined;';
            const inside = relative(engine, name);
            return inside in stubs ? stubs[inside] : undefined;
        },
    };
}

export default defineConfig({
    base: './',
    root: __dirname,
    plugins: [scenes()],
    worker: { format: 'es', plugins: () => [leaner()] },
    resolve: {
        alias: [
            { find: /^telar$/, replacement: join(engine, 'index.js') },
            { find: /^telar\//, replacement: engine + '/' },
        ],
    },
    build: {
        outDir: join(root, 'out/web'),
        emptyOutDir: true,
        target: 'es2022',
        modulePreload: { polyfill: false },
        chunkSizeWarningLimit: 2000,
        reportCompressedSize: false,
    },
});
