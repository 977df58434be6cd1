// The address after #: a scene and what was changed in it, `#s3/sheet?cloth[0].stepper=bdf2&panel.ball=true`. Values are
// JSON, with the quotes of plain words left out.
import type { Value } from '../sim/protocol';

export interface Address {
    scene: string; // "" for the showpiece
    changes: Map<string, Value>;
    view: number[] | null; // position and target of the camera
}

function readValue(text: string): Value {
    try {
        const value = JSON.parse(text) as Value;
        if (value !== null && (typeof value !== 'object' || Array.isArray(value))) return value;
    } catch {
        // a plain word
    }
    return text;
}

function writeValue(value: Value): string {
    if (value === Infinity) return 'inf';
    if (typeof value !== 'string') return JSON.stringify(value);
    return readValue(value) === value ? value : JSON.stringify(value);
}

/** Throws with a sentence when the address cannot be read. */
export function readAddress(hash: string): Address {
    const [scene, query = ''] = splitOnce(hash.replace(/^#/, ''), '?');
    const address: Address = { scene: decode(scene), changes: new Map(), view: null };
    for (const pair of query.split('&').filter(Boolean)) {
        const [key, value] = splitOnce(pair, '=').map(decode);
        if (key === 'view') {
            const numbers = value.split(',').map(Number);
            if (numbers.length === 6 && numbers.every(Number.isFinite)) address.view = numbers;
        } else address.changes.set(key, readValue(value));
    }
    return address;
}

export function writeAddress({ scene, changes, view }: Address): string {
    const pairs = [...changes].map(([key, value]) => `${encode(key)}=${encode(writeValue(value))}`);
    if (view) pairs.push('view=' + view.map((v) => Number(v.toFixed(3))).join(','));
    return '#' + encode(scene) + (pairs.length ? '?' + pairs.join('&') : '');
}

function splitOnce(text: string, mark: string): [string, string] {
    const at = text.indexOf(mark);
    return at < 0 ? [text, ''] : [text.slice(0, at), text.slice(at + 1)];
}

function encode(text: string): string {
    return encodeURIComponent(text).replace(/%5B/g, '[').replace(/%5D/g, ']').replace(/%2F/g, '/').replace(/%2C/g, ',');
}

function decode(text: string): string {
    try {
        return decodeURIComponent(text);
    } catch {
        throw new Error(`the link cannot be read at “${text.slice(0, 40)}”`);
    }
}
