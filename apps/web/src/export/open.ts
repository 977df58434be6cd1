// Files dropped on the page: a scene (JSON), or a mesh (OBJ, GLB) that becomes a body under a falling sheet.
import type { App } from '../app';
import type { SceneJson } from '../state/document';
import { byId, make } from '../ui/dom';
import { objFromGlb } from './glb_read';

const LARGEST = 64 << 20; // bytes

interface Box {
    low: number[];
    high: number[];
}

/** Extent of the vertices of an OBJ; throws when there are none. */
function boxOf(obj: string): Box {
    const low = [Infinity, Infinity, Infinity];
    const high = [-Infinity, -Infinity, -Infinity];
    for (const line of obj.matchAll(/^v\s+(\S+)\s+(\S+)\s+(\S+)/gm))
        for (let c = 0; c < 3; c++) {
            const x = Number(line[c + 1]);
            low[c] = Math.min(low[c], x);
            high[c] = Math.max(high[c], x);
        }
    if (!Number.isFinite(low[0] + high[0] + low[1] + high[1] + low[2] + high[2])) throw new Error('the mesh has no vertices that can be read');
    return { low, high };
}

/** A sheet above the mesh, which is scaled to one metre and put on the floor. */
function sceneAround(name: string, { low, high }: Box): SceneJson {
    const size = Math.max(...high.map((h, c) => h - low[c]), 1e-9);
    const scale = Number((1 / size).toPrecision(6));
    const middle = [0, 2].map((c) => -(scale * (low[c] + high[c])) / 2);
    const tall = scale * (high[1] - low[1]);
    return {
        scene: { title: name, description: 'A sheet falls on a mesh of your own.', frames: 600, fps: 60 },
        cloth: [{
            columns: 91, rows: 91, width: 2, height: 2, diagonals: 'alternating', label: 'sheet', center: [0, tall + 0.35, 0], rotation: [0, 20, 0],
            density: 0.25, damping: 0.5, thickness: 0.012, ripple: 0.002, material: 'springs',
            link: { structural: { stiffness: 5000, damping: 0 }, shear: { stiffness: 50, damping: 0 }, bend: { stiffness: 0.3, damping: 0 } },
            stepper: 'xpbd', substep_rate: 480,
        }],
        body: [
            { label: name, shape: 'mesh', position: [middle[0], -scale * low[1] + 0.001, middle[1]], friction: 0.6, solid: false, mesh: { file: 'own.obj', scale, repair: true } },
            { label: 'floor', shape: 'plane', friction: 0.6 },
        ],
        look: { cloth: 'fabric', cloth_color: [0.16, 0.29, 0.5], body_color: [0.85, 0.8, 0.74] },
    };
}

export async function openFile(app: App, file: File): Promise<void> {
    if (file.size > LARGEST) throw new Error(`“${file.name}” has more than 64 MB`);
    const kind = file.name.toLowerCase().split('.').pop();
    if (kind === 'json') {
        let scene: SceneJson;
        try {
            scene = JSON.parse(await file.text()) as SceneJson;
        } catch (error) {
            throw new Error(`“${file.name}” is no JSON: ${error instanceof Error ? error.message : ''}`);
        }
        await app.open('file/' + file.name.replace(/\.json$/i, ''), scene, app.files);
        return;
    }
    if (kind !== 'obj' && kind !== 'glb') throw new Error(`“${file.name}”: the page opens OBJ and GLB meshes and scenes (JSON)`);
    const obj = kind === 'obj' ? await file.text() : objFromGlb(await file.arrayBuffer());
    await app.open('file/' + file.name, sceneAround(file.name, boxOf(obj)), { 'own.obj': new TextEncoder().encode(obj) });
}

export function openFiles(app: App): void {
    const open = (files: FileList | null) => {
        const file = files?.[0];
        if (file) openFile(app, file).catch((error) => app.fail(error));
    };
    const input = make('input', { type: 'file', id: 'file', accept: '.obj,.glb,.json', hidden: true });
    input.addEventListener('change', () => {
        open(input.files);
        input.value = '';
    });
    byId('stage').append(input);
    window.addEventListener('dragover', (event) => {
        event.preventDefault();
        document.body.classList.add('dropping');
    });
    window.addEventListener('dragleave', (event) => {
        if (!event.relatedTarget) document.body.classList.remove('dropping');
    });
    window.addEventListener('drop', (event) => {
        event.preventDefault();
        document.body.classList.remove('dropping');
        open(event.dataTransfer?.files ?? null);
    });
}
