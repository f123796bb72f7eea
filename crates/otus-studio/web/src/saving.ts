// Saving, and what is told about files that changed on disk at the same time.
import { diffView, difference } from './components/diff';
import { notice, say } from './components/small';
import { fill, h, plural } from './dom';
import { dirtyDocuments, discard, documentAt, edited, isDirty, keepMine, savableDocuments, saveDocument } from './documents';
import { wordsOf } from './client';
import { refresh } from './state';

let trouble = '';

/** Writes all texts that are not saved. Conflicts and failures are shown below the bar. */
export async function saveAll(): Promise<void> {
  const waiting = savableDocuments();
  if (waiting.length === 0) {
    say('Everything is saved');
    return;
  }
  trouble = '';
  let written = 0;
  for (const { path } of waiting) {
    try {
      if (await saveDocument(path) === 'saved') written += 1;
    } catch (error) {
      trouble = `${path} is not saved: ${wordsOf(error)}`;
    }
  }
  if (written > 0) {
    say(`Saved ${plural(written, 'file')}`);
    await refresh().catch(() => {});
  }
  draw();
}

/** The buttons in the bar. */
const button = h('button', { type: 'button', class: 'main', id: 'save', onclick: () => void saveAll() });
const undo = h('button', { type: 'button', id: 'discard', onclick: () => confirmDiscard() }, 'Discard');
export const saveTools = h('span', { class: 'actions' }, button, undo);

function confirmDiscard(): void {
  const waiting = dirtyDocuments();
  const dialog = h('dialog', { 'aria-labelledby': 'discard-title' },
    h('h2', { id: 'discard-title' }, `Discard what is not saved?`),
    waiting.map(({ path, saved, text }) => [h('h3', { class: 'code' }, path), diffView(difference(saved, text), `Changes of ${path}`)]),
    h('form', { method: 'dialog', class: 'actions' }, h('button', {}, 'Keep it'),
      h('button', { class: 'main', onclick: () => waiting.forEach(({ path }) => discard(path)) }, 'Discard')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}

let shown = '';
function draw(): void {
  const waiting = savableDocuments();
  fill(button, waiting.length > 1 ? `Save ${plural(waiting.length, 'file')}` : 'Save');
  button.title = waiting.map(({ path }) => path).join(', ');
  button.hidden = waiting.length === 0;
  undo.hidden = dirtyDocuments().length === 0;
  const place = document.getElementById('conflicts');
  if (!place) return;
  const conflicts = waiting.filter((document) => document.theirs && isDirty(document));
  const key = JSON.stringify([trouble, conflicts.map(({ path, theirs }) => [path, theirs?.version])]);
  if (key === shown) return;
  shown = key;
  fill(place, trouble ? notice('error', trouble) : null, conflicts.map(({ path, text, theirs }) => {
    const gone = theirs?.text === null || theirs === null;
    const words = gone ? 'was removed from the disk while it was changed here.' : 'changed on disk while it was changed here. Nothing was overwritten.';
    const now = () => documentAt(path)?.text ?? text;
    const changes = h('div', { hidden: true });
    const show = h('button', { type: 'button', 'aria-expanded': 'false', onclick: () => {
      changes.hidden = !changes.hidden;
      show.setAttribute('aria-expanded', String(!changes.hidden));
      if (!changes.hidden) fill(changes, diffView(difference(theirs?.text ?? '', now()), 'From the text on disk (−) to the text here (+)'));
    } }, 'Show the difference');
    return notice('warning', h('p', {}, h('strong', { class: 'code' }, path), ` ${words}`),
      h('div', { class: 'actions' }, gone ? null : show,
        h('button', { type: 'button', onclick: () => discard(path) }, gone ? 'Forget it here too' : 'Take what is on disk'),
        h('button', { type: 'button', onclick: () => { keepMine(path); void saveAll(); } }, 'Save what is here')), changes);
  }));
  if (conflicts.length > 0) say(`${conflicts[0]?.path} changed on disk: choose which text to keep`);
}

export function startSaving(): void {
  edited.onChange(draw);
  addEventListener('beforeunload', (event) => { if (savableDocuments().length > 0) event.preventDefault(); });
  draw();
}
