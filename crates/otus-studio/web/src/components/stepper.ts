// The slider over the steps of a run.
import { count, h, newId, visible } from '../dom';

export class Stepper {
  readonly element: HTMLElement;
  readonly #range: HTMLInputElement;
  readonly #output: HTMLOutputElement;
  readonly #buttons: HTMLButtonElement[];
  readonly #changed: (step: number) => void;
  #words: (step: number) => string = () => '';
  #last = 0;

  constructor(label: string, changed: (step: number) => void) {
    const id = newId('step');
    this.#changed = changed;
    this.#range = h('input', { type: 'range', id, min: 0, max: 0, step: 1, 'aria-label': label, oninput: () => this.#go(Number(this.#range.value)) });
    this.#output = h('output', { for: id });
    this.#buttons = ([['‹', 'One step back', -1], ['›', 'One step on', 1]] as const).map(([sign, name, by]) =>
      h('button', { type: 'button', 'aria-label': name, onclick: () => this.step(by) }, sign));
    this.element = h('div', { class: 'stepper' }, this.#range, h('span', { class: 'actions' }, this.#buttons), this.#output);
  }

  get at(): number {
    return Number(this.#range.value);
  }

  /** New steps; `words` says what a step is. */
  reset(last: number, at: number, words: (step: number) => string): void {
    this.#last = last;
    this.#words = words;
    this.#range.max = String(last);
    this.show(at);
  }

  step(by: number): void {
    this.#go(Math.min(this.#last, Math.max(0, this.at + by)));
  }

  /** Moves the slider without telling. */
  show(at: number): void {
    this.#range.value = String(at);
    const words = visible(this.#words(at));
    const text = at === 0 ? `Before step 1 of ${count(this.#last)}` : `Step ${count(at)} of ${count(this.#last)}: ${words}`;
    this.#output.value = this.#last === 0 ? 'No event of it can be matched' : text;
    this.#range.setAttribute('aria-valuetext', text);
    this.#range.disabled = this.#last === 0;
    const [back, on] = this.#buttons;
    if (back && on) [back.disabled, on.disabled] = [at === 0, at === this.#last];
  }

  #go(at: number): void {
    this.show(at);
    this.#changed(at);
  }
}
