// The panel: S3's menu on S3's pages, presets, the look, and every parameter of the table, found by searching.
import type { App } from '../app';
import type { Parameter, Value } from '../sim/protocol';
import { byId, make, spaced } from './dom';
import { presets } from './presets';
import { makeRow, typeOf, type Row, type RowSpec } from './rows';

const TITLES: Record<string, string> = {
    scene: 'Scene', world: 'World', wind: 'Wind', cloth: 'Cloth', body: 'Body', character: 'Character', camera: 'Camera', light: 'Light', look: 'Look',
};
const HIDDEN = /\.(pin|key|point)(\[|$)|\.label$|^scene\.(title|description)$|\.mesh\./; // lists and texts are edited in scene files

export class Panel {
    private readonly element = byId('panel');
    private readonly body = make('div', { class: 'panel-body' });
    private readonly foot = make('div', { class: 'panel-foot' });
    private readonly search = make('input', { type: 'search', placeholder: 'Search all parameters', 'aria-label': 'Search all parameters' });
    private rows: Row[] = [];
    private built = '';
    private readonly reason = make('p', { class: 'why' });
    private readonly open = new Set<string>(['S3: Wind', 'S3: Cloth', 'S3: Particle system', 'S3: Ball']);

    constructor(private readonly app: App) {
        this.element.append(make('div', { class: 'panel-head' }, this.search,
            make('button', { class: 'chip', title: 'Hide the panel (H)', 'aria-label': 'Hide the panel', onclick: () => this.toggle(false) }, '✕')), this.body, this.foot);
        this.search.addEventListener('input', () => this.build());
        app.on('built', () => (this.objects() === this.built ? this.refresh() : this.build()));
        app.on('scene', () => this.build());
        app.on('changed', () => this.refresh());
        this.explain(null);
    }

    get shown(): boolean {
        return !this.element.classList.contains('closed');
    }

    toggle(on = !this.shown): void {
        this.element.classList.toggle('closed', !on);
        if (on) this.build();
        this.app.emit('playing');
    }

    private explain(row: RowSpec | null): void {
        if (!row) {
            this.foot.textContent = 'Point at a parameter to read what it means.';
            return;
        }
        const ends = (v: number) => (Number.isFinite(v) ? String(v) : v > 0 ? 'inf' : '-inf');
        const range = row.type === 'real' || row.type === 'int' || row.type === 'vec3' ? ` ${ends(row.low)} … ${ends(row.high)}${row.unit ? ' ' + row.unit : ''}.` : '';
        const chosen = row.type === 'name' ? row.describe[String(row.get())] : '';
        this.foot.replaceChildren(make('div', {}, row.help + range), ...(chosen ? [make('div', {}, `${row.get()}: ${chosen}`)] : []), make('code', {}, row.id));
    }

    private refresh(): void {
        if (!this.shown) return;
        for (const row of this.rows) row.refresh();
        this.reason.textContent = this.why();
    }

    /** What the groups were made for: with the same objects they only have to show other values. */
    private objects(): string {
        return [this.app.name, ...this.app.cloths.map(({ label }) => label), '', ...this.app.bodies.map(({ label }) => label)].join('\n');
    }

    private add(row: RowSpec): HTMLElement {
        const made = makeRow(row, (spec) => this.explain(spec));
        this.rows.push(made);
        return made.element;
    }

    private group(title: string, count: string, content: () => HTMLElement[]): HTMLElement {
        const details = make('details', { class: 'group' }, make('summary', {}, title.replace('S3: ', ''), make('small', {}, count)));
        const fill = () => {
            if (details.childElementCount === 1) details.append(...content());
        };
        if (this.open.has(title)) {
            details.open = true;
            fill();
        }
        details.addEventListener('toggle', () => {
            if (details.open) {
                this.open.add(title);
                fill();
            } else this.open.delete(title);
        });
        return details;
    }

    /** Groups are filled when they are opened: the table has hundreds of rows for a scene of ten sheets. */
    build(): void {
        if (!this.shown || !this.app.info) return;
        this.rows = [];
        this.built = this.objects();
        this.reason.textContent = this.why();
        const scroll = this.body.scrollTop;
        const sought = this.search.value.trim().toLowerCase();
        this.body.replaceChildren(...(sought ? this.found(sought) : this.everything()));
        this.body.scrollTop = scroll;
    }

    private found(sought: string): HTMLElement[] {
        const words = sought.split(/\s+/);
        const hits = this.instances().filter(({ path, parameter }) => {
            const text = `${path} ${parameter.help} ${parameter.unit} ${(parameter.choices ?? []).join(' ')}`.toLowerCase();
            return words.every((word) => text.includes(word));
        });
        if (!hits.length) return [make('p', { class: 'why' }, `No parameter mentions “${sought}”.`)];
        return hits.slice(0, 60).map(({ path, parameter }) => this.add(this.ofTable(path, parameter, path.replace(/^cloth\[0\]\./, ''))));
    }

    private everything(): HTMLElement[] {
        const parts: HTMLElement[] = [];
        if (this.app.panel) parts.push(...this.s3());
        parts.push(this.group('Presets', '', () => presets(this.app)));
        const byGroup = new Map<string, { path: string; parameter: Parameter }[]>();
        for (const instance of this.instances()) {
            const key = /^[a-z]+(\[\d+\])?/.exec(instance.path)?.[0] ?? '';
            byGroup.set(key, [...(byGroup.get(key) ?? []), instance]);
        }
        const order = ['look', 'wind', 'world', ...[...byGroup.keys()].filter((key) => /\[/.test(key)), 'light', 'camera', 'scene'];
        for (const key of order) {
            const list = byGroup.get(key);
            if (list) parts.push(this.group(this.titleOf(key), String(list.length), () => this.sections(key, list)));
        }
        return parts;
    }

    private titleOf(key: string): string {
        const match = /^([a-z]+)(?:\[(\d+)\])?$/.exec(key);
        if (!match) return key;
        const [, group, index] = match;
        if (index === undefined) return TITLES[group] ?? group;
        const label = this.app.labelOf(group, Number(index));
        return `${TITLES[group] ?? group} ${Number(index) + 1}${label && label !== group ? ': ' + label : ''}`;
    }

    private sections(key: string, list: { path: string; parameter: Parameter }[]): HTMLElement[] {
        const parts: HTMLElement[] = key === 'look' ? [this.pageSwitches()] : [];
        let last = '';
        for (const { path, parameter } of list) {
            const inner = path.slice(key.length + 1).split('.');
            const head = inner.slice(0, -1).join(' ');
            if (head && head !== last) parts.push(make('div', { class: 'sub' }, head));
            last = head;
            parts.push(this.add(this.ofTable(path, parameter, inner[inner.length - 1].replaceAll('_', ' '))));
        }
        return parts;
    }

    private pageSwitches(): HTMLElement {
        const flag = (key: 's3' | 'pins', label: string, help: string) => this.add({
            id: 'page.' + key, label, type: 'bool', unit: '', low: 0, high: 1, choices: [], describe: {}, help, live: true,
            get: () => this.app.page[key], set: (value) => this.app.setPage(key, value === true),
            changed: () => false, back: () => undefined,
        });
        const box = make('div', {}, flag('s3', 'S3’s look', 'Fog, green floor, sun and camera of S3’s pages.'), flag('pins', 'pins', 'Whether pinned particles are marked.'));
        if (this.app.page.satin > 0 || !this.app.page.s3)
            box.append(this.add({
                id: 'page.satin', label: 'silk', type: 'real', unit: '', low: 0, high: 1, step: 0.01, choices: [], describe: {}, live: true,
                help: 'Shine of the threads: wool 0, silk 1.', get: () => this.app.page.satin,
                set: (value) => {
                    this.app.page.roughness = 0.85 - 0.47 * Number(value);
                    this.app.setPage('satin', Number(value));
                }, changed: () => false, back: () => undefined,
            }));
        return box;
    }

    /** Every parameter for every object of the scene. */
    private instances(): { path: string; parameter: Parameter }[] {
        const all: { path: string; parameter: Parameter }[] = [];
        for (const parameter of this.app.info.parameters) {
            if (HIDDEN.test(parameter.path) || parameter.type === 'list') continue;
            const match = /^(cloth|body|character)\[0\]\.(garment\[0\]\.)?/.exec(parameter.path);
            if (!match) {
                if (!parameter.path.includes('[')) all.push({ path: parameter.path, parameter });
                continue;
            }
            const group = match[1] as 'cloth' | 'body' | 'character';
            for (let k = 0; k < this.app.listed(group); k++) {
                const path = parameter.path.replace('[0]', `[${k}]`);
                if (!match[2]) all.push({ path, parameter });
                else for (let g = 0; g < this.app.garments(k); g++) all.push({ path: path.replace('garment[0]', `garment[${g}]`), parameter });
            }
        }
        return all;
    }

    private ofTable(path: string, parameter: Parameter, label: string): RowSpec {
        const app = this.app;
        return {
            id: path, label, type: typeOf(parameter), unit: parameter.unit, low: parameter.min ?? -Infinity, high: parameter.max ?? Infinity,
            choices: parameter.choices ?? [], describe: app.info.describe, live: parameter.live && !/^camera/.test(path),
            help: parameter.help + (parameter.live ? '' : ' Starts the scene again.'),
            get: () => app.valueOf(path), set: (value: Value) => void app.set(path, value),
            changed: () => app.isChanged(path), back: () => void app.unset(path),
        };
    }

    private s3(): HTMLElement[] {
        const app = this.app;
        const panel = app.panel ?? {};
        const folders = [...new Set(app.entries().map(({ folder }) => folder))];
        const parts = folders.map((folder) =>
            this.group('S3: ' + folder, '', () =>
                app.entries().filter((entry) => entry.folder === folder).map((entry) => {
                    const steppers = app.table.find('cloth[0].stepper')?.choices ?? [];
                    const type = { bool: 'bool', number: 'real', colour: 'colour', choice: 'name' }[entry.type] as RowSpec['type'];
                    return this.add({
                        id: 'panel.' + entry.key, label: entry.label, type, unit: '', low: entry.low ?? 0, high: entry.high ?? 1, step: entry.step,
                        choices: entry.choices === 'steppers' ? steppers : (entry.choices ?? []), describe: app.info.describe,
                        help: entry.help + (entry.rebuild ? ' Starts the scene again.' : ''), live: !entry.rebuild,
                        get: () => app.panel?.[entry.key] ?? null, set: (value) => void app.setPanel(entry.key, value),
                        changed: () => JSON.stringify(app.panel?.[entry.key]) !== JSON.stringify(entry.value),
                        back: () => void app.setPanel(entry.key, entry.value),
                        note: entry.note ? (value) => (entry.note ? entry.note(value, app.panel ?? panel) : '') : entry.key === 'elasticity' ? () => this.stiffness() : undefined,
                    });
                }).concat(folder === 'Particle system' ? [this.reason] : [])),
        );
        parts.push(make('div', { class: 'buttons' },
            make('button', { class: 'chip', onclick: () => void app.reset() }, 'Reset'),
            make('button', { class: 'chip', id: 'as-published', onclick: () => void app.asPublished() }, 'As S3 published'),
            make('button', { class: 'chip', onclick: () => void app.revert() }, 'All defaults')));
        return parts;
    }

    private stiffness(): string {
        const stiffness = Number(Number(this.app.valueOf('cloth[0].link.structural.stiffness') ?? 0).toPrecision(3));
        return `${spaced(stiffness)} N/m`;
    }

    private why(): string {
        return this.app.valueOf('cloth[0].gravity.as_force') === true
            ? 'S3 pulls every particle down with the same force, so light ones fall faster and the sheet wrinkles. Under true gravity (cloth, gravity as force: off) all fall alike, and it stays flat whatever the masses.'
            : 'Under true gravity all particles fall alike, whatever their masses: the sheet falls flat.';
    }
}
