// Reads triangles of a GLB with the transforms of its nodes, as OBJ text. Compressed meshes are refused by name.
import { Matrix4, Quaternion, Vector3 } from 'three';

interface Gltf {
    scene?: number;
    scenes?: { nodes?: number[] }[];
    nodes?: { mesh?: number; children?: number[]; matrix?: number[]; translation?: number[]; rotation?: number[]; scale?: number[] }[];
    meshes?: { primitives: { attributes: Record<string, number>; indices?: number; mode?: number }[] }[];
    accessors?: { bufferView?: number; byteOffset?: number; componentType: number; count: number; type: string; normalized?: boolean; sparse?: object }[];
    bufferViews?: { byteOffset?: number; byteLength: number; byteStride?: number; buffer: number }[];
    extensionsRequired?: string[];
}

const SIZES: Record<string, number> = { SCALAR: 1, VEC2: 2, VEC3: 3, VEC4: 4 };
const READ: Record<number, [number, (view: DataView, at: number) => number, number]> = {
    5120: [1, (v, at) => v.getInt8(at), 127],
    5121: [1, (v, at) => v.getUint8(at), 255],
    5122: [2, (v, at) => v.getInt16(at, true), 32767],
    5123: [2, (v, at) => v.getUint16(at, true), 65535],
    5125: [4, (v, at) => v.getUint32(at, true), 4294967295],
    5126: [4, (v, at) => v.getFloat32(at, true), 1],
};

export function objFromGlb(file: ArrayBuffer): string {
    const view = new DataView(file);
    if (file.byteLength < 28 || view.getUint32(0, true) !== 0x46546c67) throw new Error('this is no GLB file');
    const length = view.getUint32(12, true);
    if (20 + length + 8 > file.byteLength) throw new Error('the GLB file ends too early');
    const gltf = JSON.parse(new TextDecoder().decode(new Uint8Array(file, 20, length))) as Gltf;
    const packed = (gltf.extensionsRequired ?? []).find((name) => /draco|meshopt/i.test(name));
    if (packed) throw new Error(`the mesh is compressed (${packed}); save it without compression`);
    const data = 20 + length + 8;
    const numbers = (index: number): number[] => {
        const accessor = gltf.accessors?.[index];
        const buffer = gltf.bufferViews?.[accessor?.bufferView ?? -1];
        const read = READ[accessor?.componentType ?? 0];
        if (!accessor || !buffer || !read) throw new Error('the GLB file is broken');
        const [bytes, take, whole] = read;
        const size = SIZES[accessor.type] ?? 1;
        const stride = buffer.byteStride ?? size * bytes;
        const start = data + (buffer.byteOffset ?? 0) + (accessor.byteOffset ?? 0);
        if (start + (accessor.count - 1) * stride + size * bytes > file.byteLength) throw new Error('the GLB file ends too early');
        const result: number[] = [];
        for (let k = 0; k < accessor.count; k++)
            for (let c = 0; c < size; c++) {
                const value = take(view, start + k * stride + c * bytes);
                result.push(accessor.normalized ? value / whole : value);
            }
        return result;
    };
    const lines: string[] = [];
    let first = 1;
    const visit = (index: number, parent: Matrix4, depth: number) => {
        const node = gltf.nodes?.[index];
        if (!node || depth > 64) return;
        const own = node.matrix
            ? new Matrix4().fromArray(node.matrix)
            : new Matrix4().compose(new Vector3(...(node.translation ?? [0, 0, 0])), new Quaternion(...(node.rotation ?? [0, 0, 0, 1])), new Vector3(...(node.scale ?? [1, 1, 1])));
        const matrix = parent.clone().multiply(own);
        for (const { attributes, indices, mode } of gltf.meshes?.[node.mesh ?? -1]?.primitives ?? []) {
            if ((mode ?? 4) !== 4 || attributes.POSITION === undefined) continue;
            const positions = numbers(attributes.POSITION);
            const corners = indices === undefined ? Array.from({ length: positions.length / 3 }, (_, k) => k) : numbers(indices);
            const point = new Vector3();
            for (let k = 0; k < positions.length; k += 3) {
                point.fromArray(positions, k).applyMatrix4(matrix);
                lines.push(`v ${point.x} ${point.y} ${point.z}`);
            }
            for (let k = 0; k + 2 < corners.length; k += 3) lines.push(`f ${corners[k] + first} ${corners[k + 1] + first} ${corners[k + 2] + first}`);
            first += positions.length / 3;
        }
        for (const child of node.children ?? []) visit(child, matrix, depth + 1);
    };
    const roots = gltf.scenes?.[gltf.scene ?? 0]?.nodes ?? (gltf.nodes ?? []).map((_, k) => k);
    for (const root of roots) visit(root, new Matrix4(), 0);
    if (first === 1) throw new Error('the GLB file has no triangles');
    return lines.join('\n') + '\n';
}
