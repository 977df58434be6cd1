// What it costs, always: pictures a second, ms to simulate, ms to draw, particles, memory.
import type { App } from '../app';
import { byId, make, spaced } from './dom';

class Trace {
    readonly canvas = make('canvas', { width: 112, height: 32 });
    readonly value = make('b', {}, '–');
    readonly element: HTMLElement;
    private readonly history: number[] = [];

    constructor(label: string, private readonly high: number | null) {
        this.element = make('span', {}, ...(high === null ? [] : [this.canvas]), this.value, label);
    }

    show(text: string, value: number): void {
        this.value.textContent = text;
        if (this.high === null) return;
        this.history.push(value);
        if (this.history.length > 56) this.history.shift();
        const context = this.canvas.getContext('2d');
        if (!context) return;
        context.clearRect(0, 0, 112, 32);
        context.fillStyle = getComputedStyle(this.canvas).color;
        const top = Math.max(this.high, ...this.history);
        this.history.forEach((v, k) => {
            const height = Math.max(1.5, (30 * v) / top);
            context.fillRect(112 - 2 * (this.history.length - k), 32 - height, 1.4, height);
        });
    }
}

export function meter(app: App): void {
    const rate = new Trace('frames/s', 60);
    const simulate = new Trace('ms simulate', 16);
    const draw = new Trace('ms draw', 16);
    const particles = new Trace('particles', null);
    const memory = new Trace('MB', null);
    byId('meter').append(...[rate, simulate, draw, particles, memory].map(({ element }) => element));
    window.setInterval(() => {
        const frame = app.frame;
        if (!frame || document.hidden) return;
        rate.show(app.fps.toFixed(0), app.fps);
        simulate.show(frame.stepMs.toFixed(1), frame.stepMs);
        draw.show(app.drawMs.toFixed(1), app.drawMs);
        particles.show(spaced(app.particles()), 0);
        memory.show((frame.memory / 1048576).toFixed(0), 0);
    }, 250);
}

/** Messages that come and go, and the banner for what is wrong with the method. */
export function messages(app: App): void {
    const toast = byId('toast');
    const banner = byId('banner');
    let timer = 0;
    app.on('message', (text) => {
        if (text) {
            toast.textContent = text;
            toast.classList.add('on');
            clearTimeout(timer);
            timer = window.setTimeout(() => toast.classList.remove('on'), 2500 + 45 * text.length);
        }
        banner.hidden = app.banner === '';
        if (app.banner && banner.dataset.text !== app.banner)
            banner.replaceChildren(make('span', {}, app.banner),
                make('button', { class: 'chip', onclick: () => void app.cure() }, 'Use XPBD'),
                make('button', { class: 'chip', 'aria-label': 'Dismiss', onclick: () => app.setBanner('') }, '✕'));
        banner.dataset.text = app.banner;
    });
    const dressing = byId('dressing');
    const words = make('span');
    const bar = make('progress', { max: 1 });
    dressing.append(words, bar, make('button', { class: 'chip', onclick: () => void app.stopDressing() }, 'Stop'));
    app.on('dressing', () => {
        const now = app.dressing;
        dressing.hidden = !now;
        if (!now) return;
        words.textContent = `Dressing ${now.label}${now.count > 1 ? `, ${now.garment + 1} of ${now.count}` : ''}: ${now.phase}`;
        bar.value = (now.garment + now.share) / now.count;
    });
    const legend = byId('legend');
    const show = () => {
        legend.hidden = app.overlay === 'none';
        if (legend.hidden) return;
        const { title, marks } = app.legend.text();
        const key = title + marks.join();
        if (legend.dataset.key === key) return;
        legend.dataset.key = key;
        legend.replaceChildren(make('span', { class: 'name' }, title), make('span', { class: 'bar' }), make('span', { class: 'marks' }, ...marks.map((mark) => make('span', {}, mark))));
    };
    app.on('frame', show);
    app.on('changed', show);
    app.on('scene', show);
}
