// What the server is told of the section `gprof`: its own settings alone, since it complains about those that it
// does not know, with what the user chose by a command in place of what is set.
import { serverSettings } from './serverSettings';

export type SettingsOfServer = Readonly<Record<string, unknown>>;

export function settingsForServer(section: unknown, choices: SettingsOfServer): SettingsOfServer {
  const settings = typeof section === 'object' && section !== null ? Object.entries(section) : [];
  return { ...Object.fromEntries(settings.filter(([name]) => serverSettings.has(name))), ...choices };
}
