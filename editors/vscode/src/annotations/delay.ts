// Debounces one piece of work. Pure.

export class Delay {
  private timer: ReturnType<typeof setTimeout> | undefined;

  run(milliseconds: number, work: () => void): void {
    clearTimeout(this.timer);
    this.timer = setTimeout(work, milliseconds);
  }

  cancel(): void {
    clearTimeout(this.timer);
  }
}
