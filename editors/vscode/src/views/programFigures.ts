// The whole that shares refer to: the program's total time, its unit, and its sampling scale. Requested once per load.
import { scaleOf } from '../figures/numbers';
import type { SampleScale } from '../figures/numbers';
import type { FlatProfileParams, FlatProfileResult } from '../server/protocol';
import type { Services } from '../services';

export interface ProgramFigures {
  readonly seconds: number; // 0: not known, or none
  readonly unit: string;
  readonly scale: SampleScale;
}

const known = new WeakMap<Services, { generation: number; figures: ProgramFigures }>();

export async function programFigures(services: Services): Promise<ProgramFigures> {
  const generation = services.client.status?.generation ?? -1;
  const last = known.get(services);
  if (last?.generation === generation) return last.figures;
  const flat = await services.client.request<FlatProfileParams, FlatProfileResult>('gprof/flatProfile', { limit: 1 });
  const [row] = flat?.rows ?? [];
  const seconds = row !== undefined && row.percent > 0 ? (row.selfSeconds / row.percent) * 100 : 0;
  const figures = { seconds, unit: flat?.unit ?? 'seconds', scale: scaleOf(flat) };
  if (flat !== undefined) known.set(services, { generation, figures });
  return figures;
}
