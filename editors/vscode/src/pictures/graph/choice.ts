// Which part of a call graph is drawn: the function it is about, and of the others those with the least share of time, as
// many as are readable, all connected to that function.
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../../server/protocol';

export interface ChosenGraph {
  readonly nodes: readonly CallGraphNode[]; // the function first
  readonly arcs: readonly CallGraphArc[]; // from and to are ids of nodes
  readonly small: number; // nodes left out: not reached by arcs of the least time
  readonly smallArcs: number; // between drawn nodes, of less time
  readonly hidden: number; // other nodes left out: there are too many
  readonly hiddenArcs: number; // between drawn nodes
}

// Shares of the program's time that can be chosen as the least.
export const leastShares: readonly number[] = [0, 0.001, 0.005, 0.01, 0.02, 0.05];
export const usualLeastShare = 0.005;

// More could be drawn, but not read.
export const mostNodes = 160;
const arcsForNode = 3;

export function arcTime(arc: CallGraphArc): number {
  return arc.selfSeconds + arc.childSeconds;
}

export function nodeTime(node: CallGraphNode): number {
  return node.selfSeconds + node.childSeconds;
}

// The arcs that may be drawn. Those of the function itself are judged by its own time if that is less than the
// program's: else a function of little time would stand alone. Within a cycle calls have no time of their own: they
// stay with the functions that they connect.
function arcsWithTime(result: CallGraphResult, nodes: ReadonlyMap<number, CallGraphNode>, programSeconds: number, share: number): CallGraphArc[] {
  if (share === 0 || !(programSeconds > 0)) return [...result.arcs];
  const roots = new Set([result.root, ...(result.otherRoots ?? [])]);
  const own = [...roots].reduce((sum: number, root) => sum + timeOf(nodes.get(root ?? -1)), 0);
  const least = share * programSeconds;
  const leastOfRoots = share * Math.min(programSeconds, own);
  return result.arcs.filter((arc) => {
    const [from, to] = [nodes.get(arc.from), nodes.get(arc.to)];
    if (from?.cycle !== undefined && from.cycle === to?.cycle) return Math.min(timeOf(from), timeOf(to)) >= least;
    return arcTime(arc) >= (roots.has(arc.from) || roots.has(arc.to) ? leastOfRoots : least);
  });
}

function timeOf(node: CallGraphNode | undefined): number {
  return node === undefined ? 0 : nodeTime(node);
}

// The nodes that arcs connect with the function's.
function reached(result: CallGraphResult, arcs: readonly CallGraphArc[]): Set<number> {
  const found = new Set([result.root, ...(result.otherRoots ?? [])].filter((root) => root !== null));
  const beside = new Map<number, number[]>();
  const add = (from: number, to: number): void => {
    const others = beside.get(from);
    if (others === undefined) beside.set(from, [to]);
    else others.push(to);
  };
  for (const { from, to } of arcs) {
    add(from, to);
    add(to, from);
  }
  // A set yields what is added to it meanwhile.
  for (const node of found) for (const other of beside.get(node) ?? []) found.add(other);
  return found;
}

// Grows from the function along the arcs with the most time, then the most calls. `leastShare` is of `programSeconds`,
// which is 0 where the profile has no times.
export function chooseGraph(result: CallGraphResult, most: number, programSeconds: number, leastShare: number): ChosenGraph {
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
  const large = arcsWithTime(result, byId, programSeconds, leastShare);
  const byCost = [...large].sort((a, b) => arcTime(b) - arcTime(a) || b.calls - a.calls);
  // Each round takes the costliest arc that leads out of the chosen part: a heap is not worth it for 500 nodes.
  for (let grown = true; grown && chosen.length < Math.min(most, mostNodes); ) {
    const next = byCost.find((arc) => taken.has(arc.from) !== taken.has(arc.to));
    grown = next !== undefined;
    if (next !== undefined) ways.add(next);
    take(next?.from);
    take(next?.to);
  }
  const isBetween = (arc: CallGraphArc): boolean => arc.from !== arc.to && taken.has(arc.from) && taken.has(arc.to);
  const between = byCost.filter(isBetween);
  const drawn = new Set([...ways, ...between.slice(0, arcsForNode * chosen.length)]);
  const connected = reached(result, large).size;
  return {
    nodes: chosen,
    arcs: result.arcs.filter((arc) => drawn.has(arc)),
    small: result.nodes.length - connected,
    smallArcs: result.arcs.filter(isBetween).length - between.length,
    hidden: connected - chosen.length,
    hiddenArcs: between.length - drawn.size,
  };
}

// How thick the line of an arc is: by its share of the greatest time, never too thin to be seen.
export function arcWidth(arc: CallGraphArc, greatest: number): number {
  const share = greatest > 0 ? arcTime(arc) / greatest : 0;
  return 1 + 7 * Math.sqrt(Math.max(0, Math.min(1, share)));
}
