import { workspace } from 'vscode';
import type { Disposable } from './disposables';
import { Refusal } from './errors';

/** Whether processes may be started: not in Restricted Mode. */
export function isTrusted(): boolean {
  return workspace.isTrusted;
}

/** Throws a refusal in Restricted Mode, with a sentence and a way to trust the folder. */
export function mustBeTrusted(message: string): void {
  if (!isTrusted()) throw new Refusal(message, 'trust');
}

/** Runs when the user trusts a restricted workspace; trust cannot be revoked while the window is open. */
export function onTrustGranted(run: () => void): Disposable {
  return workspace.onDidGrantWorkspaceTrust(run);
}
