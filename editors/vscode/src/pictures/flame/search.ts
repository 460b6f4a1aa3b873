// Which frames a search finds, and their share of the time: frames nested in a match are not counted again.
import type { FlameTree } from './tree';

export interface FlameMatches {
  readonly frames: ReadonlySet<number>;
  readonly functions: number; // different names
  readonly share: number; // of the root's time; 0 to 1
}

export const noMatches: FlameMatches = { frames: new Set(), functions: 0, share: 0 };

// A query with capital letters is case-sensitive.
export function searchFrames(tree: FlameTree, query: string): FlameMatches {
  const wanted = query.trim();
  if (wanted === '') return noMatches;
  const exact = wanted !== wanted.toLowerCase();
  const names = new Map<string, boolean>();
  const matches = (name: string): boolean => {
    let found = names.get(name);
    if (found === undefined) {
      found = (exact ? name : name.toLowerCase()).includes(wanted);
      names.set(name, found);
    }
    return found;
  };
  const frames = new Set<number>();
  let time = 0;
  let countedUntil = 0;
  for (const frame of tree.frames) {
    if (!matches(frame.name)) continue;
    frames.add(frame.id);
    if (frame.id >= countedUntil) {
      time += frame.total;
      countedUntil = frame.end;
    }
  }
  const whole = tree.frames[0]?.total ?? 0;
  const functions = [...names.values()].filter((found) => found).length;
  return { frames, functions, share: whole > 0 ? time / whole : 0 };
}

// The next or previous match from this frame, wrapping around.
export function nextMatch(matches: FlameMatches, from: number, forward: boolean): number | undefined {
  const sorted = [...matches.frames].sort((a, b) => a - b);
  if (forward) return sorted.find((id) => id > from) ?? sorted[0];
  return sorted.reverse().find((id) => id < from) ?? sorted[0];
}
