// Where the server is: the setting's path, else the one bundled with the extension, else the first on PATH. Pure,
// except for the disk access passed in.
import { delimiter, dirname, isAbsolute, join } from 'node:path';

export interface ServerCommand {
  readonly command: string;
  readonly arguments: readonly string[];
  readonly environment: Readonly<Record<string, string>>;
  readonly origin: 'setting' | 'extension' | 'path';
}

export interface ServerSearch {
  readonly setting: string;
  readonly arguments: readonly string[];
  readonly extensionFolder: string;
  readonly workspaceFolder: string | undefined;
  readonly homeFolder: string;
  readonly path: string | undefined;
  readonly isExecutable: (path: string) => boolean;
  readonly exists: (path: string) => boolean;
}

export type ServerFound = { readonly server: ServerCommand } | { readonly missing: string };

const binaryName = 'gprof-lsp';
const runtimeName = 'libgprof_runtime.so';

export function locateServer(search: ServerSearch): ServerFound {
  if (search.setting !== '') return fromSetting(search);
  const carried = join(search.extensionFolder, 'bin', binaryName);
  if (search.isExecutable(carried)) return { server: serverAt(carried, 'extension', search) };
  const installed = onPath(search);
  if (installed !== undefined) return { server: serverAt(installed, 'path', search) };
  return {
    missing: `The server ${binaryName} is not part of this extension on this platform, and not on PATH.`,
  };
}

function fromSetting(search: ServerSearch): ServerFound {
  const path = expanded(search.setting, search);
  if (!isAbsolute(path)) {
    return { missing: `The setting gprof.server.path is no absolute path: ${search.setting}` };
  }
  if (!search.isExecutable(path)) {
    const fault = search.exists(path) ? 'cannot be executed' : 'does not exist';
    return { missing: `The server that gprof.server.path names ${fault}: ${path}` };
  }
  return { server: serverAt(path, 'setting', search) };
}

function expanded(path: string, search: ServerSearch): string {
  const fromHome = path.startsWith('~/') ? join(search.homeFolder, path.slice(2)) : path;
  return search.workspaceFolder === undefined
    ? fromHome
    : fromHome.replace(/^\$\{workspaceFolder\}/, () => search.workspaceFolder ?? '');
}

// Relative entries of PATH are ignored: they would mean a different program in each folder.
function onPath(search: ServerSearch): string | undefined {
  return (search.path ?? '')
    .split(delimiter)
    .filter((folder) => isAbsolute(folder))
    .map((folder) => join(folder, binaryName))
    .find((path) => search.isExecutable(path));
}

// Names the collector next to the server, since the server only looks for it where it is installed.
function serverAt(command: string, origin: ServerCommand['origin'], search: ServerSearch): ServerCommand {
  const runtime = join(dirname(command), runtimeName);
  const environment: Record<string, string> = search.exists(runtime)
    ? { GPROF_RUNTIME_LIBRARY: runtime }
    : {};
  return { command, arguments: search.arguments, environment, origin };
}
