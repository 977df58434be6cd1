// All scenes as cards with pictures.
import cards, { type SceneCard } from 'virtual:scenes';
import { SHOWPIECE, type App } from '../app';
import { byId, make } from './dom';

const GROUPS: [string, string][] = [
    ['', 'Start here'], ['showcase', 'Showcase'], ['garments', 'Dressed figures'], ['gas', 'Gas'],
    ['s3', 'S3: cloth in the browser'], ['s2', 'S2: mass and spring with air'], ['s1', 'S1: a pneumatic body'], ['s0', 'S0: triangle cloth'],
    ['hang', 'Hanging'], ['implicit', 'Implicit steppers'], ['drape', 'Drape test'], ['mesh', 'Mesh bodies'], ['bodies', 'Dynamic bodies'], ['stress', 'Stress'],
];

const nameOf = (card: SceneCard) => (card.name === SHOWPIECE ? '' : card.name.replace(/^page\//, ''));

/** Scenes as the address names them: the page's own stand before files of the same name. */
export function listed(): SceneCard[] {
    const own = new Set(cards.filter(({ name }) => name.startsWith('page/')).map(nameOf));
    return cards.filter((card) => card.name.startsWith('page/') || !own.has(card.name));
}

const groupOf = (card: SceneCard) => {
    const name = nameOf(card);
    return name.includes('/') && !(card.name.startsWith('page/') && !name.startsWith('s3/')) ? name.split('/')[0] : '';
};

export function cardsDialog(app: App): () => void {
    const dialog = byId<HTMLDialogElement>('cards');
    const body = make('div', { class: 'dialog-body' });
    const search = make('input', { type: 'search', placeholder: 'Search scenes', 'aria-label': 'Search scenes' });
    const card = (scene: SceneCard) => {
        const name = nameOf(scene);
        const picture = scene.picture
            ? make('img', { class: 'picture', loading: 'lazy', alt: '', src: `pictures/${scene.name.replaceAll('/', '-')}.jpg`, width: 240, height: 150 })
            : make('div', { class: 'picture' });
        return make('a', { class: name === app.name ? 'card here' : 'card', href: '#' + name, title: scene.description, onclick: () => dialog.close() },
            picture, make('div', {}, make('b', {}, scene.title), make('code', {}, name || 'the first page')));
    };
    const fill = () => {
        const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
        const shown = listed().filter((scene) => words.every((word) => `${scene.name} ${scene.title} ${scene.description}`.toLowerCase().includes(word)));
        const known = new Set(GROUPS.map(([key]) => key));
        const groups = [...GROUPS, ...[...new Set(shown.map(groupOf))].filter((key) => !known.has(key)).map((key): [string, string] => [key, key])];
        body.replaceChildren(...groups.flatMap(([key, title]) => {
            const members = shown.filter((scene) => groupOf(scene) === key);
            return members.length ? [make('h3', {}, title), make('div', { class: 'grid' }, ...members.map(card))] : [];
        }));
        if (!body.childElementCount) body.append(make('p', { class: 'why' }, 'No scene has these words.'));
    };
    search.addEventListener('input', fill);
    dialog.append(make('div', { class: 'dialog-head' }, make('h2', {}, 'Scenes'), search, make('button', { class: 'chip', 'aria-label': 'Close', onclick: () => dialog.close() }, '✕')), body);
    dialog.addEventListener('click', (event) => event.target === dialog && dialog.close());
    return () => {
        fill();
        dialog.showModal();
    };
}
