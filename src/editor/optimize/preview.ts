import { commands, l10n, window, workspace } from 'vscode';
import type { Uri } from 'vscode';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import type { FileChange } from './fileChanges';

/** Shows what a plan would do, each file beside what it would become. Ends with `close`. */
export class Preview {
  private readonly shown: Uri[] = [];
  private title = '';

  constructor(private readonly documents: VirtualDocuments) {}

  async show(plan: string, changes: readonly FileChange[]): Promise<void> {
    await this.close();
    this.title = l10n.t('Preview: {0}', plan);
    const pairs = changes.map(({ uri, after }) => {
      const name = workspace.asRelativePath(uri);
      const planned = this.documents.put(name, after);
      this.shown.push(planned);
      return [uri, uri, planned] as const;
    });
    const [first] = pairs;
    if (pairs.length === 1 && first) {
      await commands.executeCommand('vscode.diff', first[1], first[2], this.title, { preview: true });
    } else {
      await commands.executeCommand('vscode.changes', this.title, pairs);
    }
  }

  async close(): Promise<void> {
    const tabs = window.tabGroups.all.flatMap(group => group.tabs).filter(tab => tab.label === this.title);
    if (this.title !== '' && tabs.length > 0) await window.tabGroups.close(tabs, true);
    for (const uri of this.shown.splice(0)) this.documents.forget(uri);
  }
}
