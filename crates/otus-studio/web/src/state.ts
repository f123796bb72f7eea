// What all screens share: the files of the folder, the specification and the runs that are chosen, and their verdicts.
import type { CaseRow, CheckAnswer, Path, SpecEntry, State, Subject } from './api';
import { Asking, check, PAGE, readState } from './client';
import { changedOnDisk, edited, unsaved } from './documents';
import { debounced, Signal } from './signal';

export const folder = new Signal<State | null>(null);
export const spec = new Signal<Path>('');
/** Names of `State.runs`; none: what otus.toml names. */
export const runs = new Signal<Path[]>([]);
export const verdicts = new Signal<CheckAnswer | null>(null);
/** The state of the question about the verdicts. A failure leaves the verdicts of before. */
export const checking = new Signal<{ isBusy: boolean; progress: string; failure: unknown }>({ isBusy: false, progress: '', failure: null });
/** The run that is looked at. */
export const chosen = new Signal<string>('');

export const specEntry = (): SpecEntry | undefined => folder.value?.specs.find((entry) => entry.spec === spec.value);

export const subject = (): Subject => {
  const texts = unsaved();
  return { spec: spec.value, runs: runs.value, ...(texts ? { unsaved: texts } : {}) };
};

const order = new Map([['Fail', 0], ['WeakFail', 1], ['Inconclusive', 2], ['WeakPass', 3], ['Pass', 4]]);
/** Failures first, otherwise in the order of the answer. */
export const worstFirst = (cases: CaseRow[]): CaseRow[] =>
  cases.map((row, at) => ({ row, at })).sort((a, b) => (order.get(a.row.verdict) ?? 9) - (order.get(b.row.verdict) ?? 9) || a.at - b.at).map(({ row }) => row);

// Its progress is told to the page.
const asking = new Asking(PAGE);

/** What a check needs and the folder does not have. */
export const lacking = (): 'specification' | 'runs' | null => {
  if (!folder.value) return null;
  return folder.value.specs.length === 0 ? 'specification' : folder.value.runs.length === 0 ? 'runs' : null;
};

function ask(): void {
  if (!folder.value) return;
  if (lacking()) {
    asking.stop();
    verdicts.value = null;
    checking.value = { isBusy: false, progress: '', failure: null };
    return;
  }
  checking.value = { isBusy: true, progress: '', failure: null };
  void asking.ask((via) => check({ ...subject(), explain: false }, via), (answer) => {
    verdicts.value = withEarlierReasons(answer);
    checking.value = { isBusy: false, progress: '', failure: null };
    if (answer.counts.fail > 0) explain(answer.micros);
  }, (failure) => {
    checking.value = { isBusy: false, progress: '', failure };
  });
}

/** Verdicts are fast, reasons take longer: they follow, unless somebody types on. */
function explain(micros: number): void {
  // The time that is shown is that of the verdicts.
  void asking.ask((via) => check(subject(), via), (answer) => { verdicts.value = { ...answer, micros }; }, (failure) => {
    checking.value = { isBusy: false, progress: '', failure };
  });
}

/** Until the reasons come, those of before are shown for runs that failed before. */
function withEarlierReasons(answer: CheckAnswer): CheckAnswer {
  const before = verdicts.value;
  if (!before || answer.counts.fail === 0) return answer;
  const earlier = new Map(before.cases.map((row) => [row.id, row]));
  const cases = answer.cases.map((row) => {
    const old = earlier.get(row.id);
    return old && old.verdict === row.verdict && !row.cause && old.cause ? { ...row, headline: old.headline, cause: old.cause } : row;
  });
  return { ...answer, cases, causes: answer.causes.length > 0 ? answer.causes : before.causes };
}

/** Asks again soon, unless something else changes before. The question that is under way is ended. */
export const recheck = debounced(10, ask);

export const stopChecking = (): void => {
  asking.stop();
  checking.value = { isBusy: false, progress: '', failure: new Error('The question was stopped.') };
};

/** The specification that otus.toml names, else the first. */
function settle(state: State): void {
  if (!state.specs.some((entry) => entry.spec === spec.value)) {
    spec.value = (state.specs.find((entry) => entry.configured) ?? state.specs[0])?.spec ?? '';
  }
  const known = new Set(state.runs.map((entry) => entry.name));
  const left = runs.value.filter((name) => known.has(name));
  if (left.length !== runs.value.length) runs.value = left;
}

export async function refresh(changed: Path[] = []): Promise<void> {
  await changedOnDisk(changed);
  const state = await readState();
  settle(state);
  folder.value = state;
  recheck();
}

spec.onChange(() => { verdicts.value = null; recheck(); });
runs.onChange(recheck);
edited.onChange(() => recheck());
