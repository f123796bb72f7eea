// The JSON interface of `otus studio`: every request and every answer, with a comment for each route.
//
// The Rust side (crates/otus-studio/src/api/) answers exactly these shapes; a test there compares the names of the routes.
//
// Rules of all routes
// - The page is opened with `/?token=…`. The server answers with a cookie and redirects to `/`, so that the token does not
//   stay in the address bar. Every other request needs that cookie, which the browser sends by itself; a script needs none of it.
// - GET routes take parameters in the address, POST routes take a JSON body (`Content-Type: application/json`).
// - Every request of the page sends the header `Otus-Page: ID`, a random text that the page makes when it loads (letters and
//   digits, at most 40). A newer question of the same route from the same page cancels the older one, which then is answered
//   with status 499 and `{ "error": "…", "kind": "cancelled" }`. Aborting the fetch cancels the question too.
// - An answer that is not 2xx is a `Failure`.
// - Paths are relative to the folder of the studio, with `/`. Nothing outside of it can be named.
// - `unsaved` overlays the texts of the editor over the files on disk, for this question only. Every question about texts
//   takes it: the diagram, otus.toml, a changed copy of a log, a formula.
// - Offsets `from` and `to` are UTF-16 code units in the text that was sent or read, as CodeMirror counts; `to` is exclusive.
//   Lines and columns count from 1, columns in characters.

/** A path relative to the folder, with `/`. A specification may end in `#heading`. */
export type Path = string;

/** Texts that are not saved, by path. */
export type Unsaved = Record<Path, string>;

/** Every answer with an error status. */
export interface Failure {
  error: string;
  /** What kind of failure it is:
   *  `input`: a text or a request has mistakes (422 or 400); `conflict`: the file changed on disk (409, see `Conflict`);
   *  `missing`: there is no such file (404); `forbidden`: outside of the folder, or no token (403);
   *  `too-large` (413); `cancelled`: a newer question came (499); `internal` (500). */
  kind: "input" | "conflict" | "missing" | "forbidden" | "too-large" | "cancelled" | "internal";
  /** For `input`: what is wrong where, if places are known. */
  diagnostics?: Diagnostic[];
}

/** A place of a file. `column` and `end_column` are missing if the whole line is meant; `line` is 0 for the whole file. */
export interface Place {
  file: Path;
  line: number;
  column?: number;
  end_line?: number;
  end_column?: number;
}

export interface Diagnostic {
  /** Like `O0301`; `explain` of the route `/api/code` tells more. Empty if it has none. */
  code: string;
  severity: "error" | "warning" | "note";
  message: string;
  help?: string;
  place: Place;
  /** Offsets in the text, if the place is in the text that was asked about. */
  from?: number;
  to?: number;
  /** A text that mends it, if the help proposes one. */
  fix?: { from: number; to: number; replacement: string };
}

// ---------------------------------------------------------------------------------------------------------------------
// GET /api/state → State                       The files of the folder, as far as Otus reads them.

export interface State {
  /** The version of Otus. */
  version: string;
  /** The name of the folder, to show. */
  folder: string;
  /** Increases with each change on disk. */
  generation: number;
  /** The nearest otus.toml in the folder. */
  config: Path | null;
  /** All files, sorted by path; at most 5,000. */
  files: FileEntry[];
  /** Whether there are more files than the list has. */
  more: boolean;
  /** What can be the specification of a check: files of interactions and diagrams, and headings of Markdown. The first is
   *  what otus.toml names, if it names one. */
  specs: SpecEntry[];
  /** What can be checked: folders of logs, multi-traces, files of cases. Names for `runs` of a question. */
  runs: RunEntry[];
  /** Partial-order traces, for the screen Orders. */
  orders: Path[];
  /** Files of formulas. */
  formulas: Path[];
  /** Files with results of earlier analyses (JSON, JSON lines). */
  results: Path[];
}

export interface FileEntry {
  path: Path;
  size: number;
  /** `specification`, `diagram`, `document`, `trace`, `cases`, `order`, `formula`, `config`, `options`, `log`, `other`. */
  kind: string;
}

export interface SpecEntry {
  /** What to send as `spec`: a path, or a path with `#heading`. */
  spec: Path;
  /** The file with the text. */
  path: Path;
  /** `mermaid`, `plantuml`, `markdown`, `interaction`, `model` (signature and interaction). */
  language: string;
  /** Whether otus.toml names it. */
  configured: boolean;
}

export interface RunEntry {
  /** What to send in `runs`. */
  name: Path;
  kind: "logs" | "trace" | "cases";
  /** The files in it. */
  files: Path[];
  size: number;
}

// ---------------------------------------------------------------------------------------------------------------------
// GET /api/events?page=ID → text/event-stream   What changes on disk, and the progress of questions.
//   event: files     data: FilesChanged
//   event: progress  data: QuestionProgress

export interface FilesChanged {
  generation: number;
  /** Files that were changed, created or removed; read /api/state again. */
  changed: Path[];
}

export interface QuestionProgress {
  /** The route, as `/api/check`. */
  route: string;
  /** `checked 120 (40%, 900/s): 100 pass, …` */
  text: string;
  checked: number;
}

// ---------------------------------------------------------------------------------------------------------------------
// GET /api/file?path=PATH[&from=BYTE][&size=BYTES] → FileText
//   Without `from`: the whole file if it has at most 2 MB, otherwise its first 64 kB. Excerpts begin and end at line ends
//   where possible; at most 1 MB an excerpt.
// POST /api/save  Save → Saved                  Writes a file if it still is what was read.
//   409 and `Conflict` if the file on disk is another one; nothing is written.

export interface FileText {
  path: Path;
  text: string;
  /** Identifies the content. Send it back with /api/save. `null` for an excerpt, which cannot be saved. */
  version: string | null;
  /** The size of the file in bytes. */
  size: number;
  /** The bytes that `text` is. */
  start: number;
  end: number;
  whole: boolean;
  /** The number of the first line, if it is known (it is for start = 0). */
  first_line?: number;
  /** Whether bytes that are not UTF-8 were replaced. Such a file cannot be saved either. */
  lossy: boolean;
}

export interface Save {
  path: Path;
  text: string;
  /** The version that was read; `null` to create a file. */
  version: string | null;
}

export interface Saved {
  path: Path;
  version: string;
}

export interface Conflict extends Failure {
  kind: "conflict";
  /** What is on disk now; `null` if the file is gone. */
  version: string | null;
  text: string | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/text  TextQuestion → TextAnswer     Diagnostics of a text and its picture, while typing.

export interface TextQuestion {
  path: Path;
  /** What of a Markdown document is drawn: `path#heading`; the path itself for other files. */
  spec?: Path;
  text: string;
  unsaved?: Unsaved;
  theme: Theme;
  /** Whether to draw. */
  picture: boolean;
}

export type Theme = "light" | "dark";

export interface TextAnswer {
  diagnostics: Diagnostic[];
  /** The picture as an SVG element, if the text can be drawn. Ids in it begin with `spec-`. */
  svg: string | null;
  /** The actions and messages of the specification, in the order of the text: what can be clicked. */
  messages: SpecMessage[];
}

/** A leaf of the diagram or of the interaction. */
export interface SpecMessage {
  /** Like `shop->bank: pay` or `a!m`. */
  text: string;
  /** Its actions: `shop!pay`, `bank?pay`. */
  actions: string[];
  line: number;
  from: number;
  to: number;
  /** The id of its element in `TextAnswer.svg`, if it has one. */
  node: string | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/check  CheckQuestion → CheckAnswer  The verdicts of the chosen runs: for the list beside the editor and for the
//   table of runs. Fast: what did not change is kept.

/** A specification and the runs to check with it. */
export interface Subject {
  /** Empty: what otus.toml names. */
  spec: Path;
  /** Names of `State.runs`, or other files and folders; empty: what otus.toml names, or all of `State.runs` without one. */
  runs: Path[];
  unsaved?: Unsaved;
  /** Seconds for each run after which it is undecided; 10 if missing. */
  limit?: number;
}

export interface CheckQuestion extends Subject {
  /** Whether failures are explained (the first 200); `true` if missing. With `false`, the answer is fast: cases have no cause, and
   *  the headline is the verdict in words. Ask so while typing, and once more with `true` when it is quiet. */
  explain?: boolean;
  /** Whether the coverage of the specification and its picture are wanted. */
  coverage?: boolean;
  theme?: Theme;
}

export interface CheckAnswer {
  cases: CaseRow[];
  counts: { pass: number; weak: number; fail: number; undecided: number };
  /** What failures have in common, the most frequent first. */
  causes: CauseGroup[];
  /** Warnings about specification and logs; unusable inputs. */
  remarks: string[];
  diagnostics: Diagnostic[];
  coverage?: Coverage;
  /** Microseconds of the whole question on the server. */
  micros: number;
}

export type VerdictName = "Pass" | "WeakPass" | "Fail" | "WeakFail" | "Inconclusive";

export interface CaseRow {
  /** Identifies the run among `runs`. */
  id: string;
  verdict: VerdictName;
  /** The problem, or the verdict in words, in one line. */
  headline: string;
  /** The id of the cause of a failure, as `too-early`. */
  cause?: string;
  /** The number of events. */
  events: number;
  micros: number;
}

export interface CauseGroup {
  cause: string;
  /** In words. */
  name: string;
  /** Where in the specification, if known. */
  expected: string;
  count: number;
  /** The first of these cases. */
  cases: string[];
}

export interface Coverage {
  /** Items of the specification that some run exercised, and all. */
  covered: number;
  all: number;
  /** The coverage on the diagram. */
  svg: string | null;
  /** What no run exercised: words and place. */
  missing: { text: string; place: Place | null }[];
}

// POST /api/results  { path: Path } → CheckAnswer   The same table from a file of results. (`micros` is 0.)

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/case  CaseQuestion → CaseAnswer     Everything about one run: failure, picture, steps.

export interface CaseQuestion extends Subject {
  id: string;
  theme: Theme;
}

export interface CaseAnswer {
  id: string;
  verdict: VerdictName;
  headline: string;
  cause: { id: string; name: string } | null;
  /** The explanation as plain text, as `otus analyze` prints it. Empty for a Pass. */
  text: string;
  /** What should have happened, with the places in the specification. */
  expected: { place: Place; action: string; text: string }[];
  /** What happened instead, then other lines that matter. */
  observed: { place: Place; action: string; role: string; text: string | null }[];
  /** For each furthest situation, what each log could do next. */
  furthest: Situation[];
  repair: RepairPlan | null;
  /** Remarks, as `consumed: …`. */
  notes: { topic: string; text: string }[];
  /** The events around the failure (or the run of a Pass). Ids in it begin with `case-`. */
  svg: string | null;
  /** The logs of the run: one for each set of lifelines that share a log. */
  logs: RunLog[];
  /** For the slider: step 0 is the beginning, step n is after the n-th entry. */
  steps: Step[];
  /** The number of steps that are explained; the rest is what cannot be matched, in the order of the logs. */
  explained: number;
}

export interface Situation {
  logs: {
    lifelines: string[];
    consumed: number;
    total: number;
    expected: string[];
    next?: string;
  }[];
  choices: string[];
}

export interface RepairPlan {
  edits: { place: Place | null; text: string }[];
  smallest: boolean;
  certified: boolean;
}

export interface RunLog {
  lifelines: string[];
  events: RunEvent[];
}

export interface RunEvent {
  /** Like `shop!pay`; several at one moment are joined by `, `. */
  action: string;
  /** The line it came from, if it came from a file. */
  place: Place | null;
  /** The text of that line, cut to 400 characters. */
  text: string | null;
  /** The id of its element in `CaseAnswer.svg`, if it is drawn. Always `null` in the answer of /api/compare. */
  node: string | null;
}

export interface Step {
  /** Index in `logs` and in its `events`; `null` if the event was not observed (it is assumed, as in a WeakPass). */
  log: number | null;
  event: number | null;
  action: string;
  /** The id of its element in `CaseAnswer.svg`, if it is drawn. */
  node: string | null;
  /** The message of the specification that it is matched with. */
  spec: Place | null;
  /** `matched`, `assumed` (not observed), `blamed` (the first that cannot be matched), `rest` (after it). */
  state: "matched" | "assumed" | "blamed" | "rest";
  /** What each log can do next before this step: `expected[log]`. Only for the first 2,000 steps. */
  expected?: string[][];
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/why-not  WhyNotQuestion → WhyNotAnswer    Why an event or a message cannot be matched at a step.

export interface WhyNotQuestion extends Subject {
  id: string;
  /** After so many steps of `CaseAnswer.steps` (at most `explained`). */
  step: number;
  /** An event of a log, or a message by a line of the specification, or an action as text. */
  target: { log: number; event: number } | { line: number } | { action: string };
}

export interface WhyNotAnswer {
  /** Whether it can be matched there after all. */
  possible: boolean;
  /** `now`: it can be matched; `not-next`: its log has another event first; `later`: other events must come first;
   *  `never`: no continuation has it; `past`: it was matched before; `unknown`: the specification has no such action;
   *  `undecided`: a limit was reached. */
  kind: "now" | "not-next" | "later" | "never" | "past" | "unknown" | "undecided";
  /** One sentence. */
  headline: string;
  /** Further sentences: what must come first, which choice excluded it, and the like. */
  reasons: { text: string; place: Place | null }[];
  /** The shortest continuation that would lead to it, if there is one: actions of the specification. */
  before: { action: string; place: Place | null }[];
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/repair  RepairQuestion → RepairAnswer     The repair as a change of texts. Nothing is written: accept by
//   /api/save with `version`, or put `text` into the editor.

export interface RepairQuestion extends Subject {
  id: string;
  /** The logs (a copy with the edits), or the specification (so that it allows what was observed). */
  of: "log" | "specification";
}

export interface RepairAnswer {
  changes: {
    path: Path;
    version: string | null;
    text: string;
    /** As `diff -u` prints it. */
    diff: string;
  }[];
  /** The edits in words. */
  edits: string[];
  /** The verdict with the changes. */
  verdict: VerdictName;
  /** Why there are no changes, if there are none. */
  reason?: string;
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/lines  LinesQuestion → LinesAnswer        Lines of a log and what otus.toml makes of each.

export interface LinesQuestion {
  log: Path;
  /** The byte at which to begin; 0, or `next` of an earlier answer. */
  from: number;
  /** At most 500. */
  count: number;
  unsaved?: Unsaved;
}

export interface LinesAnswer {
  lines: LogLine[];
  /** Where the next lines begin; `null` at the end. */
  next: number | null;
  size: number;
  /** Which otus.toml; `null` if there is none, and then no line has an outcome but `unmatched`. */
  config: Path | null;
  source: string | null;
  diagnostics: Diagnostic[];
}

export interface LogLine {
  /** The byte at which the line begins. */
  start: number;
  /** The number, if the first line of the answer is the first of the file or of the answer before. */
  line: number;
  /** At most 2,000 characters. */
  text: string;
  outcome: "matched" | "ignored" | "blank" | "unmatched" | "incomplete" | "unreadable";
  rule: string | null;
  /** The actions of the line: `broker?CONNECT`. */
  actions: string[];
  group: string | null;
  /** The parts of the line that the rule names: for colours. */
  parts: { from: number; to: number; name: string }[];
}

// POST /api/account  AccountQuestion → AccountAnswer  All lines of all logs counted, by outcome and rule.

export interface AccountQuestion {
  /** Names of `State.runs`; empty: what otus.toml names. */
  runs: Path[];
  spec?: Path;
  unsaved?: Unsaved;
}

export interface AccountAnswer {
  counts: Record<"all" | "matched" | "ignored" | "blank" | "unmatched" | "incomplete" | "unreadable", number>;
  rules: { source: string; rule: string; ignore: boolean; hits: number; first: Place | null }[];
  /** Unmatched lines that differ only in numbers and names, the most frequent first. */
  shapes: { shape: string; count: number; first: Place; example: string }[];
  lifelines: { lifeline: string; sends: number; receives: number }[];
  messages: { message: string; sent: number; received: number }[];
  groups: { total: number; first: { group: string; events: number }[] };
  /** Names that only the logs have, or only the specification. */
  only_in_logs: { lifelines: string[]; messages: string[] };
  only_in_spec: { lifelines: string[]; messages: string[] };
  findings: string[];
}

// POST /api/rule  RuleQuestion → RuleAnswer           A rule from marked parts of lines. No pattern is written by hand.

export type Role =
  | "lifeline" // who acts
  | "peer" // with whom
  | "message" // the message
  | "direction" // a word as `sending` or `Received`
  | "group" // which run
  | "id" // an id that connects emission and reception
  | "value" // a value for guards, with a name
  | "time"
  | "any" // may differ between lines, and is not kept
  | "fixed"; // must be there as it is

export interface Mark {
  /** Offsets in `Sample.text`. */
  from: number;
  to: number;
  role: Role;
  /** The name of a value; else optional. */
  name?: string;
}

export interface Sample {
  log: Path;
  text: string;
  marks: Mark[];
}

export interface RuleQuestion {
  /** The first sample defines the rule; the others must be matched too, and widen it. */
  samples: Sample[];
  /** Whether lines like this are ignored; then no marks are needed. */
  ignore: boolean;
  /** What no mark says: `direction: "!"` (sends) or `"?"` (receives), `lifeline: "broker"`, `peer`, `message`, `group`. */
  /** All but the direction may be templates of otus.toml, as `{file.stem}` and `{file.folder} {device}`. */
  constants: { direction?: "!" | "?"; lifeline?: string; peer?: string; message?: string; group?: string };
  /** If no source takes the log of the first sample, one is added: for `log`, that file; for `like` (the default), files of
   *  this name in all folders beside it (`logs/…/broker.log`), with numbers and the parts that vary as `*`; for `all`, every
   *  log of its folder and of the folders beside it that no source takes. */
  files?: "log" | "like" | "all";
  /** The name of the rule; made from the message if missing. */
  name?: string;
  unsaved?: Unsaved;
}

export interface RuleAnswer {
  /** The rule as text of otus.toml. */
  rule: string;
  pattern: string;
  /** otus.toml with the rule added, to be put into the editor or saved by /api/save. */
  path: Path;
  version: string | null;
  text: string;
  diff: string;
  /** The samples under the new otus.toml. */
  samples: LogLine[];
  /** How many lines of the log of the first sample (of its first 10,000) the new rule takes, and how many no rule takes. */
  hits: number;
  unmatched: number;
  diagnostics: Diagnostic[];
  /** What the rule still lacks, in words, as `no part says which lifeline acts`. */
  missing: string[];
}

// POST /api/names  NamesQuestion → Proposal           Names of the logs as names of the specification: `[lifelines] pub =
//   "publisher"` and `[messages]` of otus.toml.

export interface NamesQuestion {
  lifelines: { log: string; spec: string }[];
  messages: { log: string; spec: string }[];
  unsaved?: Unsaved;
}

// POST /api/propose  { runs: Path[], unsaved? } → Proposal   The otus.toml that `otus init` would write.

export interface Proposal {
  path: Path;
  version: string | null;
  text: string;
  diff: string;
  remarks: string[];
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/order  OrderQuestion → OrderAnswer        A run as a space-time diagram and its lattice of cuts, as data.

export interface OrderQuestion {
  /** A partial-order trace or another file that `otus ctl` reads; or a run of a subject. */
  order?: Path;
  run?: Subject & { id: string };
  unsaved?: Unsaved;
}

export interface OrderAnswer {
  processes: { name: string; events: OrderEvent[] }[];
  /** Messages and other direct causes between processes: indices as `[process, event]`. */
  edges: { from: [number, number]; to: [number, number] }[];
  /** The cuts, if there are at most 2,000; else `null`, and `cuts` tells how many there are. A cut is the number of events
   *  of each process that are in it. They are sorted by their number of events; `next` are indices in this list. */
  lattice: { cut: number[]; next: number[] }[] | null;
  /** How many cuts there are, as a decimal text of any length. `more than …` if they were not counted. */
  cuts: string;
  remarks: string[];
}

export interface OrderEvent {
  text: string;
  place: Place | null;
  /** The cut that is its causal past, the event included. */
  past: number[];
  /** Assigned variables, as `x = 2`. */
  changes: string[];
}

// POST /api/formula  FormulaQuestion → FormulaAnswer  A CTL formula at a cut, subformula by subformula.

export interface FormulaQuestion extends OrderQuestion {
  formula: string;
  /** A cut; a vector that is no cut is answered with the greatest cut inside of it (`cut` of the answer). */
  cut: number[];
}

export interface FormulaAnswer {
  diagnostics: Diagnostic[];
  /** The cut at which the truth is told. */
  cut: number[];
  /** At the beginning of the run, which is what `otus ctl` answers; `null` if it is undecided. */
  holds: boolean | null;
  /** In words. */
  meaning: string | null;
  /** The subformulas, parents before children. */
  nodes: FormulaNode[];
  /** By index of `OrderAnswer.lattice`: whether the whole formula holds at that cut. Empty if there is no lattice. */
  at: boolean[];
  /** A run that shows the answer at the beginning: `[process, event]` in order. */
  witness: [number, number][];
  /** The values of the variables at the cut. */
  values: { process: string; name: string; value: string }[];
}

export interface FormulaNode {
  /** In canonical form. */
  text: string;
  /** The index of its parent; `null` for the whole. */
  parent: number | null;
  /** Offsets in the formula; `null` if canonical form and text differ too much. */
  from: number | null;
  to: number | null;
  /** `null` if it is undecided. */
  holds: boolean | null;
  /** At how many cuts it holds, as a decimal text. */
  count: string | null;
}

// ---------------------------------------------------------------------------------------------------------------------
// POST /api/compare  CompareQuestion → CompareAnswer  Two runs, event by event in the partial order.

export interface CompareQuestion extends Subject {
  left: string;
  right: string;
}

export interface CompareAnswer {
  /** One row of columns for each lifeline that either run has. */
  lifelines: {
    lifeline: string;
    rows: {
      left: RunEvent | null;
      right: RunEvent | null;
      /** `same`; `first`: a difference all of whose causes agree; `after`: something different is among its causes. */
      state: "same" | "first" | "after";
    }[];
  }[];
  /** The first causal differences: indices of lifeline and row. Usually one. Empty: the runs are the same. */
  first: [number, number][];
  /** One sentence for each of these. */
  words: string[];
}

// ---------------------------------------------------------------------------------------------------------------------
// GET /api/code?code=O0301 → { text: string }         The page of a diagnostic code, as `otus explain` prints it.
