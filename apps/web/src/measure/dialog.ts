// Measurements as tables, a curve and a file.
import type { App } from '../app';
import { byId, download, make, spaced } from '../ui/dom';
import { bench, csvOf, largestAt60, S3_PUBLISHED, type Result } from './bench';

const STAGES: Record<string, string> = { forces: '#4d8fd1', step: '#d16a4d', contact: '#6db36b', finish: '#b394d6' };

/** Frames a second over particles, both logarithmic, with S3's figure. */
function curve(result: Result): HTMLCanvasElement {
    const canvas = make('canvas', { class: 'curve', width: 1440, height: 440 });
    const g = canvas.getContext('2d');
    if (!g) return canvas;
    const style = getComputedStyle(document.documentElement);
    const ink = style.getPropertyValue('--ink');
    const dim = style.getPropertyValue('--dim');
    const low = 100, high = 300000, least = 20, most = 20000;
    const x = (n: number) => 90 + (1320 * Math.log(n / low)) / Math.log(high / low);
    const y = (f: number) => 390 - (360 * Math.log(Math.min(Math.max(f, least), most) / least)) / Math.log(most / least);
    g.font = '22px system-ui';
    g.lineWidth = 2;
    const mark = (text: string, px: number, py: number) => g.fillText(text, px, py);
    g.fillStyle = dim;
    g.strokeStyle = style.getPropertyValue('--line');
    for (const n of [100, 1000, 10000, 100000]) {
        g.beginPath();
        g.moveTo(x(n), 30);
        g.lineTo(x(n), 390);
        g.stroke();
        mark(spaced(n), x(n) - 26, 422);
    }
    for (const f of [60, 600, 6000]) {
        g.strokeStyle = f === 60 ? style.getPropertyValue('--accent') : style.getPropertyValue('--line');
        g.beginPath();
        g.moveTo(90, y(f));
        g.lineTo(1410, y(f));
        g.stroke();
        mark(`${f}/s`, 14, y(f) + 8);
    }
    const colours = ['#d16a4d', '#4d8fd1'];
    [...new Set(result.labels)].forEach((label, k) => {
        g.strokeStyle = g.fillStyle = colours[k % 2];
        g.lineWidth = 4;
        g.beginPath();
        let last = { px: 0, py: 0 };
        result.lines.forEach(({ particles, fps }, i) => {
            if (result.labels[i] !== label) return;
            last = { px: x(particles), py: y(fps) };
            g.lineTo(last.px, last.py);
        });
        g.stroke();
        mark(label, Math.min(last.px + 12, 1180), Math.max(last.py - 8, 50));
    });
    g.fillStyle = ink;
    g.beginPath();
    g.arc(x(S3_PUBLISHED), y(60), 9, 0, 7);
    g.fill();
    mark(`S3: ${S3_PUBLISHED}`, x(S3_PUBLISHED) + 14, y(60) - 12);
    return canvas;
}

function table(result: Result): HTMLElement {
    const number = (v: number) => (v >= 100 ? v.toFixed(0) : v.toPrecision(3));
    const named = result.labels.length > 0;
    return make('table', {}, make('thead', {}, make('tr', {}, ...[...(named ? ['method'] : []), 'particles', 'ms a frame', 'frames a second', ...result.columns, ''].map((name) => make('th', {}, name)))),
        make('tbody', {}, ...result.lines.map((line, k) => make('tr', {}, ...[...(named ? [result.labels[k]] : []), String(line.particles), number(line.ms), number(line.fps), ...(line.published ?? []).map(String), line.note ?? ''].map((cell) => make('td', {}, cell))))));
}

function shares(stages: Record<string, number>): HTMLElement {
    const total = Object.values(stages).reduce((a, b) => a + b, 0) || 1;
    const bar = make('div', { class: 'stack' });
    const words: string[] = [];
    for (const [name, seconds] of Object.entries(stages)) {
        const part = make('i', { title: name });
        part.style.width = `${(100 * seconds) / total}%`;
        part.style.background = STAGES[name] ?? '#999';
        bar.append(part);
        words.push(`${name} ${((100 * seconds) / total).toFixed(0)} %`);
    }
    return make('div', {}, bar, make('p', { class: 'why' }, words.join(' · ') + '. S1 published 54 / 37 / 7 / 0.6 %.'));
}

export function measureDialog(app: App): () => void {
    const dialog = byId<HTMLDialogElement>('measure');
    const body = make('div', { class: 'dialog-body' });
    const live = make('div');
    const status = make('p', { class: 'why', role: 'status' }, 'Takes a few minutes; the scene stands still meanwhile.');
    let results: Result[] = [];
    let running = false;
    const show = () => body.replaceChildren(make('h3', {}, 'Shares per stage of the present scene'), live, status, ...results.flatMap((result) => [
        make('h3', {}, result.title), make('p', { class: 'why' }, result.about),
        ...(result.key === 'largest' ? [make('p', { class: 'why' }, [...largestAt60(result)].map(([label, count]) => `${label}: ${spaced(count)} particles, ${(count / S3_PUBLISHED).toFixed(1)} × S3`).join('; ')), curve(result)] : []),
        table(result)]));
    const start = async (quick: boolean) => {
        if (running) return;
        running = true;
        try {
            results = await bench(app, quick, (text, so_far) => {
                status.textContent = text;
                if (so_far.length !== results.length) {
                    results = [...so_far];
                    show();
                }
            });
            status.textContent = 'Done.';
        } catch (error) {
            app.fail(error);
        }
        running = false;
        show();
    };
    dialog.append(make('div', { class: 'dialog-head' }, make('h2', {}, 'Measurements'),
        make('button', { class: 'chip', id: 'measure-run', onclick: () => void start(false) }, 'Measure'), make('button', { class: 'chip', id: 'measure-quick', onclick: () => void start(true) }, 'Quick'),
        make('button', { class: 'chip', onclick: () => download('telar-measurements.csv', new Blob([csvOf(results)], { type: 'text/csv' })) }, 'CSV'),
        make('button', { class: 'chip', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')), body);
    const beat = () => {
        const stages = app.frame?.stats[0]?.stages;
        if (dialog.open && stages) live.replaceChildren(shares(stages));
    };
    window.setInterval(beat, 500);
    show();
    return () => {
        dialog.showModal();
        beat();
    };
}
