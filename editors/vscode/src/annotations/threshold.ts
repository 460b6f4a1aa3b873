// Pure.

// A share from 0 to 1, from what a user types as a percentage; undefined if it is not one.
export function parseThreshold(text: string): number | undefined {
  const number = text.trim().replace(/\s*%$/, '').replace(',', '.');
  if (!/^\d+(\.\d*)?$|^\.\d+$/.test(number)) return undefined;
  const share = Number(number) / 100;
  return share <= 1 ? share : undefined;
}
