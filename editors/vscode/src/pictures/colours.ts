// Colours of functions: always the same for a name, interpolated between the theme's colours, and a readable text
// colour for each.

export interface Colour {
  readonly red: number; // 0 to 255
  readonly green: number;
  readonly blue: number;
}

// "#rgb", "#rrggbb", with or without alpha, and "rgb(…)", as used by themes.
export function parseColour(text: string): Colour | undefined {
  const value = text.trim();
  const hexadecimal = /^#([0-9a-f]{3,8})$/i.exec(value)?.[1];
  if (hexadecimal !== undefined) {
    const digits = hexadecimal.length < 6 ? [...hexadecimal].map((digit) => digit + digit).join('') : hexadecimal;
    const part = (at: number): number => Number.parseInt(digits.slice(at, at + 2), 16);
    return { red: part(0), green: part(2), blue: part(4) };
  }
  const parts = /^rgba?\(([^)]*)\)$/i.exec(value)?.[1]?.split(/[\s,/]+/).map(Number);
  const [red, green, blue] = parts ?? [];
  if (red === undefined || green === undefined || blue === undefined) return undefined;
  return [red, green, blue].some(Number.isNaN) ? undefined : { red, green, blue };
}

export function mix(a: Colour, b: Colour, share: number): Colour {
  const part = (from: number, to: number): number => Math.round(from + (to - from) * share);
  return { red: part(a.red, b.red), green: part(a.green, b.green), blue: part(a.blue, b.blue) };
}

export function cssColour({ red, green, blue }: Colour): string {
  return `rgb(${red}, ${green}, ${blue})`;
}

// The relative luminance of WCAG 2: 0 for black, 1 for white.
export function luminance({ red, green, blue }: Colour): number {
  const linear = (part: number): number => {
    const value = part / 255;
    return value <= 0.04045 ? value / 12.92 : ((value + 0.055) / 1.055) ** 2.4;
  };
  return 0.2126 * linear(red) + 0.7152 * linear(green) + 0.0722 * linear(blue);
}

export function contrast(a: Colour, b: Colour): number {
  const [darker, lighter] = [luminance(a), luminance(b)].sort((x, y) => x - y) as [number, number];
  return (lighter + 0.05) / (darker + 0.05);
}

export const black: Colour = { red: 0, green: 0, blue: 0 };
export const white: Colour = { red: 255, green: 255, blue: 255 };

export function textOn(background: Colour): Colour {
  return contrast(background, black) >= contrast(background, white) ? black : white;
}

// From 0 to 1, the same for the same name: FNV-1a with a final mixing step, as names that differ only at the end would
// otherwise be close together.
export function shareOfName(name: string): number {
  let hash = 0x811c9dc5;
  for (let i = 0; i < name.length; i++) hash = Math.imul(hash ^ name.charCodeAt(i), 0x01000193);
  hash = Math.imul(hash ^ (hash >>> 15), 0x2c1b3c6d);
  hash ^= hash >>> 13;
  return (hash >>> 0) / 2 ** 32;
}

// Names in brackets are not functions of the program: other modules, code without symbols, cycles.
export function isOwnFunction(name: string): boolean {
  return !/^\[.*\]$|^<cycle \d+>/.test(name);
}

// A name's colour, interpolated along the stops.
export function colourOfName(name: string, stops: readonly Colour[]): Colour {
  const last = stops.length - 1;
  const place = shareOfName(name) * last;
  const index = Math.min(Math.floor(place), last - 1);
  const from = stops[Math.max(0, index)] ?? white;
  const to = stops[index + 1] ?? from;
  return mix(from, to, place - index);
}
