// The text of the specification, its picture, its mistakes, and the verdicts of the chosen runs, all while typing.
import type { SpecMessage, TextAnswer } from '../api';
import { Asking, askText, wordsOf } from '../client';
import { runsChoice, specChoice } from '../components/choose';
import { Picture } from '../components/picture';
import { problemList } from '../components/problems';
import { empty, failed, panel } from '../components/small';
import { LACKS, verdictPanel } from '../components/verdicts';
import { fill, h, plural, prose } from '../dom';
import { documentAt, edit, edited, openDocument, unsaved } from '../documents';
import { Editor } from '../editor/editor';
import { debounced } from '../signal';
import { folder, spec, specEntry, verdicts } from '../state';
import { dark } from '../theme';
import type { Screen } from './screen';

/** A picture with more characters takes long to show, so it waits for a rest in the typing, of this many milliseconds. */
const LARGE = 300_000;
const REST = 500;

export function specificationScreen(): Screen {
  let path = '';
  let messages: SpecMessage[] = [];
  let size = 0;
  const asking = new Asking();

  const editor = new Editor({
    label: 'Text of the specification',
    changed: (text) => edit(path, text, 'editor'),
    moved: (line) => mark(line),
  });
  const picture = new Picture('Picture of the specification');
  const fixed = h('p', { class: 'quiet' });
  const problems = h('div', { class: 'body padded' });
  const summary = h('span', { class: 'quiet', role: 'status' });
  const problemPanel = panel('Mistakes', problems, summary);
  problemPanel.classList.add('short');
  const problemTitle = problemPanel.querySelector('h3') as HTMLElement;
  const name = h('span', { class: 'quiet code' });
  const textPanel = panel('Text', h('div', { class: 'body whole' }, editor.element), name, fixed);
  const picturePanel = panel('Picture', picture.element, picture.tools);
  const nothing = h('div', {});

  /** Marks the message at the cursor in the picture. */
  function mark(line: number): void {
    for (const element of picture.svg?.querySelectorAll('.here') ?? []) element.classList.remove('here');
    const message = messages.find((other) => other.line === line);
    if (!message?.node) return;
    picture.find(message.node)?.classList.add('here');
    picture.reveal(message.node);
  }

  function answered(answer: TextAnswer, isDrawn: boolean): void {
    messages = answer.messages;
    editor.diagnose(answer.diagnostics);
    const errors = answer.diagnostics.filter(({ severity }) => severity === 'error').length;
    const title = errors > 0 ? 'Mistakes' : 'Remarks';
    fill(problemTitle, title);
    problemPanel.setAttribute('aria-label', title);
    fill(summary, errors > 0 ? plural(errors, 'error') : '');
    problemPanel.hidden = answer.diagnostics.length === 0;
    fill(problems, problemList(answer.diagnostics, {
      open: ({ from, to, place }) => (from !== undefined ? editor.select(from, to) : editor.selectLine(place.line)),
      mend: ({ fix }) => { if (fix) editor.replace(fix.from, fix.to, fix.replacement); },
    }));
    if (!isDrawn) {
      draw();
      return;
    }
    size = answer.svg?.length ?? 0;
    picturePanel.classList.toggle('old', !answer.svg && errors > 0);
    if (!answer.svg) {
      if (!picture.svg) picture.instead(empty('Nothing to draw', h('p', {}, errors > 0 ? 'The picture comes when the mistakes are mended.' : 'The text has no interaction.')));
    } else if (picture.set(answer.svg)) {
      picture.parts(messages.flatMap(({ node, text, from, to }) => (node ? [{ id: node, label: text, choose: () => editor.select(from, to) }] : [])));
    }
  }

  // The verdicts are asked for first; picture and diagnostics share the machine with them.
  const ask = debounced(40, () => question(size < LARGE));
  const draw = debounced(REST, () => question(true));

  function question(isDrawn: boolean): void {
    const document = documentAt(path);
    if (!document) return;
    const texts = unsaved();
    void asking.ask(
      (via) => askText({ path, spec: spec.value, text: document.text, theme: dark.value ? 'dark' : 'light', picture: isDrawn, ...(texts ? { unsaved: texts } : {}) }, via),
      (answer) => answered(answer, isDrawn), (error) => { fill(problems, failed(error, ask)); problemPanel.hidden = false; });
  }

  async function open(): Promise<void> {
    const entry = specEntry();
    const isNone = folder.value !== null && !entry;
    panels.hidden = isNone;
    fill(nothing, isNone ? empty('No specification in this folder',
      h('p', {}, prose(LACKS.specification))) : null);
    if (!entry) return;
    const isOther = entry.path !== path;
    if (isOther) size = 0;
    path = entry.path;
    fill(name, path);
    try {
      const document = await openDocument(path);
      if (path !== entry.path) return;
      if (isOther) picture.instead(empty('Drawing…'));
      editor.open(path, document.text, document.fixed !== null);
      fill(fixed, document.fixed ?? '');
      markFailures();
      ask();
    } catch (error) {
      picture.instead(empty('The file cannot be read', h('p', {}, wordsOf(error))));
    }
  }

  const panels = h('div', { class: 'panels specification' },
    h('div', { class: 'stack' }, textPanel, problemPanel), h('div', { class: 'stack' }, picturePanel, verdictPanel()));
  const element = h('div', {},
    h('header', {}, h('h2', { class: 'unseen' }, 'Specification'), specChoice(), runsChoice()), nothing, panels);
  problemPanel.hidden = true;

  /** The lines at which runs fail. */
  function markFailures(): void {
    const places = (verdicts.value?.causes ?? []).flatMap(({ expected }) => {
      const [, file, line] = /^(?:.* at )?(\S.*?):(\d+)(?::\d+)?$/.exec(expected) ?? [];
      return file === path ? [Number(line)] : [];
    });
    editor.markLines(places);
  }

  spec.onChange(() => void open());
  verdicts.onChange(markFailures);
  folder.watch(() => void open());
  dark.onChange(ask);
  edited.onChange(({ path: changed, by }) => {
    const document = documentAt(path);
    if (changed === path && by !== 'editor' && document) editor.set(document.text);
    ask();
  });

  return {
    element,
    // `otus.mmd:12` opens the text at a line.
    show(item) {
      const line = Number(/^(\d+)$/.exec(item)?.[1]);
      if (line) void open().then(() => editor.selectLine(line));
    },
  };
}
