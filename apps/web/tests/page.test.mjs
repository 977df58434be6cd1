// The ten behaviours of the playground, read from `window.telar`. Nothing here depends on how fast the machine is.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, describe, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { open, openStill, start, stop } from './browser.mjs';

const NATIVE = process.env.TELAR ?? fileURLToPath(new URL('../../../build/release/telar', import.meta.url));

before(start);
after(stop);

/** Heights, centre of mass and the like of the first cloth. */
const measure = () => {
    const x = window.telar.positions();
    const n = x.length / 3;
    let low = Infinity, high = -Infinity;
    const centre = [0, 0, 0];
    for (let k = 0; k < n; k++) {
        low = Math.min(low, x[3 * k + 1]);
        high = Math.max(high, x[3 * k + 1]);
        for (let c = 0; c < 3; c++) centre[c] += x[3 * k + c] / n;
    }
    return { low, high, spread: high - low, centre };
};

describe('1: it loads', () => {
    test('S3’s sheet has 10 201 particles, shows a picture, and nothing is wrong', async () => {
        const { page, run, faults, close } = await open('#s3/sheet');
        await page.waitForFunction(() => window.telar.pictures > 0);
        assert.equal(await run(() => window.telar.particles), 10201);
        const started = await run(() => performance.getEntriesByType('navigation')[0].domContentLoadedEventEnd);
        assert.ok(started < 30000);
        const colours = await page.evaluate(async () => {
            // what is on the canvas just after a picture has been drawn
            const canvas = document.getElementById('canvas');
            const seen = new Set();
            await new Promise((done) => requestAnimationFrame(done));
            const small = document.createElement('canvas');
            small.width = small.height = 32;
            const g = small.getContext('2d');
            for (let k = 0; k < 40 && seen.size < 8; k++) {
                await new Promise((done) => requestAnimationFrame(done));
                g.drawImage(canvas, 0, 0, 32, 32);
                for (const v of new Uint32Array(g.getImageData(0, 0, 32, 32).data.buffer)) seen.add(v);
            }
            return seen.size;
        });
        assert.ok(colours > 8, `the picture has ${colours} colours`);
        assert.deepEqual(faults, []);
        assert.deepEqual(await run(() => window.telar.errors), []);
        await close();
    });

    test('S3’s panel has its entries with their defaults', async () => {
        const { page, run, close } = await openStill('#s3/sheet');
        if (!(await run(() => window.telar.panelShown))) await page.keyboard.press('h');
        const labels = await page.$$eval('[data-path^="panel."]', (rows) => rows.map((row) => row.dataset.path.slice(6)));
        assert.deepEqual(labels, ['windOn', 'intensity', 'random', 'x', 'y', 'z', 'colour', 'elasticity', 'integrator', 'nx', 'ny', 'distance', 'weight', 'spread', 'structural', 'shear', 'bend', 'ball', 'ballSize']);
        const values = await run(() => window.telar.panel);
        assert.deepEqual(values, { windOn: true, intensity: 100, random: false, x: 0, y: 0, z: 0, colour: [0, 0, 1], elasticity: 5, integrator: 'xpbd', nx: 100, ny: 100, distance: 5, weight: 10, spread: 'random', structural: true, shear: true, bend: true, ball: false, ballSize: 100 });
        await close();
    });

    test('every scene of the project can be chosen', async () => {
        const { page, close } = await openStill('#s3/sheet');
        await page.keyboard.press('e');
        const names = await page.$$eval('.card', (cards) => cards.map((card) => card.getAttribute('href')));
        for (const name of ['#', '#s3/sheet', '#s3/flag', '#default', '#gas/cushion', '#s1/box', '#stress/reef-knot']) assert.ok(names.includes(name), `no card for ${name}`);
        await close();
    });

    test('without WebGL there is a sentence', async () => {
        const { page, close } = await open('', {
            wait: false,
            init: () => {
                const original = HTMLCanvasElement.prototype.getContext;
                HTMLCanvasElement.prototype.getContext = function (kind, ...rest) {
                    return /webgl/.test(kind) ? null : original.call(this, kind, ...rest);
                };
            },
        });
        await page.waitForSelector('#failure');
        assert.match(await page.textContent('#failure'), /WebGL 2/);
        await close();
    });
});

describe('2: masses and gravity', () => {
    test('equal masses fall flat, random ones wrinkle, and under true gravity they do not: the page says why', async () => {
        const { page, step, run, close } = await openStill('#s3/sheet?panel.weight=1');
        const spread = async () => {
            await run(() => window.telar.reset());
            await step(20);
            return (await run(measure)).spread;
        };
        const equal = await spread();
        assert.ok(equal < 0.001, `equal masses: ${equal} m`);
        await run(() => window.telar.setPanel('weight', 10));
        const random = await spread();
        assert.ok(random > 0.01, `random masses: ${random} m`);
        await run(() => window.telar.set('cloth[0].gravity.as_force', false));
        const flat = await spread();
        assert.ok(flat < 0.001, `true gravity: ${flat} m`);
        if (!(await run(() => window.telar.panelShown))) await page.keyboard.press('h');
        assert.match(await page.textContent('#panel'), /falls flat/);
        await close();
    });
});

describe('3: ball and floor', () => {
    test('nothing inside the ball, also when it grows under the cloth; nothing below the floor', async () => {
        const { step, run, close } = await openStill('#s3/sheet?panel.nx=60&panel.ny=60&panel.distance=8&panel.ball=true');
        const inside = () => {
            const x = window.telar.positions();
            const { size, position } = window.telar.bodies[0];
            let deepest = Infinity;
            let lowest = Infinity;
            for (let k = 0; k < x.length; k += 3) {
                deepest = Math.min(deepest, Math.hypot(x[k] - position[0], x[k + 1] - position[1], x[k + 2] - position[2]) - size[0]);
                lowest = Math.min(lowest, x[k + 1]);
            }
            return { deepest, lowest, radius: size[0] };
        };
        await step(90);
        let result = await run(inside);
        assert.equal(result.radius, 1);
        assert.ok(result.deepest > -0.001 && result.deepest < 0.1, `lies on the ball: ${result.deepest}`);
        await run(async () => {
            for (const size of [110, 120, 130, 140]) {
                await window.telar.setPanel('ballSize', size);
                await window.telar.step(6);
            }
        });
        await step(30);
        result = await run(inside);
        assert.ok(Math.abs(result.radius - 1.4) < 1e-6);
        assert.ok(result.deepest > -0.001, `${result.deepest} m inside`);
        await run(() => window.telar.setPanel('ball', false));
        await step(120);
        result = await run(inside);
        assert.ok(result.lowest > -2.5 - 0.001 && result.lowest < -2.4, `lowest ${result.lowest}`);
        await close();
    });
});

describe('4: wind', () => {
    const small = '#s3/sheet?panel.nx=30&panel.ny=30&panel.distance=10';
    test('along x it pushes along x, and no longer when it is off', async () => {
        // z too: wind in the plane of a flat sheet has nothing to push
        const { step, run, close } = await openStill(small + '&panel.intensity=500&panel.x=1&panel.z=1');
        const drift = async (on) => {
            await run((value) => window.telar.setPanel('windOn', value), on);
            await run(() => window.telar.reset());
            await step(40);
            return (await run(measure)).centre[0];
        };
        const pushed = await drift(true);
        const still = await drift(false);
        await close();
        assert.ok(pushed > 1e-4, `drift ${pushed}`);
        assert.ok(Math.abs(still) < 0.05 * pushed, `still air ${still}, wind ${pushed}`);
    });
    test('random wind differs in time, and is the same again', async () => {
        const { step, run, close } = await openStill(small + '&panel.random=true');
        const course = async () => {
            await run(() => window.telar.reset());
            const winds = [];
            for (let k = 0; k < 3; k++) {
                await step(30);
                winds.push(await run(() => window.telar.windAt([0, 1, 0])));
            }
            return { winds, hash: await run(() => window.telar.hash()) };
        };
        const one = await course();
        const two = await course();
        await close();
        assert.deepEqual(one, two);
        // half a second is a small part of its periods: it turns by degrees, and its strength hardly changes
        const degrees = (a, b) => (180 / Math.PI) * Math.acos((a[0] * b[0] + a[1] * b[1] + a[2] * b[2]) / (Math.hypot(...a) * Math.hypot(...b)));
        assert.ok(Math.hypot(...one.winds[0]) > 2, String(one.winds[0]));
        assert.ok(degrees(one.winds[0], one.winds[2]) > 4, `turned by ${degrees(one.winds[0], one.winds[2])}°`);
    });
});

describe('5: the flag', () => {
    const flag = '#s3/flag?panel.nx=40&panel.ny=40&panel.distance=12.5';
    const moving = () => Math.max(...window.telar.stats.map((s) => s.largestSpeed));
    test('its pole column does not move by a bit, and the rest never rests', async () => {
        const { step, run, close } = await openStill(flag);
        const column = () => {
            const x = window.telar.positions();
            return window.telar.pins().map((v) => [x[3 * v], x[3 * v + 1], x[3 * v + 2]]);
        };
        const held = await run(column);
        assert.equal(held.length, 41);
        const speeds = [];
        for (let k = 0; k < 8; k++) {
            await step(50);
            speeds.push(await run(moving));
        }
        assert.deepEqual(await run(column), held);
        const late = Math.max(...speeds.slice(4));
        assert.ok(late > 1.2, `moves at ${late} m/s; without wind it would be 0.7`);
        await close();
    });
    test('without wind it hangs', async () => {
        const { step, run, close } = await openStill(flag + '&panel.windOn=false');
        await step(60);
        const early = await run(moving);
        await step(540);
        assert.ok((await run(moving)) < 0.3 * early);
        const { high, low } = await run(measure);
        assert.ok(low < 0.2 && high < 5.6, `hangs from ${high} to ${low}`);
        await close();
    });
});

describe('6: shear and bend', () => {
    test('without shear links diagonals stretch more', async () => {
        const strain = async (more) => {
            const { step, run, close } = await openStill('#s3/flag?panel.nx=20&panel.ny=20&panel.distance=10&panel.windOn=false' + more);
            await step(90);
            const result = await run(() => {
                const x = window.telar.positions();
                const n = 21;
                let largest = 0;
                const length = (a, b) => Math.hypot(x[3 * a] - x[3 * b], x[3 * a + 1] - x[3 * b + 1], x[3 * a + 2] - x[3 * b + 2]);
                for (let j = 0; j + 1 < n; j++) for (let i = 0; i + 1 < n; i++) {
                    const v = j * n + i;
                    largest = Math.max(largest, Math.abs(length(v, v + n + 1) / (0.1 * Math.SQRT2) - 1));
                }
                return largest;
            });
            await close();
            return result;
        };
        const on = await strain('');
        const off = await strain('&panel.shear=false');
        assert.ok(off > 1.3 * on, `with ${on}, without ${off}`);
    });
    test('without bend links it folds more sharply', async () => {
        const turn = async (more) => {
            const { step, run, close } = await openStill('#s3/sheet?panel.nx=30&panel.ny=30&panel.distance=12&panel.ball=true&cloth[0].link.bend.stiffness=20' + more);
            await step(90);
            const result = await run(() => {
                const x = window.telar.positions();
                const n = 31;
                let sum = 0;
                for (let j = 0; j < n; j++) for (let i = 1; i + 1 < n; i++) {
                    const [a, b, c] = [j * n + i - 1, j * n + i, j * n + i + 1].map((v) => x.slice(3 * v, 3 * v + 3));
                    const u = b.map((q, k) => q - a[k]), v = c.map((q, k) => q - b[k]);
                    const cos = (u[0] * v[0] + u[1] * v[1] + u[2] * v[2]) / (Math.hypot(...u) * Math.hypot(...v));
                    sum += Math.acos(Math.min(1, Math.max(-1, cos)));
                }
                return sum;
            });
            await close();
            return result;
        };
        const on = await turn('');
        const off = await turn('&panel.bend=false');
        assert.ok(off > 1.1 * on, `with ${on}, without ${off}`);
    });
});

describe('7: methods', () => {
    test('changing the integrator while it runs moves nothing at that moment', async () => {
        const { step, run, close } = await openStill('#s3/sheet?panel.nx=40&panel.ny=40&panel.distance=12&panel.ball=true');
        for (const stepper of ['verlet', 'projection', 'bdf2', 'semi-implicit-euler', 'xpbd']) {
            await step(10);
            const before = await run(() => window.telar.positions());
            await run((name) => window.telar.setPanel('integrator', name), stepper);
            const after = await run(() => window.telar.positions());
            assert.ok(Math.max(...before.map((v, k) => Math.abs(v - after[k]))) < 0.001, stepper);
            await step(1);
            assert.equal(await run(() => window.telar.stats[0].stepper), stepper);
        }
        await close();
    });
    test('an explicit Euler that explodes is caught, named, and cured', async () => {
        const { page, step, run, faults, close } = await openStill('#s3/sheet?panel.nx=30&panel.ny=30&panel.ball=true&cloth[0].link.structural.stiffness=5000');
        await run(async () => {
            await window.telar.set('cloth[0].stable.on', false);
            await window.telar.set('cloth[0].substeps', 1);
            await window.telar.setPanel('integrator', 'explicit-euler');
        });
        await step(120);
        const banner = await run(() => window.telar.banner);
        assert.match(banner, /substep|stepper|stable|stiff/i, `banner: “${banner}”`);
        assert.ok(await page.isVisible('#banner'));
        await page.click('#banner button');
        await page.waitForFunction(() => window.telar.banner === '' && window.telar.panel.integrator === 'xpbd');
        await step(30);
        assert.ok((await run(() => window.telar.stats[0].largestSpeed)) < 50);
        assert.equal(await run(() => window.telar.banner), '');
        assert.deepEqual(faults, []);
        await close();
    });
});

describe('8: rebuilding', () => {
    test('5 to 500 segments; memory flat over 50 rebuilds', async () => {
        const { run, page, faults, close } = await openStill('#s3/sheet');
        for (const n of [5, 500]) {
            await run(async (count) => {
                await window.telar.setPanel('nx', count);
                await window.telar.setPanel('ny', count);
            }, n);
            assert.equal(await run(() => window.telar.particles), (n + 1) ** 2);
        }
        const sizes = [];
        for (let k = 0; k < 50; k++) {
            await run(async (n) => {
                await window.telar.setPanel('nx', n);
                await window.telar.step(1);
            }, k % 2 ? 100 : 60);
            await page.evaluate(() => window.gc?.());
            sizes.push(await run(() => ({ engine: window.telar.memory, page: performance.memory?.usedJSHeapSize ?? 0, geometries: window.telar.gpu.geometries, textures: window.telar.gpu.textures })));
        }
        // what is not drawn yet is not counted, so the largest of ten
        const most = (part) => Object.fromEntries(Object.keys(part[0]).map((key) => [key, Math.max(...part.map((size) => size[key]))]));
        const [early, late] = [most(sizes.slice(0, 10)), most(sizes.slice(40))];
        assert.equal(late.engine, early.engine, 'the engine’s heap');
        assert.ok(late.geometries <= early.geometries, `geometries ${early.geometries} to ${late.geometries}`);
        assert.ok(late.textures <= early.textures, `textures ${early.textures} to ${late.textures}`);
        assert.ok(late.page < early.page + 24e6, `page ${early.page} to ${late.page}`);
        assert.deepEqual(faults, []);
        await close();
    });
});

describe('9: the same again', () => {
    test('reset, a link in a new tab and the native command give the same bits', async () => {
        const first = await openStill('#s3/sheet?panel.nx=40&panel.ny=40&panel.ball=true&panel.x=1&cloth[0].friction=0.4');
        const start = await first.run(() => window.telar.hash());
        await first.step(40);
        const moved = await first.run(() => window.telar.hash());
        assert.notEqual(moved, start);
        await first.run(() => window.telar.setPanel('intensity', 250));
        await first.run(() => window.telar.reset());
        assert.equal(await first.run(() => window.telar.hash()), start);
        await first.step(40);
        const changed = await first.run(() => window.telar.hash());
        assert.notEqual(changed, moved);
        const link = await first.run(() => window.telar.link());
        assert.equal(new URL(first.page.url()).hash, link);
        const second = await openStill(link);
        await second.step(40);
        assert.equal(await second.run(() => window.telar.hash()), changed);
        if (existsSync(NATIVE)) {
            const file = join(mkdtempSync(join(tmpdir(), 'telar-')), 'scene.json');
            writeFileSync(file, await second.run(() => window.telar.json()));
            const native = execFileSync(NATIVE, ['run', file, '--frames', '40', '--hash', '--quiet'], { encoding: 'utf8' }).trim();
            assert.equal(changed, native);
        }
        await first.close();
        await second.close();
    });
});

describe('10: tabs and fingers', () => {
    test('a hidden tab stands still and does not catch up', async () => {
        const { page, run, close } = await open('#s3/sheet?panel.nx=20&panel.ny=20');
        const hide = (hidden) => run((value) => {
            Object.defineProperty(document, 'hidden', { value, configurable: true });
            document.dispatchEvent(new Event('visibilitychange'));
        }, hidden);
        await page.waitForFunction(() => window.telar.steps > 5);
        await hide(true);
        await page.waitForTimeout(300);
        const still = await run(() => window.telar.time);
        await page.waitForTimeout(1500);
        assert.equal(await run(() => window.telar.time), still);
        await hide(false);
        await page.waitForFunction((time) => window.telar.time > time, still);
        const first = await run(() => window.telar.time);
        assert.ok(first - still <= 0.25, `${first - still} s at once`);
        await close();
    });

    test('a finger on cloth pulls it, beside it it turns the view; two zoom', async () => {
        const { page, run, close } = await open('#hang/hang-edge', { context: { hasTouch: true, viewport: { width: 420, height: 800 } } });
        const session = await page.context().newCDPSession(page);
        const touch = (type, ...points) => session.send('Input.dispatchTouchEvent', { type, touchPoints: points.map(([x, y], id) => ({ x, y, id })) });
        const view = () => run(() => window.telar.view);
        await page.waitForFunction(() => window.telar.pictures > 2);
        await run(() => {
            window.telar.play(false);
            window.telar.patience(60000);
        });
        const vertex = await run(() => Math.floor(window.telar.cloths[0].vertices * 0.6));
        const at = await run((v) => window.telar.screen(0, v), vertex);
        await touch('touchStart', [at.x, at.y]);
        await page.waitForFunction(() => window.telar.pointer === 'pull');
        const before = await view();
        for (let k = 1; k <= 5; k++) await touch('touchMove', [at.x + 8 * k, at.y - 8 * k]);
        await page.waitForFunction(() => window.telar.held !== null);
        assert.deepEqual((await view()).position, before.position, 'the view stays while cloth is pulled');
        await touch('touchEnd');
        await page.waitForFunction(() => window.telar.pointer === 'idle' && window.telar.held === null);
        await touch('touchStart', [30, 120]);
        for (let k = 1; k <= 5; k++) await touch('touchMove', [30 + 12 * k, 120]);
        await touch('touchEnd');
        await page.waitForFunction((p) => Math.hypot(...window.telar.view.position.map((v, k) => v - p[k])) > 0.05, before.position);
        assert.equal(await run(() => window.telar.pointer), 'idle');
        const distance = () => run(() => Math.hypot(...window.telar.view.position.map((v, k) => v - window.telar.view.target[k])));
        await page.waitForTimeout(1500);
        const far = await distance();
        await touch('touchStart', [60, 120], [120, 120]);
        for (let k = 1; k <= 6; k++) await touch('touchMove', [60 - 6 * k, 120], [120 + 20 * k, 120]);
        await touch('touchEnd');
        await page.waitForTimeout(1000);
        assert.ok((await distance()) < 0.9 * far);
        await close();
    });
});
