// Asks the server. Each question has one function here; the types of questions and answers are in api.ts.
import type * as api from './api';

/** Names this page: the server tells it the progress of its questions. */
export const PAGE = Array.from(crypto.getRandomValues(new Uint8Array(12)), (byte) => (byte % 36).toString(36)).join('');

/** What the server refuses or cannot answer. */
export class Refused extends Error {
  readonly failure: api.Failure;
  readonly status: number;

  constructor(failure: api.Failure, status: number) {
    super(failure.error);
    this.failure = failure;
    this.status = status;
  }
}

/** Whether a question ended because nobody waits for it any more. */
export const isCancelled = (error: unknown): boolean =>
  (error instanceof DOMException && error.name === 'AbortError') || (error instanceof Refused && error.failure.kind === 'cancelled');

/** What went wrong, for people. */
export const wordsOf = (error: unknown): string => {
  if (error instanceof Refused) return error.message;
  if (error instanceof TypeError) return '`otus studio` does not answer. Is it still running? Start it again and open the address that it prints.';
  return String(error instanceof Error ? error.message : error);
};

/** Who asks. The server ends an older question of the same asker about the same, and a signal ends it too. */
export interface Via {
  page: string;
  signal: AbortSignal;
}

async function ask<T>(method: 'GET' | 'POST', route: string, body?: unknown, via?: Via): Promise<T> {
  const headers: Record<string, string> = { 'Otus-Page': via?.page ?? PAGE };
  const request: RequestInit = { method, headers };
  if (via) request.signal = via.signal;
  if (body !== undefined) {
    headers['Content-Type'] = 'application/json';
    request.body = JSON.stringify(body);
  }
  const response = await fetch(route, request);
  const text = await response.text();
  let answer: unknown;
  try {
    answer = JSON.parse(text);
  } catch {
    answer = { error: text || `The server answered with status ${response.status}.`, kind: 'internal' };
  }
  if (!response.ok) throw new Refused(answer as api.Failure, response.status);
  return answer as T;
}

const post = <Q, A>(route: string) => (question: Q, via?: Via): Promise<A> => ask<A>('POST', route, question, via);

export const readState = (): Promise<api.State> => ask('GET', '/api/state');
export const readFile = (path: api.Path, from?: number, size?: number): Promise<api.FileText> => {
  const query = new URLSearchParams({ path });
  if (from !== undefined) query.set('from', String(from));
  if (size !== undefined) query.set('size', String(size));
  return ask('GET', `/api/file?${query}`);
};
export const readCode = (code: string): Promise<{ text: string }> => ask('GET', `/api/code?code=${encodeURIComponent(code)}`);
export const save = post<api.Save, api.Saved>('/api/save');
export const askText = post<api.TextQuestion, api.TextAnswer>('/api/text');
export const check = post<api.CheckQuestion, api.CheckAnswer>('/api/check');
export const readResults = post<{ path: api.Path }, api.CheckAnswer>('/api/results');
export const askCase = post<api.CaseQuestion, api.CaseAnswer>('/api/case');
export const whyNot = post<api.WhyNotQuestion, api.WhyNotAnswer>('/api/why-not');
export const repair = post<api.RepairQuestion, api.RepairAnswer>('/api/repair');
export const lines = post<api.LinesQuestion, api.LinesAnswer>('/api/lines');
export const account = post<api.AccountQuestion, api.AccountAnswer>('/api/account');
export const rule = post<api.RuleQuestion, api.RuleAnswer>('/api/rule');
export const propose = post<{ runs: api.Path[]; unsaved?: api.Unsaved }, api.Proposal>('/api/propose');
export const names = post<api.NamesQuestion, api.Proposal>('/api/names');
export const order = post<api.OrderQuestion, api.OrderAnswer>('/api/order');
export const formula = post<api.FormulaQuestion, api.FormulaAnswer>('/api/formula');
export const compare = post<api.CompareQuestion, api.CompareAnswer>('/api/compare');

/** What the server tells by itself: changes on disk, progress, and whether it can be reached. */
export function listen(
  onFiles: (change: api.FilesChanged) => void, onProgress: (progress: api.QuestionProgress) => void, onReach: (isThere: boolean) => void,
): void {
  const source = new EventSource(`/api/events?page=${PAGE}`);
  source.addEventListener('files', (event) => onFiles(JSON.parse(event.data) as api.FilesChanged));
  source.addEventListener('progress', (event) => onProgress(JSON.parse(event.data) as api.QuestionProgress));
  source.addEventListener('open', () => onReach(true));
  source.addEventListener('error', () => onReach(false));
}

/** One question at a time: a new one ends the one before. Answers of ended questions are dropped. */
export class Asking {
  static #askers = 0;
  readonly #page: string;
  #controller: AbortController | undefined;

  /** By default, a name of its own, so that two parts of the page do not end each other's questions. */
  constructor(page = `${PAGE}x${(Asking.#askers += 1)}`) {
    this.#page = page;
  }

  stop(): void {
    this.#controller?.abort();
    this.#controller = undefined;
  }

  async ask<T>(question: (via: Via) => Promise<T>, answered: (answer: T) => void, failed: (error: unknown) => void): Promise<void> {
    this.stop();
    const controller = new AbortController();
    this.#controller = controller;
    try {
      const answer = await question({ page: this.#page, signal: controller.signal });
      if (this.#controller !== controller) return;
      this.#controller = undefined;
      answered(answer);
    } catch (error) {
      if (this.#controller !== controller) return;
      this.#controller = undefined;
      if (!isCancelled(error)) failed(error);
    }
  }
}
