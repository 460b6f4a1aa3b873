// The first steps of drawing a graph in layers: arcs that would close a cycle are reversed, every node gets a layer
// below those of its callers, and arcs across several layers get a bend in each layer between.

export interface GraphArc {
  readonly from: number; // indices of nodes
  readonly to: number;
  readonly weight: number; // priority for being short and straight
}

// Back arcs of a depth-first search from the first node, then from those not reached yet.
export function backArcs(nodeCount: number, arcs: readonly GraphArc[]): Set<number> {
  const leaving: number[][] = Array.from({ length: nodeCount }, () => []);
  arcs.forEach((arc, index) => leaving[arc.from]?.push(index));
  for (const list of leaving) list.sort((a, b) => (arcs[b]?.weight ?? 0) - (arcs[a]?.weight ?? 0));
  const entered = new Set(arcs.map((arc) => arc.to));
  const nodes = Array.from({ length: nodeCount }, (_, node) => node);
  const state = new Uint8Array(nodeCount); // 0: not seen, 1: on the path, 2: done
  const back = new Set<number>();
  // Nodes without callers first: time flows down from them.
  for (const start of [...nodes.filter((node) => !entered.has(node)), ...nodes]) {
    if (state[start] !== 0) continue;
    const way = [{ node: start, next: 0 }];
    state[start] = 1;
    while (way.length > 0) {
      const top = way[way.length - 1];
      if (top === undefined) break;
      const index = leaving[top.node]?.[top.next++];
      if (index === undefined) {
        state[top.node] = 2;
        way.pop();
        continue;
      }
      const to = arcs[index]?.to ?? top.node;
      if (state[to] === 1) back.add(index);
      else if (state[to] === 0) {
        state[to] = 1;
        way.push({ node: to, next: 0 });
      }
    }
  }
  return back;
}

// By the longest path to a node; nodes without callers then move down to just above their first callee. The arcs must
// be acyclic.
export function layersOf(nodeCount: number, arcs: readonly GraphArc[]): number[] {
  const layer = new Array<number>(nodeCount).fill(0);
  const entering = new Array<number>(nodeCount).fill(0);
  const leaving: number[][] = Array.from({ length: nodeCount }, () => []);
  for (const arc of arcs) {
    leaving[arc.from]?.push(arc.to);
    entering[arc.to] = (entering[arc.to] ?? 0) + 1;
  }
  const isSource = entering.map((count) => count === 0);
  const ready = entering.flatMap((count, node) => (count === 0 ? [node] : []));
  for (let node = ready.pop(); node !== undefined; node = ready.pop()) {
    for (const to of leaving[node] ?? []) {
      layer[to] = Math.max(layer[to] ?? 0, (layer[node] ?? 0) + 1);
      entering[to] = (entering[to] ?? 0) - 1;
      if (entering[to] === 0) ready.push(to);
    }
  }
  isSource.forEach((source, node) => {
    const below = (leaving[node] ?? []).map((to) => layer[to] ?? 0);
    if (source && below.length > 0) layer[node] = Math.min(...below) - 1;
  });
  return layer;
}

// A place in a layer: a node of the graph, or where an arc passes through.
export interface Slot {
  readonly node: number; // -1: a bend
  readonly layer: number;
  readonly width: number;
}

export interface Link {
  readonly upper: number; // indices of slots
  readonly lower: number;
  readonly weight: number;
}

export interface LayeredGraph {
  readonly slots: readonly Slot[]; // the nodes first, by index
  readonly links: readonly Link[]; // each from one layer to the next
  readonly layers: readonly (readonly number[])[]; // slots from left to right
  readonly chains: readonly (readonly number[])[]; // for each arc, its slots from top to bottom
}

export function layeredGraph(widths: readonly number[], arcs: readonly GraphArc[], bendWidth: number): LayeredGraph {
  const layer = layersOf(widths.length, arcs);
  const slots: Slot[] = widths.map((width, node) => ({ node, layer: layer[node] ?? 0, width }));
  const links: Link[] = [];
  const chains = arcs.map((arc) => {
    const chain = [arc.from];
    for (let at = (layer[arc.from] ?? 0) + 1; at < (layer[arc.to] ?? 0); at++) {
      chain.push(slots.length);
      slots.push({ node: -1, layer: at, width: bendWidth });
    }
    chain.push(arc.to);
    for (let i = 1; i < chain.length; i++) {
      links.push({ upper: chain[i - 1] ?? 0, lower: chain[i] ?? 0, weight: arc.weight });
    }
    return chain;
  });
  const layers: number[][] = [];
  slots.forEach((slot, index) => (layers[slot.layer] ??= []).push(index));
  return { slots, links, layers: Array.from(layers, (slotsOf) => slotsOf ?? []), chains };
}
