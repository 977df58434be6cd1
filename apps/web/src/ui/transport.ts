// The bar below the picture and the tools above it.
import type { App } from '../app';
import type { Overlay } from '../sim/protocol';
import type { Actions } from './actions';
import { byId, icon, make } from './dom';

const SPEEDS = [1, 0.5, 0.25, 0.1];
const OVERLAYS: Overlay[] = ['none', 'force', 'strain', 'speed', 'contact'];

export function transport(app: App, actions: Actions): void {
    const button = (name: string, title: string, act: () => void, more = '') => make('button', { class: 'tp ' + more, title, 'aria-label': title, onclick: act, id: 'tp-' + name }, icon(name));
    const play = button('pause', 'Pause (Space)', () => app.play(!app.playing));
    const speed = make('button', { class: 'tp', title: 'Slow motion', 'aria-label': 'Slow motion' }, make('span', { class: 'word' }, '1×'));
    speed.addEventListener('click', () => actions.slower());
    const overlay = make('button', { class: 'tp', id: 'tp-overlay', title: 'Overlay: force, strain, speed, contact (O)', 'aria-label': 'Overlay' }, icon('eye'));
    overlay.addEventListener('click', () => actions.nextOverlay());
    const record = button('record', 'Record a clip (V)', () => actions.record(), 'wide');
    byId('transport').append(
        play, button('step', 'One step (→)', () => actions.step()), button('reset', 'Start again (R)', () => void app.reset()), speed,
        make('span', { class: 'split' }),
        button('drop', 'Drop a ball (B)', () => actions.drop()), button('wind', 'Wind arrow (A)', () => actions.wind()), overlay,
        button('compare', 'Compare two methods (C)', () => void actions.compare(), 'wide'),
        make('span', { class: 'split wide' }),
        button('camera', 'Screenshot (S)', () => actions.screenshot()), record,
        button('share', 'Copy a link to this state (L)', () => actions.share(), 'wide'),
    );
    const show = () => {
        play.replaceChildren(icon(app.playing ? 'pause' : 'play'));
        play.title = app.playing ? 'Pause (Space)' : 'Play (Space)';
        play.setAttribute('aria-label', play.title);
        speed.firstElementChild!.textContent = `${app.speed < 1 ? '1/' + 1 / app.speed : 1}×`;
        speed.classList.toggle('on', app.speed < 1);
        overlay.classList.toggle('on', app.overlay !== 'none');
        byId('tp-wind').classList.toggle('on', actions.windShown());
        record.classList.toggle('on', actions.recording());
        byId('tp-compare').classList.toggle('on', actions.comparing());
    };
    app.on('playing', show);
    app.on('changed', show);
    app.on('scene', show);
    show();
}

export function nextSpeed(speed: number): number {
    return SPEEDS[(SPEEDS.indexOf(speed) + 1) % SPEEDS.length];
}

export function nextOverlay(overlay: Overlay): Overlay {
    return OVERLAYS[(OVERLAYS.indexOf(overlay) + 1) % OVERLAYS.length];
}

export function tools(app: App, actions: Actions): void {
    const tool = (name: string, word: string, title: string, act: () => void) =>
        make('button', { class: 'tool', id: 'tool-' + name, title, 'aria-label': word, onclick: act }, icon(name), make('span', { class: 'word' }, word));
    byId('tools').append(
        tool('scenes', 'Scenes', 'All scenes (E)', () => actions.scenes()),
        tool('panel', 'Parameters', 'The panel (H)', () => actions.panel()),
        tool('measure', 'Measure', 'Measurements (M)', () => actions.measure()),
        tool('theme', 'Theme', 'Dark or light (T)', () => actions.theme()),
        tool('full', 'Full screen', 'Full screen (F11)', () => actions.fullScreen()),
        tool('help', 'Help', 'Keys and pointer (?)', () => actions.help()),
    );
    for (const id of ['theme', 'full', 'help', 'measure']) byId('tool-' + id).querySelector('.word')?.remove();
    const title = () => {
        byId('title').textContent = app.name === '' ? '' : app.title();
        byId('description').textContent = app.name === '' ? '' : String(app.valueOf('scene.description') ?? '');
        document.title = app.name === '' ? 'Telar: cloth in real time' : `${app.title()} · Telar`;
        byId('hero').hidden = app.name !== '';
    };
    app.on('scene', title);
    byId('hero-scenes').addEventListener('click', () => actions.scenes());
}
