// What a toast says of a message: one short line. Pure.
import { basename } from 'node:path';

export const lettersInToast = 80;
// A message is not cut at the end of a clause that is shorter than this.
const leastLetters = 25;

// VS Code turns "[text](address)" in a message into a link, even one that runs a command. Names from a profile must not
// become links.
export function withoutLinks(text: string): string {
  return text.replaceAll('](', '] (');
}

// The first line, cut after the last clause that fits. Paths are shortened to the names of their files; no links.
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
