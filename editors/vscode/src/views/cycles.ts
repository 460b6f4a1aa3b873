// The view Cycles: functions that call each other in circles, which gprof treats as one.
import * as vscode from 'vscode';
import { exactCount, sampledTime, scaleOf, shareText, shortCount } from '../figures/numbers';
import type { SampleScale } from '../figures/numbers';
import type { CallCycle, CycleMember, CyclesParams, CyclesResult } from '../server/protocol';
import { hasPlace } from '../server/places';
import type { Services } from '../services';
import { programFigures } from './programFigures';

export type CyclesNode =
  | { readonly kind: 'cycle'; readonly cycle: CallCycle }
  | { readonly kind: 'member'; readonly node: CycleMember; readonly parent: CyclesNode }
  | { readonly kind: 'more'; readonly count: number; readonly parent?: CyclesNode };

export class CyclesView implements vscode.TreeDataProvider<CyclesNode>, vscode.Disposable {
  private readonly changed = new vscode.EventEmitter<void>();
  private readonly view: vscode.TreeView<CyclesNode>;
  private seconds = 0;
  private unit = 'seconds';
  private scale: SampleScale = {};

  readonly onDidChangeTreeData = this.changed.event;

  constructor(private readonly services: Services) {
    this.view = vscode.window.createTreeView('gprof.cycles', { treeDataProvider: this });
  }

  refresh(): void {
    this.changed.fire();
  }

  async getChildren(parent?: CyclesNode): Promise<CyclesNode[]> {
    if (parent === undefined) return this.roots();
    if (parent.kind !== 'cycle') return [];
    const { cycle } = parent;
    const members: CyclesNode[] = cycle.members.map((node) => ({ kind: 'member', node, parent }));
    const left = cycle.memberCount - cycle.members.length;
    return left > 0 ? [...members, { kind: 'more', count: left, parent }] : members;
  }

  getParent(node: CyclesNode): CyclesNode | undefined {
    return node.kind === 'cycle' ? undefined : node.parent;
  }

  getTreeItem(node: CyclesNode): vscode.TreeItem {
    if (node.kind === 'cycle') return this.cycleItem(node.cycle);
    if (node.kind === 'member') return this.memberItem(node);
    return new vscode.TreeItem(`${exactCount(node.count)} more`);
  }

  dispose(): void {
    this.view.dispose();
    this.changed.dispose();
  }

  private async roots(): Promise<CyclesNode[]> {
    const { client } = this.services;
    if (!client.supports('gprof/cycles')) {
      this.view.message = client.state === 'running' ? 'This server does not list cycles.' : '';
      return [];
    }
    const [result, figures] = await Promise.all([
      client.request<CyclesParams, CyclesResult>('gprof/cycles', {}),
      programFigures(this.services),
    ]);
    this.seconds = figures.seconds;
    this.unit = result?.unit ?? 'seconds';
    this.scale = scaleOf(result);
    const cycles = result?.cycles ?? [];
    this.view.description = cycles.length > 0 ? String(result?.total ?? '') : '';
    this.view.message = result !== undefined && result.program !== '' && cycles.length === 0
      ? 'No functions of the program call each other in circles.' : '';
    const left = (result?.total ?? 0) - cycles.length;
    const nodes: CyclesNode[] = cycles.map((cycle) => ({ kind: 'cycle', cycle }));
    return left > 0 ? [...nodes, { kind: 'more', count: left }] : nodes;
  }

  private cycleItem(cycle: CallCycle): vscode.TreeItem {
    const item = new vscode.TreeItem(`Cycle ${cycle.cycle}`, vscode.TreeItemCollapsibleState.Expanded);
    const time = cycle.selfSeconds + cycle.childSeconds;
    const share = this.seconds > 0 ? `${shareText(Math.min(1, time / this.seconds))} · ` : '';
    item.description = `${share}${sampledTime(time, undefined, this.scale, this.unit)} · ${shortCount(cycle.calls)}× · ${cycle.memberCount} functions`;
    item.tooltip = `${sampledTime(time, cycle.totalError, this.scale, this.unit)} in all, `
      + `${sampledTime(cycle.selfSeconds, undefined, this.scale, this.unit)} in its functions themselves\n`
      + `Called ${exactCount(cycle.calls)} times from outside, ${exactCount(cycle.internalCalls)} times within`;
    item.iconPath = new vscode.ThemeIcon('sync');
    item.contextValue = 'cycle';
    item.accessibilityInformation = { label: `${item.label as string}, ${item.tooltip}` };
    return item;
  }

  private memberItem(element: Extract<CyclesNode, { kind: 'member' }>): vscode.TreeItem {
    const { node } = element;
    const item = new vscode.TreeItem(node.name);
    const time = sampledTime(node.selfSeconds, node.selfError, this.scale, this.unit);
    item.description = `${time} itself · ${shortCount(node.calls)}×`;
    item.tooltip = `${time} itself, called ${exactCount(node.calls)} times by others`
      + (node.recursiveCalls === undefined ? '' : `, ${exactCount(node.recursiveCalls)} times by itself`);
    item.iconPath = new vscode.ThemeIcon('symbol-function');
    item.contextValue = hasPlace(node) ? 'function.source' : 'function';
    item.command = { command: 'gprof.openTreePlace', title: 'Open', arguments: [element] };
    item.accessibilityInformation = { label: `${node.name}, ${item.tooltip}` };
    return item;
  }
}
