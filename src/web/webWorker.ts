import { reasonOf } from '../core/text/errors';
import type { FromWorker, StartWorker } from '../host/worker';

/** What is used of a browser's worker; Node's types do not have it. */
interface BrowserWorker {
  postMessage(message: unknown): void;
  terminate(): void;
  onmessage: ((event: { readonly data: unknown }) => void) | null;
  onerror: ((event: { readonly message?: string }) => void) | null;
}

/** A browser; Node has no such constructor. */
const scope = globalThis as unknown as { readonly Worker: new (url: string) => BrowserWorker };

/** Starts workers of a browser. There is no limit on their memory but the browser's own. */
export const webWorker =
  (url: string): StartWorker =>
  events => {
    const worker = new scope.Worker(url);
    worker.onmessage = ({ data }) => events.message(data as FromWorker);
    worker.onerror = ({ message }) => events.ended(new Error(`the worker ended early: ${reasonOf(message)}`));
    return {
      send: message => worker.postMessage(message),
      kill: () => worker.terminate(),
    };
  };
