// The task type `gprof`: what tasks.json may contain, and the resulting command line. Pure.
import { isAbsolute, join, normalize } from 'node:path';

export interface RecordDefinition {
  readonly type: 'gprof';
  readonly program: string;
  readonly arguments?: readonly string[];
  readonly cwd?: string;
  readonly environment?: Readonly<Record<string, string>>;
  readonly stacks?: boolean;
  readonly rate?: number; // samples per second
  readonly wait?: boolean;
  readonly live?: boolean;
  readonly runs?: number;
}

export const taskType = 'gprof';

// What is invalid, as a message to the user; undefined if nothing is.
export function definitionDefect(definition: Readonly<Record<string, unknown>>): string | undefined {
  const { program, cwd, environment, stacks, rate, wait, live, runs } = definition;
  const given = definition['arguments'];
  if (typeof program !== 'string' || program.trim() === '') return '“program” names no executable';
  if (given !== undefined && !isStrings(given)) return '“arguments” is not a list of words';
  if (cwd !== undefined && typeof cwd !== 'string') return '“cwd” is not a folder';
  if (environment !== undefined && !isStringMap(environment)) return '“environment” is not an object of texts';
  if (stacks !== undefined && typeof stacks !== 'boolean') return '“stacks” is neither true nor false';
  if (wait !== undefined && typeof wait !== 'boolean') return '“wait” is neither true nor false';
  if (live !== undefined && typeof live !== 'boolean') return '“live” is neither true nor false';
  if (rate !== undefined && !isWhole(rate, 0, 20_000)) return '“rate” is not between 0 and 20000';
  if (runs !== undefined && !isWhole(runs, 1, 10_000)) return '“runs” is not between 1 and 10000';
  return undefined;
}

function isStrings(value: unknown): boolean {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

function isStringMap(value: unknown): boolean {
  return typeof value === 'object' && value !== null && isStrings(Object.values(value));
}

function isWhole(value: unknown, least: number, greatest: number): boolean {
  return typeof value === 'number' && Number.isInteger(value) && value >= least && value <= greatest;
}

export interface Surroundings {
  readonly folder: string | undefined; // the task's workspace folder
  readonly folders: Readonly<Record<string, string>>; // by name
  readonly home: string;
  readonly environment: Readonly<Record<string, string | undefined>>;
  readonly isLiteral?: boolean; // the texts were not written by a person: variables in them are not expanded
}

// The variables of tasks.json that name folders; others stay as they are.
export function expandVariables(text: string, { folder, folders, home, environment, isLiteral }: Surroundings): string {
  if (isLiteral === true) return text;
  return text.replace(/\$\{([^}]*)\}/g, (whole, name: string) => {
    if (name === 'workspaceFolder') return folder ?? whole;
    if (name === 'userHome') return home;
    if (name === 'pathSeparator' || name === '/') return '/';
    if (name.startsWith('workspaceFolder:')) return folders[name.slice('workspaceFolder:'.length)] ?? whole;
    if (name.startsWith('env:')) return environment[name.slice('env:'.length)] ?? '';
    return whole;
  });
}

// What Visual Studio Code itself replaces in the words of every process that a task starts; `${command:…}` runs a command.
// It knows no escape.
const editorVariable =
  /\$\{(?:[A-Za-z]+:[^}]*|\/|userHome|pathSeparator|cwd|exec\w+|workspace\w*|file\w*|relativeFile\w*|selectedText|lineNumber|columnNumber|extensionInstallFolder|defaultBuildTask)\}/;

// Why words that are to be taken as they are cannot be; undefined if they can.
export function literalDefect(command: RecordCommand): string | undefined {
  for (const text of [...command.arguments, command.cwd, ...Object.values(command.environment)]) {
    const found = editorVariable.exec(text);
    if (found !== null) return `Visual Studio Code would replace ${found[0]} in its words; run it in a terminal by gprof-lsp record`;
  }
  return undefined;
}

// A relative path starts at the workspace folder; so does a bare name, which is never looked up in PATH.
export function pathOf(text: string, surroundings: Surroundings): string {
  const expanded = expandVariables(text, surroundings);
  const path = expanded.startsWith('~/') ? join(surroundings.home, expanded.slice(2)) : expanded;
  return normalize(isAbsolute(path) ? path : join(surroundings.folder ?? surroundings.home, path));
}

export interface RecordCommand {
  readonly program: string;
  readonly arguments: readonly string[]; // of gprof-lsp
  readonly cwd: string;
  readonly environment: Readonly<Record<string, string>>;
}

export function recordCommand(definition: RecordDefinition, surroundings: Surroundings, output: string): RecordCommand {
  const program = pathOf(definition.program, surroundings);
  const expand = (text: string): string => expandVariables(text, surroundings);
  const { stacks, rate, wait, live, runs } = definition;
  return {
    program,
    arguments: [
      'record',
      `--output=${output}`,
      `--summary=${summaryIn(output)}`,
      '--keep-executable',
      ...(stacks === undefined ? [] : [stacks ? '--stacks' : '--no-stacks']),
      ...(rate === undefined ? [] : [`--rate=${rate}`]),
      ...(wait === true ? ['--wait'] : []),
      ...(live === true ? ['--live'] : []),
      ...(runs === undefined || runs === 1 ? [] : [`--runs=${runs}`]),
      '--',
      program,
      ...(definition.arguments ?? []).map(expand),
    ],
    cwd: pathOf(definition.cwd ?? '.', surroundings),
    environment: Object.fromEntries(Object.entries(definition.environment ?? {}).map(([name, value]) => [name, expand(value)])),
  };
}

// What is sampled of a running process ends by itself after this, if nobody stops it.
const longestAttachment = 600; // seconds

export function attachArguments(
  process: number,
  { stacks, rate }: Pick<RecordDefinition, 'stacks' | 'rate'>,
  output: string,
): string[] {
  return [
    'record',
    `--output=${output}`,
    `--summary=${summaryIn(output)}`,
    '--keep-executable',
    `--pid=${process}`,
    `--time=${longestAttachment}`,
    ...(stacks === undefined ? [] : [stacks ? '--stacks' : '--no-stacks']),
    ...(rate === undefined ? [] : [`--rate=${rate}`]),
  ];
}

// Where the recorder says how the run ended.
export function summaryIn(output: string): string {
  return join(output, 'summary.json');
}

export interface RecordedRun {
  readonly output: string;
  readonly program: string;
  readonly arguments: readonly string[]; // of the program
}

// What one of our command lines records, and where to.
export function recordedRun(words: readonly string[]): RecordedRun | undefined {
  const [first, second] = words;
  const [program, ...rest] = words.slice(words.indexOf('--') + 1);
  if (first !== 'record' || second?.startsWith('--output=') !== true || program === undefined) return undefined;
  return { output: second.slice('--output='.length), program, arguments: rest };
}

// The profile among the files of a run: the sum of many, else the program's own, else that of a process; a recording of
// a process that was running already.
export function profileAmong(files: readonly string[]): string | undefined {
  const own = files.filter((name) => !/^gmon\.live\.|\.gpx$|\.so(\.|$)/.test(name)).sort();
  return own.find((name) => name === 'gmon.sum') ?? own.find((name) => name === 'gmon.out') ?? own.find((name) => /^gmon\.out\.\d+$/.test(name))
    ?? own.find((name) => name === 'perf.data');
}

// A pattern that matches only this path.
export function patternOf(path: string): string {
  return path.replace(/[\\*?[\]{}]/g, '\\$&');
}
