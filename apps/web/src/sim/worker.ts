// The simulation's thread: owns the engine, steps it by fixed steps of time and hands out pictures between two of them.
import { create } from 'telar';
import type { Dressing, Info, Kind, Measured, Reply, Request, Requests } from './protocol';
import { Simulation } from './simulation';

let simulation: Simulation | null = null;

function running(): Simulation {
    if (!simulation) throw new Error('the engine has not been started');
    return simulation;
}

async function start({ wasm, threads }: Requests['start'][0]): Promise<Info> {
    const telar = await create({ wasm, threads });
    simulation = new Simulation(telar);
    const describe: Record<string, string> = {};
    for (const kind of ['steppers', 'fabrics', 'contacts', 'materials', 'elements', 'shapes', 'surfaces'] as const)
        for (const { name, help } of telar.list(kind)) if (help) describe[name] ??= help;
    return { version: telar.version, threads: telar.threads, parameters: structuredClone([...telar.parameters]), describe };
}

type Told = (dressing: Dressing) => void;
type Answers = { [K in Kind]: (body: Requests[K][0], told: Told) => Requests[K][1] | Promise<Requests[K][1]> };

const answers: Answers = {
    start,
    load: ({ json, files }, told) => running().load(json, files, told),
    advance: ({ seconds, overlay, recycle }) => running().advance(seconds, overlay, recycle),
    step: ({ count, overlay }) => running().stepBy(count, overlay),
    set: ({ path, value }) => running().set(path, value),
    get: ({ path }) => running().get(path),
    grab: ({ cloth, vertex }) => running().grab(cloth, vertex),
    hand: ({ position }) => running().moveHand(position),
    release: () => running().release(),
    pin: ({ cloth, vertex, held }) => running().pin(cloth, vertex, held),
    moveBody: ({ body, position }) => running().moveBody(body, position),
    addBody: ({ parameters }) => running().addBody(parameters),
    hash: () => running().hash(),
    wind: ({ position }) => running().windAt(position),
    json: () => running().json(),
    measure: ({ json, warm, frames }): Measured => running().measure(json, warm, frames),
    save: () => running().save(),
    restore: ({ bytes }) => running().restore(bytes),
};

/** Buffers inside a result, which are handed over instead of copied. */
function buffersOf(value: unknown, into: Set<ArrayBuffer> = new Set()): Set<ArrayBuffer> {
    if (ArrayBuffer.isView(value)) into.add(value.buffer as ArrayBuffer);
    else if (value && typeof value === 'object') for (const part of Object.values(value)) buffersOf(part, into);
    return into;
}

self.onmessage = async (event: MessageEvent<Request>) => {
    const { id, kind, body } = event.data;
    try {
        const result = await (answers[kind] as (body: unknown, told: Told) => unknown)(body, (dressing) => self.postMessage({ id, ok: true, dressing } satisfies Reply));
        self.postMessage({ id, ok: true, result } satisfies Reply, { transfer: [...buffersOf(result)] });
    } catch (error) {
        const message = error instanceof Error ? error.message : String(error);
        self.postMessage({ id, ok: false, error: message } satisfies Reply);
    }
};
