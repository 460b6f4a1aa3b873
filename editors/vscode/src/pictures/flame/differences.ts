// How strongly a frame's difference from the base is coloured, and what is said of it. Pure.
import { timeText, timeWithError, verdictText } from '../../figures/numbers';
import type { FlameFrame, FlameTree } from './tree';

// A difference of this share of the whole has the full colour.
const fullShare = 0.25;

// From -1, much less than in the base, to 1, much more; 0 for noise, and where the base's time is not known.
export function strengthOf(frame: FlameFrame, tree: FlameTree): number {
  const { difference } = frame;
  const root = tree.frames[0];
  if (difference === undefined || difference.verdict === 'noise' || root === undefined) return 0;
  const whole = Math.max(root.difference?.baseSeconds ?? 0, root.total);
  if (!(whole > 0)) return 0;
  return Math.sign(difference.difference) * Math.sqrt(Math.min(1, Math.abs(difference.difference) / whole / fullShare));
}

// "▲ " before the names of frames that take more: colours alone do not tell everyone.
export function markOf(frame: FlameFrame): string {
  const verdict = frame.difference?.verdict;
  return verdict === 'regressed' ? '▲ ' : verdict === 'improved' ? '▼ ' : '';
}

// "before 0.51 s, now 0.77 s: +0.26 ±0.04 s", of one run; and the callees that are gone.
export function differenceParts(frame: FlameFrame, unit: string): string[] {
  const { difference, gone = [] } = frame;
  if (difference === undefined) return ['not known in the base'];
  const { baseSeconds, difference: change, error, verdict } = difference;
  const figure = `${change > 0 ? '+' : ''}${timeWithError(change, error, unit)}`;
  const noise = verdict === 'noise' ? `, ${verdictText(difference)}` : '';
  return [
    `before ${timeText(baseSeconds, unit)}, now ${timeText(baseSeconds + change, unit)}: ${figure}${noise}`,
    ...(gone.length === 0 ? [] : [`only in the base: ${gone.map(({ name, seconds }) => `${name} ${timeText(seconds, unit)}`).join(', ')}`]),
  ];
}
