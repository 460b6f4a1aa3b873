// Figures as text, beyond those of lines: times from hours to nanoseconds with their errors, and differences to a
// base. Sampled times are shown with their error, and times without samples as an upper bound.
import { unsampledText } from '../annotations/numbers';
import type { SampleScale } from '../annotations/numbers';
import type { Difference } from '../server/protocol';

export type { SampleScale } from '../annotations/numbers';
export { exactCount, percent as shareText, scaleOf, shortCount } from '../annotations/numbers';

// The unit in which a time is best read, and the factor to convert to it.
function timeUnit(time: number, unit: string): { factor: number; name: string; digits: number } {
  if (unit !== 'seconds') return { factor: 1, name: ` ${unit}`, digits: time >= 100 ? 0 : 2 };
  if (time >= 100) return { factor: 1, name: ' s', digits: 1 };
  if (time >= 0.0995) return { factor: 1, name: ' s', digits: 2 };
  if (time >= 1e-3) return { factor: 1e3, name: ' ms', digits: time >= 0.00995 ? 0 : 1 };
  if (time >= 1e-6) return { factor: 1e6, name: ' µs', digits: 1 };
  return { factor: 1e9, name: ' ns', digits: 1 };
}

export function timeText(time: number, unit = 'seconds'): string {
  if (time === 0) return '0';
  const scale = timeUnit(Math.abs(time), unit);
  return `${(time * scale.factor).toFixed(scale.digits)}${scale.name}`;
}

// "1.05 s ±0.10 s": the error in its own unit, with two digits.
export function timeWithError(time: number, error: number | undefined, unit = 'seconds'): string {
  if (error === undefined || error === 0) return timeText(time, unit);
  const scale = timeUnit(Math.max(Math.abs(time), error), unit);
  const scaledError = error * scale.factor;
  const digits = scaledError >= 9.5 ? 0 : scale.digits;
  return `${(time * scale.factor).toFixed(digits)} ±${scaledError.toFixed(digits)}${scale.name}`;
}

// A sampled time: less than one sample is shown as an upper bound.
export function sampledTime(time: number, error: number | undefined, scale: SampleScale, unit = 'seconds'): string {
  return unsampledText(time, scale, unit) ?? timeWithError(time, error, unit);
}

const verdictWords: Record<Difference['verdict'], string> = {
  regressed: 'slower',
  improved: 'faster',
  noise: 'within the noise',
  new: 'new',
  gone: 'gone',
};

// "+0.12 s ±0.05 s, slower".
export function differenceText(difference: Difference, unit = 'seconds'): string {
  const sign = difference.difference > 0 ? '+' : '';
  const figure = timeWithError(difference.difference, difference.error, unit);
  return `${sign}${figure}, ${verdictWords[difference.verdict]}`;
}

// One mark for a column: the direction, and whether it is more than noise.
export function differenceMark(difference: Difference): string {
  const marks = { regressed: '▲', improved: '▼', noise: '≈', new: '＋', gone: '－' };
  return marks[difference.verdict];
}
