// A scene as JSON with paths into it: what a link, a preset and the panel change.
import type { Parameter, Value } from '../sim/protocol';

export type Json = null | boolean | number | string | Json[] | { [key: string]: Json };
export type SceneJson = { [key: string]: Json };

/** "cloth[0].link.shear.on" as its steps: cloth, 0, link, shear, on. */
export function stepsOf(path: string): (string | number)[] {
    const steps: (string | number)[] = [];
    for (const part of path.split('.')) {
        const match = /^([a-z0-9_]+)((?:\[\d+\])*)$/i.exec(part);
        if (!match) throw new Error(`“${path}” is not the path of a parameter`);
        steps.push(match[1]);
        for (const index of match[2].matchAll(/\[(\d+)\]/g)) steps.push(Number(index[1]));
    }
    return steps;
}

export function valueAt(scene: Json, path: string): Json | undefined {
    let at: Json | undefined = scene;
    for (const step of stepsOf(path)) {
        if (at === null || typeof at !== 'object') return undefined;
        at = (at as { [key: string | number]: Json })[step];
    }
    return at;
}

/** Sets a value, making the objects on the way. Entries of lists must exist. */
export function setValueAt(scene: SceneJson, path: string, value: Json): void {
    const steps = stepsOf(path);
    let at: Json = scene;
    steps.forEach((step, k) => {
        const box = at as { [key: string | number]: Json };
        if (k === steps.length - 1) {
            box[step] = value;
            return;
        }
        if (box[step] === undefined) {
            if (typeof steps[k + 1] === 'number' || typeof step === 'number') throw new Error(`there is no “${path}” in this scene`);
            box[step] = {};
        }
        at = box[step];
        if (at === null || typeof at !== 'object') throw new Error(`there is no “${path}” in this scene`);
    });
}

/** The table by path, with every index written as 0. */
export class Table {
    private readonly byPath = new Map<string, Parameter>();

    constructor(readonly parameters: readonly Parameter[]) {
        for (const parameter of parameters) this.byPath.set(parameter.path, parameter);
    }

    find(path: string): Parameter | undefined {
        return this.byPath.get(path.replace(/\[\d+\]/g, '[0]'));
    }

    defaultOf(path: string): Value | null {
        return (this.find(path)?.default ?? null) as Value | null;
    }
}

/** The value a scene has, be it written in it or by default. */
export function valueOf(scene: SceneJson, table: Table, path: string): Value | null {
    const written = valueAt(scene, path);
    if (written === 'inf' && table.find(path)?.type === 'real') return Infinity;
    return written === undefined || written === null ? table.defaultOf(path) : (written as Value);
}

/** JSON as scene files have it: infinity is written as "inf". */
export function jsonOf(scene: SceneJson, indent = 0): string {
    const word = (_: string, value: unknown) => (value === Infinity ? 'inf' : value === -Infinity ? '-inf' : value);
    return JSON.stringify(scene, word, indent || undefined);
}
