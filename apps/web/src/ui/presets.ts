// Presets: what was changed, under a name, in this browser; as a link; as a scene file.
import type { App } from '../app';
import { saveGlb } from '../export/glb';
import { saveObj } from '../export/obj';
import { jsonOf } from '../state/document';
import { byId, download, make } from './dom';

const KEY = 'telar.presets';

type Stored = Record<string, string>; // name to address

function stored(): Stored {
    try {
        return JSON.parse(localStorage.getItem(KEY) ?? '{}') as Stored;
    } catch {
        return {};
    }
}

function store(all: Stored): void {
    try {
        localStorage.setItem(KEY, JSON.stringify(all));
    } catch {
        // private windows have no storage; links still work
    }
}

export async function share(app: App): Promise<void> {
    const url = location.href.split('#')[0] + app.link(true);
    try {
        await navigator.clipboard.writeText(url);
        app.say('The link to this state is in the clipboard');
    } catch {
        history.replaceState(null, '', app.link(true));
        app.say('The address now holds this state: copy it');
    }
}

export function saveScene(app: App): void {
    const name = (app.name || 'scene').replaceAll('/', '-');
    download(`${name}.json`, new Blob([jsonOf(app.scene(), 2) + '\n'], { type: 'application/json' }));
}

export function presets(app: App): HTMLElement[] {
    const choice = make('select', { 'aria-label': 'Presets' });
    const list = () => {
        const names = Object.keys(stored());
        choice.replaceChildren(make('option', { value: '' }, names.length ? 'Choose …' : 'None saved yet'), ...names.map((name) => make('option', { value: name }, name)));
    };
    list();
    choice.addEventListener('change', () => {
        const link = stored()[choice.value];
        if (link) void app.go(link);
    });
    const chip = (text: string, act: () => void, title = '') => make('button', { class: 'chip', onclick: act, title }, text);
    const save = () => {
        const name = window.prompt('Name of the preset', choice.value || app.title());
        if (!name) return;
        store({ ...stored(), [name]: app.link(true) });
        list();
        choice.value = name;
        app.say(`Saved as “${name}”`);
    };
    const remove = () => {
        const all = stored();
        if (!choice.value || !(choice.value in all)) return app.say('Choose a preset first');
        delete all[choice.value];
        store(all);
        list();
    };
    const load = () => byId<HTMLInputElement>('file').click();
    return [
        make('div', { class: 'row' }, make('label', {}, 'Preset'), make('div', { class: 'control' }, choice)),
        make('div', { class: 'buttons' }, chip('Save', save), chip('Revert', () => void app.revert(), 'The scene as it comes'), chip('Delete', remove),
            chip('Share link', () => void share(app)), chip('Save scene', () => saveScene(app), 'JSON, for the command line too'), chip('OBJ', () => saveObj(app), 'The present state as a mesh (X)'), chip('GLB', () => saveGlb(app), 'The present state with materials (G)'), chip('Open file', load, 'A scene (JSON), or a mesh (OBJ, GLB)')),
    ];
}
