import { commands, l10n, window } from 'vscode';
import type { Tab, Uri } from 'vscode';
import { CELL } from '../../core/text/cells';
import { basename } from '../../core/text/paths';
import type { VirtualDocuments } from '../../host/virtualDocuments';
import type { FileChange } from './fileChanges';

/** Shows a plan's changes as a diff per file until `close`. */
export class Preview {
  private readonly shown: Uri[] = [];
  private title = '';

  constructor(private readonly documents: VirtualDocuments) {}

  async show(changes: readonly FileChange[]): Promise<void> {
    await this.close();
    this.title = titleOf(changes);
    const pairs = changes.map(({ uri, before, after }) => {
      // The same path, because another one would look like a rename.
      const path = uri.path.replace(/^\/+/, '');
      const put = (name: string, text: string): Uri => {
        const document = this.documents.put(name, text);
        this.shown.push(document);
        return document;
      };
      // Of a notebook, the code of its cells.
      if (before.startsWith(CELL)) {
        return [uri, put(`before/${path}.py`, before), put(`${path}.py`, after)] as const;
      }
      return [uri, uri, put(path, after)] as const;
    });
    const [first] = pairs;
    if (pairs.length === 1 && first) {
      await commands.executeCommand('vscode.diff', first[1], first[2], this.title, { preview: true });
    } else {
      await commands.executeCommand('vscode.changes', this.title, pairs);
    }
  }

  async close(): Promise<void> {
    // VS Code appends the number of files to the title.
    const ours = (tab: Tab): boolean => this.title !== '' && tab.label.startsWith(this.title);
    const tabs = window.tabGroups.all.flatMap(group => group.tabs).filter(ours);
    if (tabs.length > 0) await window.tabGroups.close(tabs, true);
    for (const uri of this.shown.splice(0)) this.documents.forget(uri);
  }
}

function titleOf(changes: readonly FileChange[]): string {
  const [first] = changes;
  if (first && changes.length === 1) return l10n.t('Plan for {0}', basename(first.uri.path));
  return l10n.t('Plan for {0} files', changes.length);
}
