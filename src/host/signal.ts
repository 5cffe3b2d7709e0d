import type { CancellationToken } from 'vscode';
import type { Signal } from '../core/signal';

/** VS Code's cancellation token as core's signal. */
export function signalOf(token: CancellationToken): Signal {
  return {
    get aborted() {
      return token.isCancellationRequested;
    },
  };
}

/** VS Code's cancellation token as an AbortSignal, for work that needs an event instead of polling. */
export function abortSignalOf(token: CancellationToken): AbortSignal {
  const controller = new AbortController();
  if (token.isCancellationRequested) controller.abort();
  else token.onCancellationRequested(() => controller.abort());
  return controller.signal;
}
