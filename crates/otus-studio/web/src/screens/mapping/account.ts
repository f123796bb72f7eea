// Every line accounted for: counts by outcome, rules with their hits, shapes of lines that no rule takes, names that only one side has.
import type { AccountAnswer, NamesQuestion, Proposal } from '../../api';
import { type Child, count, h, plural } from '../../dom';
import { placeName, scrolling } from '../../components/small';

export const OUTCOMES = ['matched', 'ignored', 'blank', 'unmatched', 'incomplete', 'unreadable'] as const;

export function accountView(it: AccountAnswer, open: (file: string, line: number) => void): Child[] {
  const all = it.counts.all || 1;
  return [
    h('div', { class: 'shares', 'aria-hidden': 'true' }, OUTCOMES.map((name) => (it.counts[name] > 0 ? h('span', { class: `o-${name}`, style: `flex-grow:${it.counts[name] / all}` }) : null))),
    h('ul', { class: 'legend' }, OUTCOMES.map((name) => (it.counts[name] > 0 || name === 'matched' || name === 'unmatched'
      ? h('li', {}, h('span', { class: `sign o-${name}`, 'aria-hidden': 'true' }), `${count(it.counts[name])} ${name}`) : null)), h('li', { class: 'quiet' }, `of ${plural(it.counts.all, 'line')}`)),
    it.shapes.length > 0 ? [h('h4', {}, 'Lines that no rule takes'), h('ul', { class: 'list' }, it.shapes.slice(0, 100).map(({ shape, count: times, first, example }) => h('li', {},
      h('span', { class: 'number' }, `${count(times)} × `), h('button', { type: 'button', class: 'link code', title: example, onclick: () => open(first.file, first.line) }, shape))))]
      : it.counts.all > 0 ? h('p', { class: 'notice done' }, 'Every line is taken or ignored by a rule.') : null,
    it.rules.length > 0 ? [h('h4', {}, 'Rules'), scrolling('Rules', h('table', {}, h('thead', {}, h('tr', {}, h('th', { scope: 'col' }, 'Source'), h('th', { scope: 'col' }, 'Rule'), h('th', { scope: 'col', class: 'number' }, 'Lines'), h('th', { scope: 'col' }, 'First'))),
      h('tbody', {}, it.rules.map(({ source, rule, ignore, hits, first }) => h('tr', {}, h('td', { class: 'code' }, source), h('td', { class: 'code' }, rule, ignore ? h('span', { class: 'quiet' }, ' (ignores)') : null),
        h('td', { class: 'number' }, count(hits)), h('td', {}, first ? h('button', { type: 'button', class: 'link code', onclick: () => open(first.file, first.line) }, placeName(first)) : h('span', { class: 'quiet' }, 'never')))))))] : null,
    it.groups.total > 0 ? [h('h4', {}, plural(it.groups.total, 'run')), h('ul', { class: 'list' }, it.groups.first.slice(0, 20).map(({ group, events }) => h('li', {}, h('span', { class: 'code' }, group || 'all lines'), `: ${plural(events, 'event')}`)))] : null,
    it.lifelines.length > 0 ? [h('h4', {}, 'Lifelines'), h('ul', { class: 'list' }, it.lifelines.slice(0, 60).map(({ lifeline, sends, receives }) => h('li', {}, h('span', { class: 'code' }, lifeline), `: sends ${count(sends)}, receives ${count(receives)}`)))] : null,
    it.findings.length > 0 ? [h('h4', {}, 'Remarks'), h('ul', { class: 'list' }, it.findings.slice(0, 50).map((text) => h('li', {}, h('pre', {}, text))))] : null,
  ];
}

/** Names of the logs that the specification does not have: which of its names are they? */
export function namesView(it: AccountAnswer, accept: (question: Omit<NamesQuestion, 'unsaved'>) => Promise<Proposal | null>): Child[] {
  const { only_in_logs: logs, only_in_spec: spec } = it;
  const unknown = logs.lifelines.length + logs.messages.length;
  if (unknown === 0) {
    return [h('p', { class: 'notice done' }, 'All names of the logs are names of the specification.'),
      spec.lifelines.length + spec.messages.length > 0 ? h('p', { class: 'quiet' }, 'Only the specification has: ', h('span', { class: 'code' }, [...spec.lifelines, ...spec.messages].join(', '))) : null];
  }
  const chosen = { lifelines: new Map<string, string>(), messages: new Map<string, string>() };
  const button = h('button', { type: 'button', class: 'main', disabled: true, onclick: () => void accept({
    lifelines: [...chosen.lifelines].map(([log, name]) => ({ log, spec: name })), messages: [...chosen.messages].map(([log, name]) => ({ log, spec: name })),
  }) }, 'Use these names');
  const pairs = (kind: 'lifelines' | 'messages', title: string): Child => (logs[kind].length === 0 ? null : [h('h4', {}, title),
    h('div', { class: 'fields' }, logs[kind].slice(0, 60).map((name) => {
      const select = h('select', { onchange: () => {
        if (select.value) chosen[kind].set(name, select.value);
        else chosen[kind].delete(name);
        button.disabled = chosen.lifelines.size + chosen.messages.size === 0;
      } }, h('option', { value: '' }, 'unknown to the specification'), spec[kind].map((other) => h('option', { value: other }, other)));
      return h('label', { class: 'field' }, h('span', {}, h('span', { class: 'code' }, name), ' is'), select);
    }))]);
  return [h('p', {}, 'The logs have names that the specification does not have. Say which of its names they are:'),
    pairs('lifelines', 'Lifelines'), pairs('messages', 'Messages'),
    spec.lifelines.length + spec.messages.length === 0 ? h('p', { class: 'quiet' }, 'Every name of the specification is in the logs already, so these are names that it lacks.') : null,
    h('div', { class: 'actions' }, button)];
}
