// Small parts: verdicts, notices, empty and busy states.
import type { VerdictName } from '../api';
import { type Child, h, prose } from '../dom';
import { wordsOf } from '../client';

const GLYPHS: Record<VerdictName, string> = { Fail: '✗', WeakFail: '✗', Inconclusive: '?', WeakPass: '~', Pass: '✓' };
/** Worst first. */
export const VERDICTS: VerdictName[] = ['Fail', 'WeakFail', 'Inconclusive', 'WeakPass', 'Pass'];

export const badge = (verdict: VerdictName): HTMLElement =>
  h('span', { class: `badge v-${verdict}` }, h('span', { 'aria-hidden': 'true' }, `${GLYPHS[verdict]} `), verdict);

export const notice = (kind: 'note' | 'warning' | 'error' | 'done', ...children: Child[]): HTMLElement =>
  h('div', { class: `notice ${kind}` }, children);

/** A failure, with what to do about it. */
export const failed = (error: unknown, retry?: () => void): HTMLElement =>
  notice('error', h('p', {}, prose(wordsOf(error))), retry ? h('div', { class: 'actions' }, h('button', { type: 'button', onclick: retry }, 'Try again')) : null);

export const empty = (title: string, ...children: Child[]): HTMLElement => h('div', { class: 'empty' }, h('h3', {}, title), children);
export const busy = (text: string): HTMLElement => h('p', { class: 'busy' }, text);

/** A panel with a heading. `aside` stands at the end of the heading. */
export function panel(name: string, body: HTMLElement, ...aside: Child[]): HTMLElement {
  const section = h('section', { class: 'panel', 'aria-label': name });
  section.append(h('header', {}, h('h3', {}, name), aside), body);
  return section;
}

/** What may be wider than its place, and then can be scrolled by keyboard too. */
export const scrolling = (name: string, content: HTMLElement): HTMLElement => h('div', { class: 'scroll', tabindex: '0', role: 'group', 'aria-label': name }, content);

let voice = 0;
/** Tells those who listen to the page. */
export function say(text: string): void {
  const place = document.getElementById('said');
  if (!place) return;
  place.textContent = '';
  clearTimeout(voice);
  voice = setTimeout(() => { place.textContent = text; }, 60);
}

/** The name of a place of a file, as `logs/a.log:12`. */
export const placeName = (place: { file: string; line: number }): string => (place.line > 0 ? `${place.file}:${place.line}` : place.file);
