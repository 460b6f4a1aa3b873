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

// "seconds" are abbreviated; costs of other profiles, such as instructions, are counts of their unit.
export function amount(value: number, unit: string): string {
  if (unit === 'seconds') return `${value.toFixed(2)} s`;
  return `${Number.isInteger(value) ? shortCount(value) : value.toFixed(2)} ${unit}`;
}

// With its error, one standard deviation, where that is known and would be printed as more than nothing.
export function amountWithError(value: number, error: number | undefined, unit: string): string {
  if (error === undefined || error < 0.005 || unit !== 'seconds') return amount(value, unit);
  return `${value.toFixed(2)} ±${error.toFixed(2)} s`;
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
