// VS Code, served to a browser by code-server, as a new user finds it: with folders of its own for
// everything that it keeps. What it starts is one process group, which `stop` ends.
import { spawn } from 'node:child_process';
import { once } from 'node:events';
import fs from 'node:fs/promises';
import net from 'node:net';
import path from 'node:path';
import { installed, until } from './environment.mjs';

const START_LIMIT = 60_000;
const ENTRY = path.join(installed, 'node_modules/code-server/out/node/entry.js');
const QUIET = ['--auth', 'none', '--disable-telemetry', '--disable-update-check',
  '--disable-getting-started-override'];

// What would stand in the way of looking at the code, or look different from run to run.
const SETTINGS = {
  'workbench.startupEditor': 'none',
  'workbench.secondarySideBar.defaultVisibility': 'hidden',
  'workbench.tips.enabled': false,
  'workbench.colorTheme': 'Light Modern',
  'window.autoDetectColorScheme': false,
  'chat.disableAIFeatures': true,
  'editor.hover.delay': 100,
  'editor.cursorBlinking': 'solid',
  'editor.minimap.enabled': false,
  'extensions.ignoreRecommendations': true,
  'git.enabled': false,
};

async function freePort() {
  const server = net.createServer().listen(0, '127.0.0.1');
  await once(server, 'listening');
  const { port } = server.address();
  server.close();
  await once(server, 'close');
  return port;
}

// The server within the extension that was installed into `home`.
export async function carriedServer(home) {
  const extensions = path.join(home, 'extensions');
  const [folder] = (await fs.readdir(extensions)).filter((name) => name.startsWith('gprof-lsp.'));
  return path.join(extensions, folder, 'bin/gprof-lsp');
}

export class CodeServer {
  // `home` is an empty folder; `trust`: whether folders have to be trusted before what they name is
  // started; `developer`: whether a page may ask for tests within the extension host;
  // `environment`: variables more, asked for when the extensions are installed.
  static async start({ home, extensions = [], settings = {}, trust = false, developer = false,
    environment = () => ({}) }) {
    const server = new CodeServer();
    server.home = home;
    server.environment = {
      ...process.env,
      PATH: `${path.dirname(process.execPath)}:${process.env.PATH}`,
      ...Object.fromEntries(['CONFIG', 'CACHE', 'STATE', 'DATA'].map(
        (kind) => [`XDG_${kind}_HOME`, path.join(home, kind.toLowerCase())])),
    };
    server.folders = ['--config', '/dev/null', '--user-data-dir', path.join(home, 'user'),
      '--extensions-dir', path.join(home, 'extensions')];
    await fs.mkdir(path.join(home, 'user/User'), { recursive: true });
    await server.writeSettings(settings);
    for (const extension of extensions) {
      await server.run('--install-extension', extension);
    }
    Object.assign(server.environment, await environment());
    await server.listen([...(trust ? [] : ['--disable-workspace-trust']),
      ...(developer ? ['--vscode-option', 'enable-smoke-test-driver'] : [])]);
    return server;
  }

  async writeSettings(settings) {
    this.settings = { ...SETTINGS, ...this.settings, ...settings };
    await fs.writeFile(path.join(this.home, 'user/User/settings.json'),
      JSON.stringify(this.settings, null, 2));
  }

  // code-server's command line, to its end.
  async run(...words) {
    const child = spawn(process.execPath, [ENTRY, ...this.folders, ...words],
      { env: this.environment, stdio: ['ignore', 'pipe', 'pipe'] });
    let said = '';
    child.stdout.on('data', (data) => { said += data; });
    child.stderr.on('data', (data) => { said += data; });
    const [code] = await once(child, 'close');
    if (code !== 0) {
      throw new Error(`code-server ${words.join(' ')} ended with ${code}:\n${said}`);
    }
    return said;
  }

  async listen(options) {
    this.port = await freePort();
    this.address = `127.0.0.1:${this.port}`;
    const log = await fs.open(path.join(this.home, 'code-server.log'), 'w');
    this.process = spawn(process.execPath,
      [ENTRY, ...this.folders, ...QUIET, '--bind-addr', this.address, ...options],
      { env: this.environment, stdio: ['ignore', log.fd, log.fd], detached: true });
    await log.close();
    await until('code-server listens', async () => {
      if (this.process.exitCode !== null) {
        throw new Error(`code-server ended: ${path.join(this.home, 'code-server.log')}`);
      }
      return (await fetch(`http://${this.address}/healthz`).catch(() => null))?.ok;
    }, START_LIMIT);
  }

  // The address of the page that shows `folder`; `payload` is what a page may ask of the workbench.
  url(folder, payload = []) {
    const query = new URLSearchParams(folder.endsWith('.code-workspace') ? { workspace: folder } : { folder });
    if (payload.length > 0) {
      query.set('payload', JSON.stringify(payload));
    }
    return `http://${this.address}/?${query}`;
  }

  uri(file) {
    return `vscode-remote://${this.address}${file}`;
  }

  // What the extension and its host wrote down, for whoever looks for the reason of a failure.
  async logs() {
    const folder = path.join(this.home, 'user/logs');
    const files = (await fs.readdir(folder, { recursive: true }))
      .filter((name) => /(gprof.*|remoteexthost)\.log$/.test(name));
    const texts = await Promise.all(files.map(async (name) =>
      `== ${name}\n${await fs.readFile(path.join(folder, name), 'utf8')}`));
    return texts.join('\n');
  }

  async stop() {
    for (const signal of ['SIGTERM', 'SIGKILL']) {
      try {
        process.kill(-this.process.pid, signal);
      } catch {
        return;  // nobody is left
      }
      await until('code-server ends', () => !this.runs(), 3_000).catch(() => {});
    }
  }

  runs() {
    try {
      process.kill(-this.process.pid, 0);
      return true;
    } catch {
      return false;
    }
  }
}
