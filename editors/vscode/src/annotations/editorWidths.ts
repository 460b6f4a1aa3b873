// How wide the groups of editors are, in pixels. Pure.

// What the command vscode.getEditorLayout answers: an orientation of 0 is side by side, and changes with each depth.
export interface EditorLayout {
  readonly orientation: number;
  readonly groups: readonly EditorGroupLayout[];
}

interface EditorGroupLayout {
  readonly size?: number;
  readonly groups?: readonly EditorGroupLayout[];
}

// By the groups' numbers, which begin at 1: the editors' view columns. Undefined where it is not told.
export function widthsOfGroups({ orientation, groups }: EditorLayout): (number | undefined)[] {
  return [undefined, ...widthsBelow(groups, orientation === 0, undefined)];
}

function widthsBelow(
  groups: readonly EditorGroupLayout[],
  areSideBySide: boolean,
  width: number | undefined,
): (number | undefined)[] {
  return groups.flatMap((group) => {
    const own = areSideBySide ? group.size : width;
    return group.groups === undefined ? [own] : widthsBelow(group.groups, !areSideBySide, own);
  });
}

const lineNumbersAndScrollBar = 90;
// Of what an editor has for text.
const shareOfMinimap = 0.12;

// What is left for text: rather too little.
export function roomForText(width: number, hasMinimap: boolean): number {
  const room = Math.max(width - lineNumbersAndScrollBar, 0);
  return Math.floor(hasMinimap ? room * (1 - shareOfMinimap) : room);
}
