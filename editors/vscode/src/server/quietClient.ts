// The language client, without notifications of its own: the extension says what the user can do about an error.
import { LanguageClient } from 'vscode-languageclient/node';
import type { LanguageClientOptions, ServerOptions, StaticFeature } from 'vscode-languageclient/node';

// Tells the server that line data is drawn here, and that its status is listened to.
const announcement: StaticFeature = {
  fillClientCapabilities: (capabilities) => {
    capabilities.experimental = { gprof: { decorations: true, status: true } };
  },
  initialize: () => {},
  getState: () => ({ kind: 'static' }),
  clear: () => {},
};

export class QuietLanguageClient extends LanguageClient {
  constructor(server: ServerOptions, options: LanguageClientOptions) {
    // The identifier names the setting gprof.trace.server.
    super('gprof', 'gprof', server, options);
    this.registerFeature(announcement);
  }

  override error(message: string, data?: unknown): void {
    super.error(message, data, false);
  }

  override info(message: string, data?: unknown): void {
    super.info(message, data, false);
  }
}
