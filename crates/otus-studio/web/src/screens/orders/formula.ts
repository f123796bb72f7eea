// A CTL formula at the cut: the whole and each subformula are true or false there.
import type { FormulaAnswer, FormulaNode } from '../../api';
import { notice } from '../../components/small';
import { problemList } from '../../components/problems';
import { type Child, count, h } from '../../dom';

const truth = (holds: boolean | null): HTMLElement => h('span', { class: `badge ${holds === null ? 'v-Inconclusive' : holds ? 'v-Pass' : 'v-Fail'}` },
  h('span', { 'aria-hidden': 'true' }, holds === null ? '? ' : holds ? '✓ ' : '✗ '), holds === null ? 'undecided' : holds ? 'true' : 'false');

export interface FormulaActions {
  /** Shows where a subformula holds; `null` for the whole. */
  where: (index: number | null) => void;
  select: (from: number, to: number) => void;
  shown: number | null;
  cuts: string;
}

export function formulaView(answer: FormulaAnswer, { where, select, shown, cuts }: FormulaActions): Child[] {
  if (answer.nodes.length === 0) return [problemList(answer.diagnostics, { open: ({ from, to }) => { if (from !== undefined) select(from, to ?? from); } })];
  const row = (node: FormulaNode, index: number): HTMLElement => h('li', {},
    h('div', { class: 'node' }, truth(node.holds),
      node.from !== null && node.to !== null
        ? h('button', { type: 'button', class: 'link code', onclick: () => select(node.from ?? 0, node.to ?? 0) }, node.text) : h('span', { class: 'code' }, node.text),
      node.count !== null ? h('button', { type: 'button', class: 'where', 'aria-pressed': String((shown ?? 0) === index), title: 'Show in the lattice where it holds', onclick: () => where(index === 0 ? null : index) },
        `at ${grouped(node.count)} of ${grouped(cuts)} cuts`) : null),
    below(index));
  const below = (parent: number | null): Child => {
    const children = answer.nodes.flatMap((node, index) => (node.parent === parent ? [row(node, index)] : []));
    return children.length > 0 ? h('ul', { class: 'tree' }, children) : null;
  };
  return [
    notice(answer.holds ? 'done' : answer.holds === null ? 'warning' : 'error', h('strong', {}, answer.holds === null ? 'Undecided for the run' : answer.holds ? 'Holds for the run' : 'Does not hold for the run'),
      answer.meaning ? h('span', {}, `: ${answer.meaning}`) : null),
    h('h4', {}, 'At the cut'), below(null),
    answer.values.length > 0 ? [h('h4', {}, 'Values at the cut'), h('ul', { class: 'values' }, answer.values.map(({ process, name, value }) => h('li', { class: 'code' }, `${!process || name.startsWith(`${process}.`) ? name : `${process}.${name}`} = ${value}`)))] : null,
    answer.diagnostics.length > 0 ? problemList(answer.diagnostics, {}) : null,
  ];
}

const grouped = (digits: string): string => (/^\d{1,15}$/.test(digits) ? count(Number(digits)) : digits);
