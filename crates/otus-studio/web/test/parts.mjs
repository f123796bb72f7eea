// Parts of the page that need no browser, compared with their definitions on small inputs: cuts, rows of events, differences of texts.
import { build } from 'esbuild';
import { mkdirSync } from 'node:fs';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { check, holds } from './browser.mjs';

/** Numbers that look random and are the same in each run. */
function numbers(seed) {
  let state = seed;
  return (below) => {
    state = (state * 1103515245 + 12345) % 2147483648;
    return Math.floor((state / 2147483648) * below);
  };
}

/** A random order of a few processes with a few events each, as the server tells it. */
function order(random) {
  const processes = Array.from({ length: 2 + random(2) }, (_, at) => ({ name: `p${at}`, events: [] }));
  const edges = [];
  for (let events = 0; events < 7; events += 1) {
    const at = random(processes.length);
    const own = processes[at].events;
    const past = own.length > 0 ? [...own.at(-1).past] : processes.map(() => 0);
    const other = random(processes.length);
    const cause = processes[other].events.at(-1);
    if (other !== at && cause && random(2) === 0) {
      cause.past.forEach((number, process) => { past[process] = Math.max(past[process], number); });
      edges.push({ from: [other, processes[other].events.length - 1], to: [at, own.length] });
    }
    past[at] = own.length + 1;
    own.push({ text: '', place: null, past, changes: [] });
  }
  return { processes, edges, lattice: null, cuts: '', remarks: [] };
}

export default async function parts(work) {
  const folder = join(work, 'parts');
  mkdirSync(folder, { recursive: true });
  const source = (path) => new URL(`../src/${path}`, import.meta.url).pathname;
  await build({ entryPoints: { cuts: source('screens/orders/cuts.ts'), diff: source('components/diff.ts') }, outdir: folder, outExtension: { '.js': '.mjs' }, bundle: true, format: 'esm', logLevel: 'warning' });
  const { levels, moved } = await import(pathToFileURL(join(folder, 'cuts.mjs')).href);
  const { difference } = await import(pathToFileURL(join(folder, 'diff.mjs')).href);

  const random = numbers(7);
  for (let round = 0; round < 60; round += 1) {
    const it = order(random);
    const vectors = it.processes.reduce((all, { events }) => all.flatMap((cut) => Array.from({ length: events.length + 1 }, (_, n) => [...cut, n])), [[]]);
    const isCut = (cut) => it.processes.every(({ events }, at) => events.slice(0, cut[at]).every(({ past }) => past.every((n, process) => n <= cut[process])));
    const cuts = vectors.filter(isCut);
    const size = (cut) => cut.reduce((sum, n) => sum + n, 0);
    for (const cut of cuts) {
      it.processes.forEach(({ events }, process) => {
        for (let to = 0; to <= events.length; to += 1) {
          // By definition: the smallest cut above, or the largest cut below, that has so many events of the process.
          const grows = to >= cut[process];
          const fits = cuts.filter((other) => other[process] === to && other.every((n, at) => (grows ? n >= cut[at] : n <= cut[at])));
          const expected = fits.sort((a, b) => (grows ? size(a) - size(b) : size(b) - size(a)))[0];
          check(moved(it, cut, process, to), expected, `process ${process} from ${cut} to ${to}`);
        }
      });
    }
    const rows = levels(it);
    holds(it.processes.every(({ events }, at) => events.every((_, n) => n === 0 || rows[at][n] > rows[at][n - 1])), 'events of a process are below each other');
    holds(it.edges.every(({ from, to }) => rows[to[0]][to[1]] > rows[from[0]][from[1]]), 'effects are below their causes');
  }

  for (let round = 0; round < 200; round += 1) {
    const text = () => Array.from({ length: random(7) }, () => 'abc'[random(3)]);
    const [before, after] = [text(), text()];
    const lines = difference(before.join('\n'), after.join('\n')).split('\n').slice(1);
    const side = (signs) => lines.filter((line) => signs.includes(line[0])).map((line) => line.slice(1)).join('\n');
    // The lines out and in are parts of the two texts, in their order, and whatever is around is in both.
    holds(before.join('\n').includes(side(' -')) && after.join('\n').includes(side(' +')), `from ${before} to ${after}`);
  }
}
