// Starts the page: checks WebGL, loads the engine, opens what the address says, and draws.
import { App } from './app';
import { Compare } from './compare';
import { openFiles } from './export/open';
import { keys } from './interact/keys';
import { Pointer } from './interact/pointer';
import { WindArrow } from './interact/wind_arrow';
import { measureDialog } from './measure/dialog';
import { exposeState } from './state/exposed';
import { Actions, setTheme } from './ui/actions';
import { cardsDialog } from './ui/cards';
import { byId, make } from './ui/dom';
import { messages, meter } from './ui/meter';
import { Panel } from './ui/panel';
import { tools, transport } from './ui/transport';
import './style.css';

function stop(text: string): void {
    byId('loading').classList.add('done');
    for (const id of ['stage', 'top', 'transport', 'panel', 'meter', 'hero']) byId(id).hidden = true;
    document.body.append(make('p', { class: 'failure', id: 'failure' }, text));
}

function hasWebGL2(): boolean {
    try {
        return document.createElement('canvas').getContext('webgl2') !== null;
    } catch {
        return false;
    }
}

function chosenTheme(): 'dark' | 'light' {
    let kept: string | null = null;
    try {
        kept = localStorage.getItem('telar.theme');
    } catch {
        // private windows have no storage
    }
    if (kept === 'dark' || kept === 'light') return kept;
    return matchMedia('(prefers-color-scheme: light)').matches ? 'light' : 'dark';
}

async function run(): Promise<void> {
    document.documentElement.dataset.theme = chosenTheme();
    if (!hasWebGL2()) {
        stop('Telar draws with WebGL 2, which this browser does not offer. A current Chrome, Edge, Firefox or Safari does; in a virtual machine, hardware acceleration may have to be switched on.');
        return;
    }
    const app = new App(byId<HTMLCanvasElement>('canvas'));
    const comparison = new Compare(app);
    const arrow = new WindArrow(app);
    const actions = new Actions(app, comparison, arrow);
    const panel = new Panel(app);
    actions.panelOf = panel;
    actions.openCards = cardsDialog(app);
    actions.openMeasure = measureDialog(app);
    const pointer = new Pointer(app, arrow);
    tools(app, actions);
    transport(app, actions);
    meter(app);
    messages(app);
    keys(actions);
    openFiles(app);
    setTheme(app, chosenTheme(), false);
    const calm = matchMedia('(prefers-reduced-motion: reduce)');
    const arrange = () => {
        const width = byId('stage').clientWidth;
        const first = app.name === '' && !comparison.on;
        const open = panel.shown && !comparison.on;
        // room for the words of the first page, and beside or above the panel
        const aside = (first && width > 900 ? 0.11 : 0) - (open && width > 900 ? 170 / width : 0);
        app.stage.aside(aside, width > 640 ? 0 : open ? 0.24 : first ? 0.11 : 0);
        byId('hero').classList.toggle('away', open || pointer.used);
        app.redraw();
    };
    const fit = () => {
        const { clientWidth, clientHeight } = byId('stage');
        const width = comparison.on ? clientWidth / 2 : clientWidth;
        app.quality.apply(width, clientHeight);
        comparison.resize(width, clientHeight);
        arrange();
    };
    window.addEventListener('resize', fit);
    app.on('scene', arrange);
    app.on('playing', arrange);
    fit();
    document.addEventListener('visibilitychange', () => app.wake());
    window.addEventListener('hashchange', () => void app.go(location.hash));
    exposeState(app, { panel, pointer, comparison, actions, arrow });
    await app.start();
    panel.toggle(innerWidth > 900 && /^#s3\//.test(location.hash));
    await app.go(location.hash);
    if (calm.matches) app.play(false);
    const picture = (now: number) => {
        if (app.tick(now)) comparison.draw();
        requestAnimationFrame(picture);
    };
    requestAnimationFrame(picture);
    byId('loading').classList.add('done');
    if (calm.matches) await app.step(90); // a settled picture instead of a moving one
}

run().catch((error: unknown) => stop(`Telar could not start: ${error instanceof Error ? error.message : String(error)}`));
