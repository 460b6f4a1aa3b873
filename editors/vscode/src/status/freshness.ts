// How old the profile is, and which sources were changed since the program was built. Judged by the files' times: for
// open sources the server knows more, line by line.
import { stat } from 'node:fs/promises';
import * as vscode from 'vscode';
import type { GprofClient } from '../server/client';
import type { FlatProfileParams, FlatProfileResult, StatusParams } from '../server/protocol';

export interface Freshness {
  readonly profileTime: number | undefined;
  readonly changedSources: readonly string[];
}

export const nothingKnown: Freshness = { profileTime: undefined, changedSources: [] };

// Limit on functions whose sources are checked: the hottest.
const mostRows = 1_000;

export class FreshnessCheck {
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
  }

  private async changedSince(built: number): Promise<string[]> {
    const unsaved = new Set(
      vscode.workspace.textDocuments.filter((document) => document.isDirty).map((document) => document.uri.toString()),
    );
    const changed = await Promise.all(
      this.sources.map(async (uri) => unsaved.has(uri.toString()) || ((await timeOf(uri.fsPath)) ?? 0) > built),
    );
    return this.sources.filter((_, index) => changed[index]).map((uri) => vscode.workspace.asRelativePath(uri));
  }
}

async function timeOf(path: string): Promise<number | undefined> {
  try {
    return (await stat(path)).mtimeMs;
  } catch {
    return undefined;
  }
}
