import { workspace } from 'vscode';
import type { Disposable } from './disposables';
import { Refusal } from './errors';

/** May processes be started? Not in Restricted Mode. */
export function isTrusted(): boolean {
  return workspace.isTrusted;
}

/** Refuses what must not be done in Restricted Mode, with a sentence and the way to trust the folder. */
export function mustBeTrusted(message: string): void {
  if (!isTrusted()) throw new Refusal(message, 'trust');
}

/** Runs when the user grants trust to a restricted workspace; it cannot be taken back while the window lives. */
export function onTrustGranted(run: () => void): Disposable {
  return workspace.onDidGrantWorkspaceTrust(run);
}
