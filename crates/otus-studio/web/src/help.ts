// The dialog with all keys.
import { h } from './dom';

const KEYS: [string, string][] = [
  ['Alt+Shift+S', 'Specification'],
  ['Alt+Shift+F', 'Failure'],
  ['Alt+Shift+M', 'Mapping'],
  ['Alt+Shift+O', 'Orders'],
  ['Alt+Shift+R', 'Runs'],
  ['Ctrl+S', 'save what is not saved'],
  ['Alt+Shift+↓ / ↑', 'the next or previous run, failures first'],
  ['Alt+Shift+→ / ←', 'one step on or back in the run (Failure)'],
  ['F8', 'the next mistake in the text'],
  ['Ctrl+F', 'search in the text'],
  ['Tab, Shift+Tab', 'the next or previous control; lists, pictures and texts are one stop each'],
  ['↑ ↓ ← →', 'move in a list, in a picture, along a slider'],
  ['Enter, Space', 'choose what is focused'],
  ['Escape', 'close a dialog, undo a choice'],
  ['F1', 'this list'],
];

export function openHelp(): void {
  const dialog = h('dialog', { 'aria-labelledby': 'help-title' },
    h('h2', { id: 'help-title' }, 'Keys'),
    h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Key'), h('th', { scope: 'col' }, 'What it does'))),
      h('tbody', {}, KEYS.map(([key, does]) => h('tr', {}, h('th', { scope: 'row' }, h('kbd', {}, key)), h('td', {}, does))))),
    h('p', { class: 'quiet' }, 'The files on disk are the truth: what changes there shows here at once, and what is changed here is written only by “Save”. ',
      'Nothing leaves this machine.'),
    h('form', { method: 'dialog', class: 'actions' }, h('button', { class: 'main' }, 'Close')));
  dialog.addEventListener('close', () => dialog.remove());
  document.body.append(dialog);
  dialog.showModal();
}
