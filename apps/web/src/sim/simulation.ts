// One running scene: fixed steps with an accumulator, pictures between two steps, the hand that pulls cloth.
import type { Body, Cloth, Grab, Telar, World } from 'telar';
import { foldsOf, neighboursOf, smoothNormals, type Neighbours } from './folds';
import type { BodyFrame, BodyShape, Built, ClothFrame, ClothShape, ClothStats, Dressing, Frame, Measured, Overlay, Value } from './protocol';

const LONGEST = 0.1; // s; after a pause of the page, time is lost rather than caught up with
const BUDGET = 24; // ms; a slow scene runs in slow motion instead of blocking the picture
const HAND_SPEED = 6; // m/s; a jump of the pointer does not tear the cloth

export class Simulation {
    private world: World | null = null;
    private source: { json: string; files: Record<string, Uint8Array> } = { json: '{}', files: {} };
    private listed = 0; // cloths of the scene; those that follow are garments of its characters
    private pocket = 0; // s of time not yet simulated
    private steps = 0;
    private stepMs = 0;
    private message = '';
    private rejected = 0; // frames in a row
    private stageTimes: Record<string, number> = {};
    private hand: { grab: Grab; at: number[]; goal: number[] } | null = null;
    private bodies: { body: number; at: number[]; goal: number[] }[] = [];
    private spare: ArrayBuffer[] = [];
    private neighbours: Neighbours[] = [];
    private pins: Uint32Array[] = [];
    private pinsChanged = true;

    constructor(private readonly telar: Telar) {}

    private get running(): World {
        if (!this.world) throw new Error('no scene has been loaded');
        return this.world;
    }

    load(json: string, files: Record<string, Uint8Array>, dressing: (now: Dressing) => void): Built {
        if (this.telar.threads > 1) {
            const scene = JSON.parse(json) as { world?: object };
            scene.world = { threads: 0, ...scene.world }; // all of them: the bits stay the same
            json = JSON.stringify(scene);
        }
        const world = this.telar.world({ text: json, files, name: 'scene' }, { dressing }); // throws before the old one is gone
        this.world?.destroy();
        this.world = world;
        this.source = { json, files };
        return this.begin();
    }

    private begin(): Built {
        this.pocket = 0;
        this.steps = 0;
        this.message = '';
        this.rejected = 0;
        this.hand = null;
        this.bodies = [];
        this.stageTimes = {};
        this.listed = ((JSON.parse(this.source.json) as { cloth?: unknown[] }).cloth ?? []).length;
        const cloths = this.running.cloths.map((cloth) => this.shapeOf(cloth));
        this.neighbours = this.running.cloths.map((cloth) => neighboursOf(cloth.triangles, cloth.vertexCount));
        this.pins = this.running.cloths.map((cloth) => pinsOf(cloth));
        this.pinsChanged = true;
        const bodies = this.running.bodies.map(bodyShapeOf);
        return { json: this.running.json(), cloths, bodies, frame: this.picture('none', 0), worn: Object.fromEntries(Object.entries(this.running.worn).map(([name, bytes]) => [name, bytes.slice()])) };
    }

    private shapeOf(cloth: Cloth): ClothShape {
        const listed = cloth.index < this.listed;
        const number = (name: string) => (listed ? Number(this.running.get(`cloth[${cloth.index}].${name}`)) : 0);
        const grid = listed && number('columns') * number('rows') === cloth.vertexCount;
        return {
            label: cloth.label,
            vertices: cloth.vertexCount,
            triangles: cloth.triangles.slice(),
            uv: cloth.uv ? cloth.uv.slice() : new Float32Array(2 * cloth.vertexCount),
            columns: grid ? number('columns') : 0,
            rows: grid ? number('rows') : 0,
        };
    }

    advance(seconds: number, overlay: Overlay, recycle: ArrayBuffer[]): Frame {
        const started = performance.now();
        this.spare.push(...recycle.slice(0, 16 - this.spare.length));
        const h = 1 / this.running.fps;
        this.pocket = Math.min(this.pocket + seconds, Math.max(LONGEST, h));
        let taken = 0;
        while (this.pocket >= h) {
            this.step();
            taken++;
            this.pocket -= h;
            if (performance.now() - started > BUDGET) this.pocket = Math.min(this.pocket, 0.999 * h);
        }
        const frame = this.picture(overlay, taken, this.steps ? this.pocket / h : 1);
        frame.workMs = performance.now() - started;
        return frame;
    }

    stepBy(count: number, overlay: Overlay): Frame {
        const started = performance.now();
        for (let k = 0; k < count; k++) this.step();
        this.pocket = 0;
        const frame = this.picture(overlay, count);
        frame.workMs = performance.now() - started;
        return frame;
    }

    private step(): void {
        const h = 1 / this.running.fps;
        this.moveHands(h);
        const started = performance.now();
        const result = this.running.step(h);
        const ms = performance.now() - started;
        this.steps++;
        this.stepMs = this.stepMs ? this.stepMs + 0.1 * (ms - this.stepMs) : ms;
        this.rejected = result.ok ? 0 : this.rejected + 1;
        this.message = result.ok ? '' : result.message;
        for (const { name, seconds } of this.running.stages())
            this.stageTimes[name] = (this.stageTimes[name] ?? seconds) * 0.9 + seconds * 0.1;
    }

    private moveHands(h: number): void {
        const follow = (at: number[], goal: number[]) => {
            const way = goal.map((g, k) => g - at[k]);
            const length = Math.hypot(...way);
            const part = length > HAND_SPEED * h ? (HAND_SPEED * h) / length : 1;
            way.forEach((w, k) => (at[k] += part * w));
        };
        if (this.hand) {
            follow(this.hand.at, this.hand.goal);
            this.hand.grab.move([this.hand.at[0], this.hand.at[1], this.hand.at[2]]);
        }
        for (const moved of this.bodies) {
            follow(moved.at, moved.goal);
            this.running.bodies[moved.body].move([moved.at[0], moved.at[1], moved.at[2]]);
        }
        this.bodies = this.bodies.filter(({ at, goal }) => at.some((a, k) => a !== goal[k]));
    }

    set(path: string, value: Value): 'live' | 'rebuild' {
        return this.running.set(path, value);
    }

    get(path: string): Value {
        return this.running.get(path) as Value;
    }

    grab(cloth: number, vertex: number): void {
        this.release();
        const at = [...this.running.cloths[cloth].positions.subarray(3 * vertex, 3 * vertex + 3)];
        this.hand = { grab: this.running.cloths[cloth].grab(vertex), at, goal: [...at] };
    }

    moveHand(position: [number, number, number]): void {
        if (this.hand) this.hand.goal = [...position];
    }

    release(): void {
        this.hand?.grab.release();
        this.hand = null;
    }

    pin(cloth: number, vertex: number, held: boolean): void {
        this.running.cloths[cloth].pin(vertex, held);
        this.pins[cloth] = pinsOf(this.running.cloths[cloth]);
        this.pinsChanged = true;
    }

    moveBody(body: number, position: [number, number, number]): void {
        const moving = this.bodies.find((other) => other.body === body);
        if (moving) moving.goal = [...position];
        else this.bodies.push({ body, at: [...this.running.bodies[body].position], goal: [...position] });
    }

    addBody(parameters: Record<string, Value>): { shape: BodyShape; frame: Frame } {
        const body = this.running.addBody(parameters);
        return { shape: bodyShapeOf(body), frame: this.picture('none', 0) };
    }

    hash(): string {
        return this.running.hash();
    }

    windAt(position: [number, number, number]): number[] {
        return this.running.windAt(position);
    }

    json(): string {
        return this.running.json();
    }

    save(): Uint8Array {
        return this.running.save().slice();
    }

    restore(bytes: Uint8Array): Frame {
        this.running.restore(bytes);
        return this.picture('none', 0);
    }

    /** Runs another scene beside the one shown, and times every frame. */
    measure(json: string, warm: number, frames: number): Measured {
        const world = this.telar.world({ text: json, files: this.source.files, name: 'measured scene' });
        const measured: Measured = { particles: 0, stepMs: [], stepper: '', stages: {}, largestStrain: 0, rejected: 0 };
        const h = 1 / world.fps;
        for (let k = 0; k < warm; k++) world.step(h);
        // clocks of browsers are coarse: frames are timed together until they take some milliseconds
        let started = performance.now();
        let together = 0;
        for (let k = 0; k < frames; k++) {
            if (!world.step(h).ok) measured.rejected++;
            together++;
            for (const { name, seconds } of world.stages()) measured.stages[name] = (measured.stages[name] ?? 0) + seconds;
            const ms = performance.now() - started;
            if (ms < 8 && k + 1 < frames) continue;
            measured.stepMs.push(ms / together);
            started = performance.now();
            together = 0;
        }
        for (const cloth of world.cloths) {
            measured.particles += cloth.vertexCount;
            measured.stepper = cloth.stepper;
            measured.largestStrain = Math.max(measured.largestStrain, cloth.statistics.largest_strain);
        }
        world.destroy();
        return measured;
    }

    private floats(count: number): Float32Array {
        const found = this.spare.findIndex((buffer) => buffer.byteLength === 4 * count);
        return found < 0 ? new Float32Array(count) : new Float32Array(this.spare.splice(found, 1)[0]);
    }

    private picture(overlay: Overlay, taken: number, blend = 1): Frame {
        const cloths = this.running.cloths.map((cloth, k) => this.clothFrame(cloth, k, overlay, blend));
        this.pinsChanged = false;
        return {
            cloths,
            bodies: this.running.bodies.map((body) => bodyFrame(body, blend)),
            time: this.running.time,
            steps: this.steps,
            taken,
            stepMs: this.stepMs,
            workMs: 0,
            stats: this.running.cloths.map((cloth) => this.statsOf(cloth)),
            memory: this.telar.memory,
            held: this.hand ? [this.hand.at[0], this.hand.at[1], this.hand.at[2]] : null,
            error: this.message,
            rejected: this.rejected,
        };
    }

    private clothFrame(cloth: Cloth, index: number, overlay: Overlay, blend: number): ClothFrame {
        const positions = this.floats(3 * cloth.vertexCount);
        positions.set(blend < 1 ? cloth.blended(blend) : cloth.positions);
        const normals = this.floats(3 * cloth.vertexCount);
        normals.set(cloth.normals);
        smoothNormals(this.neighbours[index], normals, 2);
        const fold = this.floats(cloth.vertexCount);
        foldsOf(this.neighbours[index], positions, normals, fold);
        let scalar: Float32Array | null = null;
        if (overlay !== 'none') {
            scalar = this.floats(cloth.vertexCount);
            if (overlay === 'strain') scalar.set(cloth.strains);
            else if (overlay === 'speed') scalar.set(cloth.speeds);
            else if (overlay === 'contact') scalar.set(cloth.contactForces);
            else {
                const forces = cloth.forces;
                for (let v = 0; v < scalar.length; v++)
                    scalar[v] = Math.hypot(forces[3 * v], forces[3 * v + 1], forces[3 * v + 2]);
            }
        }
        return { positions, normals, fold, scalar, pins: this.pinsChanged ? this.pins[index].slice() : null };
    }

    private statsOf(cloth: Cloth): ClothStats {
        const s = cloth.statistics;
        return {
            label: cloth.label,
            stepper: cloth.stepper,
            particles: s.particles,
            simulated: s.simulated,
            substeps: s.substeps,
            contacts: s.contacts,
            largestStrain: s.largest_strain,
            largestSpeed: s.largest_speed,
            materialError: s.material_error,
            advice: cloth.advice,
            pressure: s.pressure,
            rejectedFrames: s.rejected_frames,
            stages: { ...this.stageTimes },
        };
    }
}

function pinsOf(cloth: Cloth): Uint32Array {
    const pins = [];
    for (let v = 0; v < cloth.vertexCount; v++) if (cloth.pinned(v)) pins.push(v);
    return Uint32Array.from(pins);
}

function bodyShapeOf(body: Body): BodyShape {
    const mesh = body.shape === 'mesh' ? body.mesh() : null;
    return {
        label: body.label,
        shape: body.shape,
        dynamic: body.mass > 0,
        positions: mesh ? mesh.positions : new Float32Array(0),
        triangles: mesh ? mesh.triangles : new Uint32Array(0),
    };
}

function bodyFrame(body: Body, blend: number): BodyFrame {
    const { position, rotation } = body.blended(blend);
    return {
        on: body.on,
        position,
        rotation,
        size: body.size,
        vertices: body.deforms ? body.mesh().positions.slice() : null,
    };
}
