// `make web-bench` for the page: its measurements, headless, as CSV in out/web-measurements.csv. `quick` takes a few sizes.
import { mkdirSync, writeFileSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { open, start, stop } from './browser.mjs';

await start();
const { run, close } = await open('#s3/sheet?panel.nx=5&panel.ny=5');
const { results, csv } = await run((quick) => window.telar.bench(quick), process.argv[2] === 'quick');
await close();
await stop();
for (const { title, columns, lines, labels } of results) {
    console.log(`\n${title}`);
    lines.forEach(({ particles, ms, fps, published, note }, k) =>
        console.log([labels[k] ?? '', particles, `${ms.toFixed(3)} ms`, `${fps.toFixed(0)} /s`, ...(published ?? []).map((value, c) => `${columns[c]} ${value}`), note].filter((cell) => cell !== '' && cell !== undefined).join('  ')));
}
const file = fileURLToPath(new URL('../../../out/web-measurements.csv', import.meta.url));
mkdirSync(fileURLToPath(new URL('../../../out', import.meta.url)), { recursive: true });
writeFileSync(file, csv);
