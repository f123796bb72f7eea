// Values that tell when they change. A screen reads a signal and subscribes to it; there is nothing else behind the page's state.

export class Signal<T> {
  #value: T;
  readonly #listeners = new Set<(value: T) => void>();

  constructor(value: T) {
    this.#value = value;
  }

  get value(): T {
    return this.#value;
  }

  set value(value: T) {
    if (Object.is(value, this.#value)) return;
    this.#value = value;
    this.tell();
  }

  /** Tells the listeners that something inside the value changed. */
  tell(): void {
    for (const listener of [...this.#listeners]) listener(this.#value);
  }

  /** Calls the listener now and after every change. The answer ends that. */
  watch(listener: (value: T) => void): () => void {
    listener(this.#value);
    return this.onChange(listener);
  }

  /** Calls the listener after every change. The answer ends that. */
  onChange(listener: (value: T) => void): () => void {
    this.#listeners.add(listener);
    return () => this.#listeners.delete(listener);
  }
}

/** Calls a function after a pause in which it was not called again. */
export function debounced<A extends unknown[]>(pause: number, act: (...values: A) => void): ((...values: A) => void) & { now(): void } {
  let timer = 0;
  let last: A | undefined;
  const run = () => {
    const values = last;
    last = undefined;
    clearTimeout(timer);
    if (values) act(...values);
  };
  const later = (...values: A) => {
    last = values;
    clearTimeout(timer);
    timer = setTimeout(run, pause);
  };
  return Object.assign(later, { now: run });
}
