// Where lines go when a text is edited, before the server has answered: edited lines are dropped, those below move.
// Pure.

export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

// The line's number after the changes, which belong to one edit and so refer to the text before it; undefined if its
// text has changed. `lengthOf` returns a line's former length.
export function lineAfterEdit(
  line: number,
  changes: readonly TextChange[],
  lengthOf: (line: number) => number,
): number | undefined {
  let moved = line;
  for (const change of changes) {
    const added = newLinesIn(change.text);
    const removed = change.endLine - change.startLine;
    if (change.endLine < line || isBefore(change, line)) moved += added - removed;
    else if (change.startLine <= line && !isBehind(change, line, lengthOf)) return undefined;
  }
  return moved;
}

function newLinesIn(text: string): number {
  return text.split('\n').length - 1;
}

// Ends at the start of the line and inserts whole lines: the line's own text does not change.
function isBefore(change: TextChange, line: number): boolean {
  if (change.endLine !== line || change.endCharacter !== 0) return false;
  return change.text.endsWith('\n') || (change.text === '' && change.startCharacter === 0);
}

// Begins at the end of the line, and continues with a new line.
function isBehind(change: TextChange, line: number, lengthOf: (line: number) => number): boolean {
  if (change.startLine !== line || change.startCharacter < lengthOf(line)) return false;
  return /^\r?\n/.test(change.text) || (change.text === '' && change.endLine === line);
}
