// What S3 lacked: hands, overlays, comparing, exports, own meshes, links that are broken.
import assert from 'node:assert/strict';
import { after, before, describe, test } from 'node:test';
import { mkdtempSync, readFileSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { address, open, openStill, start, stop } from './browser.mjs';

before(start);
after(stop);

const CUBE = `v 0 0 0\nv 1 0 0\nv 1 1 0\nv 0 1 0\nv 0 0 1\nv 1 0 1\nv 1 1 1\nv 0 1 1
f 1 3 2\nf 1 4 3\nf 5 6 7\nf 5 7 8\nf 1 2 6\nf 1 6 5\nf 2 3 7\nf 2 7 6\nf 3 4 8\nf 3 8 7\nf 4 1 5\nf 4 5 8\n`;

describe('hands', () => {
    test('the mouse pulls cloth, and lets go', async () => {
        const { page, run, close } = await open('#hang/hang-edge');
        await page.waitForFunction(() => window.telar.pictures > 2);
        await run(() => window.telar.play(false));
        const vertex = await run(() => Math.floor(window.telar.cloths[0].vertices * 0.55));
        const at = await run((v) => window.telar.screen(0, v), vertex);
        await page.mouse.move(at.x, at.y);
        await page.mouse.down();
        assert.equal(await run(() => window.telar.pointer), 'pull');
        await page.waitForFunction(() => window.telar.held !== null);
        const before = await run(() => window.telar.held);
        await page.mouse.move(at.x + 60, at.y - 40, { steps: 4 });
        await page.waitForFunction((p) => Math.hypot(...window.telar.held.map((v, k) => v - p[k])) > 0.05, before);
        await page.mouse.up();
        await page.waitForFunction(() => window.telar.held === null && window.telar.pointer === 'idle');
        await close();
    });

    test('a right click pins and lets go', async () => {
        const { page, step, run, close } = await openStill('#hang/hang-edge');
        await step(1);
        const count = () => run(() => window.telar.pins().length);
        const held = await count();
        const at = await run(() => window.telar.screen(0, Math.floor(window.telar.cloths[0].vertices * 0.55)));
        await page.mouse.click(at.x, at.y, { button: 'right' });
        await page.waitForFunction((n) => window.telar.pins().length === n, held + 1);
        await page.mouse.click(at.x, at.y, { button: 'right' });
        await page.waitForFunction((n) => window.telar.pins().length === n, held);
        await close();
    });

    test('B drops a ball, R takes it away', async () => {
        const { page, step, run, close } = await openStill('#default');
        const bodies = await run(() => window.telar.bodies.length);
        await page.keyboard.press('b');
        await page.waitForFunction((n) => window.telar.bodies.length === n, bodies + 1);
        const height = await run(() => window.telar.bodies.at(-1).position[1]);
        await step(15);
        assert.ok((await run(() => window.telar.bodies.at(-1).position[1])) < height - 0.05);
        await page.keyboard.press('r');
        await page.waitForFunction((n) => window.telar.bodies.length === n, bodies);
        await close();
    });

    test('dragging the ball moves it', async () => {
        const { page, step, run, close } = await openStill('#s2/sphere');
        await step(1);
        const ball = await run(() => window.telar.bodyNames.findIndex(({ shape }) => shape === 'sphere'));
        const from = await run((k) => window.telar.bodies[k].position, ball);
        const box = await page.locator('#canvas').boundingBox();
        let grabbed = false;
        for (let y = 0.9; y > 0.2 && !grabbed; y -= 0.04) {
            await page.mouse.move(box.x + 0.5 * box.width, box.y + y * box.height);
            await page.mouse.down();
            grabbed = (await run(() => window.telar.pointer)) === 'body';
            if (!grabbed) await page.mouse.up();
        }
        assert.ok(grabbed, 'no body under the pointer');
        await page.mouse.move(box.x + 0.62 * box.width, box.y + 0.4 * box.height, { steps: 5 });
        await page.waitForFunction(([k, p]) => Math.hypot(...window.telar.bodies[k].position.map((v, c) => v - p[c])) > 0.1, [ball, from]);
        await page.mouse.up();
        await close();
    });
});

describe('looking', () => {
    test('overlays have a legend', async () => {
        const { page, step, run, faults, close } = await openStill('#default');
        for (const [name, unit] of [['force', 'N'], ['strain', '%'], ['speed', 'm/s'], ['contact', 'N']]) {
            await page.keyboard.press('o');
            await page.waitForFunction((overlay) => window.telar.overlay === overlay, name);
            await step(5);
            assert.match(await page.textContent('#legend'), new RegExp(unit));
        }
        await page.keyboard.press('o');
        await page.waitForFunction(() => window.telar.overlay === 'none');
        assert.ok(await page.isHidden('#legend'));
        assert.deepEqual(faults, []);
        assert.deepEqual(await run(() => window.telar.errors), []);
        await close();
    });

    test('two methods side by side keep the same time', async () => {
        const { page, run, close } = await openStill('#default');
        await page.keyboard.press('c');
        await page.waitForFunction(() => window.telar.comparing, null, { timeout: 30000 });
        await run(() => window.telar.step(3));
        await page.waitForFunction(() => window.telar.compared.length === 1);
        const [a, b] = await run(() => [window.telar.stats[0].stepper, window.telar.compared[0].stepper]);
        assert.notEqual(a, b);
        await run(() => window.telar.compareWith('nurbs surface'));
        await run(() => window.telar.step(2));
        await page.waitForFunction(() => window.telar.compared[0].simulated === 196 && window.telar.stats[0].simulated === 5041);
        assert.match(await page.textContent('#sides .b'), /ms · 196 points/);
        await page.keyboard.press('c');
        await page.waitForFunction(() => !window.telar.comparing);
        await close();
    });

    test('the search finds parameters, the arrow takes changes back', async () => {
        const { page, run, close } = await openStill('#default');
        await page.keyboard.press('h');
        await page.fill('#panel input[type=search]', 'gust strength');
        const row = page.locator('[data-path="wind.gust_strength"]');
        await row.locator('input.num').fill('0.9');
        await row.locator('input.num').press('Enter');
        await page.waitForFunction(() => window.telar.changes['wind.gust_strength'] === 0.9);
        await page.waitForFunction(() => /wind\.gust_strength=0\.9/.test(location.hash));
        await row.locator('.back').click();
        await page.waitForFunction(() => !('wind.gust_strength' in window.telar.changes));
        assert.equal(await run(() => window.telar.valueOf('wind.gust_strength')), 0.4);
        await row.hover();
        assert.match(await page.textContent('.panel-foot'), /Size of gusts/);
        await close();
    });

    test('measurements give tables and a file, and say what each stage takes', async () => {
        const { page, run, step, faults, close } = await openStill('#s3/sheet?panel.nx=10&panel.ny=10');
        await step(3);
        await page.keyboard.press('m');
        await page.waitForSelector('#measure .stack i', { state: 'attached', timeout: 60000 });
        await page.click('#measure-quick');
        await page.waitForFunction(() => document.querySelectorAll('#measure table').length === 5, null, { timeout: 120000 });
        const titles = await page.$$eval('#measure h3', (heads) => heads.map((head) => head.textContent));
        for (const words of [/60 frames/, /cube/, /S2/, /stepper/, /NURBS/]) assert.ok(titles.some((title) => words.test(title)), String(words));
        assert.match(await page.textContent('#measure'), /4300|4 300/);
        const [file] = await Promise.all([page.waitForEvent('download'), page.click('#measure button:text("CSV")')]);
        assert.equal(file.suggestedFilename(), 'telar-measurements.csv');
        assert.deepEqual(await run(() => window.telar.errors), []);
        assert.deepEqual(faults, []);
        await close();
    });

    test('S3’s look can be switched on anywhere', async () => {
        const { page, run, faults, close } = await openStill('#default?page.s3=true');
        await page.waitForFunction(() => window.telar.pictures > 1);
        assert.deepEqual(await run(() => window.telar.errors), []);
        assert.deepEqual(faults, []);
        await close();
    });
});

describe('dressed figures', () => {
    test('a garment is worn from the start; another is dressed behind a bar, which can be stopped', async () => {
        const { page, run, step, faults, close } = await openStill('#garments/skirt');
        assert.deepEqual(await run(() => window.telar.cloths.map(({ label }) => label)), ['skirt']);
        assert.deepEqual(await run(() => window.telar.bodyNames.map(({ label }) => label).filter((label) => label === 'ana')), ['ana']);
        await step(1);
        const hash = await run(() => window.telar.reset().then(() => window.telar.hash()));
        await run(() => void window.telar.set('character[0].garment[0].edge', 0.05));
        await page.waitForFunction(() => window.telar.dressing?.phase, null, { timeout: 120000 });
        assert.match(await page.textContent('#dressing'), /Dressing ana: skirt: [a-z]+/);
        await page.click('#dressing button');
        await page.waitForFunction(() => window.telar.dressing === null && window.telar.errors.length > 0);
        assert.deepEqual(await run(() => window.telar.errors), ['The dressing was stopped']);
        await run(() => window.telar.reset());
        assert.equal(await run(() => window.telar.hash()), hash);
        assert.deepEqual(await run(() => window.telar.changes), {});
        assert.deepEqual(faults, []);
        await close();
    });
});

describe('threads', () => {
    test('a page that may share memory takes several, with the same bits', async () => {
        const cores = () => Object.defineProperty(navigator, 'hardwareConcurrency', { value: 3 });
        const hashes = [];
        for (const isolated of [false, true]) {
            const { run, step, faults, close } = await openStill('#s3/sheet?panel.ball=true', { isolated, init: cores });
            assert.equal(await run(() => window.telar.threads), isolated ? 2 : 1);
            await step(6);
            hashes.push(await run(() => window.telar.hash()));
            assert.deepEqual(faults, []);
            await close();
        }
        assert.equal(hashes[0], hashes[1]);
    });
});

describe('keys', () => {
    test('Space plays and pauses, → takes one step, T turns the light on', async () => {
        const { page, run, close } = await openStill('#s2/sphere');
        await page.keyboard.press('ArrowRight');
        await page.waitForFunction(() => window.telar.steps === 1);
        await page.keyboard.press(' ');
        await page.waitForFunction(() => window.telar.steps > 3);
        await page.keyboard.press(' ');
        assert.equal(await run(() => window.telar.playing), false);
        const theme = () => page.evaluate(() => document.documentElement.dataset.theme);
        const before = await theme();
        await page.keyboard.press('t');
        assert.notEqual(await theme(), before);
        await close();
    });

    test('A shows the wind as an arrow; dragging its tip turns the wind', async () => {
        const { page, run, faults, close } = await openStill('#s2/sphere', { context: { viewport: { width: 1000, height: 700 } } });
        await page.keyboard.press('a');
        const [tip, box] = [await run(() => window.telar.windTip), await page.locator('#canvas').boundingBox()];
        await page.mouse.move(box.x + tip.x, box.y + tip.y);
        await page.mouse.down();
        await page.mouse.move(box.x + tip.x, box.y + tip.y + 40, { steps: 4 });
        await page.mouse.up();
        await page.waitForFunction(() => window.telar.changes['wind.velocity']);
        assert.ok((await run(() => window.telar.valueOf('wind.velocity')))[1] < -0.5, 'it blows downwards');
        assert.notEqual(await run(() => window.telar.valueOf('wind.kind')), 'still');
        await page.keyboard.press('a');
        assert.equal(await run(() => window.telar.windTip), null);
        assert.deepEqual(faults, []);
        await close();
    });

    test('S saves a picture of the whole page, V a clip', async () => {
        const { page, close } = await openStill('#s2/sphere');
        const saved = async (keys) => {
            const [file] = await Promise.all([page.waitForEvent('download'), keys()]);
            return { name: file.suggestedFilename(), bytes: readFileSync(await file.path()) };
        };
        const picture = await saved(() => page.keyboard.press('s'));
        assert.match(picture.name, /\.png$/);
        assert.equal(picture.bytes.toString('latin1', 1, 4), 'PNG');
        assert.ok(picture.bytes.readUInt32BE(16) >= 400 && picture.bytes.length > 5000, 'as large as the page, and not empty');
        const clip = await saved(async () => {
            await page.keyboard.press('v');
            await page.waitForTimeout(1500);
            await page.keyboard.press('v');
        });
        assert.match(clip.name, /\.(webm|mp4)$/);
        assert.ok(clip.bytes.length > 1000);
        if (clip.name.endsWith('webm')) assert.equal(clip.bytes.readUInt32BE(0), 0x1a45dfa3);
        await close();
    });

    test('where less motion is wished for, a settled picture stands still', async () => {
        const { run, page, close } = await open('', { context: { reducedMotion: 'reduce' } });
        await page.waitForFunction(() => window.telar.steps >= 90);
        const steps = await run(() => window.telar.steps);
        await page.waitForTimeout(400);
        assert.deepEqual(await run(() => [window.telar.playing, window.telar.steps]), [false, steps]);
        await close();
    });
});

describe('files', () => {
    test('OBJ and GLB of the state', async () => {
        const { step, run, close } = await openStill('#default');
        await step(5);
        const obj = await run(() => window.telar.obj());
        const x = await run(() => window.telar.positions());
        const first = /^v (\S+) (\S+) (\S+)/m.exec(obj).slice(1).map(Number);
        first.forEach((v, c) => assert.ok(Math.abs(v - x[c]) < 1e-5));
        assert.equal(obj.match(/^o /gm).length, 2); // cloth and ball
        const glb = Buffer.from(await run(() => window.telar.glb()));
        assert.equal(glb.toString('ascii', 0, 4), 'glTF');
        assert.equal(glb.readUInt32LE(8), glb.length);
        const json = JSON.parse(glb.toString('utf8', 20, 20 + glb.readUInt32LE(12)));
        assert.equal(json.accessors[json.meshes[0].primitives[0].attributes.POSITION].count, 5041);
        await close();
    });

    test('a mesh that is dropped becomes a body under a sheet; its GLB too', async () => {
        const { page, step, run, faults, close } = await openStill('#default');
        const folder = mkdtempSync(join(tmpdir(), 'telar-'));
        writeFileSync(join(folder, 'cube.obj'), CUBE);
        await page.setInputFiles('#file', join(folder, 'cube.obj'));
        await page.waitForFunction(() => window.telar.title === 'cube.obj' && window.telar.bodyNames[0].shape === 'mesh');
        await run(async () => {
            window.telar.play(false);
            await window.telar.reset();
        });
        await step(100);
        const low = await run(() => Math.max(...window.telar.positions().filter((_, k) => k % 3 === 1)));
        assert.ok(low > 0.95, `the sheet lies on the cube: ${low}`);
        writeFileSync(join(folder, 'state.glb'), Buffer.from(await run(() => window.telar.glb())));
        await page.setInputFiles('#file', join(folder, 'state.glb'));
        await page.waitForFunction(() => window.telar.title === 'state.glb');
        assert.deepEqual(await run(() => window.telar.errors), []);
        assert.deepEqual(faults, []);
        await close();
    });

    test('what is broken gets a sentence, and the page lives on', async () => {
        const { page, step, run, close } = await openStill('#default');
        const folder = mkdtempSync(join(tmpdir(), 'telar-'));
        const files = { 'broken.json': '{"cloth": [', 'wrong.json': '{"cloth": [{"columns": -3}]}', 'empty.obj': '# nothing', 'broken.glb': 'glTFxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxxx', 'text.txt': 'x', 'bad.obj': 'v 0 0 0\nf 1 2 99\n' };
        let count = 0;
        for (const [name, text] of Object.entries(files)) {
            writeFileSync(join(folder, name), text);
            await page.setInputFiles('#file', join(folder, name));
            count++;
            await page.waitForFunction((n) => window.telar.errors.length === n, count, { timeout: 10000 });
        }
        for (const hash of ['#no/such-scene', '#default?no.such=1', '#default?cloth[0].columns=-5', '#default?cloth[7].columns=5', '#%E0%A4%A']) {
            await page.evaluate((h) => (location.hash = h), hash);
            count++;
            await page.waitForFunction((n) => window.telar.errors.length === n, count, { timeout: 10000 });
        }
        const sentences = await run(() => window.telar.errors);
        for (const sentence of sentences) assert.ok(sentence.length > 10 && !/undefined|\[object/.test(sentence), sentence);
        assert.match(sentences[1], /columns/);
        const before = await run(() => window.telar.time);
        await step(2);
        assert.ok((await run(() => window.telar.time)) > before);
        assert.equal(await run(() => window.telar.particles), 5041);
        await close();
    });

    test('a broken link at the start shows the first page and a sentence', async () => {
        const { page, run, close } = await open('#no/such-scene');
        assert.match((await run(() => window.telar.errors)).join(), /no\/such-scene/);
        assert.match(await page.textContent('#toast'), /no\/such-scene/);
        assert.equal(await run(() => window.telar.scene), '');
        assert.ok(address());
        await close();
    });
});

describe('every scene', () => {
    test('opens and moves without a fault', async () => {
        const { page, run, faults, close } = await openStill('#default');
        await page.keyboard.press('e');
        const names = await page.$$eval('.card', (cards) => cards.map((card) => card.getAttribute('href')));
        await page.keyboard.press('Escape');
        for (const name of names.filter((name) => !/-fine$/.test(name))) {
            await run(async (hash) => {
                await window.telar.go(hash);
                window.telar.play(false);
                await window.telar.step(1);
            }, name);
            assert.equal('#' + (await run(() => window.telar.scene)), name);
        }
        assert.ok(names.length > 50);
        assert.deepEqual(await run(() => window.telar.errors), []);
        assert.deepEqual(faults, []);
        await close();
    });
});
