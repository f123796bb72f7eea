// Light, dark, or what the system prefers. The choice is kept in this browser.
import { Signal } from './signal';

export type Choice = 'automatic' | 'light' | 'dark';
const CHOICES: Choice[] = ['automatic', 'light', 'dark'];
const KEY = 'otus-theme';
const system = matchMedia('(prefers-color-scheme: dark)');

const stored = (): Choice => {
  try {
    const value = localStorage.getItem(KEY);
    return CHOICES.find((choice) => choice === value) ?? 'automatic';
  } catch {
    return 'automatic';
  }
};

export const choice = new Signal<Choice>(stored());

/** Whether the page is dark now. Pictures are asked for in this theme. */
export const dark = new Signal(false);

const settle = () => {
  if (choice.value === 'automatic') delete document.documentElement.dataset.theme;
  else document.documentElement.dataset.theme = choice.value;
  dark.value = choice.value === 'automatic' ? system.matches : choice.value === 'dark';
};

export const nextTheme = (): void => {
  choice.value = CHOICES[(CHOICES.indexOf(choice.value) + 1) % CHOICES.length] ?? 'automatic';
  try {
    localStorage.setItem(KEY, choice.value);
  } catch { /* It is chosen anew next time. */ }
  settle();
};

system.addEventListener('change', settle);
settle();
