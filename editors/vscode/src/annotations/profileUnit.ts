// The unit of the profile's costs, requested once per load: seconds unless another tool's profile says otherwise.
import type { GprofClient } from '../server/client';
import type { FlatProfileParams, FlatProfileResult } from '../server/protocol';

export class ProfileUnit {
  private unit = 'seconds';
  private asked: Promise<void> | undefined;

  constructor(private readonly client: GprofClient) {}

  get name(): string {
    return this.unit;
  }

  known(): Promise<void> {
    this.asked ??= this.ask();
    return this.asked;
  }

  profileChanged(): void {
    this.asked = undefined;
  }

  private async ask(): Promise<void> {
    const answer = await this.client.request<FlatProfileParams, FlatProfileResult>('gprof/flatProfile', { limit: 1 });
    this.unit = answer?.unit ?? 'seconds';
  }
}
