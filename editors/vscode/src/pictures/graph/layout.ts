// A graph drawn in layers from top to bottom, callers above callees: positions of nodes and paths of arcs. Arcs that
// close a cycle run upwards.
//
// Everything is in pixels, starting at 0. Deterministic: the same graph is drawn the same way.
import { backArcs, layeredGraph, type GraphArc } from './layers';
import { orderLayers } from './ordering';
import { placeSlots } from './coordinates';

export interface GraphToPlace {
  readonly nodes: readonly { readonly width: number; readonly height: number }[];
  readonly arcs: readonly GraphArc[]; // without self arcs
}

export interface Point {
  readonly x: number;
  readonly y: number;
}

export interface PlacedGraph {
  readonly width: number;
  readonly height: number;
  readonly nodes: readonly Point[]; // the centre of each
  readonly layers: readonly (readonly number[])[]; // nodes only, from left to right
  readonly arcs: readonly { readonly points: readonly Point[]; readonly back: boolean }[]; // from caller to callee
}

const gapBeside = 24;
const gapBelow = 56;
const bendWidth = 12;
const gapOfWays = 18; // between arcs in opposite directions

export function placeGraph(graph: GraphToPlace): PlacedGraph {
  const back = backArcs(graph.nodes.length, graph.arcs);
  const arcs = graph.arcs.map((arc, index) => (back.has(index) ? { ...arc, from: arc.to, to: arc.from } : arc));
  const layered = layeredGraph(graph.nodes.map((node) => node.width), arcs, bendWidth);
  const layers = orderLayers(layered);
  const x = placeSlots(layered, layers, gapBeside);
  const heights = layers.map((layer) =>
    layer.reduce((most, slot) => Math.max(most, graph.nodes[layered.slots[slot]?.node ?? -1]?.height ?? 0), 0));
  const y: number[] = [];
  let bottom = 0;
  for (const height of heights) {
    y.push(bottom + height / 2);
    bottom += height + gapBelow;
  }
  const middle = (slot: number): Point => ({ x: x[slot] ?? 0, y: y[layered.slots[slot]?.layer ?? 0] ?? 0 });
  const half = (slot: number): number => (graph.nodes[layered.slots[slot]?.node ?? -1]?.height ?? 0) / 2;
  return {
    width: layered.slots.reduce((most, slot, index) => Math.max(most, (x[index] ?? 0) + slot.width / 2), 0),
    height: Math.max(0, bottom - gapBelow),
    nodes: graph.nodes.map((_, node) => middle(node)),
    layers: layers.map((layer) => layer.filter((slot) => layered.slots[slot]?.node !== -1)),
    arcs: layered.chains.map((chain, index) => {
      const points = chain.map(middle);
      const first = chain[0] ?? 0;
      const last = chain.at(-1) ?? 0;
      points[0] = { x: middle(first).x, y: middle(first).y + half(first) };
      points[points.length - 1] = { x: middle(last).x, y: middle(last).y - half(last) };
      if (!back.has(index)) return { points, back: false };
      const isTwoWay = graph.arcs.some(({ from, to }) => from === graph.arcs[index]?.to && to === graph.arcs[index]?.from);
      const aside = points.map((point) => (isTwoWay ? { ...point, x: point.x + gapOfWays } : point));
      return { points: aside.reverse(), back: true };
    }),
  };
}

// A smooth curve through the points that starts and ends vertically, as the d of an SVG path.
export function curveThrough(points: readonly Point[]): string {
  const [first, ...others] = points;
  if (first === undefined) return '';
  const round = (value: number): string => value.toFixed(1);
  let path = `M${round(first.x)},${round(first.y)}`;
  let from = first;
  for (const to of others) {
    const middle = (from.y + to.y) / 2;
    path += `C${round(from.x)},${round(middle)} ${round(to.x)},${round(middle)} ${round(to.x)},${round(to.y)}`;
    from = to;
  }
  return path;
}
