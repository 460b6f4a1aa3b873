// The metrics that lines and functions are shown and coloured by, and their names.
import type { Metric } from '../server/protocol';

export const metrics: readonly Metric[] = ['calls', 'executions', 'self', 'total'];

export const metricTitles: Readonly<Record<Metric, string>> = {
  calls: 'Calls',
  executions: 'Executions',
  self: 'Self time',
  total: 'Total time',
};

export const metricDescriptions: Readonly<Record<Metric, string>> = {
  calls: 'how often functions were called from a line',
  executions: 'how often a line ran, where the program was built to count that',
  self: 'time spent in the line itself',
  total: 'time of the line with everything it called',
};

export function isMetric(value: unknown): value is Metric {
  return metrics.some((metric) => metric === value);
}
