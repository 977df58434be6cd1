// What lies under the pointer: a particle of a cloth, or a body.
import { Raycaster, Vector2, Vector3 } from 'three';
import type { Stage } from '../view/stage';

export interface Hit {
    kind: 'cloth' | 'body';
    index: number;
    vertex: number; // of cloth
    distance: number;
    point: Vector3;
}

const ray = new Raycaster();

export function aim(stage: Stage, x: number, y: number): Raycaster {
    const box = stage.canvas.getBoundingClientRect();
    ray.setFromCamera(new Vector2(((x - box.left) / box.width) * 2 - 1, 1 - ((y - box.top) / box.height) * 2), stage.camera);
    return ray;
}

/** Distance along the ray to the nearest triangle, and the triangle's corner nearest to the hit. */
function hitCloth(positions: Float32Array, triangles: Uint32Array, origin: Vector3, way: Vector3): { distance: number; vertex: number } | null {
    let best = Infinity;
    let at = -1;
    let bu = 0;
    let bv = 0;
    const { x: ox, y: oy, z: oz } = origin;
    const { x: dx, y: dy, z: dz } = way;
    for (let k = 0; k < triangles.length; k += 3) {
        const a = 3 * triangles[k], b = 3 * triangles[k + 1], c = 3 * triangles[k + 2];
        const ax = positions[a], ay = positions[a + 1], az = positions[a + 2];
        const ux = positions[b] - ax, uy = positions[b + 1] - ay, uz = positions[b + 2] - az;
        const vx = positions[c] - ax, vy = positions[c + 1] - ay, vz = positions[c + 2] - az;
        const px = dy * vz - dz * vy, py = dz * vx - dx * vz, pz = dx * vy - dy * vx;
        const det = ux * px + uy * py + uz * pz;
        if (Math.abs(det) < 1e-14) continue;
        const tx = ox - ax, ty = oy - ay, tz = oz - az;
        const u = (tx * px + ty * py + tz * pz) / det;
        if (u < 0 || u > 1) continue;
        const qx = ty * uz - tz * uy, qy = tz * ux - tx * uz, qz = tx * uy - ty * ux;
        const v = (dx * qx + dy * qy + dz * qz) / det;
        if (v < 0 || u + v > 1) continue;
        const t = (vx * qx + vy * qy + vz * qz) / det;
        if (t > 0 && t < best) {
            best = t;
            at = k;
            bu = u;
            bv = v;
        }
    }
    if (at < 0) return null;
    const corner = 1 - bu - bv > Math.max(bu, bv) ? 0 : bu > bv ? 1 : 2;
    return { distance: best, vertex: triangles[at + corner] };
}

export function pick(stage: Stage, x: number, y: number): Hit | null {
    const { ray: line } = aim(stage, x, y);
    let best: Hit | null = null;
    stage.cloths.forEach((cloth, index) => {
        if (!line.intersectsSphere(cloth.bounds)) return;
        const hit = hitCloth(cloth.attribute('position').array as Float32Array, cloth.shape.triangles, line.origin, line.direction);
        if (hit && (!best || hit.distance < best.distance))
            best = { kind: 'cloth', index, vertex: hit.vertex, distance: hit.distance, point: line.at(hit.distance, new Vector3()) };
    });
    stage.bodies.forEach((body, index) => {
        if (!body.mesh || !body.object.visible) return;
        const [hit] = ray.intersectObject(body.mesh, false);
        // bodies are drawn behind cloth that rests on them, so the cloth is also taken where it is a little farther
        if (hit && (!best || hit.distance < best.distance - 0.03))
            best = { kind: 'body', index, vertex: -1, distance: hit.distance, point: hit.point.clone() };
    });
    return best;
}
