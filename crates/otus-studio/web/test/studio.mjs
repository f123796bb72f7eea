// Tests the page of `otus studio` in headless Chromium, against the real server. scripts/check-studio calls it with the repository, a
// folder for its files, and the binary; names of scenarios after them choose some. Screenshots are left in pictures/.
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { counted, launch, open, serve, stopAll, check } from './browser.mjs';
import { prepare } from './inputs.mjs';
import parts from './parts.mjs';
import disk from './scenarios/disk.mjs';
import everywhere from './scenarios/everywhere.mjs';
import many from './scenarios/many.mjs';
import mapping from './scenarios/mapping.mjs';
import orders from './scenarios/orders.mjs';
import shop from './scenarios/shop.mjs';
import slow from './scenarios/slow.mjs';

const [root, work, otus, ...chosen] = process.argv.slice(2);
const scenarios = { parts: () => parts(work), everywhere, shop, disk, mapping, orders, many, slow };
const folder = prepare(root, work, otus);
mkdirSync(join(work, 'pictures'), { recursive: true });

const browser = await launch();
let failures = 0;
for (const name of chosen.length > 0 ? chosen : Object.keys(scenarios)) {
  const before = counted();
  const from = Date.now();
  const pages = [];
  const running = new Map();
  try {
    await scenarios[name]({
      folder,
      picture: (page, file, options = {}) => page.screenshot({ path: join(work, 'pictures', `${file}.png`), ...options }),
      open: async (place, hash = '', options = {}) => {
        if (!running.has(place)) running.set(place, await serve(otus, folder(place)));
        const opened = await open(browser, running.get(place).url, options);
        pages.push(opened);
        // The address has the token; the server exchanges it for a cookie.
        check(new URL(opened.page.url()).search, '', 'the token is not in the address any more');
        if (hash) await opened.page.evaluate((to) => { location.hash = to; }, hash);
        return opened;
      },
    });
    console.log(`ok ${name}: ${counted() - before} checks in ${((Date.now() - from) / 1000).toFixed(1)} s`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${name}: ${error.stack ?? error}`);
    const page = pages.at(-1)?.page;
    if (page && !page.isClosed()) await page.screenshot({ path: join(work, 'pictures', `FAIL-${name}.png`) }).catch(() => {});
  }
  for (const { context } of pages) await context.close().catch(() => {});
  for (const server of running.values()) await server.stop();
}
await browser.close();
await stopAll();
console.log(`studio: ${failures === 0 ? 'all passed' : `${failures} failed`}`);
process.exitCode = failures > 0 ? 1 : 0;
