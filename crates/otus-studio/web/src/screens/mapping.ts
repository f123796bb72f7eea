// From lines to events: every line of a log with what the rules make of it, a rule from clicks, and the account of all lines.
import type { AccountAnswer, LinesAnswer, LogLine, Path } from '../api';
import { account as askAccount, Asking, askText, lines as askLines, names as askNames, propose as askProposal } from '../client';
import { runsChoice, specChoice } from '../components/choose';
import { diffView } from '../components/diff';
import { Rows } from '../components/rows';
import { busy, empty, failed, notice, panel, say } from '../components/small';
import { tabs } from '../components/tabs';
import { verdictPanel } from '../components/verdicts';
import { count, fill, h, plural, visible } from '../dom';
import { documentAt, edit, edited, openDocument, take, unsaved } from '../documents';
import { Editor } from '../editor/editor';
import { go } from '../router';
import { debounced } from '../signal';
import { folder, runs, spec, specEntry } from '../state';
import { accountView, namesView } from './mapping/account';
import { rulePage } from './mapping/rule';
import { nameOfRole } from './mapping/tokens';
import type { Screen } from './screen';

const PAGE = 500;
/** After a change of the rules, so many lines are asked about again at once; those below follow when they are scrolled to. */
const AGAIN = 2000;

export function mappingScreen(): Screen {
  let log: Path = '';
  let loaded: LogLine[] = [];
  let shown: LogLine[] = [];
  let next: number | null = null;
  let isLoading = false;
  let isShown = false;
  let about: LinesAnswer | null = null;
  let isStale = true;
  const asking = new Asking();
  const counting = new Asking();
  const reading = new Asking();

  const select = h('select', { onchange: () => go('mapping', select.value) });
  const only = h('input', { type: 'checkbox', onchange: () => filtered() });
  const status = h('span', { class: 'quiet', role: 'status' });
  const above = h('div', { class: 'above' });
  const rows = new Rows({
    label: 'Lines of the log',
    height: () => 24,
    row: lineRow,
    choose: (index) => { const line = shown[index]; if (line) choose(line, index); },
  });
  rows.element.addEventListener('scroll', () => {
    const { scrollTop, clientHeight, scrollHeight } = rows.element;
    if (scrollTop + clientHeight > scrollHeight - 800) void more();
  }, { passive: true });
  const rule = rulePage(() => say('The rule is added; the lines follow'));
  const accounting = h('div', { class: 'body padded whole' });
  const naming = h('div', { class: 'body padded whole' });
  const editor = new Editor({ label: 'Text of otus.toml', changed: (text) => { const path = config(); if (path) edit(path, text, 'editor'); } });
  const configText = h('div', { class: 'body whole' }, editor.element);
  const configNone = h('div', {});
  const side = tabs('The rules', [
    { name: 'Rule', content: rule.element }, { name: 'Account', content: accounting }, { name: 'Names', content: naming }, { name: 'otus.toml', content: h('div', {}, configNone, configText) },
  ], (at) => { if (at === 3) void openConfig(); });
  const linesPanel = panel('Lines', h('div', { class: 'body lines' }, above, rows.element), status, h('span', { class: 'end' }, h('label', { class: 'check' }, only, 'only those that no rule takes')));
  const sidePanel = h('section', { class: 'panel', 'aria-label': 'The rules' }, h('header', {}, side.list), h('div', { class: 'body' }, side.pages));
  const verdicts = verdictPanel();
  const panels = h('div', { class: 'panels mapping' }, linesPanel, h('div', { class: 'stack' }, sidePanel, verdicts));
  const instead = h('div', {});
  const proposal = h('div', { class: 'proposal' });
  const init = h('button', { type: 'button', onclick: () => void proposed() }, 'Propose rules');
  const element = h('div', {},
    h('header', {}, h('h2', { class: 'unseen' }, 'Mapping'), h('label', { class: 'field' }, 'Log', select), specChoice(), runsChoice(), init), proposal, instead, panels);

  const config = () => about?.config ?? folder.value?.config ?? null;

  // ---- The log ----

  function logsOf(): Path[] {
    const state = folder.value;
    if (!state) return [];
    return [...new Set([...state.runs.filter(({ kind }) => kind === 'logs').flatMap(({ files }) => files), ...state.files.filter(({ kind }) => kind === 'log').map(({ path }) => path)])].sort();
  }

  function drawChoice(): void {
    const logs = logsOf();
    if (!log) log = logs[0] ?? '';
    fill(select, logs.slice(0, 2000).map((path) => h('option', { value: path }, path)), log && !logs.includes(log) ? h('option', { value: log }, log) : null);
    select.value = log;
    panels.hidden = !log;
    fill(instead, folder.value && !log ? empty('No logs in this folder', h('p', {}, 'Put log files into this folder: text, JSON lines, CSV, spans. They show here by themselves.')) : null);
  }

  const question = (from: number, number: number) => {
    const texts = unsaved();
    return { log, from, count: number, ...(texts ? { unsaved: texts } : {}) };
  };

  /** Reads the log from its beginning, as far as it was read before. */
  async function reload(wanted = PAGE): Promise<void> {
    if (!log || !isShown) return;
    isStale = false;
    isLoading = true;
    fill(status, h('span', { class: 'busy' }, 'reading'));
    const fresh: LogLine[] = [];
    let from: number | null = 0;
    await asking.ask(async (via) => {
      let answer: LinesAnswer | undefined;
      while (from !== null && fresh.length < Math.max(PAGE, wanted)) {
        answer = await askLines(question(from, PAGE), via);
        numbered(fresh, answer);
        from = answer.next;
      }
      return answer;
    }, (answer) => {
      isLoading = false;
      loaded = fresh;
      next = from;
      about = answer ?? null;
      drawn();
    }, (error) => {
      isLoading = false;
      loaded = [];
      next = null;
      filtered();
      fill(above, failed(error, () => void reload()));
    });
  }

  function numbered(into: LogLine[], answer: LinesAnswer): void {
    // Lines of a later part are numbered on from those before it.
    const before = into.at(-1)?.line ?? 0;
    const offset = answer.lines[0] && answer.lines[0].line <= before ? before : 0;
    for (const line of answer.lines) into.push(offset > 0 ? { ...line, line: line.line + offset } : line);
  }

  async function more(): Promise<void> {
    if (isLoading || next === null) return;
    isLoading = true;
    await asking.ask((via) => askLines(question(next ?? 0, PAGE), via), (answer) => {
      isLoading = false;
      numbered(loaded, answer);
      next = answer.next;
      filtered();
    }, (error) => { isLoading = false; fill(above, failed(error, () => void more())); });
  }

  function drawn(): void {
    const path = config();
    fill(above,
      about && about.diagnostics.length > 0 ? notice('error', h('p', {}, `${path ?? 'otus.toml'}: ${about.diagnostics[0]?.message ?? ''}`)) : null,
      !path ? notice('note', 'There is no otus.toml yet, so no line is taken. Click a line to make the first rule, or let Otus propose rules.')
        : about && !about.source && loaded.length > 0 ? notice('note', 'No source of ', h('span', { class: 'code' }, path), ' names this log. Click a line to make a rule for it.') : null);
    editor.diagnose(about?.diagnostics ?? []);
    filtered();
  }

  function filtered(): void {
    shown = only.checked ? loaded.filter(({ outcome }) => outcome === 'unmatched' || outcome === 'unreadable' || outcome === 'incomplete') : loaded;
    rows.count = shown.length;
    rows.element.hidden = shown.length === 0;
    const source = about?.source ? `source ${about.source}, ` : '';
    fill(status, `${source}${next === null ? plural(loaded.length, 'line') : `the first ${count(loaded.length)} lines`}`);
    if (only.checked && shown.length === 0 && loaded.length > 0) fill(above, notice('done', 'Every line that was read is taken or ignored by a rule.'));
    if (only.checked && next !== null && shown.length < 40) void more();
  }

  function lineRow(index: number): HTMLElement {
    const line = shown[index];
    if (!line) return h('div', {});
    const text: (Node | string)[] = [];
    let at = 0;
    for (const { from, to, name } of [...line.parts].sort((a, b) => a.from - b.from)) {
      if (from < at) continue;
      text.push(visible(line.text.slice(at, from)), h('span', { class: `part role-${roleOf(name)}`, title: nameOfRole(name) }, line.text.slice(from, to)));
      at = to;
    }
    text.push(visible(line.text.slice(at)));
    return h('div', { class: `log-line o-${line.outcome}` }, h('span', { class: 'at' }, line.line), h('span', { class: 'outcome', title: line.rule ? `${line.outcome} by ${line.rule}` : line.outcome },
      h('span', { 'aria-hidden': 'true' }, SIGNS[line.outcome]), h('span', { class: 'unseen' }, line.outcome)),
    h('span', { class: 'text' }, text), line.actions.length > 0 ? h('span', { class: 'made code' }, line.actions.join(', ')) : null);
  }

  function choose(line: LogLine, index: number): void {
    rows.chosen = [index];
    side.open(0);
    rule.line(log, line);
    if (matchMedia('(max-width: 61.99rem)').matches) sidePanel.scrollIntoView({ block: 'start' });
  }

  /** Shows a line by its number. */
  async function reveal(number: number): Promise<void> {
    for (let tries = 0; tries < 40 && next !== null && (loaded.at(-1)?.line ?? 0) < number; tries += 1) {
      const before = loaded.length;
      await more();
      if (loaded.length === before) break;
    }
    const at = shown.findIndex((line) => line.line === number);
    if (at < 0) return;
    rows.reveal(at, 'middle');
    rows.chosen = [at];
  }

  // ---- The account ----

  const accounted = debounced(80, () => {
    if (!isShown || !log) return;
    const texts = unsaved();
    if (!accounting.hasChildNodes()) fill(accounting, busy('Counting lines'));
    void counting.ask((via) => askAccount({ runs: runs.value, spec: spec.value, ...(texts ? { unsaved: texts } : {}) }, via), drawAccount,
      (error) => {
        inLogs = null;
        named = '';
        for (const page of [accounting, naming]) fill(page, config() ? failed(error, accounted) : empty('Nothing is counted yet', h('p', {}, 'Make a rule first: click a line.')));
      });
  });

  /** The names of the specification, for what no line says. */
  const inSpec = { lifelines: new Set<string>(), messages: new Set<string>() };
  let inLogs: AccountAnswer | null = null;
  let named = '';

  async function readNames(): Promise<void> {
    const entry = specEntry();
    if (!entry || !isShown) return;
    const document = documentAt(entry.path) ?? await openDocument(entry.path).catch(() => undefined);
    if (!document) return;
    await reading.ask((via) => askText({ path: entry.path, spec: entry.spec, text: document.text, theme: 'light', picture: false }, via), ({ messages }) => {
      inSpec.lifelines.clear();
      inSpec.messages.clear();
      for (const action of messages.flatMap(({ actions }) => actions)) {
        const [, lifeline, message] = /^(.*?)[!?](.*)$/.exec(action) ?? [];
        if (lifeline && message) {
          inSpec.lifelines.add(lifeline);
          inSpec.messages.add(message);
        }
      }
      offerNames();
    }, () => {});
  }

  function offerNames(): void {
    const seen = { lifelines: inLogs?.lifelines.map(({ lifeline }) => lifeline) ?? [], messages: inLogs?.messages.map(({ message }) => message) ?? [] };
    // Those of the specification come first; they are the ones to use.
    const both = (kind: 'lifelines' | 'messages') => [...new Set([...inSpec[kind], ...seen[kind]])];
    rule.names({ lifelines: both('lifelines'), messages: both('messages') });
  }

  function drawAccount(it: AccountAnswer): void {
    inLogs = it;
    fill(accounting, accountView(it, (file, line) => go('mapping', `${file}:${line}`)));
    // Choices that are not accepted yet stay, as long as they are about the same names.
    const names = JSON.stringify([it.only_in_logs, it.only_in_spec]);
    if (names !== named) fill(naming, namesView(it, async (pairs) => {
      try {
        const texts = unsaved();
        const made = await askNames({ ...pairs, ...(texts ? { unsaved: texts } : {}) });
        await take(made.path, made.text, made.version);
        say('The names are in otus.toml');
        return made;
      } catch (error) {
        naming.prepend(failed(error));
        return null;
      }
    }));
    named = names;
    const unknown = it.only_in_logs.lifelines.length + it.only_in_logs.messages.length;
    const tab = side.list.querySelectorAll('button')[2];
    if (tab) fill(tab, unknown > 0 ? `Names (${unknown})` : 'Names');
    offerNames();
  }

  // ---- otus.toml ----

  async function proposed(): Promise<void> {
    fill(proposal, busy('Reading the logs'));
    try {
      const texts = unsaved();
      const it = await askProposal({ runs: runs.value, ...(texts ? { unsaved: texts } : {}) });
      fill(proposal, h('section', { class: 'panel', 'aria-label': 'Proposed rules' }, h('header', {}, h('h3', {}, `Proposed ${it.path}`)), h('div', { class: 'body padded' },
        it.remarks.length > 0 ? h('ul', { class: 'list' }, it.remarks.map((remark) => h('li', {}, remark))) : null, diffView(it.diff, `Change of ${it.path}`),
        h('div', { class: 'actions' }, h('button', { type: 'button', class: 'main', onclick: async () => {
          await take(it.path, it.text, it.version);
          fill(proposal);
        } }, 'Accept'), h('button', { type: 'button', onclick: () => fill(proposal) }, 'Reject')))));
    } catch (error) {
      fill(proposal, failed(error, () => void proposed()));
    }
  }

  async function openConfig(): Promise<void> {
    const path = config();
    configText.hidden = !path;
    fill(configNone, path ? null : empty('There is no otus.toml', h('p', {}, 'The first rule makes one.')));
    if (!path) return;
    try {
      const document = documentAt(path) ?? await openDocument(path);
      editor.open(path, document.text, document.fixed !== null);
      editor.diagnose(about?.diagnostics ?? []);
    } catch (error) {
      fill(configNone, failed(error, () => void openConfig()));
    }
  }

  const changed = debounced(60, () => {
    if (!isShown) {
      isStale = true;
      return;
    }
    void reload(Math.min(AGAIN, loaded.length));
    accounted();
    void readNames();
    if (side.current() === 3) void openConfig();
  });

  folder.watch(() => { drawChoice(); changed(); });
  edited.onChange(changed);
  runs.onChange(accounted);
  spec.onChange(() => { accounted(); void readNames(); });

  return {
    element,
    show(item) {
      isShown = true;
      const [, path = item, number] = /^(.*?)(?::(\d+))?$/.exec(item) ?? [];
      const isOther = path !== '' && path !== log;
      if (isOther) {
        log = path;
        loaded = [];
        shown = [];
        rows.count = 0;
        about = null;
      }
      drawChoice();
      const ready = isOther || isStale || loaded.length === 0 ? reload() : Promise.resolve();
      accounted();
      void readNames();
      if (number) void ready.then(() => reveal(Number(number)));
    },
    hide() { isShown = false; },
  };
}

const SIGNS: Record<LogLine['outcome'], string> = { matched: '✓', ignored: '–', blank: ' ', unmatched: '?', incomplete: '!', unreadable: '✗' };

/** The role of a part, by the name that a rule has for it. */
function roleOf(name: string): string {
  if (/^(d|dir|direction)$/i.test(name)) return 'direction';
  if (/^(message|msg|packet|name)$/i.test(name)) return 'message';
  return ['lifeline', 'peer', 'group', 'id', 'value', 'time'].find((role) => name.startsWith(role)) ?? 'value';
}
