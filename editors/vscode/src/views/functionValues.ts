// What each function cost by the metrics that the user has chosen as columns. Requested once for what is shown; functions
// that are far down in the flat profile have none.
import type { FlatProfileParams, FlatProfileResult, MetricDescription, MetricValues } from '../server/protocol';
import { columnMetrics } from '../metrics/profileMetrics';
import { figuresKey } from '../server/shown';
import type { Services } from '../services';

export type Values = Readonly<Record<string, MetricValues>>;

export interface FunctionValues {
  readonly metrics: readonly MetricDescription[];
  readonly of: (linkageName: string) => Values | undefined;
}

export const noValues: FunctionValues = { metrics: [], of: () => undefined };

const mostFunctions = 10_000;
const known = new WeakMap<Services, { readonly key: string; readonly values: FunctionValues }>();

export async function functionValues(services: Services): Promise<FunctionValues> {
  const metrics = await columnMetrics(services);
  if (metrics.length === 0) return noValues;
  const names = metrics.map(({ name }) => name);
  const key = JSON.stringify([figuresKey(services.client.status), names]);
  const last = known.get(services);
  if (last?.key === key) return last.values;
  const flat = await services.client.request<FlatProfileParams, FlatProfileResult>(
    'gprof/flatProfile', { limit: mostFunctions, metrics: names });
  const byName = new Map((flat?.rows ?? []).map((row) => [row.linkageName, row.values]));
  const values = { metrics, of: (name: string) => byName.get(name) };
  if (flat !== undefined) known.set(services, { key, values });
  return values;
}
