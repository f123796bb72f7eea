// The choice of specification and runs, which several screens show.
import { count, fill, h, newId, plural } from '../dom';
import { folder, runs, spec } from '../state';

/** A list of specifications. */
export function specChoice(): HTMLElement {
  const select = h('select', { onchange: () => { spec.value = select.value; } });
  const draw = () => {
    const specs = folder.value?.specs ?? [];
    fill(select, specs.length === 0 ? h('option', { value: '' }, 'no specification in this folder') : null,
      specs.map((entry) => h('option', { value: entry.spec }, entry.configured ? `${entry.spec} (otus.toml)` : entry.spec)));
    select.value = spec.value;
    select.disabled = specs.length === 0;
  };
  folder.watch(draw);
  spec.onChange(draw);
  return h('label', { class: 'field' }, 'Specification', select);
}

/** The names of the chosen runs. */
export const runsInWords = (names: string[]): string => {
  if (names.length === 0) return folder.value?.config ? 'what otus.toml names' : 'all';
  return names.length <= 2 ? names.join(', ') : `${names[0]} and ${plural(names.length - 1, 'other')}`;
};

/** A button that opens the list of runs. */
export function runsChoice(): HTMLElement {
  const button = h('button', { type: 'button', 'aria-haspopup': 'dialog', onclick: openRuns });
  const draw = () => fill(button, `Runs: ${runsInWords(runs.value)} …`);
  folder.watch(draw);
  runs.onChange(draw);
  return button;
}

/** More are not listed; the filter finds them. */
const LISTED = 300;

function openRuns(): void {
  const all = folder.value?.runs ?? [];
  const wanted = new Set(runs.value);
  const list = h('div', { class: 'choices' });
  const filter = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => draw() });
  const title = newId('runs-title');
  const draw = () => {
    const words = filter.value.toLowerCase().split(/\s+/).filter(Boolean);
    const shown = all.filter((entry) => words.every((word) => entry.name.toLowerCase().includes(word)));
    fill(list, shown.slice(0, LISTED).map((entry) => {
      const box = h('input', { type: 'checkbox', onchange: () => (box.checked ? wanted.add(entry.name) : wanted.delete(entry.name)) });
      box.checked = wanted.has(entry.name);
      return h('label', { class: 'check' }, box, h('span', { class: 'code' }, entry.name),
        h('span', { class: 'quiet' }, entry.kind === 'logs' ? plural(entry.files.length, 'log') : entry.kind));
    }), shown.length > LISTED ? h('p', { class: 'quiet' }, `${count(shown.length - LISTED)} more: use the filter.`) : null,
    shown.length === 0 ? h('p', { class: 'quiet' }, all.length === 0 ? 'This folder has no logs or traces that Otus reads.' : 'None is like this.') : null);
  };
  draw();
  const dialog = h('dialog', { 'aria-labelledby': title }, h('h2', { id: title }, 'Runs to check'),
    h('p', { class: 'quiet' }, `Without a choice: ${runsInWords([])}.`),
    all.length > 12 ? h('label', { class: 'field' }, 'Filter', filter) : null, list,
    h('form', { method: 'dialog', class: 'actions' },
      h('button', { type: 'button', onclick: () => { wanted.clear(); draw(); } }, 'No choice'),
      h('button', { value: 'no' }, 'Cancel'), h('button', { class: 'main', value: 'yes' }, 'Check these')));
  dialog.addEventListener('close', () => {
    if (dialog.returnValue === 'yes') runs.value = all.map((entry) => entry.name).filter((name) => wanted.has(name));
    dialog.remove();
  });
  document.body.append(dialog);
  dialog.showModal();
}
