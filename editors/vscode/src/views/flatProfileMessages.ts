// The messages between the flat profile's view and the extension.
import type { SampleScale } from '../figures/numbers';
import type { FunctionSubject } from '../pictures/messages';
import type { FlatProfileRow, MetricDescription, OtherSamples, TimeBasis } from '../server/protocol';

export type ToFlatProfile =
  | {
      readonly type: 'rows';
      readonly program: string;
      readonly unit: string;
      readonly basis?: TimeBasis;
      readonly first: boolean; // the list starts over
      readonly rows: readonly FlatProfileRow[];
      readonly others: readonly OtherSamples[]; // with the first rows
      readonly metrics: readonly MetricDescription[]; // that have a column of their own
      readonly scale: SampleScale;
      readonly total: number;
    }
  | { readonly type: 'nothing'; readonly text: string }
  | { readonly type: 'order'; readonly column: 'difference' };

export type FromFlatProfile =
  | { readonly type: 'ready' }
  | { readonly type: 'open'; readonly uri: string; readonly line: number; readonly keepFocus: boolean }
  | { readonly type: 'callers'; readonly subject: FunctionSubject }
  | { readonly type: 'run' };
