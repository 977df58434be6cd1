// `window.telar`: what the page is doing, for tests and for the curious. Reading it changes nothing.
import type { App } from '../app';
import type { Compare } from '../compare';
import { glbOf } from '../export/glb';
import { partsOf } from '../export/geometry';
import { objOf } from '../export/obj';
import type { Pointer } from '../interact/pointer';
import type { WindArrow } from '../interact/wind_arrow';
import type { Value } from '../sim/protocol';
import type { Actions } from '../ui/actions';
import type { Panel } from '../ui/panel';
import { jsonOf } from './document';
import { bench, csvOf } from '../measure/bench';
import { Vector3 } from 'three';

export function exposeState(app: App, parts: { panel: Panel; pointer: Pointer; comparison: Compare; actions: Actions; arrow: WindArrow }): void {
    const state = {
        get ready() { return app.ready; },
        get scene() { return app.name; },
        get title() { return app.title(); },
        get playing() { return app.playing; },
        get particles() { return app.particles(); },
        get cloths() { return app.cloths.map(({ label, vertices, columns, rows }) => ({ label, vertices, columns, rows })); },
        get bodies() { return app.frame?.bodies ?? []; },
        get bodyNames() { return app.bodies.map(({ label, shape }) => ({ label, shape })); },
        get time() { return app.frame?.time ?? 0; },
        get steps() { return app.frame?.steps ?? 0; },
        get stats() { return app.frame?.stats ?? []; },
        get memory() { return app.frame?.memory ?? 0; },
        get stepMs() { return app.frame?.stepMs ?? 0; },
        get workMs() { return app.frame?.workMs ?? 0; },
        get drawMs() { return app.drawMs; },
        get pictures() { return app.pictures; },
        get builds() { return app.builds; },
        get errors() { return app.errors; },
        get banner() { return app.banner; },
        get overlay() { return app.overlay; },
        get panel() { return app.panel; },
        get panelShown() { return parts.panel.shown; },
        get pointer() { return parts.pointer.state; },
        /** Machines on which a finger's move takes half a second must not take it for a long press. */
        patience: (ms: number) => { parts.pointer.longPress = ms; },
        /** Tip of the wind arrow on the screen, px. */
        get windTip() { return parts.arrow.shown ? app.stage.project(parts.arrow.tip()) : null; },
        get held() { return app.frame?.held ?? null; },
        get comparing() { return parts.comparison.on && parts.comparison.frame !== null; },
        compareWith: (method: string) => parts.comparison.choose(method),
        get compared() { return parts.comparison.frame?.stats ?? []; },
        get view() { return app.stage.view(); },
        get gpu() { return app.stage.renderer.info.memory; },
        get changes() { return Object.fromEntries(app.changes); },
        get dressing() { return app.dressing; },
        /** Full quality from now on, for pictures; the page does not adapt any more. */
        best: () => app.quality.keep(),
        get threads() { return app.info?.threads ?? 1; },
        get version() { return app.info?.version ?? ''; },
        get parameters() { return app.info?.parameters.length ?? 0; },
        link: () => app.link(false),
        positions: (cloth = 0) => Array.from(app.frame?.cloths[cloth]?.positions ?? []),
        pins: (cloth = 0) => Array.from(app.stage.cloths[cloth]?.pinned ?? []),
        valueOf: (path: string) => app.valueOf(path),
        json: () => jsonOf(app.scene()),
        hash: () => app.client.ask('hash', {}),
        windAt: (position: [number, number, number]) => app.client.ask('wind', { position }),
        set: (path: string, value: Value) => app.set(path, value),
        setPanel: (key: string, value: Value) => app.setPanel(key, value),
        step: (count = 1) => app.step(count),
        play: (on: boolean) => app.play(on),
        reset: () => app.reset(),
        cure: () => app.cure(),
        asPublished: () => app.asPublished(),
        go: (hash: string) => app.go(hash),
        grab: (cloth: number, vertex: number) => app.grab(cloth, vertex),
        moveHand: (position: [number, number, number]) => app.moveHand(position),
        letGo: () => app.letGo(),
        /** Where a particle is on the screen, px. */
        screen: (cloth: number, vertex: number) => {
            const x = app.frame?.cloths[cloth]?.positions;
            return x ? app.stage.project(new Vector3(x[3 * vertex], x[3 * vertex + 1], x[3 * vertex + 2])) : null;
        },
        obj: () => objOf(partsOf(app)),
        glb: () => Array.from(new Uint8Array(glbOf(partsOf(app)))),
        bench: async (quick: boolean) => {
            const results = await bench(app, quick, () => undefined);
            return { results, csv: csvOf(results) };
        },
        view_: (position: number[], target: number[], angle: number) => { app.stage.setView(position, target, angle); app.redraw(); },
    };
    Object.defineProperty(window, 'telar', { value: state });
}
