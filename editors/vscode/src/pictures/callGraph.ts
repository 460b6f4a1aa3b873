// The call graph around a function.
import type * as vscode from 'vscode';
import { letters, lettersInTab, shortName } from '../figures/shortNames';
import type { CallGraphParams, CallGraphResult } from '../server/protocol';
import type { Services } from '../services';
import type { FromPicture, FunctionSubject, GraphSettings, ToPicture } from './messages';
import { functionParams } from './messages';
import { Picture } from './panel';
import { titleOfCostsNow } from '../metrics/profileMetrics';
import { programFigures } from '../views/programFigures';
import { nothingToDraw, settingsFrom, subjectFrom, unavailableText, usualSettings } from './subjects';

export class CallGraphPicture extends Picture {
  private subject: FunctionSubject | undefined;
  private settings: GraphSettings = usualSettings;

  constructor(
    services: Services,
    private readonly forward: (message: FromPicture) => void,
  ) {
    super(services, { viewType: 'gprof.callGraph', title: 'Call Graph', media: 'callGraph' });
  }

  showFor(subject: FunctionSubject, settings?: GraphSettings): void {
    this.subject = subject;
    this.settings = settings ?? this.settings;
    this.show();
  }

  protected override async load(token: vscode.CancellationToken): Promise<ToPicture> {
    const { subject, settings } = this;
    const { client } = this.services;
    if (subject === undefined || unavailableText(this.services) !== undefined) return nothingToDraw(this.services, undefined);
    const [result, figures, costs] = await Promise.all([
      client.request<CallGraphParams, CallGraphResult>(
        'gprof/callGraph', { ...functionParams(subject), ...settings }, token),
      programFigures(this.services),
      titleOfCostsNow(this.services),
    ]);
    if (result === undefined || result.root === null) return nothingToDraw(this.services, subject);
    return { type: 'graph', costs, result, subject, settings, programSeconds: figures.seconds, unit: figures.unit };
  }

  protected override restore(state: unknown): void {
    this.subject = subjectFrom(state);
    this.settings = settingsFrom(state);
  }

  protected override receive(message: FromPicture): void {
    if (message.type === 'graph') this.showFor(message.subject, message.settings);
    else this.forward(message);
  }

  protected override titleNow(): string {
    return this.subject === undefined ? 'Call Graph' : `Call Graph: ${shortName(this.subject.name, letters(lettersInTab))}`;
  }
}
