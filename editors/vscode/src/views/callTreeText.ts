// The call tree's texts for a function and the calls it was reached by.
import type { ListFigures } from '../figures/columns';
import { figuresBefore } from '../figures/columns';
import { exactCount, sampledTime, shortCount } from '../figures/numbers';
import { nameInTree } from '../figures/shortNames';
import type { CallTreeNode, TreeDirection } from './callTreeModel';

function timeText(time: number, error: number | undefined, figures: ListFigures): string {
  return sampledTime(time, error, figures.scale, figures.unit);
}

function times(count: number): string {
  return `${exactCount(count)} ${count === 1 ? 'time' : 'times'}`;
}

export function labelOf({ node, arc }: CallTreeNode, figures: ListFigures): string {
  const { selfSeconds, childSeconds } = arc ?? node;
  return figuresBefore(selfSeconds + childSeconds, figures) + nameInTree(node.name);
}

export function descriptionOf({ node, arc }: CallTreeNode): string {
  const { calls } = arc ?? node;
  return calls > 0 ? `${shortCount(calls)}×` : '';
}

export function tooltipOf({ node, arc, recursive }: CallTreeNode, figures: ListFigures, direction: TreeDirection): string {
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
  return [node.name, ...lines].join('\n');
}
