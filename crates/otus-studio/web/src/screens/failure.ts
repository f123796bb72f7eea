// One run: its steps beside the lines of the log and of the diagram, what was expected and what was observed, why an event cannot be
// matched, and what would repair it.
import type { CaseAnswer, Place, Step, WhyNotQuestion } from '../api';
import { Asking, askCase, askText } from '../client';
import { specChoice } from '../components/choose';
import { Picture } from '../components/picture';
import { Rows } from '../components/rows';
import { badge, busy, empty, failed, placeName, say } from '../components/small';
import { Stepper } from '../components/stepper';
import { tabs } from '../components/tabs';
import { count, fill, h, plural } from '../dom';
import { documentAt, openDocument, unsaved } from '../documents';
import { go } from '../router';
import { chosen, folder, specEntry, subject, verdicts, worstFirst } from '../state';
import { dark } from '../theme';
import { explanation } from './failure/explanation';
import { repairPage } from './failure/repair';
import { whyNotPage } from './failure/why-not';
import type { Screen } from './screen';

const GLYPHS: Record<Step['state'], [string, string]> = {
  matched: ['✓', 'matched'], assumed: ['~', 'assumed, not observed'], blamed: ['✗', 'cannot be matched'], rest: ['·', 'after the failure'],
};
/** The maximum number of runs in the list; the screen Runs has all. */
const LISTED = 500;

export function failureScreen(): Screen {
  let answer: CaseAnswer | null = null;
  let isShown = false;
  let asked = '';
  /** The lines of the specification, to be shown beside the steps. */
  let lines: { file: string; lines: string[] } = { file: '', lines: [] };
  /** The message of the diagram by its line. */
  let arrows = new Map<number, string>();
  const asking = new Asking();
  const drawing = new Asking();

  const title = h('div', { class: 'title' });
  const pair = h('div', { class: 'pair' });
  const select = h('select', { onchange: () => go('failure', select.value) });
  const [back, on] = [['← Previous', -1], ['Next →', 1]].map(([text, by]) => h('button', { type: 'button', onclick: () => other(Number(by)) }, text as string));

  const stepper = new Stepper('Steps of the run', (step) => { reach(step); follow(step); });
  const next = h('p', { class: 'next quiet' });
  const rows = new Rows({
    label: 'Steps: what happened, where the diagram has it, and the line of the log',
    height: () => 46,
    row: stepRow,
    // What cannot be matched is not reached by the slider.
    move: (index) => { const step = Math.min(index + 1, answer?.explained ?? 0); stepper.show(step); reach(step); revealIn(index); },
    choose: (index) => pick(index),
  });
  const happened = new Picture('What happened');
  const diagram = new Picture('Diagram');
  const why = whyNotPage();
  const repair = repairPage();
  const reasons = h('div', { class: 'body padded whole' });
  const pictures = tabs('Pictures', [
    { name: 'What happened', content: h('div', { class: 'page' }, happened.element) },
    { name: 'Diagram', content: h('div', { class: 'page' }, diagram.element) },
  ], (at) => {
    happened.tools.hidden = at !== 0;
    diagram.tools.hidden = at !== 1;
    if (at === 1) drawDiagram();
    reach(stepper.at);
  });
  diagram.tools.hidden = true;
  const tools = tabs('About the failure', [
    { name: 'Why', content: reasons }, { name: 'Why not this?', content: why.element }, { name: 'Repair', content: repair.element },
  ], (at) => { if (at === 2) repair.opened(); });

  const run = h('section', { class: 'panel', 'aria-label': 'Run, step by step' },
    h('header', {}, h('h3', {}, 'Run, step by step')), stepper.element, next, h('div', { class: 'body steps' }, rows.element));
  const picturePanel = h('section', { class: 'panel', 'aria-label': 'Pictures' }, h('header', {}, pictures.list, happened.tools, diagram.tools), pictures.pages);
  const toolPanel = h('section', { class: 'panel', 'aria-label': 'About the failure' }, h('header', {}, tools.list), h('div', { class: 'body' }, tools.pages));
  const panels = h('div', { class: 'panels failure' }, run, h('div', { class: 'stack' }, picturePanel, toolPanel));
  const instead = h('div', {});
  const element = h('div', {},
    h('header', {}, h('h2', { class: 'unseen' }, 'Failure'), specChoice(), h('label', { class: 'field' }, 'Run', select), h('span', { class: 'actions' }, back, on)),
    instead, title, pair, panels);

  // ---- The run that is shown ----

  const listed = () => worstFirst(verdicts.value?.cases ?? []);

  function other(by: number): void {
    const all = listed();
    const row = all[all.findIndex(({ id }) => id === chosen.value) + by];
    if (row) go('failure', row.id);
  }

  function drawChoice(): void {
    const all = listed();
    const at = all.findIndex(({ id }) => id === chosen.value);
    const first = Math.max(0, Math.min(at - LISTED / 2, all.length - LISTED));
    fill(select, all.slice(first, first + LISTED).map(({ id, verdict }) => h('option', { value: id }, `${verdict}: ${id}`)));
    select.value = chosen.value;
    if (back && on) [back.disabled, on.disabled] = [at <= 0, at < 0 || at >= all.length - 1];
  }

  function ask(): void {
    if (!isShown || !folder.value) return;
    const id = chosen.value;
    if (!id) {
      answer = null;
      draw();
      return;
    }
    const question = { ...subject(), id, theme: dark.value ? 'dark' as const : 'light' as const };
    const key = JSON.stringify([question, folder.value.generation]);
    if (key === asked && answer) return;
    asked = key;
    if (answer?.id !== id) fill(instead, busy('Asking why'));
    void asking.ask((via) => askCase(question, via), (it) => {
      answer = it;
      draw();
    }, (error) => {
      asked = '';
      answer = null;
      draw();
      fill(instead, failed(error, ask));
    });
  }

  function draw(): void {
    const it = answer;
    title.hidden = pair.hidden = panels.hidden = !it;
    fill(instead, it ? null : empty('No run is chosen', h('p', {}, verdicts.value?.cases.length === 0
      ? 'There is no run to look at: the chosen logs have no events.' : 'Choose a run above, or a row of the screen Runs.')));
    if (!it) return;
    fill(title, h('h3', {}, badge(it.verdict), h('bdi', { class: 'code' }, it.id)), h('p', { class: 'headline' }, it.headline),
      it.cause ? h('span', { class: 'quiet' }, `Cause: ${it.cause.name}`) : null);
    fill(pair, sides(it));
    pair.hidden = it.expected.length === 0 && it.observed.length === 0;
    rows.count = it.steps.length;
    stepper.reset(it.explained, it.explained, (step) => words(it.steps[step - 1]));
    fill(reasons, explanation(it, show));
    why.reset(it);
    repair.reset(it);
    if (!it.svg) happened.instead(empty('Nothing to draw', h('p', {}, 'There is no picture of this run.')));
    else if (happened.set(it.svg)) happened.parts(partsOf(it));
    if (pictures.current() === 1) drawDiagram();
    void readLines();
    const at = it.steps.findIndex(({ state }) => state === 'blamed');
    if (at >= 0) rows.reveal(at, 'middle');
    reach(stepper.at);
    if (at >= 0) happened.reveal(nodeOf(at));
  }

  function sides(it: CaseAnswer): HTMLElement[] {
    const place = (where: Place, text: string | null) => [
      h('button', { type: 'button', class: 'link code', onclick: () => show(where) }, placeName(where)), text ? h('pre', {}, text.trim()) : null];
    const one = <T>(name: string, tone: string, items: T[], draw: (item: T) => (HTMLElement | null)[]) => (items.length === 0 ? [] : [
      h('div', { class: tone }, h('h4', {}, name), items.slice(0, 4).map((item) => h('div', {}, draw(item))),
        items.length > 4 ? h('p', { class: 'quiet' }, `and ${plural(items.length - 4, 'more', 'more')}`) : null)]);
    return [
      ...one('Expected', 'v-Pass', it.expected, ({ place: where, action, text }) => [h('strong', { class: 'code' }, `${action} `), ...place(where, text)]),
      ...one('Observed', 'v-Fail', it.observed, ({ place: where, action, role, text }) => [
        h('strong', { class: 'code' }, `${action} `), role ? h('span', { class: 'quiet' }, `${role} `) : null, ...place(where, text)]),
    ];
  }

  /** Opens a place: of the specification in the editor, of a log in Mapping. */
  function show(place: Place): void {
    const entry = specEntry();
    if (entry && place.file.replace(/#.*$/, '') === entry.path) go('specification', String(place.line));
    else go('mapping', `${place.file}:${place.line}`);
  }

  // ---- Steps ----

  const words = (step: Step | undefined) => (step ? `${step.action}${eventOf(step)?.place ? `, ${placeName(eventOf(step)?.place as Place)}` : ''}, ${GLYPHS[step.state][1]}` : '');
  const eventOf = (step: Step) => (step.log !== null && step.event !== null ? answer?.logs[step.log]?.events[step.event] : undefined);
  const nodeOf = (index: number) => {
    const step = answer?.steps[index];
    return step ? step.node ?? eventOf(step)?.node ?? null : null;
  };

  function stepRow(index: number): HTMLElement {
    const step = answer?.steps[index];
    if (!step) return h('div', {});
    const event = eventOf(step);
    const [glyph, name] = GLYPHS[step.state];
    const text = step.spec && step.spec.file.replace(/#.*$/, '') === lines.file ? lines.lines[step.spec.line - 1]?.trim() : undefined;
    return h('div', { class: `step ${step.state}${index < stepper.at ? ' done' : ''}${index === stepper.at - 1 ? ' current' : ''}` },
      h('span', { class: 'at' }, count(index + 1)), h('span', { class: 'glyph' }, h('span', { 'aria-hidden': 'true' }, glyph), h('span', { class: 'unseen' }, name)),
      h('span', { class: 'action' }, step.action), h('span', { class: 'spec' }, step.spec ? `${step.spec.line}: ${text ?? placeName(step.spec)}` : step.state === 'blamed' ? 'not here' : ''),
      h('span', { class: 'log' }, event?.place ? `${placeName(event.place)}  ${event.text ?? ''}` : step.state === 'assumed' ? 'no log has it' : event?.text ?? ''));
  }

  /** Shows the run up to a step, in the rows, in both pictures, and what could come next. */
  function reach(step: number): void {
    const it = answer;
    if (!it) return;
    rows.redraw();
    const current = it.steps[step - 1];
    it.steps.forEach((_, index) => {
      const part = happened.find(nodeOf(index));
      part?.classList.toggle('later', index >= step);
      part?.classList.toggle('current', index === step - 1);
    });
    for (const part of diagram.svg?.querySelectorAll('.here') ?? []) part.classList.remove('here');
    const node = current?.spec ? arrows.get(current.spec.line) : undefined;
    diagram.find(node)?.classList.add('here');
    if (pictures.current() === 1) diagram.reveal(node);
    const expected = it.steps[step]?.expected ?? [];
    const all = [...new Set(expected.flat())];
    fill(next, all.length > 0 ? ['Next could be: ', h('span', { class: 'code' }, all.slice(0, 8).join(', ')), all.length > 8 ? ` and ${plural(all.length - 8, 'other')}` : ''] : '');
    why.at(step);
  }

  const follow = (step: number) => {
    if (step > 0) rows.reveal(step - 1);
    revealIn(step - 1);
  };
  const revealIn = (index: number) => { if (pictures.current() === 0) happened.reveal(nodeOf(index)); };

  /** A step was chosen: one that cannot be matched is asked about. */
  function pick(index: number): void {
    const step = answer?.steps[index];
    if (!answer || !step) return;
    if (step.state === 'blamed' || step.state === 'rest') {
      if (step.log !== null && step.event !== null) askWhyNot({ log: step.log, event: step.event }, step.action, answer.explained);
    } else {
      say(words(step));
    }
  }

  function askWhyNot(target: WhyNotQuestion['target'], name: string, step = Math.min(stepper.at, answer?.explained ?? 0)): void {
    tools.open(1);
    why.ask(target, name, step);
  }

  const partsOf = (it: CaseAnswer) => it.logs.flatMap((log, at) => log.events.flatMap(({ node, action, place, text }, event) => (node ? [{
    id: node, label: [action, place ? placeName(place) : '', text ?? ''].filter(Boolean).join(', '), choose: () => askWhyNot({ log: at, event }, action),
  }] : [])));

  // ---- The diagram ----

  function drawDiagram(): void {
    const entry = specEntry();
    if (!entry) return;
    void openDocument(entry.path).then((document) => {
      const texts = unsaved();
      return drawing.ask((via) => askText({
        path: entry.path, spec: entry.spec, text: document.text, theme: dark.value ? 'dark' : 'light', picture: true, ...(texts ? { unsaved: texts } : {}),
      }, via), ({ svg, messages }) => {
        arrows = new Map(messages.flatMap(({ line, node }) => (node ? [[line, node] as const] : [])));
        if (!svg) diagram.instead(empty('Nothing to draw'));
        else if (diagram.set(svg)) {
          diagram.parts(messages.flatMap(({ node, text, line }) => (node ? [{ id: node, label: text, choose: () => askWhyNot({ line }, text) }] : [])));
        }
        reach(stepper.at);
      }, (error) => diagram.instead(failed(error, drawDiagram)));
    }).catch((error: unknown) => diagram.instead(failed(error, drawDiagram)));
  }

  async function readLines(): Promise<void> {
    const entry = specEntry();
    if (!entry) return;
    const text = (documentAt(entry.path) ?? await openDocument(entry.path).catch(() => undefined))?.text;
    if (text === undefined) return;
    lines = { file: entry.path, lines: text.split('\n') };
    rows.redraw();
  }

  verdicts.onChange(() => { drawChoice(); ask(); });
  folder.onChange(() => ask());
  dark.onChange(() => ask());
  chosen.onChange(drawChoice);
  draw();

  return {
    element,
    show(item) {
      isShown = true;
      if (item) chosen.value = item;
      else if (!chosen.value) chosen.value = listed()[0]?.id ?? '';
      drawChoice();
      ask();
    },
    hide() {
      isShown = false;
    },
    step(by) {
      stepper.step(by);
      return true;
    },
  };
}
