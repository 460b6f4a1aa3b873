// How a server that exited by itself is restarted: at most five times, each after a longer wait. A long run resets the
// count, so that an error once a day never ends the service.

const delays: readonly number[] = [500, 1_000, 2_000, 4_000, 8_000];
const longEnough = 10 * 60_000;

export class Restarts {
  private made = 0;
  private startedAt = 0;

  static readonly most = delays.length;

  started(now: number): void {
    this.startedAt = now;
  }

  // Milliseconds to wait before the next start; undefined when it is not to be started again.
  next(now: number): number | undefined {
    if (this.startedAt !== 0 && now - this.startedAt >= longEnough) this.made = 0;
    // One that exits before it has started did not run for long.
    this.startedAt = 0;
    const delay = delays[this.made];
    if (delay !== undefined) this.made += 1;
    return delay;
  }

  forget(): void {
    this.made = 0;
    this.startedAt = 0;
  }
}
