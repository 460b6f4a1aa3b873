// What is said about a run that has ended: one short line, and the rest on demand. Pure.
import { basename } from 'node:path';
import { shareText } from '../figures/numbers';
import { letters, shortName } from '../figures/shortNames';
import type { RunSummary } from '../server/protocol';
import { lettersInToast } from '../status/toastText';

const lettersOfFunction = 30;

// How a user or a system asks a program to end; whoever pressed a button does not need the signal's name.
const requests: ReadonlySet<string> = new Set(['SIGHUP', 'SIGINT', 'SIGTERM']);

export interface HottestFunction {
  readonly name: string;
  readonly share: number; // of the program's time, its own
}

// The most important sentences that fit. If the recorder was killed, nothing is known but the profile.
export function describeOutcome(program: string, summary: RunSummary | undefined, hottest?: HottestFunction): string {
  const name = basename(program);
  if (summary === undefined) return `The recorder of ${name} was killed; what was counted until then was kept.`;
  const { headline } = summary;
  const end = endOf(summary);
  const first = end !== undefined ? `${name} ${end}.` : `${name}: ${headline ?? 'recorded'}.`;
  const function_ = hottest === undefined ? undefined
    : `Hottest: ${shortName(hottest.name, letters(lettersOfFunction))} ${shareText(hottest.share)}.`;
  const time = end !== undefined && headline !== undefined ? `${headline}.` : undefined;
  return [time, function_].reduce<string>((text, more) => {
    const longer = more === undefined ? text : `${text} ${more}`;
    return longer.length <= lettersInToast ? longer : text;
  }, first);
}

// Everything that the recorder said, a paragraph each.
export function detailsOf(summary: RunSummary): string[] {
  const { times, figures, remarks } = summary;
  return [times, figures, ...remarks].filter((text) => text !== undefined).map((text) => `${capitalised(text)}.`);
}

// What else the recorder said is in a terminal, or in the log.
export type WhereSaid = 'terminal' | 'log';

export function describeFailure(program: string, summary: RunSummary | undefined, where: WhereSaid = 'terminal'): string {
  const name = basename(program);
  if (summary === undefined) return `Profile: the recorder of ${name} was killed before anything was counted.`;
  return `${capitalised(summary.problem ?? `${name} left no profile`)}.${where === 'terminal' ? ' See the terminal.' : ''}`;
}

// Undefined if the program ended as it should.
function endOf({ signal, status, crash }: RunSummary): string | undefined {
  if (signal !== undefined && crash !== undefined) return `was killed by ${signal} at ${basename(crash.path)}:${crash.line}`;
  if (signal !== undefined) {
    return `was ${requests.has(signal) ? 'terminated' : `killed by ${signal}`}; its profile was kept`;
  }
  return status === undefined || status === 0 ? undefined : `ended with status ${status}`;
}

function capitalised(text: string): string {
  return text.charAt(0).toUpperCase() + text.slice(1);
}
