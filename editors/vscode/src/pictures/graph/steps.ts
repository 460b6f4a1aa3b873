// Where the arrow keys go in a call graph: up to the caller and down to the callee with the most time, sideways to the
// next box of the layer.
import type { ChosenGraph } from './choice';
import { arcTime } from './choice';
import type { PlacedGraph } from './layout';

export type GraphStep = 'up' | 'down' | 'left' | 'right';

// Indices of nodes; undefined if there is none.
export function boxBeside(chosen: ChosenGraph, placed: PlacedGraph, from: number, step: GraphStep): number | undefined {
  const layer = placed.layers.find((nodes) => nodes.includes(from)) ?? [];
  if (step === 'left') return layer[layer.indexOf(from) - 1];
  if (step === 'right') return layer[layer.indexOf(from) + 1];
  const id = chosen.nodes[from]?.id;
  const arcs = chosen.arcs
    .filter((arc) => (step === 'up' ? arc.to : arc.from) === id)
    .sort((a, b) => arcTime(b) - arcTime(a) || b.calls - a.calls);
  const other = step === 'up' ? arcs[0]?.from : arcs[0]?.to;
  const found = chosen.nodes.findIndex((node) => node.id === other);
  return found < 0 ? undefined : found;
}
