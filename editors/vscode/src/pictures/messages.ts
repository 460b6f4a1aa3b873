// The messages between a picture in a webview and the extension.
import type { CallGraphResult, FlameGraphResult, Range } from '../server/protocol';

// The function that a picture is about: by the place of its definition if known, else by its name.
export interface FunctionSubject {
  readonly name: string;
  readonly symbol?: string; // linkage name
  readonly uri?: string;
  readonly line?: number;
  readonly character?: number;
  readonly isLibrary?: boolean; // of a library: it has callers alone
}

export interface GraphSettings {
  readonly depth: number;
  readonly direction: 'callers' | 'callees' | 'both';
}

// From the extension.
export type ToPicture =
  | { readonly type: 'flames'; readonly costs: string; readonly result: FlameGraphResult; readonly subject?: FunctionSubject }
  | {
      readonly type: 'graph';
      readonly costs: string; // what they are of
      readonly result: CallGraphResult;
      readonly subject: FunctionSubject;
      readonly settings: GraphSettings;
      readonly programSeconds: number;
      readonly unit: string;
    }
  | { readonly type: 'nothing'; readonly text: string };

// From the picture.
export type FromPicture =
  | { readonly type: 'ready' }
  | { readonly type: 'open'; readonly uri: string; readonly range: Range; readonly keepFocus: boolean }
  | { readonly type: 'flames'; readonly subject?: FunctionSubject }
  | { readonly type: 'graph'; readonly subject: FunctionSubject; readonly settings?: GraphSettings }
  | { readonly type: 'tree'; readonly subject: FunctionSubject; readonly direction: 'callers' | 'callees' };

export function subjectOf(node: {
  readonly name: string;
  readonly linkageName?: string | undefined;
  readonly uri?: string | undefined;
  readonly range?: Range | undefined;
  readonly module?: string | undefined;
}): FunctionSubject {
  return {
    name: node.name,
    ...(node.linkageName === undefined ? {} : { symbol: node.linkageName }),
    ...(node.uri === undefined || node.range === undefined
      ? {}
      : { uri: node.uri, line: node.range.start.line, character: node.range.start.character }),
    ...(node.module === undefined ? {} : { isLibrary: true }),
  };
}

// Members of requests that identify the function.
export function functionParams(subject: FunctionSubject):
  | { textDocument: { uri: string }; position: { line: number; character: number } }
  | { symbol: string } {
  if (subject.uri !== undefined && subject.line !== undefined) {
    return {
      textDocument: { uri: subject.uri },
      position: { line: subject.line, character: subject.character ?? 0 },
    };
  }
  return { symbol: subject.symbol ?? subject.name };
}
