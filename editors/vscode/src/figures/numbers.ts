// Counts, times, shares, differences and ages as text: times from hours to nanoseconds with their errors. Sampled times
// are shown with their error, and times without samples as an upper bound. Pure.
import type { Difference } from '../server/protocol';

const countUnits = ['k', 'M', 'G', 'T', 'P', 'E'] as const;

// 26345 is 26,345.
export function exactCount(count: number): string {
  return Math.round(count)
    .toString()
    .replace(/\B(?=(\d{3})+$)/g, ',');
}

// 26345 is 26.3k: three digits from ten thousand on.
export function shortCount(count: number): string {
  if (count < 10_000) return exactCount(count);
  let value = count / 1000;
  let unit = 0;
  // 999.5 would be printed as 1000: it belongs to the next unit.
  while (value >= 999.5 && unit + 1 < countUnits.length) {
    value /= 1000;
    unit += 1;
  }
  const decimals = value < 9.995 ? 2 : value < 99.95 ? 1 : 0;
  return `${value.toFixed(decimals)}${countUnits[unit]}`;
}

export function shareText(share: number): string {
  const value = share * 100;
  if (value <= 0) return '0 %';
  if (value < 0.05) return '<0.1 %';
  return `${value.toFixed(value < 9.95 ? 1 : 0)} %`;
}

// Limits of sampling; neither is set if costs are exact.
export interface SampleScale {
  readonly sampleSeconds?: number; // represented by one sample
  readonly unsampledBelow?: number; // code without samples took less than this
}

// The scale in an answer.
export function scaleOf(answer: SampleScale | undefined): SampleScale {
  const { sampleSeconds, unsampledBelow } = answer ?? {};
  return sampleSeconds === undefined || unsampledBelow === undefined ? {} : { sampleSeconds, unsampledBelow };
}

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

const smallUnits = [[1e3, 'ms'], [1e6, 'µs'], [1e9, 'ns']] as const;

// The largest unit below a second in which the time exceeds the second decimal; undefined: the second.
function smallUnit(seconds: number): (typeof smallUnits)[number] | undefined {
  const leastShown = 0.0095;
  if (seconds >= leastShown) return undefined;
  return smallUnits.find(([perSecond]) => seconds * perSecond >= leastShown) ?? smallUnits[2];
}

// For code without samples: "< 0.03 s", rounded up; undefined if the time is sampled.
function unsampledText(time: number, scale: SampleScale, unit: string): string | undefined {
  const { sampleSeconds, unsampledBelow } = scale;
  if (sampleSeconds === undefined || unsampledBelow === undefined || time >= sampleSeconds * 0.999) return undefined;
  if (unit !== 'seconds') return `< ${Math.ceil(unsampledBelow - 1e-6)} ${unit}`;
  const [perSecond, name] = smallUnit(unsampledBelow) ?? [1, 's'];
  const steps = perSecond === 1 ? 100 : 10;
  const limit = Math.ceil(unsampledBelow * perSecond * steps - 1e-6) / steps;
  return `< ${perSecond === 1 ? limit.toFixed(2) : String(limit)} ${name}`;
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

// "within the noise", and how many runs would decide.
export function verdictText({ verdict, runsToDecide }: Difference): string {
  const word = verdictWords[verdict];
  return runsToDecide === undefined ? word : `${word}: ${runsToDecide} runs a side would decide`;
}

// "+0.12 s ±0.05 s, slower".
export function differenceText(difference: Difference, unit = 'seconds'): string {
  const sign = difference.difference > 0 ? '+' : '';
  const figure = timeWithError(difference.difference, difference.error, unit);
  return `${sign}${figure}, ${verdictText(difference)}`;
}

// One mark for a column: the direction, and whether it is more than noise.
export function differenceMark(difference: Difference): string {
  const marks = { regressed: '▲', improved: '▼', noise: '≈', new: '＋', gone: '－' };
  return marks[difference.verdict];
}

// How long ago, in the largest unit that is not zero.
export function age(milliseconds: number): string {
  const minutes = Math.floor(milliseconds / 60_000);
  if (minutes < 1) return 'just now';
  if (minutes < 60) return `${minutes} min ago`;
  const hours = Math.floor(minutes / 60);
  if (hours < 48) return `${hours} h ago`;
  return `${Math.floor(hours / 24)} days ago`;
}
