// The text at the end of a line: a count, a time and its share, in cells of fixed width so that figures line up. Pure.
import type { LineData, Metric, TimeBasis } from '../server/protocol';
import { amount, amountWithError, percent, shortCount, signedAmount, unsampledText } from './numbers';
import type { SampleScale } from './numbers';

export interface LineTextOptions {
  readonly metric: Metric;
  readonly threshold: number;
  readonly basis: TimeBasis | undefined;
  readonly unit: string;
  readonly scale: SampleScale;
  readonly withErrors: boolean;
}

const countWidth = 8;
const errorWidth = 14;
const plainWidth = 9;
const shareWidth = 7;
// The editor drops blanks at the ends of decorations, but not these.
const blank = '\u00a0';

// Empty if there is nothing to show.
export function lineText(line: LineData, options: LineTextOptions): string {
  if (line.state === 'changed') return padded('changed', countWidth);
  const mark = line.state === 'approximate' ? '≈' : '';
  const count = countOf(line, options.metric);
  const time = timeOf(line, options);
  const difference = differenceOf(line, options.unit);
  if (count === '' && time === undefined && difference === '') return '';
  const timeWidth = options.withErrors ? errorWidth : plainWidth;
  const cells = [
    padded(count === '' ? '' : mark + count, countWidth),
    padded(time?.text ?? '', timeWidth),
    padded(time?.share ?? '', shareWidth),
  ].join('');
  return (difference === '' ? cells : `${cells}  ${difference}`).trimEnd().replaceAll(' ', blank);
}

// Calls that the line makes have an arrow; how often it ran has a times sign.
function countOf(line: LineData, metric: Metric): string {
  const calls = line.calls === undefined ? '' : `→ ${shortCount(line.calls)}`;
  const executions = line.executions === undefined ? '' : `${shortCount(line.executions)}×`;
  if (metric === 'calls') return calls;
  return executions === '' ? calls : executions;
}

interface TimeCell {
  readonly text: string;
  readonly share: string;
}

function timeOf(line: LineData, options: LineTextOptions): TimeCell | undefined {
  const total = options.metric === 'total';
  const value = total ? line.totalSeconds : line.selfSeconds;
  if (value === undefined || value <= 0) return undefined;
  const share = shareOf(total ? line.heats.total : line.heats.self);
  if (share < options.threshold) return undefined;
  // If the line calls nothing that took time, its total is its self time, not an estimate.
  const ownOnly = line.selfSeconds === value;
  const error = total && !ownOnly ? undefined : line.selfError;
  const unsampled = error === undefined ? undefined : unsampledText(value, options.scale, options.unit);
  if (unsampled !== undefined) return { text: unsampled, share: '' };
  const estimated = total && !ownOnly && options.basis === 'estimated' ? '≈' : '';
  const text = options.withErrors ? amountWithError(value, error, options.unit) : amount(value, options.unit, error);
  return { text: estimated + text, share: percent(share) };
}

// The heat of a time is the square root of its share.
function shareOf(heat: number): number {
  return heat * heat;
}

// Against the base: a change within the error is not a difference.
function differenceOf(line: LineData, unit: string): string {
  const difference = line.selfDifference;
  if (difference === undefined || difference.verdict === 'noise') return '';
  const arrow = difference.difference < 0 ? '▼' : '▲';
  return `${arrow} ${signedAmount(difference.difference, unit)}`;
}

function padded(text: string, width: number): string {
  return text.padStart(width, ' ').replaceAll(' ', blank);
}
