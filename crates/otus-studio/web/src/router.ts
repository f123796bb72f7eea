// Which screen is shown. The address names it (#failure/RUN), so that it can be linked to and the back button works.
import { Signal } from './signal';

export const SCREENS = ['specification', 'failure', 'mapping', 'orders', 'runs'] as const;
export type ScreenName = (typeof SCREENS)[number];

export interface Route {
  screen: ScreenName;
  /** What is shown on it: a run, a log. */
  item: string;
}

function parse(hash: string): Route {
  const [name = '', ...rest] = hash.replace(/^#/, '').split('/');
  const screen = SCREENS.find((known) => known === name) ?? 'specification';
  try {
    return { screen, item: decodeURIComponent(rest.join('/')) };
  } catch {
    return { screen, item: '' };
  }
}

export const route = new Signal<Route>(parse(location.hash));
export const address = (screen: ScreenName, item = ''): string => `#${screen}${item ? `/${encodeURIComponent(item)}` : ''}`;
/** Goes to a screen, also if it is shown already: then it shows the item again. */
export const go = (screen: ScreenName, item = ''): void => {
  const to = address(screen, item);
  if (location.hash === to) route.tell();
  else location.hash = to;
};

addEventListener('hashchange', () => { route.value = parse(location.hash); });
