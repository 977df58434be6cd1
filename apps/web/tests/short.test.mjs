// The short form for `make test`: the page loads, simulates the same bits as the native command, and nothing is wrong.
import assert from 'node:assert/strict';
import { execFileSync } from 'node:child_process';
import { existsSync, mkdtempSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { after, before, test } from 'node:test';
import { fileURLToPath } from 'node:url';
import { openStill, start, stop } from './browser.mjs';

const NATIVE = process.env.TELAR ?? fileURLToPath(new URL('../../../build/release/telar', import.meta.url));

before(start);
after(stop);

test('the first page loads, and nothing is wrong', async () => {
    const { run, page, faults, close } = await openStill('');
    await page.waitForFunction(() => window.telar.pictures > 0);
    assert.ok((await run(() => window.telar.particles)) > 5000);
    assert.deepEqual(faults, []);
    await close();
});

test('a scene gives the bits of the native command; a panel change and a reset work', async () => {
    const { run, step, faults, close } = await openStill('#s3/sheet?panel.nx=30&panel.ny=30&panel.ball=true');
    const start = await run(() => window.telar.hash());
    await step(20);
    const hash = await run(() => window.telar.hash());
    if (existsSync(NATIVE)) {
        const file = join(mkdtempSync(join(tmpdir(), 'telar-')), 'scene.json');
        writeFileSync(file, await run(() => window.telar.json()));
        const native = execFileSync(NATIVE, ['run', file, '--frames', '20', '--hash', '--quiet'], { encoding: 'utf8' }).trim();
        assert.equal(hash, native);
    }
    await run(() => window.telar.setPanel('ballSize', 150));
    assert.equal(await run(() => window.telar.bodies[0].size[0]), 1.5);
    await run(() => window.telar.setPanel('ballSize', 100));
    await run(() => window.telar.reset());
    assert.equal(await run(() => window.telar.hash()), start);
    assert.deepEqual(faults, []);
    await close();
});
