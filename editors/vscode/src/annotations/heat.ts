// From heat to one of five colours. Pure.
import type { LineData, Metric } from '../server/protocol';

// 0 is uncoloured; 5 is the hottest.
export type HeatLevel = 0 | 1 | 2 | 3 | 4 | 5;
export const heatLevels = [1, 2, 3, 4, 5] as const;

// Where a level begins. The heat of a time is the square root of its share: 0.5, 3, 10, 25 and 50 percent of the
// program. That of a count is a logarithm: most lines that run at all are close to its top.
const timeSteps = [0.07, 0.173, 0.316, 0.5, 0.707];
const countSteps = [0.35, 0.55, 0.7, 0.82, 0.93];

export function heatLevel(heat: number, metric: Metric): HeatLevel {
  const steps = metric === 'self' || metric === 'total' ? timeSteps : countSteps;
  return steps.filter((step) => heat >= step).length as HeatLevel;
}

export function lineHeat(line: LineData, metric: Metric): HeatLevel {
  return line.state === 'changed' ? 0 : heatLevel(line.heats[metric], metric);
}
