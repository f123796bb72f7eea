// Tabs: one stop of the Tab key, arrows move between them.
import { h, newId } from '../dom';

export interface TabPage {
  name: string;
  content: HTMLElement;
}

export interface Tabs {
  /** The row of tabs, for the heading of a panel. */
  list: HTMLElement;
  /** The pages, of which one is shown. */
  pages: HTMLElement;
  open(at: number): void;
  current(): number;
}

export function tabs(label: string, pages: TabPage[], opened?: (at: number) => void): Tabs {
  const ids = pages.map(() => newId('tab'));
  let now = 0;
  const buttons = pages.map(({ name }, at) => h('button', {
    type: 'button', role: 'tab', id: `${ids[at]}-name`, 'aria-controls': ids[at] ?? '', onclick: () => open(at),
  }, name));
  const list = h('div', { class: 'tabs', role: 'tablist', 'aria-label': label, onkeydown: (event: KeyboardEvent) => {
    const to = ({ ArrowRight: now + 1, ArrowLeft: now - 1, Home: 0, End: pages.length - 1 } as Record<string, number>)[event.key];
    if (to === undefined || event.altKey) return;
    event.preventDefault();
    open((to + pages.length) % pages.length);
    buttons[now]?.focus();
  } }, buttons);
  const content = pages.map((page, at) => {
    page.content.setAttribute('role', 'tabpanel');
    page.content.setAttribute('aria-labelledby', `${ids[at]}-name`);
    page.content.id = ids[at] ?? '';
    page.content.tabIndex = 0;
    return page.content;
  });
  function open(at: number): void {
    now = at;
    buttons.forEach((button, other) => {
      button.setAttribute('aria-selected', String(other === at));
      button.tabIndex = other === at ? 0 : -1;
    });
    content.forEach((page, other) => { page.hidden = other !== at; });
    opened?.(at);
  }
  now = 0;
  buttons.forEach((button, other) => {
    button.setAttribute('aria-selected', String(other === 0));
    button.tabIndex = other === 0 ? 0 : -1;
  });
  content.forEach((page, other) => { page.hidden = other !== 0; });
  return { list, pages: h('div', { class: 'pages' }, content), open, current: () => now };
}
