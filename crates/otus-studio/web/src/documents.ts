// The texts that this page has changed and not saved. Files on disk stay the truth: a text is written only when somebody asks for it,
// and only if the file still is what was read. Every question sends what is not saved along, so that answers are about what is seen.
import type { Conflict, Path, Unsaved } from './api';
import { Refused, readFile, save as writeFile } from './client';
import { Signal } from './signal';

export interface Document {
  path: Path;
  /** As it is in this page. */
  text: string;
  /** As it was read, and its version; `null` if there was no such file. */
  saved: string;
  version: string | null;
  /** Why it cannot be saved, if it cannot. */
  fixed: string | null;
  /** A log that was repaired to see what would follow. It is evidence, so it is never written. */
  isTrial: boolean;
  /** What is on disk now, if that is neither what was read nor what is here. */
  theirs: { text: string | null; version: string | null } | null;
}

const open = new Map<Path, Document>();
const reading = new Map<Path, Promise<Document>>();

/** Tells which document changed, by whom: the editor listens to all but its own changes. */
export const edited = new Signal<{ path: Path; by: 'editor' | 'page' | 'disk' }>({ path: '', by: 'page' });

export const isDirty = (document: Document): boolean => document.text !== document.saved;
export const dirtyDocuments = (): Document[] => [...open.values()].filter(isDirty).sort((a, b) => (a.path < b.path ? -1 : 1));
/** What “Save” writes. */
export const savableDocuments = (): Document[] => dirtyDocuments().filter(({ isTrial }) => !isTrial);
export const openPaths = (): Path[] => [...open.keys()];
export const documentAt = (path: Path): Document | undefined => open.get(path);

/** What is not saved, for a question. */
export const unsaved = (): Unsaved | undefined => {
  const texts = dirtyDocuments();
  return texts.length > 0 ? Object.fromEntries(texts.map(({ path, text }) => [path, text])) : undefined;
};

const tell = (path: Path, by: 'editor' | 'page' | 'disk') => { edited.value = { path, by }; };

/** Reads a file once; later calls answer what is here, changed or not. */
export async function openDocument(path: Path): Promise<Document> {
  const known = open.get(path);
  if (known) return known;
  let promise = reading.get(path);
  if (!promise) {
    promise = (async () => {
      const file = await readFile(path);
      const fixed = file.lossy ? 'It is not UTF-8, so it can be read here but not saved.'
        : file.whole ? null : 'It is too large to be edited here; its beginning is shown.';
      const document: Document = { path, text: file.text, saved: file.text, version: file.version, fixed, isTrial: false, theirs: null };
      open.set(path, document);
      return document;
    })();
    reading.set(path, promise);
    promise.finally(() => reading.delete(path)).catch(() => {});
  }
  return promise;
}

export function edit(path: Path, text: string, by: 'editor' | 'page' = 'page'): void {
  const document = open.get(path);
  if (!document || document.text === text) return;
  document.text = text;
  tell(path, by);
}

/** A proposed text of a file, which may not exist yet. `version` is what the proposal was made from. */
export async function take(path: Path, text: string, version: string | null, isTrial = false): Promise<void> {
  if (!open.has(path)) {
    if (version === null) open.set(path, { path, text: '', saved: '', version: null, fixed: null, isTrial: false, theirs: null });
    else await openDocument(path);
  }
  const document = open.get(path);
  if (document) document.isTrial = isTrial;
  edit(path, text);
}

export function discard(path: Path): void {
  const document = open.get(path);
  if (!document) return;
  if (document.theirs) {
    document.saved = document.theirs.text ?? '';
    document.version = document.theirs.version;
    document.theirs = null;
  }
  document.text = document.saved;
  document.isTrial = false;
  tell(path, 'page');
}

/** Keeps what is here, and lets it be written over what is on disk now. */
export function keepMine(path: Path): void {
  const document = open.get(path);
  if (!document?.theirs) return;
  document.saved = document.theirs.text ?? '';
  document.version = document.theirs.version;
  document.theirs = null;
  tell(path, 'page');
}

/** Writes a file. The answer is `conflict` if the file on disk is another one by now; then `theirs` has it, and nothing was written. */
export async function saveDocument(path: Path): Promise<'saved' | 'conflict'> {
  const document = open.get(path);
  if (!document || !isDirty(document) || document.isTrial) return 'saved';
  const { text } = document;
  try {
    const { version } = await writeFile({ path, text, version: document.version });
    document.saved = text;
    document.version = version;
    document.theirs = null;
    tell(path, 'page');
    return 'saved';
  } catch (error) {
    if (!(error instanceof Refused) || error.failure.kind !== 'conflict') throw error;
    const { text: theirs, version } = error.failure as Conflict;
    document.theirs = { text: theirs, version };
    tell(path, 'page');
    return 'conflict';
  }
}

/** Files changed on disk: those without changes here are read again; those with changes are in conflict. */
export async function changedOnDisk(paths: Path[]): Promise<void> {
  for (const path of paths) {
    const document = open.get(path);
    if (!document) continue;
    try {
      const file = await readFile(path);
      if (file.version === document.version || !file.whole) continue;
      if (file.text === document.text || !isDirty(document)) {
        document.text = file.text;
        document.saved = file.text;
        document.version = file.version;
        document.theirs = null;
      } else {
        document.theirs = { text: file.text, version: file.version };
      }
      tell(path, 'disk');
    } catch (error) {
      if (!(error instanceof Refused) || error.failure.kind !== 'missing') continue;
      if (isDirty(document)) document.theirs = { text: null, version: null };
      else open.delete(path);
      tell(path, 'disk');
    }
  }
}
