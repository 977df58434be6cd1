// The keys of the studio, as far as a browser leaves them to a page.
import type { Actions } from '../ui/actions';
import { byId, make } from '../ui/dom';

type Key = [keys: string[], shown: string, meaning: string, act: (actions: Actions) => void];

const KEYS: Key[] = [
    [[' ', 'p'], 'Space, P', 'play or pause', (a) => a.playPause()],
    [['ArrowRight'], '→', 'one step', (a) => a.step()],
    [['ArrowDown', 'ArrowUp'], '↑ ↓', 'slow motion', (a) => a.slower()],
    [['r'], 'R', 'start again', (a) => a.reset()],
    [['b'], 'B', 'drop a ball on the cloth', (a) => a.drop()],
    [['a'], 'A', 'wind arrow', (a) => a.wind()],
    [['o'], 'O', 'next overlay: force, strain, speed, contact', (a) => a.nextOverlay()],
    [['c'], 'C', 'compare two methods', (a) => void a.compare()],
    [['s'], 'S', 'screenshot', (a) => a.screenshot()],
    [['v'], 'V', 'record a clip (WebM)', (a) => a.record()],
    [['x'], 'X', 'export OBJ', (a) => a.obj()],
    [['g'], 'G', 'export GLB', (a) => a.glb()],
    [['j'], 'J', 'save the scene (JSON)', (a) => a.json()],
    [['l'], 'L', 'copy a link to this state', (a) => a.share()],
    [['e'], 'E', 'all scenes', (a) => a.scenes()],
    [['h'], 'H', 'the panel on and off', (a) => a.panel()],
    [['u'], 'U', 'everything but the picture off and on', (a) => a.bare()],
    [['m'], 'M', 'measurements', (a) => a.measure()],
    [['t'], 'T', 'dark or light', (a) => a.theme()],
    [['f'], 'F', 'the scene’s own view', (a) => a.app.resetView()],
    [['F11'], 'F11', 'full screen', (a) => a.fullScreen()],
    [['?'], '?', 'this page', (a) => a.help()],
];

const POINTER: [string, string][] = [
    ['Drag cloth', 'pull it'],
    ['Right click', 'pin the cloth there, or let it go; also Ctrl and click, and a long touch'],
    ['Drag a body', 'move it'],
    ['Drag the rest', 'turn the view; double click returns to the scene’s own'],
    ['Wheel', 'nearer and farther; two fingers do that too, and move'],
    ['Drop a file', 'an OBJ or GLB mesh becomes a body under a sheet; a scene (JSON) is opened'],
];

export function keys(actions: Actions): void {
    window.addEventListener('keydown', (event) => {
        const typing = event.target instanceof HTMLElement && event.target.matches('input:not([type=checkbox]):not([type=range]), select, textarea');
        if (typing || event.ctrlKey || event.metaKey || event.altKey || document.querySelector('dialog[open]')) return;
        const name = event.key.length === 1 ? event.key.toLowerCase() : event.key;
        if (event.target instanceof HTMLElement && event.target.matches('button, a, summary, input') && (name === ' ' || name.startsWith('Arrow'))) return;
        const found = KEYS.find(([names]) => names.includes(name));
        if (!found) return;
        event.preventDefault();
        found[3](actions);
    });
    const dialog = byId<HTMLDialogElement>('help');
    const line = (key: string, text: string) => make('p', {}, make('kbd', {}, key), make('span', {}, text));
    dialog.append(
        make('div', { class: 'dialog-head' }, make('h2', {}, 'Keys and pointer'), make('button', { class: 'chip', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')),
        make('div', { class: 'dialog-body' }, make('h3', {}, 'Pointer'), make('div', { class: 'keys' }, ...POINTER.map(([key, text]) => line(key, text))),
            make('h3', {}, 'Keys'), make('div', { class: 'keys' }, ...KEYS.map(([, shown, text]) => line(shown, text)))),
    );
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
}
