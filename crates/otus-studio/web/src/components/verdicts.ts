// The verdicts of the chosen runs as a list that follows the typing.
import type { CaseRow } from '../api';
import { wordsOf } from '../client';
import { count, fill, h, prose } from '../dom';
import { go } from '../router';
import { checking, chosen, folder, lacking, recheck, stopChecking, verdicts, worstFirst } from '../state';
import { Rows } from './rows';
import { badge, empty, notice, panel } from './small';

/** What to do if something is not there. */
export const LACKS = {
  specification: 'Put a sequence diagram (.mmd, .puml, Markdown) or an interaction (.hif) here: it shows by itself. `otus learn` writes one from logs.',
  runs: 'Put logs or traces here: they show by themselves.',
} as const;

/** How long a question took, in words. */
export const duration = (micros: number): string => (micros < 50 ? 'less than 0.1 ms' : micros >= 1e6 ? `${(micros / 1e6).toFixed(1)} s` : micros >= 1000 ? `${Math.round(micros / 1000)} ms` : `${(micros / 1000).toFixed(1)} ms`);

export function verdictPanel(): HTMLElement {
  let cases: CaseRow[] = [];
  const rows = new Rows({
    label: 'Verdicts of the runs',
    height: () => 46,
    row: (index) => {
      const row = cases[index];
      if (!row) return h('div', {});
      return h('div', { class: 'verdict-row' }, badge(row.verdict), h('div', { class: 'what' },
        h('div', { class: 'id code' }, h('bdi', {}, row.id)), h('div', { class: 'quiet' }, row.headline)));
    },
    choose: (index) => { const row = cases[index]; if (row) go('failure', row.id); },
  });
  const above = h('div', {});
  const status = h('span', { class: 'status quiet', 'aria-live': 'off' });
  const stop = h('button', { type: 'button', onclick: () => stopChecking() }, 'Stop');
  const body = h('div', { class: 'body verdicts' }, above, rows.element);

  const draw = () => {
    const { isBusy, progress, failure } = checking.value;
    const answer = verdicts.value;
    stop.hidden = !isBusy || !progress;
    fill(status, isBusy ? h('span', { class: 'busy' }, progress || 'checking') : answer ? counted(answer.counts, answer.micros) : '');
    body.classList.toggle('old', Boolean(failure));
    fill(above,
      failure ? notice('warning', h('p', {}, prose(wordsOf(failure))), answer ? h('p', { class: 'quiet' }, 'The verdicts below are those of before.') : null,
        h('div', { class: 'actions' }, h('button', { type: 'button', onclick: () => recheck() }, 'Check again'))) : null,
      !failure && (lacking() || answer?.cases.length === 0) ? nothing() : null);
  };
  const listed = () => {
    cases = worstFirst(verdicts.value?.cases ?? []);
    rows.count = cases.length;
    rows.element.hidden = cases.length === 0;
    marked();
    draw();
  };
  const marked = () => { rows.chosen = cases.flatMap((row, at) => (row.id === chosen.value ? [at] : [])); };
  verdicts.watch(listed);
  chosen.onChange(marked);
  checking.watch(draw);
  folder.onChange(draw);
  return panel('Verdicts', body, status, h('span', { class: 'end' }, stop));
}

const counted = (counts: { pass: number; weak: number; fail: number; undecided: number }, micros: number): HTMLElement =>
  h('span', { class: 'counts' }, (['pass', 'weak', 'fail', 'undecided'] as const).map((name) => (counts[name] > 0
    ? h('span', { class: `badge ${{ pass: 'v-Pass', weak: 'v-WeakPass', fail: 'v-Fail', undecided: 'v-Inconclusive' }[name]}` }, `${count(counts[name])} ${name}`) : null)),
  h('span', { class: 'quiet' }, duration(micros)));

function nothing(): HTMLElement {
  const lacks = lacking();
  if (lacks) return empty(lacks === 'runs' ? 'No runs in this folder' : 'No specification in this folder', h('p', {}, prose(LACKS[lacks])));
  return empty('No run was found in the logs', h('p', {}, 'No line became an event. The screen Mapping shows what is made of each line.'),
    h('button', { type: 'button', onclick: () => go('mapping') }, 'Open Mapping'));
}
