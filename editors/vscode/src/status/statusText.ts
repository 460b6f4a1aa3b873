// The text of the status bar. Pure.
import { age } from '../figures/numbers';
import { plainLabel } from '../figures/plainLabel';
import type { ClientState } from '../server/client';
import type { ProgramComparison, StatusParams } from '../server/protocol';

// The program that the active file's figures are from, if it is not the one that views and reports show.
export interface ProgramOfFile {
  readonly name: string;
  readonly executable: string;
  readonly profiles: readonly string[];
  readonly profileTime: number | undefined; // as below
  readonly isRunning: boolean;
  readonly isRebuilt: boolean;
}

export interface StatusInput {
  readonly state: ClientState;
  readonly problem: string;
  readonly status: StatusParams | undefined;
  // Of the newest profile, milliseconds; undefined if not known.
  readonly profileTime: number | undefined;
  readonly now: number;
  // Files newer than the program.
  readonly changedSources: readonly string[];
  readonly ofFile: ProgramOfFile | undefined;
}

export interface StatusText {
  readonly text: string;
  readonly tooltip: readonly string[];
  readonly severity: 'normal' | 'warning' | 'error';
}

export function statusText(input: StatusInput): StatusText {
  const { status } = input;
  if (input.state !== 'running') return withoutServer(input);
  if (status === undefined || (status.state === 'loading' && status.program === '')) {
    return { text: '$(loading~spin) Profile', tooltip: ['Looking for profiles …'], severity: 'normal' };
  }
  if (status.unavailable !== undefined) return withAnotherProgram(status, status.unavailable);
  if (status.program === '') return withoutProfile(status);
  return input.ofFile === undefined ? withProfile(input, status) : withProgramOfFile(input, input.ofFile, status);
}

function withoutServer({ state, problem }: StatusInput): StatusText {
  const said: Record<Exclude<ClientState, 'running'>, StatusText> = {
    starting: { text: '$(loading~spin) Profile', tooltip: ['The profile server is starting.'], severity: 'normal' },
    stopped: { text: '$(debug-stop) Profile', tooltip: ['The profile server was stopped.'], severity: 'normal' },
    waiting: {
      text: '$(sync) Profile',
      tooltip: [`The profile server ended (${problem}).`, 'It is started again.'],
      severity: 'warning',
    },
    untrusted: {
      text: '$(shield) Profile',
      tooltip: ['This folder is not trusted: none of its programs and profiles are loaded.'],
      severity: 'normal',
    },
    missing: { text: '$(error) Profile: no server', tooltip: [problem], severity: 'error' },
    failed: {
      text: '$(error) Profile: server ended',
      tooltip: [`The profile server ended (${problem}).`],
      severity: 'error',
    },
  };
  return said[state as Exclude<ClientState, 'running'>];
}

function withoutProfile(status: StatusParams): StatusText {
  const severity = status.state === 'error' ? 'error' : 'normal';
  const icon = severity === 'error' ? '$(error)' : '$(flame)';
  return {
    text: `${icon} No profile`,
    tooltip: [status.message ?? 'No profile of a program was found. Profile: Run Program makes one.'],
    severity,
  };
}

// What was run or chosen, not what is shown in its place.
function withAnotherProgram(status: StatusParams, unavailable: string): StatusText {
  return {
    text: `$(error) ${plainLabel(nameOf(unavailable))} is not shown`,
    tooltip: [
      ...(status.message === undefined ? [] : [status.message]),
      ...(status.program === '' ? [] : [`Files of ${nameOf(status.program)} still have its figures.`]),
      'Click for actions.',
    ],
    severity: 'error',
  };
}

function withProfile(input: StatusInput, status: StatusParams): StatusText {
  const how = status.live === true ? 'running' : input.profileTime === undefined ? '' : age(input.now - input.profileTime);
  const changed = input.changedSources.length;
  const warnings = [
    ...(status.state === 'stale' ? ['rebuilt since'] : []),
    ...(changed > 0 ? [`${changed} source${changed === 1 ? '' : 's'} changed`] : []),
    ...(status.comparison === undefined ? [] : [comparedWord(status.comparison)]),
    ...(status.pinned === true ? ['$(pinned)'] : []),
  ];
  const isStale = status.state === 'stale' || changed > 0;
  const icon = status.state === 'loading' ? '$(loading~spin)' : status.live === true ? '$(pulse)' : '$(flame)';
  return {
    text: `${isStale ? '$(warning)' : icon} ${[plainLabel(nameOf(status.program)), plainLabel(metricOf(status)), how, ...warnings].filter(Boolean).join(' · ')}`,
    tooltip: tooltipOf(input, status, how),
    severity: status.state === 'error' ? 'error' : 'normal',
  };
}

function withProgramOfFile({ now }: StatusInput, file: ProgramOfFile, status: StatusParams): StatusText {
  const written = file.profileTime === undefined ? '' : age(now - file.profileTime);
  const how = file.isRunning ? 'running' : written;
  const icon = file.isRebuilt ? '$(warning)' : file.isRunning ? '$(pulse)' : '$(flame)';
  const parts = [plainLabel(file.name), plainLabel(metricOf(status)), how, file.isRebuilt ? 'rebuilt since' : ''];
  return {
    text: `${icon} ${parts.filter(Boolean).join(' · ')}`,
    tooltip: [
      `The program of this file: ${file.executable}`,
      ...file.profiles.map((profile) => `Profile: ${profile}`),
      ...(file.isRunning || written === '' ? [] : [`Written ${written}.`]),
      `Views and reports show ${nameOf(status.program)}.`,
      'Click for actions.',
    ],
    severity: 'normal',
  };
}

function tooltipOf(input: StatusInput, status: StatusParams, how: string): string[] {
  const shown = 5;
  const { changedSources } = input;
  const more = changedSources.length - shown;
  return [
    `Program: ${status.program}`,
    ...(metricOf(status) === '' ? [] : [`Metric: ${metricOf(status)}`]),
    ...status.profiles.map((profile) => `Profile: ${profile}`),
    ...(status.why === undefined ? [] : [status.why]),
    ...(how === '' ? [] : [status.live === true ? 'The program is running: its counts rise.' : `Written ${how}.`]),
    ...(status.ran === undefined ? [] : [`It ${status.ran}.`]),
    ...(status.comparison === undefined ? [] : [`Compared with the base: ${status.comparison.text}`]),
    ...[status.waiting, status.tick, status.message].filter((sentence) => sentence !== undefined),
    ...(status.warnings ?? []).map((warning) => `Note: ${warning}`),
    ...changedSources.slice(0, shown).map((source) => `Changed since the build: ${source}`),
    ...(more > 0 ? [`… and ${more} more`] : []),
    'Click for actions.',
  ];
}

function comparedWord({ verdict }: ProgramComparison): string {
  if (verdict === 'regressed') return '▲ regressed';
  return verdict === 'improved' ? '▼ improved' : 'compared';
}

function metricOf({ metric, metricText }: StatusParams): string {
  return metricText ?? metric ?? '';
}

function nameOf(path: string): string {
  return path.split(/[/\\]/).at(-1) ?? path;
}
