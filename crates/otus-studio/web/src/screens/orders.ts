// The orders of a run: its space-time diagram, its lattice of cuts, and a formula that is true or false at each of them.
import type { FormulaAnswer, OrderAnswer, OrderQuestion } from '../api';
import { Asking, formula as askFormula, order as askOrder, readFile } from '../client';
import { busy, empty, failed, panel, say } from '../components/small';
import { count, fill, h, newId } from '../dom';
import { edited } from '../documents';
import { go } from '../router';
import { debounced } from '../signal';
import { checking, folder, subject, verdicts, worstFirst } from '../state';
import { type Cut, emptyCut, sameCut } from './orders/cuts';
import { formulaView } from './orders/formula';
import { lattice as makeLattice } from './orders/lattice';
import { spaceTime } from './orders/space-time';
import type { Screen } from './screen';

/** The maximum number of runs in the list. */
const LISTED = 300;

export function ordersScreen(): Screen {
  let isShown = false;
  /** A path of `State.orders`, or the id of a run. */
  let item = '';
  let order: OrderAnswer | null = null;
  let cut: Cut = [];
  let answer: FormulaAnswer | null = null;
  let shown: number | null = null;
  const asking = new Asking();
  const telling = new Asking();
  const locating = new Asking();

  const select = h('select', { onchange: () => go('orders', select.value) });
  const diagram = spaceTime(move);
  const lattice = makeLattice(move);
  const id = newId('formula');
  const input = h('textarea', { id, rows: 2, spellcheck: 'false', autocomplete: 'off', placeholder: 'for example AG !(alice.writes & bob.writes)', oninput: () => { shown = null; ask(); } });
  const files = h('select', { 'aria-label': 'Formulas of the folder', onchange: () => { if (files.value) { input.value = files.value; shown = null; ask.now(); askNow(); } } });
  const result = h('div', { class: 'result' });
  const where = h('span', { class: 'quiet', role: 'status' });
  const legend = h('span', { class: 'quiet' });
  const step = (by: number) => h('button', { type: 'button', onclick: () => onward(by) }, by > 0 ? 'Later cut' : 'Earlier cut');
  const formulaPanel = panel('Formula (CTL)', h('div', { class: 'body padded whole' }, h('label', { class: 'unseen', for: id }, 'Formula'), input, files, result));
  const panels = h('div', { class: 'panels orders' },
    panel('Run', diagram.element, where, h('span', { class: 'end' }, step(-1), step(1))),
    h('div', { class: 'stack' }, panel('Cuts', lattice.element, legend), formulaPanel));
  const instead = h('div', {});
  const remarks = h('div', {});
  const element = h('div', {}, h('header', {}, h('h2', { class: 'unseen' }, 'Orders'), h('label', { class: 'field' }, 'Run', select)), instead, remarks, panels);
  panels.hidden = true;

  function drawChoice(): void {
    const orders = folder.value?.orders ?? [];
    const cases = worstFirst(verdicts.value?.cases ?? []).slice(0, LISTED);
    if (!item) item = orders[0] ?? cases[0]?.id ?? '';
    fill(select, orders.length > 0 ? h('optgroup', { label: 'Partial-order traces' }, orders.map((path) => h('option', { value: path }, path))) : null,
      cases.length > 0 ? h('optgroup', { label: 'Runs' }, cases.map(({ id: run, verdict }) => h('option', { value: run }, `${verdict}: ${run}`))) : null);
    if (item && ![...select.options].some((option) => option.value === item)) select.append(h('option', { value: item }, item));
    select.value = item;
  }

  const question = (): OrderQuestion => {
    const it = subject();
    if (folder.value?.orders.includes(item)) return { order: item, ...(it.unsaved ? { unsaved: it.unsaved } : {}) };
    return { run: { ...it, id: item }, ...(it.unsaved ? { unsaved: it.unsaved } : {}) };
  };

  let asked = '';
  /** The item that is drawn. */
  let read = '';
  function load(): void {
    if (!isShown || !folder.value) return;
    drawChoice();
    if (!item) {
      panels.hidden = true;
      if (!checking.value.isBusy) fill(instead, empty('No run to look at', h('p', {}, 'This folder has neither partial-order traces (.pot.json) nor runs.')));
      return;
    }
    const key = JSON.stringify([question(), folder.value.generation]);
    if (key === asked && order) return;
    asked = key;
    if (item !== read) fill(instead, busy('Reading the run'));
    void asking.ask((via) => askOrder(question(), via), drawn, (error) => {
      asked = '';
      order = null;
      panels.hidden = true;
      fill(instead, failed(error, load));
    });
  }

  function drawn(it: OrderAnswer): void {
    const isSame = order !== null && it.processes.length === order.processes.length && it.processes.every(({ events }, at) => events.length === order?.processes[at]?.events.length);
    order = it;
    read = item;
    panels.hidden = false;
    fill(instead);
    fill(remarks, it.remarks.length > 0 ? h('p', { class: 'quiet' }, it.remarks.join(' ')) : null);
    fill(legend, /^\d+$/.test(it.cuts) ? `${count(Number(it.cuts))} cuts` : `${it.cuts} cuts`);
    diagram.show(it);
    lattice.show(it);
    if (!isSame) cut = emptyCut(it);
    place();
    askNow();
  }

  function place(): void {
    if (!order) return;
    diagram.cut(cut);
    lattice.cut(cut);
    const [inside, all] = [cut.reduce((sum, number) => sum + number, 0), order.processes.reduce((sum, { events }) => sum + events.length, 0)];
    fill(where, `cut after ${count(inside)} of ${count(all)} events`);
  }

  function move(to: Cut): void {
    if (sameCut(to, cut)) return;
    cut = to;
    place();
    ask();
  }

  /** Adds the first event that can be added, or removes the last that can be removed. */
  function onward(by: number): void {
    if (!order) return;
    const can = (process: number) => {
      const number = (cut[process] ?? 0) + (by > 0 ? 1 : 0);
      if (by > 0) {
        const past = order?.processes[process]?.events[number - 1]?.past;
        return past !== undefined && past.every((other, at) => at === process || other <= (cut[at] ?? 0));
      }
      return number > 0 && order?.processes.every(({ events }, at) => at === process || (events[(cut[at] ?? 0) - 1]?.past[process] ?? 0) < number);
    };
    const size = (process: number) => order?.processes[process]?.events[(cut[process] ?? 0) - (by > 0 ? 0 : 1)]?.past.reduce((sum, number) => sum + number, 0) ?? 0;
    const able = cut.map((_, process) => process).filter((process) => can(process)).sort((a, b) => by * (size(a) - size(b)));
    const process = able[0];
    if (process !== undefined) move(cut.map((number, at) => (at === process ? number + by : number)));
  }

  // ---- The formula ----

  function askNow(): void {
    const text = input.value.trim();
    if (!order || !isShown) return;
    if (!text) {
      answer = null;
      lattice.truth([]);
      fill(result, h('p', { class: 'quiet' }, 'Write a formula, or choose one of the folder. It is told at the cut, subformula by subformula.'));
      return;
    }
    void telling.ask((via) => askFormula({ ...question(), formula: input.value, cut }, via), (it) => {
      const before = answer?.nodes[0]?.holds;
      answer = it;
      if (it.nodes[0] && it.nodes[0].holds !== before) say(`The formula is ${it.nodes[0].holds === null ? 'undecided' : String(it.nodes[0].holds)} at the cut`);
      drawFormula();
      if (shown === null) lattice.truth(it.at);
    }, (error) => { answer = null; lattice.truth([]); fill(result, failed(error, askNow)); });
  }
  const ask = debounced(20, askNow);

  function drawFormula(): void {
    if (!answer || !order) return;
    fill(result, formulaView(answer, {
      shown, cuts: order.cuts,
      where,
      select: (from, to) => { input.focus(); input.setSelectionRange(from, to); },
    }));
    function where(index: number | null): void {
      shown = index;
      const text = index === null ? null : answer?.nodes[index]?.text;
      drawFormula();
      if (!text) {
        lattice.truth(answer?.at ?? []);
        return;
      }
      void locating.ask((via) => askFormula({ ...question(), formula: text, cut }, via), (it) => lattice.truth(it.at), () => lattice.truth([]));
    }
  }

  async function readFormulas(): Promise<void> {
    const paths = folder.value?.formulas ?? [];
    files.hidden = paths.length === 0;
    const groups = await Promise.all(paths.slice(0, 20).map(async (path) => {
      const text = await readFile(path).then((file) => file.text, () => '');
      const formulas = text.split('\n').map((line) => line.replace(/(^|\s)(#|\/\/).*$/, '').trim()).filter(Boolean);
      return { path, formulas: formulas.slice(0, 100) };
    }));
    fill(files, h('option', { value: '' }, 'Formulas of the folder…'),
      groups.map(({ path, formulas }) => h('optgroup', { label: path }, formulas.map((text) => h('option', { value: text.replace(/^[\w-]+:\s*/, '') }, text)))));
  }

  folder.watch(() => { if (folder.value) { void readFormulas(); load(); } });
  verdicts.onChange(() => load());
  checking.onChange(({ isBusy }) => { if (!isBusy && !order) load(); });
  edited.onChange(() => load());

  return {
    element,
    show(to) {
      isShown = true;
      if (to) item = to;
      load();
    },
    hide() { isShown = false; },
    step(by) {
      onward(by);
      return true;
    },
  };
}
