// The call tree's texts for a function and the calls it was reached by.
import type { ListFigures } from '../figures/columns';
import { figuresBefore } from '../figures/columns';
import { exactCount, sampledTime, shortCount } from '../figures/numbers';
import { nameInTree } from '../figures/shortNames';
import { metricColumn, valueIn, valuesText } from '../metrics/text';
import type { CallTreeNode, TreeDirection } from './callTreeModel';
import type { FunctionValues } from './functionValues';
import { noValues } from './functionValues';

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

// "26.3k× · Ir 1.24M": calls, then the function's own cost by each metric that was chosen.
export function descriptionOf({ node, arc }: CallTreeNode, { metrics, of }: FunctionValues = noValues): string {
  const { calls } = arc ?? node;
  const values = of(node.linkageName);
  const chosen = metrics.flatMap((metric) => {
    const value = values?.[metric.name]?.self;
    if (value === undefined) return [];
    const column = metricColumn(metric, [value]);
    return [`${metric.name} ${valueIn(value, column)}${metric.unit === 'seconds' ? ` ${column.unit.name}` : ''}`];
  });
  return [...(calls > 0 ? [`${shortCount(calls)}×`] : []), ...chosen].join(' · ');
}

export function tooltipOf(
  { node, arc, recursive }: CallTreeNode, figures: ListFigures, direction: TreeDirection, { metrics, of }: FunctionValues = noValues,
): string {
  const lines = [
    `In all ${timeText(node.selfSeconds + node.childSeconds, node.totalError, figures)}, `
    + `itself ${timeText(node.selfSeconds, undefined, figures)}${node.calls > 0 ? `, called ${times(node.calls)}` : ''}`,
  ];
  if (arc !== undefined) {
    const way = direction === 'callers' ? 'from here' : 'from above';
    lines.unshift(`Called ${way}${arc.calls > 0 ? ` ${times(arc.calls)}` : ''}: `
      + timeText(arc.selfSeconds + arc.childSeconds, arc.error, figures));
  }
  lines.push(...valuesText(metrics, of(node.linkageName)));
  if (node.recursiveCalls > 0) lines.push(`Called by itself ${times(node.recursiveCalls)} more`);
  if (node.cycle !== undefined) lines.push(`Part of cycle ${node.cycle}`);
  if (recursive) lines.push('It stands above already.');
  return [node.name, ...lines].join('\n');
}
