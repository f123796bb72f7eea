// A text editor for one document at a time. Diagnostics are set from outside; changes are told to the outside.
import { defaultKeymap, history, historyKeymap } from '@codemirror/commands';
import { HighlightStyle, syntaxHighlighting } from '@codemirror/language';
import { type Diagnostic as Mark, forEachDiagnostic, lintKeymap, lintGutter, setDiagnostics } from '@codemirror/lint';
import { highlightSelectionMatches, search, searchKeymap } from '@codemirror/search';
import { Annotation, Compartment, EditorState, RangeSet, StateEffect, StateField } from '@codemirror/state';
import { Decoration, type DecorationSet, EditorView, highlightActiveLine, highlightActiveLineGutter, keymap, lineNumbers } from '@codemirror/view';
import { tags } from '@lezer/highlight';
import type { Diagnostic } from '../api';
import { languageOf } from './languages';

/** Marks changes that come from outside, which are not told back. */
const foreign = Annotation.define<boolean>();
const setLines = StateEffect.define<number[]>();

/** Lines with a mark of their own: where failures are. */
const lines = StateField.define<DecorationSet>({
  create: () => Decoration.none,
  update(marks, transaction) {
    let next = marks.map(transaction.changes);
    for (const effect of transaction.effects) {
      if (!effect.is(setLines)) continue;
      const { doc } = transaction.state;
      const places = [...new Set(effect.value)].filter((line) => line >= 1 && line <= doc.lines).sort((a, b) => a - b);
      next = RangeSet.of(places.map((line) => Decoration.line({ class: 'failing' }).range(doc.line(line).from)));
    }
    return next;
  },
  provide: (field) => EditorView.decorations.from(field),
});

const colours = HighlightStyle.define([
  { tag: tags.comment, class: 'tok-comment' },
  { tag: tags.keyword, class: 'tok-keyword' },
  { tag: tags.operator, class: 'tok-operator' },
  { tag: tags.string, class: 'tok-string' },
  { tag: tags.number, class: 'tok-number' },
  { tag: tags.meta, class: 'tok-meta' },
]);

export interface EditorOptions {
  label: string;
  changed: (text: string) => void;
  /** The cursor moved to another line. */
  moved?: (line: number) => void;
}

export class Editor {
  readonly element: HTMLElement;
  readonly #view: EditorView;
  readonly #language = new Compartment();
  readonly #fixed = new Compartment();
  #line = 0;

  constructor({ label, changed, moved }: EditorOptions) {
    this.element = document.createElement('div');
    this.element.className = 'editor';
    this.#view = new EditorView({
      parent: this.element,
      state: EditorState.create({
        extensions: [
          lineNumbers(), highlightActiveLine(), highlightActiveLineGutter(), history(), search({ top: true }), highlightSelectionMatches(),
          lintGutter(), lines, syntaxHighlighting(colours), this.#language.of([]), this.#fixed.of([]),
          // Tab leaves the editor, as everywhere else on the page.
          keymap.of([...defaultKeymap, ...historyKeymap, ...searchKeymap, ...lintKeymap]),
          EditorView.contentAttributes.of({ 'aria-label': label, spellcheck: 'false', tabindex: '0' }),
          EditorState.tabSize.of(4),
          EditorView.updateListener.of((update) => {
            if (update.docChanged && !update.transactions.some((transaction) => transaction.annotation(foreign))) changed(update.state.doc.toString());
            const line = update.state.doc.lineAt(update.state.selection.main.head).number;
            if (line !== this.#line) {
              this.#line = line;
              moved?.(line);
            }
          }),
        ],
      }),
    });
  }

  get text(): string {
    return this.#view.state.doc.toString();
  }

  /** Shows another document. */
  open(path: string, text: string, isFixed: boolean): void {
    this.set(text);
    this.#view.dispatch({
      effects: [this.#language.reconfigure(languageOf(path)), this.#fixed.reconfigure(isFixed ? EditorState.readOnly.of(true) : [])],
    });
  }

  /** Takes a text from outside; cursor and scroll stay where they are as far as the texts agree. */
  set(text: string): void {
    const before = this.text;
    if (before === text) return;
    let from = 0;
    while (from < before.length && from < text.length && before.charCodeAt(from) === text.charCodeAt(from)) from += 1;
    let end = 0;
    while (end < before.length - from && end < text.length - from && before.charCodeAt(before.length - 1 - end) === text.charCodeAt(text.length - 1 - end)) end += 1;
    this.#view.dispatch({ changes: { from, to: before.length - end, insert: text.slice(from, text.length - end) }, annotations: foreign.of(true) });
  }

  diagnose(diagnostics: Diagnostic[]): void {
    const { length } = this.#view.state.doc;
    const marks = diagnostics.flatMap((diagnostic): Mark[] => {
      if (diagnostic.from === undefined || diagnostic.to === undefined) return [];
      const from = Math.min(diagnostic.from, length);
      const mark: Mark = {
        from,
        to: Math.min(Math.max(diagnostic.to, from), length),
        severity: diagnostic.severity === 'note' ? 'info' : diagnostic.severity,
        message: [diagnostic.message, diagnostic.help].filter(Boolean).join('\n'),
        ...(diagnostic.code ? { source: diagnostic.code } : {}),
      };
      const { fix } = diagnostic;
      if (fix) mark.actions = [{ name: 'Mend it', apply: (view) => view.dispatch({ changes: { from: fix.from, to: fix.to, insert: fix.replacement } }) }];
      return [mark];
    });
    let shown = 0;
    forEachDiagnostic(this.#view.state, () => { shown += 1; });
    if (marks.length > 0 || shown > 0) this.#view.dispatch(setDiagnostics(this.#view.state, marks));
  }

  /** Marks the lines at which something fails. */
  markLines(places: number[]): void {
    if (places.length === 0 && this.#view.state.field(lines).size === 0) return;
    this.#view.dispatch({ effects: setLines.of(places) });
  }

  /** Moves the cursor to offsets of the text, and the keyboard to the editor. */
  select(from: number, to = from): void {
    const { length } = this.#view.state.doc;
    this.#view.dispatch({
      selection: { anchor: Math.min(from, length), head: Math.min(to, length) },
      effects: EditorView.scrollIntoView(Math.min(from, length), { y: 'center' }),
    });
    this.#view.focus();
  }

  selectLine(line: number): void {
    const { doc } = this.#view.state;
    if (line < 1 || line > doc.lines) return;
    const { from, to } = doc.line(line);
    this.select(from, to);
  }

  replace(from: number, to: number, insert: string): void {
    this.#view.dispatch({ changes: { from, to, insert } });
  }
}
