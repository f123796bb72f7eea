// The lattice of cuts: each cut is a dot, an edge adds one event. The dots tell where the formula holds; the current cut can be dragged
// or moved by arrows.
import type { OrderAnswer } from '../../api';
import { count, h, svg } from '../../dom';
import { empty } from '../../components/small';
import { type Cut, sameCut } from './cuts';

const GAP = 30;
const RADIUS = 8;

export interface Lattice {
  element: HTMLElement;
  show(order: OrderAnswer): void;
  cut(cut: Cut): void;
  /** Where the formula holds, by cut; empty if it is not known. */
  truth(at: boolean[]): void;
}

export function lattice(changed: (cut: Cut) => void): Lattice {
  const element = h('div', { class: 'canvas', role: 'group', 'aria-label': 'Lattice of cuts' });
  let order: OrderAnswer | null = null;
  let dots: SVGGElement[] = [];
  let places: { x: number; y: number }[] = [];
  let before: number[][] = [];
  let current = 0;
  let isDragging = false;

  function show(it: OrderAnswer): void {
    order = it;
    dots = [];
    if (!it.lattice) {
      element.replaceChildren(empty(`${/^\d{1,15}$/.test(it.cuts) ? count(Number(it.cuts)) : it.cuts} cuts`, h('p', {}, 'There are too many to draw. The cut can be dragged in the space-time diagram.')));
      return;
    }
    const cuts = it.lattice;
    // For two processes the lattice is a grid, which is drawn with its corner at the top; otherwise the cuts of one size are a row.
    const rank = (cut: Cut) => cut.reduce((sum, number) => sum + number, 0);
    const byRank = new Map<number, number[]>();
    cuts.forEach(({ cut }, at) => byRank.set(rank(cut), [...(byRank.get(rank(cut)) ?? []), at]));
    const isGrid = it.processes.length === 2;
    places = cuts.map(({ cut }) => ({ x: isGrid ? ((cut[1] ?? 0) - (cut[0] ?? 0)) * (GAP / 2) : 0, y: rank(cut) * (isGrid ? GAP * 0.8 : GAP * 1.25) }));
    if (!isGrid) {
      for (const row of byRank.values()) row.forEach((at, index) => { (places[at] as { x: number }).x = (index - (row.length - 1) / 2) * GAP; });
    }
    const left = Math.min(0, ...places.map(({ x }) => x)) - GAP;
    const right = Math.max(0, ...places.map(({ x }) => x)) + GAP;
    const bottom = Math.max(0, ...places.map(({ y }) => y)) + GAP;
    before = cuts.map(() => []);
    cuts.forEach(({ next }, at) => next.forEach((to) => before[to]?.push(at)));
    dots = cuts.map(({ cut }, at) => {
      const { x, y } = places[at] as { x: number; y: number };
      return svg('g', { class: 'dot', role: 'button', tabindex: '-1', 'data-at': at, 'aria-label': nameOf(cut), transform: `translate(${x} ${y})`,
        onclick: () => choose(at), onpointerdown: (event: PointerEvent) => { isDragging = at === current; if (isDragging) event.preventDefault(); } },
      svg('title', {}, nameOf(cut)), svg('circle', { r: RADIUS }), svg('path', { class: 'yes', d: 'M-3.5 0 L-1 3 L4 -3' }), svg('path', { class: 'no', d: 'M-3 -3 L3 3 M-3 3 L3 -3' }));
    });
    element.replaceChildren(svg('svg', {
      class: 'lattice', width: right - left, height: bottom + GAP, viewBox: `${left} ${-GAP} ${right - left} ${bottom + GAP}`, role: 'group', 'aria-label': 'Cuts',
      onkeydown: key, onpointermove: drag, onpointerup: () => { isDragging = false; }, onpointerleave: () => { isDragging = false; },
    }, cuts.flatMap(({ next }, at) => next.map((to) => svg('line', { class: 'step', x1: places[at]?.x ?? 0, y1: places[at]?.y ?? 0, x2: places[to]?.x ?? 0, y2: places[to]?.y ?? 0 }))), dots));
  }

  const nameOf = (cut: Cut) => `Cut ${cut.map((number, process) => `${order?.processes[process]?.name ?? ''} ${number}`).join(', ')}`;

  function choose(at: number): void {
    const to = order?.lattice?.[at];
    if (to) changed(to.cut);
  }

  function cut(to: Cut): void {
    const cuts = order?.lattice;
    if (!cuts) return;
    const at = cuts.findIndex((other) => sameCut(other.cut, to));
    if (at < 0) return;
    const had = element.contains(document.activeElement) && document.activeElement?.classList.contains('dot');
    dots[current]?.classList.remove('current');
    dots[current]?.setAttribute('tabindex', '-1');
    dots[current]?.removeAttribute('aria-current');
    current = at;
    const dot = dots[at];
    dot?.classList.add('current');
    dot?.setAttribute('tabindex', '0');
    dot?.setAttribute('aria-current', 'true');
    if (had) dot?.focus({ preventScroll: true });
    reveal();
  }

  function reveal(): void {
    const dot = dots[current]?.getBoundingClientRect();
    const box = element.getBoundingClientRect();
    if (!dot || box.height === 0) return;
    if (dot.top < box.top + 20 || dot.bottom > box.bottom - 20) element.scrollTop += dot.top - box.top - box.height / 2;
    if (dot.left < box.left + 20 || dot.right > box.right - 20) element.scrollLeft += dot.left - box.left - box.width / 2;
  }

  function drag(event: PointerEvent): void {
    if (!isDragging) return;
    const dot = document.elementFromPoint(event.clientX, event.clientY)?.closest<SVGGElement>('.lattice .dot');
    const at = dot ? Number(dot.dataset.at) : current;
    if (at !== current) choose(at);
  }

  function key(event: KeyboardEvent): void {
    const cuts = order?.lattice;
    if (!cuts || event.altKey) return;
    if (event.key === 'Enter' || event.key === ' ') {
      event.preventDefault();
      return;
    }
    const beside = (by: number) => {
      const here = places[current];
      if (!here) return undefined;
      const row = places.map(({ x, y }, at) => ({ x, y, at })).filter(({ y, x }) => y === here.y && (x - here.x) * by > 0);
      row.sort((a, b) => Math.abs(a.x - here.x) - Math.abs(b.x - here.x));
      return row[0]?.at;
    };
    const to = ({
      ArrowDown: () => cuts[current]?.next[0], ArrowUp: () => before[current]?.[0], ArrowLeft: () => beside(-1), ArrowRight: () => beside(1),
      Home: () => 0, End: () => cuts.length - 1,
    } as Record<string, () => number | undefined>)[event.key];
    if (!to) return;
    event.preventDefault();
    const at = to();
    if (at !== undefined) choose(at);
  }

  function truth(at: boolean[]): void {
    dots.forEach((dot, index) => {
      dot.classList.toggle('true', at[index] === true);
      dot.classList.toggle('false', at.length > 0 && at[index] === false);
    });
  }

  return { element, show, cut, truth };
}
