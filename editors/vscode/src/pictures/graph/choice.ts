// Which part of a call graph is drawn: the function it is about, and of the others those with most time, as
// many as can be looked at, each with a way to that function.
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../server/protocol';

export interface ChosenGraph {
  readonly nodes: readonly CallGraphNode[]; // the function first
  readonly arcs: readonly CallGraphArc[]; // from and to are ids of nodes
  readonly hidden: number; // nodes that are left out here
  readonly hiddenArcs: number; // between nodes that are drawn
}

// More could be drawn, and not be read.
export const mostNodes = 160;
const arcsForNode = 3;

export function arcTime(arc: CallGraphArc): number {
  return arc.selfSeconds + arc.childSeconds;
}

export function nodeTime(node: CallGraphNode): number {
  return node.selfSeconds + node.childSeconds;
}

// Grows from the function along the arcs with most time, then most calls.
export function chooseGraph(result: CallGraphResult, most: number): ChosenGraph {
  const byId = new Map(result.nodes.map((node) => [node.id, node]));
  const chosen: CallGraphNode[] = [];
  const taken = new Set<number>();
  const ways = new Set<CallGraphArc>(); // by which nodes were reached
  const take = (id: number | null | undefined): void => {
    const node = byId.get(id ?? -1);
    if (node === undefined || taken.has(node.id)) return;
    taken.add(node.id);
    chosen.push(node);
  };
  for (const root of [result.root, ...(result.otherRoots ?? [])]) take(root);
  const byCost = [...result.arcs].sort((a, b) => arcTime(b) - arcTime(a) || b.calls - a.calls);
  // Each round takes the costliest arc that leads out of what is there: a heap is not worth it for 500 nodes.
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

// How thick the line of an arc is: by its part of the time that is greatest, never too thin to be seen.
export function arcWidth(arc: CallGraphArc, greatest: number): number {
  const share = greatest > 0 ? arcTime(arc) / greatest : 0;
  return 1 + 7 * Math.sqrt(Math.max(0, Math.min(1, share)));
}
