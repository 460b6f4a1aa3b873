// The view Cycles: functions that call each other in circles, which gprof treats as one.
import * as vscode from 'vscode';
import type { ListFigures } from '../figures/columns';
import { figuresBefore } from '../figures/columns';
import { exactCount, sampledTime, shortCount } from '../figures/numbers';
import { nameInTree } from '../figures/shortNames';
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
  private figures: ListFigures = { seconds: 0, unit: 'seconds', scale: {} };

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
    this.figures = figures;
    const cycles = result?.cycles ?? [];
    this.view.description = cycles.length > 0 ? String(result?.total ?? '') : '';
    this.view.message = result !== undefined && result.program !== '' && cycles.length === 0
      ? 'No functions of the program call each other in circles.' : '';
    const left = (result?.total ?? 0) - cycles.length;
    const nodes: CyclesNode[] = cycles.map((cycle) => ({ kind: 'cycle', cycle }));
    return left > 0 ? [...nodes, { kind: 'more', count: left }] : nodes;
  }

  private time(time: number, error: number | undefined): string {
    return sampledTime(time, error, this.figures.scale, this.figures.unit);
  }

  private cycleItem(cycle: CallCycle): vscode.TreeItem {
    const time = cycle.selfSeconds + cycle.childSeconds;
    const name = `Cycle ${cycle.cycle}`;
    const item = new vscode.TreeItem(figuresBefore(time, this.figures) + name, vscode.TreeItemCollapsibleState.Expanded);
    item.description = `${shortCount(cycle.calls)}× · ${cycle.memberCount} functions`;
    item.tooltip = `${name}\n${this.time(time, cycle.totalError)} in all, `
      + `${this.time(cycle.selfSeconds, undefined)} in its functions themselves\n`
      + `Called ${exactCount(cycle.calls)} times from outside, ${exactCount(cycle.internalCalls)} times within`;
    item.iconPath = new vscode.ThemeIcon('sync');
    item.contextValue = 'cycle';
    item.accessibilityInformation = { label: item.tooltip };
    return item;
  }

  private memberItem(element: Extract<CyclesNode, { kind: 'member' }>): vscode.TreeItem {
    const { node } = element;
    const item = new vscode.TreeItem(figuresBefore(node.selfSeconds, this.figures) + nameInTree(node.name));
    item.description = `itself · ${shortCount(node.calls)}×`;
    item.tooltip = `${node.name}\n${this.time(node.selfSeconds, node.selfError)} itself, called ${exactCount(node.calls)} times by others`
      + (node.recursiveCalls === undefined ? '' : `, ${exactCount(node.recursiveCalls)} times by itself`);
    item.iconPath = new vscode.ThemeIcon('symbol-function');
    item.contextValue = hasPlace(node) ? 'function.source' : 'function';
    item.command = { command: 'gprof.openTreePlace', title: 'Open', arguments: [element] };
    item.accessibilityInformation = { label: item.tooltip };
    return item;
  }
}
