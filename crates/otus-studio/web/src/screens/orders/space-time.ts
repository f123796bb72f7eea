// The space-time diagram of a run: processes as columns, time downwards, messages as arrows, and the cut as a line across, whose handles
// can be dragged by mouse, finger or keyboard.
import type { OrderAnswer, OrderEvent } from '../../api';
import { h, svg, visible } from '../../dom';
import { type Cut, levels, moved } from './cuts';

const ROW = 44;
const TOP = 64;
const LEFT = 26;
const RADIUS = 6;
const LETTER = 6.6;
/** The maximum length of a text; its tooltip has all of it. */
const MOST = 44;

export interface SpaceTime {
  element: HTMLElement;
  show(order: OrderAnswer): void;
  cut(cut: Cut): void;
}

export function spaceTime(changed: (cut: Cut) => void): SpaceTime {
  const element = h('div', { class: 'canvas', role: 'group', 'aria-label': 'Space-time diagram with the cut' });
  let order: OrderAnswer | null = null;
  let now: Cut = [];
  let level: number[][] = [];
  let columns: number[] = [];
  let picture: SVGSVGElement | null = null;
  let line: SVGPolylineElement | null = null;
  let handles: SVGGElement[] = [];
  let dots: SVGGElement[][] = [];
  let texts: SVGTextElement[][] = [];

  /** The text of an event, without the name of its process, which stands above. */
  const textOf = (name: string, { text, changes }: OrderEvent) => [text.startsWith(`${name}!`) || text.startsWith(`${name}?`) ? text.slice(name.length) : text, ...changes].join('  ');
  const yOf = (row: number) => TOP + row * ROW;
  const short = (text: string, most: number) => (text.length > most ? `${text.slice(0, most - 1)}…` : text);

  function show(it: OrderAnswer): void {
    order = it;
    level = levels(it);
    // A column is as wide as its texts need, up to a limit.
    const widths = it.processes.map(({ name, events }) => Math.max(92, 34 + LETTER * Math.min(MOST, Math.max(name.length, ...events.map((event) => textOf(name, event).length)))));
    columns = [];
    let x = LEFT;
    for (const width of widths) {
      columns.push(x);
      x += width;
    }
    const rows = Math.max(0, ...level.flat()) + 1;
    const [width, height] = [x + 10, TOP + rows * ROW + 6];
    const at = ([process, index]: [number, number]) => ({ x: columns[process] ?? 0, y: yOf(level[process]?.[index] ?? 0) });
    line = svg('polyline', { class: 'cut-line', points: '' });
    dots = it.processes.map(({ events }, process) => events.map((event, index) => {
      const { x: cx, y: cy } = at([process, index]);
      const words = [event.text, ...event.changes].join('  ');
      return svg('g', { class: 'dot' }, svg('title', {}, [words, event.place ? `${event.place.file}:${event.place.line}` : ''].filter(Boolean).join('\n')),
        svg('circle', { cx, cy, r: RADIUS }));
    }));
    // A text stands above its event, unless an arrow comes from there.
    const fromRight = new Set(it.edges.filter(({ from, to }) => from[0] > to[0]).map(({ to }) => to.join(' ')));
    texts = it.processes.map(({ name, events }, process) => events.map((event, index) => {
      const { x: cx, y: cy } = at([process, index]);
      return svg('text', { class: 'said', x: cx + 14, y: fromRight.has(`${process} ${index}`) ? cy + 16 : cy - 6 }, short(textOf(name, event), MOST));
    }));
    handles = it.processes.map(({ name, events }, process) => {
      const handle = svg('g', {
        class: 'handle', role: 'slider', tabindex: '0', 'aria-label': `Cut of ${visible(name)}`, 'aria-orientation': 'vertical', 'aria-valuemin': '0', 'aria-valuemax': String(events.length),
        onkeydown: (event: KeyboardEvent) => key(event, process), onpointerdown: (event: PointerEvent) => drag(event, process),
      }, svg('rect', { x: -12, y: -8, width: 24, height: 16, rx: 8 }), svg('path', { d: 'M-5 -2 L0 -6 L5 -2 M-5 2 L0 6 L5 2' }));
      return handle;
    });
    picture = svg('svg', { class: 'space-time', width, height, viewBox: `0 0 ${width} ${height}`, role: 'group', 'aria-label': 'Processes and their events' },
      svg('defs', {}, svg('marker', { id: 'order-arrow', viewBox: '0 0 8 8', refX: 8, refY: 4, markerWidth: 7, markerHeight: 7, orient: 'auto' }, svg('path', { d: 'M0 0 L8 4 L0 8 z' }))),
      it.processes.map(({ name }, process) => [
        svg('text', { class: 'name', x: (columns[process] ?? 0) - 8, y: 20 }, svg('title', {}, name), short(name, Math.max(8, Math.floor(((widths[process] ?? 92) - 14) / LETTER)))),
        svg('line', { class: 'process', x1: columns[process] ?? 0, x2: columns[process] ?? 0, y1: 28, y2: height - 4 })]),
      line, texts,
      it.edges.map(({ from, to }) => {
        const [a, b] = [at(from), at(to)];
        const length = Math.hypot(b.x - a.x, b.y - a.y) || 1;
        const trim = (RADIUS + 2) / length;
        return svg('line', { class: 'message', x1: a.x + (b.x - a.x) * trim, y1: a.y + (b.y - a.y) * trim, x2: b.x - (b.x - a.x) * trim, y2: b.y - (b.y - a.y) * trim, 'marker-end': 'url(#order-arrow)' });
      }),
      dots, handles);
    element.replaceChildren(picture);
  }

  /** The line is straight where it can be: each process allows heights between its last event in the cut and its first outside. */
  function heights(): number[] {
    const last = now.map((number, process) => (number > 0 ? level[process]?.[number - 1] ?? 0 : -1));
    const wanted = Math.max(-1, ...last);
    return now.map((number, process) => {
      const next = level[process]?.[number];
      const row = Math.min(wanted, next === undefined ? wanted : next - 1);
      return yOf(Math.max(row, last[process] ?? -1)) + ROW / 2;
    });
  }

  function cut(to: Cut): void {
    now = to;
    if (!order || !line) return;
    const ys = heights();
    const points = ys.map((y, process) => `${columns[process] ?? 0},${y}`);
    const width = picture?.viewBox.baseVal.width ?? 0;
    line.setAttribute('points', [`2,${ys[0] ?? 0}`, ...points, `${width - 2},${ys.at(-1) ?? 0}`].join(' '));
    handles.forEach((handle, process) => {
      handle.setAttribute('transform', `translate(${columns[process] ?? 0} ${ys[process] ?? 0})`);
      const number = now[process] ?? 0;
      const event = order?.processes[process]?.events[number - 1];
      handle.setAttribute('aria-valuenow', String(number));
      handle.setAttribute('aria-valuetext', visible(event ? `after ${event.text}, ${number} of ${order?.processes[process]?.events.length ?? 0} events` : 'before the first event'));
    });
    for (const parts of [dots, texts]) parts.forEach((events, process) => events.forEach((part, index) => part.classList.toggle('in', index < (now[process] ?? 0))));
  }

  function set(process: number, to: number): void {
    if (order && to !== now[process]) changed(moved(order, now, process, to));
  }

  function key(event: KeyboardEvent, process: number): void {
    const number = now[process] ?? 0;
    const to = ({ ArrowDown: number + 1, ArrowRight: number + 1, ArrowUp: number - 1, ArrowLeft: number - 1, Home: 0, End: Infinity } as Record<string, number>)[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    set(process, Math.min(order?.processes[process]?.events.length ?? 0, Math.max(0, to)));
  }

  function drag(event: PointerEvent, process: number): void {
    const target = event.currentTarget as SVGGElement;
    const box = picture?.getBoundingClientRect();
    if (!box || !picture) return;
    event.preventDefault();
    target.focus();
    target.setPointerCapture(event.pointerId);
    const scale = picture.viewBox.baseVal.height / box.height;
    const move = (at: PointerEvent) => {
      const y = (at.clientY - (picture as SVGSVGElement).getBoundingClientRect().top) * scale;
      const rows = level[process] ?? [];
      set(process, rows.filter((row) => yOf(row) < y).length);
    };
    const end = () => {
      target.removeEventListener('pointermove', move);
      target.removeEventListener('pointerup', end);
      target.removeEventListener('pointercancel', end);
    };
    target.addEventListener('pointermove', move);
    target.addEventListener('pointerup', end);
    target.addEventListener('pointercancel', end);
  }

  return { element, show, cut };
}
