// S3's menu, entry by entry: folders, order, defaults and ranges of the thesis, and what each means in Telar's parameters.
import type { Value } from '../sim/protocol';
import { valueOf, type SceneJson, type Table } from './document';

export type PanelValues = Record<string, Value>;

export interface PanelEntry {
    key: string; // in addresses: panel.key
    folder: string;
    label: string;
    help: string;
    type: 'bool' | 'number' | 'colour' | 'choice';
    low?: number;
    high?: number;
    step?: number;
    choices?: string[] | 'steppers';
    value: Value; // on first load
    rebuild?: boolean;
    /** What stands behind the number, such as "≙ 2.0 m/s". */
    note?: (value: Value, all: PanelValues) => string;
}

const WIND_PER_ROOT = 0.198; // m/s; S3's force on each corner of a face of spacing 5, as speed of the air

export function windSpeed(intensity: number): number {
    return WIND_PER_ROOT * Math.sqrt(Math.max(intensity, 0));
}

const isFlag = (page: string) => page === 's3/flag';
const hasBall = (page: string) => page === 's3/sheet';

/** Entries of S3's sheet or flag page. */
export function s3Entries(page: string): PanelEntry[] {
    const flag = isFlag(page);
    const entries: PanelEntry[] = [
        { key: 'windOn', folder: 'Wind', label: 'On', type: 'bool', value: true, help: 'Whether the air moves. On S3’s sheet page nothing blows until a direction is chosen.' },
        {
            key: 'intensity', folder: 'Wind', label: 'Intensity', type: 'number', low: 0, high: 500, step: 1, value: 100,
            help: 'S3’s force per face; as wind, its speed is 0.198 m/s times the root of it.',
            note: (v) => `≙ ${windSpeed(Number(v)).toFixed(1)} m/s`,
        },
        { key: 'random', folder: 'Wind', label: 'Random', type: 'bool', value: false, help: 'S3’s random wind: 200 + 20 cos(t/7) along (sin t/2, sin t/3, sin t). Intensity, X, Y and Z play no part in it.' },
        ...(['x', 'y', 'z'] as const).map((key): PanelEntry => ({
            key, folder: 'Wind', label: key.toUpperCase(), type: 'number', low: -1, high: 1, step: 1,
            value: flag ? { x: 1, y: -1, z: 0 }[key] : 0,
            help: flag
                ? `Direction of the wind along ${key}; on this page x is multiplied by 1 + sin t and z by sin t.`
                : `Direction of the wind along ${key}. The direction is normalised; 0, 0, 0 is no wind.`,
        })),
        { key: 'colour', folder: 'Cloth', label: 'Colour', type: 'colour', value: [0, 0, 1], help: 'Colour of the cloth. S3 had to start again for it.' },
        {
            key: 'elasticity', folder: 'Cloth', label: 'Elasticity', type: 'number', low: 0, high: 10, step: 0.1, value: 5,
            help: 'Stiffness of the links, ten times for every 2.5; had no effect in S3’s published code.',
        },
        {
            key: 'integrator', folder: 'Particle system', label: 'Integrator', type: 'choice', choices: 'steppers', value: 'xpbd',
            help: 'How the cloth is moved through time; S3 had verlet, and euler, which never ran. Can be changed while it runs.',
        },
        {
            key: 'nx', folder: 'Particle system', label: 'Particles X', type: 'number', low: 5, high: 500, step: 5, value: 100, rebuild: true,
            help: 'Segments along X, as S3 counts: 100 are 101 particles.', note: (v, all) => `${(Number(v) + 1) * (Number(all.ny) + 1)} particles`,
        },
        { key: 'ny', folder: 'Particle system', label: 'Particles Y', type: 'number', low: 5, high: 500, step: 5, value: 100, rebuild: true, help: 'Segments along Y, as S3 counts: 100 are 101 particles.' },
        {
            key: 'distance', folder: 'Particle system', label: 'Distance', type: 'number', low: 0.1, high: 20, step: 0.1, value: 5, rebuild: true,
            help: 'Distance between particles, cm.', note: (v, all) => `cm; ${((Number(v) * Number(all.nx)) / 100).toFixed(2)} m wide`,
        },
        {
            key: 'weight', folder: 'Particle system', label: 'Weight', type: 'number', low: 1, high: 100, step: 1, value: 10, rebuild: true,
            help: 'Heaviest over lightest particle: masses are 0.1 g times 1 … this.', note: (v) => (Number(v) <= 1 ? 'all alike' : `0.1 … ${(0.1 * Number(v)).toFixed(1)} g`),
        },
        { key: 'spread', folder: 'Particle system', label: 'Masses', type: 'choice', choices: ['equal', 'sinusoidal', 'random'], value: 'random', rebuild: true, help: 'How the masses differ (annex A of S3): all alike, along a sine, or at random.' },
        { key: 'structural', folder: 'Particle system', label: 'Structural', type: 'bool', value: true, help: 'Links along rows and columns.' },
        { key: 'shear', folder: 'Particle system', label: 'Shear', type: 'bool', value: true, help: 'Links across the diagonals.' },
        { key: 'bend', folder: 'Particle system', label: 'Bend', type: 'bool', value: true, help: 'Links over two segments.' },
    ];
    if (hasBall(page))
        entries.push(
            { key: 'ball', folder: 'Ball', label: 'On', type: 'bool', value: false, help: 'Whether the ball is there.' },
            { key: 'ballSize', folder: 'Ball', label: 'Size', type: 'number', low: 10, high: 500, step: 1, value: 100, help: 'Radius of the ball, cm; pushes the cloth while it is dragged.', note: () => 'cm' },
        );
    return entries;
}

export function panelDefaults(page: string): PanelValues {
    return Object.fromEntries(s3Entries(page).map(({ key, value }) => [key, value]));
}

/** The paths that entries of the panel stand for, with their values. */
export function pathsOf(page: string, panel: PanelValues, scene: SceneJson, table: Table): Map<string, Value> {
    const paths = new Map<string, Value>();
    const number = (key: string) => Number(panel[key]);
    const n = Math.hypot(number('x'), number('y'), number('z'));
    const random = panel.random === true;
    const on = panel.windOn === true && (random || n > 0);
    const speed = random ? windSpeed(200) : windSpeed(number('intensity'));
    // speeds of four digits: what a person would write, and the same text in every link
    const along = (v: number) => Number(((v * speed) / (n || 1)).toFixed(4)) + 0;
    paths.set('wind.kind', !on ? 'still' : random ? 'wandering' : isFlag(page) ? 'veering' : 'uniform');
    paths.set('wind.velocity', random ? [Number(speed.toFixed(4)), 0, 0] : [along(number('x')), along(number('y')), along(number('z'))]);
    paths.set('look.cloth_color', panel.colour);
    for (const link of ['structural', 'shear']) {
        const path = `cloth[0].link.${link}.stiffness`;
        const own = Number(valueOf(scene, table, path));
        paths.set(path, Number((own * 10 ** ((number('elasticity') - 5) / 2.5)).toPrecision(6)));
    }
    paths.set('cloth[0].stepper', panel.integrator);
    paths.set('cloth[0].columns', number('nx') + 1);
    paths.set('cloth[0].rows', number('ny') + 1);
    const width = Number(((number('nx') * number('distance')) / 100).toFixed(5));
    const height = Number(((number('ny') * number('distance')) / 100).toFixed(5));
    paths.set('cloth[0].width', width);
    paths.set('cloth[0].height', height);
    if (isFlag(page)) paths.set('cloth[0].center', [width / 2, 0.5 + height / 2, 0]); // at the pole, half a metre up
    const ratio = Math.max(1, Math.floor(number('weight')));
    paths.set('cloth[0].particle_mass', Number((0.0001 * ratio).toPrecision(6))); // of the heaviest
    paths.set('cloth[0].mass_ratio', ratio);
    // the same force of 98.1 dyn for every particle: the acceleration that gives the mean mass this weight
    paths.set('world.gravity', [0, -Number((19.62 / (ratio + 1)).toFixed(4)), 0]);
    paths.set('cloth[0].mass_spread', ratio > 1 ? panel.spread : 'equal');
    for (const link of ['structural', 'shear', 'bend']) paths.set(`cloth[0].link.${link}.on`, panel[link]);
    if (hasBall(page)) {
        const r = number('ballSize') / 100;
        paths.set('body[0].on', panel.ball);
        paths.set('body[0].size', [r, r, r]);
    }
    return paths;
}
