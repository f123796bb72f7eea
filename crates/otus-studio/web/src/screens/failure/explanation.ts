// Why a run fails, in words: the text of `otus analyze`, its remarks, and how far each log came.
import type { CaseAnswer, Place, Situation } from '../../api';
import { type Child, h } from '../../dom';
import { placeName, scrolling } from '../../components/small';

export function explanation(it: CaseAnswer, show: (place: Place) => void): Child[] {
  const passes = it.verdict === 'Pass' || it.verdict === 'WeakPass';
  return [
    passes ? h('p', {}, it.verdict === 'Pass' ? 'The run is one of those that the diagram allows. Each step shows where.'
      : 'The run is the beginning of one that the diagram allows: some logs end early. Steps marked ~ are assumed.') : null,
    it.text ? h('pre', { class: 'code said', tabindex: '0', 'aria-label': 'Explanation' }, it.text) : null,
    it.notes.length > 0 ? h('dl', { class: 'facts' }, it.notes.map(({ topic, text }) => h('div', {}, h('dt', {}, topic), h('dd', {}, text)))) : null,
    it.furthest.slice(0, 3).map((situation, at) => furthest(situation, at, it.furthest.length)),
    it.repair && it.repair.edits.length > 0 ? [h('h4', {}, it.repair.smallest ? 'The smallest repair of the log' : 'A repair of the log'),
      h('ul', { class: 'list' }, it.repair.edits.map(({ place, text }) => h('li', {}, text, place
        ? [' ', h('button', { type: 'button', class: 'link code', onclick: () => show(place) }, placeName(place))] : null)))] : null,
  ];
}

const furthest = (situation: Situation, at: number, all: number): HTMLElement => scrolling(`How far the logs can be explained, ${at + 1} of ${all}`,
  h('table', {}, h('caption', {}, all > 1 ? `How far the logs can be explained, ${at + 1} of ${all}` : 'How far the logs can be explained'),
    h('thead', {}, h('tr', {}, ['Log', 'Explained', 'Next in the log', 'The diagram expects'].map((name) => h('th', { scope: 'col' }, name)))),
    h('tbody', {}, situation.logs.map((log) => h('tr', {}, h('th', { scope: 'row', class: 'code' }, log.lifelines.join(', ')),
      h('td', {}, `${log.consumed} of ${log.total}`), h('td', { class: 'code' }, log.next ?? 'the log ends'),
      h('td', { class: 'code' }, log.expected.length > 0 ? log.expected.join(', ') : 'nothing more'))))));
