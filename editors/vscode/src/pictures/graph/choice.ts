// Which part of a call graph is drawn: the function it is about, and as many of the others as are readable, those with
// the most time, all connected to that function.
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../server/protocol';

export interface ChosenGraph {
  readonly nodes: readonly CallGraphNode[]; // the function first
  readonly arcs: readonly CallGraphArc[]; // from and to are ids of nodes
  readonly hidden: number; // nodes left out
  readonly hiddenArcs: number; // between drawn nodes
}

// More could be drawn, but not read.
export const mostNodes = 160;
const arcsForNode = 3;

export function arcTime(arc: CallGraphArc): number {
  return arc.selfSeconds + arc.childSeconds;
}

export function nodeTime(node: CallGraphNode): number {
  return node.selfSeconds + node.childSeconds;
}

// Grows from the function along the arcs with the most time, then the most calls.
export function chooseGraph(result: CallGraphResult, most: number): ChosenGraph {
  const byId = new Map(result.nodes.map((node) => [node.id, node]));
  const chosen: CallGraphNode[] = [];
  const taken = new Set<number>();
  const ways = new Set<CallGraphArc>(); // that nodes were reached by
  const take = (id: number | null | undefined): void => {
    const node = byId.get(id ?? -1);
    if (node === undefined || taken.has(node.id)) return;
    taken.add(node.id);
    chosen.push(node);
  };
  for (const root of [result.root, ...(result.otherRoots ?? [])]) take(root);
  const byCost = [...result.arcs].sort((a, b) => arcTime(b) - arcTime(a) || b.calls - a.calls);
  // Each round takes the costliest arc that leads out of the chosen part: a heap is not worth it for 500 nodes.
  for (let grown = true; grown && chosen.length < Math.min(most, mostNodes); ) {
    const next = byCost.find((arc) => taken.has(arc.from) !== taken.has(arc.to));
    grown = next !== undefined;
    if (next !== undefined) ways.add(next);
    take(next?.from);
    take(next?.to);
  }
  const between = byCost.filter((arc) => arc.from !== arc.to && taken.has(arc.from) && taken.has(arc.to));
  const drawn = new Set([...ways, ...between.slice(0, arcsForNode * chosen.length)]);
  return {
    nodes: chosen,
    arcs: result.arcs.filter((arc) => drawn.has(arc)),
    hidden: result.nodes.length - chosen.length,
    hiddenArcs: between.length - drawn.size,
  };
}

// How thick the line of an arc is: by its share of the greatest time, never too thin to be seen.
export function arcWidth(arc: CallGraphArc, greatest: number): number {
  const share = greatest > 0 ? arcTime(arc) / greatest : 0;
  return 1 + 7 * Math.sqrt(Math.max(0, Math.min(1, share)));
}
