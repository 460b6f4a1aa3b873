// What the list of runs says of each. Pure.
import { age } from '../figures/numbers';
import type { RunSummary } from '../server/protocol';
import { lineOf } from './words';

export interface Run {
  readonly time: Date;
  readonly arguments?: readonly string[]; // undefined if not known
  readonly summary?: RunSummary; // undefined if the recorder was killed
  readonly size: number; // bytes, of all files of the run
  readonly isOfOlderBuild: boolean;
  readonly isShown: boolean;
}

export interface RunRow {
  readonly label: string;
  readonly description: string;
  readonly detail: string;
}

export function rowOf(run: Run, now: number): RunRow {
  const { summary } = run;
  return {
    label: run.time.toLocaleString(),
    description: joined(age(now - run.time.getTime()), run.isShown ? 'shown now' : ''),
    detail: joined(
      run.arguments === undefined ? '' : run.arguments.length === 0 ? 'no arguments' : lineOf(run.arguments),
      summary?.headline ?? summary?.times ?? '',
      summary?.signal ?? '',
      summary?.status === undefined || summary.status === 0 ? '' : `status ${summary.status}`,
      run.isOfOlderBuild ? 'older build' : '',
      sizeText(run.size),
    ),
  };
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

// 1,536 is 1.5 KiB.
export function sizeText(bytes: number): string {
  if (bytes < 1024) return `${bytes} bytes`;
  const units = ['KiB', 'MiB', 'GiB'];
  let size = bytes / 1024;
  let unit = 0;
  while (size >= 1024 && unit + 1 < units.length) {
    size /= 1024;
    unit += 1;
  }
  return `${size.toFixed(size < 10 ? 1 : 0)} ${units[unit]}`;
}
