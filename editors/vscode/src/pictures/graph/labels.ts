// Places the labels of arcs: next to their lines, without overlapping each other or a box. The most important arcs
// choose first; one without room has no label, only its tooltip. Pure.
import type { Point } from './layout';

export interface Label {
  readonly points: readonly Point[]; // of its arc
  readonly width: number;
  readonly lineWidth: number; // of the arc
  readonly weight: number;
}

export interface Area {
  readonly left: number;
  readonly top: number;
  readonly right: number;
  readonly bottom: number;
}

const gap = 4;
// Fractions of the path: the middle first, as the ends belong to the boxes.
const parts = [0.5, 0.4, 0.6, 0.3, 0.7, 0.2, 0.8];

// The left end of each label and the middle of its height; undefined if there is no room.
export function placeLabels(labels: readonly Label[], height: number, boxes: readonly Area[]): (Point | undefined)[] {
  const taken = [...boxes];
  const places: (Point | undefined)[] = labels.map(() => undefined);
  const order = labels.map((_, index) => index).sort((a, b) => (labels[b]?.weight ?? 0) - (labels[a]?.weight ?? 0));
  for (const index of order) {
    const label = labels[index];
    if (label === undefined) continue;
    const place = candidates(label).find((at) => !taken.some((area) => overlap(areaOf(at, label.width, height), area)));
    if (place === undefined) continue;
    places[index] = place;
    taken.push(areaOf(place, label.width, height));
  }
  return places;
}

// To the right of the line, then to its left.
function candidates(label: Label): Point[] {
  return parts.flatMap((part) => {
    const { x, y } = pointAt(label.points, part);
    const aside = label.lineWidth / 2 + gap;
    return [{ x: x + aside, y }, { x: x - aside - label.width, y }];
  });
}

function areaOf({ x, y }: Point, width: number, height: number): Area {
  return { left: x, top: y - height / 2, right: x + width, bottom: y + height / 2 };
}

function overlap(a: Area, b: Area): boolean {
  return a.left < b.right && b.left < a.right && a.top < b.bottom && b.top < a.bottom;
}

// The point at a fraction of the path drawn by curveThrough(): each piece starts and ends vertically, so its x is a
// cubic with flat ends, and its y nearly linear.
export function pointAt(points: readonly Point[], part: number): Point {
  const along = part * (points.length - 1);
  const piece = Math.min(Math.floor(along), points.length - 2);
  const from = points[piece] ?? points[0] ?? { x: 0, y: 0 };
  const to = points[piece + 1] ?? from;
  const t = along - piece;
  const level = t * t * (3 - 2 * t);
  const upright = t * (1.5 - 1.5 * t + t * t);
  return { x: from.x + (to.x - from.x) * level, y: from.y + (to.y - from.y) * upright };
}
