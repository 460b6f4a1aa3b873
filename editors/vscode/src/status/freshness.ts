// How old the profile is, and which sources were changed since the program was built: those that are newer than it and
// whose text the server finds to be another one than what was compiled.
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { GprofClient } from '../server/client';
import type { FlatProfileParams, FlatProfileResult, LineDataParams, LineDataResult, StatusParams } from '../server/protocol';

export interface Freshness {
  readonly profileTime: number | undefined;
  readonly changedSources: readonly string[];
}

export const nothingKnown: Freshness = { profileTime: undefined, changedSources: [] };

// Limit on functions whose sources are checked: the hottest.
const mostRows = 1_000;

// Limit on newer sources whose texts are compared, such as after a switch of branches.
const mostCompared = 50;

export class FreshnessCheck {
  // Whether a saved text differs from the compiled one, by file and time of modification.
  private readonly compared = new Map<string, Promise<boolean>>();
  private sources: readonly vscode.Uri[] = [];
  private sourcesOf: number | undefined;

  constructor(private readonly client: GprofClient) {}

  async look(status: StatusParams): Promise<Freshness> {
    if (status.program === '') return nothingKnown;
    await this.findSources(status.generation);
    const [built, ...times] = await Promise.all([status.program, ...status.profiles].map(timeOf));
    const known = times.filter((time) => time !== undefined);
    return {
      profileTime: known.length === 0 ? undefined : Math.max(...known),
      changedSources: built === undefined ? [] : await this.changedSince(built),
    };
  }

  private async findSources(generation: number): Promise<void> {
    if (this.sourcesOf === generation) return;
    const answer = await this.client.request<FlatProfileParams, FlatProfileResult>('gprof/flatProfile', {
      limit: mostRows,
      // Of all of the profile, whatever is selected.
      ...(this.client.supports('gprof/metrics') ? { selection: null } : {}),
    });
    if (answer === undefined) return;
    const uris = new Set(answer.rows.flatMap((row) => row.uri ?? []));
    this.sources = [...uris].map((uri) => vscode.Uri.parse(uri)).filter((uri) => uri.scheme === 'file');
    this.sourcesOf = generation;
    this.compared.clear();
  }

  private async changedSince(built: number): Promise<string[]> {
    const unsaved = new Set(
      vscode.workspace.textDocuments.filter((document) => document.isDirty).map((document) => document.uri.toString()),
    );
    let left = mostCompared;
    const changed = await Promise.all(this.sources.map(async (uri) => {
      const key = uri.toString();
      const time = unsaved.has(key) ? undefined : ((await timeOf(uri.fsPath)) ?? 0);
      if (time !== undefined && time <= built) return false;
      if (left <= 0) return true;
      left -= 1;
      if (time === undefined) return this.isAnotherText(key);
      const known = `${key} ${time}`;
      const answer = this.compared.get(known) ?? this.isAnotherText(key);
      this.compared.set(known, answer);
      return answer;
    }));
    return this.sources.filter((_, index) => changed[index]).map((uri) => vscode.workspace.asRelativePath(uri));
  }

  // A file that is saved or touched without a change is what was compiled, whatever its time says.
  private async isAnotherText(uri: string): Promise<boolean> {
    const answer = await this.client.request<LineDataParams, LineDataResult>('gprof/lineData', { textDocument: { uri }, hottest: 1 });
    return answer?.asCompiled !== true;
  }
}

export async function timeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
