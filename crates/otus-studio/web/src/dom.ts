// Makes elements. Text from files becomes text nodes, so that nothing in a log or a diagram becomes markup.

type Attribute = string | number | boolean | null | undefined | ((event: never) => void);
export type Child = Node | string | number | null | undefined | false | Child[];

/** Characters that are invisible or change the direction of text are shown by their numbers. */
export const visible = (text: string): string =>
  text.replace(/[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u061c\u200e\u200f\u202a-\u202e\u2066-\u2069]/g,
    (c) => `⟨U+${c.charCodeAt(0).toString(16).toUpperCase().padStart(4, '0')}⟩`);

/**
 * An element with attributes and children. An attribute `onclick` is a listener; `true` is an attribute without value; `false`, `null`
 * and `undefined` are none. A child that is false or null is left out.
 */
export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Child[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  assign(element, attributes);
  append(element, children);
  return element;
}

/** An element of SVG. */
export function svg<K extends keyof SVGElementTagNameMap>(
  tag: K, attributes: Record<string, Attribute> = {}, ...children: Child[]
): SVGElementTagNameMap[K] {
  const element = document.createElementNS('http://www.w3.org/2000/svg', tag);
  assign(element, attributes);
  append(element, children);
  return element;
}

function assign(element: Element, attributes: Record<string, Attribute>): void {
  for (const [name, value] of Object.entries(attributes)) {
    if (value === undefined || value === null || value === false) continue;
    if (typeof value === 'function') element.addEventListener(name.slice(2), value as EventListener);
    else element.setAttribute(name, value === true ? '' : String(value));
  }
}

export function append(element: Element, children: Child[]): void {
  for (const child of children) {
    if (Array.isArray(child)) append(element, child);
    else if (child instanceof Node) element.append(child);
    else if (child !== null && child !== undefined && child !== false && child !== '') element.append(visible(String(child)));
  }
}

/** Replaces what is in an element. */
export function fill(element: Element, ...children: Child[]): void {
  element.replaceChildren();
  append(element, children);
}

/**
 * The picture that our server drew, as an element of this page. It is parsed as XML, and whatever could run or load something is
 * removed, because names in it come from files.
 */
export function adoptPicture(text: string): SVGSVGElement | null {
  const root = new DOMParser().parseFromString(text, 'image/svg+xml').documentElement;
  if (root.localName !== 'svg') return null;
  for (const element of [root, ...root.querySelectorAll('*')]) {
    if (/^(script|foreignobject|iframe|image|use|animate|set)$/i.test(element.localName)) {
      element.remove();
      continue;
    }
    for (const { name, value } of [...element.attributes]) {
      const leaves = /^(href|xlink:href|src)$/i.test(name) && !value.startsWith('#');
      if (/^on/i.test(name) || leaves) element.removeAttribute(name);
    }
  }
  return document.importNode(root, true) as unknown as SVGSVGElement;
}

const counts = new Intl.NumberFormat('en');
export const count = (number: number): string => counts.format(number);
export const plural = (number: number, noun: string, nouns = `${noun}s`): string => `${count(number)} ${number === 1 ? noun : nouns}`;

/** A sentence of the server, in which `backquotes` enclose what stands in a file. */
export const prose = (text: string): Child[] => text.split(/`([^`]+)`/).map((part, at) => (at % 2 === 1 ? h('code', {}, part) : part));

let ids = 0;
/** An id that no other element of the page has. */
export const newId = (what: string): string => `${what}-${(ids += 1)}`;
