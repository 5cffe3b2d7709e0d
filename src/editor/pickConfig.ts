import { CancellationTokenSource, l10n, window, workspace } from 'vscode';
import type { QuickPickItem, Uri } from 'vscode';
import { Refusal } from '../host/errors';
import { refill } from '../host/quickPick';
import type { EditorServices } from './services';
import { candidateFiles } from './workspaceConfigs';

interface ConfigItem extends QuickPickItem {
  readonly uri: Uri;
}

/** Lets the user pick one of the workspace's configs; the list grows while they are found. Null when he leaves. */
export async function pickConfig({ couldBeOurs }: Pick<EditorServices, 'couldBeOurs'>): Promise<Uri | null> {
  const pick = window.createQuickPick<ConfigItem>();
  const search = new CancellationTokenSource();
  pick.placeholder = l10n.t('Choose a config in this workspace');
  pick.busy = true;
  try {
    return await new Promise<Uri | null>((resolve, reject) => {
      pick.onDidAccept(() => resolve(pick.selectedItems[0]?.uri ?? null));
      pick.onDidHide(() => resolve(null));
      pick.show();
      list().catch(reject);
    });
  } finally {
    search.cancel();
    search.dispose();
    pick.dispose();
  }

  async function list(): Promise<void> {
    const items: ConfigItem[] = [];
    for await (const { uri } of candidateFiles(couldBeOurs, search.token)) {
      items.push({ label: workspace.asRelativePath(uri), uri });
      refill(pick, [...items], (one, other) => one.uri === other.uri);
    }
    pick.busy = false;
    if (items.length === 0) {
      throw new Refusal(l10n.t('This workspace has no config format that Headroom knows.'));
    }
  }
}
