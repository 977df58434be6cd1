// Everything that is on the stage, as plain triangles in the world's frame.
import { Matrix3, Matrix4, Vector3, type BufferGeometry, type Mesh } from 'three';
import type { App } from '../app';

export interface Part {
    name: string;
    positions: Float32Array;
    normals: Float32Array;
    uv: Float32Array | null;
    triangles: Uint32Array;
    color: [number, number, number]; // linear
    cloth: boolean;
}

function moved(mesh: Mesh, geometry: BufferGeometry): { positions: Float32Array; normals: Float32Array } {
    mesh.updateWorldMatrix(true, false);
    const matrix: Matrix4 = mesh.matrixWorld;
    const turn = new Matrix3().getNormalMatrix(matrix);
    const from = geometry.getAttribute('position');
    const across = geometry.getAttribute('normal');
    const positions = new Float32Array(3 * from.count);
    const normals = new Float32Array(3 * from.count);
    const v = new Vector3();
    for (let k = 0; k < from.count; k++) {
        v.fromBufferAttribute(from, k).applyMatrix4(matrix).toArray(positions, 3 * k);
        v.fromBufferAttribute(across, k).applyMatrix3(turn).normalize().toArray(normals, 3 * k);
    }
    return { positions, normals };
}

export function partsOf(app: App): Part[] {
    const parts: Part[] = app.stage.cloths.map((view, k) => ({
        name: app.cloths[k].label || `cloth ${k + 1}`,
        positions: (view.attribute('position').array as Float32Array).slice(),
        normals: (view.attribute('normal').array as Float32Array).slice(),
        uv: view.shape.uv,
        triangles: view.shape.triangles,
        color: view.physical.color.toArray() as [number, number, number],
        cloth: true,
    }));
    app.stage.bodies.forEach(({ mesh, object, shape }, k) => {
        if (!mesh || !object.visible) return;
        const geometry = mesh.geometry;
        const index = geometry.getIndex();
        const count = geometry.getAttribute('position').count;
        parts.push({
            name: shape.label || `body ${k + 1}`,
            ...moved(mesh, geometry),
            uv: null,
            triangles: index ? Uint32Array.from(index.array) : Uint32Array.from({ length: count }, (_, v) => v),
            color: app.stage.bodyColour(),
            cloth: false,
        });
    });
    return parts;
}
