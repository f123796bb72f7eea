// A list of rows of which only those in view exist in the page, so that a million lines are as fast as ten. It is one stop of the
// Tab key: arrows move in it, Enter chooses.
import { fill, newId } from '../dom';

/** The maximum height of the space for rows; browsers cannot have taller elements. */
const TALLEST = 15_000_000;

export interface RowsOptions {
  label: string;
  height: () => number;
  /** The content of a row, without its place. */
  row: (index: number) => HTMLElement;
  /** Click, or Enter. */
  choose?: (index: number) => void;
  /** The active row changed, by keys or by a click. */
  move?: (index: number) => void;
  /** Further keys; the answer says whether the key was used. */
  key?: (event: KeyboardEvent, index: number) => boolean;
}

export class Rows {
  readonly element: HTMLElement;
  readonly #space: HTMLElement;
  readonly #options: RowsOptions;
  readonly #id = newId('rows');
  #count = 0;
  #active = 0;
  #chosen = new Set<number>();
  #height = 22;
  #drawn = new Map<number, HTMLElement>();

  constructor(options: RowsOptions) {
    this.#options = options;
    this.#space = document.createElement('div');
    this.#space.className = 'space';
    this.#space.setAttribute('role', 'presentation');
    this.element = document.createElement('div');
    this.element.className = 'rows';
    this.element.tabIndex = 0;
    this.element.setAttribute('role', 'listbox');
    this.element.setAttribute('aria-label', options.label);
    this.element.append(this.#space);
    this.element.addEventListener('scroll', () => this.#draw(), { passive: true });
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('click', (event) => this.#click(event));
    new ResizeObserver(() => this.redraw()).observe(this.element);
  }

  /** How many rows there are. The rows are made again. */
  set count(count: number) {
    this.#count = count;
    if (this.#active >= count) this.#active = Math.max(0, count - 1);
    this.redraw();
  }

  get count(): number {
    return this.#count;
  }

  get active(): number {
    return this.#active;
  }

  /** The rows that are shown as chosen. */
  set chosen(rows: Iterable<number>) {
    this.#chosen = new Set(rows);
    for (const [index, row] of this.#drawn) row.setAttribute('aria-selected', String(this.#chosen.has(index)));
  }

  /** Makes the rows in view again, because what they show changed. */
  redraw(): void {
    this.#height = this.#options.height();
    this.#space.style.height = `${Math.min(TALLEST, this.#count * this.#height)}px`;
    fill(this.#space);
    this.#drawn.clear();
    this.#draw();
  }

  /** Makes a row active and brings it into view. */
  reveal(index: number, where: 'near' | 'middle' = 'near'): void {
    if (index < 0 || index >= this.#count) return;
    const before = this.#drawn.get(this.#active);
    before?.classList.remove('active');
    this.#active = index;
    const top = index * this.#height;
    const { scrollTop, clientHeight } = this.element;
    if (top < scrollTop || top + this.#height > scrollTop + clientHeight) {
      this.element.scrollTop = where === 'middle' || top > scrollTop + 2 * clientHeight || top < scrollTop - 2 * clientHeight
        ? top - clientHeight / 2
        : top < scrollTop ? top : top + this.#height - clientHeight;
    }
    this.#draw();
    this.#drawn.get(index)?.classList.add('active');
    this.element.setAttribute('aria-activedescendant', `${this.#id}-${index}`);
  }

  #draw(): void {
    const { scrollTop, clientHeight } = this.element;
    const limit = Math.min(this.#count, Math.floor(TALLEST / this.#height));
    const first = Math.max(0, Math.floor(scrollTop / this.#height) - 8);
    const last = Math.min(limit, Math.ceil((scrollTop + clientHeight) / this.#height) + 8);
    for (const [index, row] of this.#drawn) {
      if (index < first || index >= last) {
        row.remove();
        this.#drawn.delete(index);
      }
    }
    for (let index = first; index < last; index += 1) {
      if (this.#drawn.has(index)) continue;
      const row = this.#options.row(index);
      row.classList.add('row');
      row.classList.toggle('active', index === this.#active);
      row.id = `${this.#id}-${index}`;
      row.dataset.index = String(index);
      row.setAttribute('role', 'option');
      row.setAttribute('aria-selected', String(this.#chosen.has(index)));
      row.setAttribute('aria-setsize', String(this.#count));
      row.setAttribute('aria-posinset', String(index + 1));
      row.style.top = `${index * this.#height}px`;
      row.style.height = `${this.#height}px`;
      this.#drawn.set(index, row);
      this.#space.append(row);
    }
    if (this.#drawn.has(this.#active)) this.element.setAttribute('aria-activedescendant', `${this.#id}-${this.#active}`);
    else this.element.removeAttribute('aria-activedescendant');
  }

  #click(event: MouseEvent): void {
    const row = (event.target as Element).closest<HTMLElement>('.row');
    if (!row || !row.dataset.index) return;
    const index = Number(row.dataset.index);
    this.reveal(index);
    this.#options.move?.(index);
    this.#options.choose?.(index);
  }

  #key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    if (this.#options.key?.(event, this.#active)) {
      event.preventDefault();
      return;
    }
    const page = Math.max(1, Math.floor(this.element.clientHeight / this.#height) - 1);
    const to: Record<string, number> = {
      ArrowDown: this.#active + 1, ArrowUp: this.#active - 1, PageDown: this.#active + page, PageUp: this.#active - page,
      Home: 0, End: this.#count - 1,
    };
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      if (this.#count > 0) this.#options.choose?.(this.#active);
      return;
    }
    const index = to[event.key];
    if (index === undefined) return;
    event.preventDefault();
    const within = Math.min(this.#count - 1, Math.max(0, index));
    this.reveal(within);
    this.#options.move?.(within);
  }
}
