// "Why not this?": why an event or a message cannot be matched at a step.
import type { CaseAnswer, WhyNotAnswer, WhyNotQuestion } from '../../api';
import { Asking, whyNot } from '../../client';
import { badge, busy, failed, placeName, say } from '../../components/small';
import { fill, h, plural, prose } from '../../dom';
import { subject } from '../../state';

const KINDS: Record<WhyNotAnswer['kind'], string> = {
  now: 'It can be matched here', 'not-next': 'Its log has something else first', later: 'Something else must come first', never: 'It can never be matched from here',
  past: 'It is matched already', unknown: 'The specification does not have it', undecided: 'A limit was reached',
};

export function whyNotPage(): { element: HTMLElement; reset(it: CaseAnswer): void; at(step: number): void; ask(target: WhyNotQuestion['target'], name: string, step: number): void } {
  const element = h('div', { class: 'body padded whole' });
  const asking = new Asking();
  let it: CaseAnswer | null = null;
  let last: { target: WhyNotQuestion['target']; name: string; step: number } | null = null;
  const again = h('button', { type: 'button', onclick: () => { if (last && it) ask(last.target, last.name, Math.min(now, it.explained)); } });
  let now = 0;

  const hint = () => fill(element, h('p', { class: 'quiet' },
    'Click an event in “What happened”, a message in “Diagram”, or a step that is not matched, and learn why it cannot be matched at the step of the slider.'));

  function ask(target: WhyNotQuestion['target'], name: string, step: number): void {
    const current = it;
    if (!current) return;
    last = { target, name, step };
    const where = step === 0 ? 'at the beginning' : `after step ${step}`;
    const question = h('p', {}, 'Why not ', h('strong', { class: 'code' }, name), ` ${where}?`);
    fill(element, question, busy('Asking'));
    void asking.ask((via) => whyNot({ ...subject(), id: current.id, step, target }, via), (answer) => {
      say(answer.headline);
      fill(element, question,
        h('div', { class: `notice ${answer.possible ? 'done' : 'warning'}` }, h('strong', {}, `${KINDS[answer.kind]}. `), prose(answer.headline)),
        answer.reasons.length > 0 ? h('ul', { class: 'list' }, answer.reasons.map(({ text, place }) => h('li', {}, prose(text),
          place ? [' ', h('span', { class: 'quiet code' }, placeName(place))] : null))) : null,
        answer.before.length > 0 ? [h('h4', {}, `It could be matched after ${plural(answer.before.length, 'other action')}`),
          h('ol', { class: 'list numbered' }, answer.before.map(({ action, place }) => h('li', {}, h('span', { class: 'code' }, action),
            place ? [' ', h('span', { class: 'quiet code' }, placeName(place))] : null)))] : null,
        h('div', { class: 'actions' }, again));
      words();
    }, (error) => fill(element, question, failed(error, () => ask(target, name, step))));
  }

  function words(): void {
    const step = Math.min(now, it?.explained ?? 0);
    fill(again, step === 0 ? 'Ask at the beginning' : `Ask after step ${step}`);
    again.hidden = last === null || step === last.step;
  }

  hint();
  return {
    element,
    reset(answer) {
      const isOther = it?.id !== answer.id;
      it = answer;
      if (isOther) {
        last = null;
        asking.stop();
        hint();
        if (answer.verdict === 'Pass') element.append(h('p', { class: 'quiet' }, badge('Pass'), ' Nothing is wrong with this run, but other orders can be asked about: move the slider back first.'));
      }
    },
    at(step) {
      now = step;
      words();
    },
    ask,
  };
}
