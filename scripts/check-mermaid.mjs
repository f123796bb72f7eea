// Parses Mermaid files with the npm package `mermaid`.
//
//   node scripts/check-mermaid.mjs FILE…
//
// Prints `ok FILE` or `FAIL FILE: reason` for each and exits 1 if any fails. Node looks for the packages `mermaid` and `jsdom`
// (which provides the document that Mermaid needs) from the current folder.
import { readFileSync } from 'node:fs';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

const require = createRequire(join(process.cwd(), 'package.json'));
const load = (name) => import(pathToFileURL(require.resolve(name)).href);

const { JSDOM } = await load('jsdom');
const { window } = new JSDOM('');
// Mermaid checks the colours of boxes with CSS, which jsdom lacks.
window.CSS ??= { supports: () => true };
// Where a browser has `new Option()`, Mermaid uses it to check colours.
Object.assign(globalThis, { window, document: window.document, Option: window.Option });
const { default: mermaid } = await load('mermaid');

let failures = 0;
for (const path of process.argv.slice(2)) {
  try {
    const { diagramType } = await mermaid.parse(readFileSync(path, 'utf8'));
    if (diagramType !== 'sequence') throw new Error(`read as a ${diagramType} diagram`);
    console.log(`ok ${path}`);
  } catch (error) {
    failures += 1;
    console.log(`FAIL ${path}: ${String(error?.message ?? error).replace(/\s+/g, ' ')}`);
  }
}
if (process.argv.length < 3) {
  console.log('FAIL: no files given');
  failures += 1;
}
process.exitCode = failures > 0 ? 1 : 0;
