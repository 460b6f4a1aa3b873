// What the toast says about a run that has ended. Pure.
import { basename } from 'node:path';
import type { RunSummary } from '../server/protocol';

// Of a run whose recorder was killed nothing is known but its profile.
export function describeOutcome(program: string, summary: RunSummary | undefined): string {
  const name = basename(program);
  if (summary === undefined) return `The recorder of ${name} was killed; what was counted until then was kept.`;
  const { signal, status, times, figures, remarks } = summary;
  const took = [times, figures].filter((text) => text !== undefined).join('; ');
  const end = signal !== undefined ? `was killed by ${signal}; its profile was kept`
    : status !== undefined && status !== 0 ? `ended with status ${status}`
    : undefined;
  const first = end === undefined ? `${name} ${took}` : `${name} ${end}: ${took}`;
  return [first, ...remarks.slice(0, 1).map(capitalised)].map((sentence) => `${sentence}.`).join(' ');
}

export function describeFailure(program: string, summary: RunSummary | undefined): string {
  const name = basename(program);
  if (summary === undefined) return `Profile: the recorder of ${name} was killed before anything was counted.`;
  return `${capitalised(summary.problem ?? `${name} left no profile`)}. See the terminal.`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
