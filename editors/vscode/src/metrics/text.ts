// Metrics by name, and their figures as text. Pure.
import { metrics as shownFigures, metricDescriptions, metricTitles } from '../annotations/metrics';
import type { TimeUnit } from '../figures/columns';
import { timeIn, unitOfTimes } from '../figures/columns';
import { exactCount, shortCount, timeWithError } from '../figures/numbers';
import type { MetricDescription, MetricValues } from '../server/protocol';

type Metrics = readonly MetricDescription[];

// "Page faults (page-faults)" is told by its label alone; a metric that the profile has not, by its name.
export function titleOfMetric(name: string, metrics: Metrics): string {
  return metricTitles[name] ?? metrics.find((metric) => metric.name === name)?.label ?? name;
}

// Those that are not among the figures which every profile has.
export function ownMetrics(metrics: Metrics): MetricDescription[] {
  return metrics.filter(({ name }) => !shownFigures.includes(name));
}

// The figures of each profile; counts only where it has them. Without metrics it is not known what it has.
function figuresOf(metrics: Metrics): readonly string[] {
  const isThere = (name: string): boolean => metrics.length === 0 || metrics.some((metric) => metric.name === name);
  return shownFigures.filter((name) => (name !== 'calls' && name !== 'executions') || isThere(name));
}

// Its figures, then its own metrics but the first of cost: that is what times are of.
export function metricsInTurn(metrics: Metrics): string[] {
  const own = ownMetrics(metrics);
  const first = own.find(({ kind }) => kind !== 'derived');
  return [...figuresOf(metrics), ...own.filter((metric) => metric !== first).map(({ name }) => name)];
}

// What the costs in views are of: the metric that is shown or, where that is a figure of each profile, the first of cost.
export function titleOfCosts(current: string, metrics: Metrics): string {
  const costs = ownMetrics(metrics).filter(({ kind }) => kind !== 'derived');
  return (costs.find(({ name }) => name === current) ?? costs[0])?.label ?? 'Time';
}

export function metricAfter(current: string, metrics: Metrics): string {
  const all = metricsInTurn(metrics);
  return all[(all.indexOf(current) + 1) % all.length] ?? 'time';
}

// "1.84 ±0.14 s", "1,234 events", "0.0123 misses".
export function valueText(value: number, error: number | undefined, unit: string): string {
  if (unit === 'seconds') return timeWithError(value, error, unit);
  const figure = numberText(value);
  const spread = error === undefined || error === 0 ? '' : ` ±${numberText(error)}`;
  return `${figure}${spread} ${unit}`.trimEnd();
}

function numberText(value: number): string {
  if (Math.abs(value) >= 1_000 || Number.isInteger(value)) return exactCount(value);
  return String(Number(value.toPrecision(3)));
}

export interface MetricItem {
  readonly isShown: boolean;
  readonly label: string;
  readonly description: string;
  readonly detail: string;
  readonly metric: string;
}

function amountOf({ unit, total, totalError }: MetricDescription): string {
  return total === undefined ? unit : valueText(total, totalError, unit);
}

function joined(...parts: readonly string[]): string {
  return parts.filter((part) => part !== '').join(' · ');
}

// What to choose from: the figures that every profile has, and the metrics of this one, with their totals and units.
export function metricItems(current: string, metrics: Metrics): { readonly figures: MetricItem[]; readonly own: MetricItem[] } {
  const now = (name: string): string => (name === current ? 'shown now' : '');
  const described = (name: string): string => {
    const known = metrics.find((metric) => metric.name === name);
    return known === undefined ? '' : amountOf(known);
  };
  return {
    figures: figuresOf(metrics).map((name) => ({
      isShown: name === current,
      label: metricTitles[name] ?? name, description: joined(described(name), now(name)),
      detail: metricDescriptions[name] ?? '', metric: name,
    })),
    own: ownMetrics(metrics).map((metric) => ({
      isShown: metric.name === current,
      label: metric.label === metric.name || metric.label.startsWith(`${metric.name}:`) ? metric.label : `${metric.label} (${metric.name})`,
      description: joined(amountOf(metric), now(metric.name)),
      detail: metric.kind === 'derived' ? `= ${metric.origin}` : metric.origin,
      metric: metric.name,
    })),
  };
}

// A metric as a column: its figures in one unit.
export interface MetricColumn {
  readonly metric: MetricDescription;
  readonly unit: TimeUnit;
  readonly isWhole: boolean; // all of its figures are whole numbers
}

export function metricColumn(metric: MetricDescription, values: readonly number[]): MetricColumn {
  let largest = 0;
  let isWhole = true;
  for (const value of values) {
    largest = Math.max(largest, Math.abs(value));
    isWhole &&= Number.isInteger(value);
  }
  if (metric.unit === 'seconds') return { metric, unit: unitOfTimes(largest, metric.unit, {}), isWhole: false };
  const digits = isWhole || largest === 0 ? 0 : Math.min(6, Math.max(0, 2 - Math.floor(Math.log10(largest))));
  return { metric, unit: { name: metric.unit, factor: 1, digits }, isWhole };
}

export function valueIn(value: number, { unit, isWhole }: MetricColumn): string {
  return isWhole ? shortCount(value) : timeIn(value, unit);
}

// "Ir", "cpu (ms)".
export function columnTitle({ metric, unit }: MetricColumn): string {
  return metric.unit === 'seconds' ? `${metric.name} (${unit.name})` : metric.name;
}

// "page-faults: 1,234 ±35 events itself, 2,000 events in all".
export function valuesText(metrics: Metrics, values: Readonly<Record<string, MetricValues>> | undefined): string[] {
  return metrics.flatMap((metric) => {
    const value = values?.[metric.name];
    if (value === undefined) return [];
    const itself = valueText(value.self, value.selfError, metric.unit);
    if (value.total === undefined || value.total === value.self) return [`${metric.name}: ${itself}`];
    return [`${metric.name}: ${itself} itself, ${valueText(value.total, value.totalError, metric.unit)} in all`];
  });
}
