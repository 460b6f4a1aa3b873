// Places as the server names them.
import type { Range } from './protocol';

export interface Place {
  readonly uri: string;
  readonly range: Range;
}

// The start of the line, for places known only by line.
export function placeOfLine(uri: string, line: number): Place {
  return { uri, range: { start: { line, character: 0 }, end: { line, character: 0 } } };
}

export function hasPlace<T extends { readonly uri?: string; readonly range?: Range }>(value: T): value is T & Place {
  return value.uri !== undefined && value.range !== undefined;
}
