// The measurements: S3's largest sheet, S0's table 3.1, S2's grids, every stepper, shares per stage. Each runs in a worker
// of its own beside the page, which does not step meanwhile.
import type { App } from '../app';
import type { Client } from '../sim/client';
import type { Measured } from '../sim/protocol';
import type { SceneJson } from '../state/document';

export interface Line {
    particles: number;
    ms: number; // median of a frame
    fps: number;
    note?: string;
    published?: (number | string)[];
    stages?: Record<string, number>;
}

export interface Result {
    key: string;
    title: string;
    about: string;
    columns: string[]; // of `published`
    lines: Line[];
    labels: string[];
}

export const S3_PUBLISHED = 4300; // particles at 60 frames a second
const S0_SIZES = [11, 21, 31, 41, 51, 61, 71];
const S0_JS = [8.16, 27.37, 58.94, 102.11, 163.16, 226.32, 315.79];
const S0_CUDA = [2.09, 1.94, 1.64, 1.66, 1.67, 1.65, 1.67];
const S2_SIZES = [10, 20, 30, 40, 60];
const S2_FPS = [800, 190, 80, 45, 20];

function median(values: number[]): number {
    const sorted = [...values].sort((a, b) => a - b);
    return sorted[Math.floor(sorted.length / 2)] ?? 0;
}

function line(measured: Measured, published?: (number | string)[]): Line {
    const ms = median(measured.stepMs);
    const note = measured.rejected ? `${measured.rejected} frames rejected` : '';
    return { particles: measured.particles, ms, fps: 1000 / Math.max(ms, 1e-6), note, published, stages: measured.stages };
}

/** S3's sheet on its ball and floor, by XPBD or by S3's own scheme. */
function s3Sheet(segments: number, stepper: string): SceneJson {
    const own = stepper === 'projection';
    return {
        scene: { fps: own ? 55.5556 : 60 },
        cloth: [{
            columns: segments + 1, rows: segments + 1, width: 0.05 * segments, height: 0.05 * segments, center: [0, 2, 0], particle_mass: 0.001,
            mass_spread: 'random', mass_ratio: 10, damping: 1.7, thickness: 0.012, material: 'springs',
            link: { structural: { stiffness: 5000, damping: 0 }, shear: { stiffness: 60, damping: 0 }, bend: { stiffness: 0.5, damping: 0 } },
            stepper, ...(own ? { substeps: 1, iterations: 1, multilevel: { on: false }, tether: { on: false }, extra_sweeps: 0 } : { substep_rate: 480 }),
        }],
        body: [{ shape: 'sphere', position: [0, 0, 0], size: [1, 1, 1] }, { shape: 'plane', position: [0, -2.5, 0] }],
    };
}

/** S0's table: a continuum sheet on a cube. */
function s0Cube(side: number): SceneJson {
    return {
        scene: { fps: 62.5 },
        cloth: [{
            columns: side, rows: side, width: 2, height: 2, center: [0, 1.5, 0], density: 0.2, material: 'continuum',
            continuum: { stretch: { stiffness: 500, damping: 0.2 }, shear: { stiffness: 50, damping: 0.2 }, bend: { stiffness: 1e-5, damping: 2e-6 } },
            stepper: 'verlet', schedule: 's0-4.5', substeps: 10, damping: 6.281, thickness: 0.01, air: { model: 'off' },
        }],
        body: [{ shape: 'box', position: [0, 0.5, 0], size: [0.9, 1, 0.9], friction: 'inf' }, { shape: 'plane', friction: 'inf' }],
    };
}

/** S2's sheet on a sphere: links to 20 neighbours. */
function s2Sphere(side: number): SceneJson {
    return {
        world: { gravity: [0, -0.4, 0] },
        cloth: [{
            columns: side, rows: side, width: 4, height: 4, particle_mass: 1, material: 'springs20', link: { disc: { stiffness: 40, damping: 2 } },
            stepper: 'verlet', substeps: 4, damping: 0.3, thickness: 0.05, center: [0, 2.2, 0],
        }],
        body: [{ shape: 'sphere', position: [0, 1, 0], size: [1, 1, 1], friction: 0.5 }],
    };
}

export async function bench(app: App, quick: boolean, progress: (text: string, results: Result[]) => void): Promise<Result[]> {
    const playing = app.playing;
    app.play(false);
    const client = await app.another();
    const results: Result[] = [];
    try {
        for (const job of [largest, table31, grids, steppers, surfaces]) {
            results.push(await job(client, app, quick, (text) => progress(text, results)));
            progress('', results);
        }
    } finally {
        client.stop();
        app.play(playing);
    }
    return results;
}

type Job = (client: Client, app: App, quick: boolean, say: (text: string) => void) => Promise<Result>;

const run = (client: Client, scene: SceneJson, warm: number, frames: number) => client.ask('measure', { json: JSON.stringify(scene), warm, frames });

const largest: Job = async (client, _, quick, say) => {
    const lines: Line[] = [];
    const labels: string[] = [];
    for (const [stepper, name] of [['xpbd', 'XPBD, 8 substeps'], ['projection', 'S3’s own scheme']] as const) {
        const sizes = quick ? [10, 40] : [10, 20, 30, 40, 50, 60, 65, 80, 100, 120, 150, 200, 250, 300, 400, 500];
        for (const segments of sizes) {
            say(`${name}: ${segments} × ${segments} segments`);
            const frames = quick ? 10 : segments > 150 ? 40 : 120;
            const measured = line(await run(client, s3Sheet(segments, stepper), quick ? 5 : 90, frames));
            lines.push(measured);
            labels.push(name);
            if (measured.fps < 30) break;
        }
    }
    return { key: 'largest', title: 'Largest sheet at 60 frames a second', about: `S3’s sheet on ball and floor, simulation alone. S3 reached ${S3_PUBLISHED} particles.`, columns: [], lines, labels };
};

const table31: Job = async (client, _, quick, say) => {
    const lines: Line[] = [];
    for (let k = 0; k < (quick ? 2 : S0_SIZES.length); k++) {
        say(`S0’s table 3.1: ${S0_SIZES[k] ** 2} particles`);
        lines.push(line(await run(client, s0Cube(S0_SIZES[k]), quick ? 10 : 540, quick ? 10 : 60), [S0_JS[k], S0_CUDA[k]]));
    }
    return { key: 's0-table-3.1', title: 'A sheet on a cube, ms a frame after 600 frames', about: 'S0’s table 3.1: the same sizes and scene.', columns: ['S0 JavaScript', 'S0 CUDA'], lines, labels: [] };
};

const grids: Job = async (client, _, quick, say) => {
    const lines: Line[] = [];
    for (let k = 0; k < (quick ? 2 : S2_SIZES.length); k++) {
        say(`S2: ${S2_SIZES[k]} × ${S2_SIZES[k]}`);
        lines.push(line(await run(client, s2Sphere(S2_SIZES[k]), quick ? 5 : 120, quick ? 10 : 120), [`${S2_FPS[k]} fps`]));
    }
    return { key: 's2-grids', title: 'S2’s grids on a sphere', about: 'Links to 20 neighbours, four steps a frame.', columns: ['S2'], lines, labels: [] };
};

const steppers: Job = async (client, app, quick, say) => {
    const lines: Line[] = [];
    const labels: string[] = [];
    const names = (app.table.find('cloth[0].stepper')?.choices ?? []).filter((name) => name !== 'automatic');
    for (const name of quick ? names.slice(0, 2) : names) {
        say(`${name} at 101 × 101`);
        const scene = s3Sheet(quick ? 20 : 100, name);
        const [cloth] = scene.cloth as SceneJson[];
        delete cloth.substep_rate;
        delete cloth.substeps;
        lines.push(line(await run(client, scene, quick ? 2 : 10, quick ? 4 : 20)));
        labels.push(name);
    }
    return { key: 'steppers', title: 'Every stepper on S3’s sheet of 101 × 101', about: 'With the substeps that each takes by itself; a frame is 1/60 s.', columns: [], lines, labels };
};

/** What S3 names as future work: control points in place of particles, always or while no body is near. */
const surfaces: Job = async (client, _, quick, say) => {
    const lines: Line[] = [];
    const labels: string[] = [];
    for (const [surface, name] of [['particles', 'particles'], ['nurbs', 'NURBS surface, 14 × 14'], ['hybrid', 'NURBS until the ball is near']]) {
        say(`${name}, falling on the ball`);
        const scene = s3Sheet(quick ? 20 : 100, 'xpbd');
        Object.assign((scene.cloth as SceneJson[])[0], { surface, nurbs: { columns: 14, rows: 14 } });
        for (const [when, warm, frames] of [['in the air', 2, quick ? 4 : 20], ['on the ball', quick ? 4 : 150, quick ? 4 : 30]] as const) {
            lines.push(line(await run(client, scene, warm, frames)));
            labels.push(`${name}, ${when}`);
        }
    }
    return { key: 'nurbs', title: 'Sheet as a NURBS surface, and as a hybrid', about: 'S3’s sheet by XPBD. A surface without particles touches nothing.', columns: [], lines, labels };
};

/** The largest count that keeps 60 frames a second, per label. */
export function largestAt60(result: Result): Map<string, number> {
    const best = new Map<string, number>();
    result.lines.forEach(({ particles, fps }, k) => {
        if (fps >= 60) best.set(result.labels[k], Math.max(best.get(result.labels[k]) ?? 0, particles));
    });
    return best;
}

export function csvOf(results: Result[]): string {
    const rows = ['table,label,particles,ms_per_frame,frames_per_second,published'];
    for (const { key, lines, labels } of results)
        lines.forEach(({ particles, ms, fps, published }, k) =>
            rows.push([key, labels[k] ?? '', particles, ms.toFixed(4), fps.toFixed(1), (published ?? []).join(' / ')].map((cell) => (/[",]/.test(String(cell)) ? `"${String(cell).replaceAll('"', '""')}"` : cell)).join(',')));
    return rows.join('\n') + '\n';
}
