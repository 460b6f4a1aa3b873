// The most expensive call in the call graph around a function. Pure.
import type { CallGraphArc, CallGraphResult, Location } from '../server/protocol';

export interface HottestSite {
  readonly location: Location;
  readonly caller: string;
  readonly arc: CallGraphArc;
}

export function hottestSite(graph: CallGraphResult): HottestSite | undefined {
  const roots = new Set([graph.root, ...(graph.otherRoots ?? [])]);
  const arcs = graph.arcs
    .filter((arc) => roots.has(arc.to) && !roots.has(arc.from))
    .sort((a, b) => costOf(b) - costOf(a) || b.calls - a.calls);
  for (const arc of arcs) {
    const caller = graph.nodes.find((node) => node.id === arc.from);
    const location = arc.sites?.[0] ?? definitionOf(caller);
    if (location !== undefined) return { location, caller: caller?.name ?? '', arc };
  }
  return undefined;
}

function costOf(arc: CallGraphArc): number {
  return arc.selfSeconds + arc.childSeconds;
}

// For calls whose sites are not known.
function definitionOf(caller: CallGraphResult['nodes'][number] | undefined): Location | undefined {
  return caller?.uri === undefined || caller.range === undefined ? undefined : { uri: caller.uri, range: caller.range };
}
