// The flame graph: of the program, or of what ran under one function.
import type * as vscode from 'vscode';
import { letters, lettersInTab, shortName } from '../figures/shortNames';
import type { FlameGraphParams, FlameGraphResult } from '../server/protocol';
import type { Services } from '../services';
import type { FromPicture, FunctionSubject, ToPicture } from './messages';
import { functionParams } from './messages';
import { Picture } from './panel';
import { titleOfCostsNow } from '../metrics/profileMetrics';
import { nothingToDraw, subjectFrom, unavailableText } from './subjects';

export class FlameGraphPicture extends Picture {
  private subject: FunctionSubject | undefined;

  constructor(
    services: Services,
    private readonly forward: (message: FromPicture) => void,
  ) {
    super(services, { viewType: 'gprof.flameGraph', title: 'Flame Graph', media: 'flameGraph' });
  }

  showFor(subject?: FunctionSubject): void {
    this.subject = subject;
    this.show();
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToPicture> {
    const subject = this.subject;
    if (unavailableText(this.services) !== undefined) return nothingToDraw(this.services, subject);
    const place = subject === undefined ? {} : functionParams(subject);
    const params = 'position' in place ? place : {};
    const result = await this.services.client.request<FlameGraphParams, FlameGraphResult>(
      'gprof/flameGraph', { ...params, differences: this.services.client.status?.comparison !== undefined }, token);
    if (result === undefined || result.root === null) return nothingToDraw(this.services, subject);
    const costs = await titleOfCostsNow(this.services);
    return { type: 'flames', costs, result, ...(subject === undefined || !('position' in place) ? {} : { subject }) };
  }

  protected override restore(state: unknown): void {
    this.subject = subjectFrom(state);
  }

  protected override receive(message: FromPicture): void {
    if (message.type === 'flames') this.showFor(message.subject);
    else this.forward(message);
  }

  protected override titleNow(): string {
    return this.subject === undefined ? 'Flame Graph' : `Flame Graph: ${shortName(this.subject.name, letters(lettersInTab))}`;
  }
}
