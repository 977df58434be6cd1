// A few helpers for elements.

type Attributes = Record<string, string | number | boolean | ((event: Event) => void) | undefined>;

/** `make('button', { class: 'chip', onclick: f }, 'Text')` */
export function make<K extends keyof HTMLElementTagNameMap>(tag: K, attributes: Attributes = {}, ...children: (Node | string)[]): HTMLElementTagNameMap[K] {
    const element = document.createElement(tag);
    for (const [name, value] of Object.entries(attributes)) {
        if (value === undefined || value === false) continue;
        if (typeof value === 'function') element.addEventListener(name.slice(2), value);
        else element.setAttribute(name, value === true ? '' : String(value));
    }
    element.append(...children);
    return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
    const element = document.getElementById(id);
    if (!element) throw new Error(`the page has no #${id}`);
    return element as T;
}

const PATHS: Record<string, string> = {
    play: 'M7 4.5v15l12-7.5z',
    pause: 'M8 5v14M16 5v14',
    step: 'M5 5v14l9-7zM18 5v14',
    reset: 'M4 12a8 8 0 1 0 2.6-5.9M4 4v4.6h4.6',
    scenes: 'M4 4h7v7H4zM13 4h7v7h-7zM4 13h7v7H4zM13 13h7v7h-7z',
    panel: 'M4 7h9M17 7h3M4 17h3M11 17h9M15 4.5v5M9 14.5v5',
    drop: 'M12 3v9m-4-4 4 4 4-4M5 20a7 4 0 0 1 14 0',
    wind: 'M3 9h11a3 3 0 1 0-3-3M3 14h15a3 3 0 1 1-3 3M3 19h7',
    compare: 'M12 3v18M4 6h5v12H4zM15 6h5v12h-5z',
    camera: 'M4 8h3l2-3h6l2 3h3v11H4zM12 16.5a3.3 3.3 0 1 0 0-6.6 3.3 3.3 0 0 0 0 6.6z',
    record: 'M12 17a5 5 0 1 0 0-10 5 5 0 0 0 0 10z',
    more: 'M5 12h.01M12 12h.01M19 12h.01',
    full: 'M4 9V4h5M20 9V4h-5M4 15v5h5M20 15v5h-5',
    theme: 'M12 3a9 9 0 1 0 9 9 7 7 0 0 1-9-9z',
    help: 'M9 9a3 3 0 1 1 4.5 2.6c-1 .6-1.5 1.2-1.5 2.4M12 18h.01',
    measure: 'M4 20V4M4 20h16M8 16l4-6 3 3 5-8',
    share: 'M9 12h6M10 8H8a4 4 0 0 0 0 8h2M14 8h2a4 4 0 0 1 0 8h-2',
    eye: 'M2.5 12S6 5.5 12 5.5 21.5 12 21.5 12 18 18.5 12 18.5 2.5 12 2.5 12zM12 14.5a2.5 2.5 0 1 0 0-5 2.5 2.5 0 0 0 0 5z',
};

export function icon(name: string): SVGSVGElement {
    const svg = document.createElementNS('http://www.w3.org/2000/svg', 'svg');
    svg.setAttribute('viewBox', '0 0 24 24');
    svg.setAttribute('aria-hidden', 'true');
    const path = document.createElementNS('http://www.w3.org/2000/svg', 'path');
    path.setAttribute('d', PATHS[name] ?? '');
    svg.append(path);
    return svg;
}

export function download(name: string, content: Blob): void {
    const url = URL.createObjectURL(content);
    const link = make('a', { href: url, download: name });
    document.body.append(link);
    link.click();
    link.remove();
    setTimeout(() => URL.revokeObjectURL(url), 10000);
}

/** 12 345 */
export const spaced = (count: number) => count.toLocaleString('en').replaceAll(',', ' ');

export function hex(colour: number[]): string {
    return '#' + colour.map((c) => Math.round(Math.min(Math.max(c, 0), 1) * 255).toString(16).padStart(2, '0')).join('');
}

export function fromHex(text: string): number[] {
    return [1, 3, 5].map((k) => Number((parseInt(text.slice(k, k + 2), 16) / 255).toFixed(4)));
}
