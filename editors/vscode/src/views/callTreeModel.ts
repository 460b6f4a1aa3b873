// The call tree as it expands: a function, and below it its callers or callees, those with the most time first.
//
// gprof counts calls between two functions, whatever called the first one: below the first level, figures are for all
// calls from one function to another, and do not add up along a path.
import type { CallGraphArc, CallGraphNode, CallGraphResult } from '../server/protocol';

export type TreeDirection = 'callers' | 'callees';

export interface CallTreeNode {
  readonly node: CallGraphNode;
  readonly arc?: CallGraphArc; // between it and its parent; the root has none
  readonly parent?: CallTreeNode;
  readonly recursive: boolean; // it is its own ancestor: expanding it would never end
}

function timeOf(arc: CallGraphArc): number {
  return arc.selfSeconds + arc.childSeconds;
}

export function sameFunction(a: CallGraphNode, b: CallGraphNode): boolean {
  return a.linkageName === b.linkageName && a.uri === b.uri && a.range?.start.line === b.range?.start.line;
}

// With the figures of all instances, as its children are those of all.
export function rootOf(graph: CallGraphResult): CallTreeNode | undefined {
  const node = graph.nodes.find(({ id }) => id === graph.root);
  return node === undefined ? undefined : { node: { ...node, ...graph.whole }, recursive: false };
}

// `graph` is that around the parent's function. Instances of one definition are one function.
export function childrenOf(parent: CallTreeNode, graph: CallGraphResult, direction: TreeDirection): CallTreeNode[] {
  const roots = new Set([graph.root, ...(graph.otherRoots ?? [])]);
  const byId = new Map(graph.nodes.map((node) => [node.id, node]));
  return graph.arcs
    .filter((arc) => roots.has(direction === 'callers' ? arc.to : arc.from))
    .sort((a, b) => timeOf(b) - timeOf(a) || b.calls - a.calls)
    .flatMap((arc) => {
      const node = byId.get(direction === 'callers' ? arc.from : arc.to);
      return node === undefined ? [] : [{ node, arc, parent, recursive: isAbove(parent, node) }];
    });
}

function isAbove(below: CallTreeNode, node: CallGraphNode): boolean {
  for (let at: CallTreeNode | undefined = below; at !== undefined; at = at.parent) {
    if (sameFunction(at.node, node)) return true;
  }
  return false;
}
