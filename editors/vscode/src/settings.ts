// The effective settings: the last choice by a command, else the configured value. Choices are remembered with the
// workspace, never written into it, and end when the setting itself is changed.
import * as vscode from 'vscode';
import { isMetric, isShownFigure } from './annotations/metrics';
import type { Metric, StatusParams } from './server/protocol';
import type { SettingsOfServer } from './server/configuration';

const chosenMetric = 'gprof.chosenMetric';
const chosenThreshold = 'gprof.chosenThreshold';
const chosenAnnotations = 'gprof.chosenAnnotations';
const chosenIdle = 'gprof.chosenIdle';
const chosenColumns = 'gprof.chosenColumns';

export type AnnotatedLines = 'all' | 'cursor' | 'held';

type Idle = NonNullable<StatusParams['idle']>;

export class Settings implements vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly subscription: vscode.Disposable;

  // A setting that affects drawing has changed, by configuration or by a choice.
  readonly onDidChange = this.changed.event;

  constructor(private readonly memory: vscode.Memento) {
    this.subscription = vscode.workspace.onDidChangeConfiguration((event) => {
      if (event.affectsConfiguration('gprof')) void this.settingsChanged(event);
    });
  }

  get metric(): Metric {
    const chosen = this.memory.get<unknown>(chosenMetric);
    if (isMetric(chosen)) return chosen;
    const configured = this.read<unknown>('metric', 'time');
    return isMetric(configured) ? configured : 'time';
  }

  // For requests: other names are the server's to find, which knows what there is and says what is missing.
  get metricOfRequests(): { readonly metric?: Metric } {
    const { metric } = this;
    return isShownFigure(metric) ? { metric } : {};
  }

  // Metrics with a column of their own in the flat profile and in the call tree.
  get columns(): readonly string[] {
    const chosen = this.memory.get<unknown>(chosenColumns);
    return Array.isArray(chosen) ? chosen.filter((name): name is string => typeof name === 'string') : [];
  }

  // The share of the whole below which a line's time is not shown.
  get threshold(): number {
    const value = this.memory.get<unknown>(chosenThreshold) ?? this.read<unknown>('threshold', 0.005);
    return typeof value === 'number' && value >= 0 && value <= 1 ? value : 0.005;
  }

  get annotationsShown(): boolean {
    return this.memory.get<boolean>(chosenAnnotations) ?? this.read('annotations.enable', true);
  }

  // Which lines have figures at their ends.
  get annotatedLines(): AnnotatedLines {
    const lines = this.read<unknown>('annotations.lines', 'all');
    return lines === 'cursor' || lines === 'held' ? lines : 'all';
  }

  get heatShown(): boolean {
    return this.read('annotations.heat', true);
  }

  get overviewRulerShown(): boolean {
    return this.read('annotations.overviewRuler', true);
  }

  get errorsShown(): boolean {
    return this.read('annotations.errors', true);
  }

  // Figures begin no further to the right, unless the line itself is longer.
  get annotationColumn(): number {
    const column = this.read<unknown>('annotations.column', 80);
    return typeof column === 'number' && column >= 0 && column <= 1000 ? Math.floor(column) : 80;
  }

  get serverPath(): string {
    return this.read('server.path', '').trim();
  }

  get serverArguments(): readonly string[] {
    const value = this.read<unknown>('server.arguments', []);
    return Array.isArray(value) ? value.filter((item): item is string => typeof item === 'string') : [];
  }

  // Overrides of the server's settings chosen by commands. `anyMetric`: the server knows more than the figures of each
  // profile.
  choices(anyMetric: boolean): SettingsOfServer {
    const isKnown = anyMetric || isShownFigure(this.metric);
    return {
      ...(this.memory.get(chosenMetric) === undefined || !isKnown ? {} : { metric: this.metric }),
      ...(this.memory.get(chosenThreshold) === undefined ? {} : { threshold: this.threshold }),
      ...(isIdle(this.memory.get<unknown>(chosenIdle)) ? { idle: this.memory.get(chosenIdle) } : {}),
    };
  }

  async chooseMetric(metric: Metric): Promise<void> {
    await this.remember(chosenMetric, metric);
  }

  async chooseColumns(columns: readonly string[]): Promise<void> {
    await this.remember(chosenColumns, [...columns]);
  }

  async chooseThreshold(threshold: number): Promise<void> {
    await this.remember(chosenThreshold, threshold);
  }

  // Whether figures of waiting have that which is idle.
  async chooseIdle(idle: Idle): Promise<void> {
    await this.remember(chosenIdle, idle);
  }

  async showAnnotations(shown: boolean): Promise<void> {
    await this.remember(chosenAnnotations, shown);
  }

  dispose(): void {
    this.subscription.dispose();
    this.changed.dispose();
  }

  private read<T>(name: string, otherwise: T): T {
    return vscode.workspace.getConfiguration('gprof').get<T>(name) ?? otherwise;
  }

  private async remember(name: string, value: unknown): Promise<void> {
    await this.memory.update(name, value);
    this.changed.fire();
  }

  private async settingsChanged(event: vscode.ConfigurationChangeEvent): Promise<void> {
    const forgotten = [
      ['gprof.metric', chosenMetric],
      ['gprof.threshold', chosenThreshold],
      ['gprof.idle', chosenIdle],
      ['gprof.annotations.enable', chosenAnnotations],
    ] as const;
    for (const [setting, choice] of forgotten) {
      if (event.affectsConfiguration(setting)) await this.memory.update(choice, undefined);
    }
    this.changed.fire();
  }
}

function isIdle(value: unknown): value is Idle {
  return value === 'folded' || value === 'shown';
}
