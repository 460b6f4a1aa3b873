// The column at which figures begin, so that they line up and code never moves. Pure.

// Between a line and its figures.
export const gap = 2;
const step = 4;
const narrowest = 24;
// At most this share of a text's lines is longer than the column of its figures. A few long lines would move all figures
// away from their code.
const longer = 0.25;
// Lines that are longer by this much do not stand out.
const reach = 8;

// Cells that a line takes on the screen: tabs reach to the next stop, wide characters take two.
export function widthOf(text: string, tabSize: number): number {
  let width = 0;
  for (const character of text) {
    if (character === '\t') width += tabSize - (width % tabSize);
    else width += isWide(character.codePointAt(0) ?? 0) ? 2 : 1;
  }
  return width;
}

function isWide(code: number): boolean {
  return (
    (code >= 0x1100 && code <= 0x115f) ||
    (code >= 0x2e80 && code <= 0xa4cf) ||
    (code >= 0xac00 && code <= 0xd7a3) ||
    (code >= 0xf900 && code <= 0xfaff) ||
    (code >= 0xfe30 && code <= 0xfe6f) ||
    (code >= 0xff00 && code <= 0xff60) ||
    (code >= 0xffe0 && code <= 0xffe6) ||
    (code >= 0x1f300 && code <= 0x1faff) ||
    (code >= 0x20000 && code <= 0x3fffd)
  );
}

// After most lines of the text, but no further than `most`: longer lines have their figures after their own end.
export function annotationColumn(widths: readonly number[], most: number): number {
  if (widths.length === 0) return Math.min(narrowest, most);
  const sorted = [...widths].sort((a, b) => a - b);
  const usual = sorted[sorted.length - 1 - Math.floor(sorted.length * longer)] ?? 0;
  const longest = sorted.filter((width) => width <= usual + reach).at(-1) ?? usual;
  const column = Math.ceil((Math.max(longest, narrowest) + gap) / step) * step;
  return Math.min(column, most);
}

// Blank cells between a line's end and its figures.
