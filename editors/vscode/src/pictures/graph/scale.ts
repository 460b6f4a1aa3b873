// The scale at which a call graph opens. Pure.

interface Size {
  readonly width: number;
  readonly height: number;
}

const leastTextHeight = 9; // pixels

// All of it, unless its text, `textHeight` pixels high at scale 1, were too small to read.
export function openingScale(picture: Size, field: Size, textHeight: number): number {
  const all = Math.min(1, field.width / picture.width, field.height / picture.height);
  return Math.max(all, Math.min(1, leastTextHeight / textHeight));
}
