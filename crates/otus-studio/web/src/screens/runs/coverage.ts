// Which parts of the diagram the runs exercised, on the diagram and as a list.
import type { CheckAnswer } from '../../api';
import { Asking, check } from '../../client';
import { Picture } from '../../components/picture';
import { busy, empty, failed, placeName } from '../../components/small';
import { count, fill, h } from '../../dom';
import { go } from '../../router';
import { specEntry, subject, verdicts } from '../../state';
import { dark } from '../../theme';

export function coveragePage(): { element: HTMLElement; shown(is: boolean): void } {
  let isShown = false;
  let asked: CheckAnswer | null = null;
  const asking = new Asking();
  const picture = new Picture('Coverage on the diagram');
  const words = h('div', { class: 'covered' });
  const never = h('div', {});
  const boxed = h('div', { class: 'boxed', hidden: true }, h('div', { class: 'row' }, picture.tools), picture.element);
  const element = h('div', { class: 'body padded whole' }, words, boxed, never);

  function ask(): void {
    if (!isShown) return;
    asked = verdicts.value;
    if (!asked) {
      fill(words, empty('No verdicts yet'));
      return;
    }
    fill(words, busy('Counting'));
    void asking.ask((via) => check({ ...subject(), coverage: true, theme: dark.value ? 'dark' : 'light' }, via), draw, (error) => fill(words, failed(error, ask)));
  }

  function draw({ coverage }: CheckAnswer): void {
    if (!coverage) {
      fill(words, empty('Nothing is counted', h('p', {}, 'Only runs that pass, wholly or weakly, show which parts of the diagram were exercised.')));
      boxed.hidden = true;
      fill(never);
      return;
    }
    const share = coverage.all === 0 ? 100 : Math.floor((100 * coverage.covered) / coverage.all);
    fill(words,
      h('p', {}, h('strong', {}, `${count(coverage.covered)} of ${count(coverage.all)}`), ` parts of the diagram were exercised (${share}%).`),
      h('div', { class: 'track', 'aria-hidden': 'true' }, h('span', { style: `width:${share}%` })));
    fill(never,
      coverage.missing.length > 0 ? h('details', { open: true }, h('summary', {}, `Never exercised (${count(coverage.missing.length)})`),
        h('ul', { class: 'list' }, coverage.missing.slice(0, 200).map(({ text, place }) => h('li', {}, text, place ? [' ', h('button', {
          type: 'button', class: 'link code', onclick: () => { if (specEntry()) go('specification', String(place.line)); },
        }, placeName(place))] : null)))) : null);
    boxed.hidden = !coverage.svg;
    if (coverage.svg) picture.set(coverage.svg);
  }

  verdicts.onChange(ask);
  dark.onChange(ask);
  return {
    element,
    shown(is) {
      isShown = is;
      if (is && asked !== verdicts.value) ask();
    },
  };
}
