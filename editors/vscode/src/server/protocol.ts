// The types of the messages that the server adds to the protocol, and of its commands' arguments.
// Lines and characters start at 0; times are in the profile's unit. Made by scripts/generate.

export type integer = number;  // without a fraction

export type DocumentUri = string;

// "time" | "calls" | "executions" | "self" | "total", or the name of a metric of gprof/metrics
export type Metric = string;

export interface ServerExtensions {
  version: integer;
  requests: string[];       // methods, sorted
  notifications: string[];  // methods that the server may send
}

export interface ClientExtensions {
  decorations?: boolean;  // it draws gprof/lineData itself and gets no inlay hints
  status?: boolean;       // it shows gprof/status and its warnings, and gets no messages of these
  // it runs programs: lenses above tests have the command gprof.profileTest, which is the client's
  tests?: boolean;
}

export interface CallGraphParams {
  textDocument?: TextDocumentIdentifier;
  position?: Position;
  program?: string;
  symbol?: string;               // instead of the two above: the linkage name, or the name as shown
  depth?: integer;               // how many calls away from the function: 1 to 8; 2 by default
  direction?: "callers" | "callees" | "both";  // both by default
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface TextDocumentIdentifier {
  uri: DocumentUri;
}

export interface Position {
  line: integer;
  character: integer;
}

export interface Selection {
  processes?: integer[];           // numbers of gprof/metrics; without them, all
  threads?: (integer | string)[];  // numbers, or names of threads; without them, all
  from?: number;                   // seconds since the run began; included
  to?: number;                     // not included
  idle?: boolean;                  // true: idle waiting too, whatever gprof.idle says
}

export interface CallGraphResult {
  program: string;          // empty if there is none
  generation: integer;
  root: integer | null;     // the function's node; null if there is no such function
  otherRoots?: integer[];   // its other instances: of a template, in several units
  whole?: CallGraphWhole;   // root and otherRoots as one function; left out if there is one instance
  basis?: TimeBasis;
  nodes: CallGraphNode[];   // at most 500
  arcs: CallGraphArc[];     // at most 5,000
  truncated: boolean;       // something was left out; the hottest at each function was kept
  sampleSeconds?: number;   // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;  // code without samples took less than this, at 95 %; left out if costs are exact
}

export interface CallGraphWhole {
  calls: integer;
  recursiveCalls: integer;
  selfSeconds: number;
  childSeconds: number;
  totalError: number;  // of both together
}

export type TimeBasis = "measured" | "estimated";

export interface CallGraphNode {
  id: integer;
  name: string;
  linkageName: string;
  uri?: DocumentUri;
  range?: Range;            // of the name in the definition
  calls: integer;           // by other functions
  recursiveCalls: integer;  // by itself; these have no arcs
  selfSeconds: number;
  childSeconds: number;
  totalError: number;       // of both together
  cycle?: integer;          // the number of the cycle that it belongs to
}

export interface Range {
  start: Position;
  end: Position;
}

export interface CallGraphArc {
  from: integer;        // the caller's node
  to: integer;
  calls: integer;
  selfSeconds: number;  // of the callee's time, for these calls
  childSeconds: number;
  error: number;        // of both together
  sites?: Location[];   // where the counted calls are, if known; at most 20
}

export interface Location {
  uri: DocumentUri;
  range: Range;
}

export interface CallSitesParams {
  textDocument?: TextDocumentIdentifier;
  position?: Position;
  program?: string;              // with symbol
  // instead of a place: a function's name as in lists, "write [libc.so.6]", or linkage name
  symbol?: string;
  direction: "callers" | "callees";
  function?: string;             // which of several whose names are on the line
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface CallSitesResult {
  program: string;          // empty if no profile has code of the document
  generation: integer;
  name?: string;            // of the function; left out if there is none at the place
  basis?: TimeBasis;
  unit: string;             // "seconds" unless the profile says otherwise
  programSeconds: number;   // the program's time, of which shares are parts
  seconds?: number;         // of all these calls together: less than their sum where functions are recursive
  sites: CallSite[];        // most time first, then most calls, recursive ones last; at most 10,000
  truncated: boolean;
  sampleSeconds?: number;   // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;  // code without samples took less than this, at 95 %; left out if costs are exact
}

export interface CallSite {
  name: string;               // callers: the calling function; callees: the called one; the place is the call's
  uri?: DocumentUri;
  range?: Range;
  alternatives?: Location[];  // other lines that may have made some of these calls, or all
  definition?: Location;      // of that function
  through?: string;           // unprofiled code that made the call, such as qsort's
  calls: integer;
  approximate?: boolean;      // some of these calls may belong to `alternatives`
  seconds?: number;           // total time of the callee for these calls
  error?: number;             // one standard deviation
  recursive?: boolean;        // the function called itself
}

export interface CyclesParams {
  program?: string;
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface CyclesResult {
  program: string;          // empty if none is loaded
  generation: integer;
  basis?: TimeBasis;        // of childSeconds
  cycles: CallCycle[];      // most time first; at most 1,000
  total: integer;           // number of all cycles
  unit: string;             // "seconds" unless the profile says otherwise
  sampleSeconds?: number;   // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;  // code without samples took less than this, at 95 %; left out if costs are exact
}

export interface CallCycle {
  cycle: integer;          // its number, as in gprof/callGraph
  calls: integer;          // from outside
  internalCalls: integer;  // between different members
  selfSeconds: number;
  childSeconds: number;    // of callees outside the cycle
  totalError: number;      // of both together
  memberCount: integer;    // how many members there are
  members: CycleMember[];  // most self time first; at most 500, and 10,000 in all
}

export interface CycleMember {
  name: string;
  linkageName: string;
  uri?: DocumentUri;
  range?: Range;             // of the name in the definition
  calls: integer;            // by others, including members of the cycle
  recursiveCalls?: integer;  // by itself; left out if there are none
  selfSeconds: number;
  selfError: number;
}

export interface FlameGraphParams {
  textDocument?: TextDocumentIdentifier;  // with a position
  position?: Position;
  program?: string;                       // if there is no place
  maximumDepth?: integer;                 // calls below the root: 100 by default; at most 400
  minimumShare?: number;                  // smaller nodes are left out; a share of the root's time, 0.0001 by default
  differences?: boolean;                  // from the base, where there is one
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  // what of the profile counts; null: all; without it, what gprof.setSelection chose
  selection?: Selection | null;
}

export interface FlameGraphResult {
  program: string;              // empty if there is none
  generation: integer;
  basis: TimeBasis;             // from sampled stacks, or by gprof's propagation
  unit: string;                 // "seconds" unless the profile says otherwise
  sampleSeconds?: number;       // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;      // code without samples took less than this, at 95 %; left out if costs are exact
  total: number;                // the root's
  compared?: boolean;           // if differences were asked for: whether the base has a tree of this kind
  root: FlameGraphNode | null;  // null if there is no program, or no function at the place
}

export interface FlameGraphNode {
  name: string;
  total: number;               // self, the children's totals and leftOut together
  self: number;
  error?: number;              // of the total: one standard deviation; left out if costs are exact
  selfError?: number;
  leftOut?: number;            // of callees that are too small, too deep or too many
  inlined?: boolean;           // a function without a call: its code lies in that of the node around it
  module?: string;             // the file of a function or code of another module
  uri?: DocumentUri;           // of the definition
  range?: Range;
  difference?: Difference;     // of the total; left out unless asked for, and where the base's is not known
  gone?: GoneCallee[];         // callees that only the base has here; most time first, at most 10
  goneSeconds?: number;        // of all of these, in a run of the base
  children: FlameGraphNode[];  // most time first; at most 10,000 nodes in all
}

export interface Difference {
  baseSeconds: number;
  difference: number;  // of a run now, minus a run of the base
  error: number;       // one standard deviation, including possible drift
  verdict: Verdict;
  // of noise: with that many runs on each side, a difference of this size would probably be significant; left out where it is within its error, and above 100
  runsToDecide?: integer;
}

export type Verdict = "regressed" | "improved" | "noise" | "new" | "gone";

export interface GoneCallee {
  name: string;
  seconds: number;  // of a run of the base
}

export interface FlatProfileParams {
  program?: string;
  offset?: integer;              // rows to skip
  limit?: integer;               // 1,000 by default; at most 10,000
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  metrics?: string[];            // names of metrics by which rows have values; at most 64
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface FlatProfileResult {
  program: string;          // empty if none is loaded
  generation: integer;
  basis?: TimeBasis;        // of totalSeconds and totalPerCall
  rows: FlatProfileRow[];
  total: integer;           // number of all rows
  unit: string;             // "seconds" unless the profile says otherwise
  sampleSeconds?: number;   // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;  // code without samples took less than this, at 95 %; left out if costs are exact
  programSeconds: number;   // all samples but the collector's: percentages are of this
  sampledSeconds: number;   // all samples: of all rows and all others
  others: OtherSamples[];   // most time first
}

export interface FlatProfileRow {
  name: string;                             // as written in the source
  linkageName: string;
  percent: number;                          // of the program's time
  selfSeconds: number;
  selfError: number;
  totalSeconds: number;                     // with what it called
  totalError: number;
  cumulativeSeconds: number;                // of this row and all before it
  calls?: integer;                          // by other functions; left out if there are none
  selfDifference?: Difference;              // from the base; left out if nothing is compared
  selfPerCall?: number;
  totalPerCall?: number;
  uri?: DocumentUri;
  line?: integer;
  values?: {[name: string]: MetricValues};  // by the metrics asked for, where the function has any
}

export interface MetricValues {
  self: number;        // of the code itself; of counts, the count
  selfError?: number;  // one standard deviation; left out if it is exact
  total?: number;      // with what it called
  totalError?: number;
}

export interface OtherSamples {
  // "snprintf [libc.so.6]"; "[libc.so.6]": its code of no known function; "[unknown]": code of which nothing is known
  name: string;
  kind: "module" | "collector" | "unknown";  // module: a library, or a function of it; collector: the profiler itself
  function?: string;            // of a library, where its symbols name it: "snprintf"
  module?: string;              // "libc.so.6"
  seconds: number;              // in the function itself
  error: number;
  percent?: number;             // of the program's time, which excludes the collector's
  totalSeconds?: number;        // with what it called; only of functions, and only if it is measured
  totalError?: number;
  selfDifference?: Difference;  // from the base, of libraries; left out if nothing is compared
}

export interface HotSpotsParams {
  program?: string;
  // the setting gprof.metric by default; executions: by calls, which is how functions are counted
  metric?: Metric;
  query?: string;                 // letters of the name in this order, ignoring case
  order?: "cost" | "regression";  // cost by default; regression: as the comparison with the base ranks them
  limit?: integer;                // 50 by default; at most 1,000
  metrics?: string[];             // names of metrics by which spots have values; at most 64
  selection?: Selection | null;   // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface HotSpotsResult {
  program: string;          // empty if none is loaded
  generation: integer;
  basis?: TimeBasis;
  unit: string;             // "seconds" unless the profile says otherwise; empty if none is loaded
  programSeconds: number;   // the program's time, of which shares are parts
  spots: HotSpot[];         // hottest first; those below their error last
  sampleSeconds?: number;   // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;  // code without samples took less than this, at 95 %; left out if costs are exact
}

export interface HotSpot {
  name: string;
  signature?: string;                       // if it differs from the name
  module?: string;                          // of a function of a library, or of its other code: the library's file
  // of a library's function: where the program called it most; left out if unknown
  callSite?: Location;
  uri?: DocumentUri;
  range?: Range;                            // of the name in the definition
  calls?: integer;                          // by other functions; left out if there are none
  recursiveCalls?: integer;                 // by itself; left out if there are none
  selfSeconds: number;
  selfError: number;
  totalSeconds: number;
  totalError: number;
  // false: the time it is ranked by is less than its error; left out when true
  significant?: boolean;
  selfDifference?: Difference;              // from the base; left out if nothing is compared
  totalDifference?: Difference;
  callsDifference?: integer;                // exact; left out if counts depend on the run
  heat: number;
  // among all functions, those of libraries included, in the order asked for, from 1
  rank: integer;
  values?: {[name: string]: MetricValues};  // by the metrics asked for, where the function has any
}

export type IdleParams = Record<string, never>;

export type IdleResult = Record<string, never>;

export interface LineDataParams {
  textDocument: TextDocumentIdentifier;
  range?: Range;                 // the lines that it touches; without it, all of them
  inlinedAtCalls?: boolean;      // without it, the setting gprof.inlinedAtCalls
  hottest?: integer;             // only so many lines, the hottest by the metric, and none without heat
  metric?: Metric;               // of cells, heat and level; without it, the setting gprof.metric
  threshold?: number;            // cells have no times below this share; without it, the setting gprof.threshold
  errors?: boolean;              // cells have times with their errors
  functions?: boolean;           // the texts of lenses as well
  metrics?: string[];            // names of metrics by which lines have values; at most 64
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface LineDataResult {
  version: integer | null;        // of the document; null where it is not open
  source: "inStep" | "changed" | "stale" | "unknown";
  asCompiled?: boolean;           // the text is the compiled one, line by line
  program?: string;               // the figures are this one's
  basis?: TimeBasis;              // of totalSeconds, and of what callees cost
  columns?: LineColumn[];         // of the lines' cells, from left to right
  lines: LineData[];              // ascending; at most 100,000
  functions?: FunctionSummary[];  // ascending; left out unless asked for
  sampleSeconds?: number;         // what one sample stands for; left out if costs are exact
  unsampledBelow?: number;        // code without samples took less than this, at 95 %; left out if costs are exact
}

export interface LineColumn {
  name: string;
  width: integer;  // characters that nearly all of its texts fit into
}

export interface LineData {
  line: integer;
  state: "current" | "changed" | "approximate";
  calls?: integer;                          // made from this line
  executions?: integer;                     // of its basic blocks, where the program was built to count them
  selfSeconds?: number;
  selfError?: number;
  totalSeconds?: number;                    // with what the calls cost
  significant?: boolean;                    // false: its times are less than their error; left out when true
  selfDifference?: Difference;              // beside the base; left out where the line is not compared
  totalDifference?: Difference;             // with what the line calls; only if both sides have stacks
  cells?: string[];                         // texts by column; empty ones at the end are left out
  level: integer;                           // of heat: 0 for none, 5 for the hottest
  heat: number;                             // by the metric
  heats: Heats;
  callees?: LineCallee[];                   // most calls first; at most 100
  values?: {[name: string]: MetricValues};  // by the metrics asked for, where the line has any
}

export interface Heats {
  time: number;
  calls: number;
  executions: number;
  self: number;
  total: number;
}

export interface LineCallee {
  name: string;
  count: integer;
  approximate?: boolean;  // some of these calls may belong to other lines
  seconds?: number;       // total time of these calls
  uri?: DocumentUri;      // of the definition
  position?: Position;
}

export interface FunctionSummary {
  line: integer;  // of the function's name
  text: string;   // of the lens above it
}

export interface MetricsParams {
  program?: string;
}

export interface MetricsResult {
  program: string;               // empty if none is loaded
  generation: integer;
  metrics: MetricDescription[];  // of cost, then counts, then derived ones
  processes: ProfiledProcess[];
  threads: ProfiledThread[];     // empty if they are not told apart
  length: number;                // seconds that the run took; 0 if unknown
  sliceWidth: number;            // seconds; 0: it is not known when samples were taken
  problems?: string[];           // formulas that cannot be used, and why
}

export interface MetricDescription {
  name: string;                           // for gprof.metric and for every member that names a metric
  label: string;                          // for lists: "CPU time"
  unit: string;
  kind: "sampled" | "exact" | "derived";  // derived: a formula of others
  // how its figures were obtained: "sampled 100 times per CPU second"; or the formula
  origin: string;
  total?: number;                         // of what is selected; left out where it has none
  totalError?: number;
}

export interface ProfiledProcess {
  process: integer;  // its number; from 1 where that is not known
  name: string;      // of its profile's file
  from: number;      // seconds since the run began
  to: number;        // as from where it is not known
}

export interface ProfiledThread {
  process: integer;
  thread: integer;
  name: string;  // empty if it has none
  cpu: number;   // what it cost, by the first metric
}

export type ProgramsParams = Record<string, never>;

export interface ProgramsResult {
  programs: ProgramEntry[];  // the one being shown comes first
}

export interface ProgramEntry {
  name: string;           // unique
  executable: string;     // path
  profiles: string[];     // paths; their sum is shown
  candidates: string[];   // profiles that could be shown, newest first
  partOf?: string;        // of a shared library: the executable that it was profiled in
  selected: boolean;
  rebuiltSince: boolean;  // the executable is newer than the profile; the last good state is shown
  live?: boolean;         // it is running: its counts are a moment old, and rising
  generation: integer;
  state: ProfileState;
}

export type ProfileState = "loading" | "ready" | "stale" | "error";

export interface ReportParams {
  kind: ReportKind;
  program?: string;
  options?: string;              // -b by default
  file?: string;                 // for annotated-source: the path of one source
  metric?: Metric;               // of a report with --accurate: as in other requests
  selection?: Selection | null;  // the same
}

export type ReportKind = "all" | "annotated-source" | "call-graph" | "execution-counts" | "file-information" | "flat-profile" |
  "function-ordering" | "index";

export interface ReportResult {
  uri: DocumentUri;
  text: string;
  links: ReportLink[];  // ordered by range; at most 10,000, to at most 5,000 functions
}

export interface ReportLink {
  range: Range;         // in the text, within one line
  target: DocumentUri;  // ends with "#L12" for line 12, counted from 1
  tooltip?: string;
}

export interface TestsParams {
  textDocument?: TextDocumentIdentifier;  // whose tests are asked for; without it, those that CTest would run
}

export interface TestsResult {
  tests: TestRun[];  // in the order of the text, or of CTest's files
}

export interface TestRun {
  name: string;            // for people: Suite.Name, or the name of the test case
  program: string;         // path of the executable
  arguments: string[];     // that make it run this test alone, as a list
  folder?: string;         // where CTest would run it; left out if its files do not say
  environment?: string[];  // NAME=VALUE, added to the inherited environment
  range?: Range;           // of a test of a document: from its macro to the end of its body
}

export interface TimelineParams {
  program?: string;
  // a metric of cost, in whose unit all figures are; without it, the setting gprof.metric
  metric?: Metric;
  rows: "threads" | "processes";
  from?: number;                 // seconds since the run began; its beginning by default
  to?: number;                   // its end by default
  columns?: integer;             // 200 by default; at most 4,096
  selection?: Selection | null;  // what of the profile counts; null: all; without it, what gprof.setSelection chose
}

export interface TimelineResult {
  program: string;        // empty if none is loaded
  generation: integer;
  metric: string;         // of cost
  unit: string;           // of totals and values
  from: number;           // of the first column
  to: number;             // where the last one ends
  rows: TimelineRow[];    // as gprof/metrics lists them; at most 1,000
  omittedRows?: integer;  // those that cost least
  untimed?: number;       // cost of which it is not known when it arose
}

export interface TimelineRow {
  process: integer;
  thread?: integer;                 // in rows of threads
  name: string;                     // empty if it has none
  total: number;                    // of all columns
  values: number[];                 // by column
  activities?: TimelineActivity[];  // by wall, wait or a part of it: what the thread did; those that occur
}

export interface TimelineActivity {
  name: Activity;
  values: number[];  // by column
}

export type Activity = "running" | "lock" | "io" | "sleep" | "child" | "other" | "cpu" | "idle";

export interface StatusParams {
  state: ProfileState;
  program: string;                 // path of the executable being shown; empty for none
  profiles: string[];              // paths
  generation: integer;
  message?: string;                // what is wrong, and what to do
  warnings?: string[];             // what was noticed of profiles that are shown; ten at most, the log has all
  unavailable?: string;            // path of the program that was chosen and cannot be shown; message says why
  why?: string;                    // a sentence: why these profiles are shown
  pinned?: boolean;                // newer profiles are not shown
  live?: boolean;                  // the program is running: its counts are about a second old, and rising
  ran?: string;                    // by the clock and on CPUs: "ran 3.9 s, 0.09 s on CPU"; up to now if live
  waiting?: string;                // a sentence, if less than a third of that was on a CPU
  tick?: string;                   // a sentence, if the kernel's tick may have decided where samples fell
  comparison?: ProgramComparison;  // with the base, where there is one
  metric: Metric;                  // that is shown; time where the program lacks another one
  metricText?: string;             // what users call it, where costs are no times: "Ir", "self Ir", "total Ir"
  selection?: Selection;           // left out if all of the profile is shown
  selectionText?: string;          // "thread parser (12), 1.2 s to 3.4 s"
  idle?: "folded" | "shown";       // what gprof.idle says; left out where waits were not measured
}

export interface ProgramComparison {
  text: string;       // "0.51 → 0.77 s, +51 %: regressed"
  verdict?: Verdict;  // left out if only calls are compared
}

export interface ExportArgument {
  format: "callgrind" | "csv" | "dot" | "folded" | "json" | "pprof" | "speedscope";
  program?: string;
  path?: string;                           // of the file to write, or its URI; relative to the first workspace folder
  table?: "functions" | "arcs" | "lines";  // for csv; functions by default
}

export interface ExportedText {
  text: string;  // at most 32 MiB
}

export interface ExportedFile {
  uri: DocumentUri;
}

export interface LoadArgument {
  executable: string;   // path or file URI, like all paths here
  profiles?: string[];  // glob patterns; if omitted, the server looks for them
  newest?: boolean;     // show only the newest match, now and later, not the sum
}

export interface CompareArgument {
  executable?: string;  // if omitted, profiles of the program being shown
  profiles?: string[];  // glob patterns: each profile is a run; if omitted, the server looks for them
}

export interface SelectArgument {
  executable: string;
  profiles?: string[];  // paths: their sum is shown until a newer one is written; if omitted, the newest
  pinned?: boolean;     // keep showing these profiles, whatever is written
}

export interface PlaceArgument {
  uri: DocumentUri;
  position: Position;
  function?: string;  // which of several whose names are on the line
}

export interface FunctionOfLine {
  name: string;      // as it differs from those of the others
  figures: string;
  function: string;  // for a PlaceArgument
}

export interface ShownReport {
  uri: DocumentUri;
  text?: string;  // if the client cannot show the document
}

export interface RunSummary {
  program: string;     // as it was named on the command line
  profile?: string;    // path of the gmon file; left out where there is none
  status?: integer;    // the exit status; left out if a signal ended the program
  signal?: string;     // that ended the program: "SIGSEGV"
  crash?: CrashedAt;   // the line where it did; left out where it is not known
  problem?: string;    // why there is no profile, or why the program was not started
  running: integer[];  // profiled processes that the program has left behind
  figures?: string;    // "1,234 calls, 321 samples at 100 Hz, 8 threads, nothing lost"
  times?: string;      // by the clock and on CPUs: "ran 3.9 s, 0.09 s on CPU"
  headline?: string;   // the same in short: "0.09 s CPU of 3.9 s"
  remarks: string[];   // caveats, the most important first
}

export interface CrashedAt {
  path: string;      // of the source, as it was compiled
  line: integer;     // from 1
  function: string;  // empty if it is not known
}
