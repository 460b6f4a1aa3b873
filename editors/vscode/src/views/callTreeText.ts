// The call tree's texts for a function and the calls it was reached by.
import { exactCount, sampledTime, shareText, shortCount } from '../figures/numbers';
import type { CallTreeNode, TreeDirection } from './callTreeModel';
import type { ProgramFigures } from './programFigures';

function timeText(time: number, error: number | undefined, figures: ProgramFigures): string {
  return sampledTime(time, error, figures.scale, figures.unit);
}

function times(count: number): string {
  return `${exactCount(count)} ${count === 1 ? 'time' : 'times'}`;
}

export function descriptionOf({ node, arc }: CallTreeNode, figures: ProgramFigures): string {
  const time = (arc ?? node).selfSeconds + (arc ?? node).childSeconds;
  const share = figures.seconds > 0 ? `${shareText(Math.min(1, time / figures.seconds))} · ` : '';
  const { calls } = arc ?? node;
  return `${share}${timeText(time, undefined, figures)}${calls > 0 ? ` · ${shortCount(calls)}×` : ''}`;
}

export function tooltipOf({ node, arc, recursive }: CallTreeNode, figures: ProgramFigures, direction: TreeDirection): string {
  const lines = [
    `In all ${timeText(node.selfSeconds + node.childSeconds, node.totalError, figures)}, `
    + `itself ${timeText(node.selfSeconds, undefined, figures)}, called ${times(node.calls)}`,
  ];
  if (arc !== undefined) {
    const way = direction === 'callers' ? 'from here' : 'from above';
    lines.unshift(`Called ${way} ${times(arc.calls)}: `
      + timeText(arc.selfSeconds + arc.childSeconds, arc.error, figures));
  }
  if (node.recursiveCalls > 0) lines.push(`Called by itself ${times(node.recursiveCalls)} more`);
  if (node.cycle !== undefined) lines.push(`Part of cycle ${node.cycle}`);
  if (recursive) lines.push('It stands above already.');
  return lines.join('\n');
}
