// What buttons and keys do.
import type { App } from '../app';
import type { Compare } from '../compare';
import { saveGlb } from '../export/glb';
import { saveObj } from '../export/obj';
import { Recorder } from '../export/webm';
import type { WindArrow } from '../interact/wind_arrow';
import { byId, download } from './dom';
import type { Panel } from './panel';
import { saveScene, share } from './presets';
import { nextOverlay, nextSpeed } from './transport';

export class Actions {
    private readonly recorder: Recorder;
    panelOf!: Panel;
    openCards!: () => void;
    openMeasure!: () => void;

    constructor(
        readonly app: App,
        private readonly comparison: Compare,
        private readonly arrow: WindArrow,
    ) {
        this.recorder = new Recorder(app);
    }

    playPause(): void {
        this.app.play(!this.app.playing);
    }
    step(): void {
        this.app.play(false);
        void this.app.step().then(() => this.comparison.step());
    }
    reset(): void {
        void this.app.reset();
    }
    slower(): void {
        this.app.speed = nextSpeed(this.app.speed);
        this.app.emit('playing');
    }
    nextOverlay(): void {
        this.app.setOverlay(nextOverlay(this.app.overlay));
    }
    drop(): void {
        void this.app.dropBall();
    }
    wind(): void {
        this.arrow.toggle();
        this.app.emit('playing');
    }
    windShown(): boolean {
        return this.arrow.shown;
    }
    async compare(): Promise<void> {
        await this.comparison.toggle();
        this.app.emit('playing');
    }
    comparing(): boolean {
        return this.comparison.on;
    }
    record(): void {
        this.recorder.toggle();
        this.app.emit('playing');
    }
    recording(): boolean {
        return this.recorder.on;
    }
    screenshot(): void {
        const { app } = this;
        const url = app.quality.best(() => {
            app.stage.render();
            return app.stage.canvas.toDataURL('image/png');
        });
        app.redraw();
        void fetch(url).then(async (response) => download(`telar-${app.fileName()}.png`, await response.blob()));
        app.say('Saved the picture');
    }
    obj(): void {
        saveObj(this.app);
    }
    glb(): void {
        saveGlb(this.app);
    }
    json(): void {
        saveScene(this.app);
    }
    share(): void {
        void share(this.app);
    }
    scenes(): void {
        this.openCards();
    }
    panel(): void {
        this.panelOf.toggle();
    }
    bare(): void {
        document.body.classList.toggle('bare');
    }
    measure(): void {
        this.openMeasure();
    }
    theme(): void {
        setTheme(this.app, document.documentElement.dataset.theme === 'light' ? 'dark' : 'light');
    }
    fullScreen(): void {
        if (document.fullscreenElement) void document.exitFullscreen();
        else void document.documentElement.requestFullscreen().catch(() => this.app.say('This browser does not allow full screen'));
    }
    help(): void {
        byId<HTMLDialogElement>('help').showModal();
    }
}

export function setTheme(app: App, theme: 'dark' | 'light', keep = true): void {
    document.documentElement.dataset.theme = theme;
    document.querySelector('meta[name="theme-color"]')?.setAttribute('content', theme === 'dark' ? '#17181c' : '#e9e7e3');
    if (keep)
        try {
            localStorage.setItem('telar.theme', theme);
        } catch {
            // private windows have no storage
        }
    app.stage.setTheme(theme);
    app.redraw();
    app.emit('playing');
}
