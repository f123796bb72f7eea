// A picture that the server drew: it can be scrolled and scaled, and parts of it can be chosen by mouse and by keyboard.
import { adoptPicture, fill, h, svg as draw } from '../dom';
import { empty } from './small';

/** A part of the picture that can be chosen. */
export interface Part {
  /** The id of its element. */
  id: string;
  label: string;
  choose: () => void;
}

type Scale = 'fit' | number;

export class Picture {
  /** The canvas, to be put into a panel. */
  readonly element: HTMLElement;
  /** Buttons for the scale, to be put into its heading. */
  readonly tools: HTMLElement;
  #svg: SVGSVGElement | null = null;
  #size = { width: 0, height: 0 };
  #scale: Scale = 'fit';
  #text = '';
  readonly #fit: HTMLButtonElement;
  /** The names of the lifelines, which stay at the top while the picture is scrolled. */
  readonly #heads = h('div', { class: 'heads', 'aria-hidden': 'true', hidden: true });
  #headsEnd = Infinity;

  constructor(label: string) {
    this.element = h('div', { class: 'canvas', role: 'region', 'aria-label': label, tabindex: '0' });
    this.element.addEventListener('keydown', (event) => this.#key(event));
    this.element.addEventListener('scroll', () => this.#showHeads(), { passive: true });
    this.#fit = h('button', { type: 'button', 'aria-pressed': 'true', onclick: () => this.#scaled('fit') }, 'Fit');
    this.tools = h('span', { class: 'end', role: 'group', 'aria-label': `Size of ${label.toLowerCase()}` },
      h('button', { type: 'button', 'aria-label': 'Smaller', onclick: () => this.#scaled(this.#shown / 1.25) }, '−'),
      h('button', { type: 'button', 'aria-label': 'Larger', onclick: () => this.#scaled(this.#shown * 1.25) }, '+'), this.#fit);
  }

  get svg(): SVGSVGElement | null {
    return this.#svg;
  }

  /** Shows a picture. The same picture again changes nothing, so that typing does not make it flicker. */
  set(text: string): boolean {
    if (text === this.#text) return false;
    const { scrollLeft, scrollTop } = this.element;
    const svg = adoptPicture(text);
    this.#text = text;
    this.#svg = svg;
    if (!svg) {
      fill(this.element, empty('No picture', h('p', {}, 'The server sent something that is not a picture.')));
      return true;
    }
    const box = svg.viewBox.baseVal;
    this.#size = { width: box?.width || svg.width.baseVal.value, height: box?.height || svg.height.baseVal.value };
    fill(this.element, this.#heads, svg);
    this.#copyHeads(svg);
    this.#apply();
    this.element.scrollTo({ left: scrollLeft, top: scrollTop, behavior: 'instant' });
    return true;
  }

  /** Shows something else instead of a picture. */
  instead(content: Node): void {
    this.#text = '';
    this.#svg = null;
    fill(this.element, content);
  }

  find(id: string | null | undefined): Element | null {
    return id && this.#svg ? this.#svg.querySelector(`#${CSS.escape(id)}`) ?? this.#svg.querySelector(`[data-subject="${CSS.escape(id)}"]`) : null;
  }

  /** Makes parts into buttons. One of them is in the order of the Tab key; arrows move to the others. */
  parts(parts: Part[]): void {
    // All places are read before anything is changed, so that the browser finds them only once.
    const found = parts.flatMap((part) => {
      const element = this.find(part.id) as SVGGElement | null;
      return element ? [{ ...part, element, box: element.querySelector('rect') ? null : element.getBBox() }] : [];
    });
    let first = true;
    for (const { element, box, label, choose } of found) {
      if (box) {
        // An arrow is thin: all of its area can be clicked, and shows the focus.
        element.prepend(draw('rect', { class: 'hit', x: box.x - 3, y: box.y - 3, width: box.width + 6, height: box.height + 6, rx: 3 }));
      }
      element.setAttribute('role', 'button');
      element.setAttribute('aria-label', label);
      element.setAttribute('tabindex', first ? '0' : '-1');
      element.addEventListener('click', () => {
        this.#rove(element);
        choose();
      });
      first = false;
    }
  }

  /** Brings a part into view. */
  reveal(id: string | null | undefined): void {
    const element = this.find(id);
    if (!element) return;
    const [part, canvas] = [element.getBoundingClientRect(), this.element.getBoundingClientRect()];
    if (part.left < canvas.left + 30 || part.right > canvas.right - 30) {
      this.element.scrollLeft += part.left + part.width / 2 - canvas.left - canvas.width / 2;
    }
    if (part.top < canvas.top + 30 || part.bottom > canvas.bottom - 30) {
      this.element.scrollTop += part.top + part.height / 2 - canvas.top - canvas.height / 2;
    }
  }

  get #shown(): number {
    const rect = this.#svg?.getBoundingClientRect();
    return rect && this.#size.width > 0 ? rect.width / this.#size.width : 1;
  }

  #scaled(scale: Scale): void {
    this.#scale = scale === 'fit' ? 'fit' : Math.min(4, Math.max(0.2, scale));
    this.#apply();
  }

  #apply(): void {
    if (!this.#svg) return;
    const { width } = this.#size;
    this.#fit.setAttribute('aria-pressed', String(this.#scale === 'fit'));
    // Fitted, it is never so small that texts cannot be read, and never larger than drawn.
    const shown = this.#scale === 'fit' ? `max(min(100%, ${width}px), ${width * 0.62}px)` : `${width * this.#scale}px`;
    for (const svg of [this.#svg, this.#heads.firstElementChild as SVGSVGElement | null]) {
      if (!svg) continue;
      svg.style.width = shown;
      svg.style.height = 'auto';
    }
    this.#showHeads();
  }

  #copyHeads(svg: SVGSVGElement): void {
    const heads = [...svg.querySelectorAll<SVGGElement>('[data-subject^="lifeline-"]')];
    const boxes = heads.map((head) => head.getBBox()).filter(({ width }) => width > 0);
    this.#headsEnd = Infinity;
    fill(this.#heads);
    if (boxes.length === 0) return;
    const top = Math.min(...boxes.map(({ y }) => y)) - 4;
    const height = Math.max(...boxes.map((box) => box.height)) + 8;
    const { x, width } = svg.viewBox.baseVal;
    // The names are beside their boxes or in them.
    const names = [...svg.querySelectorAll('text')].filter((text) => {
      const box = text.getBBox();
      return box.y >= top - 4 && box.y + box.height <= top + height + 4 && !text.closest('[data-subject^="lifeline-"]');
    });
    const copies = [...heads, ...names].map((part) => part.cloneNode(true) as SVGGElement);
    const copy = draw('svg', { class: svg.getAttribute('class'), viewBox: `${x} ${top} ${width} ${height}` }, copies);
    for (const element of [...copies, ...copy.querySelectorAll('[id]')]) element.removeAttribute('id');
    this.#headsEnd = top + height - svg.viewBox.baseVal.y;
    fill(this.#heads, copy);
  }

  #showHeads(): void {
    this.#heads.hidden = this.element.scrollTop < this.#headsEnd * this.#shown;
  }

  #buttons(): Element[] {
    return [...this.element.querySelectorAll('[role="button"]')];
  }

  #rove(to: Element): void {
    for (const element of this.#buttons()) element.setAttribute('tabindex', element === to ? '0' : '-1');
  }

  /** Arrows move to the nearest part in their direction. */
  #key(event: KeyboardEvent): void {
    const from = document.activeElement;
    if (!from || from.getAttribute('role') !== 'button' || !this.element.contains(from)) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      from.dispatchEvent(new MouseEvent('click', { bubbles: true }));
      return;
    }
    const way = ({ ArrowDown: [0, 1], ArrowUp: [0, -1], ArrowLeft: [-1, 0], ArrowRight: [1, 0] } as Record<string, [number, number]>)[event.key];
    if (!way) return;
    event.preventDefault();
    const middle = (element: Element) => {
      const { left, top, width, height } = element.getBoundingClientRect();
      return { x: left + width / 2, y: top + height / 2 };
    };
    const here = middle(from);
    let best: Element | null = null;
    let least = Infinity;
    for (const element of this.#buttons()) {
      if (element === from) continue;
      const there = middle(element);
      const along = (there.x - here.x) * way[0] + (there.y - here.y) * way[1];
      const aside = Math.abs((there.x - here.x) * way[1]) + Math.abs((there.y - here.y) * way[0]);
      const distance = along + 3 * aside;
      if (along > 1 && distance < least) [best, least] = [element, distance];
    }
    if (!best) return;
    this.#rove(best);
    (best as SVGElement).focus({ preventScroll: true });
    this.reveal(best.id);
  }
}
