// The whole that shares refer to: the program's total time, its unit, and its sampling scale. Requested once per load.
import type { ListFigures } from '../figures/columns';
import { scaleOf } from '../figures/numbers';
import type { FlatProfileParams, FlatProfileResult } from '../server/protocol';
import type { Services } from '../services';

const known = new WeakMap<Services, { generation: number; figures: ListFigures }>();

export async function programFigures(services: Services): Promise<ListFigures> {
  const generation = services.client.status?.generation ?? -1;
  const last = known.get(services);
  if (last?.generation === generation) return last.figures;
  const flat = await services.client.request<FlatProfileParams, FlatProfileResult>('gprof/flatProfile', { limit: 1 });
  const figures = { seconds: flat?.programSeconds ?? 0, unit: flat?.unit ?? 'seconds', scale: scaleOf(flat) };
  if (flat !== undefined) known.set(services, { generation, figures });
  return figures;
}
