// One piece of work that waits until nothing asks for it again. Pure.

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
