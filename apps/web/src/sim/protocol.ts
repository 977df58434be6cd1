// Messages between the page and the simulation's worker.
import type { Dressing, Parameter } from 'telar';

export type { Parameter } from 'telar';

/** A value of a parameter, as scene files write it. */
export type Value = number | string | boolean | number[];

/** What one cloth looks like; sent once for each world that is built. */
export interface ClothShape {
    label: string;
    vertices: number;
    triangles: Uint32Array;
    uv: Float32Array;
    columns: number; // 0 for cloth that is no grid
    rows: number;
}

export interface BodyShape {
    label: string;
    shape: string; // plane, sphere, box, capsule, ellipsoid, mesh
    dynamic: boolean;
    positions: Float32Array; // of shape mesh, in its own frame; else empty
    triangles: Uint32Array;
}

/** State of one cloth in a picture. Arrays are transferred, and handed back by the next message to be filled again. */
export interface ClothFrame {
    positions: Float32Array;
    normals: Float32Array;
    fold: Float32Array; // of each vertex: above 0 in a valley seen from the front, below 0 on a ridge
    scalar: Float32Array | null; // of the overlay
    pins: Uint32Array | null; // only when they changed
}

export interface BodyFrame {
    on: boolean;
    position: [number, number, number];
    rotation: [number, number, number, number]; // quaternion x, y, z, w
    size: [number, number, number];
    vertices: Float32Array | null; // of deforming meshes
}

export interface ClothStats {
    label: string;
    stepper: string;
    particles: number;
    simulated: number; // particles, or control points of a NURBS surface
    substeps: number;
    contacts: number;
    largestStrain: number;
    largestSpeed: number;
    materialError: number;
    advice: string;
    pressure: number;
    rejectedFrames: number;
    /** seconds of the last step by stage */
    stages: Record<string, number>;
}

export interface Frame {
    cloths: ClothFrame[];
    bodies: BodyFrame[];
    time: number;
    steps: number; // since the start
    taken: number; // steps in this message
    stepMs: number; // smoothed milliseconds of one step
    workMs: number; // everything the worker did for this frame
    stats: ClothStats[];
    memory: number; // bytes of the module's heap
    held: [number, number, number] | null; // where the hand holds the cloth
    error: string; // of the last step, "" when there was none
    rejected: number; // frames in a row
}

export interface Built {
    json: string; // the scene as it was built, with everything that was set
    cloths: ClothShape[];
    bodies: BodyShape[];
    frame: Frame;
    worn: Record<string, Uint8Array>; // files of garments, for the next time
}

/** How far the garments of a scene are that is being loaded. */
export type { Dressing } from 'telar';

export interface Info {
    version: string;
    threads: number;
    parameters: Parameter[];
    describe: Record<string, string>; // a sentence for each name of a choice
}

export type Overlay = 'none' | 'force' | 'strain' | 'speed' | 'contact';

export interface Load {
    json: string;
    files: Record<string, Uint8Array>;
}

/** Of one run without a page around it: milliseconds of each frame, and what the cloth did. */
export interface Measured {
    particles: number;
    stepMs: number[];
    stepper: string;
    stages: Record<string, number>; // seconds, summed
    largestStrain: number;
    rejected: number;
}

/** What each request asks and what it is answered with. */
export interface Requests {
    start: [{ wasm: ArrayBuffer; threads: number }, Info];
    load: [Load, Built];
    advance: [{ seconds: number; overlay: Overlay; recycle: ArrayBuffer[] }, Frame];
    step: [{ count: number; overlay: Overlay }, Frame];
    set: [{ path: string; value: Value }, 'live' | 'rebuild'];
    get: [{ path: string }, Value];
    grab: [{ cloth: number; vertex: number }, void];
    hand: [{ position: [number, number, number] }, void];
    release: [object, void];
    pin: [{ cloth: number; vertex: number; held: boolean }, void];
    moveBody: [{ body: number; position: [number, number, number] }, void];
    addBody: [{ parameters: Record<string, Value> }, { shape: BodyShape; frame: Frame }];
    hash: [object, string];
    wind: [{ position: [number, number, number] }, number[]];
    json: [object, string];
    measure: [{ json: string; warm: number; frames: number }, Measured];
    save: [object, Uint8Array];
    restore: [{ bytes: Uint8Array }, Frame];
}
export type Kind = keyof Requests;

export interface Request {
    id: number;
    kind: Kind;
    body: unknown;
}

export interface Reply {
    id: number;
    ok: boolean;
    error?: string;
    result?: unknown;
    dressing?: Dressing; // no answer yet
}
