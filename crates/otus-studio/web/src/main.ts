// The page: the bar at the top, and the screen that the address names below it.
import { listen, wordsOf } from './client';
import { notice, say } from './components/small';
import { fill, h, prose } from './dom';
import { openPaths } from './documents';
import { openHelp } from './help';
import { address, go, route, type ScreenName, SCREENS } from './router';
import { saveAll, saveTools, startSaving } from './saving';
import { failureScreen } from './screens/failure';
import { mappingScreen } from './screens/mapping';
import { ordersScreen } from './screens/orders';
import { runsScreen } from './screens/runs';
import type { Screen } from './screens/screen';
import { specificationScreen } from './screens/specification';
import { checking, chosen, folder, refresh, verdicts, worstFirst } from './state';
import { choice, nextTheme } from './theme';

const NAMES: Record<ScreenName, string> = {
  specification: 'Specification', failure: 'Failure', mapping: 'Mapping', orders: 'Orders', runs: 'Runs',
};
const MAKE: Record<ScreenName, () => Screen> = {
  specification: specificationScreen, failure: failureScreen, mapping: mappingScreen, orders: ordersScreen, runs: runsScreen,
};

const made = new Map<ScreenName, Screen>();
const main = h('main', { id: 'main', tabindex: '-1' });
const troubles = h('div', { id: 'troubles', role: 'region', 'aria-label': 'What needs attention' }, h('div', { id: 'reach' }), h('div', { id: 'conflicts' }));

function bar(): HTMLElement {
  const place = h('span', { class: 'folder' });
  folder.watch((state) => fill(place, state?.folder ?? ''));
  const links = SCREENS.map((name) => h('a', { href: address(name), 'data-screen': name }, NAMES[name]));
  route.watch(({ screen }) => links.forEach((link) => {
    if (link.dataset.screen === screen) link.setAttribute('aria-current', 'page');
    else link.removeAttribute('aria-current');
  }));
  const theme = h('button', { type: 'button', id: 'theme', onclick: nextTheme });
  choice.watch((name) => fill(theme, `Theme: ${name}`));
  return h('header', { class: 'bar' },
    h('div', { class: 'brand' }, h('h1', {}, 'Otus studio'), place),
    h('nav', { 'aria-label': 'Screens' }, links),
    h('div', { class: 'tools' }, saveTools, theme, h('button', { type: 'button', id: 'help', 'aria-label': 'Help: keys', onclick: openHelp }, '?')));
}

function show(): void {
  const { screen: name, item } = route.value;
  for (const [other, screen] of made) {
    if (other !== name && !screen.element.hidden) {
      screen.element.hidden = true;
      screen.hide?.();
    }
  }
  let screen = made.get(name);
  if (!screen) {
    screen = MAKE[name]();
    screen.element.classList.add('screen');
    screen.element.dataset.screen = name;
    made.set(name, screen);
    main.append(screen.element);
  }
  screen.element.hidden = false;
  document.title = `${NAMES[name]} · Otus studio`;
  screen.show(item);
}

/** A row or button that led to another screen is gone, so the keyboard continues at the new screen. */
function follow(): void {
  const from = document.activeElement;
  show();
  const isOnScreen = from instanceof HTMLElement && from !== document.body && from.offsetParent !== null;
  if (!isOnScreen) main.focus({ preventScroll: true });
  if (matchMedia('(max-width: 61.99rem)').matches) scrollTo({ top: 0, behavior: 'instant' });
  say(NAMES[route.value.screen]);
}

/** Goes to the next run on the screen Failure, failures first. */
function another(by: number): void {
  const rows = worstFirst(verdicts.value?.cases ?? []);
  const at = rows.findIndex((row) => row.id === chosen.value);
  const row = rows[Math.min(rows.length - 1, Math.max(0, at + by))];
  if (row) go('failure', row.id);
}

function keys(event: KeyboardEvent): void {
  const save = (event.ctrlKey || event.metaKey) && !event.altKey && event.key.toLowerCase() === 's';
  if (save) {
    event.preventDefault();
    void saveAll();
    return;
  }
  if (event.key === 'F1') {
    event.preventDefault();
    if (!document.querySelector('dialog[open]')) openHelp();
    return;
  }
  if (!event.altKey || !event.shiftKey || event.ctrlKey || event.metaKey) return;
  const screen = ({ KeyS: 'specification', KeyF: 'failure', KeyM: 'mapping', KeyO: 'orders', KeyR: 'runs' } as Record<string, ScreenName>)[event.code];
  if (screen) {
    event.preventDefault();
    go(screen);
  } else if (event.key === 'ArrowDown' || event.key === 'ArrowUp') {
    event.preventDefault();
    another(event.key === 'ArrowDown' ? 1 : -1);
  } else if (event.key === 'ArrowRight' || event.key === 'ArrowLeft') {
    if (made.get(route.value.screen)?.step?.(event.key === 'ArrowRight' ? 1 : -1)) event.preventDefault();
  }
}

function reach(problem: string): void {
  const place = troubles.querySelector('#reach');
  if (place) fill(place, problem ? notice('error', h('p', {}, prose(problem))) : null);
}

async function start(): Promise<void> {
  let isLost = false;
  fill(document.getElementById('frame') as HTMLElement, bar(), troubles, main);
  startSaving();
  document.querySelector('.skip')?.addEventListener('click', (event) => {
    event.preventDefault();
    main.focus();
  });
  document.addEventListener('keydown', keys);
  show();
  route.onChange(follow);
  try {
    await refresh();
  } catch (error) {
    reach(wordsOf(error));
  }
  listen(
    ({ changed }) => { refresh(changed).catch((error: unknown) => reach(wordsOf(error))); },
    ({ route: asked, text }) => {
      if (asked === '/api/check' && checking.value.isBusy) checking.value = { ...checking.value, progress: text };
    },
    (isThere) => {
      reach(isThere ? '' : '`otus studio` does not answer. What is not saved is still in this page. If it has ended, start it again and open the address that it prints.');
      // What changed meanwhile was not told.
      if (isThere && isLost) refresh(openPaths()).catch((error: unknown) => reach(wordsOf(error)));
      isLost = !isThere;
    },
  );
}

void start();
