// The order of slots within each layer, so that few arcs cross: each moves to the middle of its neighbours in the layer
// above, then below, several times; the best order seen is kept.
import type { LayeredGraph, Link } from './layers';

const sweeps = 12;

export function orderLayers(graph: LayeredGraph): number[][] {
  const above: number[][] = graph.slots.map(() => []);
  const below: number[][] = graph.slots.map(() => []);
  for (const link of graph.links) {
    above[link.lower]?.push(link.upper);
    below[link.upper]?.push(link.lower);
  }
  const linksFrom = linksByLayer(graph);
  let layers = graph.layers.map((layer) => [...layer]);
  let best = layers;
  let fewest = countCrossings(layers, linksFrom);
  for (let sweep = 0; sweep < sweeps && fewest > 0; sweep++) {
    const down = sweep % 2 === 0;
    layers = swept(layers, down ? above : below, down);
    const crossings = countCrossings(layers, linksFrom);
    if (crossings < fewest) {
      fewest = crossings;
      best = layers;
    }
  }
  return best;
}

function linksByLayer(graph: LayeredGraph): Link[][] {
  const links: Link[][] = graph.layers.map(() => []);
  for (const link of graph.links) links[graph.slots[link.upper]?.layer ?? 0]?.push(link);
  return links;
}

function swept(layers: readonly number[][], neighbours: readonly number[][], down: boolean): number[][] {
  const result = layers.map((layer) => [...layer]);
  const place = new Map<number, number>();
  const note = (layer: readonly number[]): void => layer.forEach((slot, index) => place.set(slot, index));
  result.forEach(note);
  const order = result.map((_, index) => index);
  if (!down) order.reverse();
  for (const index of order.slice(1)) {
    const layer = result[index] ?? [];
    const middle = new Map(layer.map((slot) => {
      const places = (neighbours[slot] ?? []).map((other) => place.get(other) ?? 0);
      const sum = places.reduce((a, b) => a + b, 0);
      return [slot, places.length > 0 ? sum / places.length : (place.get(slot) ?? 0)];
    }));
    layer.sort((a, b) => (middle.get(a) ?? 0) - (middle.get(b) ?? 0));
    note(layer);
  }
  return result;
}

export function countCrossings(layers: readonly (readonly number[])[], linksFrom: readonly (readonly Link[])[]): number {
  const place = new Map<number, number>();
  for (const layer of layers) layer.forEach((slot, index) => place.set(slot, index));
  let crossings = 0;
  linksFrom.forEach((links, index) => {
    const ends = links
      .map((link) => [place.get(link.upper) ?? 0, place.get(link.lower) ?? 0] as const)
      .sort((a, b) => a[0] - b[0] || a[1] - b[1]);
    crossings += inversions(ends.map((end) => end[1]), layers[index + 1]?.length ?? 0);
  });
  return crossings;
}

// Number of pairs in the wrong order, counted with a Fenwick tree in n log n.
function inversions(values: readonly number[], size: number): number {
  const sums = new Uint32Array(size + 1);
  let inverted = 0;
  values.forEach((value, seen) => {
    let notAfter = 0;
    for (let i = value + 1; i > 0; i -= i & -i) notAfter += sums[i] ?? 0;
    inverted += seen - notAfter;
    for (let i = value + 1; i <= size; i += i & -i) sums[i] = (sums[i] ?? 0) + 1;
  });
  return inverted;
}
