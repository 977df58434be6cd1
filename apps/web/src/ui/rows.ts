// One row of the panel: label, control, unit, and an arrow back to the default.
import type { Parameter, Value } from '../sim/protocol';
import { fromHex, hex, make } from './dom';

export interface RowSpec {
    id: string;
    label: string;
    type: 'real' | 'int' | 'bool' | 'vec3' | 'name' | 'text' | 'colour';
    unit: string;
    low: number;
    high: number;
    step?: number;
    choices: string[];
    describe: Record<string, string>;
    help: string;
    get: () => Value | null;
    set: (value: Value) => void;
    changed: () => boolean;
    back: () => void;
    note?: (value: Value) => string;
    /** Take values while the slider is moved; else when it is let go. */
    live: boolean;
}

export interface Row {
    spec: RowSpec;
    element: HTMLElement;
    refresh: () => void;
}

/** Colours of the table are vectors of 0…1 with a name that says so. */
export function typeOf(parameter: Parameter): RowSpec['type'] {
    if (parameter.type === 'vec3' && /colou?r$/.test(parameter.name)) return 'colour';
    return parameter.type === 'list' ? 'text' : parameter.type;
}

/** The range a slider covers: all of it, or three decades around the default where that is wider. */
export function sliderRange(low: number, high: number, value: number): { low: number; high: number; log: boolean } {
    if (Number.isFinite(low) && Number.isFinite(high) && high - low <= 1000 && (low < 0 || high <= 100)) return { low, high, log: false };
    const middle = Math.abs(value) > 0 ? Math.abs(value) : 1;
    if (low >= 0) return { low: Math.max(low, middle / 31.6), high: Math.min(high, middle * 31.6), log: true };
    return { low: Math.max(low, -20 * middle), high: Math.min(high, 20 * middle), log: false };
}

function written(value: number): string {
    if (!Number.isFinite(value)) return value > 0 ? 'inf' : '-inf';
    return String(Number(value.toPrecision(5)));
}

function parsed(text: string): number {
    return text.trim() === 'inf' ? Infinity : Number(text.replace(',', '.'));
}

type Control = { elements: HTMLElement[]; show: (value: Value) => void };

function numberControl(spec: RowSpec): Control {
    const first = Number(spec.get() ?? 0);
    const range = spec.step !== undefined ? { low: spec.low, high: spec.high, log: false } : sliderRange(spec.low, spec.high, first);
    const whole = spec.type === 'int';
    const toSlider = (v: number) => {
        const t = range.log ? Math.log(Math.max(v, range.low) / range.low) / Math.log(range.high / range.low) : (v - range.low) / (range.high - range.low);
        return Math.round(1000 * Math.min(Math.max(t, 0), 1));
    };
    const fromSlider = (t: number) => {
        let v = range.log ? range.low * (range.high / range.low) ** (t / 1000) : range.low + ((range.high - range.low) * t) / 1000;
        if (spec.step) v = range.low + Math.round((v - range.low) / spec.step) * spec.step;
        return whole ? Math.round(v) : Number(v.toPrecision(4));
    };
    const box = make('input', { type: 'text', inputmode: 'decimal', class: 'num', id: spec.id, autocomplete: 'off' });
    const slider = make('input', { type: 'range', min: 0, max: 1000, step: 1, 'aria-label': spec.label });
    const take = (value: number) => {
        const valid = !Number.isNaN(value) && value >= spec.low && value <= spec.high;
        box.closest('.row')?.classList.toggle('refused', !valid);
        if (valid) spec.set(whole ? Math.round(value) : value);
    };
    box.addEventListener('change', () => take(parsed(box.value)));
    slider.addEventListener('input', () => {
        box.value = written(fromSlider(Number(slider.value)));
        if (spec.live) take(fromSlider(Number(slider.value)));
    });
    slider.addEventListener('change', () => take(fromSlider(Number(slider.value))));
    const show = (value: Value) => {
        if (document.activeElement !== box) box.value = written(Number(value));
        if (document.activeElement !== slider || !slider.matches(':active')) slider.value = String(toSlider(Number(value)));
    };
    return { elements: [slider, box], show };
}

function vectorControl(spec: RowSpec): Control {
    const boxes = ['x', 'y', 'z'].map((name, k) => make('input', { type: 'text', inputmode: 'decimal', 'aria-label': `${spec.label} ${name}`, id: k ? undefined : spec.id, autocomplete: 'off' }));
    for (const box of boxes)
        box.addEventListener('change', () => {
            const value = boxes.map(({ value: text }) => parsed(text));
            const valid = value.every((v) => !Number.isNaN(v) && v >= spec.low && v <= spec.high);
            box.closest('.row')?.classList.toggle('refused', !valid);
            if (valid) spec.set(value);
        });
    return { elements: boxes, show: (value) => boxes.forEach((box, k) => document.activeElement !== box && (box.value = written((value as number[])[k] ?? 0))) };
}

function control(spec: RowSpec): Control {
    if (spec.type === 'real' || spec.type === 'int') return numberControl(spec);
    if (spec.type === 'vec3') return vectorControl(spec);
    if (spec.type === 'bool') {
        const box = make('input', { type: 'checkbox', id: spec.id });
        box.addEventListener('change', () => spec.set(box.checked));
        return { elements: [box], show: (value) => (box.checked = value === true) };
    }
    if (spec.type === 'name') {
        const choice = make('select', { id: spec.id }, ...spec.choices.map((name) => make('option', { value: name, title: spec.describe[name] }, name)));
        choice.addEventListener('change', () => spec.set(choice.value));
        return { elements: [choice], show: (value) => (choice.value = String(value)) };
    }
    if (spec.type === 'colour') {
        const box = make('input', { type: 'color', id: spec.id });
        box.addEventListener('input', () => spec.set(fromHex(box.value)));
        return { elements: [box], show: (value) => (box.value = hex(value as number[])) };
    }
    const box = make('input', { type: 'text', id: spec.id, autocomplete: 'off' });
    box.addEventListener('change', () => spec.set(box.value));
    return { elements: [box], show: (value) => (box.value = String(value ?? '')) };
}

export function makeRow(spec: RowSpec, explain: (row: RowSpec) => void): Row {
    const { elements, show } = control(spec);
    const unit = spec.unit ? [make('span', { class: 'unit' }, spec.unit)] : [];
    const back = make('button', { class: 'back', title: 'Back to the default', 'aria-label': `${spec.label}: back to the default`, onclick: () => spec.back() }, '↺');
    const note = spec.note ? [make('span', { class: 'note' })] : [];
    const element = make('div', { class: 'row', title: spec.help, 'data-path': spec.id },
        make('label', { for: spec.id }, spec.label), make('div', { class: 'control' }, ...elements, ...unit), back, ...note);
    element.addEventListener('pointerenter', () => explain(spec));
    element.addEventListener('focusin', () => explain(spec));
    const refresh = () => {
        const value = spec.get();
        if (value !== null) show(value);
        if (note[0] && value !== null && spec.note) note[0].textContent = spec.note(value);
        element.classList.toggle('changed', spec.changed());
    };
    refresh();
    return { spec, element, refresh };
}
