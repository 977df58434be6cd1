// Binary glTF 2.0 of the present state, with materials: cloth two-sided and with sheen.
import type { App } from '../app';
import { download } from '../ui/dom';
import { partsOf, type Part } from './geometry';

const FLOAT = 5126;
const UINT = 5125;
const ARRAY_BUFFER = 34962;
const ELEMENT_ARRAY_BUFFER = 34963;

export function glbOf(parts: Part[]): ArrayBuffer {
    const chunks: Uint8Array[] = [];
    let length = 0;
    const bufferViews: object[] = [];
    const accessors: object[] = [];
    const add = (data: Float32Array | Uint32Array, size: number, bounds: boolean): number => {
        const bytes = new Uint8Array(data.buffer, data.byteOffset, data.byteLength);
        bufferViews.push({ buffer: 0, byteOffset: length, byteLength: bytes.length, target: data instanceof Uint32Array ? ELEMENT_ARRAY_BUFFER : ARRAY_BUFFER });
        chunks.push(bytes);
        length += bytes.length; // numbers of four bytes: always aligned
        const accessor: Record<string, unknown> = {
            bufferView: bufferViews.length - 1,
            componentType: data instanceof Uint32Array ? UINT : FLOAT,
            count: data.length / size,
            type: ['SCALAR', 'VEC2', 'VEC3'][size - 1],
        };
        if (bounds) {
            const low = [Infinity, Infinity, Infinity];
            const high = [-Infinity, -Infinity, -Infinity];
            for (let k = 0; k < data.length; k++) {
                low[k % 3] = Math.min(low[k % 3], data[k]);
                high[k % 3] = Math.max(high[k % 3], data[k]);
            }
            accessor.min = low;
            accessor.max = high;
        }
        accessors.push(accessor);
        return accessors.length - 1;
    };
    const meshes = parts.map((part, k) => {
        const attributes: Record<string, number> = { POSITION: add(part.positions, 3, true), NORMAL: add(unit(part.normals), 3, false) };
        if (part.uv) attributes.TEXCOORD_0 = add(part.uv, 2, false);
        return { name: part.name, primitives: [{ attributes, indices: add(part.triangles, 1, false), material: k }] };
    });
    const sheen = parts.some(({ cloth }) => cloth);
    const json = {
        asset: { version: '2.0', generator: 'Telar' },
        ...(sheen ? { extensionsUsed: ['KHR_materials_sheen'] } : {}),
        scene: 0,
        scenes: [{ nodes: parts.map((_, k) => k) }],
        nodes: parts.map(({ name }, k) => ({ name, mesh: k })),
        meshes,
        materials: parts.map(({ name, color, cloth }) => ({
            name,
            pbrMetallicRoughness: { baseColorFactor: [...color, 1], metallicFactor: 0, roughnessFactor: cloth ? 0.85 : 0.5 },
            doubleSided: cloth,
            ...(cloth ? { extensions: { KHR_materials_sheen: { sheenColorFactor: color.map((c) => 0.35 + 0.5 * c), sheenRoughnessFactor: 0.5 } } } : {}),
        })),
        accessors,
        bufferViews,
        buffers: [{ byteLength: length }],
    };
    const text = new TextEncoder().encode(JSON.stringify(json));
    const padded = (4 - (text.length % 4)) % 4;
    const total = 12 + 8 + text.length + padded + 8 + length;
    const file = new ArrayBuffer(total);
    const view = new DataView(file);
    const bytes = new Uint8Array(file);
    [0x46546c67, 2, total, text.length + padded, 0x4e4f534a].forEach((word, k) => view.setUint32(4 * k, word, true));
    bytes.set(text, 20);
    bytes.fill(32, 20 + text.length, 20 + text.length + padded);
    let at = 20 + text.length + padded;
    view.setUint32(at, length, true);
    view.setUint32(at + 4, 0x004e4942, true);
    at += 8;
    for (const chunk of chunks) {
        bytes.set(chunk, at);
        at += chunk.length;
    }
    return file;
}

/** glTF wants unit normals; a crumpled vertex may have none. */
function unit(normals: Float32Array): Float32Array {
    const result = new Float32Array(normals.length);
    for (let k = 0; k < normals.length; k += 3) {
        const length = Math.hypot(normals[k], normals[k + 1], normals[k + 2]);
        for (let c = 0; c < 3; c++) result[k + c] = length > 1e-6 ? normals[k + c] / length : c === 1 ? 1 : 0;
    }
    return result;
}

export function saveGlb(app: App): void {
    download(`telar-${app.fileName()}.glb`, new Blob([glbOf(partsOf(app))], { type: 'model/gltf-binary' }));
    app.say('Saved the state as GLB');
}
