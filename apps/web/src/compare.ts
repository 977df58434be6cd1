// The same scene twice, side by side under one camera: each in a worker of its own, both at the same simulated time.
import type { App } from './app';
import type { Client } from './sim/client';
import type { Built, Frame, Value } from './sim/protocol';
import { byId, make, spaced } from './ui/dom';
import { jsonOf } from './state/document';
import { lookOf } from './view/look';
import { Stage } from './view/stage';

/** Choices beside the steppers: the stepper of the left side, with the sheet as a NURBS surface. */
const SURFACES: Record<string, string> = { 'nurbs surface': 'nurbs', 'nurbs until bodies are near': 'hybrid' };

export class Compare {
    on = false;
    frame: Frame | null = null;
    method = 'verlet'; // of the right side: a stepper, or one of SURFACES
    private client: Client | null = null;
    private stage: Stage | null = null;
    private busy = false;
    private steps = 0;
    private readonly canvas = make('canvas', { id: 'canvas-b', 'aria-label': 'The second method' });
    private labels: HTMLElement[] = [];

    constructor(private readonly app: App) {
        app.on('built', () => void this.follow());
        app.on('frame', () => void this.catchUp());
        app.on('changed', () => void this.follow());
    }

    async toggle(): Promise<void> {
        if (this.on) {
            this.stop();
            return;
        }
        if (!this.app.listed()) {
            this.app.say('This scene has only garments, which keep the method that they were dressed with');
            return;
        }
        this.on = true;
        const host = byId('stage');
        host.style.display = 'grid';
        host.style.gridTemplateColumns = '1fr 1fr';
        host.insertBefore(this.canvas, byId('marks'));
        this.canvas.style.cssText = 'width:100%;height:100%;display:block;pointer-events:none';
        this.client = await this.app.another();
        this.stage = new Stage(this.canvas);
        this.stage.controls.enabled = false;
        window.dispatchEvent(new Event('resize'));
        this.panel();
        await this.app.reset();
    }

    private stop(): void {
        this.on = false;
        this.client?.stop();
        this.stage?.renderer.dispose();
        this.stage?.renderer.forceContextLoss();
        this.stage = this.client = this.frame = null;
        const fresh = this.canvas.cloneNode() as HTMLCanvasElement;
        this.canvas.replaceWith(fresh);
        fresh.remove();
        byId('stage').style.display = '';
        byId('sides').hidden = true;
        byId('sides').replaceChildren();
        window.dispatchEvent(new Event('resize'));
    }

    private panel(): void {
        const names = this.app.table.find('cloth[0].stepper')?.choices ?? [];
        const side = (name: string, methods: string[], value: string, act: (method: string) => void) => {
            const choice = make('select', { 'aria-label': `Method ${name}` }, ...methods.map((method) => make('option', { value: method }, method)));
            choice.value = value;
            choice.addEventListener('change', () => act(choice.value));
            const label = make('span');
            this.labels.push(label);
            return make('div', { class: 'side ' + name }, make('div', {}, choice, label));
        };
        this.labels = [];
        const set = (stepper: string) => {
            if (this.app.panel && 'integrator' in this.app.panel) void this.app.setPanel('integrator', stepper);
            else void this.app.set('cloth[0].stepper', stepper);
        };
        const now = String(this.app.valueOf('cloth[0].stepper') ?? 'automatic');
        if (now === this.method) this.method = 'xpbd';
        byId('sides').replaceChildren(side('a', names, now, set), side('b', [...names, ...Object.keys(SURFACES)], this.method, (method) => void this.choose(method)));
        byId('sides').hidden = false;
    }

    async choose(method: string): Promise<void> {
        this.method = method;
        await this.app.reset();
    }

    /** What the other side has instead of this one. */
    private different(): Map<string, Value> {
        const surface = SURFACES[this.method];
        return new Map(Array.from({ length: this.app.listed() }, (_, k) =>
            surface ? [`cloth[${k}].surface`, surface] : [`cloth[${k}].stepper`, this.method]));
    }

    /** The other side starts where this one does. */
    private async follow(): Promise<void> {
        if (!this.on || !this.client || !this.stage) return;
        const json = jsonOf(this.app.scene(this.different()));
        try {
            const built: Built = await this.client.ask('load', { json, files: this.app.files });
            if (!this.stage) return;
            this.steps = 0;
            this.frame = built.frame;
            this.stage.build(built);
            const scene = this.app.scene();
            this.stage.show(lookOf(scene, this.app.table, this.app.page, this.app.overlay === 'none' ? 0 : this.app.legend.high, built.cloths.length));
            this.stage.setTheme(document.documentElement.dataset.theme === 'light' ? 'light' : 'dark');
            await this.catchUp();
        } catch (error) {
            this.app.fail(error);
        }
    }

    async step(): Promise<void> {
        await this.catchUp();
    }

    private async catchUp(): Promise<void> {
        if (!this.on || !this.client || !this.app.frame || this.busy) return;
        const behind = this.app.frame.steps - this.steps;
        if (behind <= 0) return;
        this.busy = true;
        try {
            const frame = await this.client.ask('step', { count: Math.min(behind, 4), overlay: this.app.overlay });
            this.steps = frame.steps;
            this.frame = frame;
            this.stage?.update(frame);
        } finally {
            this.busy = false;
        }
        const text = (f: Frame | null) => (f ? `${f.stepMs.toFixed(1)} ms · ${spaced(f.stats.reduce((sum, s) => sum + s.simulated, 0))} points · strain ${(100 * Math.max(0, ...f.stats.map((s) => s.largestStrain))).toFixed(1)} % · ${f.stats.reduce((sum, s) => sum + s.contacts, 0)} contacts` : '');
        if (this.labels[0]) this.labels[0].textContent = text(this.app.frame);
        if (this.labels[1]) this.labels[1].textContent = text(this.frame);
    }

    resize(width: number, height: number): void {
        if (!this.stage) return;
        this.stage.shadowSize = this.app.stage.shadowSize;
        this.stage.resize(width, height, this.app.stage.renderer.getPixelRatio());
    }

    /** After the first picture, with its camera. */
    draw(): void {
        if (!this.stage || !this.frame) return;
        const { position, target } = this.app.stage.view();
        this.stage.setView(position, target, this.app.stage.angle());
        this.stage.render();
    }
}
