// Repairs: what would make the run pass, as a change of the log or of the diagram that one accepts. Nothing is written: what is
// accepted is a text of this page until it is saved.
import type { CaseAnswer, RepairAnswer, RepairQuestion } from '../../api';
import { Asking, repair } from '../../client';
import { diffView } from '../../components/diff';
import { badge, busy, failed, notice, say } from '../../components/small';
import { take } from '../../documents';
import { fill, h, plural, prose } from '../../dom';
import { subject } from '../../state';

const NAMES: Record<RepairQuestion['of'], string> = { specification: 'the diagram', log: 'the log' };

export function repairPage(): { element: HTMLElement; reset(it: CaseAnswer): void; opened(): void } {
  const asking = new Asking();
  let it: CaseAnswer | null = null;
  const result = h('div', { class: 'result' });
  const buttons = (['specification', 'log'] as const).map((of) => h('button', { type: 'button', onclick: () => ask(of) }, `Repair ${NAMES[of]}`));
  const words = h('p', { class: 'quiet' });
  const element = h('div', { class: 'body padded whole' }, words, h('div', { class: 'actions' }, buttons), result);

  function ask(of: RepairQuestion['of']): void {
    const current = it;
    if (!current) return;
    fill(result, busy('Looking for a repair'));
    void asking.ask((via) => repair({ ...subject(), id: current.id, of }, via), (answer) => shown(of, answer), (error) => fill(result, failed(error, () => ask(of))));
  }

  function shown(of: RepairQuestion['of'], answer: RepairAnswer): void {
    if (answer.changes.length === 0) {
      fill(result, notice('warning', prose(answer.reason ?? `There is no repair of ${NAMES[of]}.`)));
      say('No repair was found');
      return;
    }
    const accept = h('button', { type: 'button', class: 'main', onclick: async () => {
      try {
        for (const { path, text, version } of answer.changes) await take(path, text, version, of === 'log');
      } catch (error) {
        fill(result, failed(error));
        return;
      }
      const names = answer.changes.map(({ path }) => path).join(', ');
      fill(result, notice('done', of === 'log' ? `Accepted in a copy: this page now reads ${names} as repaired, and the files on disk stay as they are. “Discard” at the top ends that.` : `Accepted: ${names} ${answer.changes.length > 1 ? 'are' : 'is'} changed in this page. “Save” at the top writes ${answer.changes.length > 1 ? 'them' : 'it'}, “Discard” undoes it.`));
      say('Accepted');
    } }, 'Accept');
    fill(result,
      h('p', {}, `With ${plural(answer.edits.length, 'edit')} the run is `, badge(answer.verdict), ':'),
      h('ul', { class: 'list' }, answer.edits.map((edit) => h('li', {}, prose(edit)))),
      answer.changes.map(({ path, diff }) => diffView(diff, `Change of ${path}`)),
      h('div', { class: 'actions' }, accept, h('button', { type: 'button', onclick: () => fill(result) }, 'Reject')));
    say(`A repair with ${plural(answer.edits.length, 'edit')}`);
  }

  return {
    element,
    reset(answer) {
      const isFine = answer.verdict === 'Pass' || answer.verdict === 'WeakPass';
      if (it?.id !== answer.id || it.verdict !== answer.verdict) {
        asking.stop();
        // What was just accepted stays to be read.
        if (it?.id !== answer.id) fill(result);
      }
      it = answer;
      fill(words, isFine ? 'This run passes: there is nothing to repair.'
        : 'A repair changes as little as possible. Either the log is wrong, then a copy of it shows what it should have been; or the diagram forgot this run, then it is made to allow it.');
      for (const button of buttons) button.disabled = isFine;
    },
    opened() {},
  };
}
