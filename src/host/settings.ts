import { workspace } from 'vscode';
import type { ConfigurationChangeEvent, ConfigurationScope } from 'vscode';
import type { Severity } from '../core/spec/conditions';
import type { Disposable } from './disposables';

/** Every setting and its type. Defaults and descriptions are in package.json, and only there. */
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
  readonly 'rules.severity': Readonly<Record<string, Severity | 'off'>>;
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

/** A setting in force for a file or folder; a value of the wrong type counts as not set. */
export function setting<Key extends SettingKey>(key: Key, scope?: ConfigurationScope): Settings[Key] {
  const section = workspace.getConfiguration(SECTION, scope);
  const fallback: unknown = section.inspect(key)?.defaultValue;
  const value: unknown = section.get(key);
  // Only a number may be left open.
  const expected = fallback === null && value !== null ? 'number' : typeof fallback;
  const usable = typeof value === expected;
  return (usable ? value : fallback) as Settings[Key];
}

/** Writes a setting where the user will find it again: in the workspace, else for the user. */
export async function remember<Key extends SettingKey>(key: Key, value: Settings[Key]): Promise<void> {
  const target = workspace.workspaceFolders === undefined ? 'user' : 'workspace';
  await workspace.getConfiguration(SECTION).update(key, value, target === 'user');
}

/** Writes a setting where it is set now, so that what is written counts; where it is not, as `remember` does. */
export async function rememberWhereSet<Key extends SettingKey>(
  key: Key,
  value: Settings[Key],
): Promise<void> {
  const section = workspace.getConfiguration(SECTION);
  const { globalValue, workspaceValue } = section.inspect(key) ?? {};
  if (workspaceValue === undefined && globalValue !== undefined) await section.update(key, value, true);
  else await remember(key, value);
}

/** Runs whenever one of the settings changes, for whatever scope. */
export function onSettings(keys: readonly SettingKey[], run: () => void): Disposable {
  return workspace.onDidChangeConfiguration((event: ConfigurationChangeEvent) => {
    if (keys.some(key => event.affectsConfiguration(`${SECTION}.${key}`))) run();
  });
}
