// Where lines go when a text is edited, before the server has said what became of them: lines whose text was touched
// are dropped, those below move. Pure.

export interface TextChange {
  readonly startLine: number;
  readonly startCharacter: number;
  readonly endLine: number;
  readonly endCharacter: number;
  readonly text: string;
}

// The line's number after the changes, which are of one edit and therefore named by the text before it; undefined
// where its text is another one now. `lengthOf` tells how long a line was before.
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

// It ends at the beginning of the line, and whole lines come there: the line's own text stays as it is.
function isBefore(change: TextChange, line: number): boolean {
  if (change.endLine !== line || change.endCharacter !== 0) return false;
  return change.text.endsWith('\n') || (change.text === '' && change.startCharacter === 0);
}

// It begins at the end of the line, and goes on with another line.
function isBehind(change: TextChange, line: number, lengthOf: (line: number) => number): boolean {
  if (change.startLine !== line || change.startCharacter < lengthOf(line)) return false;
  return /^\r?\n/.test(change.text) || (change.text === '' && change.endLine === line);
}
