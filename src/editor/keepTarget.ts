import { l10n, ThemeIcon, workspace } from 'vscode';
import type { Memento, QuickPickItem } from 'vscode';
import { rememberFor } from '../host/settings';
import { pickOne } from '../host/messages';
import { AUTOMATIC } from './targets';

const RECENT = 'target.recent';
const SCOPE = 'target.scope';
const MOST_RECENT = 5;

type Scope = 'workspace' | 'user';

interface ScopeItem extends QuickPickItem {
  readonly scope: Scope;
}

/** Previously chosen GPUs, most recent first, in the form of the setting. */
export function recentTargets(memory: Memento): readonly string[] {
  const kept = memory.get<unknown>(RECENT);
  return Array.isArray(kept) ? kept.filter(one => typeof one === 'string') : [];
}

/**
 * Makes a GPU the target of this workspace or of all: the user chooses which if both are possible, and the last
 * choice is listed first next time. False if the user cancels.
 */
export async function keepTarget(memory: Memento, value: string): Promise<boolean> {
  const scope = workspace.workspaceFolders === undefined ? 'user' : await askScope(memory, value);
  if (scope === null) return false;
  await rememberFor(scope, 'target.gpu', value);
  if (value !== AUTOMATIC) {
    const others = recentTargets(memory).filter(one => one !== value);
    await memory.update(RECENT, [value, ...others].slice(0, MOST_RECENT));
  }
  return true;
}

async function askScope(memory: Memento, value: string): Promise<Scope | null> {
  const items: readonly ScopeItem[] = [
    {
      scope: 'workspace',
      label: l10n.t('For this workspace'),
      description: l10n.t('in .vscode/settings.json, which others may share'),
      iconPath: new ThemeIcon('root-folder'),
    },
    {
      scope: 'user',
      label: l10n.t('Always'),
      description: l10n.t('in your user settings'),
      iconPath: new ThemeIcon('account'),
    },
  ];
  const last = memory.get<unknown>(SCOPE);
  const picked = await pickOne(
    items.toSorted((a, b) => Number(b.scope === last) - Number(a.scope === last)),
    { title: l10n.t('Use {0}', value === AUTOMATIC ? l10n.t("this machine's GPU") : value) },
  );
  if (!picked) return null;
  await memory.update(SCOPE, picked.scope);
  return picked.scope;
}
