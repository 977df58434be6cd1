// How deep each vertex lies in a fold, for shading: the mean of its neighbours' heights above its tangent plane, over a
// few rings. Cheap enough for every picture, and what makes drapery read as drapery.

export interface Neighbours {
    start: Uint32Array; // of each vertex in `list`
    list: Uint32Array;
    scratch: Float32Array;
    normals?: Float32Array;
}

/** Vertices joined by an edge. */
export function neighboursOf(triangles: Uint32Array, count: number): Neighbours {
    const start = new Uint32Array(count + 1);
    // each corner lists the corner after it; at the border an edge is then listed on one side only, which is enough
    for (let k = 0; k < triangles.length; k++) start[triangles[k] + 1] += 2;
    for (let v = 0; v < count; v++) start[v + 1] += start[v];
    const fill = start.slice(0, count);
    const list = new Uint32Array(start[count]);
    for (let k = 0; k < triangles.length; k += 3)
        for (let c = 0; c < 3; c++) {
            const v = triangles[k + c];
            list[fill[v]++] = triangles[k + ((c + 1) % 3)];
            list[fill[v]++] = triangles[k + ((c + 2) % 3)];
        }
    return { start, list, scratch: new Float32Array(count) };
}

/** Fills `fold` with about −1 (sharp ridge) to 1 (sharp valley), seen from the side of the normals. */
export function foldsOf(mesh: Neighbours, x: Float32Array, n: Float32Array, fold: Float32Array): void {
    const { start, list, scratch } = mesh;
    for (let v = 0; v < scratch.length; v++) {
        let above = 0;
        let away = 1e-9;
        const px = x[3 * v], py = x[3 * v + 1], pz = x[3 * v + 2];
        const nx = n[3 * v], ny = n[3 * v + 1], nz = n[3 * v + 2];
        for (let k = start[v]; k < start[v + 1]; k++) {
            const w = 3 * list[k];
            const dx = x[w] - px, dy = x[w + 1] - py, dz = x[w + 2] - pz;
            above += dx * nx + dy * ny + dz * nz;
            away += Math.abs(dx) + Math.abs(dy) + Math.abs(dz);
        }
        scratch[v] = above / away;
    }
    // twice smoothed over the neighbours: a fold is wider than an edge
    for (let pass = 0; pass < 2; pass++) {
        const from = pass ? fold : scratch;
        const to = pass ? scratch : fold;
        for (let v = 0; v < scratch.length; v++) {
            let sum = from[v];
            for (let k = start[v]; k < start[v + 1]; k++) sum += from[list[k]];
            to[v] = sum / (1 + start[v + 1] - start[v]);
        }
    }
    for (let v = 0; v < scratch.length; v++) fold[v] = Math.max(-1, Math.min(1, 6 * scratch[v]));
}

/** Averages normals over the neighbours, `passes` times: light reflected by silk shows every unevenness of a grid. */
export function smoothNormals(mesh: Neighbours, n: Float32Array, passes: number): void {
    const { start, list } = mesh;
    const count = start.length - 1;
    mesh.normals ??= new Float32Array(3 * count);
    const to = mesh.normals;
    for (let pass = 0; pass < passes; pass++) {
        for (let v = 0; v < count; v++) {
            const own = start[v + 1] - start[v];
            let x = own * n[3 * v], y = own * n[3 * v + 1], z = own * n[3 * v + 2];
            for (let k = start[v]; k < start[v + 1]; k++) {
                const w = 3 * list[k];
                x += n[w];
                y += n[w + 1];
                z += n[w + 2];
            }
            const length = Math.sqrt(x * x + y * y + z * z) || 1;
            to[3 * v] = x / length;
            to[3 * v + 1] = y / length;
            to[3 * v + 2] = z / length;
        }
        n.set(to);
    }
}
