// The whole that shares refer to: the program's total time, its unit, and its sampling scale. Requested once for what is
// shown.
import type { ListFigures } from '../figures/columns';
import { scaleOf } from '../figures/numbers';
import type { FlatProfileParams, FlatProfileResult } from '../server/protocol';
import { figuresKey } from '../server/shown';
import type { Services } from '../services';

const known = new WeakMap<Services, { key: string; figures: ListFigures }>();

export async function programFigures(services: Services): Promise<ListFigures> {
  const key = figuresKey(services.client.status);
  const last = known.get(services);
  if (last?.key === key) return last.figures;
  const flat = await services.client.request<FlatProfileParams, FlatProfileResult>('gprof/flatProfile', { limit: 1 });
  const figures = { seconds: flat?.programSeconds ?? 0, unit: flat?.unit ?? 'seconds', scale: scaleOf(flat) };
  if (flat !== undefined) known.set(services, { key, figures });
  return figures;
}
