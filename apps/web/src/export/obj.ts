// Wavefront OBJ of the present state: one object each, with normals and texture coordinates.
import type { App } from '../app';
import { download } from '../ui/dom';
import { partsOf, type Part } from './geometry';

const digits = (value: number) => String(Number(value.toFixed(6)));

export function objOf(parts: Part[]): string {
    const lines: string[] = ['# Telar'];
    let first = 1;
    let firstUv = 1;
    for (const { name, positions, normals, uv, triangles } of parts) {
        lines.push(`o ${name.replace(/\s+/g, '_')}`);
        for (let k = 0; k < positions.length; k += 3) lines.push(`v ${digits(positions[k])} ${digits(positions[k + 1])} ${digits(positions[k + 2])}`);
        for (let k = 0; uv && k < uv.length; k += 2) lines.push(`vt ${digits(uv[k])} ${digits(uv[k + 1])}`);
        for (let k = 0; k < normals.length; k += 3) lines.push(`vn ${digits(normals[k])} ${digits(normals[k + 1])} ${digits(normals[k + 2])}`);
        for (let k = 0; k < triangles.length; k += 3) {
            const corner = (v: number) => `${v + first}/${uv ? v + firstUv : ''}/${v + first}`;
            lines.push(`f ${corner(triangles[k])} ${corner(triangles[k + 1])} ${corner(triangles[k + 2])}`);
        }
        first += positions.length / 3;
        firstUv += uv ? uv.length / 2 : 0;
    }
    return lines.join('\n') + '\n';
}

export function saveObj(app: App): void {
    download(`telar-${app.fileName()}.obj`, new Blob([objOf(partsOf(app))], { type: 'model/obj' }));
    app.say('Saved the state as OBJ');
}
