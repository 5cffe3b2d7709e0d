import { commands, env, l10n, Uri, ViewColumn, window, workspace } from 'vscode';
import type { WebviewPanel, WebviewView } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { Refusal } from '../host/errors';
import type { Fleet } from '../gpu/fleet';
import { EXPORT_FORMATS } from './page/exported';
import type { PanelServices } from './ports';
import type { ServedPage } from './servedPage';

const VIEW = 'headroom.panel';
const TAB = 'headroom.panelTab';

/** The GPU panel: in its view, and in any number of editor tabs. */
export class PanelPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly pages = new Set<ServedPage>();

  constructor(private readonly services: PanelServices) {
    this.store.add(
      window.registerWebviewViewProvider(VIEW, {
        resolveWebviewView: async view => {
          const page = await this.serve(view);
          view.onDidChangeVisibility(() => page?.seen(view.visible));
          page?.seen(view.visible);
        },
      }),
    );
    this.store.add(
      window.registerWebviewPanelSerializer(TAB, {
        deserializeWebviewPanel: panel => this.adopt(panel),
      }),
    );
  }

  show(): Thenable<unknown> {
    return commands.executeCommand(`${VIEW}.focus`);
  }

  openInTab(): Promise<void> {
    return this.adopt(window.createWebviewPanel(TAB, l10n.t('GPUs'), ViewColumn.Active));
  }

  /** Retries hosts that do not answer. */
  retry(): void {
    for (const page of this.pages) page.retry();
  }

  async copy(): Promise<void> {
    const { fleetAsText } = await this.services.pages();
    await env.clipboard.writeText(fleetAsText(await this.fleet()));
  }

  /** Writes all stored samples to a file that the user chooses; its extension decides the format. */
  async export(): Promise<void> {
    const fleet = await this.fleet();
    const folder = workspace.workspaceFolders?.[0]?.uri;
    const named = folder && { defaultUri: Uri.joinPath(folder, 'gpu-samples.csv') };
    const filters = { [l10n.t('CSV')]: ['csv'], [l10n.t('JSON')]: ['json'] };
    const file = await window.showSaveDialog({ ...named, filters, title: l10n.t('Export GPU Samples') });
    if (!file) return;
    const format = EXPORT_FORMATS.find(one => file.path.toLowerCase().endsWith(`.${one}`)) ?? 'csv';
    const { exported } = await this.services.pages();
    await workspace.fs.writeFile(file, new TextEncoder().encode(exported(fleet, format)));
  }

  dispose(): void {
    for (const page of this.pages) page.dispose();
    this.store.dispose();
  }

  private async fleet(): Promise<Fleet> {
    const fleet = await this.services.gpus.fleet();
    if (fleet === null) {
      throw new Refusal(
        l10n.t('Headroom does not detect GPUs in Restricted Mode. Trust the workspace first.'),
      );
    }
    return fleet;
  }

  private async adopt(panel: WebviewPanel): Promise<void> {
    panel.iconPath = Uri.joinPath(this.services.extensionUri, 'media', 'panel.svg');
    const page = await this.serve(panel);
    if (!page) return;
    panel.onDidChangeViewState(() => page.seen(panel.visible));
    page.seen(panel.visible);
  }

  /** The page in a view or a tab; null if that was closed before its code had loaded. */
  private async serve(place: WebviewView | WebviewPanel): Promise<ServedPage | null> {
    let page: ServedPage | null = null;
    let isClosed = false;
    place.onDidDispose(() => {
      isClosed = true;
      if (page) this.pages.delete(page);
      page?.dispose();
    });
    const { serve } = await this.services.pages();
    // It may have been closed meanwhile, which the compiler does not see.
    if (isClosed as boolean) return null;
    page = serve(place.webview, this.services);
    this.pages.add(page);
    return page;
  }
}
