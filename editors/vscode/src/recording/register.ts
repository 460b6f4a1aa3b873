// Running programs under the collector, sampling running ones, comparing with other profiles, and exporting what is shown.
import * as vscode from 'vscode';
import type { Services } from '../services';
import { ProcessSampler } from './attach';
import { Comparing } from './comparing';
import { taskType } from './definition';
import { exportProfile } from './exporting';
import { FinishedRuns } from './finished';
import { ProgramRunner } from './runProgram';
import { RecordingStorage } from './storage';
import { RunList } from './runList';
import { TestRunner } from './runTest';
import { RecordTasks } from './tasks';

export function register(services: Services): void {
  const storage = new RecordingStorage(services.context);
  const tasks = new RecordTasks(services, storage);
  const runner = new ProgramRunner(services, storage, tasks);
  const tests = new TestRunner(services, runner);
  const comparing = new Comparing(services, storage);
  const finished = new FinishedRuns(services, storage, comparing);
  const sampler = new ProcessSampler(services, storage, finished);
  services.context.subscriptions.push(
    comparing,
    finished,
    sampler,
    vscode.tasks.registerTaskProvider(taskType, tasks),
    vscode.commands.registerCommand('gprof.runProgram', (argument: unknown) => runner.choose(argument)),
    vscode.commands.registerCommand('gprof.runAgain', () => runner.again()),
    vscode.commands.registerCommand('gprof.profileTest', (argument: unknown) => tests.run(argument)),
    vscode.commands.registerCommand('gprof.profileCTest', () => tests.choose()),
    vscode.commands.registerCommand('gprof.attachToProcess', () => sampler.choose()),
    vscode.commands.registerCommand('gprof.showRuns', () => new RunList(services, storage, comparing).show()),
    vscode.commands.registerCommand('gprof.compareWith', () => comparing.start()),
    vscode.commands.registerCommand('gprof.compareWithPrevious', () => comparing.startWithPrevious()),
    vscode.commands.registerCommand('gprof.stopComparing', () => comparing.stop()),
    vscode.commands.registerCommand('gprof.exportProfile', () => exportProfile(services)),
  );
}
