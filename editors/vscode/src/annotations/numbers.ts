// Counts, times and shares as text, by the same rules as the server's lenses and hovers. Pure.

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

export function percent(share: number): string {
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

const smallUnits = [[1e3, 'ms'], [1e6, 'µs'], [1e9, 'ns']] as const;

// The largest unit below a second in which the time exceeds the second decimal; undefined: the second.
function smallUnit(seconds: number): (typeof smallUnits)[number] | undefined {
  const leastShown = 0.0095;
  if (seconds >= leastShown) return undefined;
  return smallUnits.find(([perSecond]) => seconds * perSecond >= leastShown) ?? smallUnits[2];
}

// "seconds" are abbreviated; costs of other profiles, such as instructions, are counts of their unit. If the error is
// less than two decimals show, a smaller unit is used.
export function amount(value: number, unit: string, error = 0): string {
  if (unit !== 'seconds') return `${Number.isInteger(value) ? shortCount(value) : value.toFixed(2)} ${unit}`;
  const small = error > 0 ? smallUnit(error) : undefined;
  if (small === undefined) return `${value.toFixed(2)} s`;
  const [perSecond, name] = small;
  return `${(value * perSecond).toFixed(error * perSecond < 0.95 ? 2 : 1)} ${name}`;
}

// With its error, one standard deviation, if known.
export function amountWithError(value: number, error: number | undefined, unit: string): string {
  if (error === undefined || error <= 0 || unit !== 'seconds') return amount(value, unit);
  const shown = amount(error, unit, error);
  const blank = shown.lastIndexOf(' ');
  return `${amount(value, unit, error).slice(0, -shown.length + blank)} ±${shown}`;
}

// For code without samples: "< 0.03 s", rounded up; undefined if the time is sampled.
export function unsampledText(time: number, scale: SampleScale, unit: string): string | undefined {
  const { sampleSeconds, unsampledBelow } = scale;
  if (sampleSeconds === undefined || unsampledBelow === undefined || time >= sampleSeconds * 0.999) return undefined;
  if (unit !== 'seconds') return `< ${Math.ceil(unsampledBelow - 1e-6)} ${unit}`;
  const [perSecond, name] = smallUnit(unsampledBelow) ?? [1, 's'];
  const steps = perSecond === 1 ? 100 : 10;
  const limit = Math.ceil(unsampledBelow * perSecond * steps - 1e-6) / steps;
  return `< ${perSecond === 1 ? limit.toFixed(2) : String(limit)} ${name}`;
}

// A difference with its sign, as +0.12 s.
export function signedAmount(difference: number, unit: string): string {
  return `${difference < 0 ? '−' : '+'}${amount(Math.abs(difference), unit)}`;
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
