// How a test is run alone, as the server says. It is checked, for anybody can pass arguments to a command. Pure.
import { isAbsolute } from 'node:path';
import type { TestRun } from '../server/protocol';
import type { Run } from './runProgram';

// Undefined if the value is not a test.
export function testRunOf(value: unknown): TestRun | undefined {
  if (typeof value !== 'object' || value === null) return undefined;
  const { name, program, arguments: words, folder, environment } = value as Partial<Record<keyof TestRun, unknown>>;
  if (typeof name !== 'string' || typeof program !== 'string' || !isAbsolute(program) || !isStrings(words)) return undefined;
  if (folder !== undefined && (typeof folder !== 'string' || !isAbsolute(folder))) return undefined;
  if (environment !== undefined && !isStrings(environment)) return undefined;
  return {
    name,
    program,
    arguments: words,
    ...(folder === undefined ? {} : { folder }),
    ...(environment === undefined ? {} : { environment }),
  };
}

function isStrings(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((item) => typeof item === 'string');
}

export function runOfTest({ name, program, arguments: words, folder, environment }: TestRun): Run {
  return {
    program,
    arguments: words,
    ...(folder === undefined ? {} : { cwd: folder }),
    ...(environment === undefined ? {} : { environment: variablesOf(environment) }),
    test: name,
  };
}

// From NAME=VALUE each; settings without a name are left out.
export function variablesOf(settings: readonly string[]): Record<string, string> {
  return Object.fromEntries(settings.flatMap((setting) => {
    const sign = setting.indexOf('=');
    return sign > 0 ? [[setting.slice(0, sign), setting.slice(sign + 1)]] : [];
  }));
}
