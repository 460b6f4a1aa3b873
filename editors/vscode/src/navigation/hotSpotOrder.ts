// Which hot spot comes next. Pure.
import { isOfTime } from '../annotations/metrics';
import type { Place } from '../server/places';
import type { HotSpot, Metric } from '../server/protocol';

export interface Cursor {
  readonly uri: string;
  readonly line: number;
}

// The definition; of a library’s function, where the program called it most.
export function placeOfSpot({ uri, range, callSite }: HotSpot): Place | undefined {
  return uri === undefined || range === undefined ? callSite : { uri, range };
}

// Those with a location and a significant rank: a time that exceeds its error, or calls, which are exact. If all times are
// within their errors, they are hot spots nevertheless: a user who asks for one wants to see the likeliest.
export function reachable(spots: readonly HotSpot[], metric: Metric): HotSpot[] {
  const placed = spots.filter((spot) => placeOfSpot(spot) !== undefined);
  if (!isOfTime(metric)) return placed.filter(({ calls }) => (calls ?? 0) > 0);
  const sure = placed.filter(isSure);
  return sure.length > 0 ? sure : placed;
}

export function isSure({ significant }: HotSpot): boolean {
  return significant !== false;
}

// Hottest first, wrapping around. The neighbour of the hot spot at the cursor; else of the last one visited; else the
// first. Undefined if there are none.
export function nextIndex(
  spots: readonly HotSpot[],
  cursor: Cursor | undefined,
  last: number | undefined,
  step: 1 | -1,
): number | undefined {
  if (spots.length === 0) return undefined;
  const here = spots.findIndex(
    (spot) => {
      const place = placeOfSpot(spot);
      return cursor !== undefined && place?.uri === cursor.uri && place.range.start.line === cursor.line;
    },
  );
  const from = here >= 0 ? here : (last ?? (step === 1 ? -1 : 0));
  return (from + step + spots.length) % spots.length;
}
