import { commands } from 'vscode';

/** Keys for `when` clauses of the manifest. */
export interface ContextKeys {
  /** The active editor shows a config that Headroom knows. */
  readonly 'headroom.recognised': boolean;
  /** It is read by the names of its keys only. */
  readonly 'headroom.generic': boolean;
}

export function setContextKey<Key extends keyof ContextKeys>(key: Key, value: ContextKeys[Key]): void {
  void commands.executeCommand('setContext', key, value);
}
