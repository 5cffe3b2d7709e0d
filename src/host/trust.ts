import { workspace } from 'vscode';
import type { Disposable } from './disposables';

/** May processes be started? Not in Restricted Mode. */
export function isTrusted(): boolean {
  return workspace.isTrusted;
}

/** Runs when the user grants trust to a restricted workspace; it cannot be taken back while the window lives. */
export function onTrustGranted(run: () => void): Disposable {
  return workspace.onDidGrantWorkspaceTrust(run);
}
