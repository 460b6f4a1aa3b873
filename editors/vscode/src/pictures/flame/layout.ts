// Which frames are visible, and where: the zoomed one at full width, its callers above it, and each callee as wide as
// its time. Frames narrower than a pixel are merged into one grey block, so that no time disappears.
//
// Rows count from the root; x and width are in pixels.
import type { FlameFrame, FlameTree } from './tree';

export interface FlameBox {
  readonly frame: number; // -1: frames that are too narrow
  readonly row: number;
  readonly x: number;
  readonly width: number;
}

const narrowest = 1;

// In preorder: each row from left to right.
export function flameBoxes(tree: FlameTree, zoomed: number, width: number): FlameBox[] {
  const boxes: FlameBox[] = [];
  const root = tree.frames[zoomed];
  if (root === undefined || width <= 0) return boxes;
  for (let outer = tree.frames[root.parent]; outer !== undefined; outer = tree.frames[outer.parent]) {
    boxes.unshift({ frame: outer.id, row: outer.depth, x: 0, width });
  }
  const scale = root.total > 0 ? width / root.total : 0;
  const place = (frame: FlameFrame): void => {
    boxes.push({ frame: frame.id, row: frame.depth, x: (frame.start - root.start) * scale, width: frame.total * scale });
    let hidden = 0;
    let hiddenAt = 0;
    for (const id of frame.children) {
      const child = tree.frames[id];
      if (child === undefined) continue;
      if (child.total * scale >= narrowest) {
        place(child);
      } else {
        // Most time first: all that follow are narrow as well.
        if (hidden === 0) hiddenAt = (child.start - root.start) * scale;
        hidden += child.total * scale;
      }
    }
    hidden += frame.leftOut * scale;
    if (hidden >= narrowest) {
      const x = hiddenAt > 0 ? hiddenAt : afterChildren(tree, frame, root, scale);
      boxes.push({ frame: -1, row: frame.depth + 1, x, width: hidden });
    }
  };
  if (scale > 0) place(root);
  else boxes.push({ frame: root.id, row: root.depth, x: 0, width });
  return boxes;
}

function afterChildren(tree: FlameTree, frame: FlameFrame, root: FlameFrame, scale: number): number {
  const last = tree.frames[frame.children.at(-1) ?? -1];
  const end = last === undefined ? frame.start : last.start + last.total;
  return (end - root.start) * scale;
}

// Boxes by row, each row from left to right: for hit tests and keyboard navigation.
export function boxesByRow(boxes: readonly FlameBox[]): FlameBox[][] {
  const rows: FlameBox[][] = [];
  for (const box of boxes) (rows[box.row] ??= []).push(box);
  for (const row of rows) row?.sort((a, b) => a.x - b.x);
  return rows;
}

export function boxAt(rows: readonly (readonly FlameBox[] | undefined)[], row: number, x: number): FlameBox | undefined {
  const boxes = rows[row] ?? [];
  let low = 0;
  let high = boxes.length;
  while (low < high) {
    const middle = (low + high) >> 1;
    const box = boxes[middle];
    if (box !== undefined && box.x + box.width <= x) low = middle + 1;
    else high = middle;
  }
  const found = boxes[low];
  return found !== undefined && found.x <= x ? found : undefined;
}
