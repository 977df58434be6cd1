// The page's state: which scene, what was changed in it, and the worker that runs it. Panels, pointer and tests work on this.
import cards, { type SceneCard } from 'virtual:scenes';
import threadsUrl from 'telar/telar-threads.wasm?url';
import wasmUrl from 'telar/telar.wasm?url';
import { Client } from './sim/client';
import type { BodyShape, Built, ClothShape, Dressing, Frame, Info, Overlay, Value } from './sim/protocol';
import { readAddress, writeAddress } from './state/address';
import { jsonOf, setValueAt, Table, valueAt, valueOf, type SceneJson } from './state/document';
import { panelDefaults, pathsOf, s3Entries, type PanelValues } from './state/s3_panel';
import { lookOf, PAGE_LOOK, type PageLook } from './view/look';
import { Legend, legendOf } from './view/legend';
import { Quality } from './view/quality';
import { Stage } from './view/stage';

export const SHOWPIECE = 'page/showpiece';
export const S3_PAGES = ['s3/sheet', 's3/flag'];
/** Where the server lets memory be shared, the worker takes others for large scenes; one core stays for the picture. */
const THREADS = crossOriginIsolated ? Math.min(Math.max(navigator.hardwareConcurrency - 1, 1), 8) : 1;
const PAGE_ONLY = /^(scene|camera|light|look)\b/; // groups that only concern the picture

export type AppEvent = 'built' | 'frame' | 'changed' | 'playing' | 'message' | 'scene' | 'dressing';

/** The file behind the name in an address. */
export function cardOf(name: string): SceneCard | undefined {
    if (name === '') return cards.find((card) => card.name === SHOWPIECE);
    return cards.find((card) => card.name === 'page/' + name) ?? cards.find((card) => card.name === name);
}

export class App {
    readonly stage: Stage;
    readonly quality: Quality;
    client = new Client();
    info!: Info;
    table = new Table([]);
    name = '';
    base: SceneJson = {};
    files: Record<string, Uint8Array> = {};
    readonly changes = new Map<string, Value>();
    panel: PanelValues | null = null; // on S3's pages
    page: PageLook = { ...PAGE_LOOK };
    overlay: Overlay = 'none';
    playing = true;
    speed = 1;
    frame: Frame | null = null;
    cloths: ClothShape[] = [];
    bodies: BodyShape[] = [];
    ready = false;
    builds = 0;
    drawMs = 0;
    pictures = 0;
    banner = ''; // what is wrong with the method
    dressing: Dressing | null = null; // while garments are
    readonly legend = new Legend();
    readonly errors: string[] = [];
    private readonly listeners = new Map<AppEvent, Set<(text?: string) => void>>();
    private busy = false;
    private waiting = 0; // s not yet sent to the worker
    private recycle: ArrayBuffer[] = [];
    private last = 0;
    private dirty = true;
    private loads = 0;
    private wasm: ArrayBuffer | null = null;
    private rebuildTimer = 0;
    private pending: Promise<void> = Promise.resolve();
    private readonly drawn: number[] = []; // when pictures were drawn, ms
    private written = '';
    private recovered = -Infinity;

    constructor(canvas: HTMLCanvasElement) {
        this.stage = new Stage(canvas);
        this.quality = new Quality(this.stage);
        this.stage.controls.addEventListener('change', () => this.redraw());
    }

    on(event: AppEvent, listener: (text?: string) => void): void {
        if (!this.listeners.has(event)) this.listeners.set(event, new Set());
        this.listeners.get(event)?.add(listener);
    }

    emit(event: AppEvent, text?: string): void {
        for (const listener of this.listeners.get(event) ?? []) listener(text);
    }

    redraw(): void {
        this.dirty = true;
    }

    say(text: string): void {
        this.emit('message', text);
    }

    fail(error: unknown): void {
        const text = error instanceof Error ? error.message : String(error);
        this.errors.push(text);
        this.say(text);
    }

    async start(): Promise<void> {
        const response = await fetch(THREADS > 1 ? threadsUrl : wasmUrl);
        if (!response.ok) throw new Error(`the engine could not be loaded (${response.status})`);
        this.wasm = await response.arrayBuffer();
        this.info = await this.client.ask('start', { wasm: this.wasm, threads: THREADS });
        this.table = new Table(this.info.parameters);
    }

    /** A second worker with an engine of its own. */
    async another(): Promise<Client> {
        const client = new Client();
        if (!this.wasm) throw new Error('the engine has not been loaded');
        await client.ask('start', { wasm: this.wasm, threads: 1 });
        return client;
    }

    /** Shows what an address says. A broken one leaves what is there. */
    async go(hash: string): Promise<void> {
        if (hash === this.written && this.ready) return;
        const load = ++this.loads;
        if (this.dressing) await this.stopDressing();
        try {
            const address = readAddress(hash);
            const card = cardOf(address.scene);
            if (!card) throw new Error(`there is no scene “${address.scene}”`);
            const { json, files } = await fetchScene(card);
            if (load !== this.loads) return;
            await this.open(address.scene, json, files, address.changes, address.view);
        } catch (error) {
            this.fail(error);
            if (!this.ready && hash !== '') await this.go('');
        }
    }

    async open(name: string, base: SceneJson, files: Record<string, Uint8Array>, changes = new Map<string, Value>(), view: number[] | null = null): Promise<void> {
        const before = { name: this.name, base: this.base, files: this.files, panel: this.panel, page: this.page, changes: new Map(this.changes), overlay: this.overlay };
        this.name = name;
        this.base = base;
        this.files = files;
        this.page = pageLookOf(name);
        this.panel = S3_PAGES.includes(name) ? panelDefaults(name) : null;
        this.changes.clear();
        this.overlay = (valueAt(base, 'look.overlay') as Overlay) ?? 'none';
        try {
            for (const [key, value] of changes) this.take(key, value);
            await this.build();
        } catch (error) {
            const { changes: held, ...rest } = before;
            Object.assign(this, rest);
            this.changes.clear();
            for (const [key, value] of held) this.changes.set(key, value);
            throw error;
        }
        this.firstView(view);
        this.ready = true;
        this.emit('scene');
        this.writeLink();
    }

    /** A change from an address: a path, an entry of S3's panel or a switch of the page. */
    private take(key: string, value: Value): void {
        if (key.startsWith('panel.')) {
            const entry = key.slice(6);
            if (!this.panel || !(entry in this.panel)) throw new Error(`the link changes “${key}”, which this page does not have`);
            this.panel[entry] = value;
        } else if (key.startsWith('page.')) {
            const name = key.slice(5) as keyof PageLook;
            if (!(name in PAGE_LOOK)) throw new Error(`the link changes “${key}”, which this page does not have`);
            Object.assign(this.page, { [name]: value });
        } else {
            if (!this.table.find(key)) throw new Error(`there is no parameter “${key}”`);
            this.changes.set(key, value === 'inf' && this.table.find(key)?.type === 'real' ? Infinity : value);
            if (key === 'look.overlay') this.overlay = value as Overlay;
        }
    }

    /** The scene with everything that was changed. */
    scene(extra?: Map<string, Value>): SceneJson {
        const scene = structuredClone(this.base);
        if (this.panel) for (const [path, value] of pathsOf(this.name, this.panel, this.base, this.table)) setValueAt(scene, path, value);
        for (const [path, value] of this.changes) setValueAt(scene, path, value);
        for (const [path, value] of extra ?? []) setValueAt(scene, path, value);
        return scene;
    }

    async build(): Promise<void> {
        const json = jsonOf(this.scene());
        const client = this.client;
        client.onDressing = (now) => this.tellDressing(now);
        try {
            const built = await client.ask('load', { json, files: this.files });
            this.files = { ...this.files, ...built.worn };
            this.show(built);
        } finally {
            if (client === this.client) this.tellDressing(null);
        }
    }

    private tellDressing(now: Dressing | null): void {
        if (!now && !this.dressing) return;
        this.dressing = now;
        this.emit('dressing');
    }

    /** Gives up what is being dressed: its engine listens to nothing meanwhile, another takes its place. */
    async stopDressing(): Promise<void> {
        if (!this.dressing) return;
        const old = this.client;
        await this.newClient();
        this.tellDressing(null);
        old.stop('The dressing was stopped');
        await new Promise((done) => setTimeout(done)); // whoever asked for it takes its change back
        if (this.ready) await this.build();
    }

    private async newClient(): Promise<void> {
        if (!this.wasm) throw new Error('the engine has not been loaded');
        this.client = new Client();
        await this.client.ask('start', { wasm: this.wasm, threads: THREADS });
    }

    private show(built: Built): void {
        this.builds++;
        this.cloths = built.cloths;
        this.bodies = built.bodies;
        this.frame = built.frame;
        this.waiting = 0;
        this.recycle = [];
        this.setBanner('');
        this.stage.build(built);
        this.look();
        this.emit('built');
        this.redraw();
    }

    /** Applies look, light and overlay again. */
    look(): void {
        document.documentElement.dataset.look = this.page.s3 ? 's3' : 'studio';
        const scene = this.scene();
        this.stage.show(lookOf(scene, this.table, this.page, this.overlay === 'none' ? 0 : this.legend.high, this.cloths.length));
        this.redraw();
    }

    private firstView(view: number[] | null): void {
        const scene = this.scene();
        const of = (path: string) => valueOf(scene, this.table, path);
        const angle = Number(of('camera.field_of_view') ?? 40);
        const s3 = this.page.s3;
        const controls = this.stage.controls;
        controls.maxPolarAngle = s3 ? Math.PI / 2 : Math.PI * 0.55;
        controls.minDistance = s3 ? 10 : 0.15;
        controls.maxDistance = s3 ? 75 : 120;
        if (view) this.stage.setView(view.slice(0, 3), view.slice(3), angle);
        else if (valueAt(scene, 'camera.position')) this.stage.setView(of('camera.position') as number[], of('camera.target') as number[], angle);
        else {
            this.stage.setView([2.4, 1.8, 3.2], [0, 0.6, 0], angle);
            this.stage.frame();
        }
        this.redraw();
    }

    resetView(): void {
        this.firstView(null);
    }

    valueOf(path: string): Value | null {
        return valueOf(this.scene(), this.table, path);
    }

    isChanged(path: string): boolean {
        return this.changes.has(path);
    }

    /** Changes a parameter; waits until the engine has taken or refused it. */
    async set(path: string, value: Value): Promise<void> {
        const before = this.changes.get(path);
        const same = JSON.stringify(valueOf(this.withoutChange(path), this.table, path)) === JSON.stringify(value);
        if (same) this.changes.delete(path);
        else this.changes.set(path, value);
        try {
            await this.apply(path, value);
        } catch (error) {
            if (before === undefined) this.changes.delete(path);
            else this.changes.set(path, before);
            this.emit('changed');
            this.fail(error);
            return;
        }
        this.writeLink();
        this.emit('changed');
    }

    /** Back to what the scene has. */
    async unset(path: string): Promise<void> {
        if (!this.changes.delete(path)) return;
        const value = this.valueOf(path);
        if (value !== null) await this.apply(path, value).catch((error) => this.fail(error));
        this.writeLink();
        this.emit('changed');
    }

    private withoutChange(path: string): SceneJson {
        const held = this.changes.get(path);
        this.changes.delete(path);
        const scene = this.scene();
        if (held !== undefined) this.changes.set(path, held);
        return scene;
    }

    private async apply(path: string, value: Value): Promise<void> {
        if (PAGE_ONLY.test(path)) {
            if (path === 'look.overlay') this.overlay = value as Overlay;
            if (path.startsWith('camera')) this.firstView(null);
            this.look();
            if (path.startsWith('scene.')) this.emit('scene');
            if (path === 'scene.fps') await this.rebuild();
            return;
        }
        const how = await this.client.ask('set', { path, value });
        if (how === 'rebuild') await this.rebuild();
        else if (/^body\[\d+\]\.(on|position|rotation|size)/.test(path) || !this.playing) await this.refresh();
    }

    /** Builds again, once for several changes that come together. */
    private rebuild(): Promise<void> {
        clearTimeout(this.rebuildTimer);
        return new Promise((resolve, reject) => {
            this.rebuildTimer = window.setTimeout(() => this.build().then(resolve, reject), 60);
        });
    }

    /** Changes an entry of S3's panel. */
    async setPanel(key: string, value: Value): Promise<void> {
        if (!this.panel) return;
        const before = pathsOf(this.name, this.panel, this.base, this.table);
        const old = this.panel[key];
        this.panel[key] = value;
        let again = false;
        try {
            for (const [path, wanted] of pathsOf(this.name, this.panel, this.base, this.table)) {
                if (JSON.stringify(before.get(path)) === JSON.stringify(wanted)) continue;
                this.changes.delete(path); // the panel has the last word
                if (PAGE_ONLY.test(path)) this.look();
                else if ((await this.client.ask('set', { path, value: wanted })) === 'rebuild') again = true;
            }
            if (again) await this.rebuild();
            else await this.refresh();
        } catch (error) {
            this.panel[key] = old;
            this.fail(error);
        }
        this.writeLink();
        this.emit('changed');
    }

    setPage<K extends keyof PageLook>(key: K, value: PageLook[K]): void {
        this.page[key] = value;
        this.look();
        if (key === 's3') this.firstView(null);
        this.writeLink();
        this.emit('changed');
    }

    setOverlay(overlay: Overlay): void {
        void this.set('look.overlay', overlay).then(() => this.refresh());
    }

    /** To the start, with everything that was changed. */
    async reset(): Promise<void> {
        await this.build();
    }

    /** As the scene is by itself. */
    async revert(): Promise<void> {
        await this.open(this.name, this.base, this.files);
    }

    /** Another picture of the state as it is. */
    async refresh(): Promise<void> {
        await this.exclusive(async () => this.accept(await this.client.ask('step', { count: 0, overlay: this.overlay })));
    }

    async step(count = 1): Promise<void> {
        await this.exclusive(async () => this.accept(await this.client.ask('step', { count, overlay: this.overlay })));
    }

    /** One request for pictures at a time. */
    private exclusive(job: () => Promise<void>): Promise<void> {
        this.pending = this.pending.then(job, job);
        return this.pending;
    }

    play(on: boolean): void {
        this.playing = on;
        this.waiting = 0;
        this.last = performance.now();
        this.emit('playing');
    }

    link(withView: boolean): string {
        const changes = new Map<string, Value>();
        if (this.panel) {
            const defaults = panelDefaults(this.name);
            for (const [key, value] of Object.entries(this.panel))
                if (JSON.stringify(value) !== JSON.stringify(defaults[key])) changes.set('panel.' + key, value);
        }
        const page = pageLookOf(this.name);
        for (const [key, value] of Object.entries(this.page))
            if (value !== page[key as keyof PageLook] && value !== null) changes.set('page.' + key, value as Value);
        for (const [path, value] of this.changes) changes.set(path, value);
        const { position, target } = this.stage.view();
        return writeAddress({ scene: this.name, changes, view: withView ? [...position, ...target] : null });
    }

    private writeLink(): void {
        this.written = this.link(false);
        if (cardOf(this.name) && location.hash !== this.written) history.replaceState(null, '', this.written === '#' ? location.pathname : this.written);
    }

    setBanner(text: string): void {
        this.banner = text;
        this.emit('message');
    }

    private accept(frame: Frame): void {
        if (this.frame) for (const cloth of this.frame.cloths)
            for (const array of [cloth.positions, cloth.normals, cloth.fold, cloth.scalar]) if (array) this.recycle.push(array.buffer as ArrayBuffer);
        if (frame.cloths.length !== this.cloths.length) return;
        this.frame = frame;
        this.stage.update(frame);
        if (this.overlay !== 'none' && this.legend.follow(legendOf(this.overlay), frame)) this.look();
        if (frame.error && frame.rejected > 0) this.setBanner(frame.error);
        this.emit('frame');
        this.redraw();
    }

    /** One picture: called by the browser before it draws. */
    tick(now: number): boolean {
        const seconds = Math.min((now - this.last) / 1000, 0.1);
        this.last = now;
        if (document.hidden) return false;
        if (this.playing && this.ready) {
            this.waiting = Math.min(this.waiting + seconds * this.speed, 0.1);
            if (!this.busy) this.advance();
        }
        this.stage.controls.update();
        if (!this.dirty) return false;
        this.dirty = false;
        const started = performance.now();
        this.stage.render();
        this.drawMs += 0.1 * (performance.now() - started - this.drawMs);
        this.drawn.push(now);
        if (this.drawn.length > 240) this.drawn.splice(0, 120);
        this.pictures++;
        this.quality.drawn(seconds);
        return true;
    }

    /** Pictures in the last second. */
    get fps(): number {
        const since = performance.now() - 1000;
        return this.drawn.reduce((count, at) => count + (at > since ? 1 : 0), 0);
    }

    /** The page is seen again: time that passed meanwhile is not caught up with. */
    wake(): void {
        this.last = performance.now();
        this.waiting = 0;
        this.redraw();
    }

    private advance(): void {
        this.busy = true;
        const seconds = this.waiting;
        this.waiting = 0;
        const recycle = this.recycle;
        this.recycle = [];
        const builds = this.builds;
        void this.exclusive(async () => {
            try {
                const frame = await this.client.ask('advance', { seconds, overlay: this.overlay, recycle }, recycle);
                if (builds === this.builds) this.accept(frame);
            } finally {
                this.busy = false;
            }
        }).catch((error) => this.recover(error));
    }

    /** The engine has failed: a new one takes its place. Twice within ten seconds, and the scene stands still. */
    private async recover(error: unknown): Promise<void> {
        this.fail(error);
        const again = performance.now() - this.recovered < 10000;
        this.recovered = performance.now();
        if (again || !this.wasm) {
            this.play(false);
            return;
        }
        this.client.stop();
        try {
            await this.newClient();
            await this.build();
        } catch (second) {
            this.fail(second);
            this.play(false);
        }
    }

    title(): string {
        return String(this.valueOf('scene.title') ?? this.name);
    }

    fileName(): string {
        return (this.name || 'silk').replaceAll('/', '-');
    }

    /** Cloths that the scene lists; those after them are garments of its characters. */
    listed(group: 'cloth' | 'body' | 'character' = 'cloth'): number {
        return (this.base[group] as unknown[] | undefined)?.length ?? 0;
    }

    garments(character: number): number {
        return (valueAt(this.base, `character[${character}].garment`) as unknown[] | undefined)?.length ?? 0;
    }

    labelOf(group: string, index: number): string {
        if (group === 'character') return String(valueAt(this.base, `character[${index}].label`) ?? '');
        return (group === 'cloth' ? this.cloths : this.bodies)[index]?.label ?? '';
    }

    particles(): number {
        return this.cloths.reduce((sum, cloth) => sum + cloth.vertices, 0);
    }

    // ---- hands ----

    grab(cloth: number, vertex: number): Promise<void> {
        if (!this.playing) this.play(true);
        return this.client.ask('grab', { cloth, vertex }).catch((error) => this.fail(error));
    }

    moveHand(position: [number, number, number]): Promise<void> {
        return this.client.ask('hand', { position }).catch((error) => this.fail(error));
    }

    letGo(): Promise<void> {
        return this.client.ask('release', {}).catch((error) => this.fail(error));
    }

    async pin(cloth: number, vertex: number, held: boolean): Promise<void> {
        await this.client.ask('pin', { cloth, vertex, held }).catch((error) => this.fail(error));
        await this.refresh();
    }

    moveBody(body: number, position: [number, number, number]): Promise<void> {
        return this.client.ask('moveBody', { body, position }).catch((error) => this.fail(error));
    }

    /** A dynamic body hangs on the hand, and falls when it is let go. */
    async holdBody(body: number, held: boolean): Promise<void> {
        if (!this.playing && held) this.play(true);
        if (!this.bodies[body]?.dynamic) return;
        await this.client.ask('set', { path: `body[${body}].kinematic`, value: held }).catch((error) => this.fail(error));
    }

    /** A heavy ball falls on what is there, until the scene starts again. */
    async dropBall(): Promise<void> {
        const { center, radius } = this.stage.bounds();
        const size = Math.min(Math.max(0.12 * radius, 0.03), 0.6);
        const mass = Number((900 * size ** 3).toPrecision(3));
        const spread = 0.18 * radius;
        const at = [center.x + spread * Math.sin(7 * this.pictures), center.y + 1.1 * radius + size, center.z + spread * Math.cos(5 * this.pictures)];
        try {
            await this.exclusive(async () => {
                const added = await this.client.ask('addBody', { parameters: { label: 'dropped ball', shape: 'sphere', position: at, size: [size, size, size], mass, friction: 0.6 } });
                this.bodies.push(added.shape);
                this.stage.addBody(added.shape);
                this.accept(added.frame);
            });
            this.look();
            if (!this.playing) this.play(true);
        } catch (error) {
            this.fail(error);
        }
    }

    /** What the banner offers: a method that cannot explode. */
    async cure(): Promise<void> {
        this.setBanner('');
        if (this.panel) await this.setPanel('integrator', 'xpbd');
        for (let k = 0; k < this.listed(); k++) if (this.valueOf(`cloth[${k}].stepper`) !== 'xpbd') await this.set(`cloth[${k}].stepper`, 'xpbd');
        await this.reset();
    }

    /** S3's own method: projection, one pass by halves, one step of 18 ms a picture, its wind as a load. */
    async asPublished(): Promise<void> {
        const published: [string, Value][] = [
            ['scene.fps', Number((1 / 0.018).toFixed(4))], ['cloth[0].substeps', 1], ['cloth[0].iterations', 1],
            ['cloth[0].tether.on', false], ['cloth[0].multilevel.on', false], ['cloth[0].extra_sweeps', 0],
            ['cloth[0].projection.halves', true], ['cloth[0].air.model', 'load'], ['cloth[0].friction', 0], ['cloth[0].thickness', 0.01],
        ];
        if (this.panel) this.panel.integrator = 'projection';
        for (const [path, value] of published) if (this.table.find(path)) this.changes.set(path, value);
        await this.build();
        this.writeLink();
        this.emit('changed');
    }

    entries() {
        return this.panel ? s3Entries(this.name) : [];
    }
}

function pageLookOf(name: string): PageLook {
    if (S3_PAGES.includes(name)) return { ...PAGE_LOOK, s3: true, pins: false, bodyShine: name === 's3/flag' ? 100 : 30 };
    if (name === '') return { ...PAGE_LOOK, satin: 0.9, roughness: 0.42, bodyRoughness: 0.32, grid: false, warm: true };
    return { ...PAGE_LOOK };
}

async function fetchScene(card: SceneCard): Promise<{ json: SceneJson; files: Record<string, Uint8Array> }> {
    const get = async (path: string) => {
        const response = await fetch(path);
        if (!response.ok) throw new Error(`“${path}” could not be loaded (${response.status})`);
        return response;
    };
    const folder = card.name.includes('/') ? card.name.slice(0, card.name.lastIndexOf('/') + 1) : '';
    const files: [name: string, path: string][] = [
        ...card.meshes.map((mesh): [string, string] => [mesh, `scenes/${folder}${mesh}`]),
        ...card.worn.map((key): [string, string] => [`worn/${key}`, `scenes/worn/${key}`]),
    ];
    const [scene, ...contents] = await Promise.all([
        get(`scenes/${card.name}.json`).then((response) => response.json() as Promise<SceneJson>),
        ...files.map(([, path]) => get(path).then((response) => response.arrayBuffer())),
    ]);
    return { json: scene as SceneJson, files: Object.fromEntries(files.map(([name], k) => [name, new Uint8Array(contents[k] as ArrayBuffer)])) };
}
