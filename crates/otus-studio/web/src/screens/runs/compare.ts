// Two runs, event by event in the partial order. The first causal difference is marked: the one that nothing else explains.
import type { CaseRow, CompareAnswer, RunEvent } from '../../api';
import { Asking, compare } from '../../client';
import { busy, empty, failed, notice, placeName, say, scrolling } from '../../components/small';
import { fill, h } from '../../dom';
import { chosen, subject, worstFirst } from '../../state';

type Side = 'left' | 'right';
/** The maximum numbers of runs in a list, and of rows of a lifeline. */
const LISTED = 2000;
const ROWS = 300;

export function comparePage(): { element: HTMLElement; runs(cases: CaseRow[], isFile: boolean): void; opened(): void; choose(side: Side, id: string): void } {
  const picked: Record<Side, string> = { left: '', right: '' };
  let cases: CaseRow[] = [];
  let isFile = false;
  const asking = new Asking();
  const result = h('div', { class: 'result' });
  const select = (side: Side) => h('select', { onchange: (event: Event) => { picked[side] = (event.target as HTMLSelectElement).value; ask(); } });
  const selects: Record<Side, HTMLSelectElement> = { left: select('left'), right: select('right') };
  const element = h('div', { class: 'body padded whole' },
    h('div', { class: 'two' }, h('label', { class: 'field' }, 'Left', selects.left), h('label', { class: 'field' }, 'Right', selects.right)), result);

  function draw(): void {
    const all = worstFirst(cases).reverse();
    for (const side of ['left', 'right'] as const) {
      const own = all.find(({ id }) => id === picked[side]);
      const listed = all.slice(0, LISTED);
      if (own && !listed.includes(own)) listed.unshift(own);
      fill(selects[side], h('option', { value: '' }, 'choose a run'), listed.map(({ id, verdict }) => h('option', { value: id }, `${verdict}: ${id}`)));
      selects[side].value = own ? picked[side] : '';
    }
  }

  function ask(): void {
    draw();
    const { left, right } = picked;
    if (isFile) {
      fill(result, empty('Runs of a file of results cannot be compared', h('p', {}, 'Such a file has verdicts and no events.')));
      return;
    }
    if (!left || !right || left === right) {
      fill(result, empty(left && left === right ? 'These are the same run' : 'Choose two runs', h('p', {}, 'For example one that passes and one that fails: the first event that differs without a cause that differs is marked.')));
      return;
    }
    fill(result, busy('Comparing'));
    void asking.ask((via) => compare({ ...subject(), left, right }, via), shown, (error) => fill(result, failed(error, ask)));
  }

  function shown(answer: CompareAnswer): void {
    const isFirst = new Set(answer.first.map(([lifeline, row]) => `${lifeline} ${row}`));
    const cell = (event: RunEvent | null) => h('td', {}, event ? [h('span', { class: 'code' }, event.action), event.place ? h('span', { class: 'quiet code place' }, placeName(event.place)) : null] : h('span', { class: 'quiet' }, 'nothing'));
    const words = answer.first.length === 0 ? notice('done', 'The runs have the same events in the same causal order.')
      : notice('warning', h('ul', {}, answer.words.map((sentence) => h('li', {}, sentence))));
    say(answer.first.length === 0 ? 'The runs are the same' : answer.words[0] ?? 'The runs differ');
    // The lifelines with a first difference come first, those without any last.
    const weight = (at: number) => (answer.first.some(([lifeline]) => lifeline === at) ? 0 : answer.lifelines[at]?.rows.some(({ state }) => state !== 'same') ? 1 : 2);
    const order = answer.lifelines.map((one, at) => ({ ...one, at })).sort((a, b) => weight(a.at) - weight(b.at) || a.at - b.at);
    fill(result, words, order.map(({ lifeline, rows, at }) => {
      const first = rows.findIndex(({ state }) => state !== 'same');
      const from = first < 0 ? 0 : Math.max(0, Math.min(first - 20, rows.length - ROWS));
      const seen = rows.slice(from, from + ROWS);
      const differs = rows.some(({ state }) => state !== 'same');
      const table = h('table', { class: 'compare' },
        h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Left'), h('th', { scope: 'col' }, 'Right'), h('th', { scope: 'col' }, ''))),
        h('tbody', {}, seen.map(({ left, right, state }, index) => {
          const marked = isFirst.has(`${at} ${from + index}`);
          return h('tr', { class: marked ? 'first' : state }, cell(left), cell(right),
            h('td', {}, marked ? h('span', { class: 'badge v-Fail' }, 'first difference') : state === 'after' ? h('span', { class: 'quiet' }, 'follows') : ''));
        })));
      return h('details', { open: differs || answer.first.length === 0 },
        h('summary', {}, h('bdi', { class: 'code' }, lifeline), h('span', { class: 'quiet' }, differs ? '' : ': the same')),
        rows.length > seen.length ? h('p', { class: 'quiet' }, `Rows ${from + 1} to ${from + seen.length} of ${rows.length}.`) : null, scrolling(`Events of ${lifeline}`, table));
    }));
  }


  return {
    element,
    runs(now, file) {
      cases = now;
      isFile = file;
      const known = new Set(now.map(({ id }) => id));
      for (const side of ['left', 'right'] as const) if (!known.has(picked[side])) picked[side] = '';
      if (!picked.left) picked.left = now.find(({ verdict }) => verdict === 'Pass')?.id ?? '';
      if (!picked.right) picked.right = (now.find(({ id, verdict }) => id === chosen.value && verdict.endsWith('Fail')) ?? now.find(({ verdict }) => verdict.endsWith('Fail')))?.id ?? '';
      if (element.offsetParent) ask();
    },
    opened: ask,
    choose(side, id) {
      picked[side] = id;
      ask();
    },
  };
}
