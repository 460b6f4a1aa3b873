// What a toast says of a message: one short line. Pure.
import { basename } from 'node:path';

export const lettersInToast = 80;
// Less than this is not worth a clause of its own.
const leastLetters = 25;

// Toasts make links of "[text](address)", those that run a command included: no name of a profile is to do that.
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

// Paths by the names of their files, of the first line as many clauses as fit; without links.
export function toastText(message: string): string {
  const first = withoutLinks(message.split('\n', 1)[0] ?? '');
  const line = first.replace(/(?<![\w.:/])(?:\/[^\s/:;,"']+){2,}/g, (path) => basename(path)).trim();
  if (line.length <= lettersInToast) return line;
  const start = line.slice(0, lettersInToast);
  const clause = Math.max(...['. ', '; ', ': ', ', '].map((end) => start.lastIndexOf(end)));
  if (clause >= leastLetters) return `${start.slice(0, clause)}${start[clause] === '.' ? '.' : '…'}`;
  const word = start.lastIndexOf(' ');
  return `${start.slice(0, word >= leastLetters ? word : lettersInToast - 1)}…`;
}
