// Positions of slots in their layers: as close as possible to the middle of what they are linked with, at a minimum
// distance from their neighbours.
//
// The least-squares optimum for one layer is an isotonic regression, which pooling adjacent violators computes exactly.
// Layers are placed one by one, down and up.
import type { LayeredGraph } from './layers';

const sweeps = 8;

export interface Desire {
  readonly at: number;
  readonly weight: number;
}

// Positions in the given order, at least `gaps[i]` between i and i + 1, as close to the desired ones as possible.
export function spread(desires: readonly Desire[], gaps: readonly number[]): number[] {
  const blocks: { sum: number; weight: number; count: number }[] = [];
  const offsets: number[] = [];
  let offset = 0;
  desires.forEach((desire, index) => {
    offsets.push(offset);
    blocks.push({ sum: (desire.at - offset) * desire.weight, weight: desire.weight, count: 1 });
    offset += gaps[index] ?? 0;
    for (let last = blocks.at(-1), before = blocks.at(-2); last !== undefined && before !== undefined;
      last = blocks.at(-1), before = blocks.at(-2)) {
      if (before.sum / before.weight <= last.sum / last.weight) break;
      blocks.pop();
      before.sum += last.sum;
      before.weight += last.weight;
      before.count += last.count;
    }
  });
  const places = blocks.flatMap((block) => new Array<number>(block.count).fill(block.sum / block.weight));
  return places.map((place, index) => place + (offsets[index] ?? 0));
}

// The middle of each slot, from 0 on.
export function placeSlots(graph: LayeredGraph, layers: readonly (readonly number[])[], gap: number): number[] {
  const width = (slot: number): number => graph.slots[slot]?.width ?? 0;
  const x = graph.slots.map(() => 0);
  const gapsOf = (layer: readonly number[]): number[] =>
    layer.slice(1).map((slot, index) => (width(slot) + width(layer[index] ?? 0)) / 2 + gap);
  for (const layer of layers) {
    const gaps = gapsOf(layer);
    let at = -gaps.reduce((a, b) => a + b, 0) / 2;
    layer.forEach((slot, index) => {
      x[slot] = at;
      at += gaps[index] ?? 0;
    });
  }
  const above = linked(graph, true);
  const below = linked(graph, false);
  for (let sweep = 0; sweep < sweeps; sweep++) {
    const down = sweep % 2 === 0;
    const order = down ? [...layers] : [...layers].reverse();
    const last = sweep >= sweeps - 2;
    for (const layer of order) {
      const desires = layer.map((slot) => {
        const links = [...((last || down ? above : below)[slot] ?? []), ...(last ? (below[slot] ?? []) : [])];
        return desireOf(links, x, x[slot] ?? 0);
      });
      spread(desires, gapsOf(layer)).forEach((place, index) => {
        x[layer[index] ?? 0] = place;
      });
    }
  }
  const left = x.reduce((least, middle, slot) => Math.min(least, middle - width(slot) / 2), Infinity);
  return x.map((middle) => middle - left);
}

type Linked = readonly { readonly other: number; readonly weight: number }[];

// Links between two bends weigh most, to keep long arcs straight.
function linked(graph: LayeredGraph, above: boolean): Linked[] {
  const result: { other: number; weight: number }[][] = graph.slots.map(() => []);
  for (const link of graph.links) {
    const bends = [link.upper, link.lower].filter((slot) => graph.slots[slot]?.node === -1).length;
    const weight = link.weight * [1, 2, 8][bends]!;
    if (above) result[link.lower]?.push({ other: link.upper, weight });
    else result[link.upper]?.push({ other: link.lower, weight });
  }
  return result;
}

function desireOf(links: Linked, x: readonly number[], now: number): Desire {
  const weight = links.reduce((sum, link) => sum + link.weight, 0);
  if (weight === 0) return { at: now, weight: 0.01 };
  const at = links.reduce((sum, link) => sum + link.weight * (x[link.other] ?? 0), 0) / weight;
  return { at, weight };
}
