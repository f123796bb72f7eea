// A rule from clicks: marks on a line, and choices for what the line does not say. The server makes the pattern and tells what it takes.
import type { LogLine, Mark, Path, RuleAnswer, RuleQuestion } from '../../api';
import { Asking, rule as askRule } from '../../client';
import { diffView } from '../../components/diff';
import { problemList } from '../../components/problems';
import { busy, failed, notice, say } from '../../components/small';
import { take, unsaved } from '../../documents';
import { type Child, count, fill, h, plural, prose } from '../../dom';
import { debounced } from '../../signal';
import { guessed, marking, nameOfRole } from './tokens';

/** What a rule says that no part of the line says. */
type Constant = 'direction' | 'message' | 'lifeline' | 'peer' | 'group';

export interface Names {
  lifelines: string[];
  messages: string[];
}

export interface RulePage {
  element: HTMLElement;
  /** Begins a rule with a line, or widens the one that was begun. */
  line(log: Path, line: LogLine): void;
  names(names: Names): void;
}

export function rulePage(added: () => void): RulePage {
  let log: Path = '';
  let first: LogLine | null = null;
  let more: { log: Path; line: LogLine }[] = [];
  let marks: Mark[] = [];
  let names: Names = { lifelines: [], messages: [] };
  let widens = false;
  const constants: Partial<Record<Constant, string>> = {};
  let files: NonNullable<RuleQuestion['files']> = 'like';
  const asking = new Asking();

  const marker = marking((its) => { marks = its; drawConstants(); ask(); });
  const ignore = h('input', { type: 'checkbox', onchange: () => { drawConstants(); ask(); } });
  const rest = h('div', { class: 'constants' });
  const samples = h('div', {});
  const result = h('div', { class: 'result' });
  const where = h('p', { class: 'quiet code' });
  const widen = h('button', { type: 'button', 'aria-pressed': 'false', onclick: () => {
    widens = !widens;
    widen.setAttribute('aria-pressed', String(widens));
    if (widens) say('Click another line that the rule must take too');
  } }, 'Add another line');
  const which = h('select', { onchange: () => { files = which.value as typeof files; ask(); } },
    h('option', { value: 'like' }, 'logs of this name'), h('option', { value: 'log' }, 'this log only'), h('option', { value: 'all' }, 'all logs'));
  const form = h('div', { class: 'form', hidden: true }, where, marker.element,
    h('div', { class: 'actions' }, h('label', { class: 'check' }, ignore, 'Ignore lines like this'), widen), samples, rest,
    h('label', { class: 'field which' }, 'A new source is for', which), result);
  const start = h('div', { class: 'empty' }, h('h3', {}, 'A rule from a line'),
    h('p', {}, 'Click a line that no rule takes. Mark who sends, what, to whom; the rule is written for you.'));
  const element = h('div', { class: 'body padded whole' }, start, form);

  const isMarked = (role: Constant) => marks.some((mark) => mark.role === role);

  /** Choices for what is not marked. */
  function drawConstants(): void {
    rest.hidden = ignore.checked;
    const option = (value: string, text = value) => h('option', { value }, text);
    const files = [option('{file.stem}', 'the name of the file'), option('{file.folder}', 'the name of the folder')];
    const lifelines = names.lifelines.map((name) => option(name));
    const none = (text: string) => option('', text);
    const choices: Record<Constant, Child[]> = {
      direction: [none('not said'), option('!', 'this line is a sending'), option('?', 'this line is a receiving')],
      message: [none('not said'), names.messages.map((name) => option(name))],
      lifeline: [none('not said'), lifelines, files],
      peer: [none('not said'), lifelines, files],
      group: [none('all lines are one run'), files],
    };
    const fields = (Object.keys(choices) as Constant[]).filter((name) => !isMarked(name)).map((name) => {
      const select = h('select', { 'data-constant': name, onchange: () => { constants[name] = select.value; ask(); } }, choices[name]);
      select.value = constants[name] ?? '';
      if (select.value !== (constants[name] ?? '')) delete constants[name];
      return h('label', { class: 'field' }, nameOfRole(name), select);
    });
    fill(rest, fields.length > 0 ? h('p', { class: 'quiet' }, 'What the line does not say:') : null, h('div', { class: 'fields' }, fields));
  }

  function drawSamples(): void {
    fill(samples, more.length === 0 ? null : [h('p', { class: 'quiet' }, 'The rule must take these lines too:'), h('ul', { class: 'list' }, more.map((sample, at) => h('li', {},
      h('code', {}, sample.line.text), ' ', h('button', { type: 'button', class: 'link', onclick: () => { more.splice(at, 1); drawSamples(); ask(); } }, 'Remove'))))]);
  }

  const ask = debounced(60, () => {
    const sample = first;
    if (!sample) return;
    const texts = unsaved();
    const said: RuleQuestion['constants'] = {};
    for (const name of ['direction', 'message', 'lifeline', 'peer', 'group'] as const) {
      const value = constants[name];
      if (value && !isMarked(name) && !ignore.checked) Object.assign(said, { [name]: value });
    }
    if (!result.hasChildNodes()) fill(result, busy('Making the rule'));
    void asking.ask((via) => askRule({
      samples: [{ log, text: sample.text, marks: ignore.checked ? marks.filter(({ role }) => role === 'fixed' || role === 'any') : marks },
        ...more.map(({ log: other, line }) => ({ log: other, text: line.text, marks: [] }))],
      ignore: ignore.checked, constants: said, files, ...(texts ? { unsaved: texts } : {}),
    }, via), shown, (error) => fill(result, failed(error, ask)));
  });

  function shown(answer: RuleAnswer): void {
    const isReady = answer.missing.length === 0 && !answer.diagnostics.some(({ severity }) => severity === 'error');
    const accept = h('button', { type: 'button', class: 'main', disabled: !isReady, onclick: () => void add(answer) }, 'Add the rule');
    fill(result,
      answer.missing.length > 0 ? notice('warning', h('ul', {}, answer.missing.map((text) => h('li', {}, prose(text))))) : null,
      problemList(answer.diagnostics, {}),
      h('p', {}, h('strong', {}, plural(answer.hits, 'line')), ` of this log ${answer.hits === 1 ? 'is' : 'are'} taken by the rule, `, h('strong', {}, count(answer.unmatched)), ' by none.'),
      answer.samples.length > 0 ? h('ul', { class: 'list made' }, answer.samples.map((line) => h('li', {}, h('code', {}, line.text.slice(0, 120)), ' → ',
        line.outcome === 'ignored' ? h('span', { class: 'quiet' }, 'ignored') : line.actions.length > 0
          ? [h('strong', { class: 'code' }, line.actions.join(', ')), line.group ? h('span', { class: 'quiet' }, ` in run ${line.group}`) : null]
          : h('span', { class: 'quiet' }, line.outcome)))) : null,
      h('div', { class: 'actions' }, accept, h('button', { type: 'button', onclick: clear }, 'Forget it')),
      h('details', {}, h('summary', {}, `The rule, as ${answer.path} says it`), diffView(answer.diff, `Change of ${answer.path}`)));
  }

  async function add(answer: RuleAnswer): Promise<void> {
    try {
      await take(answer.path, answer.text, answer.version);
    } catch (error) {
      fill(result, failed(error));
      return;
    }
    say('The rule is added');
    clear();
    fill(start, h('h3', {}, 'The rule is added'), h('p', {}, `Click the next line that no rule takes. “Save” at the top writes ${answer.path}.`));
    added();
  }

  function clear(): void {
    asking.stop();
    first = null;
    more = [];
    marks = [];
    widens = false;
    widen.setAttribute('aria-pressed', 'false');
    ignore.checked = false;
    fill(result);
    form.hidden = true;
    start.hidden = false;
  }

  return {
    element,
    line(path, line) {
      if (widens && first) {
        more.push({ log: path, line });
        widens = false;
        widen.setAttribute('aria-pressed', 'false');
        drawSamples();
        ask();
        return;
      }
      if (path !== log) for (const name of ['lifeline', 'peer'] as const) delete constants[name];
      delete constants.message;
      delete constants.direction;
      log = path;
      first = line;
      more = [];
      marks = guessed(line.text);
      ignore.checked = false;
      start.hidden = true;
      form.hidden = false;
      fill(where, `${path}:${line.line}`);
      fill(result);
      marker.show(line.text, marks);
      drawSamples();
      drawConstants();
      ask();
    },
    names(its) {
      names = its;
      if (first) drawConstants();
    },
  };
}

