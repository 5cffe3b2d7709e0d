import { commands, env, l10n, Uri, ViewColumn, window, workspace } from 'vscode';
import type { WebviewPanel } from 'vscode';
import { DisposableStore } from '../host/disposables';
import type { Disposable } from '../host/disposables';
import { Refusal } from '../host/errors';
import type { Fleet } from '../gpu/fleet';
import { EXPORT_FORMATS } from './page/exported';
import type { PanelServices } from './ports';
import { ServedPage } from './servedPage';

const VIEW = 'headroom.panel';
const TAB = 'headroom.panelTab';

/** The GPU panel: in its view, and in any number of editor tabs. */
export class PanelPages implements Disposable {
  private readonly store = new DisposableStore();
  private readonly pages = new Set<ServedPage>();

  constructor(private readonly services: PanelServices) {
    this.store.add(
      window.registerWebviewViewProvider(VIEW, {
        resolveWebviewView: view => {
          const page = this.serve(new ServedPage(view.webview, services), view);
          view.onDidChangeVisibility(() => page.seen(view.visible));
          page.seen(view.visible);
        },
      }),
    );
    this.store.add(
      window.registerWebviewPanelSerializer(TAB, {
        deserializeWebviewPanel: panel => {
          this.adopt(panel);
          return Promise.resolve();
        },
      }),
    );
  }

  show(): Thenable<unknown> {
    return commands.executeCommand(`${VIEW}.focus`);
  }

  openInTab(): void {
    this.adopt(window.createWebviewPanel(TAB, l10n.t('GPUs'), ViewColumn.Active));
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

  private adopt(panel: WebviewPanel): void {
    panel.iconPath = Uri.joinPath(this.services.extensionUri, 'media', 'panel.svg');
    const page = this.serve(new ServedPage(panel.webview, this.services), panel);
    panel.onDidChangeViewState(() => page.seen(panel.visible));
    page.seen(panel.visible);
  }

  private serve(
    page: ServedPage,
    place: { readonly onDidDispose: (ended: () => void) => Disposable },
  ): ServedPage {
    this.pages.add(page);
    place.onDidDispose(() => {
      this.pages.delete(page);
      page.dispose();
    });
    return page;
  }
}
