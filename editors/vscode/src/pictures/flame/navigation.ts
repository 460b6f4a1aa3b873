// Where the arrow keys go from a frame: to its caller, to the callee with the most time, and along its row. Only to
// drawn frames.
import type { FlameBox } from './layout';
import type { FlameTree } from './tree';

export type FlameStep = 'caller' | 'callee' | 'left' | 'right';

export function frameBeside(
  tree: FlameTree, rows: readonly (readonly FlameBox[] | undefined)[], from: number, step: FlameStep,
): number | undefined {
  const frame = tree.frames[from];
  if (frame === undefined) return undefined;
  if (step === 'caller') return frame.parent >= 0 ? frame.parent : undefined;
  const isDrawn = (id: number | undefined): boolean =>
    (rows[tree.frames[id ?? -1]?.depth ?? -1] ?? []).some((box) => box.frame === id);
  if (step === 'callee') {
    const first = frame.children[0];
    return isDrawn(first) ? first : undefined;
  }
  const row = (rows[frame.depth] ?? []).filter((box) => box.frame >= 0);
  const index = row.findIndex((box) => box.frame === from);
  if (index < 0) return undefined;
  return row[step === 'left' ? index - 1 : index + 1]?.frame;
}
