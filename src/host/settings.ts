import { workspace } from 'vscode';
import type { ConfigurationChangeEvent, ConfigurationScope } from 'vscode';
import type { Severity } from '../core/spec/conditions';
import type { Disposable } from './disposables';

/** Every setting and its type. Defaults and descriptions are only in package.json. */
export interface Settings {
  readonly 'target.gpu': string;
  readonly 'target.gpuCount': number | null;
  readonly 'editor.codeLens': boolean;
  readonly 'editor.inlayHints': boolean;
  readonly 'editor.hover': boolean;
  readonly 'editor.keyHelp': boolean;
  readonly 'editor.diagnostics': boolean;
  readonly 'editor.quickFixes': boolean;
  readonly 'editor.languageStatus': boolean;
  readonly 'editor.statusBar': boolean;
  readonly 'rules.severity': Readonly<Record<string, Severity | 'off'>>;
  readonly 'models.download': 'ask' | 'always' | 'never';
  readonly 'optimize.margin': number;
  readonly 'optimize.allowTradeOffs': boolean;
  readonly 'optimize.backup': boolean;
  readonly 'optimize.effectiveBatch': string;
  readonly 'optimize.onChoose': 'apply' | 'preview' | 'diff';
  readonly 'meter.enabled': boolean;
  readonly 'meter.gpu': string;
  readonly 'meter.format': string;
  readonly 'meter.intervalSeconds': number;
  readonly 'nvidiaSmi.path': string;
  readonly hosts: readonly unknown[];
  readonly 'ssh.path': string;
  readonly 'ssh.configFile': string;
  readonly 'embed.hostCommand': readonly unknown[];
  readonly 'embed.onlyPython': boolean;
  readonly python: string;
  readonly 'measurements.keptFor': 'workspace' | 'user' | 'nobody';
  readonly 'run.confirm': string;
  readonly 'jobs.statusBar': boolean;
  readonly 'jobs.notification': boolean;
}

export type SettingKey = keyof Settings;

const SECTION = 'headroom';

/** The effective value of a setting for a file or folder; a value of the wrong type counts as not set. */
export function setting<Key extends SettingKey>(key: Key, scope?: ConfigurationScope): Settings[Key] {
  const section = workspace.getConfiguration(SECTION, scope);
  const fallback: unknown = section.inspect(key)?.defaultValue;
  const value: unknown = section.get(key);
  // Only settings that are numbers can default to null.
  const expected = fallback === null && value !== null ? 'number' : typeof fallback;
  const usable = typeof value === expected;
  return (usable ? value : fallback) as Settings[Key];
}

/** Writes a setting in the workspace if one is open, else for the user. */
export async function remember<Key extends SettingKey>(key: Key, value: Settings[Key]): Promise<void> {
  const target = workspace.workspaceFolders === undefined ? 'user' : 'workspace';
  await workspace.getConfiguration(SECTION).update(key, value, target === 'user');
}

/**
 * Writes a setting for this workspace or for the user. Writing for the user removes a workspace value that would
 * hide it.
 */
export async function rememberFor<Key extends SettingKey>(
  scope: 'workspace' | 'user',
  key: Key,
  value: Settings[Key],
): Promise<void> {
  const section = workspace.getConfiguration(SECTION);
  await section.update(key, value, scope === 'user');
  const hides = scope === 'user' && section.inspect(key)?.workspaceValue !== undefined;
  if (hides) await section.update(key, undefined, false);
}

/** Writes a setting that cannot be set per workspace. */
export async function rememberForUser<Key extends SettingKey>(key: Key, value: Settings[Key]): Promise<void> {
  await workspace.getConfiguration(SECTION).update(key, value, true);
}

/**
 * Rewrites the workspace's value, or the user's if no workspace is open, without the values of other scopes; `undo`
 * restores it.
 */
export async function rewrite<Key extends SettingKey>(
  key: Key,
  by: (own: Settings[Key] | undefined) => Settings[Key],
): Promise<{ readonly isInWorkspace: boolean; readonly undo: () => Thenable<void> }> {
  const isInWorkspace = workspace.workspaceFolders !== undefined;
  const section = workspace.getConfiguration(SECTION);
  const { globalValue, workspaceValue } = section.inspect<Settings[Key]>(key) ?? {};
  const own = isInWorkspace ? workspaceValue : globalValue;
  const write = (value: Settings[Key] | undefined) =>
    workspace.getConfiguration(SECTION).update(key, value, !isInWorkspace);
  await write(by(own));
  return { isInWorkspace, undo: () => write(own) };
}

/** Runs whenever one of the settings changes in any scope. */
export function onSettings(keys: readonly SettingKey[], run: () => void): Disposable {
  return workspace.onDidChangeConfiguration((event: ConfigurationChangeEvent) => {
    if (keys.some(key => event.affectsConfiguration(`${SECTION}.${key}`))) run();
  });
}

type SwitchKey = { [Key in keyof Settings]: Settings[Key] extends boolean ? Key : never }[keyof Settings];

/** A feature that exists only while its setting is on: nothing is registered while it is off. */
export function whileOn(key: SwitchKey, start: () => Disposable): Disposable {
  let running: Disposable | null = null;
  const follow = (): void => {
    const on = setting(key);
    if (on && !running) running = start();
    if (!on) stop();
  };
  const stop = (): void => {
    running?.dispose();
    running = null;
  };
  const listener = onSettings([key], follow);
  follow();
  return {
    dispose() {
      listener.dispose();
      stop();
    },
  };
}
