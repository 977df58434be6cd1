// Scale of an overlay: what is shown, in which unit, up to which value.
import type { Frame, Overlay } from '../sim/protocol';

interface Kind {
    title: string;
    unit: string;
    least: number; // no finer scale than this
    factor: number; // from the engine's unit to the legend's
}

const KINDS: Record<Exclude<Overlay, 'none'>, Kind> = {
    force: { title: 'Force', unit: 'N', least: 0.002, factor: 1 },
    strain: { title: 'Strain', unit: '%', least: 0.02, factor: 100 },
    speed: { title: 'Speed', unit: 'm/s', least: 0.5, factor: 1 },
    contact: { title: 'Contact force', unit: 'N', least: 0.0005, factor: 1 },
};

export function legendOf(overlay: Overlay): Kind | null {
    return overlay === 'none' ? null : KINDS[overlay];
}

/** The next of 1, 2, 5, 10 … */
export function roundUp(value: number): number {
    const power = 10 ** Math.floor(Math.log10(value));
    for (const step of [1, 2, 5, 10]) if (value <= step * power * 1.000001) return step * power;
    return 10 * power;
}

/** Follows the largest value of the last pictures: up at once, down slowly, so that colours do not flicker. */
export class Legend {
    high = 1;
    private largest = 0;
    private kind: Kind | null = null;

    /** Whether the scale has changed. */
    follow(kind: Kind | null, frame: Frame): boolean {
        if (!kind) return false;
        if (kind !== this.kind) this.largest = 0;
        let now = 0;
        for (const { scalar } of frame.cloths)
            if (scalar) {
                // the highest hundredth may leave the scale: one particle must not decide it
                const sorted = Float32Array.from({ length: Math.min(scalar.length, 512) }, (_, k) => scalar[Math.floor((k * scalar.length) / Math.min(scalar.length, 512))]).sort();
                now = Math.max(now, sorted[Math.floor(0.985 * (sorted.length - 1))]);
            }
        this.largest = Math.max(now, 0.985 * this.largest);
        const high = roundUp(Math.max(this.largest, kind.least));
        const changed = high !== this.high || kind !== this.kind;
        this.high = high;
        this.kind = kind;
        return changed;
    }

    text(): { title: string; marks: string[] } {
        const kind = this.kind ?? KINDS.strain;
        const top = this.high * kind.factor;
        const number = (value: number) => String(Number(value.toPrecision(3)));
        return { title: `${kind.title}, ${kind.unit}`, marks: [number(top), number(top / 2), '0'] };
    }
}
