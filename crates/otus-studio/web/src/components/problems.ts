// Diagnostics as a list: each leads to its place, mends it if a text is proposed, and explains its code.
import type { Diagnostic } from '../api';
import { readCode, wordsOf } from '../client';
import { fill, h, plural, prose } from '../dom';
import { placeName } from './small';

const NAMES = { error: 'Error', warning: 'Warning', note: 'Note' } as const;
const TONES = { error: 'v-Fail', warning: 'v-Inconclusive', note: '' } as const;
/** More are not listed; they come after these are mended. */
const LISTED = 50;

export interface ProblemActions {
  open?: (diagnostic: Diagnostic) => void;
  mend?: (diagnostic: Diagnostic) => void;
}

export function problemList(diagnostics: Diagnostic[], { open, mend }: ProblemActions): HTMLElement {
  return h('ul', { class: 'problems' }, diagnostics.slice(0, LISTED).map((diagnostic) => h('li', {},
    h('span', { class: `badge ${TONES[diagnostic.severity]}` }, NAMES[diagnostic.severity]),
    h('div', {},
      open ? h('button', { type: 'button', class: 'link', onclick: () => open(diagnostic) }, prose(diagnostic.message)) : prose(diagnostic.message),
      diagnostic.help ? h('p', { class: 'quiet' }, prose(diagnostic.help)) : null,
      h('p', { class: 'quiet actions' }, diagnostic.place.file ? h('span', { class: 'code' }, placeName(diagnostic.place)) : null,
        diagnostic.code ? h('button', { type: 'button', class: 'link', onclick: () => explain(diagnostic.code) }, `What is ${diagnostic.code}?`) : null,
        diagnostic.fix && mend ? h('button', { type: 'button', class: 'link', onclick: () => mend(diagnostic) }, 'Mend it') : null)))),
  diagnostics.length > LISTED ? h('li', { class: 'quiet' }, `And ${plural(diagnostics.length - LISTED, 'more', 'more')}.`) : null);
}

function explain(code: string): void {
  const text = h('pre', { class: 'code', tabindex: '0' }, 'Reading…');
  const dialog = h('dialog', { 'aria-labelledby': 'code-title' }, h('h2', { id: 'code-title' }, code), text,
    h('form', { method: 'dialog', class: 'actions' }, h('button', { class: 'main' }, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
  readCode(code).then((page) => fill(text, page.text), (error: unknown) => fill(text, wordsOf(error)));
}
