// Figures as text: counts, times with their error, shares, and differences to a base. Counts are exact or
// plainly abbreviated; what was sampled is shown with its error, and less than one sample is said to be that.
import type { Difference } from '../server/protocol';

const thousands = (digits: string): string => digits.replace(/\B(?=(\d{3})+$)/g, '\u202f');

export function exactCount(count: number): string {
  return thousands(String(count));
}

// 999, 26.3k, 4.1M: three digits at most, and never rounded up into another unit's 1000.
export function shortCount(count: number): string {
  if (count < 1000) return String(count);
  const units = ['k', 'M', 'G', 'T', 'P'];
  let value = count / 1000;
  let unit = 0;
  while (value >= 999.5 && unit < units.length - 1) {
    value /= 1000;
    unit += 1;
  }
  const text = value >= 99.95 ? value.toFixed(0) : value.toFixed(1);
  return `${text}${units[unit] ?? ''}`;
}

// The unit in which a time of the profile is best read, and by what to multiply it.
function scaleOf(time: number, unit: string): { factor: number; name: string; digits: number } {
  if (unit !== 'seconds') return { factor: 1, name: ` ${unit}`, digits: time >= 100 ? 0 : 2 };
  if (time >= 100) return { factor: 1, name: ' s', digits: 1 };
  if (time >= 1) return { factor: 1, name: ' s', digits: 2 };
  if (time >= 1e-3) return { factor: 1e3, name: ' ms', digits: time >= 0.1 ? 0 : 1 };
  if (time >= 1e-6) return { factor: 1e6, name: ' µs', digits: 1 };
  return { factor: 1e9, name: ' ns', digits: 1 };
}

export function timeText(time: number, unit = 'seconds'): string {
  if (time === 0) return '0';
  const scale = scaleOf(Math.abs(time), unit);
  return `${(time * scale.factor).toFixed(scale.digits)}${scale.name}`;
}

// "1.05 s ±0.10 s": the error in its own unit, with two digits of it.
export function timeWithError(time: number, error: number | undefined, unit = 'seconds'): string {
  if (error === undefined || error === 0) return timeText(time, unit);
  const scale = scaleOf(Math.max(Math.abs(time), error), unit);
  const scaledError = error * scale.factor;
  const digits = scaledError >= 10 ? 0 : Math.min(3, Math.max(scale.digits, scaledError >= 1 ? 1 : 2));
  return `${(time * scale.factor).toFixed(digits)} ±${scaledError.toFixed(digits)}${scale.name}`;
}

// A time that samples tell of: fewer than one of them is not a figure.
export function sampledTime(time: number, sample: number | undefined, unit = 'seconds'): string {
  if (sample === undefined) return timeText(time, unit);
  if (time < sample * 0.999) return time > 0 ? '< 1 sample' : '0';
  return timeWithError(time, Math.sqrt(time * sample), unit);
}

export function shareText(share: number): string {
  const percent = share * 100;
  if (percent === 0) return '0%';
  if (percent < 0.01) return '< 0.01%';
  return `${percent.toFixed(percent < 1 ? 2 : 1)}%`;
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

// One mark for a column: it says which way, and whether that is more than noise.
export function differenceMark(difference: Difference): string {
  const marks = { regressed: '▲', improved: '▼', noise: '≈', new: '＋', gone: '－' };
  return marks[difference.verdict];
}
