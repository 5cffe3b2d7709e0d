import { env, UIKind, workspace } from 'vscode';
import type { Disposable } from './disposables';
import { Refusal } from './errors';

/** Whether processes may be started: not in Restricted Mode, and not where there is only a browser. */
export function isTrusted(): boolean {
  return workspace.isTrusted && !isInBrowser();
}

/** Whether the extension itself runs in a browser, without a machine behind it. */
const isInBrowser = (): boolean => env.uiKind === UIKind.Web && env.remoteName === undefined;

/** Throws a refusal in Restricted Mode, with a sentence and a way to trust the folder. */
export function mustBeTrusted(message: string): void {
  if (!isTrusted()) throw new Refusal(message, 'trust');
}

/** Runs when the user trusts a restricted workspace; trust cannot be revoked while the window is open. */
export function onTrustGranted(run: () => void): Disposable {
  return workspace.onDidGrantWorkspaceTrust(run);
}
