// In which order running processes are offered, and what their rows say. Pure.
import { basename } from 'node:path';
import { lineOf } from './words';

export interface RunningProcess {
  readonly id: number;
  readonly program: string; // path of its executable
  readonly words: readonly string[]; // its command line
}

export interface ProcessRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

const longestDetail = 200;
// What Linux appends to the path of an executable that a build has replaced.
const replaced = ' (deleted)';

export function programOf(link: string): string {
  return link.endsWith(replaced) ? link.slice(0, -replaced.length) : link;
}

// The workspace's programs first, then the others; the newest first in both, as numbers grow until they wrap around.
export function processesInOrder(
  processes: readonly RunningProcess[],
  isOfWorkspace: (program: string) => boolean,
): RunningProcess[] {
  return [...processes].sort((a, b) =>
    Number(isOfWorkspace(b.program)) - Number(isOfWorkspace(a.program)) || b.id - a.id);
}

export function rowOfProcess({ id, program, words }: RunningProcess): ProcessRow {
  const line = lineOf(words);
  return {
    label: basename(program),
    description: `process ${id}`,
    detail: line.length > longestDetail ? `${line.slice(0, longestDetail)}…` : line,
  };
}

// The command line as the kernel has it: each word ends with a zero.
export function wordsOfCommandLine(text: string): string[] {
  const words = text.split('\0');
  if (words.at(-1) === '') words.pop();
  return words;
}
