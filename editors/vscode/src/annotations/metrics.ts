// The figures that every profile has, which lines and functions are shown and coloured by, and their names. Beside them
// there are the metrics of a profile (src/metrics).
import type { Metric } from '../server/protocol';

export const metrics: readonly Metric[] = ['time', 'calls', 'executions', 'self', 'total'];

export const metricTitles: Readonly<Record<string, string | undefined>> = {
  time: 'Time',
  calls: 'Calls',
  executions: 'Executions',
  self: 'Self time',
  total: 'Total time',
};

export const metricDescriptions: Readonly<Record<string, string | undefined>> = {
  time: 'time of the line with what it called, where stacks tell it, else its own; of functions, their own',
  calls: 'how often functions were called from a line',
  executions: 'how often a line ran, where the program was built to count that',
  self: 'time spent in the line itself',
  total: 'time of the line with everything it called, an estimate where there are no stacks',
};

export function isOfTime(metric: Metric): boolean {
  return metric !== 'calls' && metric !== 'executions';
}

// Of each profile: no server rejects it.
export function isShownFigure(value: unknown): value is Metric {
  return metrics.some((metric) => metric === value);
}

// Whether it may be one: which ones there are is known by the profile.
export function isMetric(value: unknown): value is Metric {
  return typeof value === 'string' && value !== '';
}
