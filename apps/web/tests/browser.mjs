// Opens the built page in Debian's Chromium and collects everything a test must not see: console messages, errors, requests
// to other hosts.
import { chromium } from 'playwright-core';
import { ISOLATED, serve, SITE } from './serve.mjs';

const FLAGS = ['--no-sandbox', '--use-gl=angle', '--use-angle=swiftshader', '--enable-unsafe-swiftshader', '--disable-background-networking', '--no-first-run', '--js-flags=--expose-gc'];
export const CHROMIUM = process.env.CHROMIUM ?? '/usr/bin/chromium';

let browser;
let site;
let isolatedSite;

export async function start() {
    site = await serve();
    isolatedSite = await serve(SITE, 0, ISOLATED);
    browser = await chromium.launch({ executablePath: CHROMIUM, args: FLAGS });
}

export async function stop() {
    await browser?.close();
    site?.server.close();
    isolatedSite?.server.close();
}

export const address = () => site.address;

/** A page of its own. `faults` has what went wrong in it; `quiet` lists patterns that a test expects. */
export async function open(hash = '', { wait = true, init, context: options = {}, quiet = [], isolated = false } = {}) {
    const { address: here } = isolated ? isolatedSite : site;
    const context = await browser.newContext({ viewport: { width: 400, height: 260 }, ...options });
    const page = await context.newPage();
    const faults = [];
    const note = (text) => {
        if (!quiet.some((pattern) => pattern.test(text))) faults.push(text);
    };
    page.on('console', (message) => ['error', 'warning'].includes(message.type()) && note(`console ${message.type()}: ${message.text()}`));
    page.on('pageerror', (error) => note(`error: ${error.message}`));
    page.on('request', (request) => {
        const url = request.url();
        if (!url.startsWith(here) && !/^(data|blob):/.test(url)) note(`request elsewhere: ${url}`);
    });
    page.on('requestfailed', (request) => note(`failed: ${request.url()}`));
    if (init) await page.addInitScript(init);
    await page.goto(here + hash);
    if (wait) await page.waitForFunction(() => window.telar?.ready === true, null, { timeout: 60000 });
    return {
        page,
        faults,
        /** Evaluates in the page, with `telar` as its state. */
        run: (f, argument) => page.evaluate(f, argument),
        /** Stops the clock and takes exactly `count` steps. */
        step: (count) => page.evaluate(async (n) => {
            window.telar.play(false);
            await window.telar.step(n);
        }, count),
        close: () => context.close(),
    };
}

/** Stops the scene before its first step, so that steps can be counted. */
export async function openStill(hash, options) {
    const opened = await open(hash, options);
    await opened.run(async () => {
        window.telar.play(false);
        await window.telar.reset();
    });
    return opened;
}
