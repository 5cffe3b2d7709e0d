import { commands, l10n, window } from 'vscode';
import type { Uri } from 'vscode';
import { basename } from '../core/text/paths';
import { Disposing } from '../host/disposables';
import { dataUri, themeKind } from '../host/pictures';
import type { VirtualDocuments } from '../host/virtualDocuments';
import type { Analyzed } from './analysisService';
import { chosenRun } from './chosenRun';
import type { EditorServices } from './services';

/** *Explain This Config*: the run as read and its whole estimate, as a Markdown page that follows edits. */
export class Explanations extends Disposing {
  constructor(
    private readonly services: EditorServices,
    private readonly pages: VirtualDocuments,
  ) {
    super();
    this.store.add(
      services.analysis.onDidAnalyze(({ analyzed }) => {
        if (analyzed && this.pages.has(pageName(analyzed))) void this.write(analyzed);
      }),
    );
    // A picture cannot follow the theme's colors by itself.
    this.store.add(
      window.onDidChangeActiveColorTheme(() => {
        for (const analyzed of this.services.analysis.all()) {
          if (this.pages.has(pageName(analyzed))) void this.write(analyzed);
        }
      }),
    );
  }

  async show(file: Uri | null, name: unknown): Promise<void> {
    const chosen = await chosenRun(this.services, file, name);
    if (!chosen) return;
    const page = await this.write(chosen.analyzed);
    await commands.executeCommand('markdown.showPreviewToSide', page);
  }

  private async write(analyzed: Analyzed): Promise<Uri> {
    const { explanation, measurementChart } = await this.services.core();
    const theme = themeKind();
    const page = explanation(analyzed.analysis, pairs => dataUri(measurementChart(pairs, theme)));
    return this.pages.page(pageName(analyzed), page);
  }
}

const pageName = ({ file }: Analyzed): string =>
  `${file.replace(/^\/+/, '')}/${l10n.t('Explain {0}', basename(file))}.md`;
