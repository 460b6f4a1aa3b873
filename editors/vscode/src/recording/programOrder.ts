// In which order programs are offered. Pure.
import type { ProgramFacts } from './elf';

export interface FoundExecutable extends ProgramFacts {
  readonly path: string;
  readonly counts: boolean; // its calls: it was built with -pg
  readonly modified: number; // milliseconds since the epoch
}

// Those whose figures have lines first, the newest at the top. What is installed or packaged is a copy of what was
// built, later and often without debug information: only the best of each build stays.
export function inOrder(found: readonly FoundExecutable[]): FoundExecutable[] {
  const builds = new Map<string, FoundExecutable>();
  for (const one of found) {
    const key = one.buildId ?? `path ${one.path}`;
    const best = builds.get(key);
    if (best === undefined || isBetterCopy(one, best)) builds.set(key, one);
  }
  return [...builds.values()].sort((a, b) =>
    Number(b.hasLines) - Number(a.hasLines) || b.modified - a.modified || a.path.localeCompare(b.path));
}

function isBetterCopy(a: FoundExecutable, b: FoundExecutable): boolean {
  if (a.hasLines !== b.hasLines) return a.hasLines;
  const [depthOfA, depthOfB] = [a, b].map(({ path }) => path.split('/').length);
  return depthOfA === depthOfB ? a.path < b.path : (depthOfA ?? 0) < (depthOfB ?? 0);
}
