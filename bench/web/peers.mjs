// The hanging sheet of `telar bench hanging-sheet`, 71² particles, 2 m, held by two corners, in the WebAssembly builds of
// three engines. Bullet and Jolt take more and more sweeps until they stretch no more than Telar, or give up. The peers
// come from npm: `npm install ammojs-typed jolt-physics` in the folder named by TELAR_PEERS.
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const N = 71, SIDE = 2, DENSITY = 0.2, FRAMES = 120;
const SWEEPS = [5, 20, 80];

const at = (row, column) => [(SIDE * column) / (N - 1) - SIDE / 2, SIDE / 2 - (SIDE * row) / (N - 1),
  0.001 * Math.sin((12 * column) / N) * Math.sin((9 * row) / N)];

// Largest stretch between neighbours of a row or column; position(k) of particle row·N + column.
function stretch(position) {
  let largest = 0;
  for (let row = 0; row < N; ++row)
    for (let column = 0; column < N; ++column)
      for (const [r, c] of [[row, column + 1], [row + 1, column]])
        if (r < N && c < N) {
          const a = position(row * N + column), b = position(r * N + c);
          largest = Math.max(largest, Math.hypot(a[0] - b[0], a[1] - b[1], a[2] - b[2]) / (SIDE / (N - 1)) - 1);
        }
  return largest;
}

// Processor time of a frame, ms, and the stretch at the end.
function measure(step, position) {
  for (let k = 0; k < FRAMES / 2; ++k) step();
  const start = process.cpuUsage();
  for (let k = 0; k < FRAMES / 2; ++k) step();
  const { user, system } = process.cpuUsage(start);
  return { ms: (user + system) / 1e3 / (FRAMES / 2), stretch: stretch(position) };
}

function telarSheet(telar) {
  const world = telar.world({
    cloth: [{
      columns: N, rows: N, width: SIDE, height: SIDE, plane: 'vertical', center: [0, 0, 0], ripple: 0.001, density: DENSITY,
      stepper: 'xpbd', substeps: 3, air: { model: 'off' }, contact: 'bodies-only',
      link: { structural: { stiffness: 1000000 }, shear: { stiffness: 10000 }, bend: { stiffness: 1 } },
      pin: [{ where: 'corner', name: 'top-left' }, { where: 'corner', name: 'top-right' }],
    }],
  });
  const x = (k) => world.cloths[0].positions.subarray(3 * k, 3 * k + 3);
  const result = measure(() => world.step(1 / 60), x);
  world.destroy();
  return { name: 'Telar', setting: '3 substeps', ...result };
}

function bulletSheet(Ammo, sweeps) {
  const configuration = new Ammo.btSoftBodyRigidBodyCollisionConfiguration();
  const world = new Ammo.btSoftRigidDynamicsWorld(new Ammo.btCollisionDispatcher(configuration), new Ammo.btDbvtBroadphase(),
    new Ammo.btSequentialImpulseConstraintSolver(), configuration, new Ammo.btDefaultSoftBodySolver());
  const gravity = new Ammo.btVector3(0, -9.81, 0);
  world.setGravity(gravity);
  world.getWorldInfo().set_m_gravity(gravity);
  const corner = (r, c) => new Ammo.btVector3(...at(r, c));
  const cloth = new Ammo.btSoftBodyHelpers().CreatePatch(world.getWorldInfo(), corner(0, 0), corner(0, N - 1), corner(N - 1, 0),
    corner(N - 1, N - 1), N, N, 1 + 2, true);
  cloth.setTotalMass(DENSITY * SIDE * SIDE, false);
  cloth.get_m_cfg().set_piterations(sweeps);
  cloth.get_m_cfg().set_collisions(0);
  world.addSoftBody(cloth, 1, -1);
  const nodes = cloth.get_m_nodes();
  const x = (k) => {
    const p = nodes.at(k).get_m_x();
    return [p.x(), p.y(), p.z()];
  };
  return measure(() => world.stepSimulation(1 / 60, 0, 1 / 60), x);
}

function joltSheet(Jolt, sweeps) {
  const settings = new Jolt.JoltSettings();
  const pairs = new Jolt.ObjectLayerPairFilterTable(1);
  const layers = new Jolt.BroadPhaseLayerInterfaceTable(1, 1);
  layers.MapObjectToBroadPhaseLayer(0, new Jolt.BroadPhaseLayer(0));
  settings.mObjectLayerPairFilter = pairs;
  settings.mBroadPhaseLayerInterface = layers;
  settings.mObjectVsBroadPhaseLayerFilter = new Jolt.ObjectVsBroadPhaseLayerFilterTable(layers, 1, pairs, 1);
  settings.mMaxWorkerThreads = 0;
  const jolt = new Jolt.JoltInterface(settings);
  const shared = new Jolt.SoftBodySharedSettings();
  const vertex = new Jolt.SoftBodySharedSettingsVertex();
  for (let row = 0; row < N; ++row)
    for (let column = 0; column < N; ++column) {
      [vertex.mPosition.x, vertex.mPosition.y, vertex.mPosition.z] = at(row, column);
      const held = row === 0 && column % (N - 1) === 0;
      vertex.mInvMass = held ? 0 : (N * N) / (DENSITY * SIDE * SIDE);
      shared.mVertices.push_back(vertex);
    }
  const face = new Jolt.SoftBodySharedSettingsFace(0, 0, 0, 0);
  const add = (...corners) => {
    corners.forEach((v, k) => face.set_mVertex(k, v));
    shared.AddFace(face);
  };
  for (let row = 0; row + 1 < N; ++row)
    for (let column = 0; column + 1 < N; ++column) {
      const a = row * N + column;
      add(a, a + N, a + 1);
      add(a + 1, a + N, a + N + 1);
    }
  const attributes = new Jolt.SoftBodySharedSettingsVertexAttributes();
  attributes.mCompliance = 1e-6;
  attributes.mShearCompliance = 1e-4;
  attributes.mBendCompliance = 1;
  attributes.mLRAType = Jolt.SoftBodySharedSettings_ELRAType_EuclideanDistance;
  shared.CreateConstraints(attributes, 1, Jolt.SoftBodySharedSettings_EBendType_Distance);
  shared.Optimize();
  const creation = new Jolt.SoftBodyCreationSettings(shared, new Jolt.RVec3(0, 0, 0), Jolt.Quat.prototype.sIdentity(), 0);
  creation.mNumIterations = sweeps;
  creation.mUpdatePosition = false;
  const bodies = jolt.GetPhysicsSystem().GetBodyInterface();
  const body = bodies.CreateSoftBody(creation);
  bodies.AddBody(body.GetID(), Jolt.EActivation_Activate);
  const motion = Jolt.castObject(body.GetMotionProperties(), Jolt.SoftBodyMotionProperties);
  const x = (k) => {
    const p = motion.GetVertex(k).mPosition;
    return [p.GetX(), p.GetY(), p.GetZ()];
  };
  return measure(() => jolt.Step(1 / 60, 1), x);
}

function search(name, what, make, goal, results) {
  for (const sweeps of SWEEPS) {
    const result = { name, setting: `${sweeps} ${what}`, ...make(sweeps) };
    results.push(result);
    if (result.stretch <= goal) return;
  }
}

export async function peers(telar) {
  const own = telarSheet(telar);
  const results = [own];
  const folder = process.env.TELAR_PEERS ?? '.';
  const require = createRequire(pathToFileURL(join(folder, 'package.json')));
  const find = (name) => {
    try {
      return require.resolve(name);
    } catch {
      return null;
    }
  };
  const bullet = find('ammojs-typed/wasm'), jolt = find('jolt-physics');
  if (bullet) {
    const factory = require(bullet);
    const wasm = (await import('node:fs')).readFileSync(bullet.replace(/\.js$/, '.wasm'));
    const Ammo = await factory.call({}, { wasmBinary: wasm });
    search('Bullet', 'sweeps', (sweeps) => bulletSheet(Ammo, sweeps), own.stretch, results);
  }
  if (jolt) {
    const { default: factory } = await import(pathToFileURL(jolt));
    const Jolt = await factory();
    search('Jolt', 'sweeps, LRA', (sweeps) => joltSheet(Jolt, sweeps), own.stretch, results);
  }
  return results;
}
