// Worlds with their cloths and bodies. Arrays are views on the engine's heap, made when they are asked for: the heap's
// buffer is another one after it has grown.
import { bytesOf, TelarError } from './engine.js';

const textOf = (value) =>
  Array.isArray(value) || ArrayBuffer.isView(value) ? `[${Array.from(value, textOf).join(', ')}]`
  : value === Infinity ? 'inf'
  : String(value);

const numberOf = (text) => (text === 'inf' ? Infinity : text === '-inf' ? -Infinity : Number(text));

export class World {
  #engine;
  #rows;
  #name;
  #files;
  #dressing;
  #bodyList;
  #tracing = false;

  constructor(engine, rows, text, name, files, dressing) {
    this.#engine = engine;
    this.#rows = rows;
    this.#name = name;
    this.#files = files;
    this.#dressing = dressing;
    const bytes = bytesOf(text);
    this.handle = engine.with([bytes, name], (t, n) => engine.call.scene_create(t, bytes.length, n));
    if (!this.handle) engine.failWithFaults(name);
    this.frame = 0;
    try {
      this.#build();
    } catch (error) {
      if (!engine.broken) engine.call.scene_destroy(this.handle);
      this.handle = 0;
      throw error;
    }
  }

  #build() {
    const engine = this.#engine;
    let built = false;
    try {
      const folder = this.#name.slice(0, this.#name.lastIndexOf('/') + 1); // files are relative to the scene
      for (const [file, content] of Object.entries(this.#files))
        engine.with([/^(\/|worn\/)/.test(file) ? file : folder + file, bytesOf(content)], (n, b) => {
          if (!engine.call.file(n, b, bytesOf(content).length))
            throw new TelarError(`not enough memory for the file ${file}`, 'memory');
        });
      built = engine.withDressing(this.#dressing, () => engine.call.scene_build(this.handle));
      this.worn = built ? engine.worn() : {};
      this.#files = { ...this.#files, ...this.worn }; // dressed once
    } finally {
      if (!engine.broken) engine.call.files_clear();
    }
    if (!built) engine.failWithFaults(this.#name);
    for (const cloth of this.cloths ?? []) cloth.forget();
    this.cloths = Array.from({ length: engine.call.cloth_count(this.handle) }, (_, i) => new Cloth(engine, this, i));
    this.#bodyList = Array.from({ length: engine.call.body_count(this.handle) }, (_, i) => new Body(engine, this, i));
    this.frame = 0;
    engine.flushLog();
    if (this.#tracing) engine.call.trace_on(this.handle, true);
  }

  get #world() {
    if (!this.handle) throw new TelarError('the world is destroyed', 'input');
    return this.handle;
  }

  get bodies() {
    return this.#bodyList;
  }

  get time() {
    return this.#engine.call.time(this.#world);
  }

  get title() {
    return this.#engine.text(this.#engine.call.title(this.#world));
  }

  get description() {
    return this.#engine.text(this.#engine.call.description(this.#world));
  }

  get fps() {
    return this.#engine.call.fps(this.#world);
  }

  get frames() {
    return this.#engine.call.frames(this.#world);
  }

  step(dt) {
    const ok = Boolean(this.#engine.call.step(this.#world, dt));
    if (!ok && this.#engine.call.error_code() !== 5 /* unstable: the world goes on */) this.#engine.fail();
    ++this.frame;
    this.#engine.flushLog();
    return { ok, message: ok ? '' : this.#engine.text(this.#engine.call.error()) };
  }

  reset() {
    this.#world; // throws when it is destroyed
    this.#build();
  }

  hash() {
    return this.#engine.text(this.#engine.call.hash(this.#world));
  }

  save() {
    const engine = this.#engine;
    const size = engine.call.state_size(this.#world);
    const address = engine.allocate(size);
    try {
      if (!engine.call.save(this.#world, address, size)) engine.fail();
      return engine.bytes(address, size).slice();
    } finally {
      engine.call.free(address);
    }
  }

  restore(bytes) {
    this.#engine.with([bytes], (address) => {
      if (!this.#engine.call.restore(this.#world, address, bytes.length)) this.#engine.fail();
    });
  }

  #row(path) {
    return this.#rows.get(path.replace(/\[\d+\]/g, '[0]'));
  }

  set(path, value) {
    const answer = this.#engine.with([path, textOf(value)], (p, v) => this.#engine.call.set(this.#world, p, v));
    if (answer < 0) this.#engine.fail();
    return answer ? 'rebuild' : 'live';
  }

  get(path) {
    const address = this.#engine.with([path], (p) => this.#engine.call.get(this.#world, p));
    if (!address) this.#engine.fail();
    const text = this.#engine.text(address);
    switch (this.#row(path)?.type) {
      case 'real':
      case 'int':
      case 'list':
        return numberOf(text);
      case 'bool':
        return text === 'true';
      case 'vec3':
        return text.slice(1, -1).split(',').map((x) => numberOf(x.trim()));
      default:
        return text;
    }
  }

  isLive(path) {
    const row = this.#row(path);
    if (!row) this.get(path); // says what is wrong with it
    return Boolean(row?.live);
  }

  json() {
    const address = this.#engine.call.text(this.#world);
    return this.#engine.text(address) || this.#engine.fail();
  }

  addBody(parameters) {
    const engine = this.#engine;
    const index = engine.call.body_add(this.#world);
    if (index < 0) engine.fail();
    try {
      for (const [name, value] of Object.entries(parameters)) this.set(`body[${index}].${name}`, value);
    } catch (error) {
      engine.call.body_drop(this.#world, index);
      throw error;
    }
    if (!engine.call.bodies_make(this.#world)) engine.fail();
    this.#bodyList = [...this.#bodyList, new Body(engine, this, index)];
    return this.#bodyList[index];
  }

  addSphere(center, radius, friction = 0.4) {
    return this.addBody({ shape: 'sphere', position: center, size: [radius, radius, radius], friction });
  }

  windAt([x, y, z]) {
    return [...this.#engine.floats(this.#engine.call.wind_at(this.#world, x, y, z), 3)];
  }

  countIntersections() {
    return this.#engine.call.intersections(this.#world);
  }

  stages() {
    const sums = { forces: 0, step: 0, contact: 0, finish: 0 };
    for (const { statistics } of this.cloths)
      for (const name of Object.keys(sums)) sums[name] += statistics[`seconds_${name}`];
    return Object.entries(sums).map(([name, seconds]) => ({ name, seconds }));
  }

  get tracing() {
    return this.#tracing;
  }

  set tracing(on) {
    this.#tracing = Boolean(on);
    this.#engine.call.trace_on(this.#world, this.#tracing);
  }

  trace() {
    return JSON.parse(this.#engine.text(this.#engine.call.trace(this.#world)));
  }

  destroy() {
    if (!this.handle) return;
    for (const cloth of this.cloths) cloth.forget();
    const handle = this.handle;
    this.handle = 0;
    if (!this.#engine.broken) this.#engine.call.scene_destroy(handle);
  }
}

class Cloth {
  #engine;
  #world;
  #speeds = 0; // address of an array of our own
  #views = new Map();

  constructor(engine, world, index) {
    this.#engine = engine;
    this.#world = world;
    this.index = index;
    this.vertexCount = engine.call.vertex_count(world.handle, index);
  }

  // Frees what the cloth has on the heap; called by its world.
  forget() {
    if (this.#speeds && !this.#engine.broken) this.#engine.call.free(this.#speeds);
    this.#speeds = 0;
    this.#views.clear();
  }

  #ask(name, ...a) {
    if (!this.#world.handle || this.#world.cloths[this.index] !== this)
      throw new TelarError('the cloth belongs to a world that was destroyed or built again', 'input');
    return this.#engine.call[name](this.#world.handle, this.index, ...a);
  }

  // The view made last time, unless the heap has grown or the array has moved.
  #view(name, address, count, make = 'floats') {
    address >>>= 0;
    if (!address) throw new TelarError('not enough memory', 'memory');
    const last = this.#views.get(name);
    if (last && last.buffer === this.#engine.buffer && last.byteOffset === address && last.length === count) return last;
    const view = this.#engine[make](address, count);
    this.#views.set(name, view);
    return view;
  }

  get label() {
    return this.#engine.text(this.#ask('cloth_label'));
  }

  get stepper() {
    return this.#engine.text(this.#ask('cloth_stepper'));
  }

  get positions() {
    return this.#view('positions', this.#ask('positions'), 3 * this.vertexCount);
  }

  blended(blend) {
    return this.#view('blended', this.#ask('blended', blend), 3 * this.vertexCount);
  }

  get velocities() {
    return this.#view('velocities', this.#ask('velocities'), 3 * this.vertexCount);
  }

  get normals() {
    return this.#view('normals', this.#ask('normals'), 3 * this.vertexCount);
  }

  get forces() {
    return this.#view('forces', this.#ask('forces'), 3 * this.vertexCount);
  }

  get strains() {
    return this.#view('strains', this.#ask('strains'), this.vertexCount);
  }

  get speeds() {
    this.#speeds ||= this.#engine.allocate(4 * this.vertexCount);
    if (!this.#ask('speeds', this.#speeds)) throw new TelarError('not enough memory', 'memory');
    return this.#view('speeds', this.#speeds, this.vertexCount);
  }

  get contactForces() {
    return this.#view('contactForces', this.#ask('contact_forces'), this.vertexCount);
  }

  get masses() {
    return this.#view('masses', this.#ask('masses'), this.vertexCount);
  }

  get uv() {
    const address = this.#ask('uv');
    return address ? this.#view('uv', address, 2 * this.vertexCount) : null;
  }

  get triangles() {
    return this.#view('triangles', this.#ask('triangles'), 3 * this.#ask('triangle_count'), 'words');
  }

  links() {
    const count = this.#ask('links', 0, 0);
    const address = this.#engine.allocate(8 * count);
    this.#ask('links', address, count);
    const links = this.#engine.words(address, 2 * count).slice();
    this.#engine.call.free(address);
    return links;
  }

  get statistics() {
    this.#engine.statisticsNames ??= this.#engine.text(this.#engine.call.statistics_names()).trim().split(' ');
    const names = this.#engine.statisticsNames;
    const figures = this.#engine.doubles(this.#ask('statistics'), names.length);
    return Object.fromEntries(names.map((name, k) => [name, figures[k]]));
  }

  get advice() {
    return this.#engine.text(this.#ask('advice'));
  }

  #check(done) {
    if (!done) this.#engine.fail();
  }

  pin(vertex, held = true) {
    this.#check(this.#ask('pin', vertex, held));
  }

  pinned(vertex) {
    return Boolean(this.#ask('pinned', vertex));
  }

  movePin(vertex, [x, y, z]) {
    this.#check(this.#ask('pin_move', vertex, x, y, z));
  }

  addForce(vertex, [x, y, z]) {
    this.#check(this.#ask('force', vertex, x, y, z));
  }

  grab(vertex) {
    const wasPinned = this.pinned(vertex);
    this.pin(vertex);
    return {
      vertex,
      move: (position) => this.movePin(vertex, position),
      release: () => {
        if (!wasPinned) this.pin(vertex, false);
      },
    };
  }

  countPenetrating() {
    return this.#ask('penetrating');
  }

  intersections() {
    const count = this.#ask('triangle_count');
    const address = this.#engine.allocate(count);
    this.#ask('cloth_intersections', address);
    const faces = this.#engine.bytes(address, count).slice();
    this.#engine.call.free(address);
    return faces;
  }

  energies() {
    const [kinetic, gravity, elastic, gas] = this.#engine.doubles(this.#ask('energies'), 4);
    return { kinetic, gravity, elastic, gas };
  }

  momentum() {
    return [...this.#engine.doubles(this.#ask('energies'), 7).slice(4)];
  }
}

class Body {
  #engine;
  #world;

  constructor(engine, world, index) {
    this.#engine = engine;
    this.#world = world;
    this.index = index;
  }

  #ask(name, ...a) {
    if (!this.#world.handle || this.#world.bodies[this.index] !== this)
      throw new TelarError('the body belongs to a world that was destroyed or built again', 'input');
    return this.#engine.call[name](this.#world.handle, this.index, ...a);
  }

  #state(from, count, blend = 1) {
    return [...this.#engine.doubles(this.#ask('body_state', blend) + 8 * from, count)];
  }

  get label() {
    return this.#engine.text(this.#ask('body_label'));
  }

  get shape() {
    return this.#engine.text(this.#ask('body_shape'));
  }

  get on() {
    return Boolean(this.#ask('body_on'));
  }

  get position() {
    return this.#state(0, 3);
  }

  get rotation() {
    return this.#state(3, 4);
  }

  blended(blend) {
    const pose = this.#state(0, 7, blend);
    return { position: pose.slice(0, 3), rotation: pose.slice(3) };
  }

  get velocity() {
    return this.#state(7, 3);
  }

  get impulse() {
    return this.#state(10, 3);
  }

  get size() {
    return this.#state(13, 3);
  }

  get mass() {
    return this.#state(16, 1)[0];
  }

  get deforms() {
    return Boolean(this.#ask('body_deforms'));
  }

  mesh(detail = 64) {
    const engine = this.#engine;
    const address = this.#ask('body_mesh', detail);
    if (!address) engine.fail();
    const [vertices, triangles, positions, corners, normals] = engine.words(address, 5);
    return {
      positions: engine.floats(positions, 3 * vertices).slice(),
      normals: normals ? engine.floats(normals, 3 * vertices).slice() : null,
      triangles: engine.words(corners, 3 * triangles).slice(),
    };
  }

  move([x, y, z], rotation = this.rotation) {
    if (!this.#ask('body_move', x, y, z, ...rotation)) this.#engine.fail();
  }
}
