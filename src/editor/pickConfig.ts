import { CancellationTokenSource, l10n, window, workspace } from 'vscode';
import type { CancellationToken, QuickPickItem, Uri } from 'vscode';
import { Refusal } from '../host/errors';
import { refill } from '../host/quickPick';
import { pathOf } from '../host/uris';
import { workspaceFiles } from '../host/workspaceFiles';
import type { Results } from './analyst';
import type { EditorServices } from './services';
import type { CouldBeOurs } from './loading';

const CONFIGS = '**/*.{yaml,yml,toml,sbatch,slurm,sh,py,ipynb}';
const NOT_OURS = '**/{node_modules,.git,.venv,venv,site-packages,__pycache__}/**';

/** A file of the workspace that could be a config. */
interface CandidateFile {
  readonly uri: Uri;
  readonly text: string;
}

/** Every YAML file and batch script of the workspace that a check of its keys does not rule out, in path order. */
export async function* candidateFiles(
  couldBeOurs: CouldBeOurs,
  token: CancellationToken,
): AsyncGenerator<CandidateFile> {
  const found = await workspace.findFiles(CONFIGS, NOT_OURS, undefined, token);
  for (const uri of found.sort((a, b) => (a.path < b.path ? -1 : 1))) {
    if (token.isCancellationRequested) return;
    const read = await workspaceFiles.read(pathOf(uri));
    if ('text' in read && (await couldBeOurs(read.text, pathOf(uri)))) yield { uri, text: read.text };
  }
}

type Standing = Results['standing'];

const PART = l10n.t('part of a run');

interface ConfigItem extends QuickPickItem {
  readonly uri: Uri;
}

/**
 * Lets the user pick one of the workspace's configs from a list that grows as they are found: runs first, then
 * possible runs, then parts of runs and launchers. Null if the user cancels.
 */
export async function pickConfig({
  couldBeOurs,
  analyst,
}: Pick<EditorServices, 'couldBeOurs' | 'analyst'>): Promise<Uri | null> {
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
    const found: Record<Standing, ConfigItem[]> = { run: [], guess: [], part: [] };
    const fill = (...standings: readonly Standing[]): readonly ConfigItem[] => {
      const items = standings.flatMap(standing => found[standing]);
      refill(pick, items, (one, other) => one.uri === other.uri);
      return items;
    };
    for await (const { uri, text } of candidateFiles(couldBeOurs, search.token)) {
      const standing = await analyst('standing', { text, file: pathOf(uri) });
      const label = workspace.asRelativePath(uri);
      found[standing].push(standing === 'part' ? { label, description: PART, uri } : { label, uri });
      if (standing === 'run') fill('run');
    }
    if (search.token.isCancellationRequested) return;
    const items = fill('run', 'guess', 'part');
    pick.busy = false;
    if (items.length === 0) {
      throw new Refusal(l10n.t('This workspace has no config format that Headroom knows.'));
    }
  }
}
