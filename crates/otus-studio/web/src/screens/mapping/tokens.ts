// The line that a rule is made from, in parts that can be marked: click a part, extend with Shift, say what it is. No pattern is written.
import type { Mark, Role } from '../../api';
import { fill, h, visible } from '../../dom';

export const ROLES: { role: Role; name: string; says: string }[] = [
  { role: 'direction', name: 'Direction', says: 'a word as sending or received' },
  { role: 'message', name: 'Message', says: 'what is sent' },
  { role: 'lifeline', name: 'Lifeline', says: 'who sends or receives' },
  { role: 'peer', name: 'Peer', says: 'with whom' },
  { role: 'group', name: 'Group', says: 'which run the line belongs to' },
  { role: 'id', name: 'Id', says: 'connects a sending with its receiving' },
  { role: 'value', name: 'Value', says: 'a value that guards use' },
  { role: 'time', name: 'Time', says: 'when it happened' },
  { role: 'fixed', name: 'Fixed', says: 'must be there as it is' },
  { role: 'any', name: 'May differ', says: 'may be anything, and is not kept' },
];
export const nameOfRole = (role: string): string => ROLES.find((known) => known.role === role)?.name ?? role;

interface Token {
  from: number;
  to: number;
  text: string;
}

/** Words, and each other character that is not a space. */
export const tokensOf = (text: string): Token[] =>
  [...text.matchAll(/[\p{L}\p{N}_]+|[^\s\p{L}\p{N}_]/gu)].map((match) => ({ from: match.index, to: match.index + match[0].length, text: match[0] }));

/** A word of direction and the word after it are marked at once, because almost every log writes them like that. */
export function guessed(text: string): Mark[] {
  const tokens = tokensOf(text);
  const at = tokens.findIndex(({ text: word }) => /^(sending|sends?|sent|received|receiving|receives?|recv|rcvd|tx|rx)$/i.test(word));
  const direction = tokens[at];
  const message = tokens[at + 1];
  if (!direction) return [];
  const marks: Mark[] = [{ from: direction.from, to: direction.to, role: 'direction' }];
  if (message && /^[\p{L}]/u.test(message.text)) marks.push({ from: message.from, to: message.to, role: 'message' });
  return marks;
}

export interface Marking {
  element: HTMLElement;
  show(text: string, marks: Mark[]): void;
}

export function marking(changed: (marks: Mark[]) => void): Marking {
  let text = '';
  let tokens: Token[] = [];
  let marks: Mark[] = [];
  let first = -1;
  let last = -1;
  let active = 0;
  const line = h('div', { class: 'tokens code', role: 'group', 'aria-label': 'Parts of the line: arrows move, Shift and arrows select several', onkeydown: (event: KeyboardEvent) => key(event) });
  const roles = h('div', { class: 'roles', role: 'group', 'aria-label': 'What the selected part is' });
  const hint = h('p', { class: 'quiet' });
  const element = h('div', { class: 'marking' }, line, hint, roles);
  let buttons: HTMLButtonElement[] = [];

  const markAt = (token: Token) => marks.find(({ from, to }) => token.from >= from && token.to <= to);
  const isSelected = (at: number) => first >= 0 && at >= Math.min(first, last) && at <= Math.max(first, last);

  function draw(): void {
    line.replaceChildren();
    buttons = [];
    let at = 0;
    tokens.forEach((token, index) => {
      if (token.from > at) line.append(visible(text.slice(at, token.from)));
      const mark = markAt(token);
      const button = h('button', {
        type: 'button', class: `token ${mark ? `role-${mark.role}` : ''}`, tabindex: index === active ? '0' : '-1', 'aria-pressed': String(isSelected(index)),
        'aria-label': mark ? `${token.text}, ${nameOfRole(mark.role)}` : token.text, title: mark ? nameOfRole(mark.role) : '',
        onclick: (event: MouseEvent) => select(index, event.shiftKey),
      }, token.text);
      buttons.push(button);
      line.append(button);
      at = token.to;
    });
    if (at < text.length) line.append(visible(text.slice(at)));
    drawRoles();
  }

  function drawRoles(): void {
    const has = first >= 0;
    const part = has ? text.slice(tokens[Math.min(first, last)]?.from, tokens[Math.max(first, last)]?.to) : '';
    fill(hint, has ? ['“', h('span', { class: 'code' }, part), '” is the:'] : 'Click a part of the line and say what it is. Shift selects several parts.');
    fill(roles, ROLES.map(({ role, name, says }) => h('button', { type: 'button', class: `role-${role}`, title: says, disabled: !has, onclick: () => assign(role) }, name)),
      h('button', { type: 'button', disabled: !has || !tokens.some((token, at) => isSelected(at) && markAt(token)), onclick: () => assign(null) }, 'Nothing'));
  }

  function select(index: number, extend: boolean): void {
    const mark = tokens[index] && markAt(tokens[index] as Token);
    if (extend && first >= 0) last = index;
    else if (!extend && first === index && last === index) first = last = -1;
    else if (mark && !extend) {
      first = tokens.findIndex((token) => token.from >= mark.from);
      last = tokens.findLastIndex((token) => token.to <= mark.to);
    } else first = last = index;
    active = index;
    refresh();
  }

  /** Changes the state of the parts without making them again, so that the keyboard stays where it is. */
  function refresh(): void {
    buttons.forEach((button, at) => {
      button.setAttribute('aria-pressed', String(isSelected(at)));
      button.tabIndex = at === active ? 0 : -1;
    });
    drawRoles();
  }

  function assign(role: Role | null): void {
    const [a, b] = [tokens[Math.min(first, last)], tokens[Math.max(first, last)]];
    if (!a || !b) return;
    const rest = marks.filter(({ from, to }) => to <= a.from || from >= b.to);
    // There is one lifeline, one peer and so on; values can be several.
    const single = role !== null && !['value', 'any', 'fixed', 'group', 'id'].includes(role);
    const others = single ? rest.filter((mark) => mark.role !== role) : rest;
    const value = marks.filter((mark) => mark.role === 'value').length + 1;
    marks = role === null ? rest : [...others, { from: a.from, to: b.to, role, ...(role === 'value' ? { name: `value${value > 1 ? value : ''}` } : {}) }].sort((x, y) => x.from - y.from);
    first = last = -1;
    draw();
    buttons[active]?.focus();
    changed(marks);
  }

  function key(event: KeyboardEvent): void {
    if (event.altKey || event.ctrlKey || event.metaKey) return;
    const to = ({ ArrowRight: active + 1, ArrowLeft: active - 1, Home: 0, End: tokens.length - 1 } as Record<string, number>)[event.key];
    if (event.key === 'Escape' && first >= 0) {
      first = last = -1;
      refresh();
      return;
    }
    if (to === undefined) return;
    event.preventDefault();
    const at = Math.min(tokens.length - 1, Math.max(0, to));
    if (event.shiftKey) {
      if (first < 0) first = active;
      last = at;
    }
    active = at;
    refresh();
    buttons[at]?.focus();
  }

  return {
    element,
    show(line, its) {
      text = line;
      tokens = tokensOf(line);
      marks = its;
      first = last = -1;
      active = 0;
      draw();
    },
  };
}
