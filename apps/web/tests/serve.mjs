// A plain file server for out/web: no special headers. Prints the address; used by `make web-run` and the tests.
import { createServer } from 'node:http';
import { readFile } from 'node:fs/promises';
import { extname, join, normalize } from 'node:path';
import { fileURLToPath } from 'node:url';

const TYPES = { '.html': 'text/html; charset=utf-8', '.js': 'text/javascript', '.css': 'text/css', '.json': 'application/json', '.jpg': 'image/jpeg', '.svg': 'image/svg+xml' };
export const SITE = fileURLToPath(new URL('../../../out/web', import.meta.url));

/** What makes a page cross-origin isolated, so that it may have threads. */
export const ISOLATED = { 'cross-origin-opener-policy': 'same-origin', 'cross-origin-embedder-policy': 'require-corp' };

/** Serves `folder` on `port` (0: any that is free) of this machine, without special headers where none are given. */
export function serve(folder = SITE, port = 0, headers = {}) {
    const server = createServer(async (request, response) => {
        try {
            const path = normalize(decodeURIComponent(new URL(request.url, 'http://x').pathname));
            const file = join(folder, path.endsWith('/') ? path + 'index.html' : path);
            if (!file.startsWith(folder)) throw new Error('outside');
            const content = await readFile(file);
            // .wasm and .obj as plain bytes, as a server does that does not know them
            response.writeHead(200, { 'content-type': TYPES[extname(file)] ?? 'application/octet-stream', ...headers });
            response.end(content);
        } catch {
            response.writeHead(404, { 'content-type': 'text/plain' });
            response.end('not found\n');
        }
    });
    return new Promise((resolve, reject) => {
        server.on('error', reject);
        server.listen(port, '127.0.0.1', () => resolve({ server, address: `http://127.0.0.1:${server.address().port}/` }));
    });
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
    const port = Number(process.argv[2] ?? 8080);
    const { address } = await serve(SITE, port).catch(() => serve(SITE, 0));
    console.log(`Telar is served at ${address} (Ctrl-C ends it)`);
}
