// Bundles the page into dist/, or into the folder that is given. The same sources give the same bytes on every machine: names of
// files are relative, there are no source maps, and the versions of all packages are locked.
import { build } from 'esbuild';
import { copyFileSync, mkdirSync } from 'node:fs';
import { dirname, join } from 'node:path';
import { fileURLToPath } from 'node:url';

const here = dirname(fileURLToPath(import.meta.url));
const out = process.argv[2] ?? join(here, 'dist');

mkdirSync(out, { recursive: true });
await build({
  absWorkingDir: here,
  entryPoints: { studio: 'src/main.ts' },
  outdir: out,
  bundle: true,
  minify: true,
  format: 'esm',
  target: 'es2022',
  charset: 'utf8',
  legalComments: 'none',
  logLevel: 'warning',
});
await build({
  absWorkingDir: here,
  entryPoints: { studio: 'src/styles/studio.css' },
  outdir: out,
  bundle: true,
  minify: true,
  charset: 'utf8',
  logLevel: 'warning',
});
copyFileSync(join(here, 'src', 'index.html'), join(out, 'index.html'));
