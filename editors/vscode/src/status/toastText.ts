// What a toast says of a message: one short line. Pure.
import { basename } from 'node:path';

export const lettersInToast = 80;
// Less than this is not worth a clause of its own.
const leastLetters = 25;

// Paths by the names of their files, of the first line as many clauses as fit.
export function toastText(message: string): string {
  const line = (message.split('\n', 1)[0] ?? '').replace(/(?<![\w.:/])(?:\/[^\s/:;,"']+){2,}/g, (path) => basename(path)).trim();
  if (line.length <= lettersInToast) return line;
  const start = line.slice(0, lettersInToast);
  const clause = Math.max(...['. ', '; ', ': ', ', '].map((end) => start.lastIndexOf(end)));
  if (clause >= leastLetters) return `${start.slice(0, clause)}${start[clause] === '.' ? '.' : '…'}`;
  const word = start.lastIndexOf(' ');
  return `${start.slice(0, word >= leastLetters ? word : lettersInToast - 1)}…`;
}
