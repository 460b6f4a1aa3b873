// The metrics, threads and length of the profile that is shown. Requested once for what is shown.
import type { MetricDescription, MetricsParams, MetricsResult } from '../server/protocol';
import { figuresKey } from '../server/shown';
import type { Services } from '../services';
import { titleOfCosts } from './text';

const known = new WeakMap<Services, { readonly key: string; readonly result: MetricsResult }>();

// Undefined where the server does not list metrics.
export async function profileMetrics(services: Services): Promise<MetricsResult | undefined> {
  const { client } = services;
  if (!client.supports('gprof/metrics')) return undefined;
  const key = figuresKey(client.status);
  const last = known.get(services);
  if (last?.key === key) return last.result;
  const result = await client.request<MetricsParams, MetricsResult>('gprof/metrics', {});
  // An answer about something else that is shown meanwhile is not kept.
  if (result !== undefined && key === figuresKey(client.status)) known.set(services, { key, result });
  return result;
}

// What the costs in views are of.
export async function titleOfCostsNow(services: Services): Promise<string> {
  return titleOfCosts(services.settings.metric, (await profileMetrics(services))?.metrics ?? []);
}

// Those that the user has chosen as columns, as far as the profile has them.
export async function columnMetrics(services: Services): Promise<readonly MetricDescription[]> {
  const { columns } = services.settings;
  if (columns.length === 0) return [];
  const metrics = (await profileMetrics(services))?.metrics ?? [];
  return columns.flatMap((name) => metrics.find((metric) => metric.name === name) ?? []);
}
