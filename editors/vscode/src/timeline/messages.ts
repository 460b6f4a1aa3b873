// The messages between the time line's view and the extension.
import type { Selection, StatusParams, TimelineResult } from '../server/protocol';

export type RowKind = 'threads' | 'processes';

// Whether figures have idle waiting.
export type Idle = NonNullable<StatusParams['idle']>;

export type ToTimeline =
  | {
    readonly type: 'rows'; readonly result: TimelineResult; readonly rows: RowKind; readonly label: string;
    readonly idle: Idle | undefined;
  }
  // `text` is the server's, for what is selected.
  | { readonly type: 'selection'; readonly selection: Selection | null; readonly text: string }
  | { readonly type: 'nothing'; readonly text: string; readonly canRun: boolean };

// `columns`: as many as fit.
export type FromTimeline =
  | { readonly type: 'ready'; readonly columns: number }
  | { readonly type: 'columns'; readonly columns: number }
  | { readonly type: 'select'; readonly selection: Selection | null }
  | { readonly type: 'idle'; readonly idle: Idle }
  | { readonly type: 'run' };

export const mostColumns = 4_096;

// No more columns than slices of time were kept: a column is then as long as a slice.
export function columnsToAsk(fit: number, length: number, sliceWidth: number): number {
  const slices = sliceWidth > 0 && length > 0 ? Math.ceil(length / sliceWidth - 1e-9) : Infinity;
  return Math.max(1, Math.min(Math.floor(fit), slices, mostColumns));
}
