// Which program the figures of a file are of.
import * as vscode from 'vscode';
import type { GprofClient } from '../server/client';
import type { LineDataParams, LineDataResult, ProgramsParams, ProgramsResult } from '../server/protocol';
import { timeOf } from './freshness';
import type { ProgramOfFile } from './statusText';

// Any line tells the program.
const firstLine = { start: { line: 0, character: 0 }, end: { line: 0, character: 0 } };

// Undefined for what is shown as a whole, and for files of no program.
export async function programOfFile(client: GprofClient, document: vscode.TextDocument | undefined): Promise<ProgramOfFile | undefined> {
  if (document === undefined || (client.status?.program ?? '') === '') return undefined;
  const textDocument = { uri: client.uriOf(document.uri) };
  const { program: name } = await client.request<LineDataParams, LineDataResult>('gprof/lineData', { textDocument, range: firstLine }) ?? {};
  if (name === undefined || name === '') return undefined;
  const { programs } = await client.request<ProgramsParams, ProgramsResult>('gprof/programs', {}) ?? { programs: [] };
  const found = programs.find((program) => program.name === name);
  if (found === undefined || found.selected) return undefined;
  const times = (await Promise.all(found.profiles.map(timeOf))).filter((time) => time !== undefined);
  return {
    name: found.name,
    executable: found.executable,
    profiles: found.profiles,
    profileTime: times.length === 0 ? undefined : Math.max(...times),
    isRunning: found.live === true,
    isRebuilt: found.rebuiltSince,
  };
}
