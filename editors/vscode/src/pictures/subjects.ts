// Subjects of pictures: as saved by the webview, at the cursor, or chosen by the user; and the messages if there is
// nothing to draw.
import * as vscode from 'vscode';
import type { CallGraphParams, CallGraphResult } from '../server/protocol';
import type { Services } from '../services';
import type { FunctionSubject, GraphSettings, ToPicture } from './messages';
import { subjectOf } from './messages';

export const usualSettings: GraphSettings = { depth: 2, direction: 'both' };

type Members = Readonly<Record<string, unknown>>;

function membersOf(value: unknown): Members {
  return typeof value === 'object' && value !== null ? (value as Members) : {};
}

// The state may be from an earlier version, or missing: what does not fit is ignored.
export function subjectFrom(state: unknown): FunctionSubject | undefined {
  const { name, symbol, uri, line, character, isLibrary } = membersOf(membersOf(state)['subject']);
  if (typeof name !== 'string') return undefined;
  return {
    name,
    ...(typeof symbol === 'string' ? { symbol } : {}),
    ...(typeof uri === 'string' && typeof line === 'number' ? { uri, line } : {}),
    ...(typeof character === 'number' ? { character } : {}),
    ...(isLibrary === true ? { isLibrary } : {}),
  };
}

export function settingsFrom(state: unknown): GraphSettings {
  const { depth, direction } = membersOf(membersOf(state)['settings']);
  const known = ['callers', 'callees', 'both'] as const;
  return {
    depth: typeof depth === 'number' && depth >= 1 && depth <= 8 ? Math.floor(depth) : usualSettings.depth,
    direction: known.find((name) => name === direction) ?? usualSettings.direction,
  };
}

// Why views of the program have nothing to show: it was chosen, and cannot be shown; others are not what was asked for.
export function unavailableText({ client }: Services): string | undefined {
  const { status } = client;
  return status?.unavailable === undefined ? undefined : status.message ?? `${status.unavailable} cannot be shown.`;
}

export function nothingToDraw(services: Services, subject: FunctionSubject | undefined): ToPicture {
  const { client } = services;
  const isLooking = client.state === 'running' && client.status === undefined;
  if (isLooking || client.state === 'starting' || client.status?.state === 'loading') return { type: 'nothing', text: 'Loading…' };
  if (client.state === 'untrusted') {
    return { type: 'nothing', text: 'Programs and profiles of a folder are read once it is trusted.' };
  }
  if (client.state !== 'running') return { type: 'nothing', text: 'The profile server is not running.' };
  const unavailable = unavailableText(services);
  if (unavailable !== undefined) return { type: 'nothing', text: unavailable };
  if (client.status === undefined || client.status.program === '') {
    return { type: 'nothing', text: client.status?.message ?? 'No profile is shown.' };
  }
  const text = subject === undefined ? 'The profile has no calls.' : `The profile knows nothing of ${subject.name}.`;
  return { type: 'nothing', text };
}

// The function at the cursor, if the profile has one.
export async function functionAtCursor({ client }: Services): Promise<FunctionSubject | undefined> {
  const editor = vscode.window.activeTextEditor;
  if (editor === undefined || editor.document.uri.scheme !== 'file') return undefined;
  const { line, character } = editor.selection.active;
  const graph = await client.request<CallGraphParams, CallGraphResult>('gprof/callGraph', {
    textDocument: { uri: client.uriOf(editor.document.uri) },
    position: { line, character },
    depth: 1,
  });
  const root = graph?.nodes.find((node) => node.id === graph.root);
  return root === undefined ? undefined : subjectOf(root);
}
