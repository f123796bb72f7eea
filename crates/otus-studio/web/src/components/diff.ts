// A change as `diff -u` prints it, with colours and signs.
import { h } from '../dom';

export function diffView(text: string, name: string): HTMLElement {
  const lines = text.split('\n');
  if (lines.at(-1) === '') lines.pop();
  const kind = (line: string) => {
    if (line.startsWith('+++') || line.startsWith('---')) return 'gap';
    if (line.startsWith('@@') || line.startsWith('\\')) return 'gap';
    if (line.startsWith('+')) return 'in';
    return line.startsWith('-') ? 'out' : '';
  };
  return h('div', { class: 'diff', tabindex: '0', role: 'region', 'aria-label': name },
    lines.map((line) => h('div', { class: kind(line) }, line || ' ')));
}

/** The lines in which two texts differ, with three lines around them, as `diff -u` would. For conflicts, where the server has no part. */
export function difference(before: string, after: string): string {
  const [a, b] = [before.split('\n'), after.split('\n')];
  let start = 0;
  while (start < a.length && start < b.length && a[start] === b[start]) start += 1;
  let end = 0;
  while (end < a.length - start && end < b.length - start && a[a.length - 1 - end] === b[b.length - 1 - end]) end += 1;
  const middle = align(a.slice(start, a.length - end), b.slice(start, b.length - end));
  const around = (lines: string[]) => lines.map((line) => ` ${line}`);
  return [`@@ line ${start + 1} @@`, ...around(a.slice(Math.max(0, start - 3), start)), ...middle, ...around(a.slice(a.length - end, a.length - end + 3))].join('\n');
}

/** The shortest list of lines out and in, for texts that are small enough; else all out, then all in. */
function align(a: string[], b: string[]): string[] {
  const out = a.map((line) => `-${line}`);
  const into = b.map((line) => `+${line}`);
  if (a.length * b.length > 1_000_000) return [...out, ...into];
  const width = b.length + 1;
  const common = new Uint32Array((a.length + 1) * width);
  const at = (i: number, j: number) => common[i * width + j] ?? 0;
  for (let i = a.length - 1; i >= 0; i -= 1) {
    for (let j = b.length - 1; j >= 0; j -= 1) {
      common[i * width + j] = a[i] === b[j] ? at(i + 1, j + 1) + 1 : Math.max(at(i + 1, j), at(i, j + 1));
    }
  }
  const lines: string[] = [];
  let [i, j] = [0, 0];
  while (i < a.length || j < b.length) {
    if (i < a.length && j < b.length && a[i] === b[j]) {
      lines.push(` ${a[i]}`);
      i += 1;
      j += 1;
    } else if (i < a.length && (j === b.length || at(i + 1, j) >= at(i, j + 1))) {
      lines.push(out[i] ?? '');
      i += 1;
    } else {
      lines.push(into[j] ?? '');
      j += 1;
    }
  }
  return lines;
}
