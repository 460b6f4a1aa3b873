// Work that is asked for in bursts, as loads of a profile follow each other while a program runs: done at once after a
// rest, and else once at the end of the burst's time. Pure.

const rest = 150; // milliseconds

export class Bursts {
  private timer: ReturnType<typeof setTimeout> | undefined;
  private last = -Infinity;

  constructor(private readonly work: () => void, private readonly now: () => number = Date.now) {}

  soon(): void {
    clearTimeout(this.timer);
    const waited = this.now() - this.last;
    if (waited >= rest) this.run();
    else this.timer = setTimeout(() => this.run(), rest - waited);
  }

  dispose(): void {
    clearTimeout(this.timer);
  }

  private run(): void {
    this.last = this.now();
    this.work();
  }
}
