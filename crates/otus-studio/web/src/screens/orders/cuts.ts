// Cuts: how many events of each process are in it, so that with an event all its causes are in it.
import type { OrderAnswer } from '../../api';

export type Cut = number[];

export const sizes = (order: OrderAnswer): number[] => order.processes.map(({ events }) => events.length);
export const emptyCut = (order: OrderAnswer): Cut => order.processes.map(() => 0);
export const sameCut = (a: Cut, b: Cut): boolean => a.length === b.length && a.every((number, at) => number === b[at]);

/**
 * The cut nearest to a wish: a process is set to a number of events. More events bring their causes with them; fewer take along
 * the events that they are causes of.
 */
export function moved(order: OrderAnswer, cut: Cut, process: number, to: number): Cut {
  const all = sizes(order);
  const wanted = Math.min(all[process] ?? 0, Math.max(0, to));
  const next = [...cut];
  next[process] = wanted;
  if (wanted > (cut[process] ?? 0)) {
    const past = order.processes[process]?.events[wanted - 1]?.past ?? [];
    return next.map((number, other) => Math.max(number, other === process ? wanted : past[other] ?? 0));
  }
  // The vectors of pasts grow along a process, so removing from its end until the rest fits is enough.
  return next.map((number, other) => {
    if (other === process) return wanted;
    let kept = number;
    while (kept > 0 && (order.processes[other]?.events[kept - 1]?.past[process] ?? 0) > wanted) kept -= 1;
    return kept;
  });
}

/** For each event, the row in which it is drawn: below all its causes. */
export function levels(order: OrderAnswer): number[][] {
  // With its causes, an event comes after at least as many events as its past has; sorting by that is a topological order.
  const all = order.processes.flatMap(({ events }, process) => events.map((event, index) => ({ process, index, size: event.past.reduce((sum, n) => sum + n, 0) })));
  all.sort((a, b) => a.size - b.size || a.process - b.process);
  const level = order.processes.map(({ events }) => new Array<number>(events.length).fill(0));
  const before = new Map<string, [number, number][]>();
  for (const { from, to } of order.edges) {
    const key = to.join(' ');
    before.set(key, [...(before.get(key) ?? []), from]);
  }
  for (const { process, index } of all) {
    const own = level[process] as number[];
    let row = index > 0 ? (own[index - 1] ?? 0) + 1 : 0;
    for (const [otherProcess, otherIndex] of before.get(`${process} ${index}`) ?? []) row = Math.max(row, (level[otherProcess]?.[otherIndex] ?? 0) + 1);
    own[index] = row;
  }
  return level;
}
