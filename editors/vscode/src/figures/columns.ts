// Figures that stand below each other: times of one column in one unit and with as many decimals, shares with one, and
// both padded with spaces of a digit's width, as labels of trees and pickers have no columns. Pure.
import type { SampleScale } from './numbers';

export interface TimeUnit {
  readonly name: string; // "s", "ms", "instructions"
  readonly factor: number; // from the profile's unit
  readonly digits: number; // decimals
}

const unitsOfSeconds = [
  { name: 's', factor: 1 }, { name: 'ms', factor: 1e3 }, { name: 'µs', factor: 1e6 }, { name: 'ns', factor: 1e9 },
] as const;

const shortest = unitsOfSeconds[3];

const figureSpace = '\u2007';
const gap = '\u2002'; // between figures and a name: an en space, which no label collapses

// For sampled times: that in which the largest is best read, with decimals for a sample.
export function unitOfTimes(largest: number, unit: string, { sampleSeconds }: SampleScale): TimeUnit {
  if (unit !== 'seconds') return { name: unit, factor: 1, digits: largest >= 100 ? 0 : 2 };
  const isFine = sampleSeconds !== undefined && sampleSeconds < 0.005;
  if (largest >= 0.0995 || largest === 0) return { name: 's', factor: 1, digits: isFine ? 3 : 2 };
  return { ...(unitsOfSeconds.find(({ factor }) => largest * factor >= 0.995) ?? shortest), digits: 1 };
}

const mostPerCall = 1e7;

// For times of one call, which may be a second or a nanosecond: that in which most are best read, unless the largest
// becomes too long.
export function unitOfCalls(times: readonly number[], unit: string): TimeUnit {
  const sorted = times.filter((time) => time > 0).sort((a, b) => a - b);
  const largest = sorted.at(-1) ?? 0;
  const middle = sorted[sorted.length >> 1] ?? 0;
  if (unit !== 'seconds') return { name: unit, factor: 1, digits: middle >= 100 ? 0 : 2 };
  const isReadable = ({ factor }: { factor: number }): boolean => middle * factor >= 0.995;
  const hasRoom = ({ factor }: { factor: number }): boolean => largest * factor < mostPerCall;
  const roomy = unitsOfSeconds.filter(hasRoom);
  const found = roomy.find(isReadable) ?? roomy.at(-1) ?? unitsOfSeconds[0];
  return { ...found, digits: largest * found.factor < 1e3 ? 2 : 1 };
}

// "1.05", "31,250.00": without the unit, which stands over the column.
export function timeIn(time: number, { factor, digits }: TimeUnit): string {
  const scaled = time * factor;
  const least = 10 ** -digits / 2;
  if (scaled > 0 && scaled < least) return `<${(10 ** -digits).toFixed(digits)}`;
  return grouped(scaled.toFixed(digits));
}

function grouped(number: string): string {
  return number.replace(/^(-?\d+)/, (whole) => whole.replace(/\B(?=(\d{3})+$)/g, ','));
}

// "1.05 ±0.10"; without a sample the limit, "<0.03".
export function sampledTimeIn(time: number, error: number | undefined, unit: TimeUnit, scale: SampleScale): string {
  const { sampleSeconds, unsampledBelow } = scale;
  if (sampleSeconds !== undefined && unsampledBelow !== undefined && time < sampleSeconds * 0.999) {
    const steps = 10 ** unit.digits;
    return `<${grouped((Math.ceil(unsampledBelow * unit.factor * steps - 1e-6) / steps).toFixed(unit.digits))}`;
  }
  const text = timeIn(time, unit);
  return error === undefined || error === 0 ? text : `${text} ±${grouped((error * unit.factor).toFixed(unit.digits))}`;
}

// "12.3": always with one decimal, so that they stand below each other; the sign stands over the column, or behind.
export function percentIn(share: number): string {
  const percent = share * 100;
  return percent > 0 && percent < 0.05 ? '<0.1' : percent.toFixed(1);
}

// To as many letters, on the left.
export function padded(text: string, letters: number): string {
  return figureSpace.repeat(Math.max(0, letters - text.length)) + text;
}

const percentLetters = '99.9'.length;

// The whole that shares are of, and how times of the list are written.
export interface ListFigures {
  readonly seconds: number; // of the program; 0: not known, or none
  readonly unit: string;
  readonly scale: SampleScale;
}

// What stands before a name in a list: "12.3 %  0.42 s  ". Nothing where the profile has no times.
export function figuresBefore(time: number, { seconds: whole, unit: unitOfProfile, scale }: ListFigures): string {
  if (!(whole > 0)) return '';
  const unit = unitOfTimes(whole, unitOfProfile, scale);
  const lettersOfTime = Math.max('<0.03'.length, timeIn(whole, unit).length);
  const share = `${padded(percentIn(Math.min(1, time / whole)), percentLetters)} %`;
  return `${share}${gap}${padded(sampledTimeIn(time, undefined, unit, scale), lettersOfTime)} ${unit.name}${gap}`;
}
