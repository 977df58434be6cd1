/** Telar: cloth simulated in real time, as WebAssembly. Runs in pages, workers and node. SI units throughout. */

export type Vec3 = readonly [number, number, number];
/** Unit quaternion x, y, z, w. */
export type Quat = readonly [number, number, number, number];
/** What a parameter can be set to. A vector is a list of three numbers; `Infinity` is allowed where `max` is. */
export type Value = number | boolean | string | readonly number[];

export interface CreateOptions {
  /** Where the module is, or its bytes, or a compiled module. Default: `telar.wasm` beside this file. */
  wasm?: URL | string | ArrayBuffer | Uint8Array | WebAssembly.Module;
  /** The engine's log: cloths too far apart, rejected frames … Default: silent. */
  log?: (message: string) => void;
  /** In total, 1 by default. More load `telar-threads.wasm` where memory can be shared, in node and in pages that are
   * cross-origin isolated; elsewhere there is one. Worlds use them as their `world.threads` says; 0 takes all. */
  threads?: number;
}

/** Loads the engine. Every call makes one of its own, with a heap of its own. */
export function create(options?: CreateOptions): Promise<Telar>;

/** A row of the table from which scene files, `set` and `get`, panels and the command line are made. */
export interface Parameter {
  /** As `set` takes it, entries of lists with index 0: "wind.velocity", "cloth[0].density", "cloth[0].pin[0].where". */
  path: string;
  /** "scene", "world", "wind", "cloth", "mesh" (of a cloth or body), "pin", "body", "key", "character",
   * "measures" (of a character), "garment", "camera", "camera key", "light",
   * "point light", "look". */
  group: string;
  /** The path inside the group: "density", "link.structural.stiffness". */
  name: string;
  type: 'real' | 'int' | 'bool' | 'vec3' | 'name' | 'text' | 'list';
  unit: string;
  /** null for lists. */
  default: Value | null;
  /** Of numbers and of each component of a vector; may be ±Infinity. */
  min?: number;
  max?: number;
  /** Of a name. */
  choices?: string[];
  /** One sentence. */
  help: string;
  /** Takes effect at the next step; otherwise when the world is built again (`World.reset`). */
  live: boolean;
}

export interface Named {
  name: string;
  /** One sentence; "" where the engine has none. */
  help: string;
}

/** A scene with the mesh files that it names. */
export interface Scene {
  /** For messages. */
  name?: string;
  /** JSON of the scene. */
  text: string;
  /** By the names that the scene uses. */
  files?: Record<string, Uint8Array | ArrayBuffer | string>;
}

export interface Telar {
  readonly version: string;
  /** The whole table, in its order. */
  readonly parameters: readonly Parameter[];
  list(
    kind: 'steppers' | 'fabrics' | 'contacts' | 'materials' | 'elements' | 'shapes' | 'surfaces' | 'scenes'
  ): readonly Named[];
  /** A scene that comes with Telar, such as "s3/flag". Reads `scenes.js`, which is loaded when it is first needed. */
  scene(name: string): Promise<Scene>;
  /** Builds a world: JSON text, the same as an object, or a scene with files. Throws TelarError with every fault. */
  world(scene: string | object | Scene, options?: WorldOptions): World;
  /** Bytes of the heap. It grows when needed and never shrinks. */
  readonly memory: number;
  /** That there are, 1 or as many as were asked for. */
  readonly threads: number;
  /** Ends the engine and its threads; worlds are lost. */
  terminate(): void;
}

export interface WorldOptions {
  files?: Scene['files'];
  /** For messages. */
  name?: string;
  /** Told after every frame in which a garment of the scene is dressed, which takes many seconds; false ends it with an
   * error. */
  dressing?: (progress: Dressing) => boolean | void;
}

/** How far the garments of a scene are. */
export interface Dressing {
  /** Character and garment. */
  label: string;
  /** From 0; of so many. */
  garment: number;
  count: number;
  /** "placing", "sewing", "merging", "growing", "settling" … */
  phase: string;
  /** Of this garment, about: 0 … 1. It may go back. */
  share: number;
}

/** What the engine refuses, in the words of the command line. */
export class TelarError extends Error {
  /** "input", "memory", "file", "unsupported", "unstable"; "fatal": the module is broken, `create` a new one. */
  readonly code: 'input' | 'memory' | 'file' | 'unsupported' | 'unstable' | 'fatal';
  /** In the JSON of the scene, from 1; 0 when unknown. */
  readonly line: number;
  /** The parameter, "" when unknown. */
  readonly path: string;
  /** All of them, the first is this error. */
  readonly faults: readonly { message: string; line: number; path: string }[];
}

export interface StepResult {
  ok: boolean;
  /** Why the frame was rejected (unstable): the cloth, the cause and the cure. Everything else moved on. "" when ok. */
  message: string;
}

export interface World {
  /** s since the start. */
  readonly time: number;
  /** Steps since the start. */
  readonly frame: number;
  /** As the scene has them. */
  readonly title: string;
  readonly description: string;
  /** Of the scene: frames per second, so that dt = 1/fps repeats what the command line does, and the number of frames. */
  readonly fps: number;
  readonly frames: number;
  readonly cloths: readonly Cloth[];
  readonly bodies: readonly Body[];
  /** What the garments of the scene look like when they are worn, by name: among the files of the next world with the same
   * garments they are put on at once instead of being dressed. */
  readonly worn: Record<string, Uint8Array>;
  /** Advances by dt seconds. A rejected frame (unstable) is not an exception: the world lives on. */
  step(dt: number): StepResult;
  /** Builds the world again from its scene, with every parameter that was set. */
  reset(): void;
  /** Hash of the state, 16 hexadecimal digits: the same as native Telar's for the same scene and steps. */
  hash(): string;
  /** The state as bytes, for `restore` into a world of the same scene. */
  save(): Uint8Array;
  restore(bytes: Uint8Array): void;
  /** Throws TelarError when the path or value is refused. "rebuild": takes effect at the next `reset`. */
  set(path: string, value: Value): 'live' | 'rebuild';
  get(path: string): Value;
  isLive(path: string): boolean;
  /** The scene as it is now, JSON text: only what differs from the defaults. */
  json(): string;
  /** Adds a body to the running world; `reset` keeps it. Parameters by name: { shape: 'box', position: [0, 1, 0] }. */
  addBody(parameters: Record<string, Value>): Body;
  addSphere(center: Vec3, radius: number, friction?: number): Body;
  /** Velocity of the air, m/s. */
  windAt(position: Vec3): [number, number, number];
  /** Of triangles of all cloths; costs a search over all of them. */
  countIntersections(): number;
  /** Times of the last step. `seconds` is wall time. */
  stages(): Stage[];
  /** Records every stage and phase of the next steps for `trace`. */
  tracing: boolean;
  trace(): TraceEntry[];
  destroy(): void;
}

export interface Stage {
  /** "forces", "step", "contact", "finish" */
  name: string;
  seconds: number;
}

export interface TraceEntry {
  name: string;
  /** -1: the world. */
  cloth: number;
  substep: number;
  start: number;
  seconds: number;
  count: number;
  counts: string;
}

/** Arrays are views on the engine's heap, made when they are read: valid until the next call that changes the world, and
 * read again after it. Copy what is to be kept. Three numbers per vertex where not said otherwise. */
export interface Cloth {
  readonly index: number;
  readonly label: string;
  /** The one at work, also where the scene says "automatic". */
  readonly stepper: string;
  readonly vertexCount: number;
  readonly positions: Float32Array;
  /** Between the start (0) and the end (1) of the last step. */
  blended(blend: number): Float32Array;
  readonly velocities: Float32Array;
  readonly normals: Float32Array;
  readonly forces: Float32Array;
  /** One number per vertex: */
  readonly strains: Float32Array;
  readonly speeds: Float32Array;
  readonly contactForces: Float32Array;
  readonly masses: Float32Array;
  /** Two per vertex; null when the mesh has none. */
  readonly uv: Float32Array | null;
  /** Three vertices each. */
  readonly triangles: Uint32Array;
  /** Two vertices each, of the links that are switched on; a copy. */
  links(): Uint32Array;
  readonly statistics: Statistics;
  /** "" or what the user should know when the method is far from the material. */
  readonly advice: string;
  pin(vertex: number, held?: boolean): void;
  pinned(vertex: number): boolean;
  /** Reached at the end of the next step. */
  movePin(vertex: number, position: Vec3): void;
  /** N, during the next step. */
  addForce(vertex: number, force: Vec3): void;
  /** Pins a vertex to a hand. */
  grab(vertex: number): Grab;
  /** Unpinned particles inside a body. */
  countPenetrating(): number;
  /** Bytes, 1 for each triangle that intersects another. */
  intersections(): Uint8Array;
  energies(): { kinetic: number; gravity: number; elastic: number; gas: number };
  momentum(): [number, number, number];
}

export interface Grab {
  readonly vertex: number;
  move(position: Vec3): void;
  /** Lets go; a vertex that was pinned before stays pinned where it is. */
  release(): void;
}

export interface Statistics {
  particles: number;
  /** Particles in the last frame, or control points of a NURBS surface. */
  simulated: number;
  links: number;
  faces: number;
  edges: number;
  substeps: number;
  parts: number;
  contacts: number;
  solver_iterations: number;
  pairs: number;
  rebuilds: number;
  truncated: number;
  rejected_frames: number;
  recoveries: number;
  largest_strain: number;
  largest_speed: number;
  material_error: number;
  volume: number;
  pressure: number;
  nrt: number;
  seconds_forces: number;
  seconds_step: number;
  seconds_contact: number;
  seconds_finish: number;
  seconds_model: number;
  seconds_gravity: number;
  seconds_elements: number;
  seconds_volume: number;
  seconds_gas: number;
  bytes: number;
}

export interface Body {
  readonly index: number;
  readonly label: string;
  /** "sphere", "box", "capsule", "ellipsoid", "plane", "mesh" */
  readonly shape: string;
  readonly size: [number, number, number];
  readonly on: boolean;
  /** kg; 0: static or kinematic. */
  readonly mass: number;
  readonly position: [number, number, number];
  readonly rotation: [number, number, number, number];
  /** Between the start (0) and the end (1) of the last step. */
  blended(blend: number): { position: [number, number, number]; rotation: [number, number, number, number] };
  readonly velocity: [number, number, number];
  /** Of cloth on the body in the last step, N·s. */
  readonly impulse: [number, number, number];
  /** Triangles to draw, in the body's frame; copies. Again when `size` or `deforms` changed. */
  mesh(detail?: number): { positions: Float32Array; normals: Float32Array | null; triangles: Uint32Array };
  /** Vertices of a mesh move on their own: `mesh()` differs from step to step. */
  readonly deforms: boolean;
  /** Target at the end of the next step. */
  move(position: Vec3, rotation?: Quat): void;
}

// ---- in a worker ----------------------------------------------------------------------------------------------

export interface WorkerOptions extends Omit<CreateOptions, 'log'> {
  /** A worker of your own that runs `telar/worker`, where the bundler wants to see it. */
  worker?: Worker;
}

/** As `create`, but everything runs in a worker (a thread in node) and answers with promises. */
export function createInWorker(options?: WorkerOptions): Promise<RemoteTelar>;

export interface RemoteTelar {
  readonly version: string;
  readonly threads: number;
  readonly parameters: readonly Parameter[];
  list(kind: Parameters<Telar['list']>[0]): Promise<readonly Named[]>;
  world(scene: string | object | Scene, options?: WorldOptions): Promise<RemoteWorld>;
  scene(name: string): Promise<Scene>;
  terminate(): void;
}

/** Positions and normals of all cloths and the poses of all bodies after a step. The buffers are transferred: they belong
 * to the receiver, who may hand them back with `recycle`. */
export interface RemoteState {
  time: number;
  frame: number;
  result: StepResult;
  cloths: { positions: Float32Array; normals: Float32Array }[];
  bodies: { position: [number, number, number]; rotation: [number, number, number, number] }[];
}

export interface RemoteWorld {
  /** Of each cloth: what does not change. */
  readonly cloths: { vertexCount: number; triangles: Uint32Array; uv: Float32Array | null; label: string }[];
  readonly bodies: { shape: string; size: [number, number, number]; label: string }[];
  readonly worn: World['worn'];
  step(dt: number, count?: number): Promise<RemoteState>;
  state(): Promise<RemoteState>;
  recycle(state: RemoteState): void;
  /** Any method of World, of a cloth or of a body: call('set', 'wind.velocity', [1, 0, 0]), call('cloths[0].pin', 3). */
  call(method: string, ...args: unknown[]): Promise<any>;
  set(path: string, value: Value): Promise<'live' | 'rebuild'>;
  get(path: string): Promise<Value>;
  hash(): Promise<string>;
  reset(): Promise<void>;
  destroy(): Promise<void>;
}
