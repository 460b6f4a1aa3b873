// The extension's side of the webview: messages to and from it, and the state that survives being hidden.
import type { FromPicture, ToPicture } from '../../messages';

interface VsCodeApi {
  postMessage(message: unknown): void;
  getState(): unknown;
  setState(state: unknown): void;
}

declare function acquireVsCodeApi(): VsCodeApi;

const api = acquireVsCodeApi();

export function tellAs<From>(message: From): void {
  api.postMessage(message);
}

export function listenAs<To, From>(hear: (message: To) => void, ready: From): void {
  window.addEventListener('message', (event: MessageEvent<To>) => hear(event.data));
  tellAs<From>(ready);
}

export function tell(message: FromPicture): void {
  tellAs<FromPicture>(message);
}

export function listen(hear: (message: ToPicture) => void): void {
  listenAs<ToPicture, FromPicture>(hear, { type: 'ready' });
}

// The saved state merged over the default; only written by the extension itself.
export function keptState<T extends object>(otherwise: T): T {
  const kept = api.getState();
  return typeof kept === 'object' && kept !== null ? { ...otherwise, ...kept } : otherwise;
}

export function keepState(state: object): void {
  api.setState(state);
}
