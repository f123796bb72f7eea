// A folder of runs, or a file of results, as a table with verdicts; causes grouped; two runs compared; coverage on the diagram.
import type { CaseRow, CheckAnswer, VerdictName } from '../api';
import { Asking, readResults, wordsOf } from '../client';
import { runsChoice, specChoice } from '../components/choose';
import { Rows } from '../components/rows';
import { badge, busy, empty, failed, notice, panel, VERDICTS } from '../components/small';
import { tabs } from '../components/tabs';
import { duration, LACKS } from '../components/verdicts';
import { count, fill, h, plural, prose } from '../dom';
import { go } from '../router';
import { checking, chosen, folder, lacking, recheck, stopChecking, verdicts, worstFirst } from '../state';
import { comparePage } from './runs/compare';
import { coveragePage } from './runs/coverage';
import type { Screen } from './screen';

const collator = new Intl.Collator('en', { numeric: true });
const ORDERS: Record<string, (cases: CaseRow[]) => CaseRow[]> = {
  'worst first': worstFirst,
  name: (cases) => [...cases].sort((a, b) => collator.compare(a.id, b.id)),
  'most events': (cases) => [...cases].sort((a, b) => b.events - a.events),
  slowest: (cases) => [...cases].sort((a, b) => b.micros - a.micros),
};
const narrow = matchMedia('(max-width: 61.99rem)');

export function runsScreen(): Screen {
  /** The file of results that is shown instead of a check; empty for the check. */
  let file = '';
  let fromFile: CheckAnswer | null = null;
  let fileFailure: unknown = null;
  let shown: CaseRow[] = [];
  let isShown = false;
  /** Verdicts came while another screen was shown. */
  let isStale = true;
  const hidden = new Set<VerdictName>();
  const asking = new Asking();

  const answer = () => (file ? fromFile : verdicts.value);

  const source = h('select', { onchange: () => { file = source.value; void readFile(); } });
  const search = h('input', { type: 'search', autocomplete: 'off', spellcheck: 'false', oninput: () => filtered() });
  const cause = h('select', { onchange: () => filtered() });
  const order = h('select', { onchange: () => filtered() }, Object.keys(ORDERS).map((name) => h('option', {}, name)));
  const chips = h('div', { class: 'chips' });
  const status = h('span', { class: 'quiet', role: 'status' });
  const stop = h('button', { type: 'button', onclick: () => stopChecking() }, 'Stop');
  const above = h('div', { class: 'above' });
  const rows = new Rows({
    label: 'Runs',
    height: () => (narrow.matches ? 62 : 34),
    row: (index) => {
      const row = shown[index];
      return row ? h('div', { class: 'run-row' }, badge(row.verdict), h('bdi', { class: 'id code' }, row.id), h('span', { class: 'headline quiet' }, row.headline),
        h('span', { class: 'number quiet' }, plural(row.events, 'event'))) : h('div', {});
    },
    choose: (index) => { const row = shown[index]; if (row) choose(row); },
  });
  const about = h('div', { class: 'body padded whole' });
  const causes = h('div', { class: 'body padded whole' });
  const comparing = comparePage();
  const coverage = coveragePage();
  const side = tabs('About the runs', [
    { name: 'Run', content: about }, { name: 'Causes', content: causes }, { name: 'Compare', content: comparing.element }, { name: 'Coverage', content: coverage.element },
  ], (at) => {
    coverage.shown(isShown && at === 3);
    if (at === 2) comparing.opened();
  });
  const table = panel('Runs', h('div', { class: 'body table' }, above, rows.element), status, h('span', { class: 'end' }, stop));
  const panels = h('div', { class: 'panels runs' }, table,
    h('section', { class: 'panel', 'aria-label': 'About the runs' }, h('header', {}, side.list), h('div', { class: 'body' }, side.pages)));
  const sourceField = h('label', { class: 'field' }, 'Verdicts', source);
  const verdictField = h('fieldset', {}, h('legend', {}, 'Verdicts'), chips);
  const element = h('div', {},
    h('header', {}, h('h2', { class: 'unseen' }, 'Runs'), specChoice(), runsChoice(), sourceField),
    h('div', { class: 'filters' }, h('label', { class: 'field' }, 'Search', search),
      verdictField, h('label', { class: 'field' }, 'Cause', cause), h('label', { class: 'field' }, 'Order', order)),
    panels);

  async function readFile(): Promise<void> {
    fromFile = null;
    fileFailure = null;
    asking.stop();
    if (file) {
      await asking.ask(() => readResults({ path: file }), (it) => { fromFile = it; }, (error) => { fileFailure = error; });
    }
    drawn();
  }

  function drawSources(): void {
    const results = folder.value?.results ?? [];
    sourceField.hidden = results.length === 0;
    fill(source, h('option', { value: '' }, 'of the runs, checked now'), results.map((path) => h('option', { value: path }, path)));
    if (!results.includes(file)) file = '';
    source.value = file;
  }

  function drawn(): void {
    const it = answer();
    const cases = it?.cases ?? [];
    const present = VERDICTS.filter((verdict) => cases.some((row) => row.verdict === verdict));
    fill(chips, present.map((verdict) => {
      const box = h('input', { type: 'checkbox', onchange: () => {
        if (box.checked) hidden.delete(verdict);
        else hidden.add(verdict);
        filtered();
      } });
      box.checked = !hidden.has(verdict);
      return h('label', { class: `v-${verdict}` }, box, `${verdict} (${count(cases.filter((row) => row.verdict === verdict).length)})`);
    }));
    verdictField.hidden = present.length < 2;
    const before = cause.value;
    fill(cause, h('option', { value: '' }, 'any'), [...new Map((it?.causes ?? []).map((group) => [group.cause, group.name]))].map(([id, name]) => h('option', { value: id }, name)));
    cause.value = [...cause.options].some((option) => option.value === before) ? before : '';
    drawCauses();
    drawAbout();
    comparing.runs(cases, file !== '');
    filtered();
    state();
  }

  function filtered(): void {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean);
    const cases = (answer()?.cases ?? []).filter((row) => !hidden.has(row.verdict) && (cause.value === '' || row.cause === cause.value)
      && words.every((word) => `${row.id} ${row.headline} ${row.verdict} ${row.cause ?? ''}`.toLowerCase().includes(word)));
    shown = ORDERS[order.value]?.(cases) ?? cases;
    rows.count = shown.length;
    rows.element.hidden = shown.length === 0;
    mark();
    state();
  }

  function state(): void {
    const { isBusy, progress, failure } = checking.value;
    const it = answer();
    const all = it?.cases.length ?? 0;
    stop.hidden = file !== '' || !isBusy || !progress;
    fill(status, !file && isBusy && !it ? busy(progress || 'checking')
      : it ? [shown.length === all ? plural(all, 'run') : `${count(shown.length)} of ${plural(all, 'run')}`, it.micros > 0 ? `, ${duration(it.micros)}` : '',
        !file && isBusy && progress ? ` · ${progress}` : ''] : '');
    const problem = file ? fileFailure : failure;
    fill(above,
      problem ? (file ? failed(problem, () => void readFile()) : notice('warning', h('p', {}, prose(wordsOf(problem))), it ? h('p', { class: 'quiet' }, 'The verdicts are those of before.') : null,
        h('div', { class: 'actions' }, h('button', { type: 'button', onclick: () => recheck() }, 'Check again')))) : null,
      it && it.remarks.length > 0 ? h('details', { class: 'remarks' }, h('summary', {}, plural(it.remarks.length, 'remark')),
        h('ul', { class: 'list' }, it.remarks.slice(0, 100).map((remark) => h('li', {}, h('pre', {}, remark))))) : null,
      it && all > 0 && shown.length === 0 ? empty('No run is like this', h('button', { type: 'button', onclick: everything }, 'Show all runs')) : null,
      !file && lacking() ? empty(lacking() === 'runs' ? 'No runs in this folder' : 'No specification in this folder', h('p', {}, prose(LACKS[lacking() ?? 'runs']))) : null,
      it && all === 0 && !problem ? empty('No runs', h('p', {}, 'The chosen logs have no events, or there are none in this folder.'),
        h('button', { type: 'button', onclick: () => go('mapping') }, 'See what is made of each line')) : null);
  }

  function everything(): void {
    hidden.clear();
    search.value = '';
    cause.value = '';
    drawn();
  }

  function choose(row: CaseRow): void {
    chosen.value = row.id;
    side.open(0);
    if (narrow.matches) about.scrollIntoView({ block: 'nearest' });
  }

  const mark = () => { rows.chosen = shown.flatMap((row, at) => (row.id === chosen.value ? [at] : [])); };

  function drawAbout(): void {
    const row = answer()?.cases.find(({ id }) => id === chosen.value);
    fill(about, row ? [
      h('h4', {}, badge(row.verdict), ' ', h('bdi', { class: 'code' }, row.id)), h('p', {}, row.headline),
      h('p', { class: 'quiet' }, [plural(row.events, 'event'), row.cause ? `, ${row.cause}` : '', row.micros > 0 ? `, checked in ${duration(row.micros)}` : '']),
      file ? h('p', { class: 'quiet' }, 'This row comes from a file of results. Choose “of the runs, checked now” to look into the run.')
        : h('div', { class: 'actions' },
          h('button', { type: 'button', class: 'main', onclick: () => go('failure', row.id) }, row.verdict.endsWith('Pass') ? 'Look into it' : 'Why?'),
          h('button', { type: 'button', onclick: () => { comparing.choose('left', row.id); side.open(2); } }, 'Compare: left'),
          h('button', { type: 'button', onclick: () => { comparing.choose('right', row.id); side.open(2); } }, 'Compare: right'),
          h('button', { type: 'button', onclick: () => go('orders', row.id) }, 'Orders')),
    ] : empty('No run is chosen', h('p', {}, 'Choose a row to see what is wrong with it.')));
  }

  function drawCauses(): void {
    const groups = answer()?.causes ?? [];
    fill(causes, groups.length === 0 ? empty(answer() ? 'No failures' : 'No verdicts yet', h('p', {}, 'Failures with the same cause at the same place are grouped here.'))
      : h('ul', { class: 'causes' }, groups.map((group) => h('li', {},
        h('h4', {}, `${count(group.count)} × ${group.name}`), group.expected ? h('p', { class: 'quiet' }, 'expected: ', h('span', { class: 'code' }, group.expected)) : null,
        h('p', { class: 'actions' }, group.cases.slice(0, 5).map((id) => h('button', { type: 'button', class: 'link code', onclick: () => go('failure', id) }, id)),
          h('button', { type: 'button', onclick: () => { cause.value = group.cause; filtered(); } }, `Show all “${group.name}”`))))));
  }

  folder.watch(() => { drawSources(); state(); });
  verdicts.watch(() => {
    if (file) return;
    if (isShown) drawn();
    else isStale = true;
  });
  checking.onChange(() => { if (!file && isShown) state(); });
  chosen.onChange(() => { mark(); drawAbout(); });
  narrow.addEventListener('change', () => rows.redraw());

  return {
    element,
    show() {
      isShown = true;
      if (isStale) drawn();
      isStale = false;
      coverage.shown(side.current() === 3);
    },
    hide() {
      isShown = false;
      coverage.shown(false);
    },
  };
}
