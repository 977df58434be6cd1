// The tarball in an empty folder, without a registry: its example in node, and in Chromium from a plain static server.
import assert from 'node:assert/strict';
import { execFile, spawn } from 'node:child_process';
import { createServer } from 'node:http';
import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { extname, join } from 'node:path';
import { after, before, test } from 'node:test';
import { promisify } from 'node:util';

const run = promisify(execFile);
const folder = process.env.TELAR_PACKAGE;
const example = `import { create } from 'telar';

const telar = await create();
const world = telar.world({
  body: [{ shape: 'sphere', size: [0.5, 0.5, 0.5], position: [0, 0.5, 0] }],
  cloth: [{ columns: 21, rows: 21, width: 1, height: 1, center: [0, 1.2, 0] }],
});
for (let frame = 0; frame < 30; ++frame) world.step(1 / 60);
console.log(world.hash(), world.cloths[0].countPenetrating());
`;

const works = async (program) => {
  try {
    await run(program, ['--version']);
    return true;
  } catch {
    return false;
  }
};

let home;
before(async () => {
  home = await mkdtemp(join(tmpdir(), 'telar-install-'));
});
after(() => rm(home, { recursive: true, force: true }));

async function install() {
  const npm = (...a) => run('npm', [...a, '--offline', '--no-audit', '--no-fund', '--cache', join(home, 'cache')], { cwd: home });
  const { stdout } = await npm('pack', folder, '--pack-destination', home);
  await writeFile(join(home, 'package.json'), '{"name": "example", "version": "1.0.0", "type": "module"}');
  await npm('install', join(home, stdout.trim().split('\n').pop()));
  await writeFile(join(home, 'example.js'), example);
}

let inNode;
test('installed from its tarball, the example runs in node', async (t) => {
  if (!(await works('npm'))) return t.skip('no npm');
  await install();
  const { stdout } = await run(process.execPath, ['example.js'], { cwd: home });
  assert.match(stdout, /^[0-9a-f]{16} 0\n$/);
  inNode = stdout.trim();
  const lock = await readFile(join(home, 'package-lock.json'), 'utf8');
  assert(!/https?:\/\//.test(lock), 'nothing came from a registry');
});

// Serves a folder; POST /told resolves with its body.
async function serve(root, told) {
  const types = { '.js': 'text/javascript', '.wasm': 'application/octet-stream' /* as servers that do not know it */, '.html': 'text/html' };
  const server = createServer(async (request, response) => {
    if (request.method === 'POST') {
      let body = '';
      for await (const part of request) body += part;
      response.end();
      told(body);
      return;
    }
    try {
      const file = await readFile(join(root, new URL(request.url, 'http://x').pathname));
      response.writeHead(200, { 'Content-Type': types[extname(request.url)] ?? 'text/plain' }).end(file);
    } catch {
      response.writeHead(404).end();
    }
  });
  await new Promise((ready) => server.listen(0, '127.0.0.1', ready));
  return server;
}

test('the example runs in Chromium, in the page, inlined and in a worker', async (t) => {
  if (!inNode) return t.skip('not installed');
  if (!(await works('chromium'))) return t.skip('no chromium');
  await writeFile(join(home, 'index.html'), `<!doctype html><script type="importmap">
{"imports": {"telar": "./node_modules/telar/index.js", "telar/inline": "./node_modules/telar/inline.js"}}</script>
<script type="module">
const said = [];
console.log = (...words) => said.push(words.join(' '));
const tell = (what) => fetch('/told', { method: 'POST', body: JSON.stringify(what) });
try {
  await import('./example.js');
  const { create } = await import('telar/inline');
  const { createInWorker } = await import('telar');
  said.push((await create()).version);
  const remote = await createInWorker();
  const world = await remote.world({ cloth: [{ columns: 10, rows: 10 }] });
  const state = await world.step(1 / 60, 2);
  said.push([state.frame, state.cloths[0].positions.length].join(' '));
  tell({ said });
} catch (error) {
  tell({ error: String(error.stack ?? error) });
}
</script>`);
  let told;
  const answer = new Promise((resolve) => (told = resolve));
  const server = await serve(home, told);
  const browser = spawn('chromium', ['--headless=new', '--no-sandbox', '--disable-gpu', '--no-first-run',
    '--disable-background-networking', `--user-data-dir=${join(home, 'profile')}`,
    `http://127.0.0.1:${server.address().port}/index.html`], { stdio: 'ignore' });
  try {
    const late = new Promise((_, reject) => setTimeout(() => reject(new Error('Chromium did not answer')), 120000).unref());
    const { said, error } = JSON.parse(await Promise.race([answer, late]));
    assert.equal(error, undefined);
    const { version } = JSON.parse(await readFile(join(folder, 'package.json')));
    assert.deepEqual(said, [inNode, version, '2 300']);
  } finally {
    const ended = new Promise((resolve) => browser.on('exit', resolve));
    browser.kill();
    await ended;
    server.close();
    server.closeAllConnections?.();
  }
});
