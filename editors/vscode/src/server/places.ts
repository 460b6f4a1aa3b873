// Places as the server names them.
import type { Range } from './protocol';

export interface Place {
  readonly uri: string;
  readonly range: Range;
}

// The beginning of the line: where a place is known by its line alone.
export function placeOfLine(uri: string, line: number): Place {
  return { uri, range: { start: { line, character: 0 }, end: { line, character: 0 } } };
}

export function hasPlace<T extends { readonly uri?: string; readonly range?: Range }>(value: T): value is T & Place {
  return value.uri !== undefined && value.range !== undefined;
}
