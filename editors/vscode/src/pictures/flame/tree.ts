// The call tree in a form that is fast to draw: frames in preorder, each with its offset in its parent's time.
//
// Times are in the profile's unit. Plain values; independent of pixels.
import type { Difference, FlameGraphNode, GoneCallee, Range } from '../../server/protocol';

export interface FlameFrame {
  readonly id: number;
  readonly name: string;
  readonly parent: number; // -1: the root
  readonly depth: number;
  readonly start: number; // time before it, from the root's start
  readonly total: number;
  readonly self: number;
  readonly error?: number; // of the total; none: costs are exact
  readonly selfError?: number;
  readonly leftOut: number;
  readonly children: readonly number[]; // most time first
  readonly end: number; // one past its last descendant
  readonly uri?: string;
  readonly range?: Range;
  readonly module?: string;
  readonly inlined?: boolean;
  readonly difference?: Difference; // of the total, from the base
  readonly gone?: readonly GoneCallee[]; // callees that only the base has
}

export interface FlameTree {
  readonly frames: readonly FlameFrame[];
  readonly depth: number; // number of rows
}

type Mutable<T> = { -readonly [K in keyof T]: T[K] };

// Callees start at their caller's left edge; the remaining width is self time and what was left out.
export function flameTree(root: FlameGraphNode | null): FlameTree {
  const frames: Mutable<FlameFrame>[] = [];
  let depth = 0;
  const visit = (node: FlameGraphNode, parent: number, level: number, start: number): number => {
    const id = frames.length;
    const children: number[] = [];
    const frame: Mutable<FlameFrame> = {
      id, name: node.name, parent, depth: level, start, total: node.total, self: node.self,
      leftOut: node.leftOut ?? 0, children, end: id + 1,
    };
    if (node.error !== undefined) frame.error = node.error;
    if (node.selfError !== undefined) frame.selfError = node.selfError;
    if (node.uri !== undefined) frame.uri = node.uri;
    if (node.range !== undefined) frame.range = node.range;
    if (node.module !== undefined) frame.module = node.module;
    if (node.inlined === true) frame.inlined = true;
    if (node.difference !== undefined) frame.difference = node.difference;
    if (node.gone !== undefined) frame.gone = node.gone;
    frames.push(frame);
    depth = Math.max(depth, level + 1);
    let next = start;
    for (const child of node.children) {
      children.push(visit(child, id, level + 1, next));
      next += child.total;
    }
    frame.end = frames.length;
    return id;
  };
  // The server bounds the depth to 400 calls.
  if (root !== null) visit(root, -1, 0, 0);
  return { frames, depth };
}

export function frameOf(tree: FlameTree, id: number): FlameFrame | undefined {
  return tree.frames[id];
}

// From the root to the frame, both included.
export function pathTo(tree: FlameTree, id: number): FlameFrame[] {
  const path: FlameFrame[] = [];
  for (let frame = tree.frames[id]; frame !== undefined; frame = tree.frames[frame.parent]) path.unshift(frame);
  return path;
}

export function isWithin(outer: FlameFrame, id: number): boolean {
  return id >= outer.id && id < outer.end;
}

// The frame with this path of names from the root, or its deepest ancestor that still exists: restores the zoom in a
// new tree.
export function frameAtPath(tree: FlameTree, names: readonly string[]): number {
  let found = 0;
  if (tree.frames[0]?.name !== names[0]) return 0;
  for (const name of names.slice(1)) {
    const next = tree.frames[found]?.children.find((child) => tree.frames[child]?.name === name);
    if (next === undefined) break;
    found = next;
  }
  return found;
}
